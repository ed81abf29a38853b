"""No modules of the program import each other in a circle. Imports inside functions also count."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import grimp
import pytest

PACKAGES: Final = ("engine", "saves", "play", "netplay", "tui", "tools")
KNOWN: Final[Mapping[frozenset[str], str]] = {
    frozenset(
        {"tui.app.app", "tui.app.hosting"}
    ): "tui.app.hosting names the app's type, behind TYPE_CHECKING",
    frozenset(
        {
            "tui.screens.table.board_panel",
            "tui.screens.table.panel_layout",
            "tui.screens.table.table",
        }
    ): "the parts of a table name the type of the table that holds them, behind TYPE_CHECKING",
    frozenset(
        {"tui.screens.match.option_picker", "tui.screens.match.play"}
    ): "the part names the type of the screen that holds it, behind TYPE_CHECKING",
}
"""The circles that remain, each with its reason."""


def imports(*packages: str) -> Mapping[str, set[str]]:
    """Return the modules that each module imports, anywhere in its source."""
    graph = grimp.build_graph(*packages, cache_dir=None)
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


def circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Return the largest groups of modules in which each one imports every other, directly or not."""
    left = dict(graph)
    while done := [name for name, found in left.items() if not found & left.keys()]:
        for name in done:
            del left[name]
    below = {name: reached(left, name) for name in left}
    groups = {frozenset(one for one in below[name] if name in below[one]) for name in left}
    return groups - {frozenset()}


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Return the modules that a module imports directly or indirectly; itself only if it is in a circle."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = (graph[waiting.pop()] & graph.keys()) - found
        found |= new
        waiting += new
    return found


def test_only_the_known_import_cycles_exist() -> None:
    assert sorted(map(sorted, circles(imports(*PACKAGES)))) == sorted(map(sorted, KNOWN))


def test_cycle_is_found_whole_without_dependent_modules() -> None:
    graph = {
        "top": {"a", "d"},
        "a": {"b"},
        "b": {"c", "low"},
        "c": {"a", "b"},
        "d": {"e"},
        "e": {"d", "a"},
        "low": set[str](),
    }
    assert circles(graph) == {frozenset("abc"), frozenset("de")}


@pytest.mark.parametrize(
    "import_line",
    [
        "from toy_circle import one",
        "def later():\n    from toy_circle.one import ONE",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import toy_circle.one",
    ],
    ids=["at the top", "in a function", "for types only"],
)
def test_every_kind_of_import_closes_a_cycle(
    import_line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "toy_circle"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("import toy_circle.two\n\nONE = 1\n")
    (folder / "two.py").write_text(f"{import_line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circles(imports("toy_circle")) == {frozenset({"toy_circle.one", "toy_circle.two"})}
