"""The current point in the game: a stack of frames, innermost last, pushed and popped by events (4, 7.2).

A frame identifies the open decision and records the answers so far. Everything else is in the state. Each frame type
has one handler (see :mod:`engine.eots.flow`), defined in the module of its chapter.
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
    """True if the segment's own frames have been pushed. When this frame is on top again, the segment is over."""


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
    """Before the deal, the Allied player decides whether to take a card into the hand (17.11, 17.25D)."""

    card: CardId
    first: bool
    """True if a scenario's starting hands are dealt next, False if hands are dealt under 4.14."""
    dealt: bool = False
    """True if the deal is complete except for one Allied card, which may be the one offered (OPS-9, other reading)."""


class SwapCardFrame(FrameBase, frozen=True, kw_only=True, tag="swap-card"):
    """Japan may discard a card from its first hand and take another (17.25E)."""

    card: CardId


class OpeningFrame(FrameBase, frozen=True, kw_only=True, tag="opening"):
    """The Allies may act after J-2, or before the first Japanese card of turn 2 (17.11, 17.25C, 17.25D)."""

    waiting: tuple[UnitId, ...]
    """Naval units that may still make their free emergency move, sorted by id."""


class InitiativeFrame(FrameBase, frozen=True, kw_only=True, tag="initiative"):
    """The player with fewer cards may seize the first play (4.21)."""

    side: Side


class CardPlayFrame(FrameBase, frozen=True, kw_only=True, tag="card-play"):
    """The Offensives Segment: it is one side's turn to play (4.22)."""

    side: Side
    played: Annotated[int, Bounds(0, 200)] = 0
    """Plays completed in this segment, including passes."""


class ExchangeFrame(FrameBase, frozen=True, kw_only=True, tag="exchange"):
    """The owner of a card may exchange a card in hand for one from the discard pile (CP-33)."""

    side: Side
    card: CardId
    given: CardId | None = None
    """The card given up. The player then takes another from the pile."""


class OffensiveFrame(FrameBase, frozen=True, kw_only=True, tag="offensive"):
    """An offensive has reached a step of 7.2."""

    step: Annotated[int, Bounds(1, 15)]
    """Step 1 to 14; 15 is the conclusion."""
    stage: Annotated[int, Bounds(0, 40)] = 0
    """Number of completed parts of the current step."""


class MovementFrame(FrameBase, frozen=True, kw_only=True, tag="movement"):
    """A side picks the next unit or stack to move, or ends its movement (7.23, 7.26, 9.6)."""

    side: Side
    purpose: Purpose
    halted: tuple[UnitId, ...] = ()
    """Units that have finished moving for this purpose."""


class StackFrame(FrameBase, frozen=True, kw_only=True, tag="stack"):
    """A stack has been picked and is on the move (7.23)."""

    side: Side
    purpose: Purpose
    units: tuple[UnitId, ...]
    """The unit picked first, then those that joined it."""
    mode: str | None = None
    """The mode of its legs so far; None before the first leg."""
    origin: Spot
    """Hex where the move began, or the China box."""
    at: Spot
    path: tuple[Annotated[HexId, "spot"], ...] = ()
    """Hexes entered so far."""
    spent_halves: Annotated[int, Bounds(0, 999)] = 0
    """Movement spent, in halves of a movement point on the ground, a hex at sea or a leg in the air."""
    parentheses: bool = False
    """True if a leg used an extended range printed in parentheses (8.31)."""
    flown: Annotated[int, Bounds(0, 999)] = 0
    """Hexes flown so far in an air leg that has not landed yet (8.31)."""


class DisengagementFrame(FrameBase, frozen=True, kw_only=True, tag="disengagement"):
    """The Reaction player may withdraw ground units from a hex that the Offensive player has just entered (8.43)."""

    hex: HexId
    came_from: HexId
    may_leave: tuple[UnitId, ...]


class DeclarationFrame(FrameBase, frozen=True, kw_only=True, tag="declaration"):
    """A side commits air units and carriers to battles. The Offensive player may also cover landings (7.24, 7.26)."""

    side: Side


class OrderedReactionFrame(FrameBase, frozen=True, kw_only=True, tag="ordered-reaction"):
    """J-2 has ordered an Allied reaction: Force Z and air units outside battle hexes join battles (17.11)."""


class BattlesFrame(FrameBase, frozen=True, kw_only=True, tag="battles"):
    """The Offensive player chooses the next battle to resolve (7.2 step 11)."""


class EmergencyFrame(FrameBase, frozen=True, kw_only=True, tag="emergency"):
    """The owners of displaced air and naval units place them (8.22, 8.32)."""

    waiting: tuple[UnitId, ...]


class StackingFrame(FrameBase, frozen=True, kw_only=True, tag="stacking"):
    """A side removes units in excess of the stacking limits (8.24, 8.34, 8.48)."""

    side: Side


class EvacuationFrame(FrameBase, frozen=True, kw_only=True, tag="evacuation"):
    """India has surrendered, and the Allied units there are being evacuated (13.63)."""

    waiting: tuple[UnitId, ...]


class RetreatFrame(FrameBase, frozen=True, kw_only=True, tag="retreat"):
    """The Offensive player moves retreating Reaction ground units (9.5)."""

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
    """Air-capable targets whose hits have used up a match (9.2F-4)."""
    targets: tuple[UnitId, ...] = ()
    """Opposing units that were subject to losses when the die was rolled, sorted by id."""
    intrinsic: Annotated[int, Bounds(0, 999)] = 0
    """Number of opposing intrinsic one-step units left (13.76, 13.94)."""
    matches: Annotated[int, Bounds(0, 999)] = 0
    """Number of the roller's air-capable units taking part when the die was rolled (9.2F-4)."""
    has_ships: bool = False
    """True if the roller had a naval unit in the battle hex; hits on air-capable units then need no match (9.2F-4)."""
    lost: tuple[UnitId, ...] = ()
    """Units that lost a step to these hits, one entry per step."""
    fallen: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost to these hits."""
    saved: UnitId | None = None
    """The ground unit that keeps the last step (9.2F-5)."""


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
    """Units that lost a step in the current part, one entry per step."""
    lost_before: tuple[UnitId, ...] = ()
    """Units that lost a step in the air-naval combat; set when that part is over."""
    fallen: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost in the current part."""
    fallen_before: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost in the air-naval combat; set when that part is over."""
    rolled: tuple[Side, ...] = ()
    """Sides that have rolled in the current part."""
    hits: tuple[HitsFrame, ...] = ()
    """Hits rolled but not yet assigned, in the order of assignment."""
    critical: tuple[Side, ...] = ()
    excluded: tuple[UnitId, ...] = ()
    """Ground units excluded from the ground combat (8.45B, 9.32)."""
    air_naval_winner: Side | None = None
    ground_fought: bool = False


class EventFrame(FrameBase, frozen=True, kw_only=True, tag="event"):
    """An event's steps are carried out one at a time, because some of them ask a side for a decision (5.3)."""

    card: CardId
    waiting: tuple[Annotated[int, Bounds(0, 20)], ...]
    """Indexes of the remaining steps in the card's list, the current one first."""
    used: Annotated[int, Bounds(0, 4)] = 0
    """Amount used up in the current step, such as replacement steps."""
    hexes: tuple[HexId, ...] = ()
    """Hexes chosen in the current step."""


class LossFrame(FrameBase, frozen=True, kw_only=True, tag="loss"):
    """Units lose steps because of a card; a side chooses them one at a time (5.32B, C3.6)."""

    side: Side
    """The side that chooses."""
    card: CardId
    targets: tuple[UnitId, ...]
    """Units that may lose a step, sorted by id."""
    steps: Annotated[int, Bounds(0, 3)]
    """Number of steps still to be lost. Steps without a target are ignored."""
    spare: bool = False
    """True if a unit may be eliminated only when no other target can lose a step (C3.5-2)."""


class KamikazeFrame(FrameBase, frozen=True, kw_only=True, tag="kamikaze"):
    """Kamikaze cards strike before the battles, one at a time (C3.5)."""

    side: Side
    waiting: tuple[CardId, ...]
    """Cards that have not struck yet, in order of play."""
    used: tuple[HexId, ...] = ()
    """Battles that have already been struck."""


FRAMES: Final = leaf_types(FrameBase, globals())
"""All frame types."""
# Type checkers need a single class here, and msgspec a union of the concrete ones.
if TYPE_CHECKING:
    Frame = FrameBase
else:
    Frame = union_of(FRAMES)  # the union type that msgspec decodes
