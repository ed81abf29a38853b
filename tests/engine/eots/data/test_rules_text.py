"""The rules reference agrees with the data."""

import re
from collections.abc import Callable, Iterator

import pytest

from engine.eots.data.reading import content
from tests.engine.eots.data import text_checks
from tests.engine.eots.data.rules_text import PARTS, text_of

Check = Callable[[str, str], Iterator[str]]
TEXTS = {part: text_of(part) for part in PARTS}
DEFINED = text_checks.rulings(TEXTS)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("check", text_checks.CHECKS, ids=lambda check: check.__name__)
def test_text_agrees_with_the_data(check: Check, part: str) -> None:
    assert list(check(part, TEXTS[part])) == []


@pytest.mark.parametrize(
    ("check", "text"),
    [
        pytest.param(text_checks.check_numbers, "a unit in 1111 moves", id="hex-off-the-map"),
        pytest.param(text_checks.check_names, "Rabaul 4020 is lost", id="wrong-name"),
        pytest.param(text_checks.check_distances, "range(4825, 4423) = 5", id="wrong-distance"),
        pytest.param(text_checks.check_distances, "3823 (Open)", id="wrong-terrain"),
        pytest.param(text_checks.check_ids, "`us-cv-nautilus`", id="unknown-unit"),
        pytest.param(text_checks.check_ids, "area `mars`", id="unknown-area"),
        pytest.param(text_checks.check_ids, "J-87", id="unknown-card"),
        pytest.param(text_checks.check_titles, "A-5 (Tokyo Rose)", id="wrong-title"),
        pytest.param(text_checks.check_sections, "see 8.77", id="unknown-section"),
    ],
)
def test_each_check_detects_an_error(check: Check, text: str) -> None:
    assert list(check("a.md", text)) != []


@pytest.mark.parametrize("prefix", list(DEFINED))
def test_rulings_are_numbered_without_gaps(prefix: str) -> None:
    assert DEFINED[prefix] == set(range(1, len(DEFINED[prefix]) + 1))
    assert len(DEFINED[prefix]) > 10


@pytest.mark.parametrize("part", [*PARTS, "map.json", "cards.json", "units.json", "scenarios.json"])
def test_cited_rulings_are_defined(part: str) -> None:
    text = TEXTS[part] if part in TEXTS else content(part).decode()
    assert list(text_checks.check_rulings(part, text, DEFINED)) == []


def test_an_undefined_ruling_is_reported() -> None:
    assert list(text_checks.check_rulings("a.md", "OP-999", DEFINED)) != []


@pytest.mark.parametrize("file", ["cards.json", "units.json", "scenarios.json"])
def test_texts_in_the_data_name_the_correct_hexes(file: str) -> None:
    text = content(file).decode()
    assert list(text_checks.check_names(file, text)) == []
    assert len(re.findall(text_checks.HEX, text)) > 50
