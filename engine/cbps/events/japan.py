"""Events about Japanese forces, ships and displays (7, 9, 12.2, 13)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import Detection, Direction, ForceId, JapaneseBox


class ForceArrived(CbpsEvent, frozen=True, kw_only=True, tag="force-arrived"):
    """A force arrived on the map (7.1), or the second half of a double force was revealed (7.52)."""

    force: str
    hex: str
    level: int = 0
    chit: str = ""
    partner: ForceId = ""
    historical: str = ""


class ForceMoved(CbpsEvent, frozen=True, kw_only=True, tag="force-moved"):
    """A force moved or stayed in its hex when activated (7.2)."""

    force: ForceId
    hex: str
    heading: Direction | None = None
    """Direction of the move, or None if the force stayed or was relocated (18.3)."""
    why: str = ""
    """Kind of move, such as ``mission``, ``direct``, ``away``, ``hold``, ``contact``, ``retire`` or ``retreat``."""
    entered: tuple[str, ...] = ()
    """The submarines in the hex that the force entered (14.131)."""


class ForceRemoved(CbpsEvent, frozen=True, kw_only=True, tag="force-removed"):
    """A force was removed from play."""

    force: ForceId
    why: str
    """Reason: ``false-contact``, ``limit``, ``exit``, ``retired``, ``sunk``, ``undone`` or ``cripples``."""
    is_gone: bool = False
    """True if the force's counter cannot arrive again (OP-71)."""


class ForceRenamed(CbpsEvent, frozen=True, kw_only=True, tag="force-renamed"):
    """A Butai counter replaced a lettered one, or vice versa (9.11, 9.13)."""

    force: ForceId
    name: str


class LevelChanged(CbpsEvent, frozen=True, kw_only=True, tag="level-changed"):
    """A force's information level changed (7.3)."""

    force: ForceId
    level: int
    chit: str = ""
    is_carrier: bool = False
    is_kido_butai: bool = False


class ChitTaken(CbpsEvent, frozen=True, kw_only=True, tag="chit-taken"):
    """A level-1 chit was drawn from the cup for a force (7.35)."""

    chit: str
    force: ForceId


class ChitsReturned(CbpsEvent, frozen=True, kw_only=True, tag="chits-returned"):
    """Level-1 chits were set aside (7.36), or the chits set aside refilled the empty cup (OP-24)."""

    chits: tuple[str, ...]
    is_to_cup: bool = True


class DoubleFormed(CbpsEvent, frozen=True, kw_only=True, tag="double-formed"):
    """Two forces became a double force, or its halves became single forces again (7.5, 19.4)."""

    force: ForceId
    partner: ForceId = ""
    chits: tuple[str, ...] = ()
    """The chits still set aside for double forces (7.52)."""


class ShipsDrawn(CbpsEvent, frozen=True, kw_only=True, tag="ships-drawn"):
    """Ships of a force were revealed (7.39, 7.42)."""

    force: ForceId
    ships: tuple[str, ...]


class Detected(CbpsEvent, frozen=True, kw_only=True, tag="detected"):
    """A force's detection marker changed (8.1)."""

    force: ForceId
    detection: Detection
    why: str = ""
    """Cause: ``search``, ``strike``, ``combat``, ``submarine`` or ``activation``."""


class AdvantageChanged(CbpsEvent, frozen=True, kw_only=True, tag="advantage-changed"):
    """A force gained or lost its US Advantage marker (8.35)."""

    force: ForceId
    has_advantage: bool = True


class ForceActivated(CbpsEvent, frozen=True, kw_only=True, tag="force-activated"):
    """A force was activated this turn (7.53)."""

    force: ForceId


class ForceRetires(CbpsEvent, frozen=True, kw_only=True, tag="force-retires"):
    """A force began to retire (19.1)."""

    force: ForceId
    why: str


class ForceFuel(CbpsEvent, frozen=True, kw_only=True, tag="force-fuel"):
    """A force's refuelling status changed, or it tried to refuel (20.5, 20.6)."""

    force: ForceId
    fuel: str = ""
    """The new status: ``wants``, ``refuelled`` or ``given-up``."""
    oiler: str = ""
    queue: int = 0
    is_try: bool = False
    """True if the event records an attempt to refuel, successful or not."""
    is_over: bool = False
    """True if the force stops refuelling because the oilers leave (20.8), not because it was found (20.7)."""


class OilersPlaced(CbpsEvent, frozen=True, kw_only=True, tag="oilers-placed"):
    """Oilers A, B and C were placed in these hexes or, if no hexes are given, left the map (20.2, 20.8)."""

    hexes: tuple[str, ...] = ()


class ButaiOpened(CbpsEvent, frozen=True, kw_only=True, tag="butai-opened"):
    """A force was given a Butai display (9.11) or lost it (9.13)."""

    force: ForceId
    is_open: bool = True


class PointsMoved(CbpsEvent, frozen=True, kw_only=True, tag="points-moved"):
    """Japanese air points moved between a force's boxes or Guam's (9.12, 11.29)."""

    owner: ForceId
    """The owner of the boxes: a force or ``Guam``."""
    points: int
    source: JapaneseBox | str = ""
    """Box that the points leave, or empty for newly revealed points."""
    to: JapaneseBox | str = ""
    """Box that the points enter, or empty for points that leave the display."""
    is_free: bool = False
    """True if the points score no VP (23.3)."""


class BoxesShifted(CbpsEvent, frozen=True, kw_only=True, tag="boxes-shifted"):
    """The points in the return and turnaround boxes of a force, or of Guam, moved up (9.12)."""

    owner: ForceId
    is_deck_operable: bool = True
    """True if points in R0 can land (10.33)."""


class CapGenerated(CbpsEvent, frozen=True, kw_only=True, tag="cap-generated"):
    """A force's CAP points for this phase were determined (5.41)."""

    force: ForceId
    points: int


class CapLost(CbpsEvent, frozen=True, kw_only=True, tag="cap-lost"):
    """CAP points were shot down or had no deck on which to land (5.42, 12.29)."""

    force: ForceId
    points: int
    is_deckless: bool = False
    """True if the points were lost because no flight deck was left to land on (12.29)."""


class RaidsCounted(CbpsEvent, frozen=True, kw_only=True, tag="raids-counted"):
    """The number of raids launched by a force changed (OP-22)."""

    force: ForceId
    raids: int


class ForceHit(CbpsEvent, frozen=True, kw_only=True, tag="force-hit"):
    """A submarine hit a force whose ships are not yet known (14.162)."""

    force: ForceId
    hits: int


class ForceHitsVoid(CbpsEvent, frozen=True, kw_only=True, tag="force-hits-void"):
    """A force's hits were transferred to its ships (14.162)."""

    force: ForceId


class HullHit(CbpsEvent, frozen=True, kw_only=True, tag="hull-hit"):
    """A Japanese ship took hits (12.2)."""

    ship: str
    hits: int
    is_permanent: bool = False
    previous: int = 0
    """The number of earlier hits that count as taken in the previous turn (14.162)."""


class HitsAged(CbpsEvent, frozen=True, kw_only=True, tag="hits-aged"):
    """The hits on Japanese ships and forces aged by one turn (12.21)."""

    is_end: bool = False
    """True if the scenario ends, which makes all hits permanent (15.1)."""


class HullSunk(CbpsEvent, frozen=True, kw_only=True, tag="hull-sunk"):
    """A Japanese ship sank (12.27)."""

    ship: str


class HullLeft(CbpsEvent, frozen=True, kw_only=True, tag="hull-left"):
    """A crippled Japanese ship is now alone in a hex (12.41)."""

    ship: str
    hex: str


class HullExited(CbpsEvent, frozen=True, kw_only=True, tag="hull-exited"):
    """A Japanese ship left the map (15.11)."""

    ship: str
    is_vp_exit: bool = False


class CommitmentSet(CbpsEvent, frozen=True, kw_only=True, tag="commitment-set"):
    """The Commitment Index changed (13.12)."""

    index: int
    departed: int = 0
    """The part of the index that comes from forces that have left play (OP-46)."""
    without: ForceId = ""
    """Force that has just left play. Empty if the index changed for another reason."""


class LimitReached(CbpsEvent, frozen=True, kw_only=True, tag="limit-reached"):
    """The Commitment Limit was reached (13.23)."""


class GuamChanged(CbpsEvent, frozen=True, kw_only=True, tag="guam-changed"):
    """Guam's Air Value changed, or a base sent its reinforcements (16.12, 16.2)."""

    air_value: int
    base: str = ""


class ForceFound(CbpsEvent, frozen=True, kw_only=True, tag="force-found"):
    """A force scored points for the level it had reached, in place of its earlier points (Scenario 4)."""

    name: str
    points: int
