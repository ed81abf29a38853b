"""Record files of long games: truncated, flipped, zeroed, refused by the disk (robustness D1 to D3, D6, D8)."""

import random
from pathlib import Path
from typing import Any, Final

import pytest

from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.registry import ruleset
from saves.errors import CorruptLogError, StorageError
from saves.framing import SECTOR, Scan, scan
from saves.logfile import LogWriter, log_bytes, read_log, write_log
from saves.match import Match
from saves.snapshots import read_snapshot, snapshot_path, write_snapshot
from tests.saves.faulty_files import FaultyFiles
from tests.saves.play import SECRET, new_eots, play, step
from tests.sizes import ALL, sampled, sized

SCENARIOS: Final = {"eots": "1943", "qmg": "total-war", "cbps": "9"}
CUTS = sized(20, 2_000, ALL, of="cuts of a log of each title besides those at records")
BITS = sized(200, 3_000, 10_000, of="bits of a log of 1943")


@pytest.fixture(scope="module")
def match() -> Match[State]:
    match = new_eots()
    play(match, 200, seed=8, takebacks=0.05)
    return match


@pytest.fixture(scope="module")
def data(match: Match[State]) -> bytes:
    return log_bytes(match.header, match.records)


@pytest.fixture(scope="module")
def whole(data: bytes) -> Scan:
    return scan("test", data)


def outcome(data: bytes) -> Scan | CorruptLogError:
    try:
        return scan("test", data)
    except CorruptLogError as error:
        return error


def log_of(game: str) -> bytes:
    """Return the record file of 200 random commands of a game."""
    rules, scenario = ruleset(game), SCENARIOS[game]
    position = rules.position(scenario, {})
    match = Match[Any].create(rules, position, scenario, {}, (), SECRET)
    play(match, 200, seed=8, takebacks=0.05)
    return log_bytes(match.header, match.records)


@pytest.mark.series("D1")
@pytest.mark.parametrize("game", sampled([*SCENARIOS], 1, of="titles"))
def test_d1_truncation_keeps_exactly_the_complete_records(game: str) -> None:
    data = log_of(game)
    whole = scan("test", data)
    ends = [*whole.record_offsets[1:], len(data)]
    near = {place + step for place in ends for step in (-1, 0)}
    cuts = sorted(near | set(random.Random(1).sample(range(len(data)), min(CUTS, len(data)))))
    for cut in sampled(cuts, 40, of="cuts of a game log"):
        found = outcome(data[:cut])
        if cut < whole.record_offsets[0]:
            assert isinstance(found, CorruptLogError)
            continue
        assert isinstance(found, Scan)
        assert found.damage is None
        count = sum(end <= cut for end in ends)
        assert found.records == whole.records[:count]
        assert (found.torn is None) == (cut in ends or cut == whole.record_offsets[0])


@pytest.mark.series("D1")
@pytest.mark.parametrize("seed", range(sized(3, 10, 200, of="torn games that resume")))
def test_d1_torn_game_is_repaired_once_and_continues(
    tmp_path: Path, data: bytes, whole: Scan, seed: int
) -> None:
    rng = random.Random(seed)
    path = tmp_path / "torn.fplog"
    path.write_bytes(data[: rng.randrange(whole.record_offsets[5], len(data))])
    torn = Match.resume(path, EOTS)
    torn.close()
    once = path.read_bytes()
    again = Match.resume(path, EOTS)
    assert (again.dropped_text, path.read_bytes()) == ("", once)
    assert again.records == list(whole.records[: again.seq + 1])
    if EOTS.active_roles(again.state):
        step(again, rng)
        assert len(read_log(path).records) == again.seq + 1
    again.close()


@pytest.mark.series("D2")
def test_d2_flipped_bits_are_detected_and_never_treated_as_a_torn_end(
    data: bytes, whole: Scan
) -> None:
    rng = random.Random(2)
    for bit in rng.sample(range(len(data) * 8), BITS):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        found = outcome(bytes(changed))
        damage = found.damage if isinstance(found, Scan) else found
        assert damage is not None, f"bit {bit} is not noticed"
        assert damage.record == sum(start <= bit // 8 for start in whole.record_offsets) - 1
        assert not isinstance(found, Scan) or found.torn is None


@pytest.mark.series("D3")
@pytest.mark.parametrize("size", [pytest.param(SECTOR, marks=pytest.mark.full), 4096])
def test_d3_lost_sector_is_torn_only_in_the_last_record(
    data: bytes, whole: Scan, size: int
) -> None:
    ends = [*whole.record_offsets[1:], len(data)]
    for start in range(0, len(data), size):
        zeros = bytes(len(data[start : start + size]))
        found = outcome(data[:start] + zeros + data[start + size :])
        if start < whole.record_offsets[0]:
            assert isinstance(found, CorruptLogError)
            continue
        assert isinstance(found, Scan)
        first = sum(end <= start for end in ends)
        assert found.records == whole.records[:first]
        if first == len(whole.records) - 1:
            assert (found.torn is None, found.damage) == (False, None)
        else:
            assert found.torn is None
            assert found.damage is not None
            assert found.damage.offset == whole.record_offsets[first]


@pytest.mark.series("D6")
@pytest.mark.parametrize(
    "fault",
    sampled(
        ["ENOSPC", "EIO-write", "EIO-sync", "SHORT", "EINTR", "EROFS", "EMFILE"],
        3,
        of="faults in 1943",
    ),
)
def test_d6_failing_call_stops_the_game_without_losing_records(tmp_path: Path, fault: str) -> None:
    for at in range(40):
        path = tmp_path / f"{fault}-{at}.fplog"
        files = FaultyFiles(at, fault)
        refusal = ""
        try:
            match = new_eots(LogWriter.create(path, files))
        except StorageError:
            continue
        rng = random.Random(at)
        acknowledged = list(match.records)
        for _ in range(12):
            before = match.state
            try:
                step(match, rng)
            except StorageError as error:
                refusal = str(error)
                assert match.state == before
                break
            acknowledged.append(match.records[-1])
        if refusal:
            assert f"made to fail with {fault}" in refusal
            with pytest.raises(StorageError, match="accepts no more records"):
                step(match, rng)
        match.close()
        kept = list(read_log(path).records)
        assert kept[: len(acknowledged)] == acknowledged
        assert len(kept) <= len(acknowledged) + 1
        if not files.hit:
            return
    pytest.fail("no run finished untouched")


def _resumed(path: Path) -> tuple[State, bool]:
    match = Match.resume(path, EOTS)
    used = match._snapshot is not None
    match._log.close() if match._log else None
    return match.state, used


@pytest.mark.series("D8")
def test_d8_snapshots_never_change_the_game(tmp_path: Path, match: Match[State]) -> None:
    """A fifth are good, the others deleted, cut, flipped or of another game. All are older or newer than the record."""
    rng = random.Random(8)
    path = tmp_path / "game.fplog"
    other = new_eots(secret=SECRET[::-1])
    play(other, 60, seed=1)
    snap = snapshot_path(path)
    for case in range(sized(15, 500, 5_000, of="snapshots of 1943")):
        path.unlink(missing_ok=True)
        snap.unlink(missing_ok=True)
        last = rng.randrange(20, match.seq + 1)
        write_log(path, match.header, match.records[: last + 1])
        at = rng.randrange(match.seq + 1)
        fault = ("good", "cut", "flipped", "deleted", "other")[case % 5]
        source = other if fault == "other" else match
        at = min(at, source.seq)
        assert write_snapshot(path, EOTS, source.records[at], source.state_at(at))
        content = bytearray(snap.read_bytes())
        if fault == "cut":
            del content[rng.randrange(len(content)) :]
        elif fault == "flipped":
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        snap.write_bytes(content)
        if fault == "deleted":
            snap.unlink()
        used = fault == "good" and at <= last
        assert _resumed(path) == (match.state_at(last), used), f"case {case}: {fault}"
        assert (read_snapshot(path, EOTS, match.records[: last + 1]) is None) == (not used)
