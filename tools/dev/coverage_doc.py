"""Write ``docs/coverage.md``: rule numbers with their code and tests, scenarios, cards with their state.

``python -m tools.dev.coverage_doc`` writes the file; a test compares it with what would be written now.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from engine import registry
from tools.dev import coverage_cards, coverage_eots_cards

ROOT: Final = Path(__file__).resolve().parents[2]
TARGET: Final = ROOT / "docs" / "coverage.md"
RECORDS: Final = ROOT / "tests" / "golden_games" / "records"
CODE: Final = ("engine",)
TESTS: Final = ("tests",)
GAMES: Final = {
    "eots": ("Empire of the Sun", range(2, 18)),
    "qmg": ("Quartermaster General", range(2, 19)),
    "cbps": ("Carrier Battle: Philippine Sea", range(2, 25)),
}
"""Game to its title and the chapters whose rules must be named by code and tests."""
_NUMBER: Final = re.compile(
    r"(?<![\w.-])(\d{1,2}\.\d{1,3}(?:\.\d)?[A-Z]?|(?:OP|OPB|OPS|CP|DS|MAP)-\d{1,2})(?![\w]*\.\d)"
)
_NAMED: Final = re.compile(
    r"^(?:async )?def test_(?:d_)?((?:\d+_\d+_(?:and_|to_)?)+)", re.MULTILINE
)
"""Tests that begin with rule numbers, such as ``test_14_21_and_14_26_no_counters``."""
_DATA_RULE: Final = re.compile(r'"rule": ?"([^"]*)"')
"""Data files name the rule of each entry; their other numbers are no rules."""
_SCENARIO: Final = re.compile(r"^scenario (\S+)", re.MULTILINE)
"""The line of a script that names its scenario."""
_SHOWN: Final = 4
"""Files named per rule before the rest is counted."""


def mentions(
    folders: Iterable[str], suffixes: tuple[str, ...], game: str = "eots"
) -> Mapping[str, tuple[str, ...]]:
    """Return for every rule number of a game the files that name it, in alphabetical order.

    Files of other games do not count; those that name no game count for the first one.
    """
    found: dict[str, set[str]] = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in suffixes or "rules" in path.parts:
                continue
            name = path.relative_to(ROOT).as_posix()
            if next((other for other in GAMES if other in name), "eots") != game:
                continue
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".json":
                text = " ".join(_DATA_RULE.findall(text))
            for number in {*_NUMBER.findall(text), *_named(text)}:
                found.setdefault(number, set()).add(name)
                if number[-1].isalpha():  # 6.21A counts for 6.21, too
                    found.setdefault(number[:-1], set()).add(name)
    return {number: tuple(sorted(names)) for number, names in found.items()}


def _named(text: str) -> Iterator[str]:
    """Yield the rule numbers with which the names of tests begin."""
    for numbers in _NAMED.findall(text):
        for chapter, rest in re.findall(r"(\d+)_(\d+)", numbers):
            yield f"{chapter}.{rest}"


def _is_testable(number: str, game: str) -> bool:
    """Return whether a number is a rule of the game's chapters and no bare chapter heading."""
    head, _, tail = number.partition(".")
    return head.isdigit() and int(head) in GAMES[game][1] and tail not in {"", "0"}


def _order(number: str) -> tuple[int, str]:
    head, _, tail = number.partition(".")
    return int(head), tail


def _files(names: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def rules_section(game: str) -> tuple[str, ...]:
    """Return the lines on the rules of a game: every number with its code and its tests."""
    reference = registry.reference(game)
    numbers = sorted(
        {number for number in reference.numbers() if _is_testable(number, game)}, key=_order
    )
    code, tests = mentions(CODE, (".py", ".json"), game), mentions(TESTS, (".py", ".script"), game)
    rows = [
        f"| {number} | {_files(code.get(number, ())) or '-'} | {_files(tests.get(number, ())) or '-'} |"
        for number in numbers
    ]
    in_code = sum(number in code for number in numbers)
    in_tests = sum(number in tests for number in numbers)
    return (
        f"## {GAMES[game][0]}, rules",
        "",
        f"{len(numbers)} numbered rules; {in_code} are named in code, {in_tests} in tests.",
        "",
        "| rule | code | tests |",
        "| --- | --- | --- |",
        *rows,
        "",
    )


def scenarios_section(game: str) -> tuple[str, ...]:
    """Return how many whole games and scripts of each scenario the tests hold, with headings."""
    infos = registry.ruleset(game).scenarios()
    longest_first = sorted((info.id for info in infos), key=len, reverse=True)
    games = Counter(
        next(each for each in longest_first if path.name.startswith(f"{game}-{each}-"))
        for path in RECORDS.glob(f"{game}-*.xz")
    )
    scripts = Counter(
        name
        for path in (ROOT / "tests" / "scripts" / game).rglob("*.script")
        for name in set(_SCENARIO.findall(path.read_text(encoding="utf-8")))
    )
    held = sum(games[info.id] > 0 for info in infos)
    return (
        f"## {GAMES[game][0]}, scenarios",
        "",
        f"{len(infos)} scenarios; of {held} the tests hold whole games, which verify byte for byte.",
        "",
        "| scenario | name | whole games | scripts |",
        "| --- | --- | --- | --- |",
        *(f"| {info.id} | {info.name} | {games[info.id]} | {scripts[info.id]} |" for info in infos),
        "",
    )


def build() -> str:
    """Return the whole document."""
    return "\n".join(
        [
            "# Coverage of the rules",
            "",
            "Generated by `python -m tools.dev.coverage_doc`; a test compares it with the tree. A file",
            "counts when it names the number: beside the check in code, in the name, id or text of a test,",
            "or in a script.",
            "",
            *rules_section("eots"),
            *scenarios_section("eots"),
            *coverage_eots_cards.section(),
            *rules_section("qmg"),
            *scenarios_section("qmg"),
            *coverage_cards.section(),
            *rules_section("cbps"),
            *scenarios_section("cbps"),
            "",
        ]
    )


def main() -> int:
    """Write the document; return 0."""
    TARGET.write_text(build(), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
