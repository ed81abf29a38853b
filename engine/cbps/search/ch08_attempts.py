"""Search attempts (8.31-8.35)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_fuel import is_fighter
from engine.cbps.clock import current_light, turn_label
from engine.cbps.commands import Attempt, Done, GoOn, Shadow
from engine.cbps.decks.ch22_night import is_night_capable
from engine.cbps.events.chance import Modifier
from engine.cbps.events.search import SearchShadows, SearchTried
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.forces.ch08_detection import DETECTION_RANKS, set_detection
from engine.cbps.forces.ch20_refuelling import cancel_refuelling
from engine.cbps.frames import SearchAttemptFrame
from engine.cbps.ids import Detection
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.locations import units_at
from engine.cbps.prose import names
from engine.cbps.rulings import UNCERTAIN_LOCATION, is_on
from engine.cbps.run import Action, DecisionHandler, PlainAction, Run, chart_modifier
from engine.cbps.search.ch08_courses import NARROW, examines
from engine.cbps.search.ch08_landing import begin_search_landing
from engine.cbps.search.ch18_search_options import (
    end_shadowing,
    is_second_attempt,
    may_shadow,
    relocate_force,
    turn_search_back,
)
from engine.cbps.seats import seats_with_choice
from engine.cbps.state import Search, State
from engine.cbps.submarines.ch14_boats import is_shadowed_by_boat
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

DAWN: Final = "0530"
_RANGE_MODIFIERS: Final = ((2, "range_0_2"), (6, "range_3_6"), (10, "range_7_10"))
_FARTHEST_RANGE: Final = "range_11_14"


_VISIBLE_FORCES: Final[Memo[tuple[str, ...]]] = Memo(24)
"""Cache of the forces that each search can examine, since every attempt looks up the targets of all searches."""

# -- possible targets (8.331)


def search_targets(state: State, name: str) -> tuple[str, ...]:
    """Return the forces that a search may still try to find in this segment, nearest to its origin first (8.331)."""
    search = state.searches[name]
    if not _can_attempt(state, name):
        return ()
    if search.shadowing:
        is_tried = counter_of(state, search.shadowing) in search.tried
        is_open = is_second_attempt(search) and not is_tried
        return (search.shadowing,) if is_open else ()
    return _VISIBLE_FORCES.get(
        state, (search, state.forces, state.counters), lambda: _visible_forces(state, search)
    )


def _visible_forces(state: State, search: Search) -> tuple[str, ...]:
    hexes = state.game_data.map.grid
    visible_forces = [
        (hexes.distance(search.origin, force.hex), name)
        for name, force in state.forces.items()
        if counter_of(state, name) not in search.tried and examines(hexes, search, force.hex)
    ]
    # The sort is stable, so equally distant forces keep their usual order.
    visible_forces.sort(key=lambda entry: entry[0])
    return tuple(force for _, force in visible_forces)


def _can_attempt(state: State, name: str) -> bool:
    """Return whether a search can make attempts in the current light (22.0, 22.5)."""
    if current_light(state) != "night":
        return True
    return all(
        is_night_capable(state, unit) and not state.units[unit].by_day
        for unit in units_at(state, "search", name)
    )


def _search_force_pairs(
    state: State, frame: SearchAttemptFrame, role: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield each pair of a search and a force that it may try to find, in order of launch."""
    for name, search in state.searches.items():
        if name not in frame.done and role in {"", search.commander}:
            for force in search_targets(state, name):
                yield name, force


# -- an attempt (8.34)


def attempt_modifiers(state: State, name: str, force: str) -> tuple[Modifier, ...]:
    """Return the modifiers for a search attempt to find a force (8.211, 8.34, 18.14, 18.24, 22.2)."""
    search = state.searches[name]
    units = units_at(state, "search", name)
    ids = []
    if len(units) > 1:
        ids.append("two_units")
    if search.kind == NARROW:
        ids.append("narrow")
    if is_shadowed_by_boat(state, force):
        ids.append("sub_shadow")
    if any(is_fighter(state, unit) for unit in units):
        ids.append("fighter")
    ids.append(_range_modifier(state, search, force))
    if time := _time_modifier(state):
        ids.append(time)
    if search.shadowing == force:
        ids.append("air_shadow")
    chart = state.game_data.charts.air_search
    return tuple(chart_modifier(chart, modifier_id) for modifier_id in ids)


def _range_modifier(state: State, search: Search, force: str) -> str:
    distance = state.game_data.map.grid.distance(search.origin, state.forces[force].hex)
    return next(
        (name for last_hex, name in _RANGE_MODIFIERS if distance <= last_hex), _FARTHEST_RANGE
    )


def _time_modifier(state: State) -> str:
    light = current_light(state)
    if light != "day":
        return light
    return "dawn" if turn_label(state) == DAWN else ""


def resolve_attempt(run: Run, name: str, force: str) -> bool:
    """Carry out a search attempt and everything that follows except shadowing (8.331-8.342).

    Returns:
        True if the force was located or spotted.
    """
    state = run.state
    charts = state.game_data.charts
    modifiers = attempt_modifiers(state, name, force)
    run.add(SearchTried(search=name, force=force, by_night=current_light(state) == "night"))
    result = run.roll_on_chart(charts.air_search, force, modifiers)
    if result == "none":
        return False
    detection, is_chit = _split_result(result)
    level = run.state.forces[force].level
    # At level 0, any sighting draws the level-1 chit, and "chit+1" has no further effect (8.342).
    if level == 0 or is_chit:
        forces_before = tuple(run.state.forces)
        is_real = promote(run, force, level + 1, "search")
        # 7.54: the second half of a double force is not a target of the search that revealed it
        for other_force in run.state.forces:
            if other_force not in forces_before and other_force != force:
                run.add(SearchTried(search=name, force=other_force, is_left_out=True))
        if not is_real:
            return False
    was_approximate = run.state.forces[force].detection == "?"
    set_detection(run, force, detection, "search")
    turn_search_back(run, name, force)
    if detection == "?":
        return False
    cancel_refuelling(run, force)  # 20.7
    if was_approximate and is_on(run.state, UNCERTAIN_LOCATION):
        relocate_force(run, force)
    return True


def _split_result(result: str) -> tuple[Detection, bool]:
    """Return the detection marker for a result, and whether the result raises the force's level."""
    marker, _, chit = result.partition(", ")
    return DETECTION_RANKS[DETECTION_RANKS.index(marker)], bool(chit)


# -- the decision (8.31)


class AttemptAction(Action[SearchAttemptFrame, Attempt]):
    """Makes a search try to find a force (8.331)."""

    kind = Attempt
    timing = Refusal(Rule("8.31"), "searches try to find forces after all searches have moved")

    @override
    def candidates(self, state: State, frame: SearchAttemptFrame, role: str) -> Iterator[Attempt]:
        """Yield a command for each search and each force that it may try to find, nearest first."""
        if frame.shadow:
            return
        for search, force in _search_force_pairs(state, frame, role):
            yield Attempt(search=search, force=counter_of(state, force))

    @override
    def refusals(
        self, state: State, frame: SearchAttemptFrame, role: str, command: Attempt
    ) -> Iterator[Refusal]:
        """Yield the reasons why the search cannot try to find this force."""
        if frame.shadow:
            yield Refusal(Rule("18.12"), "first decide about shadowing")
            return
        search = state.searches.get(command.search)
        force = force_with_counter(state, command.force)
        if search is None:
            yield Refusal(Rule("8.31"), f"there is no {command.search}")
        elif search.commander != role:
            yield Refusal(
                Rule("6.1"), f"{names.display_name(command.search)} is under another commander"
            )
        if force not in state.forces:
            yield Refusal(Rule("8.331"), f"there is no force {command.force}")
        if search is None or force not in state.forces:
            return
        if command.search in frame.done:
            yield Refusal(Rule("18.12"), "this search looks for nothing else in this segment")
        elif not _can_attempt(state, command.search):
            if all(
                is_night_capable(state, unit) for unit in units_at(state, "search", command.search)
            ):
                yield Refusal(Rule("22.5"), "these night fighters have flown by day")
            else:
                yield Refusal(Rule("22.0"), "only night fighters search at night")
        elif command.force in search.tried:
            yield Refusal(Rule("8.331"), "a search can try to find a force only once per segment")
        elif search.shadowing and force != search.shadowing:
            yield Refusal(
                Rule("18.11"), "this search can only try to find the force it is shadowing"
            )
        elif force not in search_targets(state, command.search):
            rule = "8.32" if search.kind == NARROW else "8.33"
            yield Refusal(
                Rule(rule),
                f"{names.display_name(command.force)} is outside the area that this search examines",
            )

    @override
    def apply(self, run: Run, frame: SearchAttemptFrame, role: str, command: Attempt) -> None:
        """Make the attempt, then offer shadowing if possible."""
        force = force_with_counter(run.state, command.force)
        attempt_search(run, frame, command.search, force)


def attempt_search(run: Run, frame: SearchAttemptFrame, search: str, force: str) -> None:
    """Make a search attempt, then offer shadowing if possible (18.12)."""
    if resolve_attempt(run, search, force) and may_shadow(
        run.state, run.state.searches[search], force
    ):
        run.replace_top(replace(frame, shadow=search, force=force))


class ShadowAction(Action[SearchAttemptFrame, Shadow]):
    """Shadows the force that was just found (18.12)."""

    kind = Shadow
    timing = Refusal(Rule("18.12"), "shadowing must be decided as soon as a force is found")

    @override
    def candidates(self, state: State, frame: SearchAttemptFrame, role: str) -> tuple[Shadow, ...]:
        """Return the command for the search that has found the force, or an empty tuple if there is none."""
        return (Shadow(name=frame.shadow),) if frame.shadow else ()

    @override
    def refusals(
        self, state: State, frame: SearchAttemptFrame, role: str, command: Shadow
    ) -> Iterator[Refusal]:
        """Yield a refusal if this search has not just found a force."""
        if not frame.shadow:
            yield self.timing
        elif command.name != frame.shadow:
            yield Refusal(
                Rule("18.12"), f"it is {names.display_name(frame.shadow)} that has found a force"
            )

    @override
    def apply(self, run: Run, frame: SearchAttemptFrame, role: str, command: Shadow) -> None:
        """Shadow the force. The search makes no other attempts in this segment (18.12)."""
        run.add(SearchShadows(search=frame.shadow, force=frame.force))
        run.replace_top(SearchAttemptFrame(done=(*frame.done, frame.shadow)))


class GoOnAction(PlainAction[SearchAttemptFrame, GoOn]):
    """Continues the search without shadowing (18.12)."""

    timing = Refusal(Rule("18.12"), "shadowing must be decided as soon as a force is found")

    @override
    def candidates(self, state: State, frame: SearchAttemptFrame, role: str) -> tuple[GoOn, ...]:
        """Return the command if shadowing is being offered, otherwise an empty tuple."""
        return (GoOn(),) if frame.shadow else ()

    @override
    def refusals(
        self, state: State, frame: SearchAttemptFrame, role: str, command: GoOn
    ) -> Iterator[Refusal]:
        """Yield a refusal if shadowing is not being offered."""
        if not frame.shadow:
            yield self.timing

    @override
    def apply(self, run: Run, frame: SearchAttemptFrame, role: str, command: GoOn) -> None:
        run.replace_top(replace(frame, shadow="", force=""))


class SearchDoneAction(PlainAction[SearchAttemptFrame, Done]):
    """Makes all remaining attempts in order of launch, nearest force first, without shadowing (8.31)."""

    @override
    def candidates(self, state: State, frame: SearchAttemptFrame, role: str) -> tuple[Done, ...]:
        """Return the command, or an empty tuple while shadowing is being offered."""
        return () if frame.shadow else (Done(),)

    @override
    def refusals(
        self, state: State, frame: SearchAttemptFrame, role: str, command: Done
    ) -> Iterator[Refusal]:
        """Yield a refusal while shadowing is being offered."""
        if frame.shadow:
            yield Refusal(Rule("18.12"), "first decide about shadowing")

    @override
    def apply(self, run: Run, frame: SearchAttemptFrame, role: str, command: Done) -> None:
        while (pair := next(_search_force_pairs(run.state, frame, role), None)) is not None:
            search, force = pair
            resolve_attempt(run, search, force)


class Attempts(DecisionHandler[SearchAttemptFrame]):
    """The decision on the order of attempts. Every search tries to find every force in its area (8.31)."""

    frame = SearchAttemptFrame
    rule = Rule("8.31")
    actions = (
        AttemptAction(),
        ShadowAction(),
        GoOnAction(GoOn),
        SearchDoneAction(Done),
    )

    @override
    def decision_rule(self, state: State, frame: SearchAttemptFrame) -> Rule:
        return Rule("18.12") if frame.shadow else self.rule

    @override
    def prompt(self, state: State, frame: SearchAttemptFrame, role: str) -> str:
        if frame.shadow:
            return "Shadow the force that was found?"
        return "Which search tries to find which force next?"

    @override
    def active_roles(self, state: State, frame: SearchAttemptFrame) -> tuple[str, ...]:
        """Return the commander who decides about shadowing or, if none, the commanders who may choose an attempt."""
        if frame.shadow:
            return (state.searches[frame.shadow].commander,)
        owners = (
            state.searches[search].commander for search, _ in _search_force_pairs(state, frame)
        )
        return seats_with_choice(state, owners)

    @override
    def step(self, run: Run, frame: SearchAttemptFrame) -> None:
        """Make the only remaining attempt, or end the segment."""
        pair = next(_search_force_pairs(run.state, frame), None)
        if pair is not None:
            attempt_search(run, frame, *pair)
            return
        end_shadowing(run)
        run.pop()
        begin_search_landing(run)


HANDLERS: Final = (Attempts(),)
