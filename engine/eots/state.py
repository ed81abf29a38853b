"""The state of a game, which is built only by folding events.

Parts such as ``units`` and ``control`` are replaced as a whole and never changed in place, so caches can compare them
by identity. In a player's copy, :data:`HIDDEN` stands for every card that the player does not know.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Annotated, Final

import msgspec

from engine.eots.frames import Frame
from engine.eots.ids import CHINA_BOX, CardId, HexId, NationId, Service, Side, Spot, UnitId
from engine.kernel import hidden
from engine.kernel.machine import GameState
from engine.kernel.vocabulary import Bounds

HIDDEN: Final = CardId(hidden.HIDDEN)
"""Placeholder for a card whose face is unknown in this copy."""

TURN_TRACK: Final = "turn-track"
DELAY_BOX: Final = "delay-box"
ELIMINATED: Final = "eliminated"
REMOVED: Final = "removed"
EVENT: Final = "event"
"""Place of a unit that is off the map until a card event brings it in."""
OFF_MAP: Final = frozenset({TURN_TRACK, DELAY_BOX, ELIMINATED, REMOVED, EVENT})


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A counter's place and strength."""

    at: Spot
    """A hex, ``china-box``, or one of the off-map places defined in this module."""
    steps: int
    """2 at full strength, 1 for a reduced unit, a one-step unit or an HQ on the map, 0 when not in play."""

    @property
    def is_on_map(self) -> bool:
        """Return whether the counter is in a hex. The China box is not a hex."""
        return self.at not in OFF_MAP and self.at != CHINA_BOX


class Arrival(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One entry on the game turn track (4.11)."""

    turn: int
    steps: int
    delayable: bool
    """False if the unit's arrival may not be delayed (6.13, 6.14, 8.24, 8.33, 8.34, 8.48)."""


class Deck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One side's cards (5.0, 7.29)."""

    hand: tuple[CardId, ...] = ()
    draw: tuple[CardId, ...] = ()
    """Undrawn cards, sorted by number. Each draw picks one of these cards at random."""
    discard: tuple[CardId, ...] = ()
    removed: tuple[CardId, ...] = ()
    future: CardId | None = None
    """The future offensives card, or None (7.29)."""
    future_turn: int = 0
    """Turn in which the future offensives card was placed; 0 means before the game began."""
    placed_turn: int = 0
    """Last turn in which this side placed a future offensives card."""
    passes: Annotated[int, Bounds(0, 4)] = 0
    event_draws: Annotated[int, Bounds(0, 3)] = 0
    """Number of cards drawn through events in this Offensives Phase, from 0 to 3 (5.35)."""
    locked: tuple[CardId, ...] = ()
    """Cards drawn during the current offensive, which may not be used yet (5.35)."""
    reshuffle: bool = False
    """True if the deck and the discards are shuffled together at the end of this turn (5.37)."""


class ChinaFront(IntEnum):
    """Boxes on the Chinese Government Front Status track (13.72)."""

    GOVERNMENT_COLLAPSED = 0
    CHUNGKING_FALLS = 1
    THREAT_TO_CHUNGKING = 2
    MAJOR_BREAKTHROUGH = 3
    UNSTABLE_FRONT = 4
    STABLE_FRONT = 5


class IndiaStatus(IntEnum):
    """Boxes on the India Status track (13.62)."""

    REVOLTS = 0
    UNSTABLE = 1
    STRIKES = 2
    UNREST = 3
    STABLE = 4


Steps = Annotated[int, Bounds(0, 20)]
Segments = Annotated[int, Bounds(1, 12)]


class Tracks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """All tracks and markers except control markers."""

    political_will: Annotated[int, Bounds(0, 10)] = 8
    """From 0 to 10 (16.4)."""
    war_in_europe: Annotated[int, Bounds(-7, 3)] = 0
    """From -7 to +3 (15)."""
    war_in_europe_at_turn_start: Annotated[int, Bounds(-7, 3)] = 0
    """The War in Europe level at the start of the turn, used by 12.52D."""
    china_front: ChinaFront = ChinaFront.STABLE_FRONT
    divisions_in_china: Annotated[int, Bounds(0, 12)] = 12
    """Japanese divisions in China, 0 to 12 (11.23, 13.76)."""
    china_offensive_turn: int = 0
    """Turn of the last China offensive with an operations card, or 0 before the first one (13.72)."""
    india: IndiaStatus = IndiaStatus.STABLE
    north_india_lost: bool = False
    """True if Japan controls all of Northern India. When this ends, the India marker returns to Stable (13.62)."""
    surrendered: tuple[NationId, ...] = ()
    """Nations that have surrendered, in order of surrender. Each nation appears only once (13.1)."""
    recaptured: tuple[NationId, ...] = ()
    all_surrendered_penalty: bool = False
    mandates: Side | None = None
    """The last side to hold both Rabaul and Guadalcanal in a National Status Segment, or None (13.84)."""
    hump: bool = False
    """True if the airlift to China is active (6.23, A-17)."""
    no_transport_route: tuple[HexId, ...] = ()
    """Hexes with a No Transport Route marker (13.77)."""
    kwai_bridge: bool = False
    tokyo_express: HexId | None = None
    allied_asp: Annotated[int, Bounds(0, 20)] = 0
    japan_asp: Annotated[int, Bounds(1, 7)] = 0
    allied_asp_used: Annotated[int, Bounds(0, 24)] = 0
    japan_asp_used: Annotated[int, Bounds(0, 11)] = 0
    allied_asp_after_reinforcement: Annotated[int, Bounds(0, 20)] = 0
    """Number of Allied shipping points after the Reinforcement Segment, which is the quota in 16.47."""
    barges: bool = False
    pt_boats: bool = False
    escorts: int = 0
    """The escort modifier: 0, 2 or 4 (12.22)."""
    escorts_void: bool = False
    """True if A-80 has permanently ended the escort modifier."""
    interceptors: bool = False
    """True if high-altitude interceptors are in effect (12.32, J-71)."""
    us_rivalry: bool = False
    japan_rivalry: bool = False
    tojo_resigned: bool = False
    japan_air_points: Annotated[int, Bounds(0, 999)] = 0
    japan_naval_points: Annotated[int, Bounds(0, 999)] = 0
    allied_delay_turn: Annotated[int, Bounds(0, 13)] = 0
    """Turn in which an event delays Allied reinforcements, or 0 if no event does (10.21, J-80)."""
    bombing_turns: tuple[int, ...] = ()
    """Turns in which strategic bombing succeeded (16.2, 16.43B)."""
    bombed_this_turn: tuple[UnitId, ...] = ()
    """B29s that have bombed this turn, which restricts how they may fight (12.31)."""
    draw_loss: Annotated[int, Bounds(0, 10)] = 0
    """Number of cards that submarines and bombing take from Japan's next draw (12.2, 12.3)."""
    hawaii_held: Mapping[HexId, Segments] = {}
    """For each hex named in 16.42, the number of consecutive Political Will Segments with Japanese units there."""
    aleutians_held: Mapping[HexId, Segments] = {}
    hawaii_penalty_used: bool = False
    alaska_penalty_used: bool = False
    resource_bonus_used: bool = False
    """True if the bonus in 16.43A has been used."""
    casualties_turn: int = 0
    """The last turn in which casualties cost Political Will; 0 if there was none (16.45)."""
    us_force_lost_turn: int = 0
    """Last turn in which an attacking force with a replaceable US division or corps was wiped out, or 0 (16.45)."""
    blockade_turns: Annotated[int, Bounds(0, 3)] = 0
    """Number of consecutive National Status Segments without a supply line to Japan (13.93b)."""
    cities_taken: tuple[HexId, ...] = ()
    """Home island cities whose intrinsic unit has been permanently lost (13.94)."""
    once_occupied: tuple[HexId, ...] = ()
    """Hexes that have already scored their once-only points in this scenario (17.27 K, 17.38 J)."""
    soviet_invasion: bool = False
    defence_doctrine: bool = False
    """True if J-31 is in effect."""
    replacement_loss: Mapping[str, Steps] = {}
    """Number of Allied ground replacement steps that cards remove, by turn.

    The keys are turn numbers as strings (J-15, J-82).
    """

    def has_rivalry(self, side: Side) -> bool:
        """Return whether a side is under inter-service rivalry (14)."""
        return self.japan_rivalry if side is Side.JAPAN else self.us_rivalry


class Pools(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Replacement steps that can still be spent in this segment (11)."""

    allied_ground: Steps = 0
    allied_air: Steps = 0
    us_naval: Steps = 0
    cw_naval: Steps = 0
    china_ground: Steps = 0
    japan_ground: Annotated[int, Bounds(0, 2)] = 0


class Condition(StrEnum):
    """An offensive's intelligence condition (7.25)."""

    SURPRISE = "surprise"
    INTERCEPT = "intercept"
    AMBUSH = "ambush"


class Mode(StrEnum):
    """A unit's movement mode in this offensive. Each unit uses only one mode (8.4)."""

    NAVAL = "naval"
    AIR = "air"
    GROUND = "ground"
    ASP = "asp"
    ORGANIC = "organic"
    BARGE = "barge"
    NAVAL_STRATEGIC = "naval-strategic"
    AIR_STRATEGIC = "air-strategic"
    GROUND_STRATEGIC = "ground-strategic"

    @property
    def is_strategic(self) -> bool:
        """Return whether the move is strategic. If so, the unit has no battle and no post-battle move.

        See 8.23, 8.33 and 8.44.
        """
        return self in {Mode.NAVAL_STRATEGIC, Mode.AIR_STRATEGIC, Mode.GROUND_STRATEGIC}

    @property
    def is_landing(self) -> bool:
        """Return whether the move is an amphibious assault (8.45-8.47)."""
        return self in {Mode.ASP, Mode.ORGANIC, Mode.BARGE}


class Moved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An activated unit's move in the movement step."""

    mode: Mode
    origin: Spot
    """The hex or the China box where the move began."""
    path: tuple[Annotated[HexId, "spot"], ...]
    """Hexes entered, in order, ending with the hex where the move ended."""
    entered_from: Spot
    """The place from which the last hex on the path was entered. Retreats depend on this place (9.5)."""
    ship: UnitId | None = None
    """The ship that carries the brigade by organic transport, or None (8.46)."""
    parentheses: bool = False
    """True if a leg used the extended range printed in parentheses (8.31)."""
    shelled: bool = False
    """True if the ship loses a step to coast guns as the escort of a J-2 landing at Manila or Singapore.

    See 17.11 and OP-25.
    """


class Reaction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What the Reaction player has done in an offensive (7.26)."""

    hq: UnitId | None = None
    limit: int = 0
    """Maximum number of units that may be activated in reaction."""
    activated: tuple[UnitId, ...] = ()
    service: Service | None = None
    """The service chosen under inter-service rivalry, or None (14)."""
    asp_spent: int = 0
    counter_card: CardId | None = None
    events: tuple[CardId, ...] = ()
    """Reaction cards played as events, at most three per offensive (5.32)."""


class BattleHex(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A battle hex, declared (7.24) or created by special reaction (7.27)."""

    special: bool = False
    """True if special reaction created the battle."""
    switched: bool = False
    """True if units that were already in the hex joined the battle, which is then resolved first (7.27)."""
    resolved: bool = False
    contested_landing: bool = False
    """True if a Reaction ground unit or HQ was in the hex before the landing (9.4 R1)."""


class OffensiveSnapshot(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False
):
    """The values to restore if an offensive is cancelled (5.32D, OP-16)."""

    units: Mapping[UnitId, Piece]
    control: Mapping[HexId, Side]
    arrivals: Mapping[UnitId, Arrival]
    tracks: Tracks


class Offensive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Everything recorded about the current offensive (7.0)."""

    side: Side
    card: CardId
    event: bool
    """True if the card was played as an event (EC), False if it was played for operations (OC)."""
    ov: int
    lv: int | None
    """The event's logistics value; None for an OC offensive."""
    iv: int | None
    """Target number for the intelligence roll, or None if the card specifies Surprise Attack."""
    special_iv: int | None
    """Target number for special reaction rolls, or None (7.27)."""
    naval_move: int
    """Naval movement allowance in hexes, set by 8.1 or by an event."""
    from_future: bool = False
    """True if the card was the future offensives card (7.29)."""
    locked: bool = False
    """True if cards may not change the intelligence condition (A-84, J-1, J-2)."""
    before: OffensiveSnapshot
    hq: UnitId | None = None
    limit: int = 0
    activated: tuple[UnitId, ...] = ()
    origins: Mapping[UnitId, Spot] = {}
    """The place where each activated unit of either side was activated."""
    service: Service | None = None
    moved: Mapping[UnitId, Moved] = {}
    """Both sides' completed moves, by unit."""
    touched_zoi: bool = False
    """True if an offensive unit has started in, entered or crossed enemy ZOI (7.25E)."""
    asp_spent: int = 0
    barge_used: bool = False
    condition: Condition = Condition.SURPRISE
    rolled: bool = False
    """True if the intelligence roll has been made."""
    specials_tried: tuple[HexId, ...] = ()
    battles: Mapping[HexId, BattleHex] = {}
    joined: Mapping[UnitId, HexId] = {}
    """For each committed unit of both sides, the battle in which it takes part, from inside or outside the hex."""
    covers: Mapping[UnitId, HexId] = {}
    """For each unit that covers a landing, the hex of the landing (7.24)."""
    expelled: tuple[UnitId, ...] = ()
    """Landed units that must leave in post-battle movement because they lost (8.45C) or did not take part (8.45B)."""
    retreats: Mapping[UnitId, HexId] = {}
    """Ground units that must retreat in step 13, each with the battle hex that it must leave (9.5)."""
    displaced: tuple[UnitId, ...] = ()
    """Inactive air and naval units in hexes that changed hands (8.22, 8.32)."""
    loss_targets: tuple[UnitId, ...] = ()
    """Units that may later lose a step because of the offensive's card (CP-15, CP-29)."""
    fought: Mapping[UnitId, HexId] = {}
    """The battle in which each unit has fought. No unit may take part in two battles (9.1)."""
    reaction: Reaction = Reaction()


class State(GameState, frozen=True, kw_only=True):
    """The complete state of one game."""

    scenario: str = ""
    options: Mapping[str, str] = {}
    """Rulings chosen at set-up (section 5 of the rules index)."""
    turn: int = 0
    """From 1 (December 1941) to 12 (May-August 1945)."""
    last_turn: int = 0
    frames: tuple[Frame, ...] = ()
    """The frames that record the current point in the game, from the outermost to the innermost."""
    units: Mapping[UnitId, Piece] = {}
    arrivals: Mapping[UnitId, Arrival] = {}
    """Arrivals on the game turn track, by unit."""
    control: Mapping[HexId, Side] = {}
    """The side that controls each land hex."""
    control_at_turn_start: Mapping[HexId, Side] = {}
    control_at_start: Mapping[HexId, Side] = {}
    decks: Mapping[Side, Deck] = {}
    tracks: Tracks = Tracks()
    pools: Pools = Pools()
    arrived_hqs: tuple[UnitId, ...] = ()
    """HQs placed in this turn's Reinforcement Segment. Such an HQ supplies only its own hex (10.11, 11.0)."""
    arrived_air: tuple[UnitId, ...] = ()
    """Air-capable units placed in the current segment. Such units do not neutralise ZOI yet (10.11, 11.0)."""
    rebuilt: tuple[UnitId, ...] = ()
    """Units brought back by replacements this turn (12.31)."""
    offensive: Offensive | None = None
    events_played: tuple[CardId, ...] = ()
    """Cards used as events so far, in order of play."""
    taken_back: tuple[CardId, ...] = ()
    """Cards taken back during the current play. They may not be played as events again in this play (CP-04)."""
    beneath: Mapping[Side, tuple[CardId, ...]] = {}
    """The draw pile that a side uses once its current draw pile runs out (5.37, ``tojo-reshuffle``)."""
    shuffled: Mapping[Side, tuple[tuple[CardId, ...], ...]] = {}
    """The draw piles before the reshuffle of an empty deck, then the discards (CP-46).

    Set only within a command, from the reshuffle to the deal that needs it.
    """
    played: Mapping[Side, tuple[CardId, ...]] = {}
    """Cards played but not yet put away, such as the offensive's card. These cards are in no other pile."""


def current_offensive(state: State) -> Offensive:
    """Return the current offensive, which must exist."""
    assert state.offensive is not None
    return state.offensive
