"""Anti-aircraft fire by ships of both sides (5.5)."""

from collections.abc import Iterable
from typing import Final

from engine.cbps.charts.results import AbortElim
from engine.cbps.damage.ch12_hulls import hull_aa, us_ship_aa
from engine.cbps.run import Run
from engine.cbps.state import State

_NO_EFFECT: Final = AbortElim(0, 0)


def roll_flak(run: Run, value: int, subject: str) -> AbortElim:
    """Fire at a strike or raid. Return the numbers of units or points aborted and eliminated (5.51).

    No die is rolled if the anti-aircraft value is below the first column that has any effect.
    """
    chart = run.state.game_data.charts.anti_aircraft_fire
    if not value:
        return _NO_EFFECT
    key = chart.column_for(value)
    silent_cells = chart.column(key).cells
    if len(silent_cells) == 1 and silent_cells[0].result == _NO_EFFECT:
        run.record_result(
            chart,
            subject,
            silent_cells[0].result,
            column=key,
            is_assumed=silent_cells[0].is_assumed,
        )
        return _NO_EFFECT
    return run.roll_on_column(chart, value, subject)


def us_aa(state: State, ships: Iterable[str]) -> int:
    """Return the total anti-aircraft value of US ships, reduced for damage (5.51, 12.11, 12.51)."""
    return sum(us_ship_aa(state, ship) for ship in ships)


def japanese_aa(state: State, ships: Iterable[str]) -> int:
    """Return the total anti-aircraft value of Japanese ships, reduced for damage (5.51, 12.25, 12.52)."""
    return sum(hull_aa(state, ship) for ship in ships)
