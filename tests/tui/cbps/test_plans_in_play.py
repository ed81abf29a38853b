"""Plans and reports in random games: every option has lines that fit, and searches fly as planned."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from engine.bots.random_player import Habit, RandomPlayer
from engine.cbps.commands import CbpsCommand
from engine.cbps.events.air import UnitLost
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.search import SearchEnded, SearchMoved
from engine.cbps.planner.moments import state_from_view
from engine.cbps.planner.searches import SearchPlan, search_plan, search_units
from engine.cbps.view import CbpsView
from engine.kernel.dice import DerivedDice
from engine.registry import ruleset
from tests.sizes import sampled, sized
from tui.cbps.panels.report import report_lines
from tui.cbps.planner.panel import mission_lines, planner_lines, search_lines

CBPS = ruleset("cbps")
WIDTH = 38
COMMANDS = sized(60, 150, 900)


class Turn(NamedTuple):
    """One command of a game."""

    before: CbpsView
    options: tuple[CbpsCommand, ...]
    command: CbpsCommand
    events: tuple[CbpsEvent, ...]
    after: CbpsView


def played(scenario: str, seed: int, commands: int = COMMANDS) -> Iterator[Turn]:
    """Yield the commands of a game between a random player and the system."""
    secret = seed.to_bytes(32, "big")
    state = CBPS.initial_state()
    for event in CBPS.open_game(CBPS.position(scenario, {}), DerivedDice(secret, 0)):
        state = CBPS.evolve(state, event)
    player = RandomPlayer(DerivedDice(secret[::-1], 0), Habit.BY_VERB)
    for number in range(1, commands):
        asked = CBPS.active_roles(state)
        if not asked:
            return
        decision = CBPS.decision(state, asked[0])
        before = CBPS.project(state, asked[0])
        command: Any = player.choose(before, decision)
        events = CBPS.decide(state, asked[0], command, DerivedDice(secret, number))
        state = CBPS.fold(state, events)
        yield Turn(before, decision.options, command, tuple(events), CBPS.project(state, asked[0]))


def one_of_each(options: tuple[CbpsCommand, ...]) -> list[CbpsCommand]:
    """Return the last option of each kind."""
    return list({type(option): option for option in options}.values())


@pytest.mark.parametrize("scenario", sampled(list("12345689"), 1))
def test_plans_and_reports_always_fit_the_panel(scenario: str) -> None:
    told = 0
    for turn in played(scenario, 7):
        view = turn.before
        lines = [
            *(
                line
                for one in one_of_each(turn.options)
                for line in planner_lines(view, one, WIDTH)
            ),
            *planner_lines(turn.after, turn.command, WIDTH),  # a ticked line stays below the bar
            *(line for one in view.missions for line in mission_lines(view, one, WIDTH)),
            *(line for one in view.searches for line in search_lines(view, one, WIDTH)),
            *report_lines(turn.events, view, turn.after, WIDTH),
        ]
        assert all(len(line) <= WIDTH for line in lines)
        told += len(lines)
    assert told


@pytest.mark.full
@pytest.mark.parametrize("seed", range(sized(1, 4)))
def test_8_271_searches_fly_as_planned(seed: int) -> None:
    plans: dict[str, tuple[SearchPlan, int]] = {}
    compared = 0
    for turn in played("4", seed, 400):  # TF 58 does not move in this scenario
        for name, search in turn.before.searches.items():
            if name not in plans and not search.moves and search.kind == "standard":
                table = state_from_view(turn.before)
                plans[name] = search_plan(table, search, search_units(table, name), name), 0
        for event in turn.events:
            if isinstance(event, SearchEnded) and event.search in plans:
                plan, flown = plans.pop(event.search)
                if any(isinstance(one, UnitLost) for one in turn.events):
                    assert flown <= len(plan.legs)  # a unit without a deck at home has no last leg
                else:
                    assert flown == len(plan.legs)
            if isinstance(event, SearchMoved) and event.search in plans:
                plan, flown = plans[event.search]
                leg = plan.legs[flown]
                assert (event.hex, event.zone, event.is_back) == (leg.hex, leg.zone, leg.is_back)
                plans[event.search] = plan, flown + 1
                compared += 1
    assert compared
