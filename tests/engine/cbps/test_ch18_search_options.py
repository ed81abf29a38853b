"""Shadowing, extended range and location uncertainty (18)."""

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Attempt, Done, GoOn, Shadow
from engine.cbps.events.japan import ForceMoved, ForceRemoved
from engine.cbps.events.search import SearchMoved, SearchShadows, SearchTurned
from engine.cbps.evolve.folds import evolve
from engine.cbps.search.ch08_attempts import (
    attempt_modifiers,
    resolve_attempt,
    search_targets,
)
from engine.cbps.search.ch18_search_options import relocate_force, turn_search_back
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
from tests.engine.cbps.searching import BOTTOM, at_attempts, at_flight, fleet, moved, searching


def found(hex_id: str = "1222", **fields: object) -> State:
    """Return a state at 0650 in which a standard search to the west tries a known force, with shadowing enabled."""
    values: dict[str, object] = {"moves": 3, "hex": "1225", "zone": "far", "zones": ("far",)}
    state = replace(fleet(search_shadowing="on", long_searches="on"), turn=1)
    state = searching(state, "hornet-b1", **{**values, **fields})  # type: ignore[arg-type]  # fields by name
    return with_force(state, "A", hex_id, level=1, chit="Small")


def shadowing(state: State) -> State:
    """Return a state after the search has spotted the force and shadows it."""
    return given(advanced(at_attempts(state), 8).state, Shadow(name="search-1")).state


# -- 18.1


def test_18_12_a_shadowing_search_attempts_no_other_force_in_the_zone() -> None:
    state = with_force(found(), "B", "1223", level=1, chit="Small")
    state = at_attempts(searching(state, "wasp-b1", name="search-2", zone="far", moves=3))
    run = given(state, Attempt(search="search-1", force="A"), 8)
    assert refusals(run.state, Attempt(search="search-1", force="B")) == ("18.12",)
    assert refusals(run.state, Done()) == ("18.12",)
    assert refusals(run.state, Shadow(name="search-2")) == ("18.12",)
    run = given(run.state, Shadow(name="search-1"))
    assert refusals(run.state, Attempt(search="search-1", force="B")) == ("18.12",)
    assert refusals(run.state, Shadow(name="search-1")) == ("18.12",)
    assert refusals(run.state, GoOn()) == ("18.12",)
    assert options(run.state) == (
        Attempt(search="search-2", force="A"),
        Attempt(search="search-2", force="B"),
        Done(),
    )


def test_18_12_a_search_that_does_not_shadow_continues_in_the_zone() -> None:
    state = at_attempts(with_force(found(), "B", "1223", level=1, chit="Small"))
    run = given(state, Attempt(search="search-1", force="A"), 8)
    run = given(run.state, GoOn(), 1)
    assert [read.about for read in reads(run, "air_search")] == ["B"]


def test_18_12_done_does_not_start_shadowing() -> None:
    state = at_attempts(with_force(found(), "B", "1223", level=1, chit="Small"))
    run = given(state, Done(), 8, 8)
    assert not facts(run, SearchShadows)
    assert run.top() == BOTTOM


@pytest.mark.parametrize(
    ("hex_id", "fields", "may"),
    [
        pytest.param("1222", {}, True, id="18.13-7-hexes"),
        pytest.param("1223", {}, True, id="18.13-8-hexes"),
        pytest.param("1224", {}, False, id="18.13-9-hexes"),
        pytest.param("1221", {"zone": "middle"}, True, id="18.13-middle-zone"),
        pytest.param("1224", {"kind": "long"}, True, id="18.13-long-search"),
        pytest.param("1224", {"kind": "narrow", "passed": ("1224",)}, True, id="18.13-narrow"),
        pytest.param("1222", {"is_back": True}, False, id="18.11-homeward-leg"),
        pytest.param("1222", {"has_shadowed": True}, False, id="18.11-second-time"),
    ],
)
def test_18_13_only_eligible_forces_can_be_shadowed(
    hex_id: str, fields: dict[str, object], may: bool
) -> None:
    run = advanced(at_attempts(found(hex_id, **fields)), 10, 5, 5)
    assert (options(run.state)[0] == Shadow(name="search-1")) == may


def test_18_11_a_shadowing_search_follows_the_force_and_attempts_it_again() -> None:
    state = shadowing(found())
    state = evolve(state, ForceMoved(force="A", hex="1221", heading="E"))
    state = with_force(state, "B", "1221", level=1, chit="Small")
    run = advanced(at_flight(state), 6)
    assert facts(run, SearchMoved) == (SearchMoved(search="search-1", hex="1221"),)
    assert [read.about for read in reads(run, "air_search")] == ["A"]
    (read,) = reads(run, "air_search")
    assert "air_shadow" in [one.id for one in read.modifiers]
    assert facts(run, SearchShadows) == (SearchShadows(search="search-1"),)
    assert run.state.searches["search-1"].has_shadowed


def test_18_11_a_shadowing_search_attempts_only_the_shadowed_force() -> None:
    state = shadowing(found())
    state = with_force(state, "B", "1222", level=1, chit="Small")
    state = searching(state, "wasp-b1", name="search-2", moves=2, hex="1221")
    run = advanced(at_flight(state))
    assert search_targets(run.state, "search-1") == ("A",)
    assert refusals(run.state, Attempt(search="search-1", force="B")) == ("18.11",)


def test_18_14_modifiers_of_aircraft_and_submarine_shadowing_add_up() -> None:
    state = with_parts(shadowing(found()), boats={"bang": Boat(hex="1222", shadowing="A")})
    ids = {one.id: one.drm for one in attempt_modifiers(state, "search-1", "A")}
    assert ids["air_shadow"] == 1
    assert ids["sub_shadow"] == 2


def test_18_11_after_shadowing_a_search_returns_through_nearer_zones() -> None:
    state = advanced(at_flight(shadowing(found())), 1).state
    moves = []
    for _ in range(2):
        run = advanced(at_flight(state))
        moves += [one for one in run.events if isinstance(one, SearchMoved)]
        state = run.state
    assert [(one.hex, one.zone, one.skipped) for one in moves] == [
        ("1218", "", "far"),
        ("1215", "middle", ""),
    ]
    assert all(one.is_back for one in moves)


def test_18_11_a_narrow_search_skips_the_zone_of_the_shadowed_force() -> None:
    state = searching(found(), kind="narrow", hex="1224", moves=4, has_shadowed=True, radius="1229")
    run = advanced(at_flight(state))
    (move,) = facts(run, SearchMoved)
    assert isinstance(move, SearchMoved)
    assert move.passed == ("1221", "1220")
    assert move.hex == "1220"
    state = searching(found(), kind="narrow", hex="1223", moves=4, has_shadowed=True, radius="1229")
    (move,) = facts(advanced(at_flight(state)), SearchMoved)
    assert isinstance(move, SearchMoved)
    assert move.passed == ("1221", "1220", "1219")


def test_18_11_a_shadowing_search_returns_if_the_force_is_removed() -> None:
    state = evolve(shadowing(found()), ForceRemoved(force="A", why="limit"))
    assert state.searches["search-1"].hex == "1222"
    run = advanced(at_flight(state))
    assert facts(run, SearchMoved) == (
        SearchMoved(search="search-1", hex="1218", skipped="far", is_back=True),
    )


# -- 18.2


@pytest.mark.parametrize(
    ("fields", "turns"),
    [
        pytest.param({"chit": "Carrier", "is_carrier": True}, True, id="18.23-level-1"),
        pytest.param({"chit": "Surface"}, False, id="18.23-surface"),
    ],
)
def test_18_23_a_long_search_that_finds_carriers_turns_back(
    fields: dict[str, object], turns: bool
) -> None:
    state = found("1218", kind="long", zone="middle", moves=2, hex="1221")
    state = with_force(state, "A", "1218", level=1, **fields)
    run = running(state, 5)
    resolve_attempt(run, "search-1", "A")
    assert bool(facts(run, SearchTurned)) == turns


def test_18_23_a_search_that_turned_back_searches_normally_on_its_return() -> None:
    state = found("0101", kind="long", zone="middle", zones=("near", "middle"), moves=2, hex="1221")
    state = evolve(state, SearchTurned(search="search-1"))
    run = advanced(at_flight(state))
    assert facts(run, SearchMoved) == (
        SearchMoved(search="search-1", hex="1217", zone="middle", is_back=True),
    )


@pytest.mark.parametrize(
    ("units", "options", "turns"),
    [
        pytest.param(("hornet-f1",), {}, False, id="18.23-OP-74-only-searches-to-12-hexes"),
        pytest.param(("hornet-f1",), {"found-carriers": "fighters"}, True, id="OP-74-fighters"),
        pytest.param(("hornet-b1",), {"found-carriers": "fighters"}, False, id="OP-74-bomber"),
        pytest.param(
            ("hornet-b1", "hornet-f1"), {"found-carriers": "fighters"}, False, id="OP-74-mixed"
        ),
        pytest.param(
            ("hornet-f1",),
            {"found-carriers": "fighters", "long-searches": "off"},
            False,
            id="OP-74-without-18.2",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["standard", "narrow"])
def test_18_23_other_ruling_turns_back_searches_to_10_hexes(
    kind: str, units: tuple[str, ...], options: dict[str, str], turns: bool
) -> None:
    state = replace(fleet(long_searches="on"), turn=1)
    state = replace(state, options={**state.options, **options})
    state = searching(state, *units, kind=kind, hex="1222", moves=3, zone="far")
    state = with_force(state, "A", "1222", level=1, chit="Carrier", is_carrier=True)
    run = running(state)
    turn_search_back(run, "search-1", "A")
    assert bool(facts(run, SearchTurned)) == turns


def test_18_23_a_fighter_search_returns_after_finding_carriers() -> None:
    state = searching(
        found("0101"), "hornet-f1", kind="standard", zone="middle", zones=("near", "middle"),
        moves=2, hex="1221",
    )  # fmt: skip
    run = advanced(at_flight(evolve(state, SearchTurned(search="search-1"))))
    assert facts(run, SearchMoved) == (
        SearchMoved(search="search-1", hex="1217", zone="middle", is_back=True),
    )


# -- 18.3


def uncertain(**fields: object) -> State:
    """Return a state in which the search tries a force with an approximate sighting."""
    state = replace(found(), options=fleet(uncertain_location="on").options)
    values: dict[str, object] = {"level": 1, "chit": "Small", "detection": "?"}
    return with_force(state, "A", "1222", **{**values, **fields})


@pytest.mark.parametrize(
    ("direction", "distance", "hex_id"),
    [
        pytest.param(1, 3, "1121", id="18.32-north-east"),
        pytest.param(2, 3, "1221", id="18.32-east"),
        pytest.param(3, 3, "1321", id="18.32-south-east"),
        pytest.param(4, 3, "1322", id="18.32-south-west"),
        pytest.param(5, 3, "1223", id="18.32-west"),
        pytest.param(6, 3, "1122", id="18.32-north-west"),
        pytest.param(5, 8, "1224", id="18.33-two-hexes"),
        pytest.param(5, 1, "1222", id="18.33-no-hex"),
    ],
)
def test_18_31_a_located_force_is_relocated(direction: int, distance: int, hex_id: str) -> None:
    run = running(uncertain(), 8, direction, distance)
    resolve_attempt(run, "search-1", "A")
    assert run.state.forces["A"].hex == hex_id
    assert len(facts(run, ForceMoved)) == (hex_id != "1222")


def test_18_32_direction_rolls_from_7_leave_the_force_in_place() -> None:
    run = running(uncertain(), 8, 7)
    resolve_attempt(run, "search-1", "A")
    assert not reads(run, "location_distance")


@pytest.mark.parametrize(
    ("fields", "die"),
    [
        pytest.param({"detection": ""}, 8, id="18.31-undetected-before"),
        pytest.param({"detection": "L"}, 8, id="18.31-located-before"),
        pytest.param({}, 5, id="18.31-again-approximate"),
    ],
)
def test_18_31_only_an_approximately_located_force_is_relocated(
    fields: dict[str, object], die: int
) -> None:
    run = running(uncertain(**fields), die)
    resolve_attempt(run, "search-1", "A")
    assert not reads(run, "location_direction")


def test_18_34_relocation_stops_at_the_map_edge() -> None:
    run = running(with_force(uncertain(), "A", "1229", detection="?"), 5, 8)
    relocate_force(run, "A")
    assert run.state.forces["A"].hex == "1230"


def test_op_54_relocation_stops_before_a_hex_with_us_ships() -> None:
    run = running(moved(uncertain(), "1224", "58.7"), 5, 8)
    relocate_force(run, "A")
    assert run.state.forces["A"].hex == "1223"


def test_op_54_other_ruling_cancels_a_blocked_relocation() -> None:
    state = moved(uncertain(), "1224", "58.7")
    state = replace(state, options={**state.options, "blocked-relocation": "stay"})
    run = running(state, 5, 8)
    relocate_force(run, "A")
    assert not facts(run, ForceMoved)


def test_12_411_escorts_of_a_cripple_also_block_relocation() -> None:
    state = uncertain()
    ship = replace(state.ships["oakland"], group="", hex="1223", escorts="hornet")
    run = running(with_parts(state, ships={"oakland": ship}), 5, 8)
    relocate_force(run, "A")
    assert not facts(run, ForceMoved)


def test_7_53_relocation_moves_both_halves_and_shadowing_boats() -> None:
    state = with_force(uncertain(partner="B"), "B", "1222", level=1, chit="Large", partner="A")
    state = with_parts(state, boats={"bang": Boat(hex="1222", shadowing="B")})
    run = running(state, 5, 3)
    relocate_force(run, "A")
    assert [run.state.forces[one].hex for one in "AB"] == ["1223", "1223"]
    assert run.state.boats["bang"].hex == "1223"
    assert run.state.forces["A"].heading is None
