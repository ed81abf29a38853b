"""A file that already has the name under which a seat's program first writes its master key."""

import os
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.journal.private_file import SUFFIX, PrivateFile
from saves.fair.secrets import MASTER_BYTES


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
@pytest.mark.parametrize("is_link", [False, True], ids=["readable", "linked"])
def test_an_existing_partial_file_does_not_expose_the_master_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_link: bool
) -> None:
    """Another user who may write to the folder has created ``MATCH.ROLE.seat7.part``."""
    path = tmp_path / f"match.red{SUFFIX}"
    part, elsewhere = path.with_name(f"{path.name}.part"), tmp_path / "elsewhere"
    (elsewhere if is_link else part).touch()
    (elsewhere if is_link else part).chmod(0o644)
    if is_link:
        part.symlink_to(elsewhere)
    master = bytes(range(MASTER_BYTES))
    monkeypatch.setattr("netplay.journal.private_file.secrets.token_bytes", lambda _: master)
    private = PrivateFile(path, "match", Role("red"))
    private.enrol()
    private.close()
    assert not path.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600
    for file in tmp_path.iterdir():
        if file.is_file() and file.stat().st_size:
            assert not file.stat().st_mode & 0o077, file.name
