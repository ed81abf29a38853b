"""Landing of searches that have returned (8.28, 8.282)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_fuel import NO_MARKER, lose_unit
from engine.cbps.commands import Land
from engine.cbps.decks.ch06_landing import (
    land_unit,
    landing_refusals,
    may_need_safe_return,
    seat_landing_refusals,
)
from engine.cbps.events.search import SearchEnded
from engine.cbps.frames import SafeReturnFrame, SearchLandingFrame
from engine.cbps.locations import carriers_in, unit_hex, units_at
from engine.cbps.prose import names
from engine.cbps.run import Action, DecisionHandler, Run
from engine.cbps.search.ch08_courses import is_home
from engine.cbps.search.ch08_flight import home_hex
from engine.cbps.seats import seats_with_choice
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule


def begin_search_landing(run: Run) -> None:
    """Begin landing all searches that are back, in order of launch (8.28)."""
    state = run.state
    landing_units = tuple(
        unit
        for name, search in state.searches.items()
        if is_home(state.game_data.map.grid, search, home_hex(state, search))
        for unit in units_at(state, "search", name)
    )
    if landing_units:
        run.push(SearchLandingFrame(left=landing_units))


def _landing_options(state: State, frame: SearchLandingFrame) -> Iterator[tuple[str, str]]:
    """Yield each pair of a unit and a carrier on which it can land, in display order."""
    for unit in frame.left:
        for carrier in carriers_in(state, unit_hex(state, unit)):
            if next(landing_refusals(state, unit, carrier), None) is None:
                yield unit, carrier


def _commander(state: State, unit: str) -> str:
    return state.searches[state.units[unit].at].commander


class SearchLandAction(Action[SearchLandingFrame, Land]):
    """Lands a unit from a search on a carrier in its hex (8.28)."""

    kind = Land

    @override
    def candidates(self, state: State, frame: SearchLandingFrame, role: str) -> Iterator[Land]:
        """Yield a landing command for each of the commander's units on each carrier that can accept it."""
        for unit, carrier in _landing_options(state, frame):
            if _commander(state, unit) == role:
                yield Land(unit=unit, carrier=carrier)

    @override
    def refusals(
        self, state: State, frame: SearchLandingFrame, role: str, command: Land
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot land on the carrier."""
        if command.unit not in frame.left:
            yield Refusal(
                Rule("8.28"),
                f"{names.display_name(command.unit)} is not on a search that has come home",
            )
        elif command.carrier not in state.ships:
            yield Refusal(Rule("8.28"), "there is no such carrier")
        else:
            yield from seat_landing_refusals(state, role, command.unit, command.carrier)

    @override
    def apply(self, run: Run, frame: SearchLandingFrame, role: str, command: Land) -> None:
        _land_unit(run, frame, command.unit, command.carrier)


def _land_unit(run: Run, frame: SearchLandingFrame, unit: str, carrier: str) -> None:
    search = run.state.units[unit].at
    land_unit(run, unit, carrier, NO_MARKER)
    if not units_at(run.state, "search", search):
        run.add(SearchEnded(search=search))
    landings = frame.landings
    if may_need_safe_return(run.state, NO_MARKER):
        landings = (*landings, (unit, carrier, NO_MARKER))
    remaining_units = tuple(other_unit for other_unit in frame.left if other_unit != unit)
    run.replace_top(replace(frame, left=remaining_units, landings=landings))


class Landing(DecisionHandler[SearchLandingFrame]):
    """The choice of carriers on which searches land. Units that find no room are lost (8.28)."""

    frame = SearchLandingFrame
    rule = Rule("8.28")
    question = "On which carrier does the search land?"
    actions = (SearchLandAction(),)
    default_index = 0

    @override
    def active_roles(self, state: State, frame: SearchLandingFrame) -> tuple[str, ...]:
        """Return the commanders of the units that can land. Empty if there is no choice."""
        owners = (_commander(state, unit) for unit, _ in _landing_options(state, frame))
        return seats_with_choice(state, owners)

    @override
    def step(self, run: Run, frame: SearchLandingFrame) -> None:
        """Make the next landing.

        When no more landings are possible, eliminate the remaining units and start the Safe Return rolls (8.28, 6.42).
        """
        pair = next(_landing_options(run.state, frame), None)
        if pair is not None:
            _land_unit(run, frame, *pair)
            return
        for unit in frame.left:
            lose_unit(run, unit, "no-room")
        run.pop()
        if frame.landings:
            run.push(SafeReturnFrame(left=frame.landings))


HANDLERS: Final = (Landing(),)
