"""Players who look ahead: their knowledge, their treatment of hidden cards, and the candidate they choose."""

from functools import cache
from itertools import islice
from typing import Final, cast

import pytest

from engine.bots.easy_qmg import MARGIN, EasyQmg
from engine.bots.greedy_qmg import GreedyQmg, option_values
from engine.bots.player import choose_command, known_position, last_reason, looks_ahead
from engine.bots.registry import available_bots, create_bot, level_description
from engine.bots.sample_qmg import completed_position
from engine.bots.strong_qmg import StrongQmg
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.qmg.commands import QmgCommand
from engine.qmg.position import Position
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine.qmg.random_games import ROLES, SCENARIOS, Step, walk
from tests.engine.qmg.table import Table, moscow_in_danger
from tests.engine.random_games import derived, opening
from tests.sizes import sized

EVERY: Final = sized(29, 11, 3)
"""Every how many positions of a game between two bots one is examined."""


@cache
def positions(scenario: str) -> tuple[Step, ...]:
    return tuple(islice(walk(scenario, 1), 0, None, EVERY))


def told(state: State, role: Role) -> Position:
    position = known_position(QMG, state, role)
    assert isinstance(position, Position)
    return position


def dealt(state: State, role: Role, deal: str) -> State:
    """Return a full state that looks the same to a role."""
    position = completed_position(told(state, role), role, derived(deal))
    return QMG.fold(QMG.initial_state(), QMG.open_game(position, derived(deal)))


@pytest.mark.full
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_sampled_position_is_valid_and_looks_the_same_to_the_seat(scenario: str) -> None:
    """No rule is broken in any sampled position, and the seat sees the same view and question (9.1, 9.3)."""
    differ = 0
    for step in positions(scenario):
        other = dealt(step.state, step.role, "one")
        assert [*QMG.violations(other)] == []
        assert QMG.project(other, step.role) == QMG.project(step.state, step.role)
        assert QMG.active_roles(other) == QMG.active_roles(step.state)
        if step.role in QMG.active_roles(other):
            assert QMG.decision_with_free_actions(
                other, step.role
            ) == QMG.decision_with_free_actions(step.state, step.role)
        assert told(other, step.role) == told(step.state, step.role)
        differ += other.cards != step.state.cards
    assert differ * 2 > len(positions(scenario))


def test_seat_view_contains_no_faces_of_other_hands() -> None:
    step = positions("base")[3]
    for role in ROLES:
        cards = told(step.state, role).cards
        for country, zones in cards.items():
            assert (country == role) == ("?" not in zones.hand + zones.deck)
            if country != role:
                assert set(zones.hand + zones.deck + zones.responses) <= {"?"}


def question_of(state: State, role: Role) -> Decision[Command]:
    return cast("Decision[Command]", QMG.decision_with_free_actions(state, role))


def play_step() -> State:
    """Return the first Play step with more than one option."""
    table = Table(
        "base",
        "active uk",
        "homes",
        "hand uk uk_build_army uk_build_navy uk_land_battle uk_sea_battle",
        "hand germany de_build_army de_sea_battle",
        "hand japan jp_build_navy jp_build_army",
        "piece uk navy north_sea",
        "piece germany army western_europe",
    )
    table.until("8.2", "uk")
    return table.state


@pytest.mark.full
def test_same_view_gives_the_same_answer() -> None:
    """The real hidden cards have no effect: equal views, dice and steps give equal commands."""
    state, uk = play_step(), Role("uk")
    other = dealt(state, uk, "two")
    assert other.cards != state.cards
    answers = []
    for each in (state, other, state):
        player = StrongQmg(derived("one"))
        player.steps = 6
        answers.append((choose_command(QMG, each, uk, player), last_reason(player)))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0] in question_of(state, uk).options


def test_search_yields_a_choice_immediately_and_after_each_playout() -> None:
    state, uk = play_step(), Role("uk")
    player, question = StrongQmg(derived("one")), question_of(state, uk)
    thoughts = player.search(told(state, uk), uk, question)
    assert player.should_search(QMG.project(state, uk), question)
    first = next(thoughts)
    assert first.command == GreedyQmg(derived("one")).choose(QMG.project(state, uk), question)
    later = [next(thoughts) for _ in range(3)]
    assert all(thought.command in question.options for thought in later)


def test_a_response_window_is_answered_without_lookahead() -> None:
    """The response time must not reveal whether the player has anything to answer with."""
    table = moscow_in_danger()
    ussr = Role("ussr")
    question, player = question_of(table.state, ussr), StrongQmg(derived("one"))
    assert len(question.options) > 1
    assert not player.should_search(QMG.project(table.state, ussr), question)
    answer = choose_command(QMG, table.state, ussr, player)
    assert QMG.notation.line(cast("QmgCommand", answer)) == "use su_moscow#1"


def test_strong_player_without_time_plays_like_the_greedy_player() -> None:
    state, uk = play_step(), Role("uk")
    view, question = QMG.project(state, uk), question_of(state, uk)
    strong, greedy = StrongQmg(derived("one")), GreedyQmg(derived("two"))
    assert strong.choose(view, question) == greedy.choose(view, question)
    assert last_reason(strong) == last_reason(greedy)


def test_easy_player_chooses_among_good_options_at_random() -> None:
    state, uk = positions("base")[0].state, Role("uk")
    view, question = QMG.project(state, uk), question_of(state, uk)
    values = dict(zip(question.options, option_values(view, question), strict=True))
    taken = {EasyQmg(derived(str(number))).choose(view, question) for number in range(12)}
    assert all(values[each] >= max(values.values()) - MARGIN for each in taken)
    assert len(taken) > 1


def test_every_level_has_a_name_and_description() -> None:
    assert available_bots("qmg") == ("greedy", "easy", "strong", "random")
    assert all(map(level_description, available_bots("qmg")))
    assert [
        name for name in available_bots("qmg") if looks_ahead(create_bot(name, "qmg", derived("x")))
    ] == ["strong"]


def test_equal_dice_give_equal_deals() -> None:
    step = positions("total-war")[5]
    position = told(step.state, step.role)
    deals = [
        completed_position(position, step.role, DerivedDice(bytes(32), number))
        for number in (0, 0, 1)
    ]
    assert deals[0] == deals[1] != deals[2]


def test_a_redacted_copy_gives_the_same_view() -> None:
    """A bot that has joined over the network knows the same as one on the host (9.3)."""
    copies = {
        role: QMG.fold(QMG.initial_state(), QMG.redact_all(opening(QMG, "total-war", 1, {}), role))
        for role in ROLES
    }
    compared = 0
    for number, step in enumerate(islice(walk("total-war", 1), 150)):
        if number % 5 == 0 and step.role in QMG.active_roles(step.state):
            assert told(copies[step.role], step.role) == told(step.state, step.role)
            compared += 1
        events = step.events()
        for role, copy in copies.items():
            copies[role] = QMG.fold(copy, QMG.redact_all(events, role))
    assert compared > 20
