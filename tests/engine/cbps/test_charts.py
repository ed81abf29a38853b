"""Every chart, cell by cell: for each die and column, a chart gives the result in `tables.json` (2.4)."""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Literal, TypeAlias, cast, get_args

import msgspec
import pytest

from engine.cbps.charts.chart import Cell, ColumnChart, DieChart, LookupChart, R
from engine.cbps.charts.listed import (
    BoxesChart,
    ChitChart,
    DamageChart,
    FormulaChart,
    MixChart,
    TurnChart,
    ValuesChart,
)
from engine.cbps.charts.results import (
    CarrierCount,
    CarrierSection,
    LevelOneChit,
    battleship_count,
    parse_carrier_mix,
)
from engine.cbps.charts.special import (
    CommitmentTestChart,
    FirstLevelChart,
    KnownStrengthChart,
    MatrixChart,
    NamedMatrixChart,
    RaidGenerationChart,
    SectionChart,
    ShipLine,
    SurfaceFireChart,
    SurpriseChart,
)
from engine.cbps.game_data import standard_game_data

Raw: TypeAlias = dict[str, "RawValue"]
RawValue: TypeAlias = "str | int | bool | list[RawValue] | Raw | None"
OPEN = 6
"""Number of values to test beyond an open bracket."""


def _tables() -> dict[str, Raw]:
    text = files("engine.cbps.data").joinpath("tables.json").read_text(encoding="utf-8")
    found: dict[str, Raw] = json.loads(text)["tables"]
    return found


TABLES = _tables()
BOOK = standard_game_data()


def _rows(table: Raw, field: str) -> list[Raw]:
    rows = table[field]
    assert isinstance(rows, list)
    assert all(isinstance(row, dict) for row in rows)
    return cast("list[Raw]", rows)


def _number(row: Raw, field: str) -> int:
    number = row[field]
    assert isinstance(number, int)
    return number


def _of_kind(kind: str) -> list[str]:
    return [name for name, table in TABLES.items() if table["kind"] == kind]


def _faces(cells: list[Raw]) -> Iterator[tuple[int, Raw]]:
    """Yield every possible total with its cell. Totals beyond the ends have the cell of that end (2.41)."""
    first, last = cells[0], cells[-1]
    for total in range(_number(first, "lo") - 9, _number(first, "lo")):
        yield total, first
    for cell in cells:
        for total in range(_number(cell, "lo"), _number(cell, "hi") + 1):
            yield total, cell
    for total in range(_number(last, "hi") + 1, _number(last, "hi") + 10):
        yield total, last


def _assert_cell(found: Cell[R], raw: Raw) -> None:
    assert msgspec.json.encode(found.result) == msgspec.json.encode(raw["result"])
    assert found.prov == raw["prov"]
    assert found.is_assumed == (raw["prov"] == "assumed")


def _inputs(row: Raw) -> range:
    """Return the numbers in a bracket; a few of them if it is open."""
    low, high = row["min"], row.get("max")
    least = low if isinstance(low, int) else _number(row, "max") - OPEN
    most = high if isinstance(high, int) else least + OPEN
    return range(least, most + 1)


def test_the_book_contains_every_table() -> None:
    assert [chart.id for chart in BOOK.charts.all()] == list(TABLES)
    assert len(TABLES) == 68  # appendix E
    for name, table in TABLES.items():
        chart = BOOK.charts.chart(name)
        assert (chart.title, chart.rule, chart.status) == (
            table["title"],
            table["rule"],
            table["status"],
        )
    with pytest.raises(KeyError):
        BOOK.charts.chart("no_such_chart")


@pytest.mark.parametrize("name", list(TABLES))
def test_modifiers_match_the_table(name: str) -> None:
    chart, raw = BOOK.charts.chart(name), TABLES[name].get("modifiers", [])
    assert isinstance(raw, list)
    assert [one.id for one in chart.modifiers] == [cast("Raw", one)["id"] for one in raw]
    for one in cast("list[Raw]", raw):
        found = chart.modifier(str(one["id"]))
        assert (found.value, found.when) == (one["drm"], one["when"])
        assert found.is_assumed == (one["prov"] == "assumed")
        if isinstance(one["drm"], int):
            assert found.drm == one["drm"]
    with pytest.raises(KeyError):
        chart.modifier("no_such_modifier")


@pytest.mark.parametrize("name", _of_kind("die"))
def test_die_charts_match_for_every_face(name: str) -> None:
    chart = BOOK.charts.chart(name)
    assert isinstance(chart, DieChart)
    for total, raw in _faces(_rows(TABLES[name], "cells")):
        _assert_cell(chart.look_up(total), raw)


@pytest.mark.parametrize("name", _of_kind("die_by_column"))
def test_column_charts_match_for_every_face_and_column(name: str) -> None:
    chart = BOOK.charts.chart(name)
    assert isinstance(chart, ColumnChart)
    columns = _rows(TABLES[name], "columns")
    for column in columns:
        key = str(column["key"])
        if chart.column_axis.select == "exact":
            assert chart.column_for(key) == key
        else:
            assert {chart.column_for(value) for value in _inputs(column)} == {key}
        for total, raw in _faces(_rows(column, "cells")):
            _assert_cell(chart.look_up(total, key), raw)
    keys = [str(column["key"]) for column in columns]
    assert chart.shifted(keys[0], -1) == keys[0]
    assert chart.shifted(keys[0], 1) == keys[1]
    assert chart.shifted(keys[0], 99) == keys[-1]
    with pytest.raises(KeyError):
        chart.column_for("no such column")


@pytest.mark.parametrize("name", _of_kind("lookup"))
def test_lookup_charts_match_for_every_entry(name: str) -> None:
    chart = BOOK.charts.chart(name)
    assert isinstance(chart, LookupChart)
    for raw in _rows(TABLES[name], "columns"):
        for value in _inputs(raw):
            found = chart.look_up(value)
            assert (found.key, found.prov) == (raw["key"], raw["prov"])
            assert msgspec.json.encode(found.result) == msgspec.json.encode(raw["result"])


def test_7_37_level_3_chart_matches_for_every_section_and_row() -> None:
    chart, table = BOOK.charts.l2_to_l3_carrier, TABLES["l2_to_l3_carrier"]
    assert isinstance(chart, SectionChart)
    sections = table["sections"]
    assert isinstance(sections, dict)
    assert list(sections) == list(get_args(CarrierSection))
    for section in get_args(CarrierSection):
        for row in _rows(sections, section):
            strengths: list[int | None] = [*_inputs(row)]
            if row["includes_unknown"]:
                strengths.append(None)
            for strength in strengths:
                assert chart.row_for(section, strength).label == row["label"]
                for total, raw in _faces(_rows(row, "cells")):
                    _assert_cell(chart.look_up(total, section, strength), raw)


def test_10_1_f_raid_reduction_matches_for_every_row_and_column() -> None:
    chart, table = BOOK.charts.raid_strength_reduction, TABLES["raid_strength_reduction"]
    assert isinstance(chart, MatrixChart)
    cells = table["cells"]
    assert isinstance(cells, list)
    rows, columns = _rows(table, "rows"), _rows(table, "columns")
    for row, values in zip(rows, cells, strict=True):
        assert isinstance(values, list)
        for column, value in zip(columns, values, strict=True):
            found = {
                chart.look_up(initial, lost) for initial in _inputs(row) for lost in _inputs(column)
            }
            assert found == {value}


def test_6_2_carrier_operations_limits_match() -> None:
    chart, table = BOOK.charts.carrier_operations_limits, TABLES["carrier_operations_limits"]
    assert isinstance(chart, NamedMatrixChart)
    assert table["columns"] == ["CV", "CVL"]
    for row in _rows(table, "rows"):
        assert [chart.look_up(str(row["id"]), "CV"), chart.look_up(str(row["id"]), "CVL")] == row[
            "values"
        ]


def test_13_22_commitment_test_matches_for_every_line_and_column() -> None:
    chart, table = BOOK.charts.commitment_test, TABLES["commitment_test"]
    assert isinstance(chart, CommitmentTestChart)
    for line, raw_line in zip(get_args(ShipLine), _rows(table, "lines"), strict=True):
        assert raw_line["line"] == line
        for column in _rows(raw_line, "columns"):
            for index in _inputs(column):
                for total, raw in _faces(_rows(column, "cells")):
                    _assert_cell(chart.look_up(total, line, index), raw)


def test_10_1_b_raid_generation_matches_for_every_turn_and_range() -> None:
    chart, table = BOOK.charts.air_raid_generation, TABLES["air_raid_generation"]
    assert isinstance(chart, RaidGenerationChart)
    for raw in _rows(table, "turns"):
        found = chart.turn(str(raw["turn"]))
        assert (found.max_range, found.drm) == (raw["max_range"], raw["drm"])
    for raw in _rows(table, "range_drm"):
        assert {chart.range_for(hexes).drm for hexes in _inputs(raw)} == {raw["drm"]}
    threshold = table["launch_at_or_above"]
    assert isinstance(threshold, dict)
    launched = _number(threshold, "value")
    assert chart.is_launched(launched)
    assert not chart.is_launched(launched - 1)


def test_3_0_turn_track_matches_for_every_turn() -> None:
    chart = BOOK.charts.turn_track
    assert isinstance(chart, TurnChart)
    for raw in _rows(TABLES["turn_track"], "turns"):
        found = msgspec.to_builtins(chart.turn(str(raw["label"])))
        assert {key: list(v) if isinstance(v, tuple) else v for key, v in found.items()} == {
            **raw,
            "note": "",
        }


def test_9_12_butai_tracks_match_for_every_box() -> None:
    chart, table = BOOK.charts.butai_tracks, TABLES["butai_tracks"]
    assert isinstance(chart, BoxesChart)
    for raw in _rows(table, "return_track"):
        assert {chart.return_box(hexes) for hexes in _inputs(raw)} == {raw["id"]}
    boxes = _rows(table, "turnaround")
    assert [(box.id, box.usable_range) for box in chart.turnaround] == [
        (raw["id"], raw["usable_range"]) for raw in boxes
    ]
    guam = table["guam"]
    assert isinstance(guam, dict)
    assert [chart.guam.first_box, [*chart.guam.then]] == [guam["first_box"], guam["then"]]


@pytest.mark.parametrize(
    ("key", "ship", "capacity"),
    [
        ("CV", "CV", 8),
        ("CVL", "CVL", 5),
        ("BB (capacity 20 or less)", "BB", 20),
        ("BB (capacity above 20)", "BB", 22),
    ],
)
def test_12_11_us_damage_levels_match(
    key: str, ship: Literal["CV", "CVL", "BB"], capacity: int
) -> None:
    chart, table = BOOK.charts.us_damage_effects, TABLES["us_damage_effects"]
    assert isinstance(chart, DamageChart)
    types = table["ship_types"]
    assert isinstance(types, dict)
    assert chart.level(ship, capacity, 0) is None
    for raw in _rows(types, key):
        for hits in _inputs(raw):
            found = chart.level(ship, capacity, hits)
            assert found is not None
            assert (found.level, found.aa, found.move) == (raw["level"], raw["aa"], raw["move"])


@pytest.mark.parametrize("name", _of_kind("values"))
def test_value_charts_match_for_every_value(name: str) -> None:
    chart = BOOK.charts.chart(name)
    assert isinstance(chart, ValuesChart)
    for raw in _rows(TABLES[name], "values"):
        found = chart.constant(str(raw["id"]))
        assert (found.value, found.rule, found.prov) == (raw["value"], raw["rule"], raw["prov"])
        if isinstance(raw["value"], int):
            assert chart.value(found.id) == raw["value"]
    with pytest.raises(KeyError):
        chart.value("no_such_value")


def test_12_2_damage_formulas_match() -> None:
    chart = BOOK.charts.japanese_damage_effects
    assert isinstance(chart, FormulaChart)
    for raw in _rows(TABLES["japanese_damage_effects"], "values"):
        assert chart.formula(str(raw["id"])).value == raw["value"]


@pytest.mark.parametrize("name", _of_kind("chits"))
def test_chit_charts_match_for_every_chit(name: str) -> None:
    chart = BOOK.charts.chart(name)
    assert isinstance(chart, ChitChart)
    raw = [(one["id"], one["carrier"], one["commitment"]) for one in _rows(TABLES[name], "chits")]
    assert [(one.id, one.carrier, one.commitment) for one in chart.chits] == raw


def test_7_35_level_1_chit_counts_match() -> None:
    chart, table = BOOK.charts.l1_chit_mix, TABLES["l1_chit_mix"]
    assert isinstance(chart, MixChart)
    counts = {str(raw["chit"]): raw["count"] for raw in _rows(table, "entries")}
    assert {chit: chart.count(chit) for chit in get_args(LevelOneChit)} == counts
    changes = table["rule_7_5_changes"]
    assert isinstance(changes, dict)
    assert chart.rule_7_5_changes.remove == changes["remove"]
    assert [*chart.rule_7_5_changes.set_aside_for_double] == changes["set_aside_for_double"]


def test_notes_beside_the_chart_cells_match() -> None:
    charts = BOOK.charts
    assert isinstance(charts.surprise, SurpriseChart)
    assert isinstance(charts.l1_to_l2, FirstLevelChart)
    assert isinstance(charts.raid_strength_known, KnownStrengthChart)
    assert isinstance(charts.surface_combat_fire, SurfaceFireChart)
    for name, field in (
        ("surprise", "effects"),
        ("l1_to_l2", "footnotes"),
        ("raid_strength_known", "column_shift"),
        ("surface_combat_fire", "defence_values"),
        ("screen_generation", "special"),
    ):
        _assert_same(msgspec.to_builtins(getattr(charts.chart(name), field)), TABLES[name][field])
    torpedo = TABLES["surface_combat_fire"]["torpedo_column"]
    assert isinstance(torpedo, dict)
    for total, raw in _faces(_rows(torpedo, "cells")):
        _assert_cell(charts.surface_combat_fire.torpedo_at(total), raw)
    unknown = TABLES["commitment_l1"]["unknown"]
    assert isinstance(unknown, dict)
    assert charts.commitment_l1.unknown.value == unknown["value"]


def _assert_same(found: object, raw: RawValue) -> None:
    """Compare two values, ignoring fields that the file omits."""
    if isinstance(raw, dict):
        assert isinstance(found, Mapping)
        for key, value in raw.items():
            _assert_same(found[key], value)
    elif isinstance(raw, list):
        assert isinstance(found, (list, tuple))
        assert len(found) == len(raw)
        for one, other in zip(found, raw, strict=True):
            _assert_same(one, other)
    else:
        assert found == raw


def test_14_25_screen_modifier_depends_on_the_number_of_ships() -> None:
    screen = BOOK.charts.japanese_submarine_attack.modifier("screen")
    assert [screen.total_for(count) for count in range(6)] == [0, -1, -2, -3, -3, -3]
    assert screen.is_by_number
    assert not BOOK.charts.japanese_submarine_attack.modifier("crippled_target").is_by_number


@pytest.mark.parametrize(
    ("mix", "cv", "cvl"), [("CV", 1, 0), ("3CVL", 0, 3), ("CV+2CVL", 1, 2), ("4CV+3CVL", 4, 3)]
)
def test_7_41_carrier_mix_is_parsed(mix: str, cv: int, cvl: int) -> None:
    assert parse_carrier_mix(mix) == CarrierCount(cv, cvl)


def test_7_39_battleship_count_is_parsed() -> None:
    assert [battleship_count("CA2+"), battleship_count("BB+CA"), battleship_count("4BB+CA")] == [
        0,
        1,
        4,
    ]


def test_rulebook_examples_match_chart_cells() -> None:
    charts = BOOK.charts
    assert charts.interception_fuel_level.look_up(7).result == 13
    assert charts.known_air_strength_modifier.look_up(9).result == -1
    assert charts.l1_to_l2.look_up(5, "Carrier").result == "2-3 Carriers"
    assert charts.l2_to_l3_surface.look_up(5, "Large Surface").result == "BB+CA"
    assert charts.screen_generation.look_up(3).result.column == "Medium Surface"
    assert charts.raid_strength_unknown.look_up(7, "L1 Carrier").result == (8, 5)
    assert charts.japanese_escort_fighters.column_for(7) == "6"
    assert charts.submarine_contact.look_up(4).result == "fail"
    assert charts.commitment_l1.unknown.value == 4
    assert charts.strike_contact.column_for(10) == "10-12"
