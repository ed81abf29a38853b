"""The state of a game of Empire of the Sun: what a fold of events builds and nothing else writes.

Parts are replaced whole, so that the identity of a part (``units``, ``control``) is a sound key for remembered
searches.
A seat's copy holds :data:`HIDDEN` in place of every card that the seat does not know.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Annotated, Final

import msgspec

from engine.eots.frames import Frame
from engine.eots.ids import CHINA_BOX, CardId, HexId, NationId, Service, Side, Spot, UnitId
from engine.kernel import hidden
from engine.kernel.machine import GameState
from engine.kernel.words import Within

HIDDEN: Final = CardId(hidden.HIDDEN)
"""Stands for a card whose face is not known here."""

TURN_TRACK: Final = "turn-track"
DELAY_BOX: Final = "delay-box"
ELIMINATED: Final = "eliminated"
REMOVED: Final = "removed"
EVENT: Final = "event"
"""Waiting for the card that brings it in."""
OFF_MAP: Final = frozenset({TURN_TRACK, DELAY_BOX, ELIMINATED, REMOVED, EVENT})


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Where a counter is and how strong it is."""

    at: Spot
    """A hex, ``china-box``, or one of the off-map places of this module."""
    steps: int
    """2 full, 1 reduced or one-sided, 0 not in play; an HQ on the map has 1."""

    @property
    def is_on_map(self) -> bool:
        """Return whether the counter stands in a hex (the China box is not a hex)."""
        return self.at not in OFF_MAP and self.at != CHINA_BOX


class Arrival(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An entry on the game turn track (4.11)."""

    turn: int
    steps: int
    delayable: bool
    """False for units that no rule may delay (6.13, 6.14, 8.24, 8.33, 8.34, 8.48)."""


class Deck(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The cards of one side (5.0, 7.29)."""

    hand: tuple[CardId, ...] = ()
    draw: tuple[CardId, ...] = ()
    """Undrawn cards, sorted by number: chance picks one of them at the moment of a draw."""
    discard: tuple[CardId, ...] = ()
    removed: tuple[CardId, ...] = ()
    future: CardId | None = None
    """The future offensives card (7.29)."""
    future_turn: int = 0
    """Turn in which it was placed; 0 = before the game."""
    placed_turn: int = 0
    """Last turn in which this side placed a future offensives card."""
    passes: Annotated[int, Within(0, 4)] = 0
    event_draws: Annotated[int, Within(0, 3)] = 0
    """Cards drawn by events in this Offensives Phase, 0 to 3 (5.35)."""
    locked: tuple[CardId, ...] = ()
    """Drawn during the offensive under way; not yet usable (5.35)."""
    reshuffle: bool = False
    """Deck and discards are shuffled at the end of this turn (5.37)."""


class ChinaFront(IntEnum):
    """Boxes of the Chinese Government Front Status track (13.72)."""

    GOVERNMENT_COLLAPSED = 0
    CHUNGKING_FALLS = 1
    THREAT_TO_CHUNGKING = 2
    MAJOR_BREAKTHROUGH = 3
    UNSTABLE_FRONT = 4
    STABLE_FRONT = 5


class India(IntEnum):
    """Boxes of the India Status track (13.62)."""

    REVOLTS = 0
    UNSTABLE = 1
    STRIKES = 2
    UNREST = 3
    STABLE = 4


Steps = Annotated[int, Within(0, 20)]
Segments = Annotated[int, Within(1, 12)]


class Tracks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Every marker that is not a unit, a card or a control marker."""

    political_will: Annotated[int, Within(0, 10)] = 8
    """0 to 10 (16.4)."""
    war_in_europe: Annotated[int, Within(-7, 3)] = 0
    """-7 to +3 (15)."""
    war_in_europe_at_turn_start: Annotated[int, Within(-7, 3)] = 0
    """Decides 12.52D."""
    china_front: ChinaFront = ChinaFront.STABLE_FRONT
    divisions_in_china: Annotated[int, Within(0, 12)] = 12
    """0 to 12 (11.23, 13.76)."""
    china_offensive_turn: int = 0
    """Turn of the last China OC offensive, 0 = none (13.72)."""
    india: India = India.STABLE
    north_india_lost: bool = False
    """Japan has controlled all of Northern India since the marker last stood in Stable (13.62)."""
    surrendered: tuple[NationId, ...] = ()
    """Nations that have surrendered, in order; each only once (13.1)."""
    recaptured: tuple[NationId, ...] = ()
    all_surrendered_penalty: bool = False
    mandates: Side | None = None
    """The side that last held Rabaul and Guadalcanal in a National Status Segment (13.84)."""
    hump: bool = False
    """The airlift is active (6.23, A-17)."""
    no_transport_route: tuple[HexId, ...] = ()
    """Hexes with a No Transport Route marker (13.77)."""
    kwai_bridge: bool = False
    tokyo_express: HexId | None = None
    allied_asp: Annotated[int, Within(0, 20)] = 0
    japan_asp: Annotated[int, Within(1, 7)] = 0
    allied_asp_used: Annotated[int, Within(0, 24)] = 0
    japan_asp_used: Annotated[int, Within(0, 11)] = 0
    allied_asp_after_reinforcement: Annotated[int, Within(0, 20)] = 0
    """Sets the quota of 16.47."""
    barges: bool = False
    pt_boats: bool = False
    escorts: int = 0
    """0, 2 or 4 (12.22)."""
    escorts_void: bool = False
    """A-80 ended the escort modifier for good."""
    interceptors: bool = False
    """High-altitude interceptors in force (12.32, J-71)."""
    us_rivalry: bool = False
    japan_rivalry: bool = False
    tojo_resigned: bool = False
    japan_air_points: Annotated[int, Within(0, 99)] = 0
    japan_naval_points: Annotated[int, Within(0, 99)] = 0
    allied_delay_turn: Annotated[int, Within(0, 13)] = 0
    """Turn whose Allied reinforcements an event delays, 0 = none (10.21, J-80)."""
    bombing_turns: tuple[int, ...] = ()
    """Turns with a successful strategic bombing (16.2, 16.43B)."""
    bombed_this_turn: tuple[UnitId, ...] = ()
    """B29s that bombed this turn and therefore do not fight (12.31)."""
    draw_loss: Annotated[int, Within(0, 10)] = 0
    """Cards that submarines and bombing take from the Japanese draw of this turn (12.2, 12.3)."""
    hawaii_held: Mapping[HexId, Segments] = {}
    """Political Will Segments in a row with Japanese units, per hex of 16.42."""
    aleutians_held: Mapping[HexId, Segments] = {}
    hawaii_penalty_used: bool = False
    alaska_penalty_used: bool = False
    resource_bonus_used: bool = False
    """16.43A."""
    casualties_turn: int = 0
    """Turn in which 16.45 last cost Political Will."""
    us_force_lost_turn: int = 0
    """Last turn in which an attacking force with a replaceable US division or corps was wiped out (16.45)."""
    blockade_turns: Annotated[int, Within(0, 3)] = 0
    """National Status Segments in a row without a line home (13.93b)."""
    cities_taken: tuple[HexId, ...] = ()
    """Home island cities whose intrinsic unit is gone for good (13.94)."""
    once_occupied: tuple[HexId, ...] = ()
    """Hexes of the scenario's scored-once list that have been scored (17.27 K, 17.38 J)."""
    soviet_invasion: bool = False
    defence_doctrine: bool = False
    """J-31 in force."""
    replacement_loss: Mapping[str, Steps] = {}
    """Allied ground steps lost in a turn, keyed by the turn number as text (J-15, J-82)."""

    def has_rivalry(self, side: Side) -> bool:
        """Return whether a side is under inter-service rivalry (14)."""
        return self.japan_rivalry if side is Side.JAPAN else self.us_rivalry


class Pools(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Replacement steps still to spend in this segment (11)."""

    allied_ground: Steps = 0
    allied_air: Steps = 0
    us_naval: Steps = 0
    cw_naval: Steps = 0
    china_ground: Steps = 0
    japan_ground: Annotated[int, Within(0, 2)] = 0


class Condition(StrEnum):
    """The intelligence condition of an offensive (7.25)."""

    SURPRISE = "surprise"
    INTERCEPT = "intercept"
    AMBUSH = "ambush"


class Mode(StrEnum):
    """How a unit moved in this offensive; one mode per unit (8.4)."""

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
        """Return whether the move bars battle and post-battle movement (8.23, 8.33, 8.44)."""
        return self in {Mode.NAVAL_STRATEGIC, Mode.AIR_STRATEGIC, Mode.GROUND_STRATEGIC}

    @property
    def is_landing(self) -> bool:
        """Return whether the move is an amphibious assault (8.45-8.47)."""
        return self in {Mode.ASP, Mode.ORGANIC, Mode.BARGE}


class Moved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What an activated unit did in the movement step."""

    mode: Mode
    origin: Spot
    """Hex (or China box) in which the move began."""
    path: tuple[Annotated[HexId, "spot"], ...]
    """Hexes entered, in order; the last is where the move ended."""
    entered_from: Spot
    """The hex next to the last one on its path, for retreats (9.5)."""
    ship: UnitId | None = None
    """Ship that carries a brigade by organic transport (8.46)."""
    parentheses: bool = False
    """A leg used an extended range printed in parentheses (8.31)."""
    shelled: bool = False
    """The ship escorted a landing of J-2 at Manila or Singapore; coast guns cost it a step (17.11, OP-25)."""


class Reaction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The Reaction player's side of an offensive (7.26)."""

    hq: UnitId | None = None
    limit: int = 0
    """Units that may be activated."""
    activated: tuple[UnitId, ...] = ()
    service: Service | None = None
    """Service chosen under rivalry (14)."""
    asp_spent: int = 0
    counter_card: CardId | None = None
    events: tuple[CardId, ...] = ()
    """Reaction cards played as events, at most three (5.32)."""


class BattleHex(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A declared or created battle hex (7.24, 7.27)."""

    special: bool = False
    """Created by special reaction."""
    switched: bool = False
    """Units standing in it were pulled into it; it is resolved first (7.27)."""
    resolved: bool = False
    contested_landing: bool = False
    """A Reaction ground unit or HQ was here before the landing (9.4 R1)."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What a cancelled offensive returns to (5.32D, OP-16)."""

    units: Mapping[UnitId, Piece]
    control: Mapping[HexId, Side]
    arrivals: Mapping[UnitId, Arrival]
    tracks: Tracks


class Offensive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The record of the offensive under way (7.0)."""

    side: Side
    card: CardId
    event: bool
    """True for an EC, False for an OC offensive."""
    ov: int
    lv: int | None
    """Logistics value of an EC; None for an OC."""
    iv: int | None
    """Target of the intelligence roll; None when the card specifies Surprise Attack."""
    special_iv: int | None
    """Target of special reaction rolls (7.27)."""
    naval_move: int
    """Naval allowance in hexes (8.1, or by event)."""
    from_future: bool = False
    """The card was the future offensives card (7.29)."""
    locked: bool = False
    """No card may change the condition (A-84, J-1, J-2)."""
    before: Snapshot
    hq: UnitId | None = None
    limit: int = 0
    activated: tuple[UnitId, ...] = ()
    origins: Mapping[UnitId, Spot] = {}
    """Where each activated unit of either side stood when it was activated."""
    service: Service | None = None
    moved: Mapping[UnitId, Moved] = {}
    """Finished moves of both sides, by unit."""
    touched_zoi: bool = False
    """An offensive unit entered, crossed or left enemy ZOI (7.25E)."""
    asp_spent: int = 0
    barge_used: bool = False
    condition: Condition = Condition.SURPRISE
    rolled: bool = False
    """The intelligence roll has been made."""
    specials_tried: tuple[HexId, ...] = ()
    battles: Mapping[HexId, BattleHex] = {}
    joined: Mapping[UnitId, HexId] = {}
    """Battle that a unit outside (or inside) a battle hex takes part in, both sides."""
    covers: Mapping[UnitId, HexId] = {}
    """Landing hex that a carrier or air unit covers (7.24)."""
    expelled: tuple[UnitId, ...] = ()
    """Landed units that lost and must leave in post-battle movement (8.45C), or took no part (8.45B)."""
    retreats: Mapping[UnitId, HexId] = {}
    """Ground units that must retreat in step 13, with the battle hex they leave (9.5)."""
    displaced: tuple[UnitId, ...] = ()
    """Inactive air and naval units whose hex changed hands (8.22, 8.32)."""
    loss_targets: tuple[UnitId, ...] = ()
    """Units of which the card of the offensive costs one a step later on (CP-15, CP-29)."""
    fought: Mapping[UnitId, HexId] = {}
    """Battle in which a unit has taken part; no unit takes part in two (9.1)."""
    reaction: Reaction = Reaction()


class State(GameState, frozen=True, kw_only=True):
    """Everything about one game."""

    scenario: str = ""
    options: Mapping[str, str] = {}
    """Rulings chosen at set-up (index section 5)."""
    turn: int = 0
    """1 December 1941 to 12 May-August 1945."""
    last_turn: int = 0
    frames: tuple[Frame, ...] = ()
    """Where the game stands; the last frame is the innermost."""
    units: Mapping[UnitId, Piece] = {}
    arrivals: Mapping[UnitId, Arrival] = {}
    """Units on the game turn track, with the turn in which they are due."""
    control: Mapping[HexId, Side] = {}
    """Controller of every land hex."""
    control_at_turn_start: Mapping[HexId, Side] = {}
    control_at_start: Mapping[HexId, Side] = {}
    decks: Mapping[Side, Deck] = {}
    tracks: Tracks = Tracks()
    pools: Pools = Pools()
    arrived_hqs: tuple[UnitId, ...] = ()
    """HQs placed in this turn's Reinforcement Segment; they serve only their own hex (10.11, 11.0)."""
    arrived_air: tuple[UnitId, ...] = ()
    """Air-capable units placed in the segment under way; they neutralise nothing yet (10.11, 11.0)."""
    rebuilt: tuple[UnitId, ...] = ()
    """Units returned by replacements this turn (12.31)."""
    offensive: Offensive | None = None
    events_played: tuple[CardId, ...] = ()
    """Cards used as events so far, in order."""
    taken_back: tuple[CardId, ...] = ()
    """Cards taken back in the play under way; they are not offered as events again in it (CP-04)."""
    beneath: Mapping[Side, tuple[CardId, ...]] = {}
    """Draw piles that follow when the undrawn cards of a side are gone (5.37, ``tojo-reshuffle``)."""
    shuffled: Mapping[Side, tuple[tuple[CardId, ...], ...]] = {}
    """Within a command, from a reshuffle of an empty deck to the deal that needs it: the draw piles before it, then the
    discards (CP-46)."""
    played: Mapping[Side, tuple[CardId, ...]] = {}
    """Cards that are shown and not put away yet, such as the one of the offensive; other places hold none of them."""


def current(state: State) -> Offensive:
    """Return the offensive under way; asking without one is a mistake of ours."""
    assert state.offensive is not None
    return state.offensive
