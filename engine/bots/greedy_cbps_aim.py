"""Assigns damage dice for the greedy Carrier Battle bot (5.61)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.cbps import commands as orders
from engine.cbps.frames import AimFrame

_FACES: Final = 10
_SUNK_POINTS: Final = {"CV": 25, "CVL": 15}
_CRIPPLED_POINTS: Final = {"CV": 17, "CVL": 10}
_HEAVILY_DAMAGED: Final = {"CV": 10, "CVL": 6}
_OTHER_SHIP_VALUES: Final = {"BB": 2, "CA": 3, "DD": 3}
"""Value of sinking a ship of a type that scores no points but could reach the invasion beach."""


def choose_target(situation: CbpsSituation, options: Options) -> Answer:
    """Return the ship that receives the next die: the first ship in the best allocation of the remaining dice."""
    aim_options = options_of_kind(options, orders.Aim)
    frame = situation.view.frames[-1]
    if not aim_options or not isinstance(frame, AimFrame):
        return None
    bonus = {"none": 0, "partial": 1, "complete": 2}[frame.surprise]
    ships = [option.ship for option in aim_options]
    assigned_dice: dict[str, list[int]] = {}
    for ship, die in zip(frame.ships, frame.dice, strict=False):
        assigned_dice.setdefault(ship, []).append(die)
    unaimed_dice = frame.dice[len(frame.ships) :]

    def value_with_dice(ship: str, dice: Sequence[int]) -> int:
        return _expected_value(situation, ship, bonus, (*assigned_dice.get(ship, ()), *dice))

    def total_gain(first_hits: int, second_hits: int, first_count: int) -> int:
        first_ship, second_ship = ships[first_hits], ships[second_hits]
        return (
            value_with_dice(first_ship, unaimed_dice[:first_count])
            - value_with_dice(first_ship, ())
            + value_with_dice(second_ship, unaimed_dice[first_count:])
            - value_with_dice(second_ship, ())
        )

    best_score, best_score_index = -1, 0
    for first_index in range(len(ships)):
        for second in range(len(ships)):
            if first_index == second and len(ships) > 1:
                continue
            for first_count in range(1, len(unaimed_dice) + 1):
                value = (
                    total_gain(first_index, second, first_count)
                    if first_index != second
                    else value_with_dice(ships[first_index], unaimed_dice)
                )
                if value > best_score:
                    best_score, best_score_index = value, first_index
    return aim_options[best_score_index]


def _expected_value(situation: CbpsSituation, ship: str, bonus: int, dice: Sequence[int]) -> int:
    """Return the expected value of assigning dice to a ship, in thousandths of a victory point."""
    ship_data = situation.game_data.japanese_ships[ship]
    is_carrier = ship_data.type in _SUNK_POINTS
    hits = situation.view.hulls[ship].hits.total
    # Sorted, so that equal sets of dice share a cache entry.
    modifiers = tuple(sorted(die + (bonus if is_carrier else 0) for die in dice))
    cells = tuple(
        (cell.lo, cell.hi, int(cell.result))
        for cell in situation.game_data.charts.air_attack_damage.cells
    )
    chances = hit_counts(modifiers, cells)
    values = [
        _damage_points(ship_data.type, ship_data.damage_capacity, hits + new_hits) * chance
        for new_hits, chance in enumerate(chances)
    ]
    return sum(values) * 1_000 // sum(chances)


def _damage_points(kind: str, capacity: int, hits: int) -> int:
    """Return the bot's value for the hits on a ship, based on the points of 15.1."""
    if kind not in _SUNK_POINTS:
        return _OTHER_SHIP_VALUES.get(kind, 0) if hits >= capacity else 0
    if hits >= capacity:
        return _SUNK_POINTS[kind]
    if hits >= capacity - (2 if kind == "CV" else 1):
        return _CRIPPLED_POINTS[kind]
    return _HEAVILY_DAMAGED[kind] if 2 * hits >= capacity else hits


@lru_cache(maxsize=512)
def hit_counts(
    modifiers: tuple[int, ...], cells: tuple[tuple[int, int, int], ...]
) -> tuple[int, ...]:
    """Return, for each number of hits, how many combinations of dice yield exactly that many hits."""
    lowest_roll, highest_roll = cells[0][0], cells[-1][1]
    total = [1]
    for modifier in modifiers:
        rolls = [
            min(max(face + modifier, lowest_roll), highest_roll) for face in range(1, _FACES + 1)
        ]
        results = [
            next(hits for lowest, max_roll, hits in cells if lowest <= roll <= max_roll)
            for roll in rolls
        ]
        sums = [0] * (len(total) + max(results))
        for sum_, cases in enumerate(total):
            for hits in results:
                sums[sum_ + hits] += cases
        total = sums
    return tuple(total)
