"""The program's entry point.

If there is too little memory, or if the system is not supported, it reports this before anything large is imported.
"""

import os
import sys
from typing import NoReturn

_MEGABYTE = 1 << 20
MIN_MEGABYTES = 64
"""Address space, in MB, that a command needs at least in order to be loaded."""
_REFUSED = 3
_TOO_LITTLE_MEMORY = b"Error: there is not enough memory to start\n"
_UNSUPPORTED_SYSTEM = (
    b"Error: flagplot runs on Linux and macOS only; on Windows, use it inside WSL"
    b" (Windows Subsystem for Linux)\n"
)


def main() -> None:
    """Run the command line if the system is supported and there is enough memory."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such module
        _exit_with_message(_UNSUPPORTED_SYSTEM)
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < MIN_MEGABYTES * _MEGABYTE:
        _exit_with_message(
            f"Error: flagplot needs {MIN_MEGABYTES} MB of memory, but this account is limited to"
            f" {limit // _MEGABYTE} MB\n".encode()
        )
    try:
        from tools.cli import main as run
    except MemoryError:
        _exit_with_message(_TOO_LITTLE_MEMORY)
    run()


def _exit_with_message(message: bytes) -> NoReturn:
    if sys.stdout is not None:
        sys.stdout.flush()
    os.write(2, message)
    os._exit(_REFUSED)
