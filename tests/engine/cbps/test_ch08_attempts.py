"""Search attempts, detection and the US Advantage (8.1, 8.3)."""

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Attempt, Done
from engine.cbps.events.japan import AdvantageChanged, Detected, ForceRemoved
from engine.cbps.events.search import SearchTried
from engine.cbps.forces.ch08_detection import set_detection
from engine.cbps.frames import SearchAttemptFrame
from engine.cbps.ids import Detection
from engine.cbps.search.ch08_attempts import (
    Attempts,
    attempt_modifiers,
    resolve_attempt,
    search_targets,
)
from engine.cbps.state import Boat, State
from tests.engine.cbps.battle import (
    advanced,
    facts,
    given,
    options,
    reads,
    refusals,
    running,
    with_force,
    with_parts,
)
from tests.engine.cbps.searching import BOTTOM, at_attempts, fleet, searching, unit

NIGHT = 11  # 2010


def far(state: State | None = None, *units: str, **fields: object) -> State:
    """Return a state at 0650 with a standard search to the west that examines the far zone."""
    values: dict[str, object] = {"moves": 3, "hex": "1225", "zone": "far", "zones": ("far",)}
    state = replace(fleet() if state is None else state, turn=1)
    return searching(state, *units, **{**values, **fields})  # type: ignore[arg-type]  # fields by name


def known(state: State, name: str = "A", hex_id: str = "1224", **fields: object) -> State:
    """Return a state with a force of known size."""
    return with_force(state, name, hex_id, **{"level": 1, "chit": "Small", **fields})


def ids(state: State, force: str = "A", search: str = "search-1") -> dict[str, int]:
    """Return the modifiers of an attempt."""
    return {one.id: one.drm for one in attempt_modifiers(state, search, force)}


# -- 8.1


@pytest.mark.parametrize(
    ("old", "new", "then"),
    [
        pytest.param("", "?", "?", id="8.13-approximate"),
        pytest.param("?", "L", "L", id="8.13-located"),
        pytest.param("L", "S", "S", id="8.13-spotted"),
        pytest.param("L", "?", "L", id="8.13-approximate-after-located"),
        pytest.param("S", "L", "S", id="OP-29-located-after-spotted"),
        pytest.param("S", "S", "S", id="8.13-again"),
    ],
)
def test_8_13_a_lower_result_never_replaces_a_higher_marker(
    old: Detection, new: Detection, then: Detection
) -> None:
    run = running(known(fleet(), detection=old))
    set_detection(run, "A", new, "search")
    assert run.state.forces["A"].detection == then
    assert len(facts(run, Detected)) == (old != then)


@pytest.mark.parametrize(
    ("old", "new", "then"),
    [
        pytest.param("S", "L", "L", id="OP-29-located-after-spotted"),
        pytest.param("S", "?", "S", id="OP-29-approximate-after-spotted"),
        pytest.param("S", "S", "S", id="OP-29-again"),
    ],
)
def test_op_29_other_ruling_keeps_the_latest_detection_result(
    old: Detection, new: Detection, then: Detection
) -> None:
    run = running(known(fleet(lower_detection="latest"), detection=old))
    set_detection(run, "A", new, "search")
    assert run.state.forces["A"].detection == then
    assert len(facts(run, Detected)) == (old != then)


# -- 8.331


def test_8_32_a_narrow_search_attempts_forces_in_the_hexes_it_passed() -> None:
    state = known(far(kind="narrow", zone="", passed=("1222", "1223")), "A", "1223")
    state = known(state, "B", "1224")
    assert search_targets(state, "search-1") == ("A",)


# -- 8.34


@pytest.mark.parametrize(
    ("hex_id", "fields", "wanted"),
    [
        pytest.param("1216", {"zone": "near"}, {"range_0_2": 1}, id="8.34-near"),
        pytest.param("1219", {"zone": "middle"}, {"range_3_6": 0}, id="8.34-middle"),
        pytest.param("1222", {}, {"range_7_10": -1}, id="8.34-far"),
        pytest.param("1227", {}, {"range_11_14": -2}, id="8.34-farthest"),
        pytest.param("1222", {"kind": "narrow"}, {"narrow": 1, "range_7_10": -1}, id="8.26"),
    ],
)
def test_8_34_modifiers_for_range_and_search_type(
    hex_id: str, fields: dict[str, object], wanted: dict[str, int]
) -> None:
    assert ids(known(far(**fields), hex_id=hex_id)) == wanted  # type: ignore[arg-type]  # fields by name


def test_8_34_modifiers_for_two_units_a_fighter_and_a_submarine() -> None:
    state = known(far(None, "hornet-b1", "hornet-f2"))
    boats = {name: Boat(hex="1224", shadowing="A") for name in ("bang", "cavalla")}
    state = with_parts(state, boats=boats)  # several do not help more
    assert ids(state) == {"two_units": 1, "sub_shadow": 2, "fighter": -2, "range_7_10": -1}


@pytest.mark.parametrize(
    ("turn", "phase", "time"),
    [
        pytest.param(0, 1, {"dawn": -1}, id="8.34-dawn"),
        pytest.param(1, 4, {}, id="8.34-day"),
        pytest.param(10, 2, {"dusk": -2}, id="8.34-dusk"),
        pytest.param(NIGHT, 1, {"night": -4}, id="8.34-night"),
    ],
)
def test_8_34_modifiers_for_time_of_day(turn: int, phase: int, time: dict[str, int]) -> None:
    state = replace(known(far()), turn=turn, phase=phase)
    assert ids(state) == {"range_7_10": -1, **time}


def test_22_0_only_night_fighters_search_at_night() -> None:
    plain = replace(known(far()), turn=NIGHT)
    assert search_targets(plain, "search-1") == ()
    plain = at_attempts(plain)
    assert refusals(plain, Attempt(search="search-1", force="A")) == ("22.0",)
    state = replace(known(far(fleet(night_operations="on"), "hornet-f3")), turn=NIGHT)
    assert search_targets(state, "search-1") == ("A",)
    run = running(state, 1)
    resolve_attempt(run, "search-1", "A")
    assert run.state.units["hornet-f3"].by_night  # 22.4


def test_22_5_night_fighters_that_flew_by_day_cannot_search_at_night() -> None:
    state = replace(known(far(fleet(night_operations="on"), "hornet-f3")), turn=NIGHT)
    state = unit(state, "hornet-f3", by_day=True)
    assert search_targets(state, "search-1") == ()
    assert refusals(at_attempts(state), Attempt(search="search-1", force="A")) == ("22.5",)


# -- 8.341, 8.342: die 10 and below, in the far zone (-1)


def test_8_341_a_level_0_force_only_draws_its_chit() -> None:
    run = running(with_force(far(), "A", "1224"), 10, picks=("Medium",))
    assert resolve_attempt(run, "search-1", "A")
    assert run.state.forces["A"].level == 1  # chit+1 of the result is ignored
    assert run.state.forces["A"].detection == "S"


def test_8_341_a_false_contact_is_removed_from_the_map() -> None:
    state = at_attempts(with_force(far(), "A", "1224"))
    run = advanced(state, 5, picks=("False Contact",))
    assert facts(run, ForceRemoved)
    assert not facts(run, Detected)
    assert run.top() == BOTTOM


def test_8_35_the_us_gains_the_advantage_when_carriers_are_revealed() -> None:
    state = known(far(), chit="Large")
    for die in range(1, 11):
        run = running(state, 9, die, 10, 10)
        if resolve_attempt(run, "search-1", "A") and run.state.forces["A"].is_carrier:
            assert facts(run, AdvantageChanged) == (AdvantageChanged(force="A"),)
            assert run.state.forces["A"].has_advantage
            return
    raise AssertionError("no roll makes it a carrier force")


def test_8_35_a_known_carrier_force_gives_no_advantage() -> None:
    state = known(far(), chit="Carrier", is_carrier=True)
    run = running(state, 9, 5, 5)
    resolve_attempt(run, "search-1", "A")
    assert not facts(run, AdvantageChanged)


def test_7_54_a_search_cannot_attempt_the_second_half_that_it_revealed() -> None:
    state = replace(fleet(), turn=1)
    state = with_force(far(state), "A", "1224")
    run = running(state, 10, picks=("Double Force", "Large", "Carrier", "Large"))
    assert resolve_attempt(run, "search-1", "A")
    partner = run.state.forces["A"].partner
    assert partner
    assert run.state.searches["search-1"].tried == ("A", partner)
    assert run.state.forces[partner].detection == ""


# -- the question


def two(state: State) -> State:
    """Return a state with two forces in the far zone."""
    return at_attempts(known(known(state, "B", "1223"), "A", "1225"))


def test_8_31_the_player_chooses_the_order() -> None:
    state = two(far())
    assert options(state) == (
        Attempt(search="search-1", force="B"),
        Attempt(search="search-1", force="A"),
        Done(),
    )
    run = given(state, Attempt(search="search-1", force="A"), 1, 1)
    assert [read.about for read in reads(run, "air_search")] == ["A", "B"]  # "B" is automatic
    assert run.top() == BOTTOM


def test_8_31_done_attempts_the_rest_in_launch_order_nearest_first() -> None:
    state = searching(two(far()), "wasp-b1", name="search-2", zone="far", moves=3)
    run = given(state, Done(), 1, 1, 1, 1)
    tried = [(one.search, one.force) for one in run.events if isinstance(one, SearchTried)]
    assert tried == [("search-1", "B"), ("search-1", "A"), ("search-2", "B"), ("search-2", "A")]


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Attempt(search="search-7", force="A"), "8.31", id="8.31-no-search"),
        pytest.param(Attempt(search="search-1", force="Z"), "8.331", id="8.331-no-force"),
        pytest.param(Attempt(search="search-1", force="C"), "8.33", id="8.33-outside"),
        pytest.param(Attempt(search="search-2", force="A"), "8.331", id="8.331-twice"),
        pytest.param(Attempt(search="search-3", force="A"), "8.32", id="8.32-not-passed"),
    ],
)
def test_8_31_illegal_attempts_are_refused(command: Attempt, rule: str) -> None:
    state = known(two(far()), "C", "1217")
    state = searching(state, "wasp-b1", name="search-2", zone="far", tried=("A",))
    state = searching(state, "wasp-b2", name="search-3", kind="narrow", passed=("1217",))
    assert refusals(state, command) == (rule,)


def test_6_1_commanders_order_only_their_own_searches() -> None:
    state = searching(two(far(fleet(staff="two"))), "wasp-b1", name="search-2", zone="far")
    state = with_parts(
        state, searches={"search-2": replace(state.searches["search-2"], commander="us-2")}
    )
    assert Attempts().active_roles(state, SearchAttemptFrame()) == ("us", "us-2")
    order = Attempt(search="search-2", force="A")
    assert refusals(state, order) == ("6.1",)
    assert not refusals(state, order, "us-2")
    run = given(state, Done(), 1, 1)
    assert {one.search for one in run.events if isinstance(one, SearchTried)} == {"search-1"}
