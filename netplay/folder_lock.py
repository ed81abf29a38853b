"""The lock of a hosting folder, so that one host at a time serves its matches."""

from pathlib import Path
from typing import Final

import structlog
from filelock import FileLock

from netplay.errors import FolderInUseError
from saves.errors import LogInUseError, StorageError
from saves.files import make_folder
from saves.logfile import locked

log = structlog.get_logger()

_LOCKED: Final = "host"
"""The lock is the file ``host.lock``; the system releases it when the process ends."""


def lock_folder(folder: Path) -> FileLock | None:
    """Return the held lock of a hosting folder, None if the folder takes no files.

    A second host would write its own address over the first one's, and players would look for every match there.
    A folder that takes no files keeps its addresses, and its matches can still be read and watched.

    Raises:
        FolderInUseError: Another host has the folder.
        StorageError: The folder cannot be made.
    """
    make_folder(folder)
    try:
        return locked(folder / _LOCKED)
    except LogInUseError as error:
        raise FolderInUseError from error
    except StorageError as error:
        log.warning("folder_not_locked", error=str(error))
        return None
