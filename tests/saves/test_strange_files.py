"""Special files, links to files, and files that another program changes during a game."""

import os
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from saves.errors import CorruptLogError, LogInUseError, StorageError
from saves.framing import scan
from saves.logfile import (
    MAX_LOG_BYTES,
    LogWriter,
    log_bytes,
    read_header,
    read_leading,
    read_log,
    salvage,
    write_log,
)
from saves.match import Match
from saves.snapshots import read_snapshot, snapshot_path
from tests.saves.play import new_match, play
from tests.toy_game import TOY

SECONDS = 20
"""Seconds: far more than these tests need. Reading byte by byte would take minutes."""


def played(path: Path, steps: int = 6) -> Path:
    match = new_match(LogWriter.create(path), "long")
    play(match, steps, 1)
    match.close()
    return path


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        pytest.param("/dev/zero", "this is not a flagplot record file", id="endless"),
        pytest.param("/dev/null", "the file is empty", id="nothing"),
        pytest.param("pipe", "the file is empty", id="pipe-that-nobody-writes-to"),
        pytest.param("zeros", "this is not a flagplot record file", id="200-MB-of-zeros"),
    ],
)
def test_files_that_are_not_records_are_refused_immediately(
    tmp_path: Path, place: str, problem: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "zeros").open("wb") as file:
        file.truncate(200_000_000)
    began = time.process_time()
    with pytest.raises(CorruptLogError, match=problem):
        read_log(tmp_path / place)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("read", [read_log, read_header, read_leading])
def test_reading_does_not_wait_for_the_writer_of_a_pipe(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    """Another account can leave a pipe in a shared folder, with the name of a record."""
    os.mkfifo(tmp_path / "game.fplog")
    readers = ThreadPoolExecutor(1)
    reading = readers.submit(read, tmp_path / "game.fplog")
    try:
        with pytest.raises(CorruptLogError, match="the file is empty"):
            reading.result(timeout=SECONDS)
    finally:
        # A writer that comes and goes releases a reader that waits.
        with suppress(OSError):
            os.close(os.open(tmp_path / "game.fplog", os.O_WRONLY | os.O_NONBLOCK))
        readers.shutdown()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "game.fplog").mkdir()
    with pytest.raises(StorageError, match=r"cannot read .*game\.fplog: Is a directory"):
        read_log(tmp_path / "game.fplog")


def test_record_can_be_read_from_a_pipe(tmp_path: Path) -> None:
    """This is what the shell's ``flagplot verify <(zcat game.gz)`` does."""
    path = played(tmp_path / "game.fplog")
    reader, writer = os.pipe()
    os.write(writer, path.read_bytes())
    os.close(writer)
    try:
        assert read_log(Path(f"/dev/fd/{reader}")).records == read_log(path).records
    finally:
        os.close(reader)


def test_record_above_the_size_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(tmp_path / "game.fplog")
    monkeypatch.setattr("saves.logfile.MAX_LOG_BYTES", path.stat().st_size - 1)
    with pytest.raises(StorageError, match=r"cannot read .*: it has more than \d+ bytes"):
        read_log(path)


@pytest.mark.parametrize(
    "junk",
    [
        pytest.param(bytes(20_000_000), id="zeros"),
        pytest.param(bytes(600) + os.urandom(1 << 20) * 20, id="zeros-then-noise"),
        pytest.param((bytes(600) + b"\x01" * 3) * 20_000, id="zeros-again-and-again"),
    ],
)
def test_trailing_junk_is_read_in_bounded_time(tmp_path: Path, junk: bytes) -> None:
    good = played(tmp_path / "game.fplog").read_bytes()
    began = time.process_time()
    found = scan("test", good + junk)
    assert time.process_time() - began < SECONDS
    assert found.intact_bytes == len(good)
    assert found.torn is not None
    assert found.torn.dropped_bytes == len(junk)


@pytest.mark.parametrize(("size", "end"), [(48 << 20, b""), (48 << 20, b"x"), (1 << 30, b"")])
def test_sparse_file_is_opened_in_bounded_memory(tmp_path: Path, size: int, end: bytes) -> None:
    path = played(tmp_path / "game.fplog")
    good = path.stat().st_size
    with path.open("ab") as file:
        file.truncate(size)
        file.write(end)
    tracemalloc.start()
    try:
        if size > MAX_LOG_BYTES:
            with pytest.raises(StorageError, match="it has more than"):
                LogWriter.open(path)
        else:
            found = LogWriter.open(path).loaded
            assert found is not None
            assert found.torn is not None
            assert path.stat().st_size == found.intact_bytes == good
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 24 << 20


def test_frame_after_a_gap_of_zeros_is_damage_instead_of_a_torn_end(tmp_path: Path) -> None:
    """There is data after the lost part, so it was not an interrupted write."""
    path = played(tmp_path / "game.fplog", 12)
    data, starts = path.read_bytes(), read_log(path).record_offsets
    lost = starts[3]
    for first in (5, 12):
        holes = data[:lost] + bytes(starts[first] - lost) + data[starts[first] :]
        found = scan("test", holes)
        assert found.torn is None
        assert found.damage is not None
        assert found.damage.record == 3


def test_symlink_shares_the_lock_of_its_target(tmp_path: Path) -> None:
    path = played(tmp_path / "game.fplog")
    link = tmp_path / "link.fplog"
    link.symlink_to(path)
    match = Match.resume(path, TOY)
    with pytest.raises(LogInUseError):
        Match.resume(link, TOY)
    match.close()
    again = Match.resume(link, TOY)
    with pytest.raises(LogInUseError):
        Match.resume(path, TOY)
    play(again, 2, 2)
    again.close()
    assert link.is_symlink()
    assert len(read_log(path).records) == 9


def test_circular_symlinks_are_refused_and_kept(tmp_path: Path) -> None:
    one, other = tmp_path / "one.fplog", tmp_path / "other.fplog"
    one.symlink_to(other)
    other.symlink_to(one)
    for attempt in (LogWriter.create, LogWriter.open):
        with pytest.raises(StorageError):
            attempt(one)
    assert one.is_symlink()
    assert other.is_symlink()


def test_dangling_symlink_is_never_overwritten(tmp_path: Path) -> None:
    path = played(tmp_path / "game.fplog")
    link = tmp_path / "link.fplog"
    link.symlink_to(tmp_path / "unplugged" / "game.fplog")
    log = read_log(path)
    with pytest.raises(StorageError, match="already exists"):
        write_log(link, log.header, log.records)
    with pytest.raises(StorageError, match="already exists"):
        salvage(path, link)
    assert link.is_symlink()
    new_match(LogWriter.create(link)).close()
    assert link.is_symlink()
    assert len(read_log(tmp_path / "unplugged" / "game.fplog").records) == 1


def test_deleted_file_accepts_no_more_records(tmp_path: Path) -> None:
    """Otherwise every further command would be acknowledged and lost."""
    path = played(tmp_path / "game.fplog")
    match = Match.resume(path, TOY)
    path.unlink()
    seq = match.seq
    with pytest.raises(StorageError, match="deleted or replaced by another program"):
        play(match, 1, 2)
    with pytest.raises(StorageError, match="accepts no more records"):
        play(match, 1, 2)
    assert match.seq == seq
    match.close()


def test_replaced_file_accepts_no_more_records(tmp_path: Path) -> None:
    path = played(tmp_path / "game.fplog")
    older = tmp_path / "older"
    older.write_bytes(path.read_bytes())
    match = Match.resume(path, TOY)
    play(match, 3, 2)
    older.replace(path)
    with pytest.raises(StorageError, match="deleted or replaced by another program"):
        play(match, 1, 2)
    match.close()


def test_file_changed_by_another_program_accepts_no_more_records(tmp_path: Path) -> None:
    """A hard link has another name and thus another lock, so the file itself must reveal the change."""
    path = played(tmp_path / "game.fplog")
    link = tmp_path / "link.fplog"
    link.hardlink_to(path)
    match, other = Match.resume(path, TOY), Match.resume(link, TOY)
    play(other, 1, 2)
    kept = path.read_bytes()
    with pytest.raises(StorageError, match="another program has written to the file"):
        play(match, 1, 3)
    assert path.read_bytes() == kept
    match.close()
    play(other, 2, 2)
    assert path.read_bytes() == log_bytes(other.header, other.records)
    other.close()


def test_endless_snapshot_file_is_ignored(tmp_path: Path) -> None:
    path = played(tmp_path / "game.fplog")
    log = read_log(path)
    snapshot_path(path).symlink_to("/dev/zero")
    assert read_snapshot(path, TOY, log.records) is None
    snapshot_path(path).unlink()
    os.mkfifo(snapshot_path(path))
    assert read_snapshot(path, TOY, log.records) is None
