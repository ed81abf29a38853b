"""This turn's reinforcements: delays, the delay box and rolls for Europe (4.11, 10.2)."""

from typing import Final

from engine.eots.ch14_rivalry import delays_unit, europe_modifier
from engine.eots.ch15_europe import delays_reinforcements, highest_diverted_face, modified_face
from engine.eots.counters import counters
from engine.eots.events.tracks import DieRolled
from engine.eots.events.units import UnitBoxed, UnitRemoved, UnitScheduled
from engine.eots.flow import EotsRun
from engine.eots.ids import D10, CommonwealthNation, NationId, Side, UnitId
from engine.eots.rulings import BOXED_BY_EVENT
from engine.eots.scenarios import schedules
from engine.eots.state import DELAY_BOX, State
from engine.kernel.ids import Rule

AUSTRALIA: Final = NationId("australia")


def is_event_delay(state: State) -> bool:
    """Return whether a card event delays this turn's Allied reinforcements (10.21, J-80)."""
    return state.tracks.allied_delay_turn == state.turn


def is_never_delayed(unit: UnitId) -> bool:
    """Return whether a unit is never delayed.

    This applies to HQs, B29s, Japanese units and units marked as exempt (10.21, 10.23).
    """
    counter = counters()[unit]
    return counter.side is Side.JAPAN or counter.is_hq or counter.b29 or not counter.delayable


def is_delayed(state: State, unit: UnitId) -> bool:
    """Return whether a unit due this turn goes to the delay box instead (10.21)."""
    if is_never_delayed(unit) or not state.arrivals[unit].delayable:
        return False
    return delays_reinforcements(state) or is_event_delay(state) or delays_unit(state, unit)


def due_units(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return a side's units that are due to arrive from the turn track this turn, sorted by id (10.1)."""
    return tuple(
        unit
        for unit, arrival in sorted(state.arrivals.items())
        if arrival.turn <= state.turn and counters()[unit].side is side
    )


def boxed_units(state: State, side: Side) -> tuple[UnitId, ...]:
    """Return a side's units in the delay box, sorted by id (10.1)."""
    return tuple(
        unit
        for unit in sorted(state.units)
        if state.units[unit].at == DELAY_BOX and counters()[unit].side is side
    )


def entering_steps(state: State, unit: UnitId) -> int:
    """Return how many steps a waiting unit has when it enters play."""
    arrival = state.arrivals.get(unit)
    return state.units[unit].steps if arrival is None else arrival.steps


def units_to_place(run: EotsRun, side: Side) -> tuple[UnitId, ...]:
    """Return the units that a side places now: HQs first, then all other units, both sorted by id (4.11, 10.21).

    Before any unit is placed, delayed units go to the delay box and roll for Europe.
    """
    delayed_units = boxed_units(run.state, side)
    waiting_units: tuple[UnitId, ...] = ()
    for unit in (*delayed_units, *due_units(run.state, side)):
        if is_lost(run.state, unit):
            run.add(UnitRemoved(rule=Rule("13.83"), unit=unit))
        # Units already in the delay box are not delayed a second time.
        elif unit not in delayed_units and is_delayed(run.state, unit):
            _delay_unit(run, unit)
        else:
            waiting_units = (*waiting_units, unit)
    return tuple(sorted(waiting_units, key=lambda unit: (not counters()[unit].is_hq, unit)))


def is_lost(state: State, unit: UnitId) -> bool:
    """Return whether a due unit never arrives. This affects Australian units once Australia has surrendered (13.83)."""
    is_australian = counters()[unit].cw_nation is CommonwealthNation.AUSTRALIAN
    return is_australian and AUSTRALIA in state.tracks.surrendered


def _delay_unit(run: EotsRun, unit: UnitId) -> None:
    """Move a unit due this turn to the delay box and roll for Europe (10.21, 10.24)."""
    box_unit(run, unit, Rule("10.21"))
    # CP-44: by default, a unit delayed by an event rolls too. The alternative reading exempts it.
    if not (is_event_delay(run.state) and BOXED_BY_EVENT.uses_alternative(run.state.options)):
        roll_for_europe(run, unit)


def box_unit(run: EotsRun, unit: UnitId, rule: Rule) -> None:
    """Put a waiting unit into the delay box. The unit keeps its steps (10.12, 10.21)."""
    run.add(UnitBoxed(rule=rule, unit=unit, steps=entering_steps(run.state, unit)))


def roll_for_europe(run: EotsRun, unit: UnitId) -> None:
    """Roll for a unit in the delay box, unless it is exempt. A low enough result sends it to Europe (10.22, 10.24)."""
    state = run.state
    highest_face = highest_diverted_face(state)
    if highest_face is None or not counters()[unit].europe_divert:
        return
    face, modifier = run.dice.roll(D10), europe_modifier(state)
    rule = Rule("10.24")
    run.add(
        DieRolled(
            rule=rule, side=Side.ALLIED, face=face, modifier=modifier, purpose="europe", about=unit
        )
    )
    if modified_face(face, modifier) <= highest_face:
        return_turn = state.turn + schedules().reinforcements.europe_roll.returns_after_turns
        steps = entering_steps(state, unit)
        run.add(UnitScheduled(rule=rule, unit=unit, turn=return_turn, steps=steps, delayable=True))
