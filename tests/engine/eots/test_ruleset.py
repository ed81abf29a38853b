"""The tests that every ruleset must pass, over positions of random games of every scenario (P1, P2, P9)."""

import re
from collections.abc import Iterator
from functools import cache
from typing import get_args

import msgspec
import pytest

from engine.eots.commands import COMMAND_UNION, COMMANDS, EotsCommand
from engine.eots.counters import counters
from engine.eots.evolve import EVENT_UNION, FOLDS
from engine.eots.flow import top_frame
from engine.eots.frames import FRAMES
from engine.eots.handlers import MACHINE
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from tests.engine.eots.random_games import SCENARIOS, game
from tests.engine.random_games import derived
from tests.sizes import sampled

UNIT_IDS = frozenset(map(str, counters()))
TRIED = 12
"""Number of options of a position that are carried out."""


@cache
def pool() -> tuple[EotsCommand, ...]:
    """Return commands that were options in some position, a few of every kind, in a fixed order."""
    kept: dict[type, dict[EotsCommand, None]] = {}
    for scenario in SCENARIOS:
        for state, _, role in game(scenario):
            for option in EOTS.decision(state, role).options[::7]:
                same = kept.setdefault(type(option), {})
                if len(same) < 25:
                    same[option] = None
    return tuple(option for same in kept.values() for option in same)


def every_position() -> Iterator[tuple[State, Role]]:
    for scenario in SCENARIOS:
        for state, _, role in game(scenario):
            yield state, role


# -- the wiring


def test_every_frame_has_one_handler() -> None:
    assert set(MACHINE.handlers) == set(FRAMES)
    assert all(handler.frame is frame for frame, handler in MACHINE.handlers.items())


def test_every_event_has_one_fold() -> None:
    assert set(FOLDS) == set(get_args(EVENT_UNION))


def test_tags_are_unique() -> None:
    for union in (get_args(EVENT_UNION), FRAMES, COMMANDS):
        tags = [kind.__struct_config__.tag for kind in union]
        assert len(set(tags)) == len(tags)


@pytest.mark.full
def test_test_games_cover_many_kinds_of_decisions() -> None:
    frames = {type(top_frame(state)) for state, _ in every_position()}
    assert len(frames) >= 8
    assert len({type(command) for command in pool()}) >= 15


# -- questions


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 2))
def test_options_are_unique_and_include_the_default(scenario: str) -> None:
    for state, _, role in game(scenario):
        question = EOTS.decision(state, role)
        assert question.role == role
        assert question.prompt
        assert question.options
        assert len(set(question.options)) == len(question.options)
        assert question.default in question.options


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 4))
def test_every_option_is_accepted_and_advances_the_game(scenario: str) -> None:
    dice = derived(f"try {scenario}")
    for state, _, role in game(scenario):
        options = EOTS.decision(state, role).options
        for _ in range(min(TRIED, len(options))):
            command = options[dice.randbelow(len(options))]
            assert EOTS.why_not(state, role, command) == ()
            after = EOTS.fold(state, EOTS.decide(state, role, command, dice))
            assert after != state
            assert EOTS.active_roles(after) or EOTS.outcome(after) is not None
            assert next(EOTS.violations(after), None) is None


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 4))
def test_every_other_command_is_refused_with_a_rule(scenario: str) -> None:
    for state, _, role in game(scenario):
        legal = set(EOTS.decision(state, role).options)
        for command in pool():
            if command in legal:
                continue
            with pytest.raises(IllegalCommandError) as refused:
                EOTS.decide(state, role, command, derived("no"))
            assert refused.value.refusals
            for refusal in refused.value.refusals:
                assert refusal.rule, command
                assert refusal.text, command
                assert refusal.text.isprintable()
                assert not UNIT_IDS & set(re.findall(r"[a-z0-9-]+", refusal.text)), refusal


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_commands_from_inactive_roles_are_refused(scenario: str) -> None:
    for state, _, role in game(scenario):
        command = EOTS.decision(state, role).default
        for other in [each for each in EOTS.roles(state) if each not in EOTS.active_roles(state)]:
            with pytest.raises(IllegalCommandError) as refused:
                EOTS.decide(state, other, command, derived("no"))
            assert [refusal.rule for refusal in refused.value.refusals] == ["4.0"]


def test_deciding_does_not_change_the_state() -> None:
    for state, role in every_position():
        before = msgspec.msgpack.encode(EOTS.to_position(state))
        EOTS.decide(state, role, EOTS.decision(state, role).default, derived("default"))
        assert msgspec.msgpack.encode(EOTS.to_position(state)) == before


# -- notation


def test_every_option_round_trips_through_notation() -> None:
    for state, role in every_position():
        for option in EOTS.decision(state, role).options:
            line = EOTS.notation.line(option)
            assert EOTS.notation.parse(line) == option
            verb, *words = line.split()
            again = EOTS.notation.parse(line)
            loose = EOTS.notation.parse(f"  {verb.upper()}  {'  '.join(words)} ")
            assert (again, loose) == (option, option)


def test_commands_round_trip_through_their_codec() -> None:
    for command in pool():
        packed = msgspec.msgpack.encode(command)
        assert msgspec.msgpack.decode(packed, type=COMMAND_UNION) == command


# -- positions


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 4))
def test_an_exported_position_starts_the_same_game(scenario: str) -> None:
    for state, _, role in game(scenario):
        position = EOTS.to_position(state)
        EOTS.check_position(position)
        back = msgspec.json.decode(msgspec.json.encode(position), type=EOTS.position_type)
        assert back == position
        again = EOTS.fold(EOTS.initial_state(), EOTS.open_game(back, derived("again")))
        assert EOTS.to_position(again) == position
        assert EOTS.decision(again, role) == EOTS.decision(state, role)


# -- visibility


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 4))
def test_seat_copies_match_the_game(scenario: str) -> None:
    for state, copies, asked in game(scenario):
        for role, copy in copies.items():
            assert EOTS.project(copy, role) == EOTS.project(state, role)
            assert EOTS.active_roles(copy) == EOTS.active_roles(state)
            assert EOTS.heading(copy) == EOTS.heading(state)
        assert EOTS.decision(copies[asked], asked) == EOTS.decision(state, asked)


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 4))
def test_a_game_started_from_a_position_looks_the_same_to_every_seat(scenario: str) -> None:
    for state, _, asked in game(scenario):
        events = EOTS.open_game(EOTS.to_position(state), derived("seen"))
        for role in (*EOTS.roles(state), None):
            hidden = tuple(EOTS.redact(event, role) for event in events)
            copy = EOTS.fold(EOTS.initial_state(), hidden)
            assert EOTS.project(copy, role) == EOTS.project(state, role)
            if role == asked:
                assert EOTS.decision(copy, role) == EOTS.decision(state, role)
