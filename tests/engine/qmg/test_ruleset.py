"""The tests that every ruleset must pass, over positions of random games of both scenarios (P1, P2, P9)."""

from collections.abc import Iterator
from functools import cache
from typing import get_args

import msgspec
import pytest

from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from engine.qmg.cards.base import OPERATIONS
from engine.qmg.commands import COMMANDS, Pass, QmgCommand
from engine.qmg.deck_steps import STEPS
from engine.qmg.events import EVENTS
from engine.qmg.evolve import FOLDS
from engine.qmg.frames import FRAMES, WindowFrame
from engine.qmg.handlers import MACHINE
from engine.qmg.ids import HIDDEN
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine.qmg.random_games import (
    AUDIENCES,
    ROLES,
    SCENARIOS,
    SEEDS,
    asked_positions,
    game,
    walk,
)
from tests.engine.random_games import derived
from tests.sizes import sampled, sized

TRIED = 12
"""Number of options of a position that are carried out."""
OF_A_KIND = 20


@cache
def pool() -> tuple[QmgCommand, ...]:
    """Return commands that were possible in some position, a few of every kind, in a fixed order."""
    kept: dict[type, dict[QmgCommand, None]] = {}
    for scenario in SCENARIOS:
        for state, role in asked_positions(scenario):
            for option in (*QMG.decision(state, role).options, *QMG.free_actions(state, role)):
                same = kept.setdefault(type(option), {})
                if len(same) < OF_A_KIND:
                    same[option] = None
    return tuple(option for same in kept.values() for option in same)


def every_position() -> Iterator[tuple[State, Role]]:
    for scenario in SCENARIOS:
        yield from asked_positions(scenario)


# -- the wiring


def test_every_frame_has_one_handler() -> None:
    assert set(MACHINE.handlers) == set(FRAMES)
    assert all(handler.frame is frame for frame, handler in MACHINE.handlers.items())


def test_every_event_has_one_fold() -> None:
    assert set(FOLDS) == set(EVENTS)


def test_every_card_step_has_one_operation() -> None:
    assert set(OPERATIONS) == set(STEPS)


def test_tags_are_unique() -> None:
    for union in (EVENTS, FRAMES, COMMANDS):
        tags = [kind.__struct_config__.tag for kind in union]
        assert len(set(tags)) == len(tags)
    assert set(COMMANDS) == set(get_args(QmgCommand))


def test_test_games_cover_many_kinds_of_decisions() -> None:
    frames = {type(state.frames[-1]) for state, _ in every_position()}
    assert len(frames) >= 8
    assert len({type(command) for command in pool()}) >= sized(10, 15)


# -- questions


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_options_are_unique_and_include_the_default(scenario: str) -> None:
    for step in walk(scenario, 2):
        for role in QMG.active_roles(step.state):
            question = QMG.decision(step.state, role)
            assert question.role == role
            assert question.rule
            assert question.prompt.isprintable()
            assert question.options
            assert len(set(question.options)) == len(question.options)
            assert question.default in question.options
            assert question.is_window == isinstance(step.state.frames[-1], WindowFrame)
            assert not question.is_window or Pass() in question.options


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_option_is_accepted_and_advances_the_game(scenario: str) -> None:
    dice = derived(f"try {scenario}")
    for state, role in asked_positions(scenario):
        options = QMG.decision_with_free_actions(state, role).options
        for _ in range(min(TRIED, len(options))):
            command = options[dice.randbelow(len(options))]
            assert QMG.why_not(state, role, command) == ()
            after = QMG.fold(state, QMG.decide(state, role, command, dice))
            assert after != state
            assert QMG.active_roles(after) or QMG.outcome(after) is not None
            assert next(QMG.violations(after), None) is None


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_every_other_command_is_refused_with_a_rule(scenario: str) -> None:
    some = sized(4, 2, 1)
    for place, (state, asked) in enumerate(asked_positions(scenario)):
        for role in {asked, *ROLES[::3]}:
            legal = set(QMG.free_actions(state, role))
            if role in QMG.active_roles(state):
                legal |= set(QMG.decision(state, role).options)
            for command in pool()[place % some :: some]:
                if command in legal:
                    continue
                with pytest.raises(IllegalCommandError) as refused:
                    QMG.decide(state, role, command, derived("no"))
                assert refused.value.refusals
                for refusal in refused.value.refusals:
                    assert refusal.rule, command
                    assert refusal.text, command
                    assert refusal.text.isprintable()


def test_a_finished_game_refuses_all_commands() -> None:
    steps = tuple(walk("base", 3))
    state = QMG.fold(steps[-1].state, steps[-1].events())
    assert QMG.outcome(state) is not None
    assert QMG.active_roles(state) == ()
    for role in ROLES:
        assert QMG.free_actions(state, role) == ()
        for command in pool():
            assert QMG.why_not(state, role, command)
            with pytest.raises(IllegalCommandError):
                QMG.decide(state, role, command, derived("no"))


def test_deciding_does_not_change_the_state() -> None:
    for state, role in every_position():
        before = msgspec.msgpack.encode(QMG.to_position(state))
        QMG.decide(state, role, QMG.decision(state, role).default, derived("default"))
        assert msgspec.msgpack.encode(QMG.to_position(state)) == before


# -- notation


def test_every_option_round_trips_through_notation() -> None:
    for state, role in every_position():
        for option in QMG.decision_with_free_actions(state, role).options:
            line = QMG.notation.line(option)
            verb, *words = line.split()
            again = QMG.notation.parse(line)
            loose = QMG.notation.parse(f"  {verb.upper()}  {'  '.join(words)} ")
            assert (again, loose) == (option, option)


def test_commands_and_events_round_trip_through_their_codec() -> None:
    for command in pool():
        packed = msgspec.msgpack.encode(command)
        assert msgspec.msgpack.decode(packed, type=QmgCommand) == command
    for scenario in SCENARIOS:
        for step in game(scenario):
            for event in step.events():
                packed = msgspec.msgpack.encode(event)
                assert msgspec.msgpack.decode(packed, type=QMG.event_type) == event


# -- words


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_3_3_a_turn_keeps_one_name_through_all_its_steps(scenario: str) -> None:
    """A player's choice to pass "until the turn ends" applies in every step of a country's turn."""
    names: dict[tuple[int, str], set[str]] = {}
    for step in walk(scenario, 4):
        key = (step.state.round, step.state.active)
        names.setdefault(key, set()).add(QMG.turn_name(step.state))
    told = [name for one in names.values() for name in one]
    assert len(told) == len(set(told)) == len(names) > 1


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_sentences_are_printable_for_every_audience(scenario: str) -> None:
    """The log of a copy equals the log of the full game, except for faces that the copy may not know."""
    for step in walk(scenario, 4):
        assert QMG.heading(step.state).isprintable()
        for event in step.events():
            for audience in AUDIENCES:
                said = QMG.log_sentence(QMG.redact(event, audience))
                assert said == "" or said.isprintable()
                assert HIDDEN not in said


# -- the kinds of events


def test_random_games_use_nearly_every_kind_of_event() -> None:
    steps = (step for scenario in SCENARIOS for seed in SEEDS for step in walk(scenario, seed))
    seen = {type(event) for step in steps for event in step.events()}
    missing = {kind.__name__ for kind in EVENTS if kind not in seen}
    assert len(missing) <= 6, missing
