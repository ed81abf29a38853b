"""Events in an offensive (7, 8)."""

from engine.eots.events.base import EotsEvent, RuledEvent
from engine.eots.ids import CardId, HexId, Service, Side, Spot, UnitId
from engine.eots.state import Condition, Moved


class OffensiveBegan(EotsEvent, frozen=True, kw_only=True, tag="offensive-began"):
    """A card started an offensive (7.1)."""

    side: Side
    card: CardId
    event: bool
    ov: int
    lv: int | None
    iv: int | None
    special_iv: int | None
    naval_move: int
    locked: bool
    from_future: bool


class HqChosen(EotsEvent, frozen=True, kw_only=True, tag="hq-chosen"):
    """An HQ was named to activate units (7.21, 7.26)."""

    side: Side
    hq: UnitId
    limit: int


class UnitActivated(EotsEvent, frozen=True, kw_only=True, tag="unit-activated"):
    """A unit was activated (7.21, 7.26)."""

    side: Side
    unit: UnitId
    service: Service | None
    """The service that the side has chosen under rivalry; None without rivalry (14)."""


class UnitMoved(EotsEvent, frozen=True, kw_only=True, tag="unit-moved"):
    """A unit moved; ``entered`` lists the hexes of this leg in order (8)."""

    unit: UnitId
    entered: tuple[str, ...]


class MoveFinished(EotsEvent, frozen=True, kw_only=True, tag="move-finished"):
    """A unit has finished its offensive or reaction move (7.23)."""

    unit: UnitId
    moved: Moved


class ZoiTouched(EotsEvent, frozen=True, kw_only=True, tag="zoi-touched"):
    """An offensive unit was detected in enemy air ZOI, which modifies the intelligence roll by -2 (7.25E)."""

    unit: UnitId
    at: HexId


class AspSpent(EotsEvent, frozen=True, kw_only=True, tag="asp-spent"):
    """Amphibious shipping points were used (8.45A)."""

    side: Side
    points: int


class BargeUsed(EotsEvent, frozen=True, kw_only=True, tag="barge-used"):
    """This offensive's barges were used (8.47)."""


class BattleDeclared(EotsEvent, frozen=True, kw_only=True, tag="battle-declared"):
    """A hex became a battle hex (7.24, 7.27)."""

    at: HexId
    special: bool
    contested_landing: bool


class BattleSwitched(EotsEvent, frozen=True, kw_only=True, tag="battle-switched"):
    """Units in a special reaction hex were switched to the battle there (7.27)."""

    at: HexId


class BattleResolved(EotsEvent, frozen=True, kw_only=True, tag="battle-resolved"):
    """A battle is over."""

    at: HexId


class UnitJoined(EotsEvent, frozen=True, kw_only=True, tag="unit-joined"):
    """A unit was committed to a battle (7.24, 7.26)."""

    unit: UnitId
    at: HexId


class UnitCovers(EotsEvent, frozen=True, kw_only=True, tag="unit-covers"):
    """A unit covers a landing (7.24)."""

    unit: UnitId
    at: HexId


class SpecialReactionTried(EotsEvent, frozen=True, kw_only=True, tag="special-reaction-tried"):
    """The Reaction player rolled for special reaction in this hex, or chose not to (7.27)."""

    at: HexId
    success: bool


class ConditionSet(RuledEvent, frozen=True, kw_only=True, tag="condition-set"):
    """The intelligence condition changed (7.25)."""

    condition: Condition


class IntelligenceRolled(EotsEvent, frozen=True, kw_only=True, tag="intelligence-rolled"):
    """The offensive's only intelligence roll has been made (7.25C)."""

    success: bool


class ReactionPlayed(EotsEvent, frozen=True, kw_only=True, tag="reaction-played"):
    """A reaction card was played and counts against the limit of three (5.32)."""

    card: CardId
    counter: bool
    """True if it is this offensive's counteroffensive."""


class UnitsExpelled(RuledEvent, frozen=True, kw_only=True, tag="units-expelled"):
    """Landed units that lost a battle, or took no part in it, must leave in post-battle movement (8.45)."""

    units: tuple[UnitId, ...]


class RetreatOrdered(RuledEvent, frozen=True, kw_only=True, tag="retreat-ordered"):
    """Ground units lost a battle and must retreat (9.4C, 9.5)."""

    units: tuple[UnitId, ...]
    at: HexId


class UnitsDisplaced(RuledEvent, frozen=True, kw_only=True, tag="units-displaced"):
    """Inactive air and naval units were displaced because their hex changed hands (8.22, 8.32)."""

    units: tuple[UnitId, ...]


class OffensiveCancelled(RuledEvent, frozen=True, kw_only=True, tag="offensive-cancelled"):
    """The offensive was cancelled, and everything was restored to its state before step 1 (5.32D, OP-16)."""


class OffensiveEnded(EotsEvent, frozen=True, kw_only=True, tag="offensive-ended"):
    """The offensive is over (7.28)."""


class LentAspSpent(EotsEvent, frozen=True, kw_only=True, tag="lent-asp-spent"):
    """Temporary amphibious shipping points were used; the turn's own points are unaffected (8.45A, CP-21)."""

    side: Side
    points: int


class ActivationTakenBack(RuledEvent, frozen=True, kw_only=True, tag="activation-taken-back"):
    """A card undid an offensive unit's activation and move (5.32E, CP-08)."""

    unit: UnitId
    at: Spot
    """The place where the unit started and to which it returns."""
    hexes: tuple[HexId, ...]
    """Hexes captured only because the unit passed through. The enemy regains control of them."""
    points: int
    """This turn's shipping points that are refunded."""
    lent: int
    """Temporary shipping points that are refunded."""
    battles: tuple[HexId, ...]
    """Special reaction battle hexes that depended on the unit's landing."""
    touched_zoi: bool
    """True if another unit has also been detected in enemy air ZOI (7.25E)."""


class LossTargetsFixed(RuledEvent, frozen=True, kw_only=True, tag="loss-targets-fixed"):
    """The candidates for a later step loss to a card were recorded (CP-15, CP-29)."""

    units: tuple[UnitId, ...]


class ActivationLost(RuledEvent, frozen=True, kw_only=True, tag="activation-lost"):
    """A reaction unit that cannot take part in any battle lost its activation (7.26)."""

    unit: UnitId
