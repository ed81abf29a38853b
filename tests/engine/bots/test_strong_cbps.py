"""The strong and the easy player of Carrier Battle choose once a turn, and follow their parameters."""

from functools import cache
from itertools import islice
from typing import Any

import pytest

from engine.bots.easy_cbps import CAUTIOUS_STANCE, EasyCbps
from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.player import choose_command, known_position
from engine.bots.strong_cbps import StrongCbps
from engine.bots.strong_cbps_stances import STANCES
from engine.cbps import commands as orders
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.sizes import sampled

US = Role("us")


def dice(text: str, record: int = 0) -> DerivedDice:
    return DerivedDice(text.encode().ljust(32, b"."), record)


def strong(steps: int) -> StrongCbps:
    player = StrongCbps(dice("strong"))
    player.steps = steps
    return player


@cache
def start(scenario: str) -> State:
    return CBPS.fold(
        CBPS.initial_state(), CBPS.open_game(CBPS.position(scenario, {}), dice("game"))
    )


def asked(state: State, role: Role) -> Decision[Any]:
    return CBPS.decision(state, role)


def played(scenario: str, player: GreedyCbps, most: int) -> list[tuple[State, orders.CbpsCommand]]:
    """Return the first questions of a game with their answers."""
    state, found = start(scenario), []
    for step in range(1, most + 1):
        if not CBPS.active_roles(state):
            break
        role = CBPS.active_roles(state)[0]
        command = choose_command(CBPS, state, role, player)
        assert isinstance(command, orders.CbpsCommand)
        assert command in asked(state, role).options
        found.append((state, command))
        state = CBPS.fold(state, CBPS.decide(state, role, command, dice("game", step)))
    return found


def late(scenario: str) -> State:
    """Return a position near the end of a game."""
    return played(scenario, EasyCbps(dice("")), 400)[-30][0]


def test_looks_ahead_at_the_first_choice_of_a_turn() -> None:
    """The choice then applies to the whole turn."""
    state = start("1")
    view, decision = CBPS.project(state, US), asked(state, US)
    player = strong(3)
    assert player.should_search(view, decision)
    command = choose_command(CBPS, state, US, player)
    assert command in decision.options
    assert player.stance in STANCES
    assert not player.should_search(view, decision)


@pytest.mark.full
def test_equal_playout_count_gives_the_same_choice() -> None:
    """Only the player's own dice decide which samples are played out."""
    state = late("1")
    one, two = strong(5), strong(5)
    assert choose_command(CBPS, state, US, one) == choose_command(CBPS, state, US, two)
    assert one.stance == two.stance


def test_yields_a_choice_immediately_and_after_each_playout() -> None:
    """The first thought comes immediately, and another one after each playout."""
    state = late("1")
    decision = asked(state, US)
    thoughts = list(islice(strong(9).search(known_position(CBPS, state, US), US, decision), 6))
    assert len(thoughts) == 6
    assert all(thought.command in decision.options for thought in thoughts)


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(["4", "6"], 1))
def test_easy_player_searches_less_and_flies_less_cap(scenario: str) -> None:
    """It makes fewer searches and flies less CAP than the greedy player."""
    kinds = (orders.SearchOut, orders.Cap)
    usual, timid = (
        sum(isinstance(command, kinds) for _, command in played(scenario, player, 160))
        for player in (GreedyCbps(dice("")), EasyCbps(dice("")))
    )
    assert timid < usual


def test_all_stances_differ() -> None:
    """Each way to play differs from the others in some parameter."""
    assert len({*STANCES, CAUTIOUS_STANCE}) == len(STANCES) + 1
