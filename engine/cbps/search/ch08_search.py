"""The Search Segment: the decision to hold it, and the launch of searches (8.22-8.27, 18.2, 18.4)."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from typing_extensions import override

from engine.cbps.air.ch04_fuel import is_fighter
from engine.cbps.clock import current_light
from engine.cbps.commands import Done, HoldSearch, JoinSearch, SearchLong, SearchNarrow, SearchOut
from engine.cbps.decks.ch06_decks import launch_deck_refusals, record_operating_carrier
from engine.cbps.decks.ch22_night import night_refusals
from engine.cbps.events.air import UnitMoved
from engine.cbps.events.search import SearchLaunched
from engine.cbps.events.turns import SearchDeclared
from engine.cbps.frames import SearchChoiceFrame, SearchLaunchFrame
from engine.cbps.ids import SearchKind
from engine.cbps.locations import all_carriers, units_at
from engine.cbps.prose import names
from engine.cbps.rulings import LONG_SEARCHES, is_on
from engine.cbps.run import Action, DecisionHandler, PlainAction, Run
from engine.cbps.search.ch08_courses import LONG_SEARCH, NARROW, RADIUS_HEXES, STANDARD
from engine.cbps.search.ch08_flight import begin_search_flight
from engine.cbps.search.ch18_search_options import is_morning_turn
from engine.cbps.search_area import BEARINGS, narrow_radii, radius_hex
from engine.cbps.seats import US, commands_carrier
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

K = TypeVar("K", SearchOut, SearchNarrow, SearchLong)

UNITS_PER_SEARCH: Final = 2
"""Maximum number of units per search. Further units would have no effect (8.27)."""


# -- the decision to hold the segment


class HoldSearchAction(PlainAction[SearchChoiceFrame, HoldSearch]):
    """Holds the Search Segment of this turn (8.22)."""

    timing = Refusal(Rule("8.22"), "a Search Segment is declared after US air movement")

    @override
    def apply(self, run: Run, frame: SearchChoiceFrame, role: str, command: HoldSearch) -> None:
        """Declare the segment and begin the launch of searches."""
        run.add(SearchDeclared())
        run.replace_top(SearchLaunchFrame())


class SearchChoice(DecisionHandler[SearchChoiceFrame]):
    """The decision on whether to hold this turn's Search Segment now (8.22)."""

    frame = SearchChoiceFrame
    rule = Rule("8.22")
    question = "Hold this turn's Search Segment now?"
    actions = (HoldSearchAction(HoldSearch), PlainAction(Done))

    @override
    def active_roles(self, state: State, frame: SearchChoiceFrame) -> tuple[str, ...]:
        """Return the first commander if the segment can still be held and any unit can fly."""
        if state.has_searched or is_morning_turn(state) != frame.is_morning:
            return ()
        return (US,) if state.searches or _can_launch(state) else ()

    @override
    def step(self, run: Run, frame: SearchChoiceFrame) -> None:
        run.pop()


def _ready_units(state: State, role: str | None = None) -> Iterator[str]:
    """Yield the units that can be launched on a search now, for one commander or for all."""
    for carrier in all_carriers(state.game_data):
        ship = state.ships.get(carrier)
        if ship is None or not ship.group:
            continue
        commander = role or state.groups[ship.group].commander
        for unit in units_at(state, "ready", carrier):
            if next(_unit_refusals(state, commander, unit), None) is None:
                yield unit


def _can_launch(state: State) -> bool:
    return next(_ready_units(state), None) is not None


# -- the launch of searches


def _unit_refusals(state: State, role: str, unit: str) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot be launched on any search (6.24, 8.27)."""
    if unit not in state.units:
        yield Refusal(Rule("8.27"), "there is no such air unit")
        return
    unit_state = state.units[unit]
    if unit_state.place != "ready":
        yield Refusal(Rule("6.24"), f"{names.display_name(unit)} is not ready on a flight deck")
        return
    if not commands_carrier(state, role, unit_state.at):
        yield Refusal(
            Rule("6.1"), f"{names.display_name(unit_state.at)} is under another commander"
        )
    yield from launch_deck_refusals(state, unit_state.at)
    yield from night_refusals(state, unit)


def _carrier_hex(state: State, unit: str) -> str:
    """Return the hex of the task group that contains the unit's carrier."""
    return state.groups[state.ships[state.units[unit].at].group].hex


def new_search_id(state: State) -> str:
    """Return the id for a new search."""
    number = 1
    while f"search-{number}" in state.searches:
        number += 1
    return f"search-{number}"


def launch_on_search(run: Run, unit: str, search: str) -> None:
    """Launch a unit on a search (8.27)."""
    by_night = current_light(run.state) == "night"
    record_operating_carrier(run, run.state.units[unit].at)
    run.add(UnitMoved(unit=unit, place="search", at=search, why="launch", by_night=by_night))


class LaunchSearch(Action[SearchLaunchFrame, K]):
    """Base class of the actions that launch a new search (8.27)."""

    is_exact = True
    """Candidates are legal, so each unit and each course is checked only once. A test compares them with the refusals.
    """
    timing = Refusal(Rule("8.27"), "searches are launched in the Search Segment")
    kind_of: SearchKind

    @abstractmethod
    def courses(self, state: State, origin: str) -> Iterable[int | str]:
        """Return the bearings, or the radius hexes, that can be flown from a hex."""

    def is_course(self, state: State, origin: str, course: int | str) -> bool:
        """Return whether a bearing or radius hex can be flown from a hex."""
        return course in self.courses(state, origin)

    @abstractmethod
    def make_command(self, unit: str, course: int | str) -> K:
        """Return the command to fly on a bearing or to a radius hex."""

    @abstractmethod
    def course_of(self, command: K) -> int | str:
        """Return the bearing or radius hex that a command names."""

    @abstractmethod
    def course_refusal(self, state: State, origin: str, course: int | str) -> Refusal:
        """Return the reason why a search cannot fly on this bearing or to this radius hex."""

    def kind_refusals(self, state: State, unit: str) -> Iterator[Refusal]:
        """Yield the reasons why a launchable unit cannot fly this kind of search."""
        del state, unit
        yield from ()

    @override
    def candidates(self, state: State, frame: SearchLaunchFrame, role: str) -> Iterator[K]:
        """Yield a command to launch each available unit on every bearing or to every radius hex."""
        del frame
        for unit in _ready_units(state, role):
            if next(self.kind_refusals(state, unit), None) is None:
                for way in self.courses(state, _carrier_hex(state, unit)):
                    yield self.make_command(unit, way)

    @override
    def refusals(
        self, state: State, frame: SearchLaunchFrame, role: str, command: K
    ) -> Iterator[Refusal]:
        """Yield the refusals for the unit or, if there are none, for the bearing or radius hex."""
        del frame
        clean = True
        for refusal in _unit_refusals(state, role, command.unit):
            clean = False
            yield refusal
        if not clean:
            return
        yield from self.kind_refusals(state, command.unit)
        origin, way = _carrier_hex(state, command.unit), self.course_of(command)
        if not self.is_course(state, origin, way):
            yield self.course_refusal(state, origin, way)

    @override
    def apply(self, run: Run, frame: SearchLaunchFrame, role: str, command: K) -> None:
        state = run.state
        way = self.course_of(command)
        origin = _carrier_hex(state, command.unit)
        search = new_search_id(state)
        run.add(
            SearchLaunched(
                search=search,
                kind_of=self.kind_of,
                origin=origin,
                group=state.ships[state.units[command.unit].at].group,
                bearing=way if isinstance(way, int) else 0,
                radius=self.radius(state, origin, way),
                commander=role,
            )
        )
        launch_on_search(run, command.unit, search)

    @abstractmethod
    def radius(self, state: State, origin: str, course: int | str) -> str:
        """Return the hex of the Max Radius marker (8.24)."""


class _OnBearing(LaunchSearch[K]):
    """Launches a search on one of the 12 bearings (8.25)."""

    @override
    def courses(self, state: State, origin: str) -> tuple[int, ...]:
        """Return the bearings that do not lead off the map at once (8.261)."""
        return tuple(way for way in BEARINGS if self.is_course(state, origin, way))

    @override
    def is_course(self, state: State, origin: str, course: int | str) -> bool:
        """Return whether a number is a bearing that does not lead off the map at once (8.25, 8.261)."""
        return course in BEARINGS and self.radius(state, origin, course) != origin

    @override
    def course_refusal(self, state: State, origin: str, course: int | str) -> Refusal:
        """Return the refusal for a bearing that does not exist or leads off the map at once."""
        if course in BEARINGS:
            return Refusal(Rule("8.261"), f"{course} degrees lead off the map from {origin}")
        return Refusal(Rule("8.25"), f"the bearings are {', '.join(map(str, BEARINGS))}")

    @override
    def radius(self, state: State, origin: str, course: int | str) -> str:
        """Return the hex of the Max Radius marker (8.25, 8.261, 18.21)."""
        assert isinstance(course, int)
        return radius_hex(state.game_data.map.grid, origin, course, RADIUS_HEXES[self.kind_of])


class LaunchStandard(_OnBearing[SearchOut]):
    """Launches a standard search (8.25)."""

    kind = SearchOut
    kind_of = STANDARD

    @override
    def make_command(self, unit: str, course: int | str) -> SearchOut:
        assert isinstance(course, int)
        return SearchOut(unit=unit, bearing=course)

    @override
    def course_of(self, command: SearchOut) -> int:
        return command.bearing


class LaunchLong(_OnBearing[SearchLong]):
    """Launches a search to 12 hexes (18.21)."""

    kind = SearchLong
    kind_of = LONG_SEARCH

    @override
    def kind_refusals(self, state: State, unit: str) -> Iterator[Refusal]:
        """Yield a refusal if the rule is not in use or the unit is not a fighter."""
        if not is_on(state, LONG_SEARCHES):
            yield Refusal(Rule("18.2"), "extended range is not in use")
        if not is_fighter(state, unit):
            yield Refusal(Rule("18.21"), "only fighters search to 12 hexes")

    @override
    def make_command(self, unit: str, course: int | str) -> SearchLong:
        assert isinstance(course, int)
        return SearchLong(unit=unit, bearing=course)

    @override
    def course_of(self, command: SearchLong) -> int:
        return command.bearing


class LaunchNarrow(LaunchSearch[SearchNarrow]):
    """Launches a narrow search (8.26)."""

    kind = SearchNarrow
    kind_of = NARROW

    @override
    def courses(self, state: State, origin: str) -> tuple[str, ...]:
        """Return the possible hexes of the Max Radius marker (8.26, 8.261)."""
        return narrow_radii(state.game_data.map.grid, origin)

    @override
    def make_command(self, unit: str, course: int | str) -> SearchNarrow:
        assert isinstance(course, str)
        return SearchNarrow(unit=unit, hex=course)

    @override
    def course_of(self, command: SearchNarrow) -> str:
        return command.hex

    @override
    def course_refusal(self, state: State, origin: str, course: int | str) -> Refusal:
        """Return the refusal for a hex where the marker cannot be placed."""
        return Refusal(
            Rule("8.26"),
            f"{course} is neither 14 hexes from {origin} nor the last hex on the map on the way there",
        )

    @override
    def radius(self, state: State, origin: str, course: int | str) -> str:
        assert isinstance(course, str)
        return course


class JoinAction(Action[SearchLaunchFrame, JoinSearch]):
    """Adds a second unit to a search launched in this segment (8.27)."""

    kind = JoinSearch
    timing = Refusal(Rule("8.27"), "searches are launched in the Search Segment")

    @override
    def candidates(self, state: State, frame: SearchLaunchFrame, role: str) -> Iterator[JoinSearch]:
        """Yield a command for every ready unit to join each search just launched from its hex."""
        unmoved_searches = [name for name, search in state.searches.items() if not search.moves]
        if not unmoved_searches:
            return
        for unit in _ready_units(state, role):
            for search in unmoved_searches:
                yield JoinSearch(unit=unit, search=search)

    @override
    def refusals(
        self, state: State, frame: SearchLaunchFrame, role: str, command: JoinSearch
    ) -> Iterator[Refusal]:
        """Yield the refusals for the unit, the search and their combination."""
        clean = True
        for refusal in _unit_refusals(state, role, command.unit):
            clean = False
            yield refusal
        search = state.searches.get(command.search)
        if search is None:
            yield Refusal(Rule("8.27"), f"there is no {command.search}")
        elif search.moves:
            yield Refusal(
                Rule("8.27"), f"{names.display_name(command.search)} is already in flight"
            )
        if not clean or search is None:
            return
        if search.origin != _carrier_hex(state, command.unit):
            yield Refusal(Rule("8.27"), "both units of a search must come from carriers in one hex")
        if len(units_at(state, "search", command.search)) >= UNITS_PER_SEARCH:
            yield Refusal(Rule("8.27"), "a search can have at most two units")
        if search.kind == LONG_SEARCH and not is_fighter(state, command.unit):
            yield Refusal(Rule("18.21"), "only fighters search to 12 hexes")

    @override
    def apply(self, run: Run, frame: SearchLaunchFrame, role: str, command: JoinSearch) -> None:
        launch_on_search(run, command.unit, command.search)


class SearchLaunch(SegmentQuestion[SearchLaunchFrame]):
    """The launch of new searches, before all searches in flight move (8.22, 8.27)."""

    frame = SearchLaunchFrame
    rule = Rule("8.27")
    question = "Launch searches"
    actions = (
        LaunchStandard(),
        LaunchNarrow(),
        LaunchLong(),
        JoinAction(),
        SegmentDoneAction(Done),
    )

    @override
    def close(self, run: Run, frame: SearchLaunchFrame) -> None:
        begin_search_flight(run)


HANDLERS: Final = (SearchChoice(), SearchLaunch())
