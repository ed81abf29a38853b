"""Robustness test categories: definitions from ``tests/anchors.toml`` and the results of their last runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parents[1]
ANCHORS: Final = ROOT / "tests" / "anchors.toml"
RESULTS: Final = ROOT / "tests" / "results.json"
PROPERTY: Final = "campaign"
"""Name of the test report property that contains the id of the test's category."""
UNREACHED: Final = "the time was over"
"""Skip reason for tests that were not started before the time limit."""


class Anchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of failure typical for programs like this one, and the tests that cover it."""

    title: str
    tests: str = ""
    """What the tests marked with this id do. Counts are read from the tests themselves."""
    missing: str = ""
    """What the category requires but no test covers."""
    later: str = ""
    """Why there is no test yet."""


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Outcome of a category's last run at one size."""

    date: str
    """Date of the run, ISO 8601."""
    passed: int
    failed: int
    skipped: int = 0
    """Tests that cannot run on this machine."""
    unreached: int = 0
    """Tests that were not started before the time limit."""
    seconds: float
    """Total time of all tests in the category."""
    python: str


Results = dict[str, dict[str, Result]]
"""Results by category id, then by size."""


def anchors() -> Mapping[str, Anchor]:
    """Return all categories by id, in the order of ``docs/robustness.md``."""
    return msgspec.toml.decode(ANCHORS.read_bytes(), type=dict[str, Anchor])


def campaigns() -> tuple[str, ...]:
    """Return the ids of the categories that have tests."""
    return tuple(id for id, anchor in anchors().items() if not anchor.later)


def results() -> Results:
    """Return the stored results, empty if there are none yet."""
    if not RESULTS.exists():
        return {}
    return msgspec.json.decode(RESULTS.read_bytes(), type=Results)


def keep(new: Mapping[str, Result], size: str) -> None:
    """Store the results of a run, replacing older ones of the same size."""
    held = results()
    for id, result in new.items():
        held[id] = held.get(id, {}) | {size: result}
    ordered = {id: held[id] for id in anchors() if id in held}
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n")
