"""What is kept when two copies of a game differ: the ends of both logs, side by side."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.ids import Role
from netplay.identity import SPECTATOR
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file
from saves.records import Header

MOST_BUNDLES: Final = 50
"""Per folder; a peer cannot fill the disk with them."""
SUFFIX: Final = ".differs.json"


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One copy: the digest of its view and its last records, as that seat may see them."""

    digest: bytes | None
    records: tuple[bytes, ...]


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """Both copies at the record after which they differ."""

    match: str
    game: str
    rules_version: int
    data_digest: str
    role: str
    seq: Annotated[int, msgspec.Meta(ge=-1)]
    host: Side
    peer: Side


def write_bundle(
    folder: Path, header: Header, role: Role | None, seq: int, host: Side, peer: Side
) -> Path:
    """Write a bundle, readable for its owner only, and return its path.

    Raises:
        StorageError: The disk refused, or the folder holds too many bundles already.
    """
    seat = role or SPECTATOR
    path = folder / f"{header.match_id}.{seat}.{max(seq, 0)}{SUFFIX}"
    bundle = Bundle(
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
        if sum(1 for _ in folder.glob(f"*{SUFFIX}")) >= MOST_BUNDLES:
            raise StorageError(f"{folder} holds {MOST_BUNDLES} bundles already")
        replace_file(FILES, path, msgspec.json.encode(bundle))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def read_bundle(path: Path) -> Bundle:
    """Return a bundle from its file."""
    return msgspec.json.decode(path.read_bytes(), type=Bundle)
