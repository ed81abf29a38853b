"""Future phases with their turn and light (3.1, 6.41)."""

from typing import Final, TypeAlias

import msgspec

from engine.cbps.clock import day_and_time, phase_number
from engine.cbps.game_data import load_game_data
from engine.cbps.ids import Light
from engine.cbps.state import State
from engine.cbps.view import CbpsView
from engine.kernel.structs import shared_fields

Table: TypeAlias = State
"""Alias for the state of the battle when it is rebuilt from a view."""
PHASES: Final = 4
"""The number of Action Phases in a turn (3.1)."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """The current Action Phase or a later one."""

    day: str
    time: str
    """The label of the turn."""
    phase: int
    light: Light
    phases_away: int
    """Number of phases from now. 0 means the current phase."""


def state_from_view(view: CbpsView) -> Table:
    """Return the state that a view shows. Views are complete because nothing is hidden (1)."""
    return State(**shared_fields(view, State), game_data=load_game_data(view.overlay))


def phases_left(state: State) -> int:
    """Return the number of phases left in the scenario after the current one."""
    scenario = state.game_data.scenarios[state.scenario]
    return scenario.start_phase - 2 + scenario.length_action_phases - phase_number(state)


def moment_after(state: State, phases: int) -> Moment | None:
    """Return the Action Phase a number of phases from now, or None if the scenario ends before it."""
    if phases > phases_left(state):
        return None
    number = phase_number(state) + phases
    turn, phase = divmod(number, PHASES)
    day, time = day_and_time(state, turn)
    light = state.game_data.charts.turn_track.turn(time).light[phase]
    return Moment(day=day, time=time, phase=phase + 1, light=light, phases_away=phases)
