"""Flight of searches (8.27, 8.271, 8.28)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.commands import Pass
from engine.cbps.events.search import SearchMoved
from engine.cbps.frames import SearchAttemptFrame, SearchFlightFrame
from engine.cbps.locations import nearest_carrier_groups, ships_in_group
from engine.cbps.rulings import HOMEWARD_ZONES
from engine.cbps.run import Action, DecisionHandler, Run
from engine.cbps.search.ch08_courses import NARROW, Move, examined_on_path, next_move
from engine.cbps.state import Search, State
from engine.kernel.ids import Refusal, Rule


def home_hex(state: State, search: Search) -> str:
    """Return the hex of a search's group or, if that group has been sunk, of the nearest carriers (8.28)."""
    group = search.group
    if not ships_in_group(state, group):
        group = next(iter(nearest_carrier_groups(state, search.hex)), group)
    return state.groups[group].hex


def move_of(state: State, search: Search) -> Move:
    """Return the current move of a search that is not shadowing (8.271, 8.28, OP-31)."""
    return next_move(
        state.game_data.map.grid,
        search,
        home_hex(state, search),
        is_in_turn=HOMEWARD_ZONES.uses_alternative(state.options),
    )


def begin_search_flight(run: Run) -> None:
    """Begin the movement of all searches in flight, in order of launch (8.22)."""
    run.replace_top(SearchFlightFrame(left=tuple(run.state.searches)))


class PassAction(Action[SearchFlightFrame, Pass]):
    """Chooses one of the two hexes on either side of a hexside (8.32)."""

    kind = Pass
    timing = Refusal(Rule("8.32"), "hexes are chosen while a search flies along a hexside")

    @override
    def candidates(self, state: State, frame: SearchFlightFrame, role: str) -> Iterator[Pass]:
        """Yield one command for each of the two hexes."""
        return (Pass(hex=hex) for hex in frame.choices)

    @override
    def refusals(
        self, state: State, frame: SearchFlightFrame, role: str, command: Pass
    ) -> Iterator[Refusal]:
        """Yield a refusal if the hex is not one of the two."""
        if command.hex not in frame.choices:
            yield Refusal(Rule("8.32"), f"the search flies between {' and '.join(frame.choices)}")

    @override
    def apply(self, run: Run, frame: SearchFlightFrame, role: str, command: Pass) -> None:
        run.replace_top(replace(frame, path=(*frame.path, command.hex), choices=()))


class Flight(DecisionHandler[SearchFlightFrame]):
    """Moves all searches. The player chooses a narrow search's path along a hexside if a force is next to it (8.32)."""

    frame = SearchFlightFrame
    rule = Rule("8.32")
    question = "Through which hex does the search fly?"
    actions = (PassAction(),)

    @override
    def active_roles(self, state: State, frame: SearchFlightFrame) -> tuple[str, ...]:
        """Return the commander of the search that flies along a hexside."""
        return (state.searches[frame.left[0]].commander,) if frame.choices else ()

    @override
    def step(self, run: Run, frame: SearchFlightFrame) -> None:
        """Move one search until its move ends or the player must choose a hex."""
        if not frame.left:
            run.replace_top(SearchAttemptFrame())
            return
        name = frame.left[0]
        search = run.state.searches[name]
        if search.shadowing:
            hex = run.state.forces[search.shadowing].hex
            run.add(SearchMoved(search=name, hex=hex))
            run.replace_top(SearchFlightFrame(left=frame.left[1:]))
            return
        move = move_of(run.state, search)
        path = list(frame.path)
        for alternatives in move.steps[len(path) :]:
            # Only a narrow search examines the hexes that it passes, and the choice matters only if one of them
            # contains a force.
            if (
                len(alternatives) > 1
                and search.kind == NARROW
                and _has_force(run.state, alternatives)
            ):
                run.replace_top(replace(frame, path=tuple(path), choices=alternatives))
                return
            path.append(alternatives[0])
        run.add(moved_event(run.state, name, move, tuple(path)))
        run.replace_top(SearchFlightFrame(left=frame.left[1:]))


def _has_force(state: State, hexes: tuple[str, ...]) -> bool:
    return any(force.hex in hexes for force in state.forces.values())


def moved_event(state: State, name: str, move: Move, path: tuple[str, ...]) -> SearchMoved:
    """Return the event for a search that makes its move along this path (8.271, 8.28)."""
    search = state.searches[name]
    hexes_passed = path if search.kind == NARROW else ()
    return SearchMoved(
        search=name,
        hex=path[-1] if path else search.hex,
        passed=examined_on_path(state.game_data.map.grid, search, hexes_passed),
        zone=move.zone,
        skipped=move.skipped,
        is_back=move.is_back,
    )


HANDLERS: Final = (Flight(),)
