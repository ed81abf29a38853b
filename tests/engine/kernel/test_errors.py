"""The error tree in the docstring matches the one in the code."""

import re
from pathlib import Path
from typing import Final

from engine.kernel import errors

ROOT = Path(errors.__file__).parents[2]


CLASS: Final = re.compile(r"^ *class (\w+)\(([\w.]+)", re.MULTILINE)
"""Matches a class with its first base, up to any parameters of the base."""


def _errors() -> set[str]:
    """Return all error classes of the program, directly or indirectly derived."""
    parents: dict[str, str] = {}
    for package in ("engine", "saves", "play", "netplay", "tui", "tools"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parents.update(CLASS.findall(path.read_text(encoding="utf-8")))
    found = {"FlagplotError"}
    while grown := {name for name, parent in parents.items() if parent in found} - found:
        found |= grown
    return {name for name in found if not name.startswith("_")}


def test_the_docstring_lists_every_error() -> None:
    assert errors.__doc__ is not None
    drawn = [
        line.split("+-- ")[1].split()[0] for line in errors.__doc__.splitlines() if "+--" in line
    ]
    assert len(drawn) == len(set(drawn))
    assert {*drawn, "FlagplotError"} == _errors()
