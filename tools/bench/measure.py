"""Measured numbers: samples become median, p95 and p99, beside the targets of the first stage and the aims."""

import time
from collections.abc import Callable, Iterable, Sequence

import msgspec


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What a number shall reach."""

    first: float
    """Target of the first stage."""
    aim: float
    at: int = 50
    """The percentile that has to reach it: 50, 95 or 99."""
    more_is_better: bool = False
    """The number is a rate or a capacity."""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the report."""

    name: str
    unit: str
    samples: int
    median: float
    p95: float
    """95 of 100 samples are at least as good as this; for rates that is a low number."""
    p99: float
    goal: Goal | None
    met: bool | None
    """Whether the first stage is reached; None when nothing was promised."""
    method: str
    """What was done, with seeds and sizes."""


def percentile(samples: Sequence[float], percent: int, *, more_is_better: bool = False) -> float:
    """Return the value that so many of 100 samples reach or better (nearest rank).

    Args:
        samples: At least one value, in any order.
        percent: 1 to 100.
        more_is_better: The samples are rates, so that the worst ones are the low ones.
    """
    ordered = sorted(samples, reverse=more_is_better)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(rank, 1) - 1]


def measure(
    name: str, unit: str, samples: Iterable[float], method: str, goal: Goal | None = None
) -> Measure:
    """Return the row of some samples."""
    values = tuple(samples)
    more = unit.endswith("/s") if goal is None else goal.more_is_better
    ranked = {rank: percentile(values, rank, more_is_better=more) for rank in (50, 95, 99)}
    met = None
    if goal is not None:
        reached = ranked[goal.at]
        met = reached >= goal.first if more else reached <= goal.first
    return Measure(
        name=name,
        unit=unit,
        samples=len(values),
        median=ranked[50],
        p95=ranked[95],
        p99=ranked[99],
        goal=goal,
        met=met,
        method=method,
    )


def seconds_of(action: Callable[[], object]) -> float:
    """Return how long an action took by the clock on the wall."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def work_of(action: Callable[[], object]) -> float:
    """Return the processor time of this process that an action took, in seconds.

    For pure computing it is the time on the wall of a machine with nothing else to do.
    """
    began = time.process_time()
    action()
    return time.process_time() - began
