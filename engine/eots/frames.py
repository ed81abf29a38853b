"""How far the game has progressed, as a stack of frames (4, 7.2).

Events push and pop frames; the innermost frame is last. A frame states which decision is open and what has been
answered so far. Everything else is in the state. Each type of frame has one handler (see :mod:`engine.eots.flow`), in
the module of its chapter.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from engine.eots.ids import CardId, HexId, Side, Spot, UnitId
from engine.kernel.unions import leaf_types, union_of
from engine.kernel.vocabulary import Bounds


class Phase(StrEnum):
    """Segments of a turn, in order (4.1-4.5)."""

    REINFORCEMENT = "reinforcement"
    REPLACEMENT = "replacement"
    STRATEGIC_WARFARE = "strategic-warfare"
    DEAL = "deal"
    INITIATIVE = "initiative"
    OFFENSIVES = "offensives"
    NATIONAL_STATUS = "national-status"
    POLITICAL_WILL = "political-will"
    ATTRITION = "attrition"
    END_OF_TURN = "end-of-turn"


class Purpose(StrEnum):
    """The purpose of a move (7.22, 7.26, 9.6)."""

    OFFENSIVE = "offensive"
    REACTION = "reaction"
    POST_BATTLE = "post-battle"


class FrameBase(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="frame",
    forbid_unknown_fields=True,
    gc=False,
):
    """Base class for all frames."""


class TurnFrame(FrameBase, frozen=True, kw_only=True, tag="turn"):
    """The outermost frame: the current segment of the turn (4.0)."""

    phase: Phase
    entered: bool = False
    """True if the frames of the segment have been pushed. The segment is over when this frame is on top again."""


class ReinforcementFrame(FrameBase, frozen=True, kw_only=True, tag="reinforcement"):
    """A side places its reinforcements (4.11, 10)."""

    side: Side
    waiting: tuple[UnitId, ...]
    """Units still to be placed, in placement order."""


class ReplacementFrame(FrameBase, frozen=True, kw_only=True, tag="replacement"):
    """A side spends its replacement steps (4.12, 11)."""

    side: Side
    divisions_asked: bool = False
    """True if Japan has decided how many divisions leave China (11.23)."""


class BombingFrame(FrameBase, frozen=True, kw_only=True, tag="bombing"):
    """The Allied player decides whether each B29 bombs (12.3)."""

    waiting: tuple[UnitId, ...]
    successes: Annotated[int, Bounds(0, 999)] = 0


class TakeCardFrame(FrameBase, frozen=True, kw_only=True, omit_defaults=True, tag="take-card"):
    """The Allied player decides whether to take a certain card into the hand that is being dealt (17.11, 17.25D)."""

    card: CardId
    first: bool
    """True if the scenario's starting hands are being dealt, False if the hands of a turn are (4.14)."""
    dealt: bool = False
    """True if all Allied cards but one are dealt. The last may be the offered card (OPS-9, alternative reading)."""


class SwapCardFrame(FrameBase, frozen=True, kw_only=True, tag="swap-card"):
    """Japan may discard a card of its starting hand and take a certain card for it (17.25E)."""

    card: CardId


class OpeningFrame(FrameBase, frozen=True, kw_only=True, tag="opening"):
    """The Allies may act after J-2 or before Japan's first card in turn 2 (17.11, 17.25C, 17.25D)."""

    waiting: tuple[UnitId, ...]
    """Naval units that may still make their free emergency move, sorted by id."""


class InitiativeFrame(FrameBase, frozen=True, kw_only=True, tag="initiative"):
    """The player with fewer cards may seize the first play (4.21)."""

    side: Side


class CardPlayFrame(FrameBase, frozen=True, kw_only=True, tag="card-play"):
    """One side's turn to play a card in the Offensives Segment (4.22)."""

    side: Side
    played: Annotated[int, Bounds(0, 200)] = 0
    """Plays completed in this segment, including passes."""


class ExchangeFrame(FrameBase, frozen=True, kw_only=True, tag="exchange"):
    """A card's owner may exchange a card in hand for one from the discard pile (CP-33)."""

    side: Side
    card: CardId
    given: CardId | None = None
    """The card that the player gives up; None if no card has been chosen yet."""


class OffensiveFrame(FrameBase, frozen=True, kw_only=True, tag="offensive"):
    """An offensive in progress, at one of the steps listed in 7.2."""

    step: Annotated[int, Bounds(1, 15)]
    """1 to 14 for the steps in the rulebook, 15 for the conclusion."""
    stage: Annotated[int, Bounds(0, 40)] = 0
    """How many parts of the step are complete."""


class MovementFrame(FrameBase, frozen=True, kw_only=True, tag="movement"):
    """A side picks the next unit or stack to move, or ends its movement (7.23, 7.26, 9.6)."""

    side: Side
    purpose: Purpose
    halted: tuple[UnitId, ...] = ()
    """Units that have finished moving in this movement step."""


class StackFrame(FrameBase, frozen=True, kw_only=True, tag="stack"):
    """A stack is moving (7.23)."""

    side: Side
    purpose: Purpose
    units: tuple[UnitId, ...]
    """The unit picked first, followed by the units that joined it."""
    mode: str | None = None
    """The mode of the legs so far, or None before the first leg."""
    origin: Spot
    """The hex or the China box where the move began."""
    at: Spot
    path: tuple[Annotated[HexId, "spot"], ...] = ()
    """Hexes entered so far."""
    spent_halves: Annotated[int, Bounds(0, 999)] = 0
    """Movement spent, in half movement points. A hex at sea and a leg of flight each cost two."""
    parentheses: bool = False
    """True if a leg used the extended range printed in parentheses (8.31)."""
    flown: Annotated[int, Bounds(0, 999)] = 0
    """Number of hexes flown in the current leg; 0 between legs (8.31)."""


class DisengagementFrame(FrameBase, frozen=True, kw_only=True, tag="disengagement"):
    """The Reaction player's ground units may disengage from a hex that Offensive units have just entered (8.43)."""

    hex: HexId
    came_from: HexId
    may_leave: tuple[UnitId, ...]


class DeclarationFrame(FrameBase, frozen=True, kw_only=True, tag="declaration"):
    """A side commits air units and carriers to battles. The Offensive player may also cover landings (7.24, 7.26)."""

    side: Side


class OrderedReactionFrame(FrameBase, frozen=True, kw_only=True, tag="ordered-reaction"):
    """The Allies carry out the reaction that J-2 orders: Force Z and certain air units join battles (17.11)."""


class BattlesFrame(FrameBase, frozen=True, kw_only=True, tag="battles"):
    """The Offensive player chooses the next battle to resolve (7.2 step 11)."""


class EmergencyFrame(FrameBase, frozen=True, kw_only=True, tag="emergency"):
    """The owners of displaced air and naval units place them (8.22, 8.32)."""

    waiting: tuple[UnitId, ...]


class StackingFrame(FrameBase, frozen=True, kw_only=True, tag="stacking"):
    """A side removes units that exceed the stacking limits (8.24, 8.34, 8.48)."""

    side: Side


class EvacuationFrame(FrameBase, frozen=True, kw_only=True, tag="evacuation"):
    """India has surrendered, and the Allied units there are being evacuated (13.63)."""

    waiting: tuple[UnitId, ...]


class RetreatFrame(FrameBase, frozen=True, kw_only=True, tag="retreat"):
    """The Offensive player chooses where Reaction ground units retreat (9.5)."""

    waiting: tuple[UnitId, ...]


class Stage(StrEnum):
    """The parts of a battle, in order (9.0)."""

    AIR_NAVAL = "air-naval"
    SHIFT = "shift"
    GROUND = "ground"
    CONCLUSION = "conclusion"


class HitsFrame(FrameBase, frozen=True, kw_only=True, tag="hits"):
    """A side assigns its hits one step at a time (9.2F, 9.4B)."""

    hex: HexId
    side: Side
    """The side that rolled and now assigns the hits."""
    hits: Annotated[int, Bounds(0, 999)]
    critical: bool = False
    ground: bool = False
    matched: tuple[UnitId, ...] = ()
    """Air-capable targets that have taken hits. Each of them used up one of the matching units (9.2F-4)."""
    targets: tuple[UnitId, ...] = ()
    """Opposing units that the hits can strike, sorted by id. Recorded when the die was rolled."""
    intrinsic: Annotated[int, Bounds(0, 999)] = 0
    """Number of opposing intrinsic one-step units left (13.76, 13.94)."""
    matches: Annotated[int, Bounds(0, 999)] = 0
    """Number of the rolling side's air-capable units that took part when the die was rolled (9.2F-4)."""
    has_ships: bool = False
    """True if the side that rolled had a naval unit in the battle hex.

    If so, air-capable targets need no match (9.2F-4).
    """
    lost: tuple[UnitId, ...] = ()
    """Units that lost steps to these hits, with one entry per step."""
    fallen: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost to these hits."""
    saved: UnitId | None = None
    """The ground unit that keeps the last step; None if none has been named (9.2F-5)."""


class BattleFrame(FrameBase, frozen=True, kw_only=True, tag="battle"):
    """One battle in progress (9.0)."""

    hex: HexId
    stage: Stage = Stage.AIR_NAVAL
    begun: bool = False
    participants: tuple[UnitId, ...] = ()
    """Both sides' units in the battle, sorted by id, including targets without strength."""
    places: tuple[Spot, ...] = ()
    """Each participant's place when the battle began, in the same order as the participants."""
    intrinsic: Annotated[int, Bounds(0, 999)] = 0
    """Number of Japan's intrinsic one-step units left (13.76, 13.94)."""
    lost: tuple[UnitId, ...] = ()
    """Units that lost steps in the current combat, one entry per step."""
    lost_before: tuple[UnitId, ...] = ()
    """Units that lost steps in the air-naval combat. Empty until it is over."""
    fallen: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost in the current combat."""
    fallen_before: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost in the air-naval combat. 0 until it is over."""
    rolled: tuple[Side, ...] = ()
    """Sides that have rolled in the current combat."""
    hits: tuple[HitsFrame, ...] = ()
    """Hits rolled but not yet assigned, in the order of assignment."""
    critical: tuple[Side, ...] = ()
    excluded: tuple[UnitId, ...] = ()
    """Ground units that do not fight in the ground combat (8.45B, 9.32)."""
    air_naval_winner: Side | None = None
    ground_fought: bool = False


class EventFrame(FrameBase, frozen=True, kw_only=True, tag="event"):
    """A card event that is carried out one step at a time, because some of its steps require a decision (5.3)."""

    card: CardId
    waiting: tuple[Annotated[int, Bounds(0, 20)], ...]
    """Indexes into the card's list of steps: the current step, then the steps that follow."""
    used: Annotated[int, Bounds(0, 4)] = 0
    """Amount used so far in the current step of the event, for example a number of replacement steps."""
    hexes: tuple[HexId, ...] = ()
    """Hexes chosen in the current step."""


class LossFrame(FrameBase, frozen=True, kw_only=True, tag="loss"):
    """Units lose steps to a card. A side chooses the units, one step at a time (5.32B, C3.6)."""

    side: Side
    """The side that chooses which units lose steps."""
    card: CardId
    targets: tuple[UnitId, ...]
    """Units that may lose a step, sorted by id."""
    steps: Annotated[int, Bounds(0, 3)]
    """Number of steps still to be lost. Steps for which there is no target are ignored."""
    spare: bool = False
    """True if a unit may be eliminated only when no other target can lose a step (C3.5-2)."""


class KamikazeFrame(FrameBase, frozen=True, kw_only=True, tag="kamikaze"):
    """Kamikaze cards strike before the battles, one at a time (C3.5)."""

    side: Side
    waiting: tuple[CardId, ...]
    """Cards that have not struck yet, in order of play."""
    used: tuple[HexId, ...] = ()
    """Battle hexes that have already been struck."""


FRAMES: Final = leaf_types(FrameBase, globals())
"""All frame types."""
# Type checkers need a single class here, but msgspec needs a union of the concrete classes.
if TYPE_CHECKING:
    Frame = FrameBase
else:
    Frame = union_of(FRAMES)  # the union type that msgspec decodes
