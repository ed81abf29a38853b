"""Confirmations before an order that gives something away."""

import pytest
from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.clock import phase_number
from engine.cbps.frames import (
    AirMovementFrame,
    FrameBase,
    InterceptFrame,
    OperationsFrame,
    PhaseFrame,
    SearchChoiceFrame,
    StrikesFrame,
    TurnFrame,
)
from engine.cbps.planner.moments import PHASES, phases_left
from engine.cbps.state import Mission, Raid, Search, State
from tests.engine.cbps.battle import battle, with_frame, with_parts
from tests.tui.cbps.battles import PRESENTER, view_of

BATTLE = battle("6")
HOME = BATTLE.groups["58.1"].hex
LOST = "Hornet B1 is lost when the scenario ends"
SEGMENTS = {
    AirMovementFrame: "us-air-movement",
    OperationsFrame: "operations",
    SearchChoiceFrame: "us-search",
    StrikesFrame: "us-attack",
}


def asked(state: State, frame: FrameBase) -> State:
    state = with_frame(state, TurnFrame(step="phase"), PhaseFrame(segment=3), frame)
    return replace(state, segment=SEGMENTS[type(frame)])


def with_strike(fuel: int, hex: str = "1112", *, moved: int = 0, home: bool = False) -> State:
    strike = Mission(
        kind="strike", hex=hex, fuel=fuel, groups=("58.1",), moved=moved, is_flipped=home
    )
    unit = replace(BATTLE.units["hornet-b1"], place="mission", at="strike-3")
    return with_parts(BATTLE, missions={"strike-3": strike}, units={"hornet-b1": unit})


def done(state: State, *options: c.CbpsCommand) -> str:
    return PRESENTER.consequence(view_of(state), c.Done(), (*options, c.Done())).question


def test_6_291_losing_a_unit_asks_for_confirmation() -> None:
    view, order = view_of(BATTLE), c.Overboard(unit="hornet-b1")
    assert (
        PRESENTER.consequence(view, order).question
        == "Push Hornet B1 (SB2C) overboard? It is lost."
    )
    assert not PRESENTER.consequence(view, c.Raise(unit="hornet-b1")).question


def test_5_1_strikes_that_do_not_attack_ask_for_confirmation() -> None:
    attacks = [
        c.Attack(mission=mission, target=target)
        for mission, target in (("strike-1", "a"), ("strike-1", "b"), ("strike-3", "a"))
    ]
    state = asked(BATTLE, StrikesFrame())
    assert done(state, *attacks) == "Strike 1 and Strike 3 do not attack. End US Air Attack?"
    assert not PRESENTER.consequence(view_of(state), attacks[0], [*attacks, c.Done()]).question
    assert not done(state)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (with_strike(9), "Strike 3 stays in 1112 for 1 fuel, fuel 8 is left. End US Air Movement?"),
        (with_strike(1), "Strike 3 stays in 1112 for 1 fuel, it is Fuel Critical then. End US Air Movement?"),
        (with_strike(-6), "Strike 3 runs out of fuel and is lost. End US Air Movement?"),
        (with_strike(9, moved=1), ""),
        (with_strike(9, HOME), ""),
        (with_strike(9, home=True), ""),
        (with_strike(0), ""),
    ],
    ids=["waits", "runs-low", "runs-dry", "has-moved", "over-its-carriers", "goes-home", "critical-goes-home"],
)  # fmt: skip
def test_4_431_fuel_burnt_by_done_asks_for_confirmation(state: State, words: str) -> None:
    assert done(asked(state, AirMovementFrame())) == words


@pytest.mark.parametrize(
    ("state", "phases", "words"),
    [
        (with_strike(9, "1109"), 0, f"Strike 3 must turn home now, or {LOST}."),
        (with_strike(9, "1109"), 1, "Strike 3 stays in 1109 for 1 fuel, fuel 8 is left."),
        (with_strike(9, "1114"), 0, f"Strike 3 cannot be home in time: {LOST}."),
        (with_strike(9, "1114", moved=2), 0, f"Strike 3 cannot be home in time: {LOST}."),
        (with_strike(9, HOME), 0, ""),
        (with_strike(9, "1109", home=True), 0, ""),
    ],
    ids=["turns-now", "one-phase-more", "too-far", "too-far-moved", "over-its-carriers", "goes-home"],
)  # fmt: skip
def test_units_lost_at_the_end_of_the_scenario_ask_for_confirmation(
    state: State, phases: int, words: str
) -> None:
    number = phase_number(state) + phases_left(state) - phases
    state = replace(state, turn=number // PHASES, phase=number % PHASES + 1)
    shown = done(asked(state, AirMovementFrame()))
    assert shown == (f"{words} End US Air Movement?" if words else "")


def test_step_without_a_way_home_before_the_end_asks_for_confirmation() -> None:
    state = asked(with_strike(9, "1109"), AirMovementFrame())
    number = phase_number(state) + phases_left(state)
    last = view_of(replace(state, turn=number // PHASES, phase=number % PHASES + 1))
    away = PRESENTER.consequence(last, c.Fly(mission="strike-3", hex="1110")).question
    assert away == f"From 1110, Strike 3 cannot be home in time: {LOST}. Fly there?"
    assert not PRESENTER.consequence(last, c.Fly(mission="strike-3", hex=HOME)).question
    assert not PRESENTER.consequence(view_of(state), c.Fly(mission="strike-3", hex="1110")).question


def test_15_1_loss_at_the_end_is_given_in_points() -> None:
    state = battle("1")
    units = ("hornet-f2", "yorktown-f1", "wasp-f1")
    mission = Mission(kind="intercept", hex="1210", fuel=6, groups=("58.1",))
    flying = {unit: replace(state.units[unit], place="mission", at="intercept-5") for unit in units}
    state = asked(
        with_parts(state, missions={"intercept-5": mission}, units=flying), AirMovementFrame()
    )
    number = phase_number(state) + phases_left(state)
    state = replace(state, turn=number // PHASES, phase=number % PHASES + 1)
    assert done(state).startswith(
        "Intercept 5 must turn home now, or Hornet F2, Yorktown F1 and Wasp F1 are lost when the"
        " scenario ends (-6 VP)."
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (with_strike(9, HOME), "Strike 3 waits for 1 fuel"),
        (with_strike(9, home=True), "Strike 3 turns home"),
        (with_strike(9, moved=1), ""),
    ],
    ids=["waits", "goes-home", "has-moved"],
)
def test_4_431_line_that_ends_air_movement_says_what_it_loses(state: State, words: str) -> None:
    view = view_of(asked(state, AirMovementFrame()))
    assert PRESENTER.consequence(view, c.Done(), ()).loss == words
    assert not PRESENTER.consequence(view, c.Hold(mission="strike-3"), ()).loss


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (with_strike(2, HOME), "Strike 3 could land and does not. End US Air Operations?"),
        (with_strike(9, HOME, home=True), "Strike 3 could land and does not. End US Air Operations?"),
        (with_strike(9, HOME), ""),
    ],
    ids=["low", "home", "enough"],
)  # fmt: skip
def test_6_28_units_that_should_land_ask_for_confirmation(state: State, words: str) -> None:
    landing = c.Land(unit="hornet-b1", carrier="hornet")
    assert done(asked(state, OperationsFrame()), landing) == words


def test_4_51_line_that_ends_an_intercept_names_idle_missions() -> None:
    view = view_of(BATTLE)
    free = (c.Commit(mission="strike-3"), c.Done())
    assert PRESENTER.consequence(view, c.Done(), free).loss == "Strike 3 does not fight"
    assert PRESENTER.consequence(view, c.Done(), (c.Done(),)).loss == ""


@pytest.mark.parametrize(
    ("phase", "searches", "words"),
    [
        (4, 2, ("no search in this turn", "2 searches in the air see nothing")),
        (4, 1, ("no search in this turn", "1 search in the air sees nothing")),
        (4, 0, ("no search in this turn", "")),
        (3, 2, ("search later in this turn", "")),
    ],
)
def test_8_22_last_phase_without_a_search_segment_names_airborne_searches(
    phase: int, searches: int, words: tuple[str, str]
) -> None:
    state = asked(BATTLE, SearchChoiceFrame())
    flown = Search(kind="standard", origin="1414", group="58.1", hex="1416")
    state = replace(state, phase=phase, searches={str(one): flown for one in range(searches)})
    view = view_of(state)
    ending = PRESENTER.label(view, c.Done())
    assert (ending, PRESENTER.consequence(view, c.Done(), ()).loss) == (
        f"Done: {words[0]}",
        words[1],
    )


@pytest.mark.parametrize(
    ("committed", "words"),
    [((), "Nobody fights the 9 raid points in 1109. End US Intercept?"), (("strike-3",), "")],
)
def test_4_51_unopposed_raid_asks_for_confirmation(committed: tuple[str, ...], words: str) -> None:
    raid = Raid(origin="Guam", hex="1109", points=9)
    state = with_parts(with_strike(9, "1109"), raids={"guam-a": raid})
    state = replace(asked(state, AirMovementFrame()), segment="intercept")
    frame = InterceptFrame(hexes=("1109",), committed=committed)
    state = with_frame(state, TurnFrame(step="phase"), PhaseFrame(segment=3), frame)
    state = replace(state, segment="intercept")
    assert done(state, c.Commit(mission="strike-3")) == words
