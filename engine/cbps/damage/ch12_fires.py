"""Fires, which occur only on US carriers (12.3, 12.35)."""

from collections.abc import Iterator
from typing import Final, assert_never

from engine.cbps.charts.results import FireSpread
from engine.cbps.damage.ch12_us_damage import hit_us_ship
from engine.cbps.events.chance import Modifier
from engine.cbps.events.fleet import FiresChanged
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State

_MAX_FIRE_LEVEL: Final = 3
"""The highest fire level (12.33)."""
_HIT_MODIFIERS: Final = ((5, "hits_5"), (3, "hits_3_4"), (2, "hits_2"))
"""Modifiers of the fire roll, by the minimum number of hits in the segment (12.31)."""


def roll_fire_outbreaks(run: Run) -> None:
    """Roll once for fire on each carrier that was hit in this segment (12.31).

    Only hits by raids and gunfire count. Hits by submarines or fires do not (12.311, OP-44).
    """
    if not scenario_rules(run.state).has_full_rules:
        return
    chart = run.state.game_data.charts.fire_outbreak
    for name, ship in run.state.ships.items():
        if (
            ship.segment_hits
            and run.state.game_data.us_ships[name].is_carrier
            and run.roll_on_chart(chart, name, _outbreak_modifiers(run.state, name)) == "fire"
        ):
            start_fire(run, name)


def _outbreak_modifiers(state: State, ship: str) -> Iterator[Modifier]:
    chart = state.game_data.charts.fire_outbreak
    hit = state.ships[ship]
    for min_roll, modifier in _HIT_MODIFIERS:
        if hit.segment_hits >= min_roll:
            yield chart_modifier(chart, modifier)
            break
    if hit.was_armed:
        yield chart_modifier(chart, "armed_planes")


def start_fire(run: Run, ship: str) -> None:
    """Start a new level-1 fire (12.31, 12.36)."""
    run.add(FiresChanged(ship=ship, levels=(*run.state.ships[ship].fires, 1)))


def spread_fires(run: Run) -> None:
    """Roll for every fire on every US carrier at the end of the turn (12.32, 12.33, 12.36)."""
    for name, ship in run.state.ships.items():
        if ship.fires:
            _spread_ship_fires(run, name, ship.fires)


def _spread_ship_fires(run: Run, ship: str, fire_levels: tuple[int, ...]) -> None:
    chart = run.state.game_data.charts.fire_spread
    levels = []
    for level in fire_levels:
        # Damage by an earlier fire may have sunk the ship.
        if run.state.ships[ship].is_sunk:
            return
        result = run.roll_on_chart(chart, ship)
        levels.append(_level_after(level, result))
        hit_us_ship(run, ship, _fire_hits(level, result), "fire")
    burning_levels = tuple(level for level in levels if level)
    if burning_levels != fire_levels and not run.state.ships[ship].is_sunk:
        run.add(FiresChanged(ship=ship, levels=burning_levels))


def _level_after(level: int, result: FireSpread) -> int:
    """Return the level of a fire after its roll, or 0 if the fire is out (12.33)."""
    match result:
        case "extinguished":
            return 0
        case "-1 level":
            return level - 1
        case "+1 level":
            return min(level + 1, _MAX_FIRE_LEVEL)
        case "+ damage" | "+ 2x damage":
            return level
        case other_case:
            assert_never(other_case)


def _fire_hits(level: int, result: FireSpread) -> int:
    """Return the number of hits caused by a fire: 0, its level, or twice its level (12.33)."""
    return {"+ damage": level, "+ 2x damage": 2 * level}.get(result, 0)
