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
    """An HQ was chosen to activate units (7.21, 7.26)."""

    side: Side
    hq: UnitId
    limit: int


class UnitActivated(EotsEvent, frozen=True, kw_only=True, tag="unit-activated"):
    """A unit was activated (7.21, 7.26)."""

    side: Side
    unit: UnitId
    service: Service | None
    """The service that the side thereby chose under inter-service rivalry, or None (14)."""


class UnitMoved(EotsEvent, frozen=True, kw_only=True, tag="unit-moved"):
    """A unit moved one leg. ``entered`` lists the hexes entered, in order (8)."""

    unit: UnitId
    entered: tuple[str, ...]


class MoveFinished(EotsEvent, frozen=True, kw_only=True, tag="move-finished"):
    """A unit finished its offensive or reaction move (7.23)."""

    unit: UnitId
    moved: Moved


class ZoiTouched(EotsEvent, frozen=True, kw_only=True, tag="zoi-touched"):
    """An offensive unit was detected in an enemy air ZOI. This modifies the intelligence roll by -2 (7.25E)."""

    unit: UnitId
    at: HexId


class AspSpent(EotsEvent, frozen=True, kw_only=True, tag="asp-spent"):
    """A side used some of the turn's amphibious shipping points (8.45A)."""

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
    """Offensive units switched to the battle in a special reaction hex (7.27)."""

    at: HexId


class BattleResolved(EotsEvent, frozen=True, kw_only=True, tag="battle-resolved"):
    """A battle is over."""

    at: HexId


class UnitJoined(EotsEvent, frozen=True, kw_only=True, tag="unit-joined"):
    """A unit was committed to a battle (7.24, 7.26)."""

    unit: UnitId
    at: HexId


class UnitCovers(EotsEvent, frozen=True, kw_only=True, tag="unit-covers"):
    """A unit was assigned to cover a landing (7.24)."""

    unit: UnitId
    at: HexId


class SpecialReactionTried(EotsEvent, frozen=True, kw_only=True, tag="special-reaction-tried"):
    """The Reaction player rolled for special reaction in a hex, or chose not to roll (7.27)."""

    at: HexId
    success: bool


class ConditionSet(RuledEvent, frozen=True, kw_only=True, tag="condition-set"):
    """The intelligence condition changed (7.25)."""

    condition: Condition


class IntelligenceRolled(EotsEvent, frozen=True, kw_only=True, tag="intelligence-rolled"):
    """The intelligence roll was made. There is only one per offensive (7.25C)."""

    success: bool


class ReactionPlayed(EotsEvent, frozen=True, kw_only=True, tag="reaction-played"):
    """A reaction card was played. It counts towards the limit of three (5.32)."""

    card: CardId
    counter: bool
    """True if the card is this offensive's counteroffensive card."""


class UnitsExpelled(RuledEvent, frozen=True, kw_only=True, tag="units-expelled"):
    """Landed units must leave in post-battle movement because they lost the battle or did not take part (8.45)."""

    units: tuple[UnitId, ...]


class RetreatOrdered(RuledEvent, frozen=True, kw_only=True, tag="retreat-ordered"):
    """Ground units lost a battle and must retreat (9.4C, 9.5)."""

    units: tuple[UnitId, ...]
    at: HexId


class UnitsDisplaced(RuledEvent, frozen=True, kw_only=True, tag="units-displaced"):
    """Air and naval units that are not active must leave their hex, because it changed hands (8.22, 8.32)."""

    units: tuple[UnitId, ...]


class OffensiveCancelled(RuledEvent, frozen=True, kw_only=True, tag="offensive-cancelled"):
    """The offensive was cancelled, and the position before step 1 was restored (5.32D, OP-16)."""


class OffensiveEnded(EotsEvent, frozen=True, kw_only=True, tag="offensive-ended"):
    """The offensive is over (7.28)."""


class LentAspSpent(EotsEvent, frozen=True, kw_only=True, tag="lent-asp-spent"):
    """Temporary amphibious shipping points were used. The turn's own points are not reduced (8.45A, CP-21)."""

    side: Side
    points: int


class ActivationTakenBack(RuledEvent, frozen=True, kw_only=True, tag="activation-taken-back"):
    """A card undid an offensive unit's activation and move (5.32E, CP-08)."""

    unit: UnitId
    at: Spot
    """The place where the unit started. The unit returns to this place."""
    hexes: tuple[HexId, ...]
    """Hexes that only this unit captured on its way. The enemy regains control of them."""
    points: int
    """Number of the turn's shipping points that are refunded."""
    lent: int
    """Number of temporary shipping points that are refunded."""
    battles: tuple[HexId, ...]
    """Special reaction battle hexes that existed only because of the unit's landing."""
    touched_zoi: bool
    """True if another unit was also detected in an enemy air ZOI (7.25E)."""


class LossTargetsFixed(RuledEvent, frozen=True, kw_only=True, tag="loss-targets-fixed"):
    """The units that may later lose a step because of a card were recorded (CP-15, CP-29)."""

    units: tuple[UnitId, ...]


class ActivationLost(RuledEvent, frozen=True, kw_only=True, tag="activation-lost"):
    """A reaction unit that cannot take part in any battle lost its activation (7.26)."""

    unit: UnitId
