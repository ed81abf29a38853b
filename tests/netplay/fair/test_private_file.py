"""The private file of a seat: one master key for one role of one match, used by one program."""

import os
import shutil
from pathlib import Path

import pytest

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.journal.errors import SeatHaltedError, SeatInUseError
from netplay.journal.private_file import SUFFIX, PrivateFile
from saves.errors import StorageError
from tests.saves.faulty_files import FaultyFiles

MATCH, RED, BLUE = "a1b2c3d4", Role("red"), Role("blue")
HEADER, OTHER = bytes(32), bytes([1]) * 32


def place(folder: Path, role: Role = RED, match: str = MATCH) -> Path:
    return folder / f"{match}.{role}{SUFFIX}"


def test_keys_are_generated_once_and_reused(tmp_path: Path) -> None:
    file = PrivateFile(place(tmp_path), MATCH, RED)
    assert not file.is_enrolled
    key = file.enrol().verify_key
    assert file.enrol().verify_key == key
    file.agree(HEADER)
    file.close()
    again = PrivateFile(place(tmp_path), MATCH, RED)
    assert again.enrol().verify_key == key
    assert again.header_hash == HEADER
    again.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_the_file_is_readable_only_by_its_owner(tmp_path: Path) -> None:
    path = place(tmp_path)
    file = PrivateFile(path, MATCH, RED)
    file.enrol()
    assert path.stat().st_mode & 0o777 == 0o600
    file.close()
    path.chmod(0o644)
    PrivateFile(path, MATCH, RED).close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_second_program_is_refused(tmp_path: Path) -> None:
    first = PrivateFile(place(tmp_path), MATCH, RED)
    (tmp_path / "link").symlink_to(place(tmp_path))
    for path in (place(tmp_path), tmp_path / "link"):
        with pytest.raises(SeatInUseError, match="another program is using this seat"):
            PrivateFile(path, MATCH, RED)
    first.close()
    PrivateFile(place(tmp_path), MATCH, RED).close()


def test_a_file_copied_to_another_match_or_role_is_refused(tmp_path: Path) -> None:
    file = PrivateFile(place(tmp_path), MATCH, RED)
    file.enrol()
    file.close()
    for role, match in ((BLUE, MATCH), (RED, "ffff0000")):
        path = place(tmp_path, role, match)
        shutil.copy(place(tmp_path), path)
        with pytest.raises(DataError, match="another match or role"):
            PrivateFile(path, match, role)
        with pytest.raises(DataError):  # and the refusal has released the lock
            PrivateFile(path, match, role)


def test_a_second_header_is_refused(tmp_path: Path) -> None:
    file = PrivateFile(place(tmp_path), MATCH, RED)
    file.enrol()
    file.agree(HEADER)
    file.agree(HEADER)
    with pytest.raises(SeatHaltedError):
        file.agree(OTHER)
    assert file.header_hash == HEADER
    file.close()


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff\xfe", b'{"flagplot_seat": 6}', b"x" * 5_000])
def test_a_damaged_file_is_refused_and_not_replaced(tmp_path: Path, data: bytes) -> None:
    path = place(tmp_path)
    path.write_bytes(data)
    with pytest.raises((DataError, StorageError)):
        PrivateFile(path, MATCH, RED)
    assert path.read_bytes() == data


def test_a_missing_file_is_not_replaced_while_its_journal_exists(tmp_path: Path) -> None:
    file = PrivateFile(place(tmp_path), MATCH, RED)
    file.journal_path.write_bytes(b"journal")
    with pytest.raises(DataError, match="missing"):
        file.enrol()
    assert not file.is_enrolled
    file.close()


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO-sync", "EROFS"])
def test_a_full_disk_prevents_enrolment(tmp_path: Path, fault: str) -> None:
    file = PrivateFile(place(tmp_path), MATCH, RED, FaultyFiles(0, fault))
    with pytest.raises(StorageError, match="on this computer"):
        file.enrol()
    assert not file.is_enrolled
    key = file.enrol().verify_key
    file.files._left, file.files.hit = 0, False  # type: ignore[attr-defined]
    with pytest.raises(StorageError):
        file.agree(HEADER)
    assert file.header_hash == b""
    file.close()
    again = PrivateFile(place(tmp_path), MATCH, RED)
    assert again.enrol().verify_key == key
    again.close()
