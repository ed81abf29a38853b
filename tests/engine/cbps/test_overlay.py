"""Overlays: the data that an owner's own file replaces, and every possible error in it."""

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from engine.cbps.data.reading import PARTS, read_plain
from engine.cbps.game_data import load_game_data, parse_game_data, standard_game_data
from engine.cbps.overlay import (
    FORMAT,
    MAX_FAULTS,
    MAX_OVERLAY_BYTES,
    canonical_text,
    decode_overlay,
    overlay_faults,
    replaced_items,
)
from engine.kernel.errors import DataError
from tests.sizes import sampled, sized

ROOT = Path(__file__).parents[3]


def _overlay(**parts: object) -> bytes:
    return json.dumps({"format": FORMAT, **parts}).encode()


def _faults(**parts: object) -> list[tuple[str, str]]:
    return [
        (fault.path, fault.problem) for fault in overlay_faults(decode_overlay(_overlay(**parts)))
    ]


def test_an_overlay_does_not_change_the_standard_book() -> None:
    before = standard_game_data().charts.surprise.look_up(7).result
    book = parse_game_data(_overlay(tables={"surprise": {"cells": {"7": "partial"}}}))
    assert (before, book.charts.surprise.look_up(7).result) == ("none", "partial")
    assert standard_game_data().charts.surprise.look_up(7).result == "none"


def test_cells_are_replaced_per_face_and_marked_as_printed() -> None:
    book = parse_game_data(_overlay(tables={"surprise": {"cells": {"7-8": "complete"}}}))
    cells = [(cell.lo, cell.hi, cell.result, cell.prov) for cell in book.charts.surprise.cells]
    assert cells == [
        (1, 6, "none", "assumed"),
        (7, 8, "complete", "printed"),
        (9, 9, "partial", "assumed"),
        (10, 10, "complete", "assumed"),
    ]


def test_a_column_and_a_modifier_are_replaced_by_name() -> None:
    change = {
        "columns": {"3": {"cells": [{"lo": 1, "hi": 10, "result": 9}]}},
        "modifiers": {"us_fuel_critical": {"drm": -1}},
    }
    chart = parse_game_data(_overlay(tables={"us_air_to_air": change})).charts.us_air_to_air
    assert (chart.look_up(1, "3").result, chart.look_up(1, "3").prov) == (9, "printed")
    modifier = chart.modifier("us_fuel_critical")
    assert (modifier.drm, modifier.is_assumed) == (-1, False)
    assert chart.look_up(1, "2") == standard_game_data().charts.us_air_to_air.look_up(1, "2")


def test_changing_a_field_changes_only_its_source() -> None:
    ships = {"ships": {"hornet": {"surface_attack": 1}}}
    hornet = parse_game_data(_overlay(counters={"us": ships})).us_ships["hornet"]
    assert isinstance(hornet.src, Mapping)
    assert (hornet.src["surface_attack"], hornet.src["aa"]) == ("printed", "reconstructed")


def test_an_explicit_source_is_kept() -> None:
    ships = {"ships": {"hornet": {"surface_attack": 1, "src": "historical"}}}
    assert parse_game_data(_overlay(counters={"us": ships})).us_ships["hornet"].src == "historical"


def test_a_replaced_compass_is_marked_as_printed() -> None:
    zones = {"movement_zones": {"NW": {"compass": {"1": "SE"}}}}
    sea = parse_game_data(_overlay(map=zones)).map
    assert (sea.compass_direction("0120", 1), sea.compass_direction("0120", 2)) == ("SE", "SW")
    assert sea.zones["NW"].src == {"compass": "printed", "hexes": "reconstructed"}


def test_hexes_and_scenarios_are_replaced() -> None:
    book = parse_game_data(
        _overlay(
            map={"hexes": {"0117": {"arrival": None}, "0118": {"arrival": ["I", 1]}}},
            scenarios={
                "6": {"japan": {"guam_air_value": 9}},
                "common": {"end_of_game": {"text": "x"}},
            },
        )
    )
    assert book.map.arrival["I"][0] == "0118"
    assert book.scenarios["6"].japan.guam_air_value == 9
    assert book.common.end_of_game.text == "x"
    assert book.scenarios["7"] == standard_game_data().scenarios["7"]


def test_equal_overlays_share_one_book() -> None:
    first = (
        b'{"format":"cbps-overlay/1","title":"a","tables":{"surprise":{"cells":{"7":"partial"}}}}'
    )
    second = _overlay(tables={"surprise": {"cells": {"7": "partial"}}}, title="a")
    assert canonical_text(decode_overlay(first)) == canonical_text(decode_overlay(second))
    book = parse_game_data(first)
    assert parse_game_data(second) is book
    assert load_game_data(book.overlay) is book
    assert parse_game_data(json.loads(second)) is book
    assert len(book.overlay_digest) == 64
    assert parse_game_data(_overlay(title="b")).overlay_digest != book.overlay_digest


def test_without_an_overlay_the_standard_book_is_used() -> None:
    assert load_game_data("") is standard_game_data()


def test_the_documented_example_is_valid() -> None:
    page = (ROOT / "docs" / "data-overlay.md").read_text(encoding="utf-8")
    lines = [line[4:] for line in page.splitlines() if line.startswith("    ")]
    example = "\n".join(lines[lines.index("{") :]).encode()
    assert overlay_faults(decode_overlay(example)) == ()
    assert replaced_items(decode_overlay(example))["tables.us_air_to_air"] == 2


WRONG: tuple[tuple[dict[str, object], str, str], ...] = (
    ({"tables": {"surprize": {}}}, "tables.surprize", "unknown field"),
    ({"tables": {"surprise": 3}}, "tables.surprise", "got `int`"),
    ({"tables": {"surprise": {"colour": 1}}}, "tables.surprise.colour", "unknown field"),
    ({"tables": {"surprise": {"cells": {"7": "big"}}}}, "tables.surprise.cells.7", "'big'"),
    ({"tables": {"surprise": {"cells": {"11": "none"}}}}, "tables.surprise.cells.11", "not a face"),
    ({"tables": {"surprise": {"cells": {"x": "none"}}}}, "tables.surprise.cells.x", "not a face"),
    (
        {"tables": {"intercept_range": {"cells": [{"lo": 1, "hi": 9, "result": 2}]}}},
        "tables.intercept_range.cells",
        "end at 9",
    ),
    (
        {
            "tables": {
                "intercept_range": {
                    "cells": [{"lo": 1, "hi": 4, "result": 2}, {"lo": 6, "hi": 10, "result": 2}]
                }
            }
        },
        "tables.intercept_range.cells",
        "there is no entry for die 5",
    ),
    (
        {"tables": {"intercept_range": {"cells": [{"lo": 1, "hi": 10, "result": 2.5}]}}},
        "tables.intercept_range.cells[0].result",
        "`float`",
    ),
    (
        {"tables": {"intercept_range": {"modifiers": {"dusk": {"drm": "lookup"}}}}},
        "tables.intercept_range.modifiers.dusk.drm",
        "not a whole number",
    ),
    (
        {"tables": {"intercept_range": {"modifiers": []}}},
        "tables.intercept_range",
        "'dusk' is missing",
    ),
    (
        {"tables": {"safe_return": {"modifiers": {"fuel_critical_box": {"drm": 2}}}}},
        "tables.safe_return.modifiers.fuel_critical_box.drm",
        "+box",
    ),
    (
        {"tables": {"japanese_submarine_attack": {"modifiers": {"screen": {"drm": -1}}}}},
        "tables.japanese_submarine_attack.modifiers.screen.drm",
        "-1 each",
    ),
    (
        {"tables": {"us_air_to_air": {"columns": {"3": {"min": 2}}}}},
        "tables.us_air_to_air.columns",
        "is followed by",
    ),
    (
        {"tables": {"us_air_to_air": {"columns": {"33": {}}}}},
        "tables.us_air_to_air.columns.33",
        "there is no '33'",
    ),
    (
        {"tables": {"constants": {"values": [{"id": "turn_minutes", "value": 80, "rule": "3.0"}]}}},
        "tables.constants",
        "'hex_nautical_miles' is missing",
    ),
    (
        {"tables": {"raid_strength_reduction": {"rows": {"1": {}}}}},
        "tables.raid_strength_reduction.rows",
        "as a whole",
    ),
    (
        {"tables": {"raid_strength_reduction": {"cells": [[0]]}}},
        "tables.raid_strength_reduction.cells",
        "41 rows",
    ),
    (
        {"tables": {"turn_track": {"turns": {"0530": {"label": "0520"}}}}},
        "tables.turn_track.turns.0520",
        "0530",
    ),
    (
        {"tables": {"constants": {"values": {"turn_minutes": {"value": {}}}}}},
        "tables.constants.values.turn_minutes.value",
        "a number",
    ),
    (
        {"tables": {"us_air_to_air": {"column_axis": {"select": "exact"}}}},
        "tables.us_air_to_air.column_axis.select",
        "highest",
    ),
    ({"map": {"hexes": {"9999": {"section": "E", "zone": "C"}}}}, "map.hexes.9999", "no such hex"),
    ({"map": {"hexes": {"0101": {"zone": "Q"}}}}, "map.hexes.0101.zone", "'Q'"),
    ({"map": {"hexes": {"0101": {"section": "N"}}}}, "map.hexes.0101.section", "'N'"),
    ({"map": {"hexes": {"0101": {"island": "Atlantis"}}}}, "map.hexes.0101.island", "'Atlantis'"),
    ({"map": {"hexes": {"0117": {"arrival": None}}}}, "map.arrival.zones.I", "1 to 10"),
    ({"map": {"grid": {"rows": {"last": 25}}}}, "map.hexes.2501", "missing"),
    (
        {"map": {"movement_zones": {"NW": {"compass": {"1": "N"}}}}},
        "map.movement_zones.NW.compass.1",
        "'N'",
    ),
    (
        {"map": {"movement_zones": {"INV": {"compass": {"1": "W"}}}}},
        "map.movement_zones.INV.compass",
        "exit",
    ),
    (
        {"map": {"movement_zones": {"NW": {"compass": {str(n): "NW" for n in range(1, 11)}}}}},
        "map.hexes.0116",
        "never reach the exit",
    ),
    ({"map": {"land_bases": {"GUAM": {"hex": "0101"}}}}, "map.land_bases.GUAM.hex", "island"),
    (
        {"counters": {"us": {"ships": {"Enterprize": {"aa": 1}}}}},
        "counters.us.ships.Enterprize",
        "there is no",
    ),
    (
        {"counters": {"us": {"ships": {"hornet": {"aa": 9}}}}},
        "counters.us.task_groups.58.1.aa_total",
        "43",
    ),
    (
        {"counters": {"us": {"ships": {"hornet": {"aa": -1}}}}},
        "counters.us.ships.hornet.aa",
        ">= 0",
    ),
    (
        {"counters": {"us": {"ships": {"hornet": {"tg": "58.2"}}}}},
        "counters.us.task_groups.58.1.ships",
        "58.2",
    ),
    (
        {"counters": {"us": {"air_units": {"hornet-f1": {"carrier": "iowa"}}}}},
        "counters.us.air_units.hornet-f1.carrier",
        "'iowa'",
    ),
    (
        {"counters": {"us": {"air_types": {"SBD": {"attack": 0}}}}},
        "counters.us.air_types.SBD.attack",
        "4.21",
    ),
    (
        {"counters": {"japan": {"kido_butai": {"carriers": ["X"]}}}},
        "counters.japan.kido_butai.carriers",
        "'X'",
    ),
    (
        {"counters": {"japan": {"force_markers": {"letters": ["A", "A"]}}}},
        "counters.japan.force_markers.letters",
        "once",
    ),
    ({"counters": {"norway": {}}}, "counters.norway", "unknown field"),
    ({"scenarios": {"10": {}}}, "scenarios.10", "there is no '10'"),
    (
        {"scenarios": {"6": {"us": {"task_force_58_hex": "1407"}}}},
        "scenarios.6.us.task_force_58_hex",
        "not a sea hex",
    ),
    (
        {"scenarios": {"6": {"us": {"task_groups": ["58.9"]}}}},
        "scenarios.6.us.task_groups",
        "'58.9'",
    ),
    (
        {"scenarios": {"6": {"japan": {"commitment": {"historical": {"threshold": 12}}}}}},
        "scenarios.6.japan.commitment.historical",
        "below the limit",
    ),
    (
        {"scenarios": {"6": {"japan": {"commitment": {"historical": {"limit": 13}}}}}},
        "scenarios.6.japan.commitment.historical.limit",
        "have only 12",
    ),
    (
        {"scenarios": {"6": {"japan": {"ships": {"historical": {"CV": ["akagi"]}}}}}},
        "scenarios.6.japan.ships.historical.CV",
        "7.43",
    ),
    (
        {"scenarios": {"6": {"turns": [["19 June", "0530"], ["19 June", "0810"]]}}},
        "scenarios.6.turns",
        "not consecutive",
    ),
    ({"scenarios": {"6": {"length_action_phases": 47}}}, "scenarios.6.length_action_phases", "48"),
    ({"scenarios": {"1": {"us": {"ready": ["Hornet F9"]}}}}, "scenarios.1.us.ready", "'Hornet F9'"),
    ({"scenarios": {"1": {"us": {"ready": ["hornet-f1"]}}}}, "scenarios.1.us", "twice"),
    (
        {"scenarios": {"1": {"japan": {"raids": {"Raid I": {"strength": [0]}}}}}},
        "scenarios.1.japan.raids.Raid I.strength",
        "one point",
    ),
    (
        {"scenarios": {"1": {"victory": {"levels": [{"min": 3, "level": "a"}]}}}},
        "scenarios.1.victory.levels",
        "descending order",
    ),
    (
        {"scenarios": {"1": {"victory": {"levels": [{"min": None, "level": "a draw at sea"}]}}}},
        "scenarios.1.victory.levels",
        "needs a verdict",
    ),
    (
        {"tables": {"victory_levels": {"columns": {"31-50": {"result": "a draw at sea"}}}}},
        "tables.victory_levels.columns.31-50",
        "not a level",
    ),
    (
        {"scenarios": {"2": {"japan": {"forces": {"A": {"hex": "9999"}}}}}},
        "scenarios.2.japan.forces.A",
        "9999",
    ),
    (
        {"scenarios": {"5": {"japan": {"arrival": {"zones": [{"lo": 1, "hi": 9, "zone": "I"}]}}}}},
        "scenarios.5.japan.arrival.zones",
        "1 to 10",
    ),
)


@pytest.mark.parametrize(
    ("parts", "path", "words"),
    sampled([pytest.param(*wrong, id=wrong[1]) for wrong in WRONG], 20),
)
def test_invalid_values_are_reported_with_their_path(
    parts: dict[str, object], path: str, words: str
) -> None:
    found = _faults(**parts)
    assert any(where == path and words in problem for where, problem in found), found
    with pytest.raises(DataError):
        parse_game_data(_overlay(**parts))


def test_every_error_is_reported() -> None:
    change = {"surprise": {"cells": {"7": "big"}, "modifiers": {"us_advantage": {"drm": 1.5}}}}
    assert [path for path, _ in _faults(tables=change)] == [
        "tables.surprise.cells.7",
        "tables.surprise.modifiers.us_advantage.drm",
    ]
    many = {f"{n:04}": {"zone": "Q"} for n in range(101, 131)}
    assert len(_faults(map={"hexes": many})) == MAX_FAULTS


BAD: tuple[tuple[bytes, str], ...] = (
    (b"", "this is not JSON"),
    (b"\xff\xfe\x00", "this is not JSON"),
    (b"charts: 1", "this is not JSON"),
    (b"[1]", "not an overlay"),
    (b"{}", "not an overlay"),
    (b'{"game": "eots", "format": 1}', ""),
    (b'{"format": "cbps-map/1"}', "is not 'cbps-overlay/1'"),
    (b'{"format": "cbps-overlay/1", "map": []}', "got `array`"),
    (b'{"format": "cbps-overlay/1", "title": "a\\u001b[2J"}', "cannot be printed"),
    (b'{"format": "cbps-overlay/1", "map": {"a\\u202eb": 1}}', "cannot be printed"),
    (_overlay(title="x" * 2001), "at most 2000"),
    (_overlay(title="x" * MAX_OVERLAY_BYTES), "too long"),
    (b'{"format": "cbps-overlay/1", "map": ' + b'{"a":' * 190_000, "nested too deeply"),
)


@pytest.mark.parametrize(("text", "words"), BAD)
def test_text_that_is_not_an_overlay_is_refused(text: bytes, words: str) -> None:
    with pytest.raises(DataError) as refused:
        parse_game_data(text, "mine.json")
    assert words in str(refused.value)
    assert refused.value.file == "mine.json"


@pytest.mark.parametrize("part", PARTS)
def test_any_value_may_be_replaced_by_itself(part: str) -> None:
    content = read_plain(part)
    change = content["tables"] if part == "tables" else content
    if part == "scenarios":
        rows = content["scenarios"]
        assert isinstance(rows, list)
        change = {str(row["id"]): row for row in rows} | {"common": content["common"]}
    assert _faults(**{part: change}) == []


@pytest.mark.parametrize(
    "junk", sampled([None, True, -1, 10**30, 1.5, "x", [], {}, [[]], [{}], {"x": {}}], 4)
)
def test_junk_values_are_refused_or_accepted_without_a_crash(junk: object) -> None:
    places = [{part: _at(path, junk)} for part in PARTS for path in _some(_paths(part))]
    for parts in places:
        overlay = _overlay(**parts)
        wrong = overlay_faults(decode_overlay(overlay))
        assert all(fault.path and fault.problem for fault in wrong)
        if not wrong:
            assert parse_game_data(overlay).overlay


def _some(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return places spread over a document. A nightly run tries all of them."""
    count = min(sized(4, 60, len(paths)), len(paths))
    return [paths[number * len(paths) // count] for number in range(count)]


def _paths(part: str) -> list[tuple[str, ...]]:
    content = read_plain(part)
    roots = content["tables"] if part == "tables" else content
    found: list[tuple[str, ...]] = []
    _walk(roots, (), found)
    return found


def _walk(value: object, path: tuple[str, ...], found: list[tuple[str, ...]]) -> None:
    if path:
        found.append(path)
    if isinstance(value, dict):
        for key, inner in value.items():
            _walk(inner, (*path, key), found)


def _at(path: tuple[str, ...], value: object) -> dict[str, object]:
    return {path[0]: _at(path[1:], value) if len(path) > 1 else value}


def test_canonical_text_decodes_to_the_same_overlay() -> None:
    overlay = decode_overlay(
        _overlay(tables={"surprise": {"cells": {"7": "partial"}}}, title="mine")
    )
    assert decode_overlay(canonical_text(overlay).encode()) == overlay
    assert msgspec.json.decode(canonical_text(overlay))["title"] == "mine"
