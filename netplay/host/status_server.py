"""Provides the status of a running host through a socket in its folder.

Each connection to the socket (``host.status``, mode 0600) receives one JSON object and is then closed. The object
contains no hands, invites, keys or player addresses. If the hosting folder is not writable, the socket is created in a
folder that only this account can access.
"""

import asyncio
import contextlib
import os
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine.kernel.errors import DataError, FlagplotError
from netplay.discovery.host_address import saved_listen_address
from netplay.host.host import Host
from netplay.host.lobby import LobbyMatch
from netplay.wire.errors import FolderInUseError, NetworkError
from play.clock_readings import ClockReading
from play.seating import ROLE_SEPARATOR
from saves.disk_trouble import Trouble, disk_trouble
from saves.logfile import SUFFIX
from saves.modes import Mode

log = structlog.get_logger()

SOCKET: Final = "host.status"
_MAX_PATH_BYTES: Final = 100
"""Maximum length of a socket path in bytes. Every supported operating system allows this length."""
_ANSWER_SECONDS: Final = 20.0
"""Time limit in seconds for the reply from a host."""
_NO_HOST: Final = "no host is running in this folder"


class SeatStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one person's or bot's seat."""

    roles: str
    """The roles, joined by plus signs."""
    player: str
    is_bot: bool
    is_here: bool
    is_asked: bool
    """True if this seat must make a decision."""
    dials: tuple[ClockReading, ...] = ()
    """The clock readings for the roles in the seat."""


class MatchStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one match."""

    match: str
    game: str
    scenario: str
    """Scenario name; empty if the match began with a custom position."""
    state: str
    """The state of the match: ``waiting`` (not begun), ``open``, ``opening``, ``over`` or ``broken``."""
    heading: str
    """The turn, the phase and the players to move; for a broken match, the cause."""
    seats: tuple[SeatStatus, ...]
    spectators: int
    records: int
    age_seconds: int | None
    """Seconds since the last record; None if the modification time of the file cannot be read."""
    worker: int
    """Number of the worker that runs the match; 0 for the host's own process."""
    disk: Trouble = ""
    """The disk problem: ``full``, ``read-only`` or ``refuses``; empty if there is none."""
    chance: Mode = "host"
    """The mode of the match, as on the command line: ``fair``, ``joint`` or ``host``."""


class WorkerStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of one process that runs matches."""

    worker: int
    """Worker number; 0 for the host's own process."""
    process: int
    """Process id; 0 while the process is not running."""
    matches: int
    died: int
    """Number of times that the process has been restarted."""


class HostStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The status of a running host."""

    process: int
    port: int
    address: str = ""
    """The host's listening address and port; empty if the host runs an earlier version of the program."""
    disk: Trouble = ""
    """The disk problem; empty if there is none."""
    workers: tuple[WorkerStatus, ...]
    matches: tuple[MatchStatus, ...]


def status_of(host: Host, lobby: tuple[LobbyMatch, ...]) -> HostStatus:
    """Build the status of a host.

    Args:
        host: The host.
        lobby: The status of each match.
    """
    return HostStatus(
        process=os.getpid(),
        port=host.port,
        address=host.listen_address,
        disk=next((match.disk for match in lobby if match.disk), "" if lobby else host.disk),
        workers=tuple(
            WorkerStatus(
                worker=worker.number,
                process=worker.process or (0 if host.server is None else os.getpid()),
                matches=len(worker.assignments),
                died=worker.crash_count,
            )
            for worker in host.pool.workers
        ),
        matches=tuple(_match_status(host, match_status) for match_status in lobby),
    )


def _match_status(host: Host, match: LobbyMatch) -> MatchStatus:
    assignment = host.pool.assignments[match.match]
    seats = tuple(
        SeatStatus(
            roles=ROLE_SEPARATOR.join(map(str, seat.party)),
            player="" if seat.bot else seat.player,
            is_bot=bool(seat.bot),
            is_here=seat.is_connected,
            is_asked=seat.is_asked,
            dials=seat.clock_readings,
        )
        for seat in match.seats
        if seat.party != (None,)
    )
    state = "over" if match.is_over else "open" if assignment.is_open else "opening"
    if state == "open" and match.is_waiting:
        state = "waiting"
    return MatchStatus(
        match=match.match,
        game=match.game,
        scenario=match.scenario,
        state="broken" if assignment.error is not None else state,
        heading=match.heading,
        seats=seats,
        spectators=match.spectators,
        records=match.records,
        age_seconds=_age_seconds(host.folder / f"{match.match}{SUFFIX}"),
        worker=assignment.worker.number,
        disk=match.disk,
        chance=match.mode,
    )


def _age_seconds(path: Path) -> int | None:
    try:
        return max(0, round(time.time() - path.stat().st_mtime))
    except OSError:
        return None


@contextlib.contextmanager
def _short_path(path: Path) -> Iterator[str]:
    """Yield a socket path that is short enough for the system, even if the folder's path is too long.

    Raises:
        OSError: The folder cannot be opened, or this system has no shorter path to it.
    """
    if len(os.fsencode(path)) <= _MAX_PATH_BYTES or not sys.platform.startswith("linux"):
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


class StatusServer:
    """Answers requests for a host's status."""

    def __init__(self, path: Path, server: asyncio.Server) -> None:
        """Wrap a server that is already listening. Callers use :meth:`open` instead."""
        self._path = path
        self._server = server

    @classmethod
    async def open(
        cls, folder: Path, status: Callable[[], Awaitable[HostStatus]]
    ) -> "StatusServer | None":
        """Create the socket for a hosting folder. If this fails, log a warning and return None.

        Args:
            folder: The folder that contains the host's matches.
            status: Returns the status of the host.
        """
        path = folder / SOCKET

        async def send_status(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                writer.write(msgspec.json.encode(await status()))
                await writer.drain()
                writer.close()
                await writer.wait_closed()

        try:
            path, listener = _listen_in(folder)
        except OSError as error:
            log.warning("status_server_failed", error=error.strerror or str(error))
            return None
        return cls(path, await asyncio.start_unix_server(send_status, sock=listener))

    async def close(self) -> None:
        """Stop the server and remove the socket."""
        self._server.close()
        with contextlib.suppress(OSError):
            self._path.unlink()


def _private_folders(folder: Path) -> tuple[Path, ...]:
    """Return the socket paths to try if the hosting folder is not writable."""
    name = f"{blake2b(os.fsencode(folder.resolve()), digest_size=8).hexdigest()}.status"
    runtime_dir = os.environ.get("XDG_RUNTIME_DIR")
    runtime_folders = [Path(runtime_dir) / "flagplot"] if runtime_dir else []
    runtime_folders.append(Path(tempfile.gettempdir()) / f"flagplot-{os.geteuid()}")
    return tuple(own_folder / name for own_folder in runtime_folders)


def _is_private(folder: Path) -> bool:
    """Return whether a folder belongs to this account and no other account can access it."""
    try:
        # A symbolic link is not followed, because another account could have placed it there.
        folder_status = folder.lstat()
    except OSError:
        return False
    return (
        stat.S_ISDIR(folder_status.st_mode)
        and folder_status.st_uid == os.geteuid()
        and not folder_status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    )


def _listen_in(folder: Path) -> tuple[Path, socket.socket]:
    """Open the status socket in the hosting folder or, if its disk does not allow this, in a private folder.

    Return the path and the socket.

    Raises:
        OSError: The socket cannot be created, or another host is running in this folder.
    """
    try:
        return folder / SOCKET, _listen(folder / SOCKET)
    except OSError as error:
        # After any error other than a full or read-only disk, another host may be serving this
        # folder, so no second socket is opened.
        if disk_trouble(error) not in {"full", "read-only"}:
            raise
        for path in _private_folders(folder):
            with contextlib.suppress(OSError):
                path.parent.mkdir(mode=0o700, exist_ok=True)
                # Another account could have created the folder in the shared temporary directory
                # first.
                if _is_private(path.parent):
                    return path, _listen(path)
        raise


def _listen(path: Path) -> socket.socket:
    """Open a listening socket that only this account can use.

    Raises:
        OSError: The socket cannot be created, or another host is running in this folder.
    """
    if _is_in_use(path):
        raise OSError("another host is running in this folder")
    # A host that was killed leaves its socket behind, which would make bind() fail.
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _short_path(path) as name:
            listener.bind(name)
        path.chmod(0o600)  # before listening, so that no other account can connect
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def _is_in_use(path: Path) -> bool:
    try:
        with _connect(path):
            return True
    except OSError:
        return False


def _connect(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(_ANSWER_SECONDS)
    try:
        with _short_path(path) as name:
            connection.connect(name)
    except OSError:
        connection.close()
        raise
    return connection


def _connect_to_folder(folder: Path) -> socket.socket:
    """Connect to the host for a folder.

    Raises:
        OSError: No host responds.
    """
    try:
        return _connect(folder / SOCKET)
    except OSError:
        for path in _private_folders(folder):
            if _is_private(path.parent):
                with contextlib.suppress(OSError):
                    return _connect(path)
        raise


def is_hosted(folder: Path) -> bool:
    """Return whether a host that answers status requests is running in this folder."""
    try:
        _connect_to_folder(folder).close()
    except OSError:
        return False
    return True


def folder_in_use(folder: Path) -> FolderInUseError:
    """Build the error about a folder that another host uses.

    It contains that host's process id if the host responds.
    """
    try:
        status = ask_status(folder)
    except FlagplotError:
        saved_address = saved_listen_address(folder)
        return FolderInUseError(
            "" if saved_address is None else f"{saved_address[0]}:{saved_address[1]}"
        )
    return FolderInUseError(status.address or f"port {status.port}", status.process)


def ask_status(folder: Path) -> HostStatus:
    """Return the status of the host running in a folder.

    Raises:
        DataError: No host is running there.
        NetworkError: The host does not respond.
    """
    try:
        connection = _connect_to_folder(folder)
    except OSError as error:
        raise DataError(str(folder), "", _NO_HOST) from error
    with connection:
        try:
            parts = list(iter(lambda: connection.recv(1 << 16), b""))
        except OSError as error:
            raise NetworkError("the host in this folder is not responding") from error
    try:
        return msgspec.json.decode(b"".join(parts), type=HostStatus)
    except msgspec.MsgspecError as error:
        raise NetworkError("the host in this folder exited before finishing its reply") from error
