"""Flight and landing of searches (8.24-8.28, 8.32, 8.33, 18.2, 18.23)."""

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Land, Pass
from engine.cbps.events.air import UnitLost, UnitMoved
from engine.cbps.events.search import SearchEnded, SearchMoved
from engine.cbps.frames import SearchLandingFrame
from engine.cbps.search.ch08_flight import Flight
from engine.cbps.search.ch08_landing import begin_search_landing
from engine.cbps.state import AirUnit, State
from tests.engine.cbps.battle import (
    advanced,
    facts,
    given,
    options,
    reads,
    refusals,
    running,
    with_force,
    with_frame,
    with_parts,
)
from tests.engine.cbps.searching import BOTTOM, HOME, at_flight, carrier, fleet, moved, searching


def flown(state: State, segments: int) -> list[SearchMoved]:
    """Return the moves of a lone search during the given number of Search Segments with nothing to find."""
    found = []
    for _ in range(segments):
        run = advanced(at_flight(state))
        found += [one for one in run.events if isinstance(one, SearchMoved)]
        state = replace(run.state, has_searched=False)
    return found


def timetable(moves: list[SearchMoved]) -> list[tuple[str, str]]:
    """Return the hexes and zones of moves."""
    return [(one.hex, one.zone) for one in moves]


# -- standard searches


def test_8_271_a_standard_search_takes_six_segments() -> None:
    state = searching(fleet())
    assert timetable(flown(state, 6)) == [
        ("1217", "near"),
        ("1221", "middle"),
        ("1225", "far"),
        ("1221", "far"),
        ("1217", "middle"),
        ("1215", "near"),
    ]


def test_8_28_a_returned_search_lands_immediately() -> None:
    state = searching(fleet(), is_back=True, hex="1217", moves=5, zones=("far", "middle"))
    state = carrier(state, "hornet", launched=1)
    state = with_parts(
        state,
        ships={
            name: replace(one, launched=1)
            for name, one in state.ships.items()
            if state.game_data.us_ships[name].is_carrier and name != "wasp"
        },
    )
    state = with_parts(state, units={"wasp-b1": replace(state.units["wasp-b1"], place="hangar")})
    run = advanced(at_flight(state))
    assert facts(run, UnitMoved) == (
        UnitMoved(unit="hornet-b1", place="landed", at="wasp", why="land"),
    )
    assert facts(run, SearchEnded) == (SearchEnded(search="search-1"),)
    assert run.state.ships["wasp"].landed == 1
    assert not run.state.searches


def test_8_331_zones_are_measured_from_the_origin_after_the_group_moves() -> None:
    state = moved(searching(fleet()), "1211")
    assert timetable(flown(state, 7)) == [
        ("1217", "near"),
        ("1221", "middle"),
        ("1225", "far"),
        ("1221", "far"),
        ("1217", "middle"),
        ("1213", "near"),
        ("1211", ""),  # OP-31: extra segments search nothing
    ]


def test_8_28_a_search_lands_early_if_its_group_is_closer() -> None:
    state = searching(fleet(), hex="1225", moves=3, zones=("near", "middle", "far"), zone="far")
    state = moved(state, "1222")
    run = advanced(at_flight(state))
    assert facts(run, SearchMoved) == (
        SearchMoved(search="search-1", hex="1222", zone="far", is_back=True),
    )
    assert isinstance(run.top(), SearchLandingFrame)


def test_op_31_each_zone_is_searched_once_per_leg() -> None:
    # the group is to one side, so that the search is still in the far zone when it continues
    state = moved(searching(fleet(), hex="1225", moves=3, zone="far"), "0720")
    moves = flown(state, 2)
    grid = state.game_data.map.grid
    assert grid.distance(HOME, moves[0].hex) >= 7
    assert [one.zone for one in moves] == ["far", ""]


def test_op_31_other_ruling_searches_zones_in_sequence() -> None:
    state = fleet(homeward_zones="order")
    state = moved(searching(state, hex="1225", moves=3, zone="far"), "0720")
    assert [one.zone for one in flown(state, 2)] == ["far", "middle"]


def test_8_332_a_search_turns_back_in_the_last_zone_on_the_map() -> None:
    # three hexes of the middle zone are on the map, and none of the far zone
    state = searching(fleet("1205"), origin="1205", hex="1205", bearing=90, radius="1201")
    assert timetable(flown(state, 4)) == [
        ("1203", "near"),
        ("1201", "middle"),
        ("1205", "middle"),
        ("1205", "near"),  # it does not land before the segment of the near zone
    ]


def test_8_332_a_far_zone_partly_on_the_map_keeps_the_full_timetable() -> None:
    state = searching(fleet("1209"), origin="1209", hex="1209", bearing=90, radius="1201")
    assert timetable(flown(state, 6)) == [
        ("1207", "near"),
        ("1203", "middle"),
        ("1201", "far"),
        ("1205", "far"),
        ("1209", "middle"),
        ("1209", "near"),
    ]


def test_8_332_a_search_launched_at_the_map_edge_has_only_the_near_zone() -> None:
    state = searching(fleet("1202"), origin="1202", hex="1202", bearing=90, radius="1201")
    assert timetable(flown(state, 2)) == [("1201", "near"), ("1202", "near")]


# -- long searches


def test_18_22_a_long_search_adds_two_hexes_and_searches_them_twice() -> None:
    state = searching(fleet(long_searches="on"), "hornet-f2", kind="long")
    assert timetable(flown(state, 8)) == [
        ("1217", "near"),
        ("1221", "middle"),
        ("1225", "far"),
        ("1227", "extended"),
        ("1225", "extended"),
        ("1221", "far"),
        ("1217", "middle"),
        ("1215", "near"),
    ]


# -- narrow searches


def test_8_26_a_narrow_search_flies_straight_to_14_hexes_and_back() -> None:
    moves = flown(searching(fleet(), kind="narrow"), 8)
    assert [one.passed for one in moves] == [
        ("1216", "1217"),
        ("1218", "1219", "1220", "1221"),
        ("1222", "1223", "1224", "1225"),
        ("1226", "1227", "1228", "1229"),
        ("1228", "1227", "1226", "1225"),
        ("1224", "1223", "1222", "1221"),
        ("1220", "1219", "1218", "1217"),
        ("1216", "1215"),
    ]
    assert [one.is_back for one in moves] == [False] * 4 + [True] * 4


def test_8_261_a_narrow_search_turns_back_at_the_map_edge() -> None:
    state = searching(fleet("1205"), kind="narrow", origin="1205", hex="1205", radius="1201")
    moves = flown(state, 3)
    assert [one.passed for one in moves] == [
        ("1204", "1203"),
        ("1202", "1201"),
        ("1202", "1203", "1204", "1205"),
    ]


def along_a_hexside(state: State) -> State:
    """Return a state with a narrow search to 1925, whose path runs between 1315 and 1216, then 1417 and 1317."""
    return searching(state, kind="narrow", radius="1925")


def test_8_32_along_a_hexside_the_player_chooses_the_hex() -> None:
    state = along_a_hexside(fleet())
    state = with_force(state, "A", "1216", level=1, chit="Small")
    run = advanced(at_flight(state))
    assert Flight().active_roles(run.state, run.top()) == ("us",)  # type: ignore[arg-type]  # a flight
    assert options(run.state) == (Pass(hex="1315"), Pass(hex="1216"))
    run = given(run.state, Pass(hex="1216"), 1)
    (move,) = facts(run, SearchMoved)
    assert isinstance(move, SearchMoved)
    assert move.passed == ("1216", "1316")
    assert [read.about for read in reads(run, "air_search")] == ["A"]


def test_8_32_the_unchosen_hex_is_not_searched() -> None:
    state = along_a_hexside(fleet())
    state = with_force(state, "A", "1216", level=1, chit="Small")
    run = given(advanced(at_flight(state)).state, Pass(hex="1315"))
    assert not reads(run, "air_search")


def test_8_32_no_choice_is_offered_if_both_hexes_are_empty() -> None:
    run = advanced(at_flight(along_a_hexside(fleet())))
    (move,) = facts(run, SearchMoved)
    assert isinstance(move, SearchMoved)
    assert move.passed == ("1315", "1316")


def test_8_32_only_the_two_adjacent_hexes_can_be_chosen() -> None:
    state = with_force(along_a_hexside(fleet()), "A", "1315", level=1, chit="Small")
    run = advanced(at_flight(state))
    assert refusals(run.state, Pass(hex="1217")) == ("8.32",)


# -- landing


def landing(state: State, *units: str) -> State:
    """Return a state in which the units of a search that has returned choose their carriers."""
    fields = {"is_back": True, "hex": HOME, "moves": 6, "zones": ("far", "middle", "near")}
    state = searching(state, *units, **fields)  # type: ignore[arg-type]  # fields by name
    return with_frame(state, BOTTOM, SearchLandingFrame(left=units))


def only(state: State, *carriers: str) -> State:
    """Return a state in which the other carriers have launched and cannot land anything."""
    return with_parts(
        state,
        ships={
            name: replace(one, launched=0 if name in carriers else 1)
            for name, one in state.ships.items()
            if state.game_data.us_ships[name].is_carrier
        },
    )


def test_8_28_each_unit_chooses_its_carrier_in_display_order() -> None:
    state = only(landing(fleet(), "hornet-b1", "hornet-b2"), "wasp", "hornet")
    assert options(state) == (
        Land(unit="hornet-b1", carrier="hornet"),
        Land(unit="hornet-b1", carrier="wasp"),
        Land(unit="hornet-b2", carrier="hornet"),
        Land(unit="hornet-b2", carrier="wasp"),
    )
    run = given(state, Land(unit="hornet-b2", carrier="wasp"))
    assert facts(run, UnitMoved) == (
        UnitMoved(unit="hornet-b2", place="landed", at="wasp", why="land"),
        UnitMoved(unit="hornet-b1", place="landed", at="hornet", why="land"),  # no other choice
    )


def test_8_282_a_search_cannot_land_on_a_carrier_that_has_launched() -> None:
    state = only(landing(fleet(), "hornet-b1"), "wasp", "essex")
    assert refusals(state, Land(unit="hornet-b1", carrier="hornet")) == ("6.28",)


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Land(unit="wasp-b1", carrier="wasp"), "8.28", id="8.28-no-search"),
        pytest.param(Land(unit="hornet-b1", carrier="shokaku"), "8.28", id="8.28-no-carrier"),
        pytest.param(Land(unit="hornet-b1", carrier="oakland"), "6.28", id="6.28-cruiser"),
    ],
)
def test_8_28_illegal_landings_are_refused(command: Land, rule: str) -> None:
    assert refusals(landing(fleet(), "hornet-b1"), command) == (rule,)


def test_8_28_units_without_room_are_lost_at_their_group() -> None:
    state = only(landing(fleet(), "hornet-b1", "hornet-b2"))
    run = advanced(state)
    assert facts(run, UnitLost) == (
        UnitLost(unit="hornet-b1", is_at_group=True, why="no-room"),
        UnitLost(unit="hornet-b2", is_at_group=True, why="no-room"),
    )
    assert not run.state.searches
    assert run.top() == BOTTOM


def test_8_28_the_second_unit_is_lost_if_the_first_fills_the_last_space() -> None:
    state = only(landing(fleet(), "hornet-b1", "hornet-b2"), "bataan")
    state = with_parts(state, units={"bataan-t1": AirUnit(place="lost")})
    run = given(state, Land(unit="hornet-b2", carrier="bataan"))
    assert facts(run, UnitLost) == (UnitLost(unit="hornet-b1", is_at_group=True, why="no-room"),)


def test_6_42_landings_at_dusk_roll_for_safe_return_after_all_landings() -> None:
    state = replace(only(landing(fleet(), "hornet-b1", "hornet-b2"), "wasp"), turn=10, phase=2)
    state = with_parts(state, units={"wasp-b1": replace(state.units["wasp-b1"], place="hangar")})
    run = given(state, Land(unit="hornet-b1", carrier="wasp"), 1, 1)
    assert [type(one).__name__ for one in run.events if type(one).__name__ != "FramesChanged"] == [
        "UnitMoved",
        "UnitMoved",
        "SearchEnded",
        "ChartRead",
        "ChartRead",
    ]


def test_8_28_a_search_returns_to_the_current_hex_of_its_group() -> None:
    state = searching(fleet(), is_back=True, hex="1213", moves=5, zones=("far", "middle"))
    away = moved(state, "1213", "58.2")
    run = running(away)
    begin_search_landing(run)
    assert not run.stack
    run = running(moved(state, "1213", "58.1"))
    begin_search_landing(run)
    assert run.stack == [SearchLandingFrame(left=("hornet-b1",))]
