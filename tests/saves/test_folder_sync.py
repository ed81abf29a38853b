"""A folder whose entries cannot be synced still keeps records: older SMB, some FUSE and WSL mounts."""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from saves import files
from saves.errors import StorageError
from saves.files import FILES, replace_file
from saves.logfile import LogWriter, read_log
from tests.saves.play import finished


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    files._log_unsupported_sync.cache_clear()
    yield
    files._log_unsupported_sync.cache_clear()


@pytest.fixture
def folder_error(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Let every sync, or opening, of a folder fail with an error number that the test chooses."""
    numbers: dict[str, int] = {}
    sync, opened = os.fsync, os.open

    def fsync(handle: int) -> None:
        if "fsync" in numbers and stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(numbers["fsync"], os.strerror(numbers["fsync"]))
        sync(handle)

    def open_(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if "open" in numbers and flags & os.O_DIRECTORY:
            raise OSError(numbers["open"], os.strerror(numbers["open"]))
        return opened(path, flags, mode)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "open", open_)
    return numbers


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("fsync", errno.EINVAL),
        ("fsync", errno.ENOTSUP),
        ("fsync", errno.ENOSYS),
        ("open", errno.EACCES),
    ],
)
def test_record_is_stored_when_the_folder_cannot_be_synced(
    tmp_path: Path, folder_error: dict[str, int], call: str, number: int
) -> None:
    folder_error[call] = number
    path = tmp_path / "game.fplog"
    structlog.configure()
    try:
        with capture_logs() as logs:
            match = finished(LogWriter.create(path))
            match.close()
            replace_file(FILES, tmp_path / "other", b"content")
    finally:
        structlog.reset_defaults()
    assert len(read_log(path).records) == match.seq + 1
    assert (tmp_path / "other").read_bytes() == b"content"
    noted = [entry for entry in logs if entry["event"] == "folder_sync_failed"]
    assert [entry["error"] for entry in noted] == [os.strerror(number)]


def test_other_folder_sync_errors_are_raised(tmp_path: Path, folder_error: dict[str, int]) -> None:
    folder_error["fsync"] = errno.EIO
    with pytest.raises(StorageError, match="Input/output error"):
        finished(LogWriter.create(tmp_path / "game.fplog"))


def test_unconfigured_log_prints_nothing(
    tmp_path: Path, folder_error: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    folder_error["fsync"] = errno.EINVAL
    assert not structlog.is_configured()
    replace_file(FILES, tmp_path / "other", b"content")
    assert capsys.readouterr() == ("", "")
