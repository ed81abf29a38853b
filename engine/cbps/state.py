"""The whole battle as immutable data: a fold of events.

Nothing in it is hidden: what no die and no chit has decided does not exist (1).
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.cbps.book import Book, book_of
from engine.cbps.frames import Frame
from engine.cbps.ids import (
    Detection,
    Direction,
    JapaneseBox,
    Kind,
    Place,
    RaidKind,
    SearchKind,
    SearchZone,
    Segment,
)
from engine.kernel.machine import GameState
from engine.kernel.structs import written


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Base of the parts of a battle."""


class AirUnit(Part, frozen=True, kw_only=True):
    """One US air unit of twelve aircraft (2.34)."""

    place: Place
    at: str = ""
    """Its carrier, mission or search; empty when it is out of play."""
    came_from: str = ""
    """The mission or search from which it has landed."""
    is_aborted: bool = False
    """Takes no part in the attack of its strike (4.57, 5.51)."""
    has_flown: bool = False
    """Has been launched in this scenario (4.16)."""
    by_day: bool = False
    by_night: bool = False
    """Has operated by day today (22.5), or was launched by night (22.4)."""


class UsShip(Part, frozen=True, kw_only=True):
    """One US ship unit with what its carrier has done in this phase."""

    group: str = ""
    """Task group; empty when it is sunk or alone on the map."""
    hex: str = ""
    """Where it lies alone, crippled (12.41)."""
    hits: int = 0
    fires: tuple[int, ...] = ()
    """Levels of its fires (12.3)."""
    is_inoperative: bool = False
    """Has an Inoperative Flight Deck marker (12.12)."""
    is_crashed: bool = False
    """Has a Deck Crash marker (4.452)."""
    is_sunk: bool = False
    is_hit_now: bool = False
    """Was hit in this phase, so that its deck is not repaired (12.13)."""
    segment_hits: int = 0
    """Hits of this segment, for the one fire roll (12.31)."""
    was_armed: bool = False
    """Had fuelled and armed units aboard when it was hit in this segment."""
    step: int = 0
    """How far its air operations of this phase have gone: 1 launch, 2 raise, 3 service, 4 lower, 5 land (6.23)."""
    launched: int = 0
    landed: int = 0
    lowered: int = 0
    serviced: int = 0
    """Units counted against the limits of this phase (6.22)."""
    has_fired: bool = False
    """Has fired at an overflying raid in this phase (5.721)."""
    night_launches: int = 0
    """Reduces its landings in the first turn of the next day (22.6)."""
    escorts: str = ""
    """The crippled ship with which a surface unit stays (12.411)."""


class Group(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One US task group with its display and counter, known by its number (2.211, 6.1, 6.11).

    Written whole, as are missions and searches: a text equal to its default may be another object.
    """

    hex: str
    is_detached: bool = False
    """Sails on its own, not under the TF 58 counter (6.33)."""
    heading: Direction | None = None
    """Its last move."""
    marker: str = ""
    """``leeward`` or ``station`` (17.0)."""
    is_lit: bool = False
    """Has its lights on (6.43)."""
    operates: str = ""
    """The CVL that operates in this phase in Station Keeping (17.3)."""
    commander: str = written("us")
    """The seat that commands it."""


class Mission(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One US air mission with its display: ``strike-3``, ``intercept-1`` (2.22, 4.1)."""

    kind: Kind
    hex: str = ""
    """Empty while it is in a CAP box."""
    cap: str = ""
    """The group in whose CAP box it is (4.33)."""
    fuel: int = 0
    """Fuel left; at 0 and below the mission is Fuel Critical in box minus this number (4.44)."""
    groups: tuple[str, ...] = ()
    """Groups that gave units (4.22)."""
    parent: str = ""
    """The mission from which it was split (4.37)."""
    attempts: int = 0
    is_flipped: bool = False
    """Has no contact attempt left (5.21)."""
    toward: tuple[str, ...] = ()
    """Targets that this segment's move approaches (4.22)."""
    moved: int = 0
    """Hexes in this segment; 3 once it has ended its move."""
    is_fresh: bool = False
    """Was launched in this phase and may still make its launch move (4.42)."""
    has_fought: bool = False
    """In this segment (4.51)."""
    has_met_aircraft: bool = False
    """On this sortie, so that its attack is not doubled (5.61)."""
    commander: str = written("us")


class Search(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One search in flight (8.2)."""

    kind: SearchKind
    origin: str
    """Wedges and distances are measured from here to the end (8.281)."""
    group: str
    """The group to which it returns."""
    bearing: int = 0
    """Degrees; of standard and long searches."""
    radius: str = ""
    """Hex of the Max Radius marker."""
    hex: str = ""
    moves: int = 0
    """Search Segments flown."""
    is_back: bool = False
    """On its way home."""
    zone: SearchZone = ""
    """The zone that it examines in this segment."""
    zones: tuple[SearchZone, ...] = ()
    """Zones searched on this leg, or left out on it."""
    passed: tuple[str, ...] = ()
    """Hexes entered or passed in this move of a narrow search (8.32)."""
    tried: tuple[str, ...] = ()
    """Forces tried in this segment."""
    shadowing: str = ""
    has_shadowed: bool = False
    """Has made the attempt of 18.11 and flies straight home."""
    commander: str = written("us")


class Boat(Part, frozen=True, kw_only=True):
    """One US submarine (14.1)."""

    hex: str = ""
    """Empty before the set-up and when it is destroyed."""
    shadowing: str = ""
    pin: int = 0
    is_sunk: bool = False


class Hits(Part, frozen=True, kw_only=True):
    """Hits by age (12.21)."""

    current: int = 0
    previous: int = 0
    permanent: int = 0

    @property
    def total(self) -> int:
        """Return hits of any kind."""
        return self.current + self.previous + self.permanent


class Hull(Part, frozen=True, kw_only=True):
    """One Japanese ship unit that has been drawn (2.33, 7.4)."""

    force: str = ""
    """The force to which it belongs, or belonged when it was crippled or sunk; empty once that has left play."""
    hex: str = ""
    """Where it lies alone, crippled (12.41)."""
    hits: Hits = written(Hits())
    fate: str = ""
    """``sunk`` or ``exited``; empty while it is on the map."""
    is_vp_exit: bool = False
    """Left from the invasion zone (15.11)."""


class Force(Part, frozen=True, kw_only=True):
    """One Japanese force by its letter, or a Butai by its number, and what markers tell of it (2.31, 7, 9)."""

    hex: str
    level: int = 0
    """Information level; 0 has no chit, and may be nothing at all (7.31)."""
    chit: str = ""
    """Chit of its level, empty at level 0, the last one kept at level 4; ``surface`` of a level-3 surface force."""
    is_carrier: bool = False
    """Known to be a carrier force: level-1 Carrier, level 2-3 carrier chit, level 4 with a carrier."""
    heading: Direction | None = None
    """Its last move, None if it did not move at its latest activation, and before the first one."""
    has_stayed: bool = False
    """Did not move at its latest activation (14.131); a force that has had none yet has not stayed."""
    entered: tuple[str, ...] = ()
    """Submarines into whose hex it moved at its latest activation (14.131)."""
    detection: Detection = ""
    has_advantage: bool = False
    """Bears a US Advantage marker (8.35)."""
    is_retiring: bool = False
    fuel: str = ""
    """``wants``, ``refuelled`` or ``given-up`` (20.5-20.8)."""
    oiler: str = ""
    """Hex of the oiler to which it goes; with ``queue`` the order of entry."""
    queue: int = 0
    hits: Hits = written(Hits())
    """Hits by submarines before its ships are known (14.162)."""
    raids: int = 0
    """Raids launched so far."""
    returning: Mapping[str, JapaneseBox] = msgspec.field(default_factory=dict)
    """Raids on the return track: slot and box (10.1A)."""
    partner: str = ""
    """The other half of a double force (7.53)."""
    has_acted: bool = False
    """Its chit, or its partner's, was drawn this turn (7.53)."""
    is_butai: bool = False
    """Has an open Butai display (9.11)."""
    is_kido_butai: bool = False
    boxes: Mapping[JapaneseBox, int] = msgspec.field(default_factory=dict)
    """Air points on its display, without aircraft types (2.23, 9.21); empty boxes are left out."""
    free_lost: int = 0
    """Points of LOST that give no VP (23.3)."""
    cap: int | None = None
    """CAP points of this phase, None before they are generated (5.43)."""
    first_carriers: tuple[str, ...] = ()
    """Every carrier that ever belonged to it (12.24, 13.13)."""
    historical: str = ""
    """Which part of the historical fleet it stands for (6H)."""


class Raid(Part, frozen=True, kw_only=True):
    """One Japanese air raid on the map: generic points, naval or land, undivided at launch (10, 10.11, 10.12)."""

    origin: str
    """Force, or ``Guam``, ``Iwo Jima``, ``Yap/Peleliu``; of a scenario's own raid its name."""
    slot: str = ""
    """``a`` or ``b``: the raid box of its force."""
    kind: RaidKind = written("raid")
    is_land: bool = False
    hex: str
    target: str = ""
    """Task group or crippled ship; ``Guam`` for raids that fly there."""
    points: int = 0
    """Before the division; then fighters and attackers together."""
    is_split: bool = False
    fighters: int = 0
    attackers: int = 0
    aborted: int = 0
    """Of the attackers, those that do not attack (5.51, 5.72)."""
    was_intercepted: bool = False
    is_home: bool = False
    """Flies back on the map to Guam (11.28)."""
    line_from: str = ""
    is_taking_off: bool = False
    """US dice against it have +2 in this phase (11.27)."""
    is_new: bool = False
    """Was placed in this phase and first moves in the next (10.231)."""


class Land(Part, frozen=True, kw_only=True):
    """Guam's air base and its display, in effect a carrier that does not move (2.24, 11.12)."""

    air_value: int = 0
    boxes: Mapping[JapaneseBox, int] = msgspec.field(default_factory=dict)
    reinforced: tuple[str, ...] = ()
    """Bases whose chit has left the cup for the day (16.12)."""
    first_day: tuple[str, ...] = ()
    """Bases that sent reinforcements on 19 June (16.12)."""


class Battle(GameState, frozen=True, kw_only=True):
    """Everything on the table and where the game stands: shared by states, positions and views."""

    frames: tuple[Frame, ...] = ()

    scenario: str = ""
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    overlay: str = ""
    """The user's own data as JSON text, empty for the standard data."""
    turn: int = 0
    """Place in the scenario's list of turns, from 0."""
    phase: int = 1
    segment: Segment = ""
    has_searched: bool = False
    """The Search Segment of this turn was held (8.22)."""
    mission_die: int = 0
    """The roll for all mission moves of this Activation Segment (7.221)."""
    wind: Direction = written("W")
    """Where the wind blows (17.0)."""
    units: Mapping[str, AirUnit] = msgspec.field(default_factory=dict)
    ships: Mapping[str, UsShip] = msgspec.field(default_factory=dict)
    groups: Mapping[str, Group] = msgspec.field(default_factory=dict)
    missions: Mapping[str, Mission] = msgspec.field(default_factory=dict)
    searches: Mapping[str, Search] = msgspec.field(default_factory=dict)
    boats: Mapping[str, Boat] = msgspec.field(default_factory=dict)
    forces: Mapping[str, Force] = msgspec.field(default_factory=dict)
    hulls: Mapping[str, Hull] = msgspec.field(default_factory=dict)
    raids: Mapping[str, Raid] = msgspec.field(default_factory=dict)
    guam: Land = written(Land())
    oilers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Oilers by their hex (20.3)."""
    oilers_tried: tuple[str, ...] = ()
    """Hexes of oilers at which a force has tried to refuel in this phase (20.61)."""
    gone_letters: tuple[str, ...] = ()
    """Counters of forces that left the map for good (OP-71)."""
    cup: tuple[str, ...] = ()
    """Activation chits left, sorted: their order does not exist before they are drawn (3.22)."""
    chits_per_phase: int = 0
    level_1_cup: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Level-1 chits that can be drawn (7.35)."""
    set_aside: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Level-1 chits that are out of the cup and under no force."""
    double_chits: tuple[str, ...] = ()
    """Chits set aside for double forces (7.51)."""
    commitment: int = 0
    """The Commitment Index (13.1)."""
    departed_commitment: int = 0
    """Share of forces that have left play (OP-46)."""
    limit_reached: bool = False
    destroyed_naval: int = 0
    """Naval points destroyed that stand in no LOST box any more: their force has left play (10.33)."""
    destroyed: int = 0
    """Japanese points destroyed that stand in no LOST box: reinforcements (16), raids of Scenarios 1 and 3."""
    through: int = 0
    """Points that got through (Scenario 1)."""
    found: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Victory points of Scenario 4 per force, by counter and turn of arrival; false contacts under their own."""


class State(Battle, frozen=True, kw_only=True):
    """A battle with the data that its rules read."""

    book: Book
    """The charts, map, counters and scenarios of this match."""

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to another process without the data, which are there or follow from the overlay."""
        fields = {name: getattr(self, name) for name in Battle.__struct_fields__}
        return _arrived, (fields,)


def _arrived(fields: Mapping[str, Any]) -> State:
    return State(**fields, book=book_of(fields["overlay"]))
