"""Generates the tables on the script pages: lines, commands, and the decisions that rules require.

Run ``python -m tools.dev.script_tables`` after you change any of these. A test compares the pages with the program.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from engine.registry import games, script_words
from engine.scripts.words import COMMON_FORMS
from play.lesson import LESSON_WORDS
from tools.cmd_script import command_rows
from tools.dev.manual_tables import table, with_tables

_DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGES: Final = (_DOCS / "scripts.md", *sorted((_DOCS / "scripts").glob("*.md")))


def _forms_table(forms: Iterable[tuple[str, str]]) -> str:
    rows = (
        ("<br>".join(f"`{part}`" for part in form.split(" / ")), meaning) for form, meaning in forms
    )
    return table(("line", "meaning"), rows)


def _commands_table(game: str) -> str:
    rows = (
        (f"`{row.form}`", row.summary, row.rules, f"`{row.example}`") for row in command_rows(game)
    )
    return table(("command", "what it does", "asked by", "example"), rows)


def _questions_table(game: str) -> str:
    rows = (
        (rule.rule, rule.question, ", ".join(f"`{verb}`" for verb in rule.verbs.split()))
        for rule in script_words(game).decision_rules
    )
    return table(("rule", "asks", "commands"), rows)


def tables() -> dict[str, Callable[[], str]]:
    """Return the functions that create the tables, by the names in the pages' markers."""
    tables_by_name: dict[str, Callable[[], str]] = {
        "lines": partial(_forms_table, COMMON_FORMS),
        "lesson lines": partial(_forms_table, LESSON_WORDS),
    }
    for game in games():
        tables_by_name[f"{game} lines"] = partial(_forms_table, script_words(game).forms)
        tables_by_name[f"{game} commands"] = partial(_commands_table, game)
        tables_by_name[f"{game} asks"] = partial(_questions_table, game)
    return tables_by_name


def fill_page(text: str) -> str:
    """Return a page in which the table between each pair of markers is up to date."""
    return with_tables(
        text, {name: make for name, make in tables().items() if marker_line(name) in text}
    )


def marker_line(name: str) -> str:
    """Return the marker line before a table."""
    return f"<!-- {name} -->\n"


def main() -> None:
    """Write the tables into the pages."""
    for page in PAGES:
        page.write_text(fill_page(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
