"""Commands of roles that are not asked: judged, recorded, verified, refused with reasons; copies of six roles."""

import random
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.dice import DraftDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from saves.errors import StaleCommandError
from saves.follower import Follower
from saves.headers import Seat
from saves.logfile import LogWriter, read_log
from saves.match import Match
from saves.record_verifier import RecordVerifier
from saves.verify import verify_file
from tests.toy_six import ASH, GEM, HAND, ROLES, SIX, LetPass, SetTrap, Spring, Strike, Trade

SECRET = bytes(range(32))


def six_match(log: LogWriter | None = None, scenario: str = "short") -> Match[Any]:
    seats = tuple(Seat(role=role, player=str(role), seat_id=f"seat-{role}") for role in ROLES)
    return Match.create(SIX, SIX.position(scenario, {}), scenario, {}, seats, SECRET, log)


def give_any(match: Match[Any], source: random.Random) -> None:
    """Let any role give a random legal command, whether or not it is asked."""
    role = source.choice(ROLES)
    asked = match.ruleset.active_roles(match.state)
    options = match.ruleset.free_actions(match.state, role)
    if role in asked:
        options += match.ruleset.decision(match.state, role).options
    if options:
        match.submit(role, source.choice(options), match.seq)


def play_out(match: Match[Any], seed: int) -> None:
    source = random.Random(seed)
    while match.ruleset.outcome(match.state) is None:
        give_any(match, source)
        assert not list(SIX.violations(match.state))


def test_role_without_a_decision_trades_once_per_round() -> None:
    match = six_match()
    hand = match.state.hands[GEM]
    assert SIX.active_roles(match.state) == (ASH,)
    record = match.submit(GEM, Trade(card=hand[0]), match.seq)
    assert record.role == GEM
    assert SIX.active_roles(match.state) == (ASH,)
    assert len(match.state.hands[GEM]) == HAND
    with pytest.raises(IllegalCommandError, match=r"1\.4"):
        match.submit(GEM, Trade(card=hand[1]), match.seq)


def test_refusal_of_a_role_without_a_decision_names_the_rule() -> None:
    match = six_match()
    with pytest.raises(IllegalCommandError, match=r"1\.1"):
        match.submit(GEM, Strike(card=match.state.hands[GEM][0]), match.seq)
    with pytest.raises(IllegalCommandError, match=r"1\.4"):
        match.submit(GEM, Trade(card=match.state.hands[ASH][0]), match.seq)
    assert match.seq == 0


def test_any_time_command_after_the_end_is_refused() -> None:
    match = six_match()
    play_out(match, 1)
    card = match.state.hands[GEM][0]
    with pytest.raises(IllegalCommandError):
        match.submit(GEM, Trade(card=card), match.seq)
    with pytest.raises(IllegalCommandError):
        SIX.decide(match.state, GEM, Trade(card=card), DraftDice())


def test_stale_any_time_command_is_refused() -> None:
    match = six_match()
    match.submit(GEM, Trade(card=match.state.hands[GEM][0]), 0)
    with pytest.raises(StaleCommandError):
        match.submit(ASH, Trade(card=match.state.hands[ASH][0]), 0)


def test_window_asks_only_roles_with_traps_on_the_table() -> None:
    match = six_match()
    source = random.Random(4)
    windows = 0
    while SIX.outcome(match.state) is None and windows < 3:
        give_any(match, source)
        if match.state.strike is None:
            continue
        windows += 1
        for role in SIX.active_roles(match.state):
            question = SIX.decision(match.state, role)
            assert question.is_window
            assert question.default == LetPass()
            assert match.state.traps[role]
            assert all(isinstance(option, Spring | LetPass) for option in question.options)
    assert windows


@pytest.mark.parametrize("seed", range(6))
def test_record_with_any_time_commands_verifies(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "game.fplog"
    match = six_match(LogWriter.create(path))
    play_out(match, seed)
    match.reveal()
    match.close()
    judge = RecordVerifier(SIX, read_log(path).header)
    for record in read_log(path).records:
        judge.add(record)
    assert judge.timeline.seq == match.seq


@pytest.mark.parametrize("seed", range(6))
def test_every_copy_shows_the_same_decisions_and_options_as_the_match(seed: int) -> None:
    match = six_match()
    copies = {
        role: Follower[Any].create(SIX, match.redacted_header(role)) for role in (*ROLES, None)
    }
    source = random.Random(seed)
    while SIX.outcome(match.state) is None:
        for role, copy in copies.items():
            for record in match.redacted_records(role, copy.seq):
                copy.receive(record)
            assert copy.own_view_digest() == match.view_digest(role)
            assert SIX.active_roles(copy.state) == SIX.active_roles(match.state)
            _compare(match, copy, role)
        give_any(match, source)


def _compare(match: Match[Any], copy: Follower[Any], role: Role | None) -> None:
    if role is None:
        return
    assert SIX.free_actions(copy.state, role) == SIX.free_actions(match.state, role)
    if role in SIX.active_roles(match.state):
        assert SIX.decision(copy.state, role) == SIX.decision(match.state, role)
        assert SIX.decision_with_free_actions(copy.state, role) == SIX.decision_with_free_actions(
            match.state, role
        )


def test_options_list_each_any_time_command_once() -> None:
    match = six_match()
    options = SIX.decision_with_free_actions(match.state, ASH).options
    assert len(set(options)) == len(options)
    assert sum(isinstance(option, Trade) for option in options) == HAND
    assert sum(isinstance(option, SetTrap) for option in options) == HAND


def test_verify_accepts_a_six_role_record(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = six_match(LogWriter.create(path))
    play_out(match, 9)
    match.reveal()
    match.close()
    verdict = verify_file(path, SIX)
    assert verdict.status == "ok", verdict
    assert verdict.records == match.seq + 1
