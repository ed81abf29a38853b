"""A public class name has one meaning in the whole program. Exceptions are listed with their reasons."""

import re
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Final

import msgspec
import pytest

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("engine", "saves", "play", "netplay", "tui", "tools")
CLASS: Final = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)
"""The first line of a public class. Searching for it takes a twentieth of the time of parsing the modules."""
LISTED: Final = Path(__file__).with_name("class_names.toml")
SEPARATE: Final[tuple[Mapping[str, tuple[str, ...]], ...]] = (
    # Each game uses the words of its own rulebook; import contracts keep the rulesets apart.
    {game: (f"engine.{game}", f"tui.{game}") for game in ("cbps", "eots", "qmg")},
    # The frozen protocol of older records, and the one that replaced it.
    {"protocol 6": ("saves.protocol6",), "protocol 7": ("saves.fair", "netplay.fair")},
    # No module imports the measuring and generating programs, so their names cannot be confused.
    {"product": ("engine", "saves", "play", "netplay", "tui"), "bench": ("tools.bench",), "dev": ("tools.dev",)},
)  # fmt: skip
"""Groups of packages that cannot see each other. The same name in two packages of a group is not confusing."""


def defined(root: Path) -> Mapping[str, list[str]]:
    """Return the modules that define each public class, by the name of the class."""
    found = defaultdict(list)
    for path in sorted(file for package in PACKAGES for file in (root / package).rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for name in CLASS.findall(path.read_text(encoding="utf-8")):
            found[name].append(module)
    return found


def are_separate(one: str, other: str) -> bool:
    """Return whether two modules belong to packages that cannot see each other."""
    for group in SEPARATE:
        places = {_member(group, module) for module in (one, other)} - {""}
        if len(places) == 2:
            return True
    return False


def _member(group: Mapping[str, tuple[str, ...]], module: str) -> str:
    for name, packages in group.items():
        if any(f"{module}.".startswith(f"{package}.") for package in packages):
            return name
    return ""


def ambiguous(classes: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """Return the class names that two modules define although a reader could see both."""
    return {
        name: modules
        for name, modules in classes.items()
        if any(not are_separate(one, other) for one, other in combinations(modules, 2))
    }


def test_a_class_name_is_defined_once_or_listed_with_a_reason() -> None:
    listed = msgspec.toml.decode(LISTED.read_bytes(), type=dict[str, str])
    found = ambiguous(defined(ROOT))
    unlisted = {name: modules for name, modules in found.items() if name not in listed}
    assert unlisted == {}, f"rename one of them, or list it in {LISTED.name}"
    assert [name for name in listed if name not in found] == [], "defined once now: unlist it"
    assert list(listed) == sorted(listed)
    assert [name for name, reason in listed.items() if len(reason.split()) < 3] == []


@pytest.mark.parametrize(
    ("places", "is_found"),
    [
        (["engine/kernel/a", "tui/b"], True),
        (["engine/qmg/a", "engine/qmg/b"], True),
        (["engine/qmg/a", "saves/b"], True),
        (["tools/a", "saves/b"], True),
        (["engine/qmg/a", "tui/eots/b"], False),
        (["engine/qmg/a", "tui/eots/b", "play/c"], True),
        (["saves/protocol6/a", "saves/fair/b"], False),
        (["tools/bench/a", "saves/b"], False),
        (["tools/bench/a", "tools/dev/b"], False),
    ],
)
def test_second_class_with_the_same_name_is_detected(
    tmp_path: Path, places: list[str], is_found: bool
) -> None:
    for place in places:
        path = tmp_path / f"{place}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("class Twin:\n    pass\n\nclass _Twin:\n    pass\n")
    assert ("Twin" in ambiguous(defined(tmp_path))) == is_found
    assert "_Twin" not in defined(tmp_path)
