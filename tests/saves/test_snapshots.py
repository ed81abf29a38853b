"""Snapshots never contradict the records (robustness D8)."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from saves.follower import Follower
from saves.logfile import LogWriter, read_log, write_log
from saves.match import Match
from saves.snapshots import read_snapshot, rules_digest, snapshot_path, write_snapshot
from tests.saves.faulty_files import FaultyFiles
from tests.saves.play import SECRET, followed, new_match, play
from tests.sizes import sized
from tests.toy_game import BLUE, TOY, ToyGame, ToyState


@pytest.fixture(scope="module")
def match() -> Match[ToyState]:
    match = new_match(scenario="long")
    play(match, 320, seed=8, takebacks=0.1)
    return match


@pytest.fixture
def log(tmp_path: Path, match: Match[ToyState]) -> Path:
    path = tmp_path / "game.fplog"
    write_log(path, match.header, match.records)
    return path


def keep(log: Path, match: Match[ToyState], seq: int) -> Path:
    assert write_snapshot(log, TOY, match.records[seq], match.state_at(seq))
    return snapshot_path(log)


def resumed(log: Path) -> tuple[ToyState, bool]:
    match = Match.resume(log, TOY)
    used = match._snapshot is not None
    match._log.close() if match._log else None
    return match.state, used


def test_snapshot_at_any_record_restores_the_same_state(log: Path, match: Match[ToyState]) -> None:
    for seq in range(0, match.seq + 1, 7):
        keep(log, match, seq)
        assert resumed(log) == (match.state, True)


def test_resume_works_without_a_snapshot(log: Path, match: Match[ToyState]) -> None:
    keep(log, match, 300).unlink()
    assert resumed(log) == (match.state, False)


@pytest.mark.series("D8")
def test_damaged_snapshots_are_ignored(log: Path, match: Match[ToyState]) -> None:
    path = keep(log, match, 200)
    data = path.read_bytes()
    rng = random.Random(8)
    for number in range(sized(80, 400, 4_000, of="damaged snapshots of the toy")):
        bad = bytearray(data)
        if number % 2:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        else:
            del bad[rng.randrange(len(bad)) :]
        path.write_bytes(bad)
        assert read_snapshot(log, TOY, match.records) is None
    assert resumed(log) == (match.state, False)


def test_snapshots_of_another_or_longer_game_are_ignored(log: Path, match: Match[ToyState]) -> None:
    other = new_match(scenario="long", secret=SECRET[::-1])
    play(other, 50)
    keep(log, other, 40)
    assert resumed(log) == (match.state, False)
    keep(log, match, match.seq)
    assert read_snapshot(log, TOY, match.records[:-1]) is None


def test_snapshots_of_different_rules_are_ignored(
    log: Path, match: Match[ToyState], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(log, match, 200)
    monkeypatch.setattr("saves.snapshots.rules_digest", lambda game: bytes(32))
    assert read_snapshot(log, TOY, match.records) is None


def test_closing_writes_a_snapshot_only_after_many_new_records(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = new_match(LogWriter.create(path), "long")
    play(match, 30)
    match.close()
    assert not snapshot_path(path).exists()
    match = Match.resume(path, TOY)
    play(match, 200)
    match.close()
    assert snapshot_path(path).exists()
    assert resumed(path) == (match.state, True)


def test_follower_snapshot_contains_its_own_view(tmp_path: Path, match: Match[ToyState]) -> None:
    path = tmp_path / "seat.fplog"
    followed(match, BLUE, LogWriter.create(path)).close()
    again = Follower.resume(path, TOY)
    again.close()
    assert again._snapshot is not None
    assert again.own_view_digest() == match.view_digest(BLUE)


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO-sync", "EMFILE"])
def test_failed_snapshot_write_leaves_no_snapshot(
    log: Path, match: Match[ToyState], fault: str
) -> None:
    files = FaultyFiles(0, fault)
    assert not write_snapshot(log, TOY, match.records[9], match.state_at(9), files)
    assert read_snapshot(log, TOY, match.records) is None
    assert read_log(log).records == match.records


def test_state_that_does_not_round_trip_is_not_saved(log: Path, match: Match[ToyState]) -> None:
    class Forgetful(ToyGame):
        initial_state: Callable[[], object] = staticmethod(lambda: "no state")  # type: ignore[assignment]  # breaks the promise on purpose

    assert not write_snapshot(log, Forgetful(), match.records[9], match.state_at(9))


def test_rules_digest_is_stable() -> None:
    assert rules_digest(TOY) == rules_digest(ToyGame())
