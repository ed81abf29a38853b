"""Finds the process that has locked a file, and ends it when another login takes over the game."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from saves.errors import LogInUseError

TAKEN_OVER: Final = signal.SIGUSR1
"""Signal that ends a running program, which reports that another login has taken over."""
_LOCKS: Final = Path("/proc/locks")
"""Lists the locks of all processes, on systems that have this file."""
_END_SECONDS: Final = 5.0
"""Time that a program that is still responding has to save and exit."""
_KILLED_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.05


def lock_file(path: Path) -> Path:
    """Return the path of a file's lock."""
    return path.with_name(path.name + ".lock")


def lock_holder(path: Path) -> int:
    """Return the process that holds a file's lock; 0 if none does, or if the system does not report it."""
    try:
        file_status = lock_file(path).stat()
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    lock_key = f"{os.major(file_status.st_dev):02x}:{os.minor(file_status.st_dev):02x}:{file_status.st_ino}"
    for line in lines:
        fields = line.split()
        if "FLOCK" in fields[1:2] and lock_key in fields[4:] and fields[4].isdigit():
            return int(fields[4])
    return 0


def end_holder(path: Path, process: int) -> None:
    """End the program that has locked a file, by force if it hangs.

    This blocks for up to eight seconds. Nothing is lost: every command is already on disk, and a program that is still
    responding also saves its draft.

    Raises:
        LogInUseError: The program could not be ended, or another program has since locked the file.
    """
    with suppress(ProcessLookupError):
        try:
            for signal_number, seconds in (
                (TAKEN_OVER, _END_SECONDS),
                (signal.SIGKILL, _KILLED_SECONDS),
            ):
                if lock_holder(path) != process:
                    break
                os.kill(process, signal_number)
                _wait_until_free(path, process, seconds)
        except PermissionError as error:
            raise LogInUseError(path, process) from error
    holder = lock_holder(path)
    if holder:
        raise LogInUseError(path, holder)


def _wait_until_free(path: Path, process: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while lock_holder(path) == process and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
