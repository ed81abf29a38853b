"""Saves divergence reports. If two copies of a game differ, the report contains the last records of both logs."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.ids import Role
from netplay.invites.identity import SPECTATOR
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file
from saves.headers import Header

MAX_REPORTS: Final = 4
"""Maximum number of reports per seat in a match, so that no peer can fill the disk."""
SUFFIX: Final = ".differs.json"


class LogEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The records and view digest of one side, the host or the peer. The records are redacted for the seat."""

    digest: bytes | None
    records: tuple[bytes, ...]


class DivergenceReport(msgspec.Struct, frozen=True, kw_only=True):
    """A divergence report, with the last records of both logs up to the record where they differ."""

    match: str
    game: str
    rules_version: int
    data_digest: str
    role: str
    seq: Annotated[int, msgspec.Meta(ge=-1)]
    host: LogEnd
    peer: LogEnd


def write_report(
    folder: Path, header: Header, role: Role | None, seq: int, host: LogEnd, peer: LogEnd
) -> Path:
    """Write a divergence report that only this account can read, and return the path. An existing report is kept.

    Raises:
        StorageError: The write failed, or the folder already contains too many reports for this seat.
    """
    seat = role or SPECTATOR
    prefix = f"{header.match_id}.{seat}."
    path = folder / f"{prefix}{max(seq, 0)}{SUFFIX}"
    if path.exists():
        return path
    report = DivergenceReport(
        match=header.match_id,
        game=header.game,
        rules_version=header.rules_version,
        data_digest=header.data_digest,
        role=seat,
        seq=seq,
        host=host,
        peer=peer,
    )
    make_folder(folder)
    try:
        existing = [entry for entry in folder.iterdir() if entry.name.startswith(prefix)]
        if len(existing) >= MAX_REPORTS:
            raise StorageError(f"{folder} already contains {MAX_REPORTS} reports for {seat}")
        replace_file(FILES, path, msgspec.json.encode(report))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    return path
