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
    """True if the segment's own frames have been pushed.

    The segment is over when this frame is the innermost one again.
    """


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
    """The Allied player decides whether to take a card into the hand before the deal (17.11, 17.25D)."""

    card: CardId
    first: bool
    """True if a scenario's starting hands are dealt next, False if hands are dealt under 4.14."""
    dealt: bool = False
    """True if only one Allied card remains to be dealt. It may be the offered card (OPS-9, alternative reading)."""


class SwapCardFrame(FrameBase, frozen=True, kw_only=True, tag="swap-card"):
    """Japan may discard a card from its first hand and take a given card (17.25E)."""

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
    """The card that the player has given up. None until the player chooses it."""


class OffensiveFrame(FrameBase, frozen=True, kw_only=True, tag="offensive"):
    """An offensive in progress, at one of the steps listed in 7.2."""

    step: Annotated[int, Bounds(1, 15)]
    """1 to 14 for the steps in the rulebook, 15 for the conclusion."""
    stage: Annotated[int, Bounds(0, 40)] = 0
    """Current stage of the step: the number of its parts that are complete."""


class MovementFrame(FrameBase, frozen=True, kw_only=True, tag="movement"):
    """A side picks the next unit or stack to move, or ends its movement (7.23, 7.26, 9.6)."""

    side: Side
    purpose: Purpose
    halted: tuple[UnitId, ...] = ()
    """Units that have finished moving in this movement step."""


class StackFrame(FrameBase, frozen=True, kw_only=True, tag="stack"):
    """A stack has been picked and is on the move (7.23)."""

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
    """Movement spent, in halves: half movement points on the ground, half hexes at sea, half legs in the air."""
    parentheses: bool = False
    """True if a leg used the extended range printed in parentheses (8.31)."""
    flown: Annotated[int, Bounds(0, 999)] = 0
    """Number of hexes flown so far in the current air leg, or 0 after landing (8.31)."""


class DisengagementFrame(FrameBase, frozen=True, kw_only=True, tag="disengagement"):
    """The Reaction player may withdraw ground units from a hex that the Offensive player has just entered (8.43)."""

    hex: HexId
    came_from: HexId
    may_leave: tuple[UnitId, ...]


class DeclarationFrame(FrameBase, frozen=True, kw_only=True, tag="declaration"):
    """A side commits air units and carriers to battles. The Offensive player may also cover landings (7.24, 7.26)."""

    side: Side


class OrderedReactionFrame(FrameBase, frozen=True, kw_only=True, tag="ordered-reaction"):
    """J-2 requires an Allied reaction: Force Z and air units outside battle hexes join battles (17.11)."""


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
    """Air-capable targets that have taken hits. Each of them used up one of the matching units (9.2F-4)."""
    targets: tuple[UnitId, ...] = ()
    """Opposing units that could take losses when the die was rolled, sorted by id."""
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
    """The ground unit that keeps the last step, or None (9.2F-5)."""


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
    """Units that lost steps in the current part of the battle, with one entry per step."""
    lost_before: tuple[UnitId, ...] = ()
    """Units that lost steps in the air-naval combat. Set when the air-naval combat is over."""
    fallen: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost in the current part of the battle."""
    fallen_before: Annotated[int, Bounds(0, 999)] = 0
    """Number of intrinsic units lost in the air-naval combat. Set when the air-naval combat is over."""
    rolled: tuple[Side, ...] = ()
    """Sides that have rolled in the current part of the battle."""
    hits: tuple[HitsFrame, ...] = ()
    """Hits rolled but not yet assigned, in the order of assignment."""
    critical: tuple[Side, ...] = ()
    excluded: tuple[UnitId, ...] = ()
    """Ground units excluded from the ground combat (8.45B, 9.32)."""
    air_naval_winner: Side | None = None
    ground_fought: bool = False


class EventFrame(FrameBase, frozen=True, kw_only=True, tag="event"):
    """A card event that is carried out one step at a time, because some of its steps require a decision (5.3)."""

    card: CardId
    waiting: tuple[Annotated[int, Bounds(0, 20)], ...]
    """Indexes of the remaining steps in the card's list, starting with the current step."""
    used: Annotated[int, Bounds(0, 4)] = 0
    """Amount used so far in the current step of the event, for example a number of replacement steps."""
    hexes: tuple[HexId, ...] = ()
    """Hexes chosen in the current step."""


class LossFrame(FrameBase, frozen=True, kw_only=True, tag="loss"):
    """A card causes step losses. A side chooses the units that lose steps, one at a time (5.32B, C3.6)."""

    side: Side
    """The side that chooses which units lose steps."""
    card: CardId
    targets: tuple[UnitId, ...]
    """Units that may lose a step, sorted by id."""
    steps: Annotated[int, Bounds(0, 3)]
    """Number of steps still to be lost. Once no target is left, the remaining steps are ignored."""
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
