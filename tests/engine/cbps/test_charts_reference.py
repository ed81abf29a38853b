"""Charts in the rules reference: each cell, each modifier, and the assumptions."""

from collections.abc import Iterator
from typing import Any

import pytest

from engine.cbps.charts.chart import Chart, ColumnChart, DieChart, LookupChart
from engine.cbps.charts_reference import ASSUMED_MARK, PARENT, chart_paragraphs
from engine.cbps.game_data import standard_game_data
from engine.cbps.run import result_text
from engine.kernel.reference import Reference
from engine.registry import reference

CHARTS = standard_game_data().charts.all()


@pytest.fixture(scope="module")
def rules() -> Reference:
    return reference("cbps")


def cells(chart: Chart) -> Iterator[tuple[str, Any]]:
    """Yield the label of each row with a cell in it."""
    match chart:
        case DieChart():
            yield from (("Die: ", cell) for cell in chart.cells)
        case ColumnChart():
            for column in chart.columns:
                yield from ((f"- {column.key} | ", cell) for cell in column.cells)
        case _:
            return


def text_of(chart: str, rules: Reference) -> str:
    found = rules.paragraph(f"T:{chart}")
    assert found is not None
    return found.text


@pytest.mark.parametrize("chart", CHARTS, ids=lambda one: one.id)
def test_every_cell_and_modifier_is_shown(chart: Chart, rules: Reference) -> None:
    text = text_of(chart.id, rules)
    lines = text.splitlines()
    for start, cell in cells(chart):
        span = str(cell.lo) if cell.lo == cell.hi else f"{cell.lo}-{cell.hi}"
        mark = ASSUMED_MARK if cell.is_assumed else ""
        (line,) = [one for one in lines if one.startswith(start)]
        assert f"{span}: {result_text(cell.result)}{mark}" in line
    for one in chart.modifiers:
        assert one.when in text
    if isinstance(chart, LookupChart):
        for entry in chart.columns:
            assert f"- {entry.key}: {result_text(entry.result)}" in text
    assert f"Rule: {chart.rule}" in text
    assert lines[3:]


def test_only_assumed_cells_are_marked(rules: Reference) -> None:
    assert "0-3 | 1: -*; 2: W/0*; 3-10: C*" in text_of("strike_contact", rules)
    assert "-1 second contact attempt" in text_of("strike_contact", rules)
    assert "-2* target status is Approximate Sighting (?)" in text_of("strike_contact", rules)
    assert ASSUMED_MARK not in text_of("second_hex_fuel", rules)
    assert "1-5: 1; 6-10: 2" in text_of("second_hex_fuel", rules)


@pytest.mark.parametrize("words", ["T:air_search", "t:Air_Search", "air_search", "Air Search"])
def test_chart_is_found_by_key_and_title(words: str, rules: Reference) -> None:
    assert [one.number for one in rules.find(words)] == ["T:air_search"]


def test_charts_are_listed_in_the_index(rules: Reference) -> None:
    listed = [one.number for one in rules.children(PARENT)]
    assert listed == [f"T:{chart.id}" for chart in CHARTS]
    assert [one.number for one in chart_paragraphs()] == listed


def test_special_charts_are_rendered_as_lists(rules: Reference) -> None:
    assert "- 0810: 11 hexes, -1" in text_of("air_raid_generation", rules)
    assert "- AALL: flies at any range" in text_of("butai_tracks", rules)
    assert "- heavy, 4-5 hits: AA half" in text_of("us_damage_effects", rules)
    assert "- Kido Butai: 2BB+CA" in text_of("screen_generation", rules)
    assert "With double forces: add" in text_of("l1_chit_mix", rules)
