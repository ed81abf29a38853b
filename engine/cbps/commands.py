"""All commands that a US commander can give (appendix B)."""

from typing import Final

from engine.cbps.ids import Box
from engine.kernel.ruleset import Command
from engine.kernel.unions import leaf_types, union_of


class CbpsCommand(Command, frozen=True, kw_only=True, tag_field="order"):
    """Base class of all commands."""


class Done(CbpsCommand, frozen=True, kw_only=True, tag="done"):
    """End the segment. Defaults apply to everything that is still undecided."""


class Place(CbpsCommand, frozen=True, kw_only=True, tag="place"):
    """Place an air unit in one of its carrier's boxes at set-up."""

    unit: str
    box: Box


class Station(CbpsCommand, frozen=True, kw_only=True, tag="station"):
    """Place a submarine, or a group that may start ahead, in a hex at set-up (14.11)."""

    name: str
    hex: str


# -- air operations: 6.2


class Launch(CbpsCommand, frozen=True, kw_only=True, tag="launch"):
    """Launch a ready unit into a new mission or one already in the hex (6.24)."""

    unit: str
    mission: str


class Cap(CbpsCommand, frozen=True, kw_only=True, tag="cap"):
    """Launch a ready fighter into a CAP mission of its group (4.33)."""

    unit: str
    mission: str


class Raise(CbpsCommand, frozen=True, kw_only=True, tag="raise"):
    """Bring a unit from servicing up to the flight deck (6.25)."""

    unit: str


class Service(CbpsCommand, frozen=True, kw_only=True, tag="service"):
    """Move a unit from the hangar to servicing (6.26)."""

    unit: str


class Store(CbpsCommand, frozen=True, kw_only=True, tag="store"):
    """Move a unit from servicing back to the hangar (6.26)."""

    unit: str


class Lower(CbpsCommand, frozen=True, kw_only=True, tag="lower"):
    """Lower a landed unit to the hangar or a ready unit to servicing (6.27)."""

    unit: str


class Land(CbpsCommand, frozen=True, kw_only=True, tag="land"):
    """Land a unit from a mission, CAP or returning search on a carrier in the hex (6.28)."""

    unit: str
    carrier: str


class Wait(CbpsCommand, frozen=True, kw_only=True, tag="wait"):
    """Keep a unit in the air after a deck crash on its carrier (4.452)."""

    unit: str


class Overboard(CbpsCommand, frozen=True, kw_only=True, tag="overboard"):
    """Push a landed unit overboard (6.291)."""

    unit: str


class LightUp(CbpsCommand, frozen=True, kw_only=True, tag="light-up"):
    """Switch on the lights of a group and of all other groups in its hex (6.43)."""

    group: str


class Darken(CbpsCommand, frozen=True, kw_only=True, tag="darken"):
    """Switch off the lights of a group and of all other groups in its hex (6.433)."""

    group: str


class Operate(CbpsCommand, frozen=True, kw_only=True, tag="operate"):
    """Choose the CVL that operates while its group keeps station (17.3)."""

    carrier: str


# -- missions in flight: 4


class Fly(CbpsCommand, frozen=True, kw_only=True, tag="fly"):
    """Move a mission into an adjacent hex, possibly right after its launch (4.4, 4.42)."""

    mission: str
    hex: str


class Hold(CbpsCommand, frozen=True, kw_only=True, tag="hold"):
    """Hold a mission in its hex for this segment (4.431)."""

    mission: str


class Deploy(CbpsCommand, frozen=True, kw_only=True, tag="deploy"):
    """Put a CAP mission on the map (4.34)."""

    mission: str


class Split(CbpsCommand, frozen=True, kw_only=True, tag="split"):
    """Move a fighter from an intercept mission into a second one in the same hex (4.37)."""

    unit: str
    mission: str


# -- searches: 8, 18


class HoldSearch(CbpsCommand, frozen=True, kw_only=True, tag="hold-search"):
    """Hold this turn's Search Segment now (8.22)."""


class SearchOut(CbpsCommand, frozen=True, kw_only=True, tag="search"):
    """Launch a standard search on a bearing, in degrees (8.25)."""

    unit: str
    bearing: int


class SearchNarrow(CbpsCommand, frozen=True, kw_only=True, tag="search-narrow"):
    """Launch a narrow search to a hex 14 hexes away (8.26)."""

    unit: str
    hex: str


class SearchLong(CbpsCommand, frozen=True, kw_only=True, tag="search-long"):
    """Launch a search by a fighter to 12 hexes on a bearing, in degrees (18.21)."""

    unit: str
    bearing: int


class JoinSearch(CbpsCommand, frozen=True, kw_only=True, tag="join-search"):
    """Add a second unit to a search launched in this segment (8.27)."""

    unit: str
    search: str


class Pass(CbpsCommand, frozen=True, kw_only=True, tag="pass"):
    """Let a search that flies along a hexside pass through this hex (8.32)."""

    hex: str


class Attempt(CbpsCommand, frozen=True, kw_only=True, tag="attempt"):
    """Let a search try to find a force (8.331)."""

    search: str
    force: str


class Shadow(CbpsCommand, frozen=True, kw_only=True, tag="shadow"):
    """Shadow the force that a search has found or a submarine has contacted (14.15, 18.1)."""

    name: str


class GoOn(CbpsCommand, frozen=True, kw_only=True, tag="go-on"):
    """Let the search continue without shadowing (18.12)."""


# -- combat: 4.5, 5


class Commit(CbpsCommand, frozen=True, kw_only=True, tag="commit"):
    """Commit an intercept mission, or a CAP mission, to fight in its hex (4.51)."""

    mission: str


class Intercept(CbpsCommand, frozen=True, kw_only=True, tag="intercept"):
    """Let a committed mission fight a raid (4.51)."""

    mission: str
    raid: str


class Divide(CbpsCommand, frozen=True, kw_only=True, tag="divide"):
    """Send this many units against the escorts and all others against the attackers (4.52)."""

    escorts: int


class HoldFire(CbpsCommand, frozen=True, kw_only=True, tag="hold-fire"):
    """Let a battleship hold its fire at an overflying raid (5.721)."""

    ship: str


class Attack(CbpsCommand, frozen=True, kw_only=True, tag="attack"):
    """Let a strike attempt contact with a detected force or lone crippled ship in its hex (5.2)."""

    mission: str
    target: str


class Retry(CbpsCommand, frozen=True, kw_only=True, tag="retry"):
    """Attempt contact a second time for 1 fuel (5.22)."""

    target: str


class Stop(CbpsCommand, frozen=True, kw_only=True, tag="stop"):
    """Decline a second attempt, further submarine contacts or shadowing (5.22, 14.12)."""


class Aim(CbpsCommand, frozen=True, kw_only=True, tag="aim"):
    """Assign the next damage die to a ship (5.61)."""

    ship: str


# -- ships: 6.3, 12.4, 14, 21


class Sail(CbpsCommand, frozen=True, kw_only=True, tag="sail"):
    """Move a task group, or ``tf58``, into an adjacent hex (6.34)."""

    group: str
    hex: str


class Detach(CbpsCommand, frozen=True, kw_only=True, tag="detach"):
    """Take a task group out of TF 58 (6.33)."""

    group: str


class Rejoin(CbpsCommand, frozen=True, kw_only=True, tag="rejoin"):
    """Bring a task group in the hex back under the TF 58 counter (6.33)."""

    group: str


class DetachShip(CbpsCommand, frozen=True, kw_only=True, tag="detach-ship"):
    """Detach a Battle Line ship into a surface group in the same hex (6.15)."""

    ship: str
    group: str


class Escort(CbpsCommand, frozen=True, kw_only=True, tag="escort"):
    """Leave a surface unit with a crippled ship for the rest of the game (12.411)."""

    ship: str
    cripple: str


class Tow(CbpsCommand, frozen=True, kw_only=True, tag="tow"):
    """Move a lone crippled ship into an adjacent hex (12.42)."""

    ship: str
    hex: str


class Hunt(CbpsCommand, frozen=True, kw_only=True, tag="hunt"):
    """Move a submarine into an adjacent hex (14.12)."""

    boat: str
    hex: str


class Contact(CbpsCommand, frozen=True, kw_only=True, tag="contact"):
    """Let a submarine attempt contact with a force or lone crippled ship in its hex (14.13)."""

    boat: str
    target: str


class Torpedo(CbpsCommand, frozen=True, kw_only=True, tag="torpedo"):
    """Let a submarine attack a force that it has contacted or is shadowing (14.16)."""

    boat: str


class BreakOff(CbpsCommand, frozen=True, kw_only=True, tag="break-off"):
    """Let a submarine stop shadowing, or end its activation (14.151)."""

    boat: str


class Accept(CbpsCommand, frozen=True, kw_only=True, tag="accept"):
    """Accept a surface combat (21.12)."""


class Avoid(CbpsCommand, frozen=True, kw_only=True, tag="avoid"):
    """Try to avoid a surface combat (21.12)."""


class FireAt(CbpsCommand, frozen=True, kw_only=True, tag="fire-at"):
    """Assign a target to a firing ship (21.24)."""

    ship: str
    target: str


COMMANDS: Final = leaf_types(CbpsCommand, globals())
"""All kinds of commands."""
COMMAND_UNION: Final[object] = union_of(COMMANDS)
"""The union used to decode commands."""
