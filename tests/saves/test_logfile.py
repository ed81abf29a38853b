"""Record files: truncated, flipped, zeroed, refused by the disk, written twice (robustness D1 to D3, D6)."""

import random
import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saves.errors import CorruptLogError, LogInUseError, MatchError, StorageError
from saves.files import FILES
from saves.follower import Follower
from saves.framing import SECTOR, Scan, pack_frame, pack_head, padding_bytes, scan
from saves.logfile import LogWriter, log_bytes, read_log, salvage, write_log
from saves.match import Match
from saves.records import Record, decode_record, encode_record
from tests.saves.faulty_files import FaultyFiles
from tests.saves.play import AUDIENCES, SECRET, finished, new_match, play, step
from tests.sizes import sampled, sized
from tests.toy_game import RED, TOY, ToyGame, ToyState


def match_of(steps: int, seed: int = 1) -> Match[ToyState]:
    match = new_match(scenario="long")
    play(match, steps, seed)
    return match


def bytes_of(match: Match[ToyState]) -> bytes:
    return log_bytes(match.header, match.records)


@pytest.fixture(scope="module")
def long_log() -> bytes:
    return bytes_of(match_of(200))


def outcome(data: bytes) -> Scan | CorruptLogError:
    try:
        return scan("test", data)
    except CorruptLogError as error:
        return error


def ends(found: Scan, size: int) -> list[int]:
    return [*found.record_offsets[1:], size]


@pytest.mark.series("D1")
def test_d1_every_prefix_keeps_exactly_the_complete_records(long_log: bytes) -> None:
    whole = scan("test", long_log)
    last = ends(whole, len(long_log))
    cuts = set(
        random.Random(0).sample(
            range(len(long_log)), sized(150, 2_000, len(long_log), of="cuts of a toy log")
        )
    )
    cuts |= {place + near for place in last for near in (-1, 0)}
    for cut in sampled(sorted(cuts), 200, of="prefixes of a toy log"):
        found = outcome(long_log[:cut])
        if cut < whole.record_offsets[0]:
            assert isinstance(found, CorruptLogError)
            continue
        assert isinstance(found, Scan)
        assert found.damage is None
        count = sum(end <= cut for end in last)
        assert len(found.records) == count
        assert found.records == whole.records[:count]
        assert (found.torn is None) == (cut in last or cut == whole.record_offsets[0])


def test_d1_torn_file_is_repaired_only_on_first_opening(tmp_path: Path, long_log: bytes) -> None:
    path = tmp_path / "torn.fplog"
    path.write_bytes(long_log[:-5])
    match = Match.resume(path, TOY)
    assert "was interrupted" in match.dropped_text
    assert match.seq == 199
    match.close()
    once = path.read_bytes()
    again = Match.resume(path, TOY)
    again.close()
    assert again.dropped_text == ""
    assert path.read_bytes() == once


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.series("D2")
def test_d2_every_flipped_bit_of_a_short_log_is_detected() -> None:
    data = bytes_of(match_of(9))
    whole = scan("test", data)
    for bit in range(0, len(data) * 8, sized(23, 1, of="one of so many bits of a short toy log")):
        found = outcome(flipped(data, bit))
        damage = found.damage if isinstance(found, Scan) else found
        assert damage is not None, f"bit {bit} is not noticed"
        expected = sum(start <= bit // 8 for start in whole.record_offsets) - 1
        assert damage.record == expected
        assert expected < 0 or damage.offset == whole.record_offsets[expected]


@pytest.mark.series("D2")
def test_d2_random_flipped_bits_of_a_long_log_are_detected() -> None:
    data = bytes_of(match_of(499))
    rng = random.Random(2)
    for _ in range(sized(40, 400, 10_000, of="bits of a long toy log")):
        found = outcome(flipped(data, rng.randrange(len(data) * 8)))
        assert not isinstance(found, Scan) or (found.damage is not None and found.torn is None)


@pytest.mark.series("D3")
@pytest.mark.parametrize("size", [SECTOR, 4096])
@pytest.mark.parametrize("seed", range(4))
def test_d3_a_lost_sector_is_torn_only_in_the_last_record(size: int, seed: int) -> None:
    data = bytes_of(match_of(60 + seed, seed))
    whole = scan("test", data)
    for start in range(0, len(data), size):
        zeroed = data[:start] + bytes(len(data[start : start + size])) + data[start + size :]
        found = outcome(zeroed)
        first = sum(end <= start for end in ends(whole, len(data)))
        if start < whole.record_offsets[0]:
            assert isinstance(found, CorruptLogError)
            continue
        assert isinstance(found, Scan)
        assert len(found.records) == first
        if first == len(whole.records) - 1:
            assert found.torn is not None
            assert found.damage is None
        else:
            assert found.torn is None
            assert found.damage is not None
            assert found.damage.offset == whole.record_offsets[first]


def test_d3_trailing_zeros_after_an_unfinished_write_are_a_torn_end(long_log: bytes) -> None:
    for length in (1, 7, 8, 100, 5000):
        found = scan("test", long_log + bytes(length))
        assert found.damage is None
        assert found.torn is not None
        assert found.torn.dropped_bytes == length


def test_garbage_after_the_last_record_is_refused(long_log: bytes) -> None:
    found = scan("test", long_log + b"these bytes are no record at all")
    assert found.torn is None
    assert found.damage is not None
    assert found.damage.record == 201


def test_frames_do_not_end_near_sector_boundaries() -> None:
    for end in range(3 * SECTOR):
        place = (end + padding_bytes(end)) % SECTOR
        assert 8 <= place <= SECTOR - 8
        assert padding_bytes(end) < 16


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 something else", "not a flagplot record file"),
        (b"\x8fFPLOG\r\n\x00", "ends within its header"),
    ],
)
def test_other_file_types_are_refused_in_one_sentence(
    tmp_path: Path, data: bytes, words: str
) -> None:
    path = tmp_path / "other.fplog"
    path.write_bytes(data)
    with pytest.raises(CorruptLogError, match=words):
        read_log(path)


def test_a_newer_format_is_refused() -> None:
    match = match_of(1)
    newer = msgspec.structs.replace(match.header, format=2)
    with pytest.raises(CorruptLogError, match="format 2 is unknown"):
        scan("test", pack_head(newer))


def test_records_out_of_order_are_refused() -> None:
    match = match_of(8)
    data = pack_head(match.header)
    for record in (*match.records[:3], match.records[4]):
        data += pack_frame(record, len(data))
    found = scan("test", data)
    assert found.damage is not None
    assert "record 4" in found.damage.problem


def test_salvage_copies_the_intact_records_to_a_new_file(tmp_path: Path, long_log: bytes) -> None:
    whole = scan("test", long_log)
    bad, good = tmp_path / "bad.fplog", tmp_path / "good.fplog"
    bad.write_bytes(flipped(long_log, whole.record_offsets[50] * 8 + 900))
    with pytest.raises(CorruptLogError, match="record 50 at byte"):
        LogWriter.open(bad)
    assert len(salvage(bad, good).records) == 50
    assert read_log(good).records == whole.records[:50]
    assert bad.read_bytes() != long_log
    with pytest.raises(StorageError, match="already exists"):
        salvage(bad, good)


def test_a_second_writer_is_refused_until_the_first_closes(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = new_match(LogWriter.create(path))
    for attempt in (LogWriter.open, LogWriter.create):
        with pytest.raises(LogInUseError):
            attempt(path)
    match.close()
    with pytest.raises(StorageError, match="already exists"):
        LogWriter.create(path)
    again = Match.resume(path, TOY)
    play(again, 5)
    again.close()
    assert read_log(path).records == again.records


def test_resume_requires_the_right_kind_of_copy(tmp_path: Path) -> None:
    match = match_of(3)
    full, seat = tmp_path / "full.fplog", tmp_path / "seat.fplog"
    write_log(full, match.header, match.records)
    write_log(seat, match.redacted_header(RED), list(match.redacted_records(RED)))
    with pytest.raises(MatchError, match="redacted copy"):
        Match.resume(seat, TOY)
    with pytest.raises(MatchError, match="the full copy"):
        Follower.resume(full, TOY)
    with pytest.raises(StorageError, match="there is no file"):
        Match.resume(tmp_path / "none.fplog", TOY)
    assert not list(tmp_path.glob("none*"))


@pytest.mark.parametrize("audience", AUDIENCES)
def test_follower_resumes_its_own_file(tmp_path: Path, audience: object) -> None:
    role = next(each for each in AUDIENCES if each == audience)
    path = tmp_path / "seat.fplog"
    match = match_of(30)
    copy = Follower.create(TOY, match.redacted_header(role), LogWriter.create(path))
    for record in list(match.redacted_records(role))[:20]:
        copy.receive(record)
    copy.close()
    again = Follower.resume(path, TOY)
    for record in match.redacted_records(role, again.seq):
        again.receive(record)
    assert again.own_view_digest() == match.view_digest(role)
    again.close()


class OlderToy(ToyGame):
    version = 0


@pytest.mark.parametrize(("rules", "changed"), [(TOY, False), (OlderToy(), True)])
def test_changed_rules_are_reported_on_resume(
    tmp_path: Path, rules: ToyGame, changed: bool
) -> None:
    path = tmp_path / "old.fplog"
    position = rules.position("short", {})
    Match.create(rules, position, "short", {}, (), SECRET, LogWriter.create(path)).close()
    resumed = Match.resume(path, TOY)
    resumed.close()
    assert resumed.rules_changed is changed


def play_until_refused(match: Match[ToyState], steps: int) -> tuple[list[Record], str]:
    """Return the acknowledged records and the disk's error message, empty if there was none."""
    acknowledged = list(match.records)
    rng = random.Random(len(acknowledged))
    try:
        for _ in range(steps):
            step(match, rng)
            acknowledged.append(match.records[-1])
    except StorageError as error:
        return acknowledged, str(error)
    return acknowledged, ""


@pytest.mark.series("D6")
@pytest.mark.parametrize(
    "fault", ["ENOSPC", "EIO-write", "EIO-sync", "SHORT", "EINTR", "EROFS", "EMFILE"]
)
def test_d6_failing_call_keeps_acknowledged_records(tmp_path: Path, fault: str) -> None:
    for at in range(40):
        path = tmp_path / f"{fault}-{at}.fplog"
        files = FaultyFiles(at, fault)
        try:
            match = new_match(LogWriter.create(path, files), "long")
        except StorageError:
            assert not path.exists() or len(read_log(path).records) == 1
            continue
        acknowledged, refusal = play_until_refused(match, 12)
        assert match.records == acknowledged
        if refusal:
            assert f"made to fail with {fault}" in refusal
            assert "accepts no more records" in play_until_refused(match, 1)[1]
        match.close()
        kept = read_log(path).records
        assert kept[: len(acknowledged)] == acknowledged
        assert len(kept) <= len(acknowledged) + 1
        if not files.hit:
            assert len(kept) == 13
            return
        assert bool(refusal) == (fault not in {"SHORT", "EINTR"})
    pytest.fail("no run finished untouched")


@pytest.mark.series("D6")
@pytest.mark.parametrize("fault", ["EIO-sync", "EMFILE"])
def test_d6_torn_file_that_cannot_be_truncated_is_not_opened(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "torn.fplog"
    data = bytes_of(match_of(5))
    path.write_bytes(data[:-3])
    with pytest.raises(StorageError, match="made to fail"):
        LogWriter.open(path, FaultyFiles(0, fault))
    LogWriter.open(path).close()


@pytest.mark.series("D6")
@pytest.mark.parametrize("fault", ["ENOSPC", "EIO-sync"])
def test_d6_recovered_log_continues_with_all_acknowledged_records(
    tmp_path: Path, fault: str
) -> None:
    match = new_match(LogWriter.create(tmp_path / "game.fplog"), "long")
    writer = match._log
    assert isinstance(writer, LogWriter)
    for at in range(4):
        writer._files = FaultyFiles(at % 2, fault)
        acknowledged, refusal = play_until_refused(match, 12)
        assert refusal
        for trouble in ("ENOSPC", "EIO-sync", "EMFILE"):
            writer._files = FaultyFiles(0, trouble)
            with pytest.raises(StorageError, match="cannot write"):
                match.recover()
            assert "accepts no more records" in play_until_refused(match, 1)[1]
            assert read_log(writer.path).records[: len(acknowledged)] == acknowledged
        writer._files = FILES
        match.recover()
        assert read_log(writer.path).records == acknowledged
    play(match, 3, 1)
    match.close()
    assert read_log(writer.path).records == match.records
    assert read_log(writer.path).torn is None


@pytest.mark.parametrize("harm", ["replaced", "cut"])
def test_log_changed_by_another_program_is_not_recovered(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "game.fplog"
    match = new_match(LogWriter.create(path, FaultyFiles(3, "ENOSPC")), "long")
    assert play_until_refused(match, 12)[1]
    content = path.read_bytes()
    if harm == "replaced":
        path.unlink()
    path.write_bytes(content if harm == "replaced" else content[:-9])
    found = path.read_bytes()
    with pytest.raises(StorageError, match="accepts no more records"):
        match.recover()
    assert path.read_bytes() == found
    match.close()


def test_oversized_record_is_refused_before_writing(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    match = new_match(LogWriter.create(path))
    size = path.stat().st_size
    event = msgspec.structs.replace(match.records[0].events[0], body=bytes(5 << 20))
    writer = match._log
    assert writer is not None
    with pytest.raises(StorageError, match="too long"):
        writer.append(msgspec.structs.replace(match.records[0], events=(event,)))
    assert path.stat().st_size == size
    match.close()


@settings(max_examples=sized(15, 40, 1_000))
@given(st.integers(0, 10_000), st.integers(0, 60), st.sampled_from(AUDIENCES))
def test_written_records_read_back_equal(seed: int, steps: int, audience: object) -> None:
    match = new_match()
    play(match, steps, seed, takebacks=0.1)
    role = next(each for each in AUDIENCES if each == audience)
    for header, records in (
        (match.header, list(match.records)),
        (match.redacted_header(role), list(match.redacted_records(role))),
    ):
        data = log_bytes(header, records)
        found = scan("test", data)
        assert (found.header, list(found.records)) == (header, records)
        assert found.intact_bytes == len(data)
        assert [decode_record(encode_record(record)) for record in records] == records


def test_finished_game_resumes_but_accepts_no_more_records() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "over.fplog"
        finished(LogWriter.create(path)).close()
        match = Match.resume(path, TOY)
        assert match.is_revealed
        with pytest.raises(MatchError):
            match.take_back(0)
        match.close()
