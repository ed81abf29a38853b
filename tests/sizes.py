"""How much of a campaign one run plays: a sample, what a change must pass, or what a night has time for.

The size is chosen with ``pytest --size``. Campaigns are the anchors of ``tests/anchors.toml``; a test that belongs
to one is marked ``campaign(ID)``, and its counts come from here. `docs/robustness.md` is made from both: ``of`` says
there what is counted, and numbers stand in the call itself, where they are read.
"""

import sys
from collections.abc import Sequence
from typing import Final, TypeVar

SIZES: Final = ("quick", "full", "nightly")
ALL: Final = sys.maxsize
"""More than there is of anything: a limit that lets all cases through."""
T = TypeVar("T")
_chosen = [SIZES[0]]


def choose(size: str) -> None:
    """Set the size of this run, before any test is collected."""
    _chosen[0] = size


def chosen() -> str:
    """Return the size of this run."""
    return _chosen[0]


def sized(quick: int, full: int, nightly: int = 0, *, of: str = "") -> int:
    """Return the count for this run; where a night adds nothing, it plays the full one."""
    del of
    return {"quick": quick, "full": full, "nightly": nightly or full}[chosen()]


def sampled(cases: Sequence[T], quick: int, full: int = ALL, *, of: str = "") -> Sequence[T]:
    """Return some of the cases, evenly spread: so many in a quick and in a full run, and all of them in a night."""
    del of
    count = min(sized(quick, full, ALL), len(cases))
    return [cases[number * len(cases) // count] for number in range(count)]
