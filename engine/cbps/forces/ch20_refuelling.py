"""Japanese refuelling on the night of 19-20 June (20.1, Scenario 8)."""

from collections.abc import Iterable
from typing import Final

from engine.cbps.clock import day_and_time, is_at_or_after
from engine.cbps.damage.ch12_hulls import hull_level
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import ForceFuel, ForceRetires, OilersPlaced
from engine.cbps.forces.ch07_forces import double_partner
from engine.cbps.forces.ch07_targets import nearest_hex
from engine.cbps.forces.ch19_retirement import separate_halves
from engine.cbps.rulings import REFUELLING, is_on
from engine.cbps.run import Run
from engine.cbps.state import State

WANTS: Final = "wants"
REFUELLED: Final = "refuelled"
GIVEN_UP: Final = "given-up"
_TAIHO: Final = "taiho"


def _has_oiler_time_come(state: State, *, is_leaving: bool) -> bool:
    """Return whether the oilers' arrival time or, with ``is_leaving``, departure time has been reached (20.2, 20.8)."""
    times = state.game_data.scenarios[state.scenario].refuelling
    if times is None or not is_on(state, REFUELLING):
        return False
    return is_at_or_after(state, *(times.oilers_leave if is_leaving else times.oilers_arrive))


def place_oilers(run: Run) -> None:
    """Place the oilers at random, one in each group of hexes, or remove them when they leave (20.3, 20.4, 20.8)."""
    state = run.state
    times = state.game_data.scenarios[state.scenario].refuelling
    if times is None or not is_on(state, REFUELLING):
        return
    moment = day_and_time(state)
    if moment == tuple(times.oilers_leave) and state.oilers:
        run.add(OilersPlaced())
    if moment != tuple(times.oilers_arrive) or state.oilers:
        return
    groups = [str(group) for group in state.game_data.map.oil]
    hexes: list[str] = []
    for oiler in state.game_data.oilers:
        subject = f"Oiler {oiler}"
        group = run.pick(groups, "20.3", subject)
        groups.remove(group)
        choices = {
            str(group_id): oil_hexes for group_id, oil_hexes in state.game_data.map.oil.items()
        }[group]
        hexes.append(run.pick(choices, "20.3", subject))
    run.add(OilersPlaced(hexes=tuple(hexes)))


def begin_retirement(run: Run, halves: Iterable[str]) -> None:
    """Retire forces in the West section to refuel. Once the oilers leave, retire every force (20.5, 20.8)."""
    group = tuple(halves)
    is_over = _has_oiler_time_come(run.state, is_leaving=True)
    if not is_over and not _has_oiler_time_come(run.state, is_leaving=False):
        return
    for name in group:
        state = run.state
        force = state.forces[name]
        if not is_over and state.game_data.map.hexes[force.hex].section != "W":
            continue
        if not force.is_retiring:
            run.add(ForceRetires(force=name, why="over" if is_over else "fuel"))
        if is_over and force.fuel == WANTS:
            run.add(ForceFuel(force=name, fuel=GIVEN_UP, is_over=True))
        elif not is_over and not force.fuel:
            _choose_oiler(run, name)
    separate_halves(run, group[0])


def _choose_oiler(run: Run, name: str) -> None:
    """Choose the nearest oiler for the rest of the game, the same one for both halves of a double force (20.5)."""
    state = run.state
    if not state.oilers:
        return
    partner = double_partner(state, name)
    goal = state.forces[partner].oiler if partner else ""
    if not goal:
        goal = nearest_hex(run, state.oilers.values(), state.forces[name].hex, name)
    run.add(ForceFuel(force=name, fuel=WANTS, oiler=goal))
    _join_queue(run, name)


def join_queue(run: Run, names: Iterable[str]) -> None:
    """Give each force that has reached its oiler a place in the queue (20.61)."""
    for name in names:
        _join_queue(run, name)


def _join_queue(run: Run, name: str) -> None:
    state = run.state
    force = state.forces[name]
    if force.fuel != WANTS or force.queue or force.hex != force.oiler:
        return
    partner = double_partner(state, name)
    place = state.forces[partner].queue if partner else 0
    queues = [
        other_force.queue
        for other_force in state.forces.values()
        if other_force.oiler == force.oiler
    ]
    run.add(
        ForceFuel(
            force=name, fuel=WANTS, oiler=force.oiler, queue=place or max(queues, default=0) + 1
        )
    )


def refuel(run: Run, force: str) -> None:
    """Roll to refuel a force if it is first in line and its oiler was not yet used in this phase (20.6, 20.61)."""
    state = run.state
    force_state = state.forces[force]
    if force_state.fuel != WANTS or not force_state.queue or force_state.hex != force_state.oiler:
        return
    if force_state.oiler in state.oilers_tried or force_state.oiler not in state.oilers.values():
        return
    line = [
        force.queue
        for force in state.forces.values()
        if force.fuel == WANTS
        and force.oiler == force_state.oiler
        and force.queue
        and force.hex == force.oiler
    ]
    if force_state.queue > min(line):
        return
    modifiers = (Modifier(id="taiho", drm=1),) if _is_taiho_out(state) else ()
    is_done = run.roll_on_chart(state.game_data.charts.refuel, force, modifiers) == "success"
    fuel = REFUELLED if is_done else WANTS
    run.add(
        ForceFuel(
            force=force, fuel=fuel, oiler=force_state.oiler, queue=force_state.queue, is_try=True
        )
    )
    partner = double_partner(state, force)
    if is_done and partner and state.forces[partner].fuel == WANTS:
        run.add(
            ForceFuel(force=partner, fuel=fuel, oiler=force_state.oiler, queue=force_state.queue)
        )


def _is_taiho_out(state: State) -> bool:
    """Return whether Taiho is sunk or crippled, which modifies the refuelling roll (20.61)."""
    return _TAIHO in state.hulls and hull_level(state, _TAIHO) in {"crippled", "sunk"}


def cancel_refuelling(run: Run, force: str) -> None:
    """Cancel refuelling for a force that an air search has spotted or located, and for its other half (20.7)."""
    for name in (force, double_partner(run.state, force)):
        if name and run.state.forces[name].fuel == WANTS:
            run.add(ForceFuel(force=name, fuel=GIVEN_UP))


def is_refuelling(state: State, force: str) -> bool:
    """Return whether a retiring force is on its way to its oiler or waiting there (20.5)."""
    force_state = state.forces[force]
    return force_state.fuel == WANTS and force_state.oiler in state.oilers.values()
