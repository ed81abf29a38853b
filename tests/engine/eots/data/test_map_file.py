from collections.abc import Callable, Iterator

import msgspec
import pytest

from engine.eots.data.map_file import HexRow, RouteRow, SidesRow
from engine.eots.ids import HexId, HexKind, Terrain
from tests.engine.eots.data import map_checks
from tests.engine.eots.data.whole_map import WholeMap, whole_map

FILE = whole_map()
Check = Callable[[WholeMap], Iterator[str]]


def with_hex(name: str, change: Callable[[HexRow], HexRow]) -> WholeMap:
    key = HexId(name)
    return msgspec.structs.replace(FILE, hexes={**FILE.hexes, key: change(FILE.hexes[key])})


def with_north(name: str, word: str) -> WholeMap:
    def change(row: HexRow) -> HexRow:
        sides = msgspec.convert({**msgspec.to_builtins(row.sides), "N": word}, SidesRow)
        return msgspec.structs.replace(row, sides=sides)

    return with_hex(name, change)


def with_route(route: RouteRow) -> WholeMap:
    return msgspec.structs.replace(FILE, routes=(*FILE.routes, route))


@pytest.mark.parametrize("check", map_checks.CHECKS, ids=lambda check: check.__name__)
def test_map_file_is_consistent(check: Check) -> None:
    assert list(check(FILE)) == []


BROKEN = [
    pytest.param(
        map_checks.check_numbers,
        msgspec.structs.replace(
            FILE, hexes={**FILE.hexes, HexId("0999"): FILE.hexes[HexId("6015")]}
        ),
        id="bad-number",
    ),
    pytest.param(
        map_checks.check_kinds,
        with_hex("6015", lambda row: msgspec.structs.replace(row, airfield=True)),
        id="8.3-airfield-at-sea",
    ),
    pytest.param(
        map_checks.check_side_words, with_north("6015", "land"), id="0.3-land-side-of-ocean"
    ),
    pytest.param(
        map_checks.check_sides_agree, with_north("2220", "unplayable"), id="0.3-one-sided-side"
    ),
    pytest.param(
        map_checks.check_connected,
        with_hex("2220", lambda row: msgspec.structs.replace(row, landmass="Atlantis")),
        id="1.3-own-landmass",
    ),
    pytest.param(
        map_checks.check_named,
        with_hex("2220", lambda row: msgspec.structs.replace(row, port=False)),
        id="8.22-port-missing",
    ),
    pytest.param(
        map_checks.check_setup_places,
        with_hex("2415", lambda row: msgspec.structs.replace(row, resource=False)),
        id="12.11-resource-missing",
    ),
    pytest.param(
        map_checks.check_rule_facts,
        with_hex("3823", lambda row: msgspec.structs.replace(row, terrain=Terrain.OPEN)),
        id="8.45-port-moresby-open",
    ),
    pytest.param(map_checks.check_routes, with_route(FILE.routes[0]), id="8.1-route-twice"),
    pytest.param(
        map_checks.check_borders,
        with_hex("3706", lambda row: msgspec.structs.replace(row, japanese_empire=False)),
        id="1.3-tokyo-outside",
    ),
    pytest.param(
        map_checks.check_edges,
        msgspec.structs.replace(
            FILE, supply_edges=msgspec.structs.replace(FILE.supply_edges, east=())
        ),
        id="6.25-no-east-edge",
    ),
    pytest.param(map_checks.check_labels, msgspec.structs.replace(FILE, labels=()), id="no-labels"),
    pytest.param(
        map_checks.check_counts,
        with_hex("1709", lambda row: msgspec.structs.replace(row, kind=HexKind.COASTAL)),
        id="count-of-islands",
    ),
]


@pytest.mark.parametrize(("check", "file"), BROKEN)
def test_each_check_detects_an_error(check: Check, file: WholeMap) -> None:
    assert list(check(file)) != []
