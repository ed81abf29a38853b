"""A headless host with its workers as the system sees them: memory, open files, log."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from netplay.system.core_dumps import KEEP
from tools.bench.processes import environment

_PATIENCE_SECONDS: Final = 60.0
_KIB: Final = 1024
_HOST: Final = "from tools.cli import main\nmain()\n"


class HostProcess:
    """A host with its workers, as the system sees them."""

    def __init__(self, folder: Path, port: int, workers: int) -> None:
        """Start one in a folder that holds matches, and wait until it listens."""
        self.log = folder / "log"
        self._process, _ = started_host(folder, port, workers)

    def stop(self) -> None:
        """End it as a service does, and let go of it."""
        ended(self._process)

    @property
    def processes(self) -> tuple[int, ...]:
        """Return the numbers of all its processes."""
        own = self._process.pid
        return (own, *_children(own))

    @property
    def resident_kib(self) -> int:
        """Return the resident memory of all its processes."""
        pages = os.sysconf("SC_PAGE_SIZE") // _KIB
        return sum(_pages(process) for process in self.processes) * pages

    @property
    def files(self) -> int:
        """Return how many descriptors all its processes have open."""
        return sum(len(_listed(Path(f"/proc/{process}/fd"))) for process in self.processes)


def started_host(
    folder: Path, port: int, workers: int, *words: str
) -> tuple["subprocess.Popen[str]", Mapping[str, str]]:
    """Start a host process; returns it with the invites that it wrote, by role, once it listens."""
    command = [
        *(sys.executable, "-c", _HOST, "host", *words, "--headless", "--json"),
        *("--listen", f"127.0.0.1:{port}", "--folder", str(folder), "--workers", str(workers)),
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**environment(), KEEP: "1"},  # else nobody may count its descriptors
        )
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    return process, {invite["role"]: invite["path"] for invite in told["invites"]}


def ended(process: "subprocess.Popen[str]") -> None:
    """End a host process as a service does."""
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=_PATIENCE_SECONDS)


def _children(process: int) -> Iterator[int]:
    for task in _listed(Path(f"/proc/{process}/task")):
        yield from map(int, _read(task / "children").split())


def _pages(process: int) -> int:
    words = _read(Path(f"/proc/{process}/statm")).split()
    return int(words[1]) if words else 0


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""
