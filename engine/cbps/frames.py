"""The frames, which record the progress of the game on a stack, innermost last (3).

A frame contains the data that a procedure needs to continue, so that any position can be saved and resumed. After
loading, the mappings of a frame are sorted by key. Rules that depend on order therefore iterate over the ships or
groups of the battle and use these mappings only for lookups.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from engine.cbps.ids import ForceId
from engine.kernel.structs import always_encoded
from engine.kernel.unions import leaf_types, union_of


class FrameBase(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="frame", omit_defaults=True, gc=False
):
    """Base class of all frames."""


class Asking(FrameBase, frozen=True, kw_only=True):
    """Base class of frames in which each commander acts until all have finished."""

    done: tuple[str, ...] = ()
    """Commanders who have finished the segment."""


# -- sequence: 3


class SetupFrame(Asking, frozen=True, kw_only=True, tag="setup"):
    """Air units and submarines are being placed (common set-up, 14.11)."""

    stationed: tuple[str, ...] = ()
    """Submarines and groups already placed in a hex. Each can be placed only once."""


class TurnFrame(FrameBase, frozen=True, kw_only=True, tag="turn"):
    """The frame of one game turn (3.1)."""

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
    ] = always_encoded("morning")


class PhaseFrame(FrameBase, frozen=True, kw_only=True, tag="phase"):
    """The frame of one Action Phase (3.1)."""

    segment: int = 0
    """The next segment, as an index into the scenario's order of segments."""


class ActivationFrame(FrameBase, frozen=True, kw_only=True, tag="activation"):
    """The frame of the Activation Segment, in which chits are drawn (3.2)."""

    left: int
    """Number of chits still to be drawn in this phase."""


# -- US segments


class AirMovementFrame(Asking, frozen=True, kw_only=True, tag="air-movement"):
    """The frame of the US Air Movement Segment (4.4)."""


class SearchChoiceFrame(FrameBase, frozen=True, kw_only=True, tag="search-choice"):
    """The player is deciding whether to hold the Search Segment now (8.22)."""

    is_morning: bool = False
    """True if the decision comes before the Arrival Phase of 19 June 0530 (18.4)."""


class SearchLaunchFrame(Asking, frozen=True, kw_only=True, tag="search-launch"):
    """The player is launching new searches (8.27)."""


class SearchFlightFrame(FrameBase, frozen=True, kw_only=True, tag="search-flight"):
    """Searches move one by one, and the player picks the hex if the path is ambiguous (8.271, 8.32)."""

    left: tuple[str, ...]
    """Searches that have not moved yet."""
    choices: tuple[str, ...] = ()
    """The hexes from which the player must choose now. Empty if there is no choice."""
    path: tuple[str, ...] = ()
    """Hexes entered so far by the first search in ``left``."""


class SearchAttemptFrame(FrameBase, frozen=True, kw_only=True, tag="search-attempts"):
    """Searches attempt to find forces (8.31)."""

    done: tuple[str, ...] = ()
    """Searches that will make no more attempts."""
    shadow: str = ""
    """The search that may shadow the force it has just found (18.12)."""
    force: ForceId = ""


class SearchLandingFrame(FrameBase, frozen=True, kw_only=True, tag="search-landing"):
    """The player is choosing the carriers on which returning searches land (8.28)."""

    left: tuple[str, ...]
    """Units that have not landed yet."""
    landings: tuple[tuple[str, str, int], ...] = ()
    """Landed units that roll Safe Return after all landings: unit, carrier, fuel (6.42)."""


class OperationsFrame(Asking, frozen=True, kw_only=True, tag="operations"):
    """The frame of the US Air Operations Segment (6.2)."""

    landings: tuple[tuple[str, str, int], ...] = ()
    """Landed units that may have to roll: unit, carrier, and fuel after paying for the landing (4.451, 6.42)."""


class SafeReturnFrame(FrameBase, frozen=True, kw_only=True, tag="safe-return"):
    """Safe Return rolls after all landings, with diversions after deck crashes (4.451, 4.452)."""

    left: tuple[tuple[str, str, int], ...]
    """Landings not yet rolled: unit, carrier, and fuel after paying for the landing (-7 if it could not pay)."""
    diverted: tuple[str, ...] = ()
    """Units whose carrier has had a deck crash. Each must pick another carrier or wait."""


class InterceptFrame(Asking, frozen=True, kw_only=True, tag="intercept"):
    """The frame of the US Intercept Segment, which handles one hex at a time (4.51)."""

    hexes: tuple[str, ...]
    """Hexes that contain a raid and have not been handled yet."""
    committed: tuple[str, ...] = ()
    """Missions committed to fight in the first of these hexes."""
    is_fighting: bool = False


class InterceptionFrame(FrameBase, frozen=True, kw_only=True, tag="interception"):
    """A mission fights a raid, and its units are divided between escorts and attackers (4.52)."""

    mission: str
    raid: str


class JapaneseAttackFrame(FrameBase, frozen=True, kw_only=True, tag="japanese-attack"):
    """The frame of the Japanese Air Attack Segment (5.7)."""

    left: tuple[str, ...]
    """Raids that have not attacked yet."""


class OverflightFrame(FrameBase, frozen=True, kw_only=True, tag="overflight"):
    """The player is deciding which battleships fire at an overflying raid (5.721)."""

    raid: str
    target: str
    held: tuple[str, ...] = ()
    """Battleships that hold their fire."""


class StrikesFrame(Asking, frozen=True, kw_only=True, tag="strikes"):
    """The frame of the US Air Attack Segment (5.1)."""


class ContactFrame(FrameBase, frozen=True, kw_only=True, tag="contact"):
    """A strike whose first contact attempt failed may make a second one (5.22)."""

    mission: str
    targets: tuple[ForceId, ...]
    """The targets that the strike may attempt to contact."""


class AimFrame(FrameBase, frozen=True, kw_only=True, tag="aim"):
    """The player is assigning the damage dice of a strike to ships (5.61)."""

    mission: str
    target: ForceId
    """The force or lone crippled ship under attack."""
    dice: tuple[int, ...]
    """The modifier of each damage die."""
    surprise: Literal["none", "partial", "complete"] = always_encoded("none")
    """The degree of surprise, which affects damage to carriers (5.3)."""
    ships: tuple[str, ...] = ()
    """The ships assigned so far, one per die, in the order of the dice."""


# -- chits


class SailFrame(Asking, frozen=True, kw_only=True, tag="sail"):
    """The frame of a US Move activation (6.3, 12.42)."""

    origins: Mapping[str, str] = {}
    """The starting hexes of the groups and towed ships that have moved in this activation."""
    fights: tuple[str, ...] = ()
    """Hexes that contain both sides after all moves (21.0)."""
    is_over: bool = False
    """True once all movement is finished."""


class BoatsFrame(FrameBase, frozen=True, kw_only=True, tag="boats"):
    """The frame of a US Subs activation (14.12)."""

    done: tuple[str, ...] = ()
    """Submarines that have acted."""
    boat: str = ""
    """The submarine whose action is in progress."""
    has_moved: bool = False
    heading: str = ""
    """Direction of the submarine's move in this activation. Empty if it has not moved."""
    tried: tuple[ForceId, ...] = ()
    """The submarine's false contacts in this activation. After a false contact, it may try another force (14.141)."""
    contact: ForceId = ""
    """The target that the submarine has contacted. Empty if it has no contact."""


class BoatHitsFrame(FrameBase, frozen=True, kw_only=True, tag="boat-hits"):
    """The player is choosing which carrier takes a submarine's hits (14.16)."""

    boat: str
    force: ForceId
    hits: int
    is_sunk: bool = False


class SurfaceCombatFrame(FrameBase, frozen=True, kw_only=True, tag="surface-combat"):
    """The frame of a surface combat (21)."""

    hex: str
    mover: Literal["us", "japan"]
    origin: Mapping[ForceId, str] = {}
    """The hexes that the moving groups or forces left."""
    stage: Literal["open", "accept", "match"] = always_encoded("open")
    round: int = 0
    japan_accepts: bool = False
    surprised: Literal["", "us", "japan"] = ""
    targets: Mapping[str, str] = {}
    """The pairings of this round, from firing ship to target."""
    us_lost: int = 0
    japan_lost: int = 0


class LightsFrame(FrameBase, frozen=True, kw_only=True, tag="lights"):
    """The player may switch off lights after the submarines have attacked (6.433)."""


FRAMES: Final = leaf_types(FrameBase, globals())
"""The types of all frames."""
if TYPE_CHECKING:
    Frame = FrameBase
else:
    Frame = union_of(FRAMES)  # the union that msgspec decodes
