"""Where the game stands: a stack of frames, the innermost last (3).

Frames hold what a running procedure needs to go on; any position can be saved and resumed. Their mappings come back
from a record in the order of their keys: rules go through ships or groups in the order of the battle, and ask the
mapping.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from engine.kernel.structs import written
from engine.kernel.unions import kinds, union_of


class FrameBase(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="frame", omit_defaults=True, gc=False
):
    """Base of all frames."""


class Asking(FrameBase, frozen=True, kw_only=True):
    """Base of frames in which every commander acts until he is done."""

    done: tuple[str, ...] = ()
    """Commanders that have ended the segment for themselves."""


# -- sequence: 3


class SetupFrame(Asking, frozen=True, kw_only=True, tag="setup"):
    """Air units and submarines are placed (common set-up, 14.11)."""

    stationed: tuple[str, ...] = ()
    """What has been given its hex; once each."""


class TurnFrame(FrameBase, frozen=True, kw_only=True, tag="turn"):
    """One game turn (3.1)."""

    step: Literal[
        "morning",
        "arrival",
        "cup",
        "phase",
        "ageing",
        "fire",
        "submarines",
        "lights",
        "advance",
        "score",
    ] = written("morning")


class PhaseFrame(FrameBase, frozen=True, kw_only=True, tag="phase"):
    """One Action Phase (3.1): ``segment`` is the next to be carried out."""

    segment: int = 0
    """Place in the order of segments of the scenario."""


class ActivationFrame(FrameBase, frozen=True, kw_only=True, tag="activation"):
    """The Activation Segment (3.2)."""

    left: int
    """Chits still to be drawn in this phase."""


# -- US segments


class AirMovementFrame(Asking, frozen=True, kw_only=True, tag="air-movement"):
    """The US Air Movement Segment (4.4)."""


class SearchChoiceFrame(FrameBase, frozen=True, kw_only=True, tag="search-choice"):
    """Whether the Search Segment is held now (8.22)."""

    is_morning: bool = False
    """Before the Arrival Phase of 19 June 0530 (18.4)."""


class SearchLaunchFrame(Asking, frozen=True, kw_only=True, tag="search-launch"):
    """New searches are launched (8.27)."""


class SearchFlightFrame(FrameBase, frozen=True, kw_only=True, tag="search-flight"):
    """Searches move one after the other, as far as somebody must choose a hex (8.271, 8.32)."""

    left: tuple[str, ...]
    """Searches that have not moved."""
    choices: tuple[str, ...] = ()
    """Hexes between which the player chooses now."""
    path: tuple[str, ...] = ()
    """Hexes flown so far by the first of them."""


class SearchAttemptFrame(FrameBase, frozen=True, kw_only=True, tag="search-attempts"):
    """Searches attempt forces (8.31)."""

    done: tuple[str, ...] = ()
    """Searches that try nothing more."""
    shadow: str = ""
    """The search that may shadow the force it has just found (18.12)."""
    force: str = ""


class SearchLandingFrame(FrameBase, frozen=True, kw_only=True, tag="search-landing"):
    """Returning searches choose their carriers (8.28)."""

    left: tuple[str, ...]
    """Units that have not landed."""
    landings: tuple[tuple[str, str, int], ...] = ()
    """Units that have landed and roll Safe Return after all others: unit, carrier, fuel (6.42)."""


class OperationsFrame(Asking, frozen=True, kw_only=True, tag="operations"):
    """The US Air Operations Segment (6.2)."""

    landings: tuple[tuple[str, str, int], ...] = ()
    """Units that have landed and may have to roll: unit, carrier, fuel less the landing point (4.451, 6.42)."""


class SafeReturnFrame(FrameBase, frozen=True, kw_only=True, tag="safe-return"):
    """Safe Return rolls after all landings, with diversions after deck crashes (4.451, 4.452)."""

    left: tuple[tuple[str, str, int], ...]
    """Landings that have not rolled: unit, carrier, fuel less the landing point, -7 where that could not be paid."""
    diverted: tuple[str, ...] = ()
    """Units whose carrier has crashed: they choose another one, or wait."""


class InterceptFrame(Asking, frozen=True, kw_only=True, tag="intercept"):
    """The US Intercept Segment, one hex after the other (4.51)."""

    hexes: tuple[str, ...]
    """Hexes left that hold a raid."""
    committed: tuple[str, ...] = ()
    """Missions that fight in the first of them."""
    is_fighting: bool = False


class InterceptionFrame(FrameBase, frozen=True, kw_only=True, tag="interception"):
    """A mission fights a raid: its units are divided (4.52)."""

    mission: str
    raid: str


class JapaneseAttackFrame(FrameBase, frozen=True, kw_only=True, tag="japanese-attack"):
    """The Japanese Air Attack Segment (5.7)."""

    left: tuple[str, ...]
    """Raids that have not attacked."""


class OverflightFrame(FrameBase, frozen=True, kw_only=True, tag="overflight"):
    """Which battleships fire at an overflying raid (5.721)."""

    raid: str
    target: str
    held: tuple[str, ...] = ()
    """Battleships that hold their fire."""


class StrikesFrame(Asking, frozen=True, kw_only=True, tag="strikes"):
    """The US Air Attack Segment (5.1)."""


class ContactFrame(FrameBase, frozen=True, kw_only=True, tag="contact"):
    """A strike whose first attempt has failed may try once more (5.22)."""

    mission: str
    targets: tuple[str, ...]
    """Forces that it may try."""


class AimFrame(FrameBase, frozen=True, kw_only=True, tag="aim"):
    """Damage dice of a strike are assigned to ships (5.61)."""

    mission: str
    target: str
    """Force or lone crippled ship."""
    dice: tuple[int, ...]
    """Modifiers of the dice."""
    surprise: Literal["none", "partial", "complete"] = written("none")
    """Its effect on damage to carriers (5.3)."""
    ships: tuple[str, ...] = ()
    """Targets of the first dice."""


# -- chits


class SailFrame(Asking, frozen=True, kw_only=True, tag="sail"):
    """The US Move chit (6.3, 12.42)."""

    origins: Mapping[str, str] = {}
    """Hexes from which groups and towed ships have moved in this activation."""
    fights: tuple[str, ...] = ()
    """Hexes that hold both sides when all have moved (21.0)."""
    is_over: bool = False
    """Nothing moves any more."""


class BoatsFrame(FrameBase, frozen=True, kw_only=True, tag="boats"):
    """The US Subs chit (14.12)."""

    done: tuple[str, ...] = ()
    """Boats that have acted."""
    boat: str = ""
    """The boat that is in the middle of its action."""
    has_moved: bool = False
    heading: str = ""
    """Direction of its move in this activation."""
    tried: tuple[str, ...] = ()
    """False contacts, after which another force may be tried (14.141)."""
    contact: str = ""
    """The force with which it has made contact."""


class BoatHitsFrame(FrameBase, frozen=True, kw_only=True, tag="boat-hits"):
    """A carrier is chosen for the hits of a submarine (14.16)."""

    boat: str
    force: str
    hits: int
    is_sunk: bool = False


class SurfaceCombatFrame(FrameBase, frozen=True, kw_only=True, tag="surface-combat"):
    """A surface combat (21)."""

    hex: str
    mover: Literal["us", "japan"]
    origin: Mapping[str, str] = {}
    """Where movers came from, by group or force."""
    stage: Literal["open", "accept", "match"] = written("open")
    round: int = 0
    japan_accepts: bool = False
    surprised: Literal["", "us", "japan"] = ""
    targets: Mapping[str, str] = {}
    """Matches of the round: firing ship and target."""
    us_lost: int = 0
    japan_lost: int = 0


class LightsFrame(FrameBase, frozen=True, kw_only=True, tag="lights"):
    """Lights may be switched off after the submarines have attacked (6.433)."""


FRAMES: Final = kinds(FrameBase, globals())
"""All frames."""
if TYPE_CHECKING:
    Frame = FrameBase
else:
    Frame = union_of(FRAMES)  # by which msgspec decodes
