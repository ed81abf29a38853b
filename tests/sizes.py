"""Determines how many cases of a test series to run: a sample, all cases that a change must pass, or a whole night's.

``pytest --size`` selects the size. ``tests/anchors.toml`` lists the test series. A test that belongs to one is marked
``series(ID)`` and takes its counts from here. ``tools.dev.series`` reads the counts from the source code, so each call
must contain its numbers as literals. ``of`` names what is counted.
"""

import sys
from collections.abc import Sequence
from typing import Final, TypeVar

SIZES: Final = ("quick", "full", "nightly")
ALL: Final = sys.maxsize
"""A limit that is longer than any list of cases."""
T = TypeVar("T")
_chosen = [SIZES[0]]


def choose(size: str) -> None:
    """Set the size of this run. Call this before any test is collected."""
    _chosen[0] = size


def chosen() -> str:
    """Return the size of this run."""
    return _chosen[0]


def sized(quick: int, full: int, nightly: int = 0, *, of: str = "") -> int:
    """Return the count for this run. Without a nightly count, a nightly run uses the full count."""
    del of
    return {"quick": quick, "full": full, "nightly": nightly or full}[chosen()]


def sampled(cases: Sequence[T], quick: int, full: int = ALL, *, of: str = "") -> Sequence[T]:
    """Return a sample of evenly spaced cases for a quick or full run, or all cases for a nightly run."""
    del of
    count = min(sized(quick, full, ALL), len(cases))
    return [cases[number * len(cases) // count] for number in range(count)]
