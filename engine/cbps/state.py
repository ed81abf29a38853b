"""The whole battle as immutable data, built by folding events.

Nothing in the state is hidden. A fact that no die or chit has determined does not exist yet (1).
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from typing_extensions import override

from engine.cbps.frames import Frame
from engine.cbps.game_data import GameData, load_game_data
from engine.cbps.ids import (
    Detection,
    Direction,
    ForceId,
    JapaneseBox,
    Kind,
    Place,
    RaidKind,
    SearchKind,
    SearchZone,
    Segment,
)
from engine.kernel.machine import GameState
from engine.kernel.structs import always_encoded, shared_fields


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Base class of the state's components."""


class AirUnit(Part, frozen=True, kw_only=True):
    """One US air unit of twelve aircraft (2.34)."""

    place: Place
    at: str = ""
    """The unit's carrier, mission or search. Empty when the unit is out of play."""
    came_from: str = ""
    """Mission or search from which the unit landed. Empty if it has not landed since its launch."""
    is_aborted: bool = False
    """True if the unit does not take part in its strike's attack (4.57, 5.51)."""
    has_flown: bool = False
    """True if the unit has been launched in this scenario (4.16)."""
    by_day: bool = False
    by_night: bool = False
    """True if the unit was launched at night (22.4). ``by_day`` is true if it has flown by day today (22.5)."""


class UsShip(Part, frozen=True, kw_only=True):
    """One US ship unit and, for a carrier, its air operations in this phase."""

    group: str = ""
    """The ship's task group. Empty when the ship is sunk or alone on the map."""
    hex: str = ""
    """Hex of a lone crippled ship or of its escort (12.41, 12.411). Empty otherwise."""
    hits: int = 0
    fires: tuple[int, ...] = ()
    """The level of each fire aboard (12.3)."""
    is_inoperative: bool = False
    """True if the ship has an Inoperative Flight Deck marker (12.12)."""
    is_crashed: bool = False
    """True if the ship has a Deck Crash marker (4.452)."""
    is_sunk: bool = False
    is_hit_now: bool = False
    """True if the ship was hit in this phase, which prevents repairs to its flight deck (12.13)."""
    segment_hits: int = 0
    """Number of hits taken in this segment, which share one fire roll (12.31)."""
    was_armed: bool = False
    """True if the ship had fuelled and armed units aboard when it was hit in this segment."""
    step: int = 0
    """The carrier's last air operations step in this phase: 1 launch, 2 raise, 3 service, 4 lower, 5 land (6.23)."""
    launched: int = 0
    landed: int = 0
    lowered: int = 0
    serviced: int = 0
    """Numbers of units launched, landed, lowered and serviced in this phase, which count against its limits (6.22)."""
    has_fired: bool = False
    """True if the ship has fired at an overflying raid in this phase (5.721)."""
    night_launches: int = 0
    """Number of units launched at night, which lowers the landing limit in the next day's first turn (22.6)."""
    escorts: str = ""
    """The crippled ship that this surface unit stays with (12.411). Empty if the unit does not escort a ship."""


class Group(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One US task group with its display and counter, identified by its number (2.211, 6.1, 6.11).

    All fields are written, as for missions and searches. Otherwise ``omit_defaults`` might not recognise a string that
    equals the default but is a different object.
    """

    hex: str
    is_detached: bool = False
    """True if the group moves on its own, not under the TF 58 counter (6.33)."""
    heading: Direction | None = None
    """Direction of the group's last move, or None if the group has not moved."""
    marker: str = ""
    """The wind marker: ``leeward``, ``station`` or empty (17.0)."""
    is_lit: bool = False
    """True if the group has its lights on (6.43)."""
    operates: str = ""
    """The CVL that operates in this phase while the group keeps station (17.3). Empty until one operates."""
    commander: str = always_encoded("us")
    """The seat that commands this group."""


class Mission(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One US air mission with its display, such as ``strike-3`` or ``intercept-1`` (2.22, 4.1)."""

    kind: Kind
    hex: str = ""
    """Hex of the mission. Empty while it is in a CAP box."""
    cap: str = ""
    """The group whose CAP box contains the mission (4.33). Empty if the mission is on the map."""
    fuel: int = 0
    """Fuel left. At 0 or below, the mission is Fuel Critical and the box number is this value negated (4.44)."""
    groups: tuple[str, ...] = ()
    """The groups that contributed units (4.22)."""
    parent: str = ""
    """The mission from which this one was split, if it is still in play (4.37). Empty otherwise."""
    attempts: int = 0
    is_flipped: bool = False
    """True if the mission has no contact attempts left (5.21)."""
    toward: tuple[ForceId, ...] = ()
    """The possible targets that this segment's move approaches (4.22)."""
    moved: int = 0
    """Number of hexes moved in this segment, or 3 once the mission has finished moving."""
    is_fresh: bool = False
    """True if the mission was launched in this phase and may still make its launch move (4.42)."""
    has_fought: bool = False
    """True if the mission has fought in this segment (4.51)."""
    has_met_aircraft: bool = False
    """True if the mission has fought aircraft on this sortie, so that its attack is not doubled (5.61)."""
    commander: str = always_encoded("us")


class Search(Part, frozen=True, kw_only=True, omit_defaults=False):
    """One search in flight (8.2)."""

    kind: SearchKind
    origin: str
    """The hex from which wedges and distances are measured for the whole flight (8.281)."""
    group: str
    """The group to which the search returns."""
    bearing: int = 0
    """Bearing in degrees, for standard and long searches."""
    radius: str = ""
    """The hex of the Max Radius marker."""
    hex: str = ""
    moves: int = 0
    """Number of Search Segments flown so far."""
    is_back: bool = False
    """True if the search is on its way home."""
    zone: SearchZone = ""
    """The zone being searched in this segment."""
    zones: tuple[SearchZone, ...] = ()
    """Zones already searched or skipped on this leg."""
    passed: tuple[str, ...] = ()
    """Hexes entered or passed in this move of a narrow search (8.32)."""
    tried: tuple[str, ...] = ()
    """Counters of the forces that the search has tried to find in this segment."""
    shadowing: ForceId = ""
    has_shadowed: bool = False
    """True if the search has stopped shadowing and is flying straight home (18.11)."""
    commander: str = always_encoded("us")


class Boat(Part, frozen=True, kw_only=True):
    """One US submarine (14.1)."""

    hex: str = ""
    """Hex of the submarine. Empty before set-up and after it is destroyed."""
    shadowing: ForceId = ""
    pin: int = 0
    is_sunk: bool = False


class Hits(Part, frozen=True, kw_only=True):
    """Hits on a Japanese ship or force, by age (12.21)."""

    current: int = 0
    previous: int = 0
    permanent: int = 0

    @property
    def total(self) -> int:
        """Return the number of hits of all ages."""
        return self.current + self.previous + self.permanent


class Hull(Part, frozen=True, kw_only=True):
    """One Japanese ship unit that has been drawn (2.33, 7.4)."""

    force: ForceId = ""
    """The ship's force, or its former force if it is crippled or sunk. Empty once that force has left play."""
    hex: str = ""
    """Hex of a lone crippled ship (12.41). Empty otherwise."""
    hits: Hits = always_encoded(Hits())
    fate: str = ""
    """The ship's fate: ``sunk`` or ``exited``. Empty while it is on the map."""
    is_vp_exit: bool = False
    """True if the ship left the map from the invasion zone (15.11)."""


class Force(Part, frozen=True, kw_only=True):
    """One Japanese force (a letter) or Butai (a number), with the data shown by its markers (2.31, 7, 9)."""

    hex: str
    level: int = 0
    """Information level. A level-0 force has no chit and may turn out not to exist (7.31)."""
    chit: str = ""
    """The chit for its level: empty at level 0, ``surface`` for a level-3 surface force, the level-3 chit at level 4.
    """
    is_carrier: bool = False
    """True if this is known to be a carrier force: a Carrier or carrier chit, or level 4 with a carrier."""
    heading: Direction | None = None
    """Direction of the force's latest move. None if it did not move when last activated or has not been activated."""
    has_stayed: bool = False
    """True if the force did not move at its latest activation (14.131). False before the first activation."""
    entered: tuple[str, ...] = ()
    """The submarines in the hex that the force entered at its latest activation (14.131)."""
    detection: Detection = ""
    has_advantage: bool = False
    """True if the force has a US Advantage marker (8.35)."""
    is_retiring: bool = False
    fuel: str = ""
    """Refuelling status: ``wants``, ``refuelled``, ``given-up`` or empty (20.5-20.8)."""
    oiler: str = ""
    """Hex of the force's oiler. ``queue`` is the force's place in line there, or 0 before it arrives."""
    queue: int = 0
    hits: Hits = always_encoded(Hits())
    """Submarine hits that the force took before its ships were known (14.162)."""
    raids: int = 0
    """Number of raids that the force has launched so far."""
    returning: Mapping[str, JapaneseBox] = msgspec.field(default_factory=dict)
    """Return track box of each raid that is on its way home, by raid slot (10.1A)."""
    partner: ForceId = ""
    """The other half of a double force (7.53). Empty for a single force."""
    has_acted: bool = False
    """True if the chit of the force or of its partner has been drawn this turn (7.53)."""
    is_butai: bool = False
    """True if the force has an open Butai display (9.11)."""
    is_kido_butai: bool = False
    boxes: Mapping[JapaneseBox, int] = msgspec.field(default_factory=dict)
    """Air points on the force's display, without aircraft types (2.23, 9.21). Empty boxes are left out."""
    free_lost: int = 0
    """Number of points in the LOST box for which the US scores no VP (23.3)."""
    cap: int | None = None
    """CAP points for this phase, or None before they are generated (5.43)."""
    first_carriers: tuple[str, ...] = ()
    """Every carrier that has ever belonged to the force (12.24, 13.13)."""
    historical: str = ""
    """Number of the historical force that this force represents, from 1 (6H). Empty for other forces."""


class Raid(Part, frozen=True, kw_only=True):
    """One Japanese air raid on the map: naval or land points, undivided at launch (10, 10.11, 10.12)."""

    origin: ForceId
    """The launching force, ``Guam``, ``Iwo Jima`` or ``Yap/Peleliu``, or the raid's own id for a scheduled raid."""
    slot: str = ""
    """The raid box of the force: ``a`` or ``b``."""
    kind: RaidKind = always_encoded("raid")
    is_land: bool = False
    hex: str
    target: str = ""
    """A task group or crippled ship, or ``Guam`` for raids that fly there."""
    points: int = 0
    """Number of points. After a split, this is the sum of fighters and attackers."""
    is_split: bool = False
    fighters: int = 0
    attackers: int = 0
    aborted: int = 0
    """Number of attackers that do not attack (5.51, 5.72)."""
    was_intercepted: bool = False
    is_home: bool = False
    """True if the raid is flying back to Guam on the map (11.28)."""
    line_from: str = ""
    is_taking_off: bool = False
    """True if US dice against the raid get +2 in this phase (11.27)."""
    is_new: bool = False
    """True if the raid was placed in this phase and so first moves in the next one (10.231)."""


class LandBase(Part, frozen=True, kw_only=True):
    """The Guam air base and its display. It works like a carrier that never moves (2.24, 11.12)."""

    air_value: int = 0
    boxes: Mapping[JapaneseBox, int] = msgspec.field(default_factory=dict)
    reinforced: tuple[str, ...] = ()
    """Bases whose chits have left the cup for the day (16.12)."""
    first_day: tuple[str, ...] = ()
    """Bases that sent reinforcements on 19 June (16.12)."""


class Battle(GameState, frozen=True, kw_only=True):
    """Everything on the table and the progress of the game, shared by states, positions and views."""

    frames: tuple[Frame, ...] = ()

    scenario: str = ""
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    overlay: str = ""
    """The overlay with the player's own data, as JSON text. Empty for the standard data."""
    turn: int = 0
    """Index into the scenario's list of turns, from 0."""
    phase: int = 1
    segment: Segment = ""
    has_searched: bool = False
    """True if the Search Segment of this turn has been held (8.22)."""
    mission_die: int = 0
    """The roll used for all mission moves in this Activation Segment (7.221)."""
    wind: Direction = always_encoded("W")
    """The direction in which the wind blows (17.0)."""
    units: Mapping[str, AirUnit] = msgspec.field(default_factory=dict)
    ships: Mapping[str, UsShip] = msgspec.field(default_factory=dict)
    groups: Mapping[str, Group] = msgspec.field(default_factory=dict)
    missions: Mapping[str, Mission] = msgspec.field(default_factory=dict)
    searches: Mapping[str, Search] = msgspec.field(default_factory=dict)
    boats: Mapping[str, Boat] = msgspec.field(default_factory=dict)
    forces: Mapping[ForceId, Force] = msgspec.field(default_factory=dict)
    hulls: Mapping[str, Hull] = msgspec.field(default_factory=dict)
    raids: Mapping[str, Raid] = msgspec.field(default_factory=dict)
    guam: LandBase = always_encoded(LandBase())
    oilers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Hex of each oiler (20.3)."""
    oilers_tried: tuple[str, ...] = ()
    """Hexes of oilers where a force has tried to refuel in this phase (20.61)."""
    gone_letters: tuple[str, ...] = ()
    """Counters of forces that have left the map for good (OP-71)."""
    cup: tuple[str, ...] = ()
    """The activation chits left in the cup. They are sorted, because their order is undetermined until drawn (3.22)."""
    chits_per_phase: int = 0
    level_1_cup: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Level-1 chits that can still be drawn, by kind (7.35)."""
    set_aside: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Level-1 chits that are neither in the cup nor under a force."""
    double_chits: tuple[str, ...] = ()
    """Chits that are set aside for double forces (7.51)."""
    commitment: int = 0
    """The Commitment Index (13.1)."""
    departed_commitment: int = 0
    """The part of the Commitment Index that comes from forces that have left play (OP-46)."""
    limit_reached: bool = False
    destroyed_naval: int = 0
    """Number of destroyed naval points that left the LOST boxes because their force has left play (10.33)."""
    destroyed: int = 0
    """Number of destroyed points that never enter a LOST box: reinforcements (16) and raids in Scenarios 1 and 3."""
    through: int = 0
    """Number of raid points that got through (Scenario 1)."""
    found: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Scenario 4 victory points by counter, with separate entries for false contacts."""


class BattleState(Battle, frozen=True, kw_only=True):
    """A battle in which each force keeps its id when its counter changes (:mod:`engine.cbps.force_ids`).

    Positions and views name forces by counter instead.
    """

    counters: Mapping[ForceId, str] = msgspec.field(default_factory=dict)
    """The counter of each force whose counter is not its id, and the last counter of each force that has left play."""


class State(BattleState, frozen=True, kw_only=True):
    """A battle together with the data that its rules need."""

    game_data: GameData
    """The charts, map, counters and scenarios of this match."""

    @override
    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the state without the game data, which unpickling restores from the overlay."""
        fields = shared_fields(self, BattleState)
        return _default_fields, (fields,)


def _default_fields(fields: Mapping[str, Any]) -> State:
    return State(**fields, game_data=load_game_data(fields["overlay"]))
