"""A game of one player against the system: judged, recorded, verified, continued; a loss is not a draw."""

import random
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from saves.headers import Seat
from saves.logfile import LogWriter, write_log
from saves.match import Match
from saves.verify import verify_file
from tests.saves.play import SECRET, followed
from tests.toy_staff import TOY_STAFF, US, Search, StaffPosition, Stay
from tools.fuzz import play

SEATS = (Seat(role=US, player="Ann", seat_id="seat-1"),)


def staff_match(
    log: LogWriter | None = None,
    scenario: str = "drill",
    position: StaffPosition | None = None,
    secret: bytes = SECRET,
) -> Match[Any]:
    start = position or TOY_STAFF.position(scenario, {})
    return Match.create(TOY_STAFF, start, "" if position else scenario, {}, SEATS, secret, log)


def play_out(match: Match[Any], seed: int) -> None:
    source = random.Random(seed)
    while TOY_STAFF.active_roles(match.state):
        match.submit(US, source.choice(TOY_STAFF.decision(match.state, US).options), match.seq)
        assert not list(TOY_STAFF.violations(match.state))


def test_player_who_only_waits_loses_to_the_system() -> None:
    match = staff_match()
    while TOY_STAFF.active_roles(match.state):
        match.submit(US, TOY_STAFF.decision(match.state, US).default, match.seq)
    outcome = TOY_STAFF.outcome(match.state)
    assert outcome is not None
    assert (outcome.winner, outcome.is_lost, outcome.is_draw) == (None, True, False)
    assert outcome.winner_name == "game"


def test_single_player_can_win_or_lose() -> None:
    found = set()
    for seed in range(40):
        match = staff_match(secret=bytes([seed]) * 32)
        play_out(match, seed)
        outcome = TOY_STAFF.outcome(match.state)
        assert outcome is not None
        found.add(outcome.winner_name)
    assert found == {"us", "game"}


def test_illegal_command_is_refused() -> None:
    match = staff_match()
    with pytest.raises(IllegalCommandError, match=r"1\.1: this is another commander's sector"):
        match.submit(US, Search(sector=4), match.seq)
    assert TOY_STAFF.decision(match.state, US).options == (
        Search(sector=1),
        Search(sector=2),
        Search(sector=3),
        Stay(),
    )


def test_record_verifies_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "staff.fplog"
    match = staff_match(LogWriter.create(path), "cruise")
    match.submit(US, Stay(), match.seq)
    match.close()
    again: Match[Any] = Match.resume(path, TOY_STAFF)
    assert again.state == match.state
    play_out(again, 3)
    again.reveal()
    again.close()
    verdict = verify_file(path, TOY_STAFF)
    assert (verdict.status, verdict.finding) == ("ok", None)


@pytest.mark.parametrize("audience", [US, None])
def test_copies_agree_with_the_record(tmp_path: Path, audience: Role | None) -> None:
    match = staff_match()
    play_out(match, 1)
    copy = followed(match, audience)
    assert TOY_STAFF.project(copy.state, audience) == TOY_STAFF.project(match.state, audience)
    path = tmp_path / "copy.fplog"
    write_log(path, match.redacted_header(audience), tuple(match.redacted_records(audience)))
    assert verify_file(path, TOY_STAFF).status == "ok"


def test_exported_position_starts_an_equal_game() -> None:
    match = staff_match()
    match.submit(US, Search(sector=2), match.seq)
    other = staff_match(position=TOY_STAFF.to_position(match.state))
    assert TOY_STAFF.to_position(other.state) == TOY_STAFF.to_position(match.state)


def test_random_games_satisfy_kernel_invariants() -> None:
    for seed in range(6):
        played = play(TOY_STAFF, "drill", seed, sample_every=1)
        assert played.finding is None
        assert played.result in {"us", "game"}


def test_draft_stops_before_a_die_roll() -> None:
    match = staff_match()
    with pytest.raises(ChanceRevealedError, match="a die would be rolled here"):
        TOY_STAFF.decide(match.state, US, Stay(), DraftDice())
