"""Probability distributions with exact fractions."""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final, TypeAlias, TypeVar

T = TypeVar("T")
K = TypeVar("K")
Chances: TypeAlias = Mapping[T, Fraction]
"""A distribution: the probability of each possible result. Results of a die are in ascending order of face."""

_PERCENT: Final = 100
_SMALLEST_SHOWN: Final = Fraction(1, 20)


def certain(result: T) -> dict[T, Fraction]:
    """Return a distribution with a single, certain result."""
    return {result: Fraction(1)}


def uniform(results: Iterable[T]) -> dict[T, Fraction]:
    """Return the distribution of equally likely outcomes, such as the faces of a die. Repeated outcomes are merged."""
    numbers: dict[T, int] = {}
    for result in results:
        numbers[result] = numbers.get(result, 0) + 1
    total = sum(numbers.values())
    return {result: Fraction(number, total) for result, number in numbers.items()}


def mixture(parts: Iterable[tuple[Fraction, Mapping[T, Fraction]]]) -> dict[T, Fraction]:
    """Return the weighted sum of several distributions. The weights must not add up to more than 1."""
    mixed_chances: dict[T, Fraction] = {}
    for weight, chances in parts:
        if not weight:
            continue
        for result, chance in chances.items():
            mixed_chances[result] = mixed_chances.get(result, Fraction(0)) + weight * chance
    return mixed_chances


def sum_distribution(parts: Iterable[Mapping[int, Fraction]]) -> dict[int, Fraction]:
    """Return the distribution of the sum of independent numbers, such as several dice. The sum of no numbers is 0."""
    totals = certain(0)
    for chances in parts:
        totals = mixture(
            (chance_before, {total + number: chance for number, chance in chances.items()})
            for total, chance_before in totals.items()
        )
    return totals


def map_results(chances: Mapping[T, Fraction], function: Callable[[T], K]) -> dict[K, Fraction]:
    """Apply a function to each result and return the distribution of its values. Equal values are merged."""
    return mixture((chance, certain(function(result))) for result, chance in chances.items())


def probability(chances: Mapping[T, Fraction], condition: Callable[[T], bool]) -> Fraction:
    """Return the probability that a result satisfies a condition."""
    return sum((chance for result, chance in chances.items() if condition(result)), Fraction(0))


def mean(
    chances: Mapping[T, Fraction], value_of: Callable[[T], int | Fraction] | None = None
) -> Fraction:
    """Return the mean of the results or, if ``value_of`` is given, the mean of its values for the results."""
    total = Fraction(0)
    for result, chance in chances.items():
        value = value_of(result) if value_of is not None else result
        assert isinstance(value, int | Fraction), value
        total += chance * value
    return total


def percent(chance: Fraction) -> int:
    """Round a probability to a whole percentage.

    Only an impossible result becomes 0, and only a certain one becomes 100.
    """
    if chance in (0, 1):
        return int(chance) * _PERCENT
    # Round half up.
    rounded_percent = (2 * _PERCENT * chance.numerator + chance.denominator) // (
        2 * chance.denominator
    )
    return min(max(rounded_percent, 1), _PERCENT - 1)


def format_tenths(number: Fraction) -> str:
    """Format a number with one decimal, such as ``2.5``, omitting a decimal of 0. Tiny numbers become ``<0.1``."""
    if 0 < number < _SMALLEST_SHOWN:
        return "<0.1"
    tenths = (20 * number.numerator + number.denominator) // (2 * number.denominator)
    units, fraction = divmod(tenths, 10)
    return f"{units}.{fraction}" if fraction else str(units)
