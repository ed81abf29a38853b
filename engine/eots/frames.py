"""Where a game stands: a stack of frames, innermost last, pushed and popped by events (4, 7.2).

A frame says which question is open and what has been answered so far; everything else is in the state. Each
frame type has one
handler (see :mod:`engine.eots.flow`), in the module of its chapter.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from engine.eots.ids import CardId, HexId, Side, Spot, UnitId
from engine.kernel.unions import kinds, union_of
from engine.kernel.words import Within


class Phase(StrEnum):
    """Segments of a turn in their order (4.1-4.5)."""

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
    """Why units move (7.22, 7.26, 9.6)."""

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
    """Base of all frames."""


class TurnFrame(FrameBase, frozen=True, kw_only=True, tag="turn"):
    """The outermost frame: the segment of the turn (4.0)."""

    phase: Phase
    entered: bool = False
    """The segment's own frames have been pushed; when this frame is on top again the segment is over."""


class ReinforcementFrame(FrameBase, frozen=True, kw_only=True, tag="reinforcement"):
    """A side places its reinforcements (4.11, 10)."""

    side: Side
    waiting: tuple[UnitId, ...]
    """Units still to place, in the order of placement lists."""


class ReplacementFrame(FrameBase, frozen=True, kw_only=True, tag="replacement"):
    """A side spends its replacement steps (4.12, 11)."""

    side: Side
    divisions_asked: bool = False
    """Japan has said how many divisions leave China (11.23)."""


class BombingFrame(FrameBase, frozen=True, kw_only=True, tag="bombing"):
    """The Allied player decides for each B29 whether it bombs (12.3)."""

    waiting: tuple[UnitId, ...]
    successes: Annotated[int, Within(0, 999)] = 0


class TakeCardFrame(FrameBase, frozen=True, kw_only=True, omit_defaults=True, tag="take-card"):
    """The Allied player says before the deal whether a card is one of his hand (17.11, 17.25D)."""

    card: CardId
    first: bool
    """The hands of a scenario's first turn are dealt next, not those of 4.14."""
    dealt: bool = False
    """The deal is over but for one Allied card: this one, or any (OPS-9, other reading)."""


class SwapCardFrame(FrameBase, frozen=True, kw_only=True, tag="swap-card"):
    """Japan may discard a card of the first hand and take another (17.25E)."""

    card: CardId


class OpeningFrame(FrameBase, frozen=True, kw_only=True, tag="opening"):
    """What the Allies may do after J-2, or before the first Japanese card of turn 2 (17.11, 17.25C, 17.25D)."""

    waiting: tuple[UnitId, ...]
    """Naval units that may still make their free emergency move, by id."""


class InitiativeFrame(FrameBase, frozen=True, kw_only=True, tag="initiative"):
    """The player with fewer cards may seize the first play (4.21)."""

    side: Side


class CardPlayFrame(FrameBase, frozen=True, kw_only=True, tag="card-play"):
    """The Offensives Segment: one side is to play (4.22)."""

    side: Side
    played: Annotated[int, Within(0, 200)] = 0
    """Plays finished in this segment, passes included."""


class ExchangeFrame(FrameBase, frozen=True, kw_only=True, tag="exchange"):
    """The owner of a card may give a card of the hand for one of the discard pile (CP-33)."""

    side: Side
    card: CardId
    given: CardId | None = None
    """The card that was given; one of the pile is taken next."""


class OffensiveFrame(FrameBase, frozen=True, kw_only=True, tag="offensive"):
    """An offensive stands at a step of 7.2."""

    step: Annotated[int, Within(1, 15)]
    """1 to 14; 15 is the conclusion."""
    stage: Annotated[int, Within(0, 40)] = 0
    """Parts of the step that are finished; each step counts its own."""


class MovementFrame(FrameBase, frozen=True, kw_only=True, tag="movement"):
    """A side picks the next unit or stack to move, or is done (7.23, 7.26, 9.6)."""

    side: Side
    purpose: Purpose
    halted: tuple[UnitId, ...] = ()
    """Units that have finished moving for this purpose."""


class StackFrame(FrameBase, frozen=True, kw_only=True, tag="stack"):
    """A stack has been picked and is moving (7.23)."""

    side: Side
    purpose: Purpose
    units: tuple[UnitId, ...]
    """First the unit that was picked, then those that joined."""
    mode: str | None = None
    """Mode of the leg moves so far; None before the first leg."""
    origin: Spot
    """Hex (or China box) in which the move began."""
    at: Spot
    path: tuple[Annotated[HexId, "spot"], ...] = ()
    """Hexes entered so far."""
    spent_halves: Annotated[int, Within(0, 999)] = 0
    """Movement spent: half movement points on the ground, hexes at sea times two, legs in the air times two."""
    parentheses: bool = False
    """A leg used an extended range printed in parentheses (8.31)."""
    flown: Annotated[int, Within(0, 999)] = 0
    """Hexes flown of an air leg that has not landed yet (8.31)."""


class DisengagementFrame(FrameBase, frozen=True, kw_only=True, tag="disengagement"):
    """The Reaction player may withdraw ground units from a hex just entered (8.43)."""

    hex: HexId
    came_from: HexId
    may_leave: tuple[UnitId, ...]


class DeclarationFrame(FrameBase, frozen=True, kw_only=True, tag="declaration"):
    """A side commits air units and carriers to battles, the Offensive player also to cover landings (7.24, 7.26)."""

    side: Side


class OrderedReactionFrame(FrameBase, frozen=True, kw_only=True, tag="ordered-reaction"):
    """The Allies react as J-2 orders: Force Z and air units outside battle hexes join battles (17.11)."""


class BattlesFrame(FrameBase, frozen=True, kw_only=True, tag="battles"):
    """The Offensive player chooses the next battle to resolve (7.2 step 11)."""


class EmergencyFrame(FrameBase, frozen=True, kw_only=True, tag="emergency"):
    """Displaced air and naval units are placed by their owners (8.22, 8.32)."""

    waiting: tuple[UnitId, ...]


class StackingFrame(FrameBase, frozen=True, kw_only=True, tag="stacking"):
    """A side removes units above the stacking limits (8.24, 8.34, 8.48)."""

    side: Side


class EvacuationFrame(FrameBase, frozen=True, kw_only=True, tag="evacuation"):
    """India has surrendered; Allied units there are moved (13.63)."""

    waiting: tuple[UnitId, ...]


class RetreatFrame(FrameBase, frozen=True, kw_only=True, tag="retreat"):
    """The Offensive player moves retreating Reaction ground units (9.5)."""

    waiting: tuple[UnitId, ...]


class Stage(StrEnum):
    """Parts of one battle in their order (9.0)."""

    AIR_NAVAL = "air-naval"
    SHIFT = "shift"
    GROUND = "ground"
    CONCLUSION = "conclusion"


class HitsFrame(FrameBase, frozen=True, kw_only=True, tag="hits"):
    """A side assigns its hits one step at a time (9.2F, 9.4B)."""

    hex: HexId
    side: Side
    """The side that rolled and assigns."""
    hits: Annotated[int, Within(0, 999)]
    critical: bool = False
    ground: bool = False
    matched: tuple[UnitId, ...] = ()
    """Air-capable targets hit so far that used up a match (9.2F-4)."""
    targets: tuple[UnitId, ...] = ()
    """Opposing units of the loss procedure when the die was rolled, in the order of their ids."""
    intrinsic: Annotated[int, Within(0, 999)] = 0
    """Opposing intrinsic one-step units that still stand (13.76, 13.94)."""
    matches: Annotated[int, Within(0, 999)] = 0
    """Air-capable units of the roller that took part when the die was rolled (9.2F-4)."""
    has_ships: bool = False
    """The roller had a naval unit in the battle hex: air-capable units there need no match (9.2F-4)."""
    lost: tuple[UnitId, ...] = ()
    """Units that lost a step to these hits, one entry per step."""
    fallen: Annotated[int, Within(0, 999)] = 0
    """Intrinsic units lost to these hits."""
    saved: UnitId | None = None
    """Ground unit that keeps the last step (9.2F-5)."""


class BattleFrame(FrameBase, frozen=True, kw_only=True, tag="battle"):
    """One battle is being resolved (9.0)."""

    hex: HexId
    stage: Stage = Stage.AIR_NAVAL
    begun: bool = False
    participants: tuple[UnitId, ...] = ()
    """Units of both sides that entered the battle, in the order of their ids; targets without strength included."""
    places: tuple[Spot, ...] = ()
    """Where each participant stood when the battle began, in the order of the participants."""
    intrinsic: Annotated[int, Within(0, 999)] = 0
    """Intrinsic one-step units of Japan that still stand (13.76, 13.94)."""
    lost: tuple[UnitId, ...] = ()
    """Units that lost a step in the present part, one entry per step."""
    lost_before: tuple[UnitId, ...] = ()
    """Units that lost a step in the air-naval part, once that is over."""
    fallen: Annotated[int, Within(0, 999)] = 0
    """Intrinsic units lost in the present part."""
    fallen_before: Annotated[int, Within(0, 999)] = 0
    """Intrinsic units lost in the air-naval part, once that is over."""
    rolled: tuple[Side, ...] = ()
    """Sides that have rolled in the present part."""
    hits: tuple[HitsFrame, ...] = ()
    """Rolled hits that wait to be assigned, first the ones to assign next."""
    critical: tuple[Side, ...] = ()
    excluded: tuple[UnitId, ...] = ()
    """Ground units barred from the ground part (8.45B, 9.32)."""
    air_naval_winner: Side | None = None
    ground_fought: bool = False


class EventFrame(FrameBase, frozen=True, kw_only=True, tag="event"):
    """The steps of an event are carried out one after the other, since a side may be asked in one of them (5.3)."""

    card: CardId
    waiting: tuple[Annotated[int, Within(0, 20)], ...]
    """Places of the steps still to be carried out in the list of the card, the present one first."""
    used: Annotated[int, Within(0, 4)] = 0
    """What has been used of the present step, such as replacement steps."""
    hexes: tuple[HexId, ...] = ()
    """Hexes named in the present step."""


class LossFrame(FrameBase, frozen=True, kw_only=True, tag="loss"):
    """A card costs units steps; a side chooses them one by one (5.32B, C3.6)."""

    side: Side
    """Who chooses."""
    card: CardId
    targets: tuple[UnitId, ...]
    """Units that may lose a step, in the order of their ids."""
    steps: Annotated[int, Within(0, 3)]
    """Steps still to be lost; what finds no target is not lost."""
    spare: bool = False
    """No unit is eliminated while another target can lose a step (C3.5-2)."""


class KamikazeFrame(FrameBase, frozen=True, kw_only=True, tag="kamikaze"):
    """Kamikaze cards strike before the battles, one after the other (C3.5)."""

    side: Side
    waiting: tuple[CardId, ...]
    """Cards that have not struck yet, in the order of play."""
    used: tuple[HexId, ...] = ()
    """Battles that have had their strike."""


FRAMES: Final = kinds(FrameBase, globals())
"""All frames."""
if TYPE_CHECKING:
    Frame = FrameBase
else:
    Frame = union_of(FRAMES)  # by which msgspec decodes
