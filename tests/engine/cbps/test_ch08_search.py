"""The declaration of a Search Segment, and the launch of searches (8.22-8.27, 18.2, 18.4)."""

import pytest
from msgspec.structs import replace

from engine.cbps.commands import (
    CbpsCommand,
    Done,
    HoldSearch,
    JoinSearch,
    SearchLong,
    SearchNarrow,
    SearchOut,
)
from engine.cbps.events.fleet import GroupOperates
from engine.cbps.events.turns import SearchDeclared, TurnBegan
from engine.cbps.evolve.folds import evolve
from engine.cbps.frames import SearchChoiceFrame, SearchLaunchFrame
from engine.cbps.search.ch08_search import SearchChoice, SearchLaunch
from engine.cbps.search_area import BEARINGS, narrow_radii
from engine.cbps.state import State
from tests.engine.cbps.battle import (
    advanced,
    facts,
    given,
    options,
    refusals,
    with_frame,
    with_parts,
)
from tests.engine.cbps.searching import BOTTOM, HOME, carrier, fleet, searching, unit


def choosing(state: State, *, is_morning: bool = False) -> State:
    """Return a state in which the Search Segment may be declared."""
    return with_frame(state, BOTTOM, SearchChoiceFrame(is_morning=is_morning))


def launching(state: State) -> State:
    """Return a state in which searches are launched."""
    return with_frame(state, BOTTOM, SearchLaunchFrame())


def asked_to_hold(state: State, *, is_morning: bool = False) -> bool:
    """Return whether any commander may declare the Search Segment."""
    frame = SearchChoiceFrame(is_morning=is_morning)
    return bool(SearchChoice().active_roles(choosing(state), frame))


# -- 8.22


def test_8_22_the_segment_is_held_once_per_turn() -> None:
    state = choosing(fleet())
    assert options(state) == (HoldSearch(), Done())
    run = given(state, HoldSearch())
    assert facts(run, SearchDeclared)
    assert run.state.has_searched
    assert isinstance(run.top(), SearchLaunchFrame)
    assert not asked_to_hold(run.state)
    turned = evolve(run.state, TurnBegan(turn=1, label="0650"))
    assert asked_to_hold(turned)


def test_8_22_a_search_segment_already_held_is_skipped() -> None:
    run = advanced(choosing(replace(fleet(), has_searched=True)))
    assert run.top() == BOTTOM


def test_8_22_the_search_segment_is_skipped_if_no_unit_can_fly() -> None:
    state = fleet()
    grounded = with_parts(
        state,
        units={
            name: replace(one, place="hangar")
            for name, one in state.units.items()
            if one.place == "ready"
        },
    )
    assert not asked_to_hold(grounded)
    assert asked_to_hold(searching(grounded))


def test_18_41_the_first_turn_search_segment_precedes_arrivals() -> None:
    state = fleet(morning_search="on")
    assert asked_to_hold(state, is_morning=True)
    assert not asked_to_hold(state)
    later = replace(state, turn=1)
    assert asked_to_hold(later)
    assert not asked_to_hold(later, is_morning=True)
    assert not asked_to_hold(fleet(), is_morning=True)


# -- 8.25, 8.26, 8.27


def test_8_26_a_narrow_search_targets_a_hex_14_hexes_away() -> None:
    run = given(launching(fleet()), SearchNarrow(unit="bataan-t1", hex="1229"))
    search = run.state.searches["search-1"]
    assert (search.kind, search.radius, search.hex) == ("narrow", "1229", HOME)


def test_8_261_a_search_directly_off_the_map_is_refused() -> None:
    state = launching(fleet("1201"))
    assert refusals(state, SearchOut(unit="hornet-b1", bearing=90)) == ("8.261",)
    assert SearchOut(unit="hornet-b1", bearing=90) not in options(state)


def test_8_27_the_searches_have_the_lowest_free_numbers() -> None:
    state = searching(fleet(), "wasp-b1", name="search-1", moves=1)
    state = searching(state, "wasp-b2", name="search-3", moves=1)
    run = given(launching(state), SearchOut(unit="hornet-b1", bearing=0))
    assert list(run.state.searches) == ["search-1", "search-3", "search-2"]


def test_8_27_at_most_two_units_share_a_search() -> None:
    run = given(launching(fleet()), SearchOut(unit="hornet-b1", bearing=0))
    run = given(run.state, JoinSearch(unit="wasp-b1", search="search-1"))
    assert run.state.units["wasp-b1"].at == "search-1"
    assert refusals(run.state, JoinSearch(unit="wasp-b2", search="search-1")) == ("8.27",)


def test_8_27_joining_a_search_in_flight_or_a_missing_search_is_refused() -> None:
    state = launching(searching(fleet(), moves=1))
    assert refusals(state, JoinSearch(unit="wasp-b1", search="search-1")) == ("8.27",)
    assert refusals(state, JoinSearch(unit="wasp-b1", search="search-7")) == ("8.27",)


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        pytest.param(SearchOut(unit="zeke", bearing=0), ("8.27",), id="8.27-unknown-unit"),
        pytest.param(SearchOut(unit="hornet-b3", bearing=0), ("6.24",), id="6.24-not-ready"),
        pytest.param(SearchOut(unit="hornet-b1", bearing=45), ("8.25",), id="8.25-bearing"),
        pytest.param(SearchNarrow(unit="hornet-b1", hex="1228"), ("8.26",), id="8.26-13-hexes"),
        pytest.param(SearchNarrow(unit="hornet-b1", hex="9999"), ("8.26",), id="8.26-no-hex"),
        pytest.param(JoinSearch(unit="hornet-b3", search="x"), ("6.24", "8.27"), id="8.27-join"),
    ],
)
def test_8_27_illegal_searches_are_refused(command: CbpsCommand, rules: tuple[str, ...]) -> None:
    assert refusals(launching(fleet()), command) == rules


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        pytest.param({"landed": 1}, "6.22", id="8.282-landed"),
        pytest.param({"launched": 2}, "6.22", id="6.22-limit"),
        pytest.param({"fires": (1,)}, "12.34", id="12.34-fire"),
        pytest.param({"is_inoperative": True}, "12.12", id="12.12-inoperative"),
        pytest.param({"is_crashed": True}, "4.452", id="4.452-crash"),
    ],
)
def test_8_282_searches_count_against_carrier_launch_limits(
    fields: dict[str, object], rule: str
) -> None:
    state = launching(carrier(fleet(), "hornet", **fields))
    assert rule in refusals(state, SearchOut(unit="hornet-b1", bearing=0))


def test_8_282_a_cvl_launches_only_one_unit() -> None:
    state = unit(fleet(), "bataan-f1", place="ready", at="bataan")
    assert "6.24" in refusals(launching(state), SearchOut(unit="bataan-t1", bearing=0))
    run = given(launching(fleet()), SearchOut(unit="bataan-t1", bearing=0))
    state = unit(run.state, "bataan-f1", place="ready", at="bataan")
    assert refusals(state, SearchOut(unit="bataan-f1", bearing=0)) == ("6.22",)


def test_17_3_a_cvl_that_launches_a_search_becomes_the_operating_carrier() -> None:
    state = fleet(leeward_movement="on")
    groups = {"58.1": replace(state.groups["58.1"], marker="station")}
    state = with_parts(state, groups=groups)
    run = given(launching(state), SearchOut(unit="bataan-t1", bearing=0))
    assert facts(run, GroupOperates) == (GroupOperates(group="58.1", carrier="bataan"),)
    assert "17.3" in refusals(run.state, SearchOut(unit="belleau-wood-t1", bearing=0))


# -- who launches, and what follows


def test_6_1_commanders_launch_only_from_their_own_carriers() -> None:
    state = launching(fleet(staff="two"))
    second = next(
        unit
        for unit, one in state.units.items()
        if one.place == "ready" and state.groups[state.ships[one.at].group].commander == "us-2"
    )
    order = SearchOut(unit=second, bearing=0)
    assert refusals(state, order) == ("6.1",)
    assert not refusals(state, order, "us-2")
    assert SearchLaunch().active_roles(state, SearchLaunchFrame()) == ("us", "us-2")
    assert SearchLaunch().active_roles(state, SearchLaunchFrame(done=("us",))) == ("us-2",)


@pytest.mark.parametrize("hex_id", [HOME, "1108", "0101"])
def test_8_27_the_options_are_the_legal_commands(hex_id: str) -> None:
    state = unit(fleet(hex_id, long_searches="on"), "hornet-f2", place="ready", at="hornet")
    state = unit(state, "hornet-b2", place="hangar")
    state = launching(state)
    grid = state.game_data.map.grid
    units = [name for name, one in state.units.items() if one.place == "ready"]
    wanted: list[CbpsCommand] = []
    for order in (SearchOut, SearchLong):
        wanted += [order(unit=one, bearing=way) for one in units for way in BEARINGS]
    wanted += [
        SearchNarrow(unit=one, hex=way) for one in units for way in narrow_radii(grid, hex_id)
    ]
    legal = {one for one in wanted if not refusals(state, one)}
    listed = {one for one in options(state) if not isinstance(one, Done)}
    assert listed == legal
    assert listed
