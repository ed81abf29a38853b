"""Generates ``docs/coverage.md``, which counts the rules, scenarios and cards that the code and the tests cover.

Run ``python -m tools.dev.coverage_doc`` after a change. A test compares the file with fresh output. For the files of
one rule or card, see ``tools.dev.coverage_details``.
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
"""For each game, its title and the chapters whose rules the code and the tests must mention."""
_OWN_TESTS: Final = ROOT / "tests" / "tools" / "dev"
"""Folder with tests of the generators. These tests mention rule numbers, but do not test any rules."""
_NUMBER: Final = re.compile(
    r"(?<![\w.-])(\d{1,2}\.\d{1,3}(?:\.\d)?[A-Z]?|(?:OP|OPB|OPS|CP|DS|MAP)-\d{1,2})(?![\w]*\.\d)"
)
_RULE_IN_TEST_NAME: Final = re.compile(
    r"^(?:async )?def test_(?:d_)?((?:\d+_\d+_(?:and_|to_)?)+)", re.MULTILINE
)
"""Matches tests whose names begin with rule numbers, such as ``test_14_21_and_14_26_no_counters``."""
_DATA_RULE: Final = re.compile(r'"rule": ?"([^"]*)"')
"""Matches the rule number of an entry in a data file. Other numbers in these files are not rule numbers."""


def mentions(
    folders: Iterable[str], suffixes: tuple[str, ...], game: str = "eots"
) -> Mapping[str, tuple[str, ...]]:
    """Return the files that mention each of a game's rule numbers, in alphabetical order.

    Files with another game in their path are skipped. Files without a game in their path count for Empire of the Sun.
    """
    files_by_number: dict[str, set[str]] = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in suffixes or "rules" in path.parts or path.parent == _OWN_TESTS:
                continue
            name = path.relative_to(ROOT).as_posix()
            words = set(re.split(r"[/._-]", name))
            if next((other for other in GAMES if other in words), "eots") != game:
                continue
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".json":
                text = " ".join(_DATA_RULE.findall(text))
            for number in {*_NUMBER.findall(text), *_rules_in_test_names(text)}:
                files_by_number.setdefault(number, set()).add(name)
                if number[-1].isalpha():  # 6.21A also counts as 6.21
                    files_by_number.setdefault(number[:-1], set()).add(name)
    return {number: tuple(sorted(names)) for number, names in files_by_number.items()}


def _rules_in_test_names(text: str) -> Iterator[str]:
    """Yield the rule numbers at the start of test names."""
    for numbers in _RULE_IN_TEST_NAME.findall(text):
        for chapter, rest in re.findall(r"(\d+)_(\d+)", numbers):
            yield f"{chapter}.{rest}"


def _is_testable(number: str, game: str) -> bool:
    """Return whether a number belongs to a rule in one of the game's chapters. Chapter headings do not count."""
    head, _, tail = number.partition(".")
    return head.isdigit() and int(head) in GAMES[game][1] and tail not in {"", "0"}


def _number_sort_key(number: str) -> tuple[int, str]:
    head, _, tail = number.partition(".")
    return int(head), tail


def format_ids(numbers: Iterable[str]) -> str:
    """Return a list of ids separated by commas, or ``none`` if there are none."""
    return ", ".join(numbers) or "none"


def rules_section(game: str) -> tuple[str, ...]:
    """Return the lines about a game's rules: totals per chapter, and the rule numbers without code or tests."""
    reference = registry.reference(game)
    numbers = sorted(
        {number for number in reference.numbers() if _is_testable(number, game)},
        key=_number_sort_key,
    )
    code, tests = mentions(CODE, (".py", ".json"), game), mentions(TESTS, (".py", ".script"), game)
    chapters: dict[str, list[str]] = {}
    for number in numbers:
        chapters.setdefault(number.partition(".")[0], []).append(number)
    rows = [*chapters.items(), ("all", numbers)]
    return (
        f"## {GAMES[game][0]}",
        "",
        "| chapter | rules | in code | in tests |",
        "| --- | --- | --- | --- |",
        *(
            f"| {chapter} | {len(own_numbers)} | {sum(rule in code for rule in own_numbers)} "
            f"| {sum(rule in tests for rule in own_numbers)} |"
            for chapter, own_numbers in rows
        ),
        "",
        f"Rules not mentioned in code: {format_ids(rule for rule in numbers if rule not in code)}.",
        f"Rules not mentioned in tests: {format_ids(rule for rule in numbers if rule not in tests)}.",
        "",
    )


def scenarios_section(game: str) -> tuple[str, ...]:
    """Return the lines about a game's scripts, and about its complete recorded games in each scenario."""
    infos = registry.ruleset(game).scenarios()
    longest_first = sorted((info.id for info in infos), key=len, reverse=True)
    games = Counter(
        next(scenario for scenario in longest_first if path.name.startswith(f"{game}-{scenario}-"))
        for path in RECORDS.glob(f"{game}-*.xz")
    )
    scripts = sum(1 for _ in (ROOT / "tests" / "scripts" / game).rglob("*.script"))
    return (
        f"The tests contain {games.total()} complete games, which verify byte for byte, and {scripts} scripts.",
        f"Scenarios without a complete game: {format_ids(info.id for info in infos if not games[info.id])}.",
        "",
    )


def build() -> str:
    """Return the whole document."""
    return "\n".join(
        [
            "# Rule coverage",
            "",
            "`python -m tools.dev.coverage_doc` generates this page, and a test compares it with fresh output.",
            "A rule counts as covered if a file mentions its number: in code next to the check, in a test's name, id",
            "or text, or in a script.",
            "",
            "`flagplot-check --rule ID` lists the code, tests and scripts for one rule number, ruling or card,",
            "such as `8.45`, `OP-10`, `J-23` or `de_plunder`.",
            "",
            *rules_section("eots"),
            *scenarios_section("eots"),
            *coverage_eots_cards.section(),
            *rules_section("qmg"),
            *scenarios_section("qmg"),
            *coverage_cards.section(),
            *rules_section("cbps"),
            *scenarios_section("cbps"),
        ]
    )


def main() -> int:
    """Write the document and return 0."""
    TARGET.write_text(build(), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
