"""Markdown as plain text for a terminal."""

import pytest

from engine import registry
from engine.kernel.reference import Paragraph
from tui.text.markdown import heading, strip_markup, terminal_width, wrap_markdown


def test_strip_markup_removes_bold_and_code_marks() -> None:
    assert strip_markup("**Table** of `map.json`, *soft*") == "Table of map.json, *soft*"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("one two\nthree four", ["one two three", "four"], id="lines-are-joined"),
        pytest.param("- one two three four", ["- one two", "  three four"], id="list-items-hang"),
        pytest.param("- one\n  two\n- three", ["- one two", "- three"], id="items-stay-apart"),
        pytest.param("1. one\nA. two", ["1. one", "A. two"], id="numbers-and-letters-lead"),
        pytest.param("one\n\ntwo", ["one", "", "two"], id="blank-lines-stay"),
        pytest.param(
            "one\n| a | b |\n|---|---|\n| 1 | 2 |\ntwo",
            ["one", "a  b", "1  2", "two"],
            id="table-in-columns",
        ),
        pytest.param(
            "| n | word | m |\n|---|---|---|\n| 1 | long cell | |\n| 2 | x | y |",
            ["- 1: word:", "  long cell", "- 2: word: x;", "  m: y"],
            id="wide-table-as-list",
        ),
        pytest.param("Point: a\nRuling: b", ["Point: a", "Ruling: b"], id="labels-stay-apart"),
    ],
)
def test_markdown_is_wrapped(text: str, lines: list[str]) -> None:
    assert wrap_markdown(text, 13).splitlines() == lines


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("60", 60), ("200", 100)])
def test_width_follows_the_terminal_up_to_a_limit(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width() == width


@pytest.mark.parametrize(
    ("number", "title", "head"),
    [
        ("8.45", "Amphibious **assault**", "8.45  Amphibious assault"),
        ("rulings-op", "Rulings (OP)", "Rulings (OP)"),
        ("OP-12", "", "OP-12"),
        ("T:surprise", "Surprise", "T:surprise  Surprise"),
    ],
)
def test_a_heading_without_a_number_shows_no_address(number: str, title: str, head: str) -> None:
    assert heading(Paragraph(number=number, title=title, text="", parent="")) == head


@pytest.mark.parametrize("game", registry.games())
def test_no_paragraph_shows_markdown_marks(game: str) -> None:
    reference = registry.reference(game)
    for number in reference.numbers():
        paragraph = reference.paragraph(number)
        assert paragraph is not None
        shown = f"{heading(paragraph)}\n{wrap_markdown(paragraph.text, 78)}"
        assert "**" not in shown
        assert "`" not in shown
