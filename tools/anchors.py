"""The anchors of robustness: what each asks for, which have tests, and how their last runs ended."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parents[1]
ANCHORS: Final = ROOT / "tests" / "anchors.toml"
RESULTS: Final = ROOT / "tests" / "results.json"
PROPERTY: Final = "campaign"
"""Name of the property of a test, in a report, that holds the id of an anchor to which it belongs."""
UNREACHED: Final = "the time was over"
"""Why a test was skipped that a run had no time for."""


class Anchor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way in which programs of this kind fail, and what the tests do about it."""

    title: str
    tests: str = ""
    """What the tests marked with its id do, without the counts, which stand in the tests."""
    missing: str = ""
    """What the anchor asks for and no test here does."""
    later: str = ""
    """Why there is no test yet."""


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the last run of one anchor at one size ended."""

    date: str
    """Day of the run, ISO 8601."""
    passed: int
    failed: int
    skipped: int = 0
    """Tests that this machine cannot run."""
    unreached: int = 0
    """Tests that were left when the time was over."""
    seconds: float
    """Time of all its tests together."""
    python: str


Results = dict[str, dict[str, Result]]
"""Results by id and size."""


def anchors() -> Mapping[str, Anchor]:
    """Return all anchors by id, in the order of the page."""
    return msgspec.toml.decode(ANCHORS.read_bytes(), type=dict[str, Anchor])


def campaigns() -> tuple[str, ...]:
    """Return the ids of the anchors that have tests."""
    return tuple(id for id, anchor in anchors().items() if not anchor.later)


def results() -> Results:
    """Return what is on record; nothing has run where nothing stands."""
    if not RESULTS.exists():
        return {}
    return msgspec.json.decode(RESULTS.read_bytes(), type=Results)


def keep(new: Mapping[str, Result], size: str) -> None:
    """Put the results of a run on record, in place of older ones of its size."""
    held = results()
    for id, result in new.items():
        held[id] = held.get(id, {}) | {size: result}
    ordered = {id: held[id] for id in anchors() if id in held}
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n")
