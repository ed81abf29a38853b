"""Writes the tables of ``docs/scripts.md`` from the program itself: lines, commands, rules that ask.

Run ``python -m tools.dev.script_tables`` after a change of any of them; a test compares.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from engine.registry import games, script_words
from engine.scripts.words import WORDS
from play.lesson import WORDS as LESSON_WORDS
from tools.cmd_script import command_rows
from tools.dev.manual_tables import replaced, table

DOCS: Final = Path(__file__).resolve().parents[2] / "docs" / "scripts.md"


def _forms(forms: Iterable[tuple[str, str]]) -> str:
    rows = (
        ("<br>".join(f"`{part}`" for part in form.split(" / ")), meaning) for form, meaning in forms
    )
    return table(("line", "meaning"), rows)


def _commands(game: str) -> str:
    rows = (
        (f"`{row.form}`", row.summary, row.rules, f"`{row.example}`") for row in command_rows(game)
    )
    return table(("command", "what it does", "asked by", "example"), rows)


def _asks(game: str) -> str:
    rows = (
        (one.rule, one.question, ", ".join(f"`{verb}`" for verb in one.verbs.split()))
        for one in script_words(game).asks
    )
    return table(("rule", "asks", "commands"), rows)


def tables() -> dict[str, Callable[[], str]]:
    """Return the makers of all tables by the names of their places."""
    found: dict[str, Callable[[], str]] = {
        "lines": partial(_forms, WORDS),
        "lesson lines": partial(_forms, LESSON_WORDS),
    }
    for game in games():
        found[f"{game} lines"] = partial(_forms, script_words(game).words)
        found[f"{game} commands"] = partial(_commands, game)
        found[f"{game} asks"] = partial(_asks, game)
    return found


def filled(text: str) -> str:
    """Return the text with every table made anew between its marks."""
    return replaced(text, tables())


def main() -> None:
    """Write the tables into the page."""
    DOCS.write_text(filled(DOCS.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
