"""Each scenario has a briefing page. The lessons come first, in order."""

import re
import textwrap

import pytest

from engine.cbps.game_data import standard_game_data
from engine.cbps.ruleset import CBPS
from engine.kernel.reference import load_reference

NUMBER = re.compile(r"(?<![\d.])(?!58\.)[1-9]\d?\.\d{1,3}(?![\d.])")
PAGE = 50
"""Maximum number of lines on a page of 76 columns."""


def page(number: str) -> str:
    return next(info.briefing for info in CBPS.scenarios() if info.id == number)


def test_lessons_are_listed_first_and_in_order() -> None:
    assert [info.id for info in CBPS.scenarios()] == list("123456789")
    for number in range(1, 6):
        assert page(str(number)).startswith(f"Lesson {number} of 5.")


@pytest.mark.parametrize("number", list("123456789"))
def test_page_lists_new_rules_the_task_and_the_score(number: str) -> None:
    text = page(number)
    lines = text.splitlines()
    starts = [line.partition(":")[0] for line in lines]
    parts = ("NEW", "YOUR TASK", "SCORE", "LEVELS")
    assert [one for one in starts if one in parts] == list(parts)
    assert "HINTS" in lines
    assert sum(line.startswith("- ") for line in lines) >= 4
    folded = [piece for line in lines for piece in textwrap.wrap(line, 76)]
    assert len(folded) <= PAGE


@pytest.mark.parametrize("number", list("123456789"))
def test_rules_cited_on_a_page_exist_in_the_reference(number: str) -> None:
    reference = load_reference("engine.cbps")
    cited = set(NUMBER.findall(page(number)))
    assert [one for one in sorted(cited) if reference.paragraph(one) is None] == []


@pytest.mark.parametrize("number", list("1234"))
def test_victory_levels_match_the_scenario_data(number: str) -> None:
    for one in standard_game_data().scenarios[number].victory.levels:
        words = f"otherwise {one.level}" if one.min is None else f"{one.level} from {one.min}"
        assert words in page(number)


def test_15_1_full_game_lists_all_victory_levels() -> None:
    assert "overwhelming US victory from 101" in page("6")
    assert "otherwise humiliating US defeat" in page("6")
