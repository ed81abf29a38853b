"""Replaces standard streams that the caller, such as a service manager, cron or a wrapper script, has closed."""

import os
import sys


def open_missing_streams() -> bool:
    """Open the null device for each missing standard stream. Return whether stdout was missing.

    If stdin is missing, it reads as empty. Without this function, a record file could be opened with a missing stream's
    descriptor, and printed text would be written into the record.
    """
    is_output_missing = sys.stdout is None
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            flags = os.O_RDONLY if handle == 0 else os.O_WRONLY
            opened = os.open(os.devnull, flags)
            if opened != handle:
                os.dup2(opened, handle)
                os.close(opened)
            os.set_inheritable(handle, True)  # worker processes inherit all three streams
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
    return is_output_missing
