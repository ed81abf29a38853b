"""Locks a folder, so that only one host at a time can serve the folder."""

from pathlib import Path
from typing import Final

import structlog
from filelock import FileLock

from netplay.wire.errors import FolderInUseError
from saves.errors import LogInUseError, StorageError
from saves.files import make_folder
from saves.logfile import lock_path

log = structlog.get_logger()

_LOCKED: Final = "host"
"""Name of the lock file (``host.lock``) without its suffix. The lock ends with the process."""


def lock_folder(folder: Path) -> FileLock | None:
    """Lock a hosting folder and return the lock, or None if the folder is not writable.

    Without the lock, a second host would overwrite the first host's address, and players would look for the first
    host's matches at the wrong address. If the folder is read-only, the address cannot be overwritten, so no lock is
    needed. Its matches can still be read and watched.

    Raises:
        FolderInUseError: Another host is using the folder.
        StorageError: The folder cannot be created.
    """
    make_folder(folder)
    try:
        return lock_path(folder / _LOCKED)
    except LogInUseError as error:
        raise FolderInUseError from error
    except StorageError as error:
        log.warning("folder_lock_failed", error=str(error))
        return None
