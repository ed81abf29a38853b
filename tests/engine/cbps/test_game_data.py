"""The book: what the packaged data contain, and that every record names its source."""

from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec
import pytest

from engine.cbps.charts.chart import Row
from engine.cbps.data.checks import problems
from engine.cbps.data.map_file import SourcedRow
from engine.cbps.data.reading import PARTS, convert_sources, data_digest, read_plain
from engine.cbps.game_data import standard_game_data
from engine.kernel.errors import DataError

BOOK = standard_game_data()
SOURCES = convert_sources({part: read_plain(part) for part in PARTS})


def _records(value: object, path: str) -> Iterator[tuple[str, Row | SourcedRow]]:
    """Yield every record with a source, with its path."""
    if isinstance(value, (Row, SourcedRow)):
        yield path, value
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _records(getattr(value, field), f"{path}.{field}")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _records(inner, f"{path}.{key}")
    elif isinstance(value, tuple):
        for n, inner in enumerate(value):
            yield from _records(inner, f"{path}[{n}]")


def test_the_packaged_data_are_consistent() -> None:
    assert list(problems(SOURCES)) == []
    assert len(data_digest()) == 64
    assert standard_game_data() is BOOK
    assert (BOOK.overlay, BOOK.overlay_digest) == ("", "")


def test_every_record_states_its_source() -> None:
    origins: Counter[str] = Counter()
    for path, record in _records(SOURCES, ""):
        if path.startswith("[1].hexes."):
            continue  # hexes_src gives their source
        origin = record.prov if isinstance(record, Row) else record.src
        found = origin.values() if isinstance(origin, Mapping) else (origin,)
        assert "printed" not in found, path
        origins.update(found)
    assert origins["seed"] > 300
    assert origins["assumed"] > 300
    assert origins["reconstructed"] > 300


def test_2_1_map_size_islands_and_bases() -> None:
    sea = BOOK.map
    assert (len(sea.hexes), sea.rows, sea.columns) == (720, range(1, 25), range(1, 31))
    assert list(sea.hexes)[:2] == ["0101", "0102"]
    assert sea.islands["2219"] == "Yap"
    assert (sea.guam, sea.saipan) == ("1407", "1005")
    assert (sea.base_origin("Iwo Jima"), sea.base_origin("Yap/Peleliu")) == ("0109", "2219")
    assert sea.hexes["0115"].section == "E"
    assert sea.hexes["0116"].section == "W"


def test_7_13_arrival_hexes_are_in_order() -> None:
    assert {zone: len(hexes) for zone, hexes in BOOK.map.arrival.items()} == {
        "I": 10,
        "II": 10,
        "III": 10,
        "IV": 10,
    }
    assert BOOK.map.arrival["I"][:2] == ("0117", "0116")
    assert BOOK.map.arrival["IV"][-1] == "2408"


def test_7_221_zone_compasses() -> None:
    sea = BOOK.map
    assert [sea.compass_direction("1013", die) for die in (1, 3, 5, 10)] == ["NW", "NE", "E", "SE"]
    assert {sea.compass_direction("1001", die) for die in range(1, 11)} == {"E"}
    assert [zone for zone in sea.zones if sea.touches_east_edge(zone)] == ["NE", "SE", "INV"]


def test_7_23_invasion_zone_and_exits() -> None:
    assert BOOK.map.exit_hexes == ("0801", "0901", "1001", "1101", "1201")
    assert set(BOOK.map.exit_hexes) < BOOK.map.invasion_zone
    assert len(BOOK.map.invasion_zone) == 25


def test_20_3_oil_hexes() -> None:
    assert {group: len(hexes) for group, hexes in BOOK.map.oil.items()} == {
        "Oil-1": 5,
        "Oil-2": 5,
        "Oil-3": 5,
    }


def test_us_counter_values() -> None:
    carriers = [ship for ship in BOOK.us_ships.values() if ship.is_carrier]
    assert [BOOK.task_groups[group].aa_total for group in BOOK.task_groups] == [40, 40, 39, 35, 66]
    assert len(carriers) == 16
    assert len(BOOK.carrier_units("hornet")) == 8
    assert BOOK.air_types["F6F"].endurance == 16
    assert BOOK.submarines == ("albacore", "bang", "cavalla", "finback", "stingray")
    for ship in carriers:
        limit = BOOK.charts.carrier_operations_limits.look_up("hangar_total", ship.type)
        assert 1 <= len(BOOK.carrier_units(ship.id)) <= limit


def test_japanese_counter_values() -> None:
    assert (BOOK.japanese_ships["zuikaku"].air_value, BOOK.letters[-1]) == (10, "R")
    carriers = BOOK.japanese_ships_of_type("CV", "CVL")
    historical = [ship for ship in carriers if ship.ship_class == "historical"]
    assert (len(historical), sum(ship.commitment for ship in historical)) == (9, 12)
    assert {ship.id for ship in carriers if ship.ship_class == "ghost"} == {
        "akagi",
        "kaga",
        "hiryu",
        "soryu",
    }
    assert [len(BOOK.japanese_ships_of_type(kind)) for kind in ("BB", "CA", "DD")] == [10, 10, 8]
    assert (BOOK.level_two["1-2 Carriers"].commitment, BOOK.level_three["2 CV"].air_value) == (
        2,
        20,
    )


def test_chits_of_charts_and_counters_agree() -> None:
    for chit in BOOK.charts.l2_chits.chits:
        assert BOOK.level_two[chit.id].commitment == chit.commitment
    for chit in BOOK.charts.l3_chits.chits:
        found = BOOK.level_three[chit.id]
        assert (found.cv, found.cvl, found.air_value, found.commitment) == (
            chit.cv,
            chit.cvl,
            chit.air_value,
            chit.commitment,
        )


@pytest.mark.parametrize("number", range(1, 10))
def test_scenario_data_match_the_rules(number: int) -> None:
    one = BOOK.scenarios[str(number)]
    groups = {name: BOOK.task_groups[name].aa_total for name in one.us.task_groups}
    if one.us.extra_carrier is not None:
        groups[one.us.extra_carrier.tg] += BOOK.us_ships[one.us.extra_carrier.id].aa
    assert one.us.aa_totals == groups
    is_full = number >= 6
    assert bool(one.japan.commitment) == bool(one.us.submarines) == is_full
    assert ("US Subs" in one.japan.activation_chits) == is_full
    texts = one.special_rules
    has_flank_rule = any(text.startswith("common.one_day_flank_rule") for text in texts)
    assert has_flank_rule == (number in (6, 7))
    assert any(text.startswith("common.crippled_substitute_rule") for text in texts) == is_full
    assert (one.refuelling is not None) == (number == 8)
    assert (one.table_modifiers is not None) == (number == 9)
    assert bool(one.victory.levels) == (number in (1, 2, 3, 4, 9))


def test_scenario_data_required_by_rules() -> None:
    one, two, four, five, six = (BOOK.scenarios[n] for n in "12456")
    assert one.japan.raids[0].appears.hex == "1214"
    assert (two.contact_distance_hexes, two.return_flight) == (
        10,
        {"F6F": 2, "F6F-3": 2, "SBD": 3, "TBF": 4, "TBM": 4, "SB2C": 6},
    )
    assert [force.cap for force in two.japan.forces] == [2, 5, 3]
    assert four.victory.points["level_4_per_cv"] == 4
    assert five.japan.cap is not None
    assert five.japan.known_air_strength is not None
    assert (five.japan.cap.one_or_two, five.japan.known_air_strength.value) == (2, 5)
    assert five.japan.arrival is not None
    assert [(share.lo, share.hi) for share in five.japan.arrival.zones] == [(1, 5), (6, 10)]
    fleet = next(variant.fleet for variant in six.variants if variant.id == "6H")
    assert [force.hex for force in fleet] == ["1419", "1521", "1422"]
    assert six.japan.commitment["historical"].limit == 12


def test_a_damaged_file_is_reported_with_the_field() -> None:
    damaged = read_plain("counters")
    japan = damaged["japan"]
    assert isinstance(japan, dict)
    japan["oilers"]["ids"] = 7
    with pytest.raises(DataError) as refused:
        convert_sources({**{part: read_plain(part) for part in PARTS}, "counters": damaged})
    assert (refused.value.file, refused.value.path) == ("orbat.json", "$.japan.oilers.ids")
