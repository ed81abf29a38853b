"""Assigns damage dice for the greedy Carrier Battle bot (5.61)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engine.bots.greedy_cbps_orders import Answer, Options, options_of_kind
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.cbps import commands as orders
from engine.cbps.frames import AimFrame

_FACES: Final = 10
_SUNK: Final = {"CV": 25, "CVL": 15}
_CRIPPLED: Final = {"CV": 17, "CVL": 10}
_HEAVILY_DAMAGED: Final = {"CV": 10, "CVL": 6}
_OTHER_SHIP_VALUES: Final = {"BB": 2, "CA": 3, "DD": 3}
"""Value of sinking a ship that scores no points but could reach the invasion beach."""


def choose_target(situation: CbpsSituation, options: Options) -> Answer:
    """Return the ship to receive the next die: the first one in the best allocation of the remaining dice."""
    aims = options_of_kind(options, orders.Aim)
    top = situation.view.frames[-1]
    if not aims or not isinstance(top, AimFrame):
        return None
    bonus = {"none": 0, "partial": 1, "complete": 2}[top.surprise]
    ships = [option.ship for option in aims]
    before: dict[str, list[int]] = {}
    for ship, die in zip(top.ships, top.dice, strict=False):
        before.setdefault(ship, []).append(die)
    unaimed_dice = top.dice[len(top.ships) :]

    def gain(ship: str, dice: Sequence[int]) -> int:
        return _expected_value(situation, ship, bonus, (*before.get(ship, ()), *dice))

    def total(first: int, second: int, share: int) -> int:
        a, b = ships[first], ships[second]
        return (
            gain(a, unaimed_dice[:share])
            - gain(a, ())
            + gain(b, unaimed_dice[share:])
            - gain(b, ())
        )

    best, chosen = -1, 0
    for first in range(len(ships)):
        for second in range(len(ships)):
            if first == second and len(ships) > 1:
                continue
            for share in range(1, len(unaimed_dice) + 1):
                value = (
                    total(first, second, share)
                    if first != second
                    else gain(ships[first], unaimed_dice)
                )
                if value > best:
                    best, chosen = value, first
    return aims[chosen]


def _expected_value(situation: CbpsSituation, ship: str, bonus: int, dice: Sequence[int]) -> int:
    """Return the expected value of assigning dice to a ship, in thousandths of a victory point."""
    ship_data = situation.game_data.japanese_ships[ship]
    is_carrier = ship_data.type in _SUNK
    hits = situation.view.hulls[ship].hits.total
    # Sorting lets equal sets of dice share a cache entry.
    modifiers = tuple(sorted(die + (bonus if is_carrier else 0) for die in dice))
    cells = tuple(
        (cell.lo, cell.hi, int(cell.result))
        for cell in situation.game_data.charts.air_attack_damage.cells
    )
    cases = hit_counts(modifiers, cells)
    values = [
        _damage_points(ship_data.type, ship_data.damage_capacity, hits + more) * chance
        for more, chance in enumerate(cases)
    ]
    return sum(values) * 1_000 // sum(cases)


def _damage_points(kind: str, capacity: int, hits: int) -> int:
    """Return the points scored for a ship with the given number of hits (15.1)."""
    if kind not in _SUNK:
        return _OTHER_SHIP_VALUES.get(kind, 0) if hits >= capacity else 0
    if hits >= capacity:
        return _SUNK[kind]
    if hits >= capacity - (2 if kind == "CV" else 1):
        return _CRIPPLED[kind]
    return _HEAVILY_DAMAGED[kind] if 2 * hits >= capacity else hits


@lru_cache(maxsize=512)
def hit_counts(
    modifiers: tuple[int, ...], cells: tuple[tuple[int, int, int], ...]
) -> tuple[int, ...]:
    """Return, for each number of hits, how many dice results score it."""
    low, high = cells[0][0], cells[-1][1]
    total = [1]
    for modifier in modifiers:
        rolls = [min(max(face + modifier, low), high) for face in range(1, _FACES + 1)]
        results = [
            next(hits for lowest, highest, hits in cells if lowest <= roll <= highest)
            for roll in rolls
        ]
        sums = [0] * (len(total) + max(results))
        for sum_, cases in enumerate(total):
            for hits in results:
                sums[sum_ + hits] += cases
        total = sums
    return tuple(total)
