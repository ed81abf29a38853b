"""Orders for searches and CAP: what they carry out, what stops them, and what they never do (4.33, 6.28, 8.2, 8.3)."""

from typing import Any, Final

import pytest
from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.courses.giving import read_any
from engine.cbps.courses.order import CapOrder, SearchOrder, parse_any
from engine.cbps.courses.orders import risk, title, words
from engine.cbps.frames import (
    SearchAttemptFrame,
    SearchChoiceFrame,
    SearchFlightFrame,
    SearchLandingFrame,
    SearchLaunchFrame,
)
from engine.cbps.ruleset import CBPS
from engine.cbps.state import Force, Mission, Raid, Search, State
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import IllegalCommandError, NotationError
from engine.kernel.ids import Role
from tests.engine.cbps.battle import with_frame, with_parts
from tests.engine.cbps.fleet_at import (
    DUSK,
    HOME,
    NIGHT,
    air_movement,
    cap,
    intercept,
    operations,
    strike,
)

US: Final = Role("us")
SCOUTS: Final = ("hornet-t1", "yorktown-t1")
FIGHTERS: Final = ("hornet-f1", "yorktown-f1")
SEARCH: Final = "hornet-t1 search 300 units hornet-t1,yorktown-t1"
CAP: Final = "cap-58.1 until 5 size 2"


def answered(state: State, *orders: str) -> Any:  # noqa: ANN401  # a command or None
    return CBPS.course_answer(state, US, orders)


def closed(state: State, *orders: str) -> Any:  # noqa: ANN401  # a command or None
    return CBPS.course_closing(state, US, orders)


def stopped(state: State, *orders: str) -> str:
    return " ".join(why for _, why in CBPS.course_stops(state, US, orders))


def scouting(frame: Any, at: tuple[int, int] = (4, 1), **fields: Any) -> State:  # noqa: ANN401
    """Return TF 58 with two ready scouts in a frame of the Search Segment."""
    state = operations(at=at, units=dict.fromkeys(SCOUTS, "ready"), **fields)
    return with_frame(replace(state, segment="search", has_searched=False), frame)


def searching(frame: Any, at: tuple[int, int] = (4, 1), **fields: Any) -> State:  # noqa: ANN401
    """Return the two scouts on Search 1, on bearing 300."""
    search = {
        "kind": "standard",
        "origin": HOME,
        "group": "58.1",
        "bearing": 300,
        "hex": HOME,
        "radius": "0616",
    }
    state = scouting(frame, at)
    flying = {unit: replace(state.units[unit], place="search", at="search-1") for unit in SCOUTS}
    return with_parts(state, units=flying, searches={"search-1": Search(**{**search, **fields})})


HOMEWARD: Final[dict[str, Any]] = {
    "hex": "1010", "moves": 5, "is_back": True, "zones": ("far", "middle"), "zone": "middle",
}  # fmt: skip


# -- searches


def test_orders_round_trip_and_damaged_lines_are_ignored() -> None:
    for text in (
        SEARCH,
        CAP,
        "hornet-f1 search 300-long units hornet-f1",
        "hornet-t1 search 0508 units hornet-t1",
    ):
        order = parse_any(text)
        assert order is not None
        assert order.text == text
    for text in ("hornet-t1 search 300", "hornet-t1 search x units hornet-t1", "a search 300 units b",
                 "cap-58.1 until -1 size 2", "cap-58.1 until 5 size ²",
                 "58.1 until 5 size 2", "hornet-t1 search 30000 units hornet-t1"):  # fmt: skip
        assert parse_any(text) is None
    # Lines in the right form about things that do not exist are never in force.
    odd = ("hornet-t1 search 300 units hornet-t1,ghost", "nobody search 300 units nobody",
           "hornet-t1 search 301 units hornet-t1",
           "hornet-t1 search 9999 units hornet-t1", "cap-99 until 5 size 2", "cap-58.7 until 5 size 2")  # fmt: skip
    state = scouting(SearchChoiceFrame())
    assert CBPS.live_courses(state, odd) == ()
    assert answered(state, *odd) is None


def test_8_22_an_order_holds_the_segment_and_launches_both_units() -> None:
    assert answered(scouting(SearchChoiceFrame()), SEARCH) == c.HoldSearch()
    assert answered(scouting(SearchChoiceFrame())) is None
    launching = scouting(SearchLaunchFrame())
    assert answered(launching, SEARCH) == c.SearchOut(unit="hornet-t1", bearing=300)
    joined = searching(SearchLaunchFrame())
    joined = with_parts(joined, units={"yorktown-t1": launching.units["yorktown-t1"]})
    assert answered(joined, SEARCH) == c.JoinSearch(unit="yorktown-t1", search="search-1")
    assert answered(searching(SearchLaunchFrame()), SEARCH) is None, "others may be launched too"
    assert answered(searching(SearchLaunchFrame(), moves=1, hex="1010"), SEARCH) == c.Done()


def test_a_search_order_that_cannot_start_does_not_hold_the_segment() -> None:
    closed_deck = scouting(SearchChoiceFrame(), ships={"hornet": {"is_inoperative": True}})
    assert answered(closed_deck, SEARCH) is None
    assert answered(scouting(SearchChoiceFrame(), NIGHT), SEARCH) is None
    other = searching(SearchChoiceFrame(), bearing=270, moves=1)
    assert answered(other, SEARCH) is None, "the units fly another search"
    dead = with_parts(
        scouting(SearchChoiceFrame()),
        units={
            "hornet-t1": replace(
                scouting(SearchChoiceFrame()).units["hornet-t1"], place="lost", at=""
            )
        },
    )
    assert answered(dead, SEARCH) is None
    assert CBPS.live_courses(dead, (SEARCH,)) == ()


def test_8_331_attempts_are_made_nearest_first_unless_another_search_competes() -> None:
    forces = {"A": Force(hex="1010"), "B": Force(hex="1009")}
    state = with_parts(
        searching(SearchAttemptFrame(), hex="1010", moves=1, zone="near", zones=("near",)),
        forces=forces,
    )
    assert answered(state, SEARCH) == c.Attempt(search="search-1", force="B")
    assert (
        answered(with_frame(state, SearchAttemptFrame(shadow="search-1", force="B")), SEARCH)
        is None
    )
    second = with_parts(state, searches={"search-2": state.searches["search-1"]})
    second = with_parts(
        second, units={"hornet-t2": replace(state.units["hornet-t1"], at="search-2")}
    )
    assert answered(second, SEARCH) is None


def test_8_32_along_a_hexside_a_search_passes_through_the_hex_of_a_force() -> None:
    flight = SearchFlightFrame(left=("search-1",), choices=("1009", "1010"))
    state = with_parts(searching(flight, kind="narrow"), forces={"A": Force(hex="1010")})
    order = "hornet-t1 search 0616 units hornet-t1,yorktown-t1"
    assert answered(state, order) == c.Pass(hex="1010")
    assert answered(state, SEARCH) is None


def test_8_28_units_land_on_their_own_carrier_or_wait_for_the_player() -> None:
    landing = SearchLandingFrame(left=SCOUTS)
    home: dict[str, Any] = {**HOMEWARD, "hex": HOME, "zone": "near"}
    state = searching(landing, **home)
    assert answered(state, SEARCH) == c.Land(unit="hornet-t1", carrier="hornet")
    burning = with_parts(
        state, ships={ship: replace(state.ships[ship], fires=1) for ship in ("hornet", "yorktown")}
    )
    assert answered(burning, SEARCH) is None


def test_6_42_a_search_waits_for_the_player_if_landing_would_be_unsafe() -> None:
    state = searching(SearchChoiceFrame(), **HOMEWARD)
    assert answered(state, SEARCH) == c.HoldSearch()
    for moment in (DUSK, NIGHT):
        dark = searching(SearchChoiceFrame(), moment, **HOMEWARD)
        assert answered(dark, SEARCH) is None
        assert "6.42" in stopped(dark, SEARCH)
        assert answered(with_frame(dark, SearchLaunchFrame()), SEARCH) is None
    lit = with_parts(dark, groups={"58.1": replace(dark.groups["58.1"], is_lit=True)})
    assert answered(lit, SEARCH) == c.HoldSearch()
    blocked = with_parts(
        state,
        ships={name: replace(ship, is_inoperative=True) for name, ship in state.ships.items()},
    )
    assert answered(blocked, SEARCH) is None
    assert "8.28" in stopped(blocked, SEARCH)


def test_a_search_continues_to_other_carriers_if_its_own_sink() -> None:
    state = searching(SearchChoiceFrame(), **HOMEWARD)
    gone = {
        name: replace(ship, is_sunk=True, group="")
        for name, ship in state.ships.items()
        if ship.group == "58.1"
    }
    sunk = with_parts(state, ships=gone)
    assert answered(sunk, SEARCH) == c.HoldSearch()


# -- CAP


def patrolling(state: State) -> State:
    """Return a state with two fighters in the CAP box of TG 58.1."""
    flying = {
        unit: replace(state.units[unit], place="mission", at="intercept-1") for unit in FIGHTERS
    }
    return with_parts(state, units=flying, missions={"intercept-1": cap()})


def test_4_33_cap_is_launched_up_to_its_size_and_relieved() -> None:
    state = operations(at=(3, 1), units=dict.fromkeys((*FIGHTERS, "hornet-f2"), "ready"))
    first = CBPS.course_opening(state, US, CAP)
    assert first == c.Cap(unit="hornet-f1", mission="intercept-1")
    full = patrolling(state)
    assert CBPS.course_opening(full, US, CAP) is None
    assert closed(full, CAP) is None
    one_lost = with_parts(
        full, units={"hornet-f1": replace(full.units["hornet-f1"], place="lost", at="")}
    )
    assert closed(one_lost, CAP) == c.Cap(unit="hornet-f2", mission="intercept-1")


def test_cap_stays_in_its_box_and_ends_the_segment_only_for_ordered_groups() -> None:
    state = patrolling(air_movement(at=(3, 1)))
    assert answered(state, CAP) == c.Done()
    assert answered(state, "cap-58.2 until 5 size 2") is None
    raid = with_parts(state, raids={"1-a": Raid(origin="A", hex="1110", target="58.1", points=5)})
    assert answered(raid, CAP) is None
    assert "Raid 1-A is" in stopped(raid, CAP)
    other = with_parts(
        state,
        missions={"intercept-2": intercept("1106")},
        units={"hornet-f2": replace(state.units["hornet-f1"], at="intercept-2")},
    )
    assert answered(other, CAP) is None, "another mission could move"


def test_6_28_cap_lands_when_its_time_is_up_except_in_the_dark() -> None:
    assert closed(patrolling(operations(at=(4, 4))), CAP) is None
    assert closed(patrolling(operations(at=(5, 1))), CAP) == c.Land(
        unit="hornet-f1", carrier="hornet"
    )
    dark = patrolling(operations(at=DUSK))
    assert closed(dark, CAP) is None
    assert "6.43" in stopped(dark, CAP)
    landed = operations(at=(5, 1))
    assert CBPS.live_courses(landed, (CAP,)) == ()


def worked(places: dict[str, str], order: str = CAP, **changes: Any) -> list[str]:  # noqa: ANN401  # parts of a state
    """Return the commands that an order gives before its segment ends.

    The places are those of the three fighters of Hornet and of its bombers.
    """
    bombers = ("hornet-b1", "hornet-b2", "hornet-b3", "hornet-t1", "hornet-t2")
    others = ("yorktown-f1", "yorktown-f2", "yorktown-f3", "belleau-wood-f1", "belleau-wood-f2",
              "bataan-f1", "bataan-f2")  # fmt: skip
    state = operations(
        at=(3, 1), units={**dict.fromkeys((*bombers, *others), "gone"), **places}, **changes
    )
    commands: list[str] = []
    while (command := closed(state, order)) is not None:
        assert command in CBPS.decision(state, US).options
        commands.append(CBPS.notation.line(command))
        state = decided(state, command)
    return commands


def decided(state: State, command: Any) -> State:  # noqa: ANN401  # a CbpsCommand
    for event in CBPS.decide(state, US, command, DerivedDice(bytes(32), 7)):
        state = CBPS.evolve(state, event)
    return state


LANDED: Final = {"hornet-f1": "landed", "hornet-f2": "gone", "hornet-f3": "gone"}


def test_6_27_landed_fighters_come_up_again_as_reliefs_step_by_step() -> None:
    assert worked(LANDED) == ["lower hornet-f1"]
    assert worked({**LANDED, "hornet-f1": "hangar"}) == ["service hornet-f1"]
    # Raised in this phase, it can take off in the next (6.23).
    assert worked({**LANDED, "hornet-f1": "servicing"}) == ["raise hornet-f1"]


@pytest.mark.parametrize(
    "places",
    [
        pytest.param({"hornet-f1": "hangar", "hornet-b1": "hangar", "hornet-t1": "hangar"}, id="hangar"),
        pytest.param({"hornet-f1": "servicing", "hornet-b1": "servicing", "hornet-b2": "ready",
                      "hornet-b3": "ready"}, id="flight-deck"),
        pytest.param({"hornet-f1": "servicing", "hornet-b1": "strike-1", "hornet-b2": "strike-1",
                      "hornet-b3": "strike-1"}, id="strike-will-land"),
    ],
)  # fmt: skip
def test_6_22_the_player_decides_when_other_units_need_the_same_room(
    places: dict[str, str],
) -> None:
    changes: dict[str, Any] = (
        {"missions": {"strike-1": strike("1110")}} if "strike-1" in places.values() else {}
    )
    assert worked({**LANDED, **places}, **changes) == []


def test_no_more_reliefs_are_prepared_than_the_order_keeps_in_the_air_and_none_under_a_raid() -> (
    None
):
    box = {"hornet-f1": "ready", "hornet-f2": "hangar", "hornet-f3": "gone"}
    full: dict[str, Any] = {
        "missions": {"intercept-1": Mission(kind="intercept", cap="58.1", groups=("58.1",))}
    }
    up = {**box, "yorktown-f1": "intercept-1"}
    assert worked(up, "cap-58.1 until 5 size 1", **full) == []
    up["hornet-f1"] = "gone"
    assert worked(up, "cap-58.1 until 5 size 1", **full) == ["service hornet-f2"]
    state = operations(at=(3, 1), units=LANDED)
    raid = {"1-a": Raid(origin="A", hex="1112", target="58.1", points=5)}
    assert closed(state, CAP) == c.Lower(unit="hornet-f1")
    assert closed(with_parts(state, raids=raid), CAP) is None


def test_6_23_a_carrier_prepares_its_fighters_before_a_unit_lands_on_it() -> None:
    fought = intercept(HOME, fuel=8, has_met_aircraft=True)
    places = {**LANDED, "hornet-f2": "intercept-1"}
    assert worked(places, missions={"intercept-1": fought}) == [
        "lower hornet-f1",
        "land hornet-f2 hornet",
    ]


def test_4_34_cap_that_fought_returns_unless_it_has_its_own_order() -> None:
    fought = intercept("1110", fuel=8, has_met_aircraft=True)
    state = air_movement(
        at=(3, 1), units=dict.fromkeys(FIGHTERS, "intercept-1"), missions={"intercept-1": fought}
    )
    assert answered(state, CAP) == c.Fly(mission="intercept-1", hex="1109")
    fresh = with_parts(state, missions={"intercept-1": replace(fought, has_met_aircraft=False)})
    assert answered(fresh, CAP) is None, "an intercept of the player's own"
    back = operations(
        at=(3, 1),
        units=dict.fromkeys(FIGHTERS, "intercept-1"),
        missions={"intercept-1": replace(fought, hex=HOME)},
    )
    assert closed(back, CAP) == c.Land(unit="hornet-f1", carrier="hornet")


def test_an_order_ends_when_the_carriers_of_its_group_sink() -> None:
    state = patrolling(operations(at=(3, 1)))
    sunk = with_parts(
        state,
        ships={
            name: replace(ship, is_sunk=True, group="") if ship.group == "58.1" else ship
            for name, ship in state.ships.items()
        },
    )
    assert CBPS.live_courses(sunk, (CAP,)) == ()
    assert closed(sunk, CAP) is None


# -- giving orders


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("search", NotationError),
        ("search north", NotationError),
        ("search 301", IllegalCommandError),
        ("search 300 hornet-t8", IllegalCommandError),
        ("search 300 hornet-t1 yorktown-t1 wasp-b1", NotationError),
        ("search 300-long hornet-t1", IllegalCommandError),
        ("search 1109", IllegalCommandError),
        ("cap 58.1", NotationError),
        ("cap 58.7 until 1210", IllegalCommandError),
        ("cap 58.9 until 1210", IllegalCommandError),
        ("cap 58.3 until 1210", IllegalCommandError),
        ("cap 58.1 until 1210", None),
        ("cap 58.1 until 1211", IllegalCommandError),
    ],
)
def test_short_forms_are_parsed_or_refused(text: str, error: type[Exception] | None) -> None:
    state = operations(at=(3, 1), units=dict.fromkeys((*SCOUTS, *FIGHTERS), "ready"))
    if error is None:
        assert isinstance(read_any(state, "us", text), CapOrder)
        return
    with pytest.raises(error):
        read_any(state, "us", text)


def test_orders_are_named_and_their_risks_are_confirmed() -> None:
    state = operations(at=(3, 1), units=dict.fromkeys((*SCOUTS, *FIGHTERS), "ready"))
    search = read_any(state, "us", "search 300")
    assert isinstance(search, SearchOrder)
    assert search.units == ("hornet-t1",), "a fighter sees less (8.211)"
    assert title(search) == "Search 300 and back (Hornet T1)"
    assert words(state, search).endswith("out 0930, back 1610")
    assert not risk(state, search)
    patrol = read_any(state, "us", "cap 58.1 until 1210")
    assert title(patrol, state) == "CAP over TG 58.1 until 1210"
    assert patrol.text == "cap-58.1 until 5 size 2"
    for turn, fear in ((6, "night"), (8, "the scenario ends")):
        late = operations(at=(turn, 1), units=dict.fromkeys(SCOUTS, "ready"))
        assert fear in risk(late, read_any(late, "us", "search 300"))
