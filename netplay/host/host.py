"""Implements the host, which serves many matches at one address. A host runs with or without a screen.

A host uses one folder, which contains its keys in ``host.identity``, one ``.fplog`` file per match, and divergence
reports in ``differs``. Everything that is needed after a restart is stored in this folder, so a restarted host resumes
every match.

This process handles the address, TLS and all connections. The matches run either in this process or in worker
processes. Each message is forwarded to the process that runs the match.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec
import structlog
from filelock import FileLock

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.discovery.announced_addresses import key_id
from netplay.discovery.host_address import save_listen_address
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.host.match_creation import CreatedMatch, NewMatch, write_match
from netplay.invites.host_keys import load_authority
from netplay.invites.identity import SEAT_DAYS, Authority
from netplay.invites.invite import Invite, check_name, url
from netplay.invites.invite_rotation import Party, reissue, save_addresses, seat_keys
from netplay.invites.pending_match_file import SUFFIX as WAITING
from netplay.invites.pending_match_file import pending_files, read_pending
from netplay.journal.host_key_file import SUFFIX as HOST_KEY
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import MatchBackend, MatchOverview, Reply
from netplay.match.match_table import MatchTable
from netplay.system.awake_clock import HEARTBEAT_SECONDS
from netplay.system.folder_lock import lock_folder
from netplay.transport.listener import ConnectionRequest, Listener
from netplay.wire.errors import ForeignError, NetworkError, ProtocolError, SeatRefusedError
from netplay.wire.messages import Bye, Hello, decode_request, encode
from netplay.wire.modes import HOST, Chance
from netplay.workers.admission import RefusalLog
from netplay.workers.match_server import MatchServer, rejection_reply
from netplay.workers.worker_pool import BrokenMatchError, MatchAssignment, WorkerPool
from saves.clocks import Clock
from saves.disk_trouble import Trouble, disk_trouble
from saves.errors import StorageError
from saves.fair.terms import TimeLimits
from saves.headers import Header
from saves.logfile import SUFFIX, read_header

log = structlog.get_logger()

_GOODBYE_SECONDS: Final = 0.2
_DEFAULT_LIMITS: Final = TimeLimits()
_NOT_OPENED: Final = "the host cannot open this match; its log says why"
"""Shown to players instead of the original error message, which may contain file paths on the host's machine."""
_OPENING: Final = "the host is still opening this match; try again in a moment"


class Host:
    """Serves every match in a folder."""

    def __init__(
        self,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        config: HostConfig | None = None,
        workers: int = 1,
    ) -> None:
        """Create a host without starting it.

        Args:
            folder: The folder for keys, records and divergence reports.
            rulesets: Looks up a game's rules.
            config: The host settings; None for the defaults.
            workers: The number of processes that run matches. If it is 1, the matches run in this process.
        """
        self.folder = folder
        self.port = 0
        self.listen_address = ""
        """The host's listening address and port; empty before :meth:`start`."""
        self.addresses: tuple[str, ...] = ()
        """The URLs to which peers connect, as written in invites."""
        self.disk: Trouble = ""
        """The disk problem found when the host started; empty if there was none."""
        self.server = MatchServer(folder, rulesets, config) if workers == 1 else None
        """Runs the matches in this process; None if worker processes run them."""
        self.pool = WorkerPool(folder, config or HostConfig(), self.server, self._on_backend_lost)
        """Assigns each match to the process that runs it."""
        self._process_count = workers if self.server is None else 0
        self._rulesets = rulesets
        self._authority: Authority | None = None
        self._lock: FileLock | None = None
        self._listener = Listener(self._handle, self._on_disconnected)
        self._backends: dict[int, MatchBackend] = {}
        """The backend that runs each connection's match, by connection number."""
        self._authenticated: set[int] = set()
        self._refusals = RefusalLog()
        self._heartbeat_task: asyncio.Task[None] | None = None
        self._stopping = ""
        """The reason why the host is stopping; empty while it is running."""

    @property
    def tables(self) -> dict[str, MatchTable]:
        """Return the open matches in this process, by id."""
        return {} if self.server is None else self.server.tables

    # -- lifecycle

    async def start(
        self, host: str, port: int, *, plain: bool = False, advertise: tuple[str, ...] = ()
    ) -> int:
        """Resume every match in the folder, start listening, and return the port.

        Args:
            host: The address on which to listen.
            port: The port on which to listen; if it is 0, the system chooses one.
            plain: True to disable TLS. Without TLS, anyone on the route can read and change the messages.
            advertise: The names or addresses to write in invites; empty means ``host``.

        Raises:
            AddressError: The address cannot be used, or a name cannot be written in an invite.
            FolderInUseError: Another host is serving this folder.
            StorageError: The keys in the folder cannot be read or written.
            DataError: The keys in the folder are damaged.
            NetworkError: A worker process failed to start.
        """
        names = tuple(map(check_name, advertise or (host,)))
        self._lock = lock_folder(self.folder)
        try:
            self._authority = load_authority(self.folder)
            self.port = self._listener.bind(host, port)
            if self.server is not None:
                self.server.start(self._authority)
            await self.pool.start(self._process_count)
            # The host does not accept connections yet, but peers that connect early wait instead of
            # being refused.
            await self.resume()
            self._listener.start(self._authority, plain=plain)
        except BaseException:
            await self._listener.stop()  # frees the address
            self._unlock()
            raise
        self._heartbeat_task = asyncio.create_task(self._send_heartbeats())
        self.listen_address = f"{host}:{self.port}"
        self.addresses = tuple(url(name, self.port, plain=plain) for name in names)
        self._save_address(host)
        matches = len(self.pool.assignments)
        log.info("host_started", host=host, port=self.port, tls=not plain, matches=matches)
        return self.port

    async def stop(self, reason: str = "the host stops") -> None:
        """Disconnect all peers with the given reason, stop listening, and close every record file."""
        self._stopping = reason
        if self._heartbeat_task is not None:
            self._heartbeat_task.cancel()
        await self.pool.close(reason)
        # Waiting requests are answered with the reason first, and the peers get time to receive it.
        if self._backends:
            await asyncio.sleep(_GOODBYE_SECONDS)
        await self._listener.stop()
        self.pool.assignments.clear()
        self.tables.clear()
        self._unlock()
        if self.listen_address:
            log.info("host_stopped", reason=reason)

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _save_address(self, host: str) -> None:
        """Save the host's listening address. If the disk is full or read-only, only log a warning."""
        try:
            save_addresses(self.folder, self.addresses)
            save_listen_address(self.folder, host, self.port)
        except StorageError as error:
            self.disk = disk_trouble(error)
            log.warning("address_save_failed", error=str(error))

    async def _send_heartbeats(self) -> None:
        """Send heartbeats to the backends while this process is running. Without heartbeats, the match clocks stop."""
        while True:
            for backend in self.pool.backends():
                backend.heartbeat()
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def resume(self) -> tuple[str, ...]:
        """Open all matches in the folder that are not open yet, and return the ids of the opened matches.

        The ids are sorted by the modification time of the matches' files, most recent last. A match that cannot be
        resumed is logged, and its file is not changed.
        """
        assignments: list[MatchAssignment] = []
        records = (*self.folder.glob(f"*{SUFFIX}"), *pending_files(self.folder))
        for path in sorted(records, key=_modified_key):
            if path.stem in self.pool.assignments:
                continue
            try:
                header = _read_header(path)
            except FlagplotError as error:
                log.warning("match_resume_failed", file=path.name, error=str(error))
                continue
            assignments.append(self.pool.assign(header))
        await asyncio.gather(*(assignment.first_load for assignment in assignments))
        return tuple(
            assignment.match for assignment in assignments if self._check_resumed(assignment)
        )

    def _check_resumed(self, assignment: MatchAssignment) -> bool:
        """Return whether a match was resumed, and log the result. Forget the match if its file cannot be opened."""
        if assignment.error is None:
            seq = assignment.records - 1
            log.info("match_resumed", match=assignment.match, game=assignment.header.game, seq=seq)
            return True
        if not assignment.is_broken:
            file = f"{assignment.match}{SUFFIX}"
            log.warning("match_resume_failed", file=file, error=str(assignment.error))
            del self.pool.assignments[assignment.match]
        return False

    @property
    def key_id(self) -> str:
        """Return the id of the key that identifies this host in invites. The host must have been started."""
        assert self._authority is not None, "the host must have been started"
        return key_id(self._authority.authority.certificate)

    def open_match(  # noqa: PLR0913  # one argument per property of a match
        self,
        game: str,
        scenario: str,
        options: Mapping[str, str],
        players: Mapping[Role, str],
        days: int = SEAT_DAYS,
        position: msgspec.Struct | None = None,
        data: bytes = b"",
        chance: Chance = HOST,
        *,
        clock: Clock | None = None,
        limits: TimeLimits = _DEFAULT_LIMITS,
    ) -> CreatedMatch:
        """Create a match and return one invite per role and one for spectators.

        With worker processes, the match may still be opening when this method returns. Use :meth:`wait_until_open` to
        wait for it.

        Args:
            game: Game id.
            scenario: Scenario id.
            options: The options that were set, by name.
            players: The player's name for every role in the scenario, in any order. In team games, all roles with the
                same name form one seat.
            days: Number of days for which the invites are valid.
            position: A custom starting position, already checked. If it is given, the scenario and options are ignored.
            data: Custom data that replaces parts of the game's own data; empty to replace nothing.
            chance: The mode, which determines who generates the randomness.
            clock: Time per role; None for a match without clocks.
            limits: The time limits for messages between the programs; not used if the host generates the randomness.

        Raises:
            DataError: The game, scenario, option or value is unknown, the roles in one seat are on two teams, or the
                data is not valid for the game.
            NetworkError: The seats do not match the scenario.
            StorageError: The match cannot be written to disk.
        """
        assert self._authority is not None, "the host must have been started"
        rules = self._rulesets(game)
        new_match = NewMatch(
            scenario=scenario,
            options=options,
            players=players,
            position=position,
            data=data,
            clock=clock,
            limits=limits,
            days=days,
            chance=chance,
        )
        header, opened = write_match(self.folder, rules, new_match, self._authority, self.addresses)
        assignment = self.pool.assign(header)
        if assignment.error is not None:
            self._remove_files(opened.match)
            raise assignment.error
        seats = tuple(seat.role for seat in header.seats)
        scenario_name = header.scenario
        log.info(
            "match_created", match=opened.match, game=game, scenario=scenario_name, seats=seats
        )
        return opened

    async def wait_until_open(self, match: str) -> None:
        """Wait until peers can join a newly created match.

        Raises:
            FlagplotError: The match could not be opened. Its files have been removed.
        """
        assignment = self.pool.assignments[match]
        await assignment.first_load
        if assignment.error is not None:
            self._remove_files(match)
            raise assignment.error

    def start_bots(self, match: str) -> None:
        """Start the bots in a match. Bots that are already running are not affected."""
        self.pool.start_bots(match)

    async def discard_match(self, match: str) -> None:
        """Remove a match that no peer can have joined yet, and delete its files."""
        await self.pool.discard_match(match, "this match was not opened")
        self._remove_files(match)

    def _remove_files(self, match: str) -> None:
        self.pool.assignments.pop(match, None)
        with contextlib.suppress(OSError):
            for suffix in (SUFFIX, WAITING, HOST_KEY, PENDING):
                (self.folder / f"{match}{suffix}").unlink(missing_ok=True)

    def reissue_invites(
        self, match: str, party: Party, write: Callable[[tuple[Invite, ...]], Path]
    ) -> Path:
        """Give a seat a new key and return the file with the new invites.

        Raises:
            DataError: A bot has the seat.
            FlagplotError: The write failed.
        """
        assert self._authority is not None, "the host must have been started"
        header, keys = self.pool.assignments[match].header, seat_keys(self.folder, match)
        return reissue(self._authority, self.addresses, header, party, keys, write)

    # -- status

    def rules_of(self, header: Header) -> AnyRuleset:
        """Return the rules for a match."""
        return self._rulesets(header.game)

    async def overviews(self) -> dict[str, MatchOverview]:
        """Return the status of every running match, by id."""
        return await self.pool.overviews()

    async def is_done(self) -> bool:
        """Return whether every match is over and no peer is connected."""
        return await self.pool.is_done()

    # -- connections and their frames

    def _on_disconnected(self, connection_id: int) -> None:
        self._authenticated.discard(connection_id)
        backend = self._backends.pop(connection_id, None)
        if backend is not None:
            backend.forget_connection(connection_id)

    def _on_backend_lost(self, backend: MatchBackend) -> None:
        """Close the connections to matches whose process has died. The peers reconnect automatically."""
        for connection_id, connection_backend in tuple(self._backends.items()):
            if connection_backend is backend:
                self._authenticated.discard(connection_id)
                del self._backends[connection_id]
                self._listener.drop(connection_id)

    async def _handle(self, request: ConnectionRequest) -> bytes:
        """Return the reply to a frame from a peer."""
        try:
            reply = await self._answer(request)
        except ForeignError as error:
            reply = rejection_reply(error)
        if reply.refusal:
            self._refusals.log_refusal(request, reply.refusal)
        if reply.is_last:
            self._listener.drop(request.connection_id)  # after the reply has been sent
        return reply.data

    async def _answer(self, request: ConnectionRequest) -> Reply:
        connection_id = request.connection_id
        # An authenticated connection stays with its match, so only the process that runs that match
        # decodes its messages.
        if connection_id not in self._authenticated:
            assignment = self._requested_match(request)
            if assignment is not None and not assignment.is_open:
                return self._reconnect_reply()
            backend = (
                self._backends.get(connection_id)
                if assignment is None
                else assignment.worker.backend
            )
            if backend is None:
                raise ProtocolError("this connection has not authenticated yet")
            # If the connection has sent a new Hello for a match in another process, the first
            # process must forget the connection.
            if self._backends.get(connection_id, backend) is not backend:
                self._backends[connection_id].forget_connection(connection_id)
            self._backends[connection_id] = backend
        reply = await self._backends[connection_id].answer(request)
        if reply is None:
            return self._reconnect_reply()
        # The connection may have closed while the proof was being checked.
        if reply.is_proof and connection_id in self._backends:
            self._authenticated.add(connection_id)
            self._listener.mark_authenticated(connection_id)
        return reply

    def _reconnect_reply(self) -> Reply:
        """Build the last reply on a connection.

        It asks the peer to reconnect soon, to this host or to its successor.
        """
        bye = Bye(reason=self._stopping or _OPENING, again=True)
        return Reply(data=encode(bye), is_last=True)

    def _requested_match(self, request: ConnectionRequest) -> MatchAssignment | None:
        """Return the match named in a ``Hello``, or None for any other message.

        Raises:
            ProtocolError: The message cannot be decoded.
            SeatRefusedError: The match does not exist on this host or could not be opened.
        """
        question = decode_request(request.data)
        if not isinstance(question, Hello):
            return None
        assignment = self.pool.assignments.get(question.match)
        if assignment is None:
            raise SeatRefusedError("this host has no such match")
        if assignment.error is not None:
            is_ours = isinstance(assignment.error, BrokenMatchError)
            raise SeatRefusedError(str(assignment.error) if is_ours else _NOT_OPENED)
        return assignment


def _read_header(path: Path) -> Header:
    """Read the header of a match from its file in a hosting folder.

    Raises:
        FlagplotError: The file is not a match record, or it is named after another match.
    """
    header = read_pending(path)[1] if path.suffix == WAITING else read_header(path)
    if path.stem != header.match_id:
        raise NetworkError(f"this is a copy of match {header.match_id} and must be named after it")
    return header


def _modified_key(path: Path) -> tuple[float, str]:
    """Return the sort key for a record file: its modification time (0 if unknown), then its name."""
    try:
        return path.stat().st_mtime, path.name
    except OSError:
        return 0.0, path.name
