"""Loads the robustness test series from ``tests/anchors.toml``, and loads and saves their latest results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parents[1]
SERIES_FILE: Final = ROOT / "tests" / "anchors.toml"
RESULTS_FILE: Final = ROOT / "tests" / "results.json"
PROPERTY: Final = "series"
"""Name of the test-report property that contains the id of a test's series."""
UNREACHED: Final = "the time limit was reached"
"""Skip reason for a test that was not started before the time limit."""


class RobustnessSeries(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way in which programs of this kind can fail, and the tests that cover it."""

    title: str
    tests: str = ""
    """Description of the tests marked with this id. The counts come from the tests themselves."""
    missing: str = ""
    """Cases that the tests do not cover."""
    later: str = ""
    """Reason why there is no test yet; empty for a series with tests."""


class SeriesResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Result of the last run of one series at one size."""

    date: str
    """Date of the run (ISO 8601)."""
    passed: int
    failed: int
    skipped: int = 0
    """Number of tests that this machine cannot run."""
    unreached: int = 0
    """Number of tests that had not been started when the time ran out."""
    seconds: float
    """Total time taken by the tests, in seconds."""
    python: str


Results = dict[str, dict[str, SeriesResult]]
"""Results by series id, then by size."""


def load_series() -> Mapping[str, RobustnessSeries]:
    """Return all series by id, in the order of ``docs/robustness.md``."""
    return msgspec.toml.decode(SERIES_FILE.read_bytes(), type=dict[str, RobustnessSeries])


def series_with_tests() -> tuple[str, ...]:
    """Return the ids of the series that have tests."""
    return tuple(id for id, anchor in load_series().items() if not anchor.later)


def load_results() -> Results:
    """Return the recorded results; empty if no run has been recorded."""
    if not RESULTS_FILE.exists():
        return {}
    return msgspec.json.decode(RESULTS_FILE.read_bytes(), type=Results)


def save_results(new: Mapping[str, SeriesResult], size: str) -> None:
    """Record the results of a run. They replace older results of the same size."""
    results = load_results()
    for id, result in new.items():
        results[id] = results.get(id, {}) | {size: result}
    ordered = {id: results[id] for id in load_series() if id in results}
    RESULTS_FILE.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n")
