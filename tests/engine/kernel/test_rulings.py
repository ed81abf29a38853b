"""A ruling's statements about the options of a game."""

import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Rule
from engine.kernel.rulings import Ruling, check_options, collect_rulings, option_lines

DEAL = Ruling(
    id="deal",
    rule=Rule("2.0"),
    specs=("OP-1", "OP-2"),
    question="Cards in a hand",
    answers={"3": "three", "5": "five", "7": "seven"},
)
RAIN = Ruling(
    id="rain", rule=Rule("3.1"), question="Does it rain?", answers={"off": "no", "on": "yes"}
)
RULINGS = collect_rulings({"DEAL": DEAL, "DRY": "no ruling", "RAIN": RAIN})


def test_first_value_is_the_default_and_second_is_the_alternative() -> None:
    assert (DEAL.values, DEAL.default, DEAL.alternative) == (("3", "5", "7"), "3", "5")
    assert DEAL.text == "Cards in a hand (OP-1, OP-2)"
    assert RAIN.text == "Does it rain? (3.1)"
    assert RULINGS == (DEAL, RAIN)


@pytest.mark.parametrize(
    ("options", "value", "uses_alternative"),
    [
        ({}, "3", False),
        ({"rain": "on"}, "3", False),
        ({"deal": "3"}, "3", False),
        ({"deal": "5"}, "5", True),
        ({"deal": "7"}, "7", False),
    ],
)
def test_value_of_a_ruling_in_a_game(
    options: dict[str, str], value: str, uses_alternative: bool
) -> None:
    assert (DEAL.value(options), DEAL.uses_alternative(options)) == (value, uses_alternative)


def test_known_options_are_accepted() -> None:
    check_options(RULINGS, {})
    check_options(RULINGS, {"deal": "7", "rain": "off"})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"wind": "on"}, "there is no option 'wind'; known: deal, rain"),
        ({"deal": "4"}, "'4' is not one of 3, 5, 7"),
    ],
)
def test_unknown_options_are_refused(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        check_options(RULINGS, options)


@pytest.mark.parametrize(
    ("number", "first"),
    [("OP-2", "Option deal: Cards in a hand"), ("3.1", "Option rain: Does it rain?")],
)
def test_a_paragraph_lists_its_rulings_and_answers(number: str, first: str) -> None:
    lines = tuple(option_lines(RULINGS, number))
    assert lines[0] == first
    assert len(lines) == 1 + len(DEAL.answers if number == "OP-2" else RAIN.answers)
    assert not tuple(option_lines(RULINGS, "2.0")), "the rule of a ruling with a spec of its own"
