"""Runs a headless host with workers, and reads their memory use, open files and log from the operating system."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from netplay.system.core_dumps import KEEP_VARIABLE
from tools.bench.processes import environment

_PATIENCE_SECONDS: Final = 60.0
_KIB: Final = 1024
_HOST: Final = "from tools.cli import main\nmain()\n"


class ObservedHost:
    """A host and its workers, observed through the operating system."""

    def __init__(self, folder: Path, port: int, workers: int) -> None:
        """Start a host in a folder with matches, and wait until it is listening."""
        self.log = folder / "log"
        self._process, _ = start_host(folder, port, workers)

    def stop(self) -> None:
        """Stop the host with SIGTERM, as a service manager does."""
        stop_host(self._process)

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of all the host's processes."""
        host_process = self._process.pid
        return (host_process, *_children(host_process))

    @property
    def resident_kib(self) -> int:
        """The total resident memory of the host's processes, in KiB."""
        pages = os.sysconf("SC_PAGE_SIZE") // _KIB
        return sum(_pages(process) for process in self.processes) * pages

    @property
    def files(self) -> int:
        """The total number of open file descriptors in the host's processes."""
        return sum(len(_list_folder(Path(f"/proc/{process}/fd"))) for process in self.processes)


def start_host(
    folder: Path, port: int, workers: int, *arguments: str
) -> tuple["subprocess.Popen[str]", Mapping[str, str]]:
    """Start a host process and wait until it is listening. Return the process and its new invite files by role."""
    command = [
        *(
            sys.executable,
            "-c",
            _HOST,
            "host",
            "open" if arguments else "serve",
            *arguments,
            "--headless",
            "--json",
        ),
        *("--listen", f"127.0.0.1:{port}", "--folder", str(folder), "--workers", str(workers)),
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={
                **environment(),
                KEEP_VARIABLE: "1",
            },  # without this, other processes could not count the host's descriptors
        )
    assert process.stdout is not None
    ready_line = json.loads(process.stdout.readline())
    return process, {invite["role"]: invite["path"] for invite in ready_line["invites"]}


def stop_host(process: "subprocess.Popen[str]") -> None:
    """Stop a host process with SIGTERM, as a service manager does."""
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=_PATIENCE_SECONDS)


def _children(process: int) -> Iterator[int]:
    for task in _list_folder(Path(f"/proc/{process}/task")):
        yield from map(int, _read(task / "children").split())


def _pages(process: int) -> int:
    fields = _read(Path(f"/proc/{process}/statm")).split()
    return int(fields[1]) if fields else 0


def _list_folder(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""
