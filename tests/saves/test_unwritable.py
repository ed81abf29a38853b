"""Records on a full or read-only disk can be read, and continue when the disk accepts records again."""

import errno
import os
from pathlib import Path

import pytest
from filelock import FileLock
from typing_extensions import override

from saves import logfile
from saves.disk_trouble import disk_trouble
from saves.errors import CorruptLogError, LogInUseError, StorageError
from saves.files import FILES, Files, replace_file
from saves.logfile import LogWriter, read_log
from saves.match import Match
from tests.saves.play import new_match, play
from tests.toy_game import TOY, ToyState


class Unwritable(Files):
    """A disk that accepts nothing until it is writable again."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_writable = False

    def _check(self) -> None:
        if not self.is_writable:
            raise OSError(self.number, os.strerror(self.number))

    @override
    def open(self, path: Path, flags: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            self._check()
        return super().open(path, flags)

    @override
    def write(self, handle: int, data: memoryview) -> int:
        self._check()
        return super().write(handle, data)


@pytest.fixture(params=[errno.EROFS, errno.ENOSPC], ids=["read-only", "full"])
def disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Unwritable:
    files = Unwritable(request.param)
    monkeypatch.setattr(logfile, "FILES", files)
    monkeypatch.setattr(LogWriter.open.__func__, "__defaults__", (files,))  # type: ignore[attr-defined]  # it is a class method
    lock = FileLock.acquire

    def acquire(self: FileLock) -> object:
        files._check()
        return lock(self)

    monkeypatch.setattr(FileLock, "acquire", acquire)
    return files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "m.fplog"
    match = new_match(LogWriter.create(path), "long")
    play(match, 20, 1)
    match.close()
    return path


def opened(path: Path) -> Match[ToyState]:
    return Match.resume(path, TOY, must_write=False)


def test_record_on_an_unwritable_disk_is_readable_but_refuses_commands(
    path: Path, disk: Unwritable
) -> None:
    with pytest.raises(StorageError):
        Match.resume(path, TOY)
    match = opened(path)
    assert match.seq == 20
    assert match.trouble == {errno.EROFS: "read-only", errno.ENOSPC: "full"}[disk.number]
    role = match.asked[0]
    for _ in range(2):
        with pytest.raises(StorageError, match=os.strerror(disk.number)):
            match.submit(role, TOY.decision(match.state, role).default, match.seq)
        with pytest.raises(StorageError):
            match.recover()
    assert match.seq == 20
    match.close()


def test_record_continues_after_the_disk_becomes_writable(path: Path, disk: Unwritable) -> None:
    match = opened(path)
    disk.is_writable = True
    match.recover()
    assert match.trouble == ""
    with pytest.raises(LogInUseError):
        Match.resume(path, TOY)
    play(match, 3, 2)
    match.close()
    assert len(read_log(path).records) == 24


def test_record_continued_by_another_program_is_not_recovered(path: Path, disk: Unwritable) -> None:
    match = opened(path)
    disk.is_writable = True
    other = Match.resume(path, TOY)
    with pytest.raises(StorageError, match="is already open in this program"):
        match.recover()
    play(other, 1, 3)
    other.close()
    with pytest.raises(StorageError, match="another program has written to the file"):
        match.recover()
    match.close()
    Match.resume(path, TOY).close()


def test_torn_end_is_truncated_after_the_disk_becomes_writable(
    path: Path, disk: Unwritable
) -> None:
    path.write_bytes(path.read_bytes()[:-5])
    match = opened(path)
    assert (match.seq, bool(match.dropped_text)) == (19, True)
    disk.is_writable = True
    match.recover()
    play(match, 1, 4)
    match.close()
    found = read_log(path)
    assert (len(found.records), found.torn) == (21, None)


def test_damaged_or_missing_record_is_refused_on_any_disk(path: Path, disk: Unwritable) -> None:
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(CorruptLogError):
        opened(path)
    path.unlink()
    with pytest.raises(StorageError, match="there is no file"):
        opened(path)


def test_failed_write_leaves_no_partial_file(tmp_path: Path) -> None:
    class Full(Files):
        @override
        def write(self, handle: int, data: memoryview) -> int:
            super().write(handle, data[:3])
            raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "file"
    replace_file(FILES, path, b"older")
    with pytest.raises(OSError, match="No space"):
        replace_file(Full(), path, b"newer")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"older"


def test_failed_recovery_leaves_no_partial_file(path: Path) -> None:
    class Full(Files):
        fails = 2

        @override
        def write(self, handle: int, data: memoryview) -> int:
            if self.fails:
                self.fails -= 1
                super().write(handle, data[:3])
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(handle, data)

    match = Match.resume(path, TOY)
    assert isinstance(match._log, LogWriter)
    match._log._files = Full()
    role = match.asked[0]
    default = TOY.decision(match.state, role).default
    with pytest.raises(StorageError):
        match.submit(role, default, match.seq)
    assert match.trouble == "full"
    with pytest.raises(StorageError):
        match.recover()
    assert not list(path.parent.glob("*.part"))
    match.recover()
    match.submit(role, default, match.seq)
    match.close()


@pytest.mark.parametrize(
    ("number", "trouble"),
    [
        (errno.ENOSPC, "full"),
        (errno.EDQUOT, "full"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "refuses"),
    ],
)
def test_disk_trouble_is_derived_from_the_error_cause(number: int, trouble: str) -> None:
    error = StorageError("cannot write")
    error.__cause__ = OSError(number, "whatever")
    assert disk_trouble(error) == trouble
    assert disk_trouble(StorageError("cannot write")) == "refuses"
