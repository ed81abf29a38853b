"""Generates ``docs/robustness.md``, which lists every test series, what it covers, and its latest results.

Run ``python -m tools.dev.robustness_doc`` after a change. A test compares the file with fresh output. The sources are
`tests/anchors.toml`, the marks of the tests, and `tests/results.json`.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Final

from tools.dev.series import MarkedTest, Series, find_series
from tools.robustness_series import (
    ROOT,
    Results,
    RobustnessSeries,
    SeriesResult,
    load_results,
    load_series,
)

TARGET: Final = ROOT / "docs" / "robustness.md"
SIZES: Final = ("quick", "full", "nightly")
SECTIONS: Final = {
    "D": "Records and files",
    "P": "Replay and agreement",
    "N": "Network",
    "S": "Terminals",
    "F": "Hidden cards and chance",
}
_PAGE_HEADER: Final = """\
# Robustness tests

Each id names a way in which programs like this can fail, and the series of tests that guards against it.
"1943" means the 1943 scenario of Empire of the Sun, played by bots or random players.
"The toy" is the small card game in `tests/toy_game.py`, which is used for tests with thousands of games.

- `flagplot-check` runs a quick version of every series, and `flagplot-check --full` runs the full version.
  Every change must pass the full run.
- `flagplot-check --nightly ID` runs the nightly version of one series.
- `flagplot-check --rule ID` prints the tests in a series, the number of cases in each version, and the results.

`python -m tools.dev.robustness_doc` generates this page from `tests/anchors.toml`, the tests and `tests/results.json`.
A test compares the page with fresh output. `flagplot-check --record` stores the results of a run.
"""
_FURTHER_TESTS: Final = {
    "D": """\
Other tests read endless files, pipes without a writer, folders, 200 MB of zeros, sparse files of 48 MB and 1 GB, and a
record followed by 20 MB of zeros or noise. They also follow circular links, open one file through two links, and
delete, replace or overwrite a file during a game (`tests/saves/test_strange_files.py`). Every command that reads
records is given forged records with correct hashes (`tests/tools/test_forged_records.py`).
""",
    "N": """\
In other tests the host closes 15 TCP and 15 TLS connections under full traffic, and both ends notice. When a host does
not respond, 40 simultaneous connection attempts time out (`tests/netplay/test_transport.py`). Two bots play a whole
game of 1943 over TCP and over TLS. The host, both peers and a spectator finish with the same chain, and every file
verifies. No peer's files contain another seat's card that was never revealed (`tests/netplay/test_eots_whole.py`).
""",
}


def summary(
    all_anchors: Mapping[str, RobustnessSeries], tests: Mapping[str, Series], results: Results
) -> str:
    """Return the table of all series with their latest results."""
    rows = [
        f"| {id} | {anchor.title} | {len(tests[id].tests) if id in tests else '-'} "
        f"| {_result_summary(results.get(id, {}).get('full'))} "
        f"| {_result_summary(results.get(id, {}).get('nightly'))} |"
        for id, anchor in all_anchors.items()
    ]
    return "\n".join(
        [
            "## Last results",
            "",
            "| id | failure | tests | full | nightly |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _result_summary(result: SeriesResult | None) -> str:
    if result is None:
        return "no result"
    return f"{'FAILED' if result.failed else 'passed'} {result.date}" + (
        ", incomplete" if result.unreached else ""
    )


def run_text(size: str, result: SeriesResult) -> str:
    """Return the result of one run as a line of text."""
    parts = [f"{result.passed:,} passed", f"{result.failed:,} failed"]
    if result.skipped:
        parts.append(f"{result.skipped:,} skipped on this machine")
    if result.unreached:
        parts.append(f"{result.unreached:,} not reached in the time given")
    summary_text = f"{', '.join(parts)}, {result.seconds:,.0f} s, {result.python}"
    return f"last {size} run, {result.date}: {summary_text}"


def tests_by_file(tests: tuple[MarkedTest, ...]) -> Iterator[str]:
    """Yield a line for each file, with the names of its tests."""
    files: dict[str, list[str]] = {}
    for path, name, size in tests:
        size_note = "" if size == "quick" else f" ({size})"
        files.setdefault(path, []).append(f"{name}{size_note}" if name else "all tests")
    for path, names in files.items():
        yield f"{path}: {', '.join(names)}"


def paragraph(id: str, anchor: RobustnessSeries) -> str:
    """Describe in one paragraph what a series covers and what it does not cover."""
    text = anchor.later or anchor.tests.strip()
    missing = f"\n{anchor.missing.strip()}" if anchor.missing else ""
    return f"**{id} {anchor.title}.** {text}{missing}\n"


def build() -> str:
    """Return the whole document."""
    all_series = load_series()
    parts = [_PAGE_HEADER, summary(all_series, find_series(), load_results())]
    for letter, title in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [paragraph(id, anchor) for id, anchor in all_series.items() if id[0] == letter]
        if letter in _FURTHER_TESTS:
            parts.append(_FURTHER_TESTS[letter])
    return "\n".join(parts)


def main() -> int:
    """Write the document and return 0."""
    TARGET.write_text(build(), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
