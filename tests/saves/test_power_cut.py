"""Power cuts at every moment: nothing acknowledged is lost, and nothing is mistaken for damage (D5)."""

import random
from pathlib import Path

import pytest

from saves.framing import scan
from saves.logfile import LogWriter, log_bytes
from saves.match import Match
from saves.records import Record
from saves.snapshots import read_snapshot, snapshot_path, write_snapshot
from tests.saves.cut_files import CutFiles, after_cut
from tests.saves.play import new_match, play, step
from tests.sizes import sized
from tests.toy_game import TOY, ToyState

NAME = "game.fplog"
STATES_PER_MOMENT = sized(10, 40, 400, of="states of the disk for each moment")


def play_acknowledging(match: Match[ToyState], files: CutFiles, steps: int, seed: int) -> None:
    rng = random.Random(seed)
    files.acknowledged = len(match.records)
    for _ in range(steps):
        step(match, rng)
        files.acknowledged = len(match.records)


def check_all(files: CutFiles, records: list[Record], seed: int) -> list[bytes]:
    """Check many possible states after a cut at each moment. Return those with a torn tail."""
    rng = random.Random(seed)
    torn: list[bytes] = []
    for disk, acknowledged in files.moments:
        for _ in range(STATES_PER_MOMENT):
            content = after_cut(disk, NAME, rng)
            if content is None:
                assert acknowledged == 0
                continue
            found = scan(NAME, content)
            assert found.damage is None, str(found.damage)
            count = len(found.records)
            assert list(found.records) == records[:count]
            assert acknowledged <= count <= acknowledged + 1
            if found.torn is not None:
                torn.append(content)
    return torn


@pytest.mark.series("D5")
@pytest.mark.parametrize("seed", range(6))
def test_d5_power_cut_while_playing_keeps_acknowledged_records(tmp_path: Path, seed: int) -> None:
    files = CutFiles()
    match = new_match(LogWriter.create(tmp_path / NAME, files), "long")
    play_acknowledging(match, files, 25, seed)
    match.close()
    assert check_all(files, list(match.records), seed)


@pytest.mark.series("D5")
@pytest.mark.parametrize("seed", range(6))
def test_d5_power_cut_while_resuming_after_a_cut_loses_nothing_more(
    tmp_path: Path, seed: int
) -> None:
    first = CutFiles()
    match = new_match(LogWriter.create(tmp_path / NAME, first), "long")
    play_acknowledging(match, first, 12, seed)
    match.close()
    (tmp_path / NAME).touch()
    for content in check_all(first, list(match.records), seed)[::40]:
        second = CutFiles(NAME, content)
        held = len(scan(NAME, content).records)
        second.acknowledged = held
        again = resumed(tmp_path / NAME, second)
        play_acknowledging(again, second, 4, seed + 1)
        again.close()
        check_all(second, list(again.records), seed)
        assert second.read(tmp_path / NAME, 1 << 30) == log_bytes(again.header, again.records)


@pytest.mark.series("D5")
@pytest.mark.parametrize("seed", range(3))
def test_d5_power_cut_while_replacing_a_snapshot_leaves_the_old_or_new_one(
    tmp_path: Path, seed: int
) -> None:
    match = new_match(scenario="long")
    play(match, 30, seed)
    log, files = tmp_path / NAME, CutFiles()
    for seq in (10, 30):
        assert write_snapshot(log, TOY, match.records[seq], match.state_at(seq), files)
        files.acknowledged += 1
    rng = random.Random(seed)
    found = set()
    for disk, kept in files.moments:
        for _ in range(STATES_PER_MOMENT):
            content = after_cut(disk, snapshot_path(log).name, rng)
            assert kept == 0 or content is not None
            if content is not None:
                snapshot_path(log).write_bytes(content)
                read = read_snapshot(log, TOY, match.records)
                assert read is not None, "what has the name is whole"
                assert read[1] == match.state_at(read[0])
                found.add(read[0])
    assert found == {10, 30}


def resumed(path: Path, files: CutFiles) -> Match[ToyState]:
    writer = LogWriter.open(path, files)
    return Match._from_writer(writer, TOY)
