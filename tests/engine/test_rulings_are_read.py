"""Every ruling that a game declares is read by its rules, so that every option has an effect (appendix D)."""

import ast
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.ids import Rule
from engine.kernel.rulings import Ruling

ENGINE = Path(registry.__file__).parent


def declared(names: Mapping[str, object]) -> Mapping[str, Ruling]:
    """Return the rulings of a module by their constant names."""
    return {name: one for name, one in names.items() if isinstance(one, Ruling)}


def names_read(source: str) -> Iterator[str]:
    """Yield every name that code reads, alone or after a dot. An import does not count as reading."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def unread(rulings: Mapping[str, Ruling], sources: Collection[str]) -> list[str]:
    """Return the ids of the rulings that no source reads."""
    read = {name for source in sources for name in names_read(source)}
    return [one.id for name, one in rulings.items() if name not in read]


@pytest.mark.parametrize("game", registry.games())
def test_every_declared_ruling_is_read_by_a_rule(game: str) -> None:
    rulings = declared(vars(import_module(f"engine.{game}.rulings")))
    assert {one.id for one in rulings.values()} == {
        one.id for one in registry.ruleset(game).options()
    }
    sources = [path.read_text(encoding="utf-8") for path in (ENGINE / game).rglob("*.py")]
    assert unread(rulings, sources) == []


def test_a_ruling_that_is_declared_and_imported_but_unused_is_reported() -> None:
    idle = Ruling(id="idle", rule=Rule("1.0"), question="?", answers={"off": "no", "on": "yes"})
    sources = ["from engine.toy.rulings import IDLE, USED\nprint(USED.value({}))\n", "IDLE = 3\n"]
    assert unread({"IDLE": idle}, sources) == ["idle"]
    assert unread({"USED": idle}, sources) == []
