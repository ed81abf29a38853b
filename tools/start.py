"""The program's entry point. If there is too little memory, it reports this before anything large is imported."""

import os
import resource
import sys

_MEGABYTE = 1 << 20
MIN_MEGABYTES = 64
"""Minimum address space, in MB, with which any command can be loaded."""
_REFUSED = 3
_TOO_LITTLE_MEMORY = b"Error: there is not enough memory to start\n"


def main() -> None:
    """Run the command line if there is enough memory."""
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


def _exit_with_message(message: bytes) -> None:
    if sys.stdout is not None:
        sys.stdout.flush()
    os.write(2, message)
    os._exit(_REFUSED)
