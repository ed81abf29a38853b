"""China: the front, China offensives and the government's collapse (13.71-13.74)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import area_of
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.supply import BurmaRoad, burma_road, supply
from engine.eots.ch11_pools import CHINA_COAST, is_china_cut_off
from engine.eots.ch13_nations.penalties import note_surrender
from engine.eots.counters import counters
from engine.eots.events.tracks import ChinaFrontMoved, ChinaOffensiveTried
from engine.eots.events.units import UnitRemoved
from engine.eots.flow import EotsRun
from engine.eots.ids import CHINA_BOX, Nationality, NationId, Side, UnitId
from engine.eots.rulings import AIR_IN_CHINA
from engine.eots.state import REMOVED, ChinaFront, State
from engine.eots.unit_removal import move_to_turn_track
from engine.kernel.ids import Refusal, Rule

CHINA: Final = NationId("china")
FOURTEENTH_LRB: Final = UnitId("us-lrb-14af")
"""The only LRB that counts towards the China air modifier, and only in the China box (13.72B, 13.74)."""
ROAD_VALUES: Final = {BurmaRoad.OPEN: 8, BurmaRoad.CLOSED_HUMP: 4, BurmaRoad.CLOSED: 0}
"""Number to subtract from the baseline, by status of the Burma Road (13.72A, 13.78E)."""


def move_front(run: EotsRun, delta: int, rule: Rule, *, may_enter_stable: bool) -> None:
    """Move the China front marker. If it enters Government Collapsed, China surrenders immediately (13.72, 13.73).

    Args:
        run: Records the events. If China has surrendered, nothing happens.
        delta: Number of boxes to move. Negative numbers move towards Government Collapsed.
        rule: The card or rule that moves the marker.
        may_enter_stable: True if the marker may end in Stable Front.
    """
    tracks = run.state.tracks
    if CHINA in tracks.surrendered:
        return
    front = tracks.china_front
    top = ChinaFront.STABLE_FRONT if may_enter_stable else ChinaFront.UNSTABLE_FRONT
    aim = front + delta
    if delta > 0:
        # If the marker is already above the limit, it must not be moved back.
        aim = max(min(aim, top), front)
    new_front = ChinaFront(min(max(aim, ChinaFront.GOVERNMENT_COLLAPSED), ChinaFront.STABLE_FRONT))
    if new_front is front:
        return
    run.add(ChinaFrontMoved(rule=rule, to=new_front))
    if new_front is ChinaFront.GOVERNMENT_COLLAPSED:
        _surrender_china(run)


def _surrender_china(run: EotsRun) -> None:
    """Apply the effects of China's surrender on Political Will and on Allied units in China (13.73, 16.41, OPB-42)."""
    note_surrender(run, CHINA)
    state = run.state
    for unit in allied_air_in_china(state):
        move_to_turn_track(run, unit, Rule("13.73"), is_delayable=counters()[unit].delayable)
    for unit, piece in sorted(state.units.items()):
        if counters()[unit].nationality is Nationality.CHINA and piece.at != REMOVED:
            run.add(UnitRemoved(rule=Rule("13.73"), unit=unit))


def china_offensive_refusals(state: State) -> Iterator[Refusal]:
    """Yield every reason why Japan cannot conduct a China offensive with an operations card now (13.71-13.73)."""
    if CHINA in state.tracks.surrendered:
        yield Refusal(Rule("13.73"), "China has surrendered")
    if is_china_cut_off(state):
        yield Refusal(
            Rule("13.71"), "the Allies control every port on the coasts of China and Korea"
        )
    last_try_turn = state.tracks.china_offensive_turn
    if last_try_turn and state.turn - last_try_turn <= 1:
        yield Refusal(Rule("13.72"), f"the last China offensive was in turn {last_try_turn}")


def allied_air_in_china(state: State) -> tuple[UnitId, ...]:
    """Return the Allied air units in the China box and on China's coast (13.72B, 13.73).

    Under OPB-42's alternative reading, those on the coast are left out.
    """
    coast = (
        ()
        if AIR_IN_CHINA.uses_alternative(state.options)
        else area_of(state.options, CHINA_COAST).hexes
    )
    return tuple(
        unit
        for place in (CHINA_BOX, *coast)
        for unit in units_at(state).get(place, ())
        if counters()[unit].is_air and counters()[unit].side is Side.ALLIED
    )


def china_air_modifier(state: State) -> int:
    """Return the modifier to a China offensive's roll from Allied air units in China (13.72B, 13.74, OPB-42)."""
    supply_solution = supply(state)
    return sum(
        supply_solution.is_supplied(unit) and _counts_for_modifier(state, unit)
        for unit in allied_air_in_china(state)
    )


def _counts_for_modifier(state: State, unit: UnitId) -> bool:
    """Return whether an air unit in China counts towards the modifier.

    LRBs do not count, except for one in the China box (13.72B).
    """
    in_box = state.units[unit].at == CHINA_BOX
    return not counters()[unit].lrb or (in_box and unit == FOURTEENTH_LRB)


def china_baseline(state: State) -> int:
    """Return the highest modified roll with which a China offensive succeeds (13.72A)."""
    return state.tracks.divisions_in_china - ROAD_VALUES[burma_road(state)]


def conduct_china_offensive(run: EotsRun) -> None:
    """Roll for a China offensive and move the front accordingly (13.72A)."""
    modifier, baseline = china_air_modifier(run.state), china_baseline(run.state)
    rule = Rule("13.72")
    face = run.roll(rule, Side.JAPAN, "china", modifier=modifier)
    success = face + modifier <= baseline
    run.add(ChinaOffensiveTried(success=success))
    if success:
        move_front(run, -1, rule, may_enter_stable=False)
    elif modifier > 0:
        move_front(run, 1, rule, may_enter_stable=False)
