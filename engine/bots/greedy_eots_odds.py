"""Estimates battle odds for the greedy bot before any roll (9.2-9.4)."""

from collections import Counter
from functools import lru_cache
from typing import Final

from engine.eots.ch09_battle.conclusion import is_won
from engine.eots.ch09_battle.strength import GROUND, hits_scored
from engine.eots.ids import D10

_Force = tuple[int, tuple[int, ...]]
CERTAIN_PERCENT: Final = 100
"""The chance of a certain event. All chances are in whole percent."""
AIR_NAVAL_CHANCES: Final = ((200, 90), (150, 75), (120, 62), (100, 50), (70, 25), (0, 5))
"""Chances of winning air-naval combat. Each has the minimum strength needed, in percent of the enemy strength (9.3)."""


@lru_cache(maxsize=4096)
def ground_chance(own_force: _Force, enemy: _Force, own_drm: int, enemy_drm: int) -> int:
    """Return the Offensive player's chance, in percent, of winning a ground combat (9.4A, 9.4C).

    Args:
        own_force: The Offensive player's attack strength, and the hits needed to remove each of the Offensive player's
            steps.
        enemy: The same values for the Reaction player.
        own_drm: Modifiers to the Offensive player's roll.
        enemy_drm: Modifiers to the Reaction player's roll.
    """
    if not enemy[1]:
        return CERTAIN_PERCENT
    enemy_losses = Counter(
        _steps_lost(own_force[0], face + own_drm, enemy[1]) for face in D10.faces
    )
    own_losses = Counter(
        _steps_lost(enemy[0], face + enemy_drm, own_force[1]) for face in D10.faces
    )
    winning_outcomes = sum(
        enemy_count * own_count
        for enemy_steps, enemy_count in enemy_losses.items()
        for own_steps, own_count in own_losses.items()
        if is_won(
            (own_steps < len(own_force[1]), own_steps), (enemy_steps < len(enemy[1]), enemy_steps)
        )
    )
    return CERTAIN_PERCENT * winning_outcomes // len(D10.faces) ** 2


def air_naval_chance(own_total: int, enemy: int) -> int:
    """Return the chance, in percent, of winning air-naval combat; 100 if no enemy takes part (9.3)."""
    if enemy <= 0:
        return CERTAIN_PERCENT
    ratio = CERTAIN_PERCENT * own_total // enemy
    return next(chance for min_ratio, chance in AIR_NAVAL_CHANCES if ratio >= min_ratio)


def _steps_lost(attack: int, roll: int, costs: tuple[int, ...]) -> int:
    """Return how many steps are removed by the hits from a roll. The cheapest steps are removed first (9.4B)."""
    hits = hits_scored(attack, GROUND.result(roll))
    steps = 0
    for cost in sorted(costs):
        if hits < cost:
            break
        hits -= cost
        steps += 1
    return steps
