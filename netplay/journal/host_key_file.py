"""Stores the host key that signs the message order, next to the record (``MATCH.host7``, mode 0600)."""

import secrets
from pathlib import Path
from typing import Final

from engine.kernel.errors import DataError
from saves.errors import StorageError
from saves.fair.signing import KEY_BYTES, HostKey
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".host7"


def make_host_key(folder: Path, match_id: str) -> HostKey:
    """Generate the key for a new match and write it to disk.

    Raises:
        StorageError: The file cannot be written.
    """
    path, seed = folder / f"{match_id}{SUFFIX}", secrets.token_bytes(KEY_BYTES)
    try:
        replace_file(FILES, path, seed)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror or error}") from error
    return HostKey(seed)


def read_host_key(folder: Path, match_id: str) -> HostKey:
    """Read a match's key.

    Raises:
        DataError: The file is missing or damaged. The host cannot continue the match without the key.
        StorageError: The file cannot be read.
    """
    path = folder / f"{match_id}{SUFFIX}"
    try:
        seed = read_file(path, KEY_BYTES + 1)
    except FileNotFoundError as error:
        problem = "the host's key is missing; restore it before you continue this match"
        raise DataError(str(path), "", problem) from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    if len(seed) != KEY_BYTES:
        raise DataError(str(path), "", "the host's key is damaged")
    return HostKey(seed)
