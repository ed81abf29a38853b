"""The rules reference: every section, decision, ruling and chart that is cited exists."""

import re
from importlib.resources import files

import pytest

from engine.cbps.game_data import standard_game_data
from engine.kernel.reference import Reference, load_reference

NUMBER = re.compile(r"(?<![\d.])(?!58\.)[1-9]\d?\.\d{1,4}(?![\d.])")
"""Matches a rule number but not a task group."""


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference("engine.cbps")


@pytest.fixture(scope="module")
def text() -> str:
    return files("engine.cbps").joinpath("rules/cbps.md").read_text(encoding="utf-8")


def test_every_cited_rule_number_exists(reference: Reference, text: str) -> None:
    cited = set(NUMBER.findall(text))
    assert len(cited) > 350
    assert sorted(number for number in cited if reference.paragraph(number) is None) == []


def test_every_cited_decision_exists(reference: Reference, text: str) -> None:
    cited = set(re.findall(r"D-\d+\.\d+", text))
    assert len(cited) > 25
    for number in cited:
        found = reference.paragraph(number)
        assert found is not None, number
        assert found.number == number


def test_every_ruling_exists(reference: Reference) -> None:
    found = [reference.paragraph(f"OP-{number}") for number in range(1, 75)]
    assert all(one is not None and one.title and one.text for one in found)
    assert reference.paragraph("OP-75") is None


def test_every_chart_exists(reference: Reference) -> None:
    for chart in standard_game_data().charts.all():
        found = reference.paragraph(f"T:{chart.id}")
        assert found is not None
        assert found.title == chart.title
        assert f"Status: {chart.status}" in found.text


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ("4.36", "Intercepts may go anywhere"),
        ("12.311", "Submarine hits never roll"),
        ("7.14", "See 7.12"),
        ("D-4.52", "against escorts"),
        ("OP-10", "4.52 proves only"),
        ("24.0", ""),
    ],
)
def test_paragraphs_are_found_by_number(reference: Reference, number: str, words: str) -> None:
    found = reference.paragraph(number)
    assert found is not None
    assert found.number == number
    assert words in found.text


def test_text_contains_no_file_paths(text: str) -> None:
    assert "shared/" not in text
    assert "../" not in text
