"""Victory goals with their present counts agree with the judgement (4.5, 13.93, 16.1-16.3, 17.27-17.48)."""

import pytest

from engine.eots.board import board
from engine.eots.ch16_victory.goals import Goal, goals, tallies
from engine.eots.ch16_victory.judgement import judge_end_of_turn
from engine.eots.ch16_victory.score import conditions, score, total_points
from engine.eots.ids import AreaId, Side
from engine.eots.position import state_from_position
from engine.eots.scenarios import scenario_ids
from engine.eots.setup import starting_position
from engine.eots.state import State
from engine.eots.victory_terms import Control, ControlAll, ControlEach, Occupation
from tests.engine.eots.positions import start_of, with_control, with_tracks

NAMES = scenario_ids()


def start(name: str) -> State:
    return state_from_position(starting_position(name, {}))


def met(state: State) -> list[Goal]:
    """Return the goals that would win if judged now."""
    return [goal for goal in goals(state) if goal.parts and all(part.is_met for part in goal.parts)]


@pytest.mark.parametrize("name", NAMES)
def test_16_1_both_sides_have_goals_in_every_scenario(name: str) -> None:
    found = goals(start(name))
    assert {goal.side for goal in found} == set(Side)
    assert all(goal.text and goal.rule for goal in found)
    assert [goal.side for goal in found] == sorted(goal.side for goal in found)


@pytest.mark.parametrize("name", NAMES)
def test_17_27_exactly_one_victory_degree_matches_the_points(name: str) -> None:
    state = start(name)
    degrees = [goal for goal in met(state) if goal.degree]
    has_points = any(goal.degree for goal in goals(state))
    assert len(degrees) == has_points
    for goal in degrees:
        assert goal.parts[0].current == total_points(state)
        assert goal.parts[0].missing == 0


@pytest.mark.parametrize("name", NAMES)
def test_17_27_counted_hexes_determine_the_points(name: str) -> None:
    state = start(name)
    worth = {line.id: line.points for line in score(state)}
    known = {tally.id: tally for tally in tallies(state)}
    for term in conditions(name) if known else ():
        if isinstance(term, ControlEach | Occupation):
            assert worth[term.id] == term.vp_each * len(known[term.id].counting)
        elif isinstance(term, Control | ControlAll):
            is_all = known[term.id].counting == known[term.id].hexes
            assert worth[term.id] == term.vp * is_all


def test_4_5_political_will_0_wins_for_japan() -> None:
    state = with_tracks(start_of("1943"), political_will=0)
    assert judge_end_of_turn(state) is not None
    assert [goal.side for goal in met(state) if not goal.degree] == [Side.JAPAN]
    far = next(goal for goal in goals(start("1943")) if goal.rule == "4.5, 16.1")
    assert (far.parts[0].current, far.parts[0].missing) == (6, -6)


def test_13_93a_lists_the_missing_hexes_of_honshu() -> None:
    honshu = board().areas[AreaId("honshu")].hexes
    state = start("campaign-1941")
    goal = next(goal for goal in goals(state) if goal.rule == "13.93a")
    assert goal.parts[0].lacking == honshu
    held = with_control(state, Side.ALLIED, honshu[1:])
    goal = next(goal for goal in goals(held) if goal.rule == "13.93a")
    assert (goal.parts[0].missing, goal.parts[0].lacking) == (1, honshu[:1])


def test_13_93b_counts_segments_without_a_supply_line() -> None:
    state = with_tracks(start("campaign-1941"), blockade_turns=2)
    goal = next(goal for goal in goals(state) if goal.rule == "13.93b")
    assert (goal.parts[0].current, goal.parts[0].missing) == (2, 1)


def test_16_2_counts_the_turns_of_bombing() -> None:
    state = with_tracks(start("campaign-1941"), bombing_turns=(1,))
    goal = next(goal for goal in goals(state) if goal.rule == "16.2")
    assert goal.parts[0].missing == 3
    assert goal.turn == 12


def test_17_10_7_compares_the_ports_of_both_sides() -> None:
    goal = next(goal for goal in goals(start("south-pacific")) if goal.turn == 6 and goal.parts)
    assert goal.side is Side.ALLIED
    assert (goal.parts[0].current, goal.parts[0].missing) == (9 - 12, 5 + 3)
