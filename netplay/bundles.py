"""What is kept when two copies of a game differ: the ends of both logs, side by side."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.ids import Role
from netplay.identity import SPECTATOR
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file
from saves.headers import Header

MOST_BUNDLES: Final = 4
"""Of each seat of a match; a peer can neither fill the disk with them nor keep those of others out."""
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
    """Write a bundle, readable for its owner only, and return its path; what was kept first stays.

    Raises:
        StorageError: The disk refused, or the folder holds too many bundles of this seat already.
    """
    seat = role or SPECTATOR
    start = f"{header.match_id}.{seat}."
    path = folder / f"{start}{max(seq, 0)}{SUFFIX}"
    if path.exists():
        return path
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
        kept = [one for one in folder.iterdir() if one.name.startswith(start)]
        if len(kept) >= MOST_BUNDLES:
            raise StorageError(f"{folder} holds {MOST_BUNDLES} bundles of {seat} already")
        replace_file(FILES, path, msgspec.json.encode(bundle))
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def read_bundle(path: Path) -> Bundle:
    """Return a bundle from its file."""
    return msgspec.json.decode(path.read_bytes(), type=Bundle)
