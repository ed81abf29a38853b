"""Map, displays, counters and markers (2)."""

from collections import Counter

import pytest
from msgspec.structs import replace

from engine.cbps.air.ch04_fuel import lose_unit
from engine.cbps.commands import Launch
from engine.cbps.frames import OperationsFrame
from engine.cbps.ids import Place
from engine.cbps.intelligence.ch07_pool import ship_pools
from engine.cbps.locations import carriers_in, carriers_in_group, ships_in_group
from engine.cbps.state import Mission
from tests.engine.cbps.battle import (
    BOOK,
    battle,
    options,
    running,
    with_force,
    with_frame,
    with_parts,
)

GROUPS = ("58.1", "58.2", "58.3", "58.4", "58.7")
SURFACE = "58.7"


# -- the map: 2.1


def test_2_11_map_defines_arrival_hexes_movement_zones_and_compasses() -> None:
    """There are ten hexes per arrival zone, each hex is in one movement zone, and every die has a direction."""
    assert {zone: len(hexes) for zone, hexes in BOOK.map.arrival.items()} == dict.fromkeys(
        ("I", "II", "III", "IV"), 10
    )
    zones = Counter(row.zone for row in BOOK.map.hexes.values())
    assert set(zones) == set(BOOK.map.zones)
    assert sum(zones.values()) == len(BOOK.map.rows) * len(BOOK.map.columns)
    assert all(len(zone.compass) == 10 for zone in BOOK.map.zones.values())


def test_2_13_each_map_row_is_split_into_east_and_west() -> None:
    """Both sections are connected: no eastern hex is west of a western one in its row."""
    for row in BOOK.map.rows:
        sections = "".join(
            BOOK.map.hexes[f"{row:02}{column:02}"].section for column in BOOK.map.columns
        )
        assert "W" not in sections.rstrip("W")  # columns grow westward
        assert "E" in sections


# -- displays: 2.2


def test_2_21_every_ship_is_on_the_display_of_a_task_group() -> None:
    state = battle("6")
    assert sorted(name for group in GROUPS for name in ships_in_group(state, group)) == sorted(
        state.ships
    )
    assert not any(ship.hex for ship in state.ships.values())


def test_2_211_and_6_11_four_groups_have_carriers_and_the_battle_line_has_none() -> None:
    """They are known by their numbers, and the Battle Line has seven battleships."""
    state = battle("6")
    assert tuple(state.groups) == GROUPS
    assert [len(carriers_in_group(state, group)) for group in GROUPS] == [4, 4, 4, 3, 0]
    line = ships_in_group(state, SURFACE)
    assert sum(BOOK.us_ships[ship].type == "BB" for ship in line) == 7


def test_6_13_and_6_14_each_carrier_has_its_own_box_and_other_ships_form_the_screen() -> None:
    for group in GROUPS:
        ships = [BOOK.us_ships[ship] for ship in ships_in_group(battle("6"), group)]
        slots = [ship.slot for ship in ships if ship.is_carrier]
        assert len(set(slots)) == len(slots)
        assert any(not ship.is_carrier for ship in ships)


def test_2_25_and_6_12_tf_58_counter_does_not_affect_groups_in_its_hex() -> None:
    """A group that sails independently launches the same units from the same hex."""
    state = with_frame(battle("6"), OperationsFrame())
    group = replace(state.groups["58.1"], is_detached=True)
    alone = with_parts(state, groups={"58.1": group})
    assert alone.groups["58.1"].hex == state.groups["58.2"].hex
    assert options(alone) == options(state)
    assert any(isinstance(order, Launch) for order in options(alone))


@pytest.mark.parametrize("place", ["lost-at-group", "lost"], ids=("2.26-group", "2.26-sea"))
def test_2_26_lost_units_go_to_the_box_for_their_place_of_loss(place: Place) -> None:
    state = battle("6")
    home = state.groups["58.1"].hex
    at = home if place == "lost-at-group" else BOOK.map.grid.neighbours(home)[0]
    mission = Mission(kind="strike", hex=at, fuel=9, groups=("58.1",))
    unit = replace(state.units["hornet-b1"], place="mission", at="strike-1")
    run = running(with_parts(state, missions={"strike-1": mission}, units={"hornet-b1": unit}))
    lose_unit(run, "hornet-b1", "fuel")
    assert run.state.units["hornet-b1"].place == place


# -- units: 2.3


def test_2_31_and_7_31_a_force_without_markers_has_no_known_attributes() -> None:
    force = with_force(battle("6"), "A", "1010").forces["A"]
    assert (force.level, force.chit, force.detection) == (0, "", "")
    assert not any((force.is_carrier, force.has_advantage, force.is_retiring, force.is_butai))


def test_2_33_japanese_ship_types() -> None:
    kinds = Counter(ship.type for ship in BOOK.japanese_ships.values())
    assert set(kinds) == {"CV", "CVL", "BB", "CA", "DD"}
    assert {
        BOOK.names[ship.id].rpartition(" ")[0] for ship in BOOK.japanese_ships_of_type("CA")
    } == {"Cruiser Force"}


@pytest.mark.parametrize(
    ("scenario", "chosen", "has_additional", "has_ghosts"),
    [("6", "on", True, False), ("6", "off", False, False), ("9", "on", True, True)],
    ids=("2.35-additional", "2.35-historical", "2.35-ghosts"),
)
def test_2_35_ship_pools_that_may_be_drawn_from(
    scenario: str, chosen: str, *, has_additional: bool, has_ghosts: bool
) -> None:
    """The first pool is used as long as it has ships (7.43)."""
    state = battle(scenario, additional_ships=chosen)
    first = {
        BOOK.japanese_ships[name].ship_class
        for kind in ("CV", "CVL")
        for name in ship_pools(state, kind)[0]
    }
    assert ("additional" in first) is has_additional
    assert ("ghost" in first) is has_ghosts


def test_2_36_types_of_us_aircraft() -> None:
    """Fighters escort and intercept, other types attack, and one F6F flies at night."""
    fighters = {kind for kind, row in BOOK.air_types.items() if row.role == "fighter"}
    assert fighters == {"F6F", "F6F-3"}
    assert {kind for kind, row in BOOK.air_types.items() if row.night} == {"F6F-3"}


def test_24_1_task_group_58_1_can_be_omitted() -> None:
    """All its ships and aircraft are omitted."""
    state = battle("6", **{"without-58.1": "on"})
    assert "58.1" not in state.groups
    assert not {"hornet", "yorktown", "belleau-wood", "bataan"} & set(state.ships)
    assert not any(BOOK.air_units[unit].carrier == "hornet" for unit in state.units)
    home = state.groups["58.2"].hex
    assert carriers_in(state, home)
