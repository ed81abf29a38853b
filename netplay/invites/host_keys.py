"""Loads the keys in a hosting folder, or creates them when the folder is first used."""

import datetime as dt
from pathlib import Path
from typing import Final

import msgspec

from engine.kernel.errors import DataError
from netplay.invites import identity
from saves.errors import StorageError
from saves.files import FILES, make_folder, replace_file

IDENTITY_FILE: Final = "host.identity"


def load_authority(folder: Path) -> identity.Authority:
    """Return the keys in a hosting folder. If there are none, create them.

    Raises:
        StorageError: The keys cannot be read or written.
        DataError: The keys are damaged or, according to this machine's clock, not valid now.
    """
    path = folder / IDENTITY_FILE
    make_folder(folder)
    try:
        if path.exists():
            authority = msgspec.json.decode(path.read_bytes(), type=identity.Authority)
            problem = identity.check_authority(authority, dt.datetime.now(dt.UTC))
            if problem:
                raise DataError(str(path), "", problem)
            return authority
        authority = identity.new_authority(dt.datetime.now(dt.UTC))
        replace_file(FILES, path, msgspec.json.encode(authority))
    except OSError as error:
        raise StorageError(f"cannot save {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise DataError(str(path), "", "the key file of this host is damaged") from error
    return authority
