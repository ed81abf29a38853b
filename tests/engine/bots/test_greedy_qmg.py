"""The greedy player of Quartermaster General: whole games, seats, its knowledge, and answers to single questions."""

from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple, cast

import pytest
from msgspec.structs import replace

from engine.bots.greedy_qmg import GreedyQmg
from engine.bots.greedy_qmg_reasons import Reasons
from engine.bots.greedy_qmg_steps import STEPS
from engine.bots.greedy_qmg_worth import PositionEvaluator
from engine.bots.player import Player, last_reason
from engine.bots.registry import create_bot
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.qmg.commands import COMMANDS, Play, QmgCommand, Withdraw
from engine.qmg.deck_steps import STEP_LISTS
from engine.qmg.events import QmgEvent
from engine.qmg.ids import AXIS, PLAYERS, TEAM_BY_FORCE
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from engine.qmg.view import QmgView
from tests.engine.qmg.random_games import ROLES, SCENARIOS
from tests.engine.qmg.table import Table, moscow_in_danger
from tests.engine.random_games import derived
from tests.sizes import ALL, sampled, sized

SEEDS: Final = sampled((1, 2), 1)
MOST_COMMANDS: Final = 3_000


class Step(NamedTuple):
    """A question of a game, its answer, and the events since the previous question."""

    state: State
    role: Role
    command: QmgCommand
    events: tuple[QmgEvent, ...]


def chosen(player: Player, state: State, role: Role) -> QmgCommand:
    """Return the answer of the player of a seat."""
    question = cast("Decision[Command]", QMG.decision_with_free_actions(state, role))
    return cast("QmgCommand", player.choose(QMG.project(state, role), question))


def play(scenario: str, seed: int, names: dict[Role, str]) -> Iterator[Step]:
    """Yield every question of a game between bots. The last step has the events that ended the game."""
    secret = bytes([seed]) * 32
    players = {role: create_bot(names[role], "qmg", derived(f"{role} {seed}")) for role in ROLES}
    events = QMG.open_game(QMG.position(scenario, {}), DerivedDice(secret, 0))
    state = QMG.fold(QMG.initial_state(), events)
    for number in range(1, MOST_COMMANDS):
        role = QMG.active_roles(state)[0]
        command = chosen(players[role], state, role)
        yield Step(state, role, command, events)
        events = QMG.decide(state, role, command, DerivedDice(secret, number))
        state = QMG.fold(state, events)
        assert next(QMG.violations(state), None) is None
        if not QMG.active_roles(state):
            yield Step(state, role, command, events)
            return
    raise AssertionError("the game never ends")


@cache
def game(scenario: str, seed: int) -> tuple[Step, ...]:
    """Return a game of six greedy players."""
    return tuple(play(scenario, seed, dict.fromkeys(ROLES, "greedy")))


def teams(axis: str, allies: str) -> dict[Role, str]:
    return {role: axis if TEAM_BY_FORCE[role] == AXIS else allies for role in ROLES}


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
@pytest.mark.parametrize("seed", SEEDS)
def test_six_greedy_players_finish_a_game(scenario: str, seed: int) -> None:
    steps = game(scenario, seed)
    outcome = QMG.outcome(steps[-1].state)
    assert outcome is not None
    assert outcome.winner in PLAYERS
    assert {step.role for step in steps} == set(ROLES)
    assert not any(isinstance(step.command, Withdraw) for step in steps)


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
@pytest.mark.parametrize("team", list(PLAYERS))
def test_greedy_team_beats_random_team(scenario: str, team: str) -> None:
    names = teams("greedy", "random") if team == AXIS else teams("random", "greedy")
    for seed in SEEDS:
        *_, last = play(scenario, seed, names)
        outcome = QMG.outcome(last.state)
        assert outcome is not None
        assert outcome.winner == team


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
@pytest.mark.parametrize("role", sampled(ROLES, 2))
def test_one_greedy_seat_finishes_a_game_with_random_players(scenario: str, role: Role) -> None:
    names = {**dict.fromkeys(ROLES, "random"), role: "greedy"}
    steps = tuple(play(scenario, 3, names))
    assert QMG.outcome(steps[-1].state) is not None
    assert any(step.role == role for step in steps)


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_a_redacted_copy_gives_the_same_answer(scenario: str) -> None:
    """The answer depends only on what the seat may see (9.3)."""
    copies = dict.fromkeys(ROLES, QMG.initial_state())
    asked = 0
    steps = game(scenario, 1)[: sized(90, ALL)]
    for step in steps:
        for role in ROLES:
            redacted = tuple(QMG.redact(event, role) for event in step.events)
            copies[role] = QMG.fold(copies[role], redacted)
        own = copies[step.role]
        if not QMG.active_roles(own):
            continue
        assert chosen(GreedyQmg(derived("copy")), own, step.role) == step.command
        asked += 1
    ends = len(steps) == len(game(scenario, 1))  # after the last step, no role is active
    assert asked == len(steps) - ends


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_the_same_dice_give_the_same_game(scenario: str) -> None:
    again = play(scenario, SEEDS[-1], dict.fromkeys(ROLES, "greedy"))
    assert [step.command for step in again] == [step.command for step in game(scenario, SEEDS[-1])]


def test_every_card_step_has_a_value() -> None:
    known = {*STEPS}
    assert {type(step) for steps in STEP_LISTS.values() for step in steps} <= known


@pytest.mark.full
def test_games_use_more_than_half_of_the_commands() -> None:
    """The games above are varied enough: most verbs are among the answers."""
    given = {
        type(step.command)
        for scenario in SCENARIOS
        for seed in SEEDS
        for step in game(scenario, seed)
    }
    assert len(given) * 2 > len(COMMANDS)


# -- single questions


def answer(table: Table) -> str:
    """Return the answer of the greedy player of the country that is asked."""
    role = Role(table.asked[0])
    return QMG.notation.line(chosen(GreedyQmg(derived("one")), table.state, role))


def test_builds_where_victory_points_are() -> None:
    table = Table("base", "active germany", "homes", "hand germany de_build_army de_sea_battle")
    table.until("8.2", "germany")
    assert answer(table) == "play de_build_army#1"
    table(f"germany: {answer(table)}")
    assert answer(table) == "build germany army western_europe"


def test_battles_an_army_on_a_victory_star() -> None:
    table = Table(
        "base",
        "active uk",
        "homes",
        "hand uk uk_land_battle uk_sea_battle",
        "piece uk navy north_sea",
        "piece germany army western_europe",
    )
    table.until("8.2", "uk")
    table(f"uk: {answer(table)}")
    assert answer(table) == "battle uk western_europe germany"


def test_saves_an_army_on_a_victory_star_with_a_response() -> None:
    table = moscow_in_danger()
    assert answer(table) == "use su_moscow#1"


def test_discards_a_card_rather_than_lose_a_point() -> None:
    table = Table("total-war", "active ussr", "homes", "hand ussr su_sea_battle su_build_army")
    table.until("8.4", "ussr")
    assert answer(table).startswith("discard ")
    table(f"ussr: {answer(table)}")
    assert table.asked != ("ussr",) or answer(table) == "done"


def test_never_withdraws_its_pieces_voluntarily() -> None:
    table = Table("base", "active italy", "homes", "hand italy it_sea_battle")
    table.until("8.2", "italy")
    assert any(
        isinstance(each, Withdraw)
        for each in QMG.decision_with_free_actions(table.state, Role("italy")).options
    )
    assert not answer(table).startswith("withdraw")


# -- reasons


def reason(view: QmgView, command: QmgCommand) -> str:
    return Reasons(view, PositionEvaluator(view)).reason(command)


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_reasons_do_not_depend_on_hidden_cards(scenario: str) -> None:
    """Any other hand of the same size, and any other face-down Response, gives the same sentence (9.3)."""
    said = set()
    for step in game(scenario, 1)[::3]:
        view = QMG.project(step.state, step.role)
        own = view.own
        assert own is not None
        other = own.undrawn[: len(own.hand)]
        elsewhere = replace(view, own=replace(own, hand=other, undrawn=own.hand))
        sentence = reason(view, step.command)
        assert reason(elsewhere, step.command) == sentence
        said.add(sentence)
    assert len(said) > 10


def test_reason_does_not_name_a_response_placed_face_down() -> None:
    table = Table("base", "active ussr", "homes", "hand ussr su_moscow su_leningrad")
    table.until("8.2", "ussr")
    view = QMG.project(table.state, Role("ussr"))
    said = {reason(view, Play(card=f"{card}#1")) for card in ("su_moscow", "su_leningrad")}
    assert said == {"keeps a Response ready."}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        pytest.param(
            "build germany army western_europe",
            "builds in Western Europe to score 2 more points a turn.",
            id="points",
        ),
        pytest.param("build germany navy baltic_sea", "", id="nothing-stands-out"),
    ],
)
def test_reason_for_a_build_states_its_purpose(line: str, sentence: str) -> None:
    table = Table("base", "active germany", "homes", "hand germany de_build_army de_build_navy")
    table.until("8.2", "germany")
    view = QMG.project(table.state, Role("germany"))
    assert reason(view, QMG.notation.parse(line)) == sentence


def test_gives_a_reason_only_once_in_a_turn() -> None:
    table = Table("base", "active germany", "homes", "hand germany de_build_army de_sea_battle")
    table.until("8.2", "germany")
    player, said = GreedyQmg(derived("one")), []
    for _ in range(2):
        command = chosen(player, table.state, Role("germany"))
        said.append(last_reason(player))
        table(f"germany: {QMG.notation.line(command)}")
    assert said[1].startswith("builds in Western Europe to score")
    assert said.count(said[1]) == 1
