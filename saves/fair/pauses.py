"""Runs computations that can pause, so that a host can serve other matches in the meantime."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def without_pauses(steps: Generator[None, None, T]) -> T:
    """Run a computation to completion without pausing, and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
