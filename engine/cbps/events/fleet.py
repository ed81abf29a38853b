"""Events about US task groups and ships (6, 12.1, 12.3, 17)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import Direction
from engine.kernel.structs import always_encoded


class GroupMoved(CbpsEvent, frozen=True, kw_only=True, tag="group-moved"):
    """A task group entered a hex (6.34)."""

    group: str
    hex: str
    heading: Direction | None = None


class GroupFormed(CbpsEvent, frozen=True, kw_only=True, omit_defaults=False, tag="group-formed"):
    """A surface group was formed from the Battle Line (6.15)."""

    group: str
    hex: str
    commander: str = always_encoded("us")


class GroupDetached(CbpsEvent, frozen=True, kw_only=True, tag="group-detached"):
    """A task group left the TF 58 counter or rejoined it (6.33)."""

    group: str
    is_detached: bool = True


class GroupMarked(CbpsEvent, frozen=True, kw_only=True, tag="group-marked"):
    """A task group was given a Leeward Move or Station Keeping marker, or had its marker removed (17.0)."""

    group: str
    marker: str = ""


class GroupOperates(CbpsEvent, frozen=True, kw_only=True, tag="group-operates"):
    """A CVL operates while its group keeps station (17.3)."""

    group: str
    carrier: str


class LightsSwitched(CbpsEvent, frozen=True, kw_only=True, tag="lights-switched"):
    """A group switched its lights on or off (6.43)."""

    group: str
    is_lit: bool


class ShipDetached(CbpsEvent, frozen=True, kw_only=True, tag="ship-detached"):
    """A US ship moved to another group (6.15) or was left with a crippled ship as its escort (12.411)."""

    ship: str
    group: str = ""
    escorts: str = ""
    hex: str = ""


class ShipHit(CbpsEvent, frozen=True, kw_only=True, tag="ship-hit"):
    """A US ship took hits (12.1, 12.5)."""

    ship: str
    hits: int
    why: str
    """Cause: ``raid``, ``fire``, ``submarine`` or ``gunfire``."""
    is_armed: bool = False
    """True if there were units in the carrier's Ready or Servicing boxes (12.31)."""


class ShipSunk(CbpsEvent, frozen=True, kw_only=True, tag="ship-sunk"):
    """A US ship sank (12.11)."""

    ship: str


class ShipCrippled(CbpsEvent, frozen=True, kw_only=True, tag="ship-crippled"):
    """A crippled US ship was left alone on the map (12.41) or towed (12.42)."""

    ship: str
    hex: str


class DeckInoperative(CbpsEvent, frozen=True, kw_only=True, tag="deck-inoperative"):
    """A flight deck was marked Inoperative or was repaired (12.12, 12.13)."""

    ship: str
    is_inoperative: bool = True


class DeckCrashed(CbpsEvent, frozen=True, kw_only=True, tag="deck-crashed"):
    """A flight deck was given a Deck Crash marker or was cleared (4.452, 4.453)."""

    ship: str
    is_crashed: bool = True


class FiresChanged(CbpsEvent, frozen=True, kw_only=True, tag="fires-changed"):
    """The fires on a US carrier changed in number or level (12.3)."""

    ship: str
    levels: tuple[int, ...] = ()


class ShipsFired(CbpsEvent, frozen=True, kw_only=True, tag="ships-fired"):
    """Battleships fired at an overflying raid (5.721)."""

    ships: tuple[str, ...]
