"""The game clock: turn labels, light, and time checks (3.1, 6.41)."""

from functools import lru_cache

from engine.cbps.game_data import GameData
from engine.cbps.ids import Light
from engine.cbps.state import Battle, State


def day_and_time(state: State, turn: int | None = None) -> tuple[str, str]:
    """Return a turn's day and label, such as ``("19 June", "0810")``. The default is the current turn."""
    turns = state.game_data.scenarios[state.scenario].turns
    return turns[state.turn if turn is None else turn]


def turn_label(state: State) -> str:
    """Return the label of the current turn, such as ``0810``."""
    return day_and_time(state)[1]


@lru_cache(maxsize=64)
def _phase_lights(game_data: GameData, scenario: str) -> tuple[tuple[Light, ...], ...]:
    """Return the light in each phase, for every turn of a scenario."""
    turn = game_data.charts.turn_track.turn
    return tuple(turn(time).light for _, time in game_data.scenarios[scenario].turns)


def current_light(state: State) -> Light:
    """Return the light in the current phase (6.41)."""
    return _phase_lights(state.game_data, state.scenario)[state.turn][state.phase - 1]


def is_full_daylight(state: State) -> bool:
    """Return whether all four phases of the current turn are daylight phases (14.25)."""
    return all(
        light == "day" for light in state.game_data.charts.turn_track.turn(turn_label(state)).light
    )


def is_half_past(state: State) -> bool:
    """Return whether this turn's label ends in 30. Crippled ships move only in such turns (12.42)."""
    return turn_label(state).endswith("30")


def is_at_or_after(state: State, day: str, time: str) -> bool:
    """Return whether the scenario includes a given turn and has reached it."""
    turns = state.game_data.scenarios[state.scenario].turns
    return (day, time) in turns and state.turn >= turns.index((day, time))


def phase_number(battle: Battle) -> int:
    """Return the number of phases since the start of the scenario, counting four per turn."""
    return battle.turn * 4 + battle.phase - 1
