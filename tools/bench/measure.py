"""Computes the median, p95 and p99 of samples, and compares them with targets."""

import time
from collections.abc import Callable, Iterable, Sequence

import msgspec


class BenchmarkTarget(msgspec.Struct, frozen=True, kw_only=True):
    """Targets for a measurement."""

    first: float
    """The target that the benchmark must meet. ``aim`` is the stricter, long-term target."""
    aim: float
    at: int = 50
    """The percentile that must reach the target: 50, 95 or 99."""
    more_is_better: bool = False
    """True if the value is a rate or a capacity, so that high values are good."""


class BenchmarkResult(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the report."""

    name: str
    unit: str
    samples: int
    median: float
    p95: float
    """The value that 95 of 100 samples reach or beat. For a rate, it is therefore a low value."""
    p99: float
    goal: BenchmarkTarget | None
    met: bool | None
    """True if the first target is met; None if there is no target."""
    method: str
    """Description of the measurement, with seeds and sizes."""


def percentile(samples: Sequence[float], percent: int, *, more_is_better: bool = False) -> float:
    """Return the value that the given percentage of the samples reach or beat (nearest rank).

    Args:
        samples: At least one value, in any order.
        percent: 1 to 100.
        more_is_better: True if low samples are the worst, as for rates.
    """
    sorted_samples = sorted(samples, reverse=more_is_better)
    rank = -(-len(sorted_samples) * percent // 100)
    return sorted_samples[max(rank, 1) - 1]


def measure(
    name: str, unit: str, samples: Iterable[float], method: str, goal: BenchmarkTarget | None = None
) -> BenchmarkResult:
    """Return the report row for a set of samples."""
    values = tuple(samples)
    more_is_better = unit.endswith("/s") if goal is None else goal.more_is_better
    ranked = {
        rank: percentile(values, rank, more_is_better=more_is_better) for rank in (50, 95, 99)
    }
    met = None
    if goal is not None:
        measured_value = ranked[goal.at]
        met = measured_value >= goal.first if more_is_better else measured_value <= goal.first
    return BenchmarkResult(
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


def wall_seconds(action: Callable[[], object]) -> float:
    """Run an action and return its wall-clock duration in seconds."""
    start_time = time.perf_counter()
    action()
    return time.perf_counter() - start_time


def cpu_seconds(action: Callable[[], object]) -> float:
    """Run an action and return its CPU time in this process, in seconds.

    For pure computation, this is the wall-clock time on an idle machine.
    """
    start_time = time.process_time()
    action()
    return time.process_time() - start_time
