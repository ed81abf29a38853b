"""Another user who may write to the hosting folder prepares the file with which the host tests its disk."""

import os
from pathlib import Path

import pytest

from netplay.system.disk_state import check_folder


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need special rights on Windows")
def test_disk_check_does_not_follow_symlinks(tmp_path: Path) -> None:
    """The name is known in advance: it contains only the number of the host's process."""
    folder, elsewhere = tmp_path / "host", tmp_path / "record.fplog"
    folder.mkdir()
    elsewhere.write_bytes(b"a record outside the folder")
    (folder / f".disk-test-{os.getpid()}").symlink_to(elsewhere)
    check_folder(folder)
    assert elsewhere.read_bytes() == b"a record outside the folder"
    assert not list(folder.iterdir())
