"""Prints every sentence that part of the program can show, for proofreading.

``python -m tools.dev.sentences eots`` prints the sentences in one game's rules, screens and bots. ``program`` prints
all other sentences. Braces mark values that are filled in at run time.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

from engine.registry import games
from tools.click_commands import CheckedCommand

ROOT: Final = Path(__file__).resolve().parents[2]
PARTS: Final = ("engine", "saves", "play", "netplay", "tui", "tools")
PROGRAM: Final = "program"
_NEVER_SHOWN: Final = (ast.Assert, ast.Subscript)
"""Nodes whose text players never see: assertions with their messages, and type annotations."""


class Sentence(NamedTuple):
    """A text of at least two words, and its location."""

    place: str
    line: int
    text: str


def game_of(path: Path) -> str:
    """Return the game that a file belongs to, or ``program``."""
    words = {*path.parts[:-1], *path.stem.split("_")}
    return next((game for game in games() if game in words), PROGRAM)


def sentences(owner_name: str) -> Iterator[Sentence]:
    """Yield all sentences in a game or in the rest of the program, in source order."""
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            place = path.relative_to(ROOT)
            if game_of(place) == owner_name and "dev" not in place.parts:
                tree = ast.parse(path.read_text(encoding="utf-8"))
                yield from (
                    Sentence(str(place), *position_and_text) for position_and_text in _texts(tree)
                )


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        text = _text(node)
        if text is None:
            open_nodes += reversed([*_children(node)])
        elif " " in text.strip():
            yield node.lineno, text  # type: ignore[attr-defined]  # expressions have a line number


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that can contain a text, in source order."""
    for child in ast.iter_child_nodes(node):
        # A string that is a whole statement is a docstring.
        is_docstring = isinstance(child, ast.Expr) and _text(child.value) is not None
        if not is_docstring and not isinstance(child, _NEVER_SHOWN):
            yield child


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "{" + _placeholder_text(part) + "}" for part in node.values)
    return None


def _placeholder_text(part: ast.expr) -> str:
    return ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""


@click.command(cls=CheckedCommand)
@click.argument("whose", type=click.Choice([*games(), PROGRAM]))
def main(whose: str) -> None:
    """Print the sentences in a game or, with ``program``, in the rest of the program."""
    place = ""
    for sentence in sentences(whose):
        if sentence.place != place:
            place = sentence.place
            click.secho(f"\n{place}", bold=True)
        click.echo(f"{sentence.line:5}  {sentence.text!r}"[:400])


if __name__ == "__main__":
    main()
