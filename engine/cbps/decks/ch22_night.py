"""Night air operations: night fighters fly searches and intercepts (22.1, 22.2, 22.3)."""

from collections.abc import Iterator

from engine.cbps.clock import current_light
from engine.cbps.rulings import NIGHT_LAUNCH, NIGHT_OPERATIONS, is_on
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule


def is_night_type(state: State, unit: str) -> bool:
    """Return whether a unit flies the night version of its aircraft type (2.341)."""
    game_data = state.game_data
    return game_data.air_types[game_data.air_units[unit].type].night


def is_night_capable(state: State, unit: str) -> bool:
    """Return whether a unit can operate at night. Night versions are ordinary units if 22.0 is not in use (2.341)."""
    return is_on(state, NIGHT_OPERATIONS) and is_night_type(state, unit)


def leaves_play(state: State, unit: str) -> bool:
    """Return whether a unit leaves the game on landing because it was launched at night (22.4)."""
    return state.units[unit].by_night


def night_refusals(state: State, unit: str) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot be launched on a mission or search in this phase's light (22.1, 22.5)."""
    if current_light(state) != "night" or _is_unrestricted(state):
        return
    if not is_on(state, NIGHT_OPERATIONS):
        # OP-18: units fly at night only if 22.0 is in use
        yield Refusal(Rule("6.24"), "no units are launched at night")
    elif not is_night_type(state, unit):
        yield Refusal(Rule("22.1"), "only night fighters are launched at night")
    elif state.units[unit].by_day:
        yield Refusal(Rule("22.5"), "this unit has flown by day and must rest")


def night_strike_refusals(state: State) -> Iterator[Refusal]:
    """Yield the reason why no unit can be launched on a strike in this phase's light (22.1)."""
    if current_light(state) == "night" and not _is_unrestricted(state):
        yield Refusal(Rule("22.1"), "at night, units are launched only for searches and intercepts")


def _is_unrestricted(state: State) -> bool:
    return not is_on(state, NIGHT_OPERATIONS) and NIGHT_LAUNCH.uses_alternative(state.options)
