"""A game of one player against the system: judged, recorded, verified, continued; a loss is not a draw."""

import random
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from saves.follower import Follower
from saves.headers import Seat
from saves.logfile import LogWriter, write_log
from saves.match import Match
from saves.verify import verify_file
from tests.toy_raider import CAPTAIN, HEXES, RAIDER, RaiderPosition, Sail, Wait
from tools.fuzz import play

SECRET = bytes(range(32))
SEATS = (Seat(role=CAPTAIN, player="Ann", seat_id="seat-1"),)


def raider_match(
    log: LogWriter | None = None,
    scenario: str = "sortie",
    position: RaiderPosition | None = None,
    secret: bytes = SECRET,
) -> Match[Any]:
    start = position or RAIDER.position(scenario, {})
    return Match.create(RAIDER, start, "" if position else scenario, {}, SEATS, secret, log)


def play_out(match: Match[Any], seed: int) -> None:
    source = random.Random(seed)
    while RAIDER.active_roles(match.state):
        match.submit(
            CAPTAIN, source.choice(RAIDER.decision(match.state, CAPTAIN).options), match.seq
        )
        assert not list(RAIDER.violations(match.state))


def test_who_waits_loses_to_the_game() -> None:
    match = raider_match()
    while RAIDER.active_roles(match.state):
        match.submit(CAPTAIN, Wait(), match.seq)
    outcome = RAIDER.outcome(match.state)
    assert outcome is not None
    assert (outcome.winner, outcome.is_lost, outcome.is_draw) == (None, True, False)
    assert outcome.winner_name == "game"


def test_the_one_player_can_win() -> None:
    found = set()
    for seed in range(40):
        match = raider_match(scenario="hunt", secret=bytes([seed]) * 32)
        play_out(match, seed)
        outcome = RAIDER.outcome(match.state)
        assert outcome is not None
        found.add(outcome.winner_name)
    assert found == {"captain", "game"}


def test_commands_are_judged() -> None:
    match = raider_match()
    with pytest.raises(IllegalCommandError, match=r"1\.1: \d+ is not next to"):
        match.submit(CAPTAIN, Sail(into=HEXES[-1]), match.seq)
    assert RAIDER.decision(match.state, CAPTAIN).options == (
        Sail(into="0012"),
        Sail(into="0022"),
        Sail(into="0021"),
        Wait(),
    )


def test_the_record_is_verified_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "raider.fplog"
    match = raider_match(LogWriter.create(path), "hunt")
    match.submit(CAPTAIN, Wait(), match.seq)
    match.close()
    again: Match[Any] = Match.resume(path, RAIDER)
    assert again.state == match.state
    play_out(again, 3)
    again.reveal()
    again.close()
    verdict = verify_file(path, RAIDER)
    assert (verdict.status, verdict.finding) == ("ok", None)


@pytest.mark.parametrize("audience", [CAPTAIN, None])
def test_copies_agree_with_the_record(tmp_path: Path, audience: Role | None) -> None:
    match = raider_match()
    play_out(match, 1)
    copy: Follower[Any] = Follower.create(RAIDER, match.redacted_header(audience))
    for record in match.redacted_records(audience):
        copy.receive(record)
    assert RAIDER.project(copy.state, audience) == RAIDER.project(match.state, audience)
    path = tmp_path / "copy.fplog"
    write_log(path, match.redacted_header(audience), tuple(match.redacted_records(audience)))
    assert verify_file(path, RAIDER).status == "ok"


def test_a_position_is_gone_on_with() -> None:
    match = raider_match()
    match.submit(CAPTAIN, Sail(into="0012"), match.seq)
    other = raider_match(position=RAIDER.to_position(match.state))
    assert RAIDER.to_position(other.state) == RAIDER.to_position(match.state)


def test_random_games_hold_what_the_kernel_promises() -> None:
    for seed in range(6):
        played = play(RAIDER, "sortie", seed, sample_every=1)
        assert played.finding is None
        assert played.result in {"captain", "game"}


def test_a_draft_ends_before_the_die() -> None:
    match = raider_match()
    with pytest.raises(ChanceRevealedError, match="a die would be rolled here"):
        RAIDER.decide(match.state, CAPTAIN, Wait(), DraftDice())
