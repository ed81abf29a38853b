"""Runs the matches in one process, with their connected seats and host bots.

A match server does everything that a host does except listen for connections. Each worker process has one. A host
without worker processes has one in its own process.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine import registry
from engine.kernel.errors import DataError, FlagplotError
from engine.registry import AnyRuleset
from netplay.fair.message_server import MessageServer
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.feed.host_session import HostSession
from netplay.feed.reminders import ReminderRunner
from netplay.feed.shared_records import SharedRecords
from netplay.invites.identity import Authority, fingerprint
from netplay.invites.invite import Invite
from netplay.invites.invite_rotation import seat_keys
from netplay.invites.pending_match_file import is_pending, read_match_header
from netplay.invites.seat_ownership import Seating
from netplay.journal.host_key_file import read_host_key
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import LoadResult, MatchOverview, Reply
from netplay.match.match_table import MatchTable
from netplay.match.pending_match import PendingMatch
from netplay.match_state.chat_and_offers import ChatAndOffers
from netplay.match_state.full_record import chunk_for_seat
from netplay.match_state.match_state_file import SUFFIX as TABLE_SUFFIX
from netplay.match_state.match_state_file import MatchStateFile
from netplay.system.awake_clock import STALL_SECONDS, AwakeClock
from netplay.system.disk_state import DISK_PROBLEMS, FolderDisk
from netplay.system.out_of_memory import report_out_of_memory
from netplay.transport.in_process import InProcessConnection
from netplay.transport.listener import ConnectionRequest
from netplay.wire import limits
from netplay.wire.errors import ForeignError, ProtocolError, SeatRefusedError
from netplay.wire.messages import (
    CAPABILITIES,
    Answer,
    AskFull,
    Bye,
    Enrol,
    Hello,
    Leave,
    MakeOffer,
    OfferAnswer,
    Ping,
    PollUpdates,
    Pong,
    PostPart,
    Question,
    Refused,
    Rules,
    Say,
    SeatProof,
    Submit,
    Tail,
    WaitForStart,
    Waiting,
    Welcome,
    decode_request,
    encode,
)
from netplay.wire.sanitising import REASON_LIMIT, sanitise
from netplay.workers.admission import Admission, Admitted
from netplay.workers.host_bots import HostBots
from netplay.workers.in_flight_marker import InFlightMarker
from saves.disk_trouble import disk_trouble
from saves.errors import MatchError, StorageError
from saves.headers import encode_header
from saves.logfile import SUFFIX, read_header
from saves.match import Match

log = structlog.get_logger()

REPORT_FOLDER: Final = "differs"
_TICK_SECONDS: Final = 0.5
_DISK_THREADS: Final = 16
"""Number of threads for disk operations. With several threads, a blocked operation does not delay the other matches."""
UNLOAD_SECONDS: Final = 30.0
"""Time in seconds that a finished match stays open after its last peer disconnects."""
_OWN_PROCESS: Final = "this process"
_OLD_PROTOCOL: Final = (
    "this match was started with an earlier protocol for joint chance: its record can be read and verified, but play"
    " cannot continue"
)
_FAILED: Final = "an internal error occurred in the host"


class FinishedMatch(msgspec.Struct, frozen=True):
    """The data kept in memory for a finished match that has no connections. Everything else is in the match record."""

    overview: MatchOverview
    chat_and_offers: ChatAndOffers


class MatchServer:
    """Runs matches in this process. This class implements ``netplay.match.match_backend.MatchBackend``."""

    def __init__(
        self,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        config: HostConfig | None = None,
        marker: InFlightMarker | None = None,
    ) -> None:
        """Create a server without open matches.

        Args:
            folder: The folder for records, keys and divergence reports.
            rulesets: Looks up a game's rules.
            config: The host settings; None for the defaults.
            marker: Marks the matches being processed, so that the match that caused a crash can be found; None for no
                marks.
        """
        self.folder = folder
        self.config = config or HostConfig()
        self.tables: dict[str, MatchTable] = {}
        """Open matches that have begun, by id."""
        self.pending_matches: dict[str, PendingMatch] = {}
        """Matches that have not begun, by id."""
        self.records = SharedRecords()
        """Decoded records, shared with the copies of the bots in this process."""
        self._seatings: dict[str, Seating] = {}
        """The seats and their keys in every match on this server, by match id."""
        self._finished: dict[str, FinishedMatch] = {}
        """Finished matches that are no longer open, by id."""
        self._rulesets = rulesets
        self._marker = marker
        self._admission: Admission | None = None
        self._sessions: dict[int, tuple[HostSession, MatchTable | PendingMatch]] = {}
        self._bots: HostBots | None = None
        self._clock = AwakeClock()
        self._last_connection_id = 0
        """Number of the latest in-process connection. In-process connections are numbered -1, -2 and so on."""
        self._ticker: asyncio.Task[None] | None = None
        self._reminders = ReminderRunner(self.config.remind) if self.config.remind else None
        self._disk = ThreadPoolExecutor(_DISK_THREADS, "flagplot-disk")
        self._folder_disk = FolderDisk(folder, self._disk, self._on_disk_changed)

    # -- lifecycle

    def start(self, authority: Authority) -> None:
        """Start admitting seats with keys that this authority has signed."""
        self._admission = Admission(authority, self._seatings)
        self.schedule_disk_test()
        self._ticker = asyncio.create_task(self._tick())

    def schedule_disk_test(self) -> None:
        """Schedule a test of the folder's disk."""
        self._folder_disk.schedule_test()

    def _on_disk_changed(self) -> None:
        """Notify every match when writes to the folder's disk start to fail or start to succeed again."""
        for table in self.tables.values():
            table.on_disk_changed()
        for pending in self.pending_matches.values():
            pending.on_disk_changed()

    async def close(self, reason: str) -> None:
        """Disconnect all peers with the given reason, and close every record once pending writes have finished."""
        if self._bots is not None:
            await self._bots.stop()
        if self._ticker is not None:
            self._ticker.cancel()
        await asyncio.gather(
            *(pending.close(reason) for pending in (*self.pending_matches.values(),))
        )
        # A pending match may have begun in the meantime, so the tables are closed last.
        await asyncio.gather(*(table.close(reason) for table in self.tables.values()))
        if self._reminders is not None:
            await self._reminders.close()
        await self._folder_disk.close()
        self._disk.shutdown(wait=False)

    def load_match(self, match: str) -> "asyncio.Future[LoadResult]":
        """Open a match from its record. The returned future is already done."""
        result: asyncio.Future[LoadResult] = asyncio.get_running_loop().create_future()
        try:
            with self.marking(match):
                result.set_result(self._load(match))
        except FlagplotError as error:
            result.set_exception(error)
        return result

    def _load(self, name: str) -> LoadResult:
        if name in self.pending_matches or (
            not self.has_match(name) and is_pending(self.folder, name)
        ):
            self._open_pending(name)
            return LoadResult(records=0, is_over=False)
        if name in self._finished:
            overview = self._finished[name].overview
            return LoadResult(records=overview.records, is_over=overview.is_over)
        table = self.open_table(name)
        match = table.match
        # A host may have hundreds of finished matches, so each is reopened only when a peer
        # connects to it.
        if match.is_revealed and not table.sessions:
            table.close_record()
            self._unload(table)
        return LoadResult(records=match.seq + 1, is_over=match.is_revealed)

    def has_match(self, match: str) -> bool:
        """Return whether a match belongs to this server. The match need not be open."""
        return match in self._seatings

    def open_table(self, name: str) -> MatchTable:
        """Return a match's table. If the match is not open, open it first.

        Raises:
            FlagplotError: The record cannot be opened.
        """
        if name not in self.tables:
            self._open(name)
        return self.tables[name]

    def _open(self, name: str) -> None:
        path = self.folder / f"{name}{SUFFIX}"
        header = read_header(path)
        is_fair = header.fair is not msgspec.UNSET
        match_class = OrderedMatch[Any] if is_fair else Match[Any]
        match = match_class.resume(path, self._rulesets(header.game), must_write=False)
        if match.commitments.is_joint and not match.is_revealed:
            match.close()
            raise MatchError(_OLD_PROTOCOL)
        if match.trouble:
            log.error("disk_write_failed", match=name, trouble=match.trouble)
        if match.dropped_text:
            log.warning("truncated_record_dropped", match=name, text=match.dropped_text)
        if match.rules_changed:
            log.warning("rules_changed", match=name, game=match.header.game)
        finished = self._finished.pop(name, None)
        self._seatings[name] = Seating(match.header, seat_keys(self.folder, name))
        chat_and_offers = None if finished is None else finished.chat_and_offers
        self._add_table(
            match,
            chat_and_offers,
            self._create_message_server(match) if isinstance(match, OrderedMatch) else None,
        )

    def _create_message_server(self, match: OrderedMatch[Any]) -> MessageServer:
        """Create the message server for a match that has begun.

        Raises:
            FlagplotError: One of the host's files is missing or damaged.
        """
        name = match.header.match_id
        try:
            match.set_key(read_host_key(self.folder, name))
            path = self.folder / f"{name}{PENDING}"
            return MessageServer(match, path, self._clock.now)
        except FlagplotError:
            match.close()
            raise

    def _add_table(
        self,
        match: Match[Any],
        chat_and_offers: ChatAndOffers | None = None,
        message_server: MessageServer | None = None,
    ) -> MatchTable:
        """Create the table for a match that has begun."""
        name = match.header.match_id
        state_file = MatchStateFile(self.folder / f"{name}{TABLE_SUFFIX}")
        report_folder, reminders = self.folder / REPORT_FOLDER, self._reminders
        table = MatchTable(
            match,
            report_folder,
            self._disk,
            state_file,
            self.config,
            reminders,
            chat_and_offers,
            self.records,
            self._clock.now,
            self._folder_disk,
            message_server,
        )
        self.tables[table.id] = table
        return table

    def _open_pending(self, name: str) -> None:
        """Open a match that has not begun."""
        if name not in self.pending_matches:
            header = read_match_header(self.folder, name)
            seating = Seating(header, seat_keys(self.folder, name))
            rules = self._rulesets(header.game)
            pending = PendingMatch(
                self.folder,
                rules,
                seating,
                self._disk,
                self._on_match_begun,
                self._clock.now,
                self._folder_disk,
            )
            self.pending_matches[name], self._seatings[name] = pending, seating

    def _on_match_begun(self, pending: PendingMatch, message_server: MessageServer) -> None:
        """Replace a pending match with a table, and move the match's connections to the table."""
        del self.pending_matches[pending.id]
        table = self._add_table(message_server.match, message_server=message_server)
        for connection_id, session in pending.presence.sessions.items():
            self._sessions[connection_id] = (session, table)
            # The table counts versions from 0 again. With the old number, the first status update
            # might not be sent.
            session.sent_version = -1
            table.join(session)

    def _unload(self, table: MatchTable) -> None:
        """Close a finished match and keep only its result in memory."""
        self._finished[table.id] = FinishedMatch(table.overview(), table.chat_and_offers)
        table.chat_and_offers.on_change = _ignore_change
        del self.tables[table.id]

    def start_bots(self, match: str) -> None:
        """Start the bots in a match. Bots that are already running are not affected."""
        open_match = self.pending_matches.get(match) or self.tables.get(match)
        if open_match is None:
            return  # the match is finished and no longer open
        if self._bots is None:
            config = self.config
            self._bots = HostBots(self, self._rulesets, config.bot_pause, config.bot_seconds)
        header = (
            open_match.header if isinstance(open_match, PendingMatch) else open_match.match.header
        )
        seats = header.seats
        self._bots.start_bots(match, {seat.role: seat.player for seat in seats})

    async def discard_match(self, match: str, reason: str) -> None:
        """Close a match and disconnect its peers with the given reason."""
        del self._seatings[match]
        self._finished.pop(match, None)
        table = self.tables.pop(match, None)
        if table is not None:
            await table.close(reason)
        pending = self.pending_matches.pop(match, None)
        if pending is not None:
            await pending.close(reason)

    async def _tick(self) -> None:
        while True:
            self._folder_disk.tick()
            for table in tuple(self.tables.values()):
                table.finish()
                if table.sessions or table.presence.present_roles:
                    table.refresh_presence()
                elif table.can_unload(UNLOAD_SECONDS):
                    self._unload(table)
                    continue
                table.tick()
                if table.drop_caches_if_idle(limits.IDLE_SECONDS) and self._bots is not None:
                    self._bots.drop_caches(table.id)
            for pending in self.pending_matches.values():
                pending.tick()
            await asyncio.sleep(_TICK_SECONDS)

    def marking(self, match: str) -> AbstractContextManager[None]:
        """Return a context manager that marks a match as being processed while the context is active."""
        return nullcontext() if self._marker is None else self._marker.mark(match)

    async def connect(self, address: str, invite: Invite) -> InProcessConnection:
        """Return a connection for a peer in this process. The peer authenticates in the same way as any other peer."""
        del address, invite
        self._last_connection_id -= 1
        connection_id = self._last_connection_id

        async def answer(data: bytes) -> bytes:
            return (
                await self.answer(ConnectionRequest(data, connection_id, None, _OWN_PROCESS))
            ).data

        return InProcessConnection(answer, partial(self.forget_connection, connection_id))

    def heartbeat(self) -> None:
        """Count the time since the last heartbeat.

        After a long gap, stop the match clocks until the players reconnect.
        """
        if self._clock.heartbeat() >= STALL_SECONDS:
            for table in self.tables.values():
                table.timekeeper.wait_for_return()

    # -- status

    async def overviews(self) -> tuple[MatchOverview, ...]:
        """Return the status of each match, in the order in which the matches were opened."""
        return tuple(self._overview(match) for match in self._seatings)

    def _overview(self, match: str) -> MatchOverview:
        open_match = self.pending_matches.get(match) or self.tables.get(match)
        return self._finished[match].overview if open_match is None else open_match.overview()

    async def is_done(self) -> bool:
        """Return whether every match is over and no peer is connected."""
        return not self.pending_matches and all(
            table.match.is_revealed and not table.sessions for table in self.tables.values()
        )

    # -- requests

    def forget_connection(self, connection_id: int) -> None:
        """Forget a connection that has ended."""
        if self._admission is not None:
            self._admission.forget(connection_id)
        entry = self._sessions.pop(connection_id, None)
        if entry is not None:
            session, table = entry
            session.closing_reason = session.closing_reason or "the connection has ended"
            table.leave(connection_id)
            log.info("player_left", match=table.id, role=session.role)

    async def answer(self, request: ConnectionRequest) -> Reply:
        """Reply to one frame. All errors are handled here, because no message from a peer may end the match."""
        question: Question | None = None
        admission = self._admission
        assert admission is not None, "the match server must have started"
        try:
            question = decode_request(request.data)
            answer = await self._answer(admission, request, question)
        except ForeignError as error:
            return rejection_reply(error)
        except FlagplotError as error:
            log.warning("request_failed", remote=request.remote, error=str(error))
            answer = _failure_answer(question, _public_reason(error))
        except Exception as error:
            report_out_of_memory(error)
            log.exception("request_crashed", remote=request.remote, kind=type(question).__name__)
            answer = _failure_answer(question)
        is_proof = isinstance(answer, Welcome | Waiting)
        return Reply(data=encode(answer), is_proof=is_proof, is_last=isinstance(answer, Bye))

    async def _answer(
        self, admission: Admission, request: ConnectionRequest, question: Question
    ) -> Answer:
        entry = self._sessions.get(request.connection_id)
        if entry is None:
            match question:
                case Hello():
                    return admission.challenge(request, question)
                case SeatProof():
                    return self._seat_peer(request, admission.admit(request, question))
                case _:
                    raise ProtocolError("this connection has not authenticated yet")
        session, table = entry
        session.last_seen = time.monotonic()
        self._check_key(session, table.id)
        if session.closing_reason:
            return Bye(reason=session.closing_reason, again=False)
        # Every frame counts towards the limits, even if it is refused later. Otherwise, a peer
        # could flood the host with frames that are refused.
        if not session.allowance.messages.take():
            session.allowance.count_offence()
            if session.allowance.is_spent:
                return self._disconnect_flooder(admission, session, table)
            await asyncio.sleep(1 / limits.MESSAGES_PER_SECOND)
        if isinstance(table, PendingMatch):
            return await self._answer_waiting(admission, session, table, question)
        if isinstance(
            question, WaitForStart | Enrol
        ):  # The message was sent before the match began.
            return self._welcome(session, table)
        if isinstance(question, PostPart):
            with self.marking(table.id):
                verdict = await table.post(session, question)
            is_spent = session.allowance.is_spent
            return self._disconnect_flooder(admission, session, table) if is_spent else verdict
        if isinstance(question, Submit | Say | MakeOffer | OfferAnswer):
            with self.marking(table.id):
                verdict = await table.request(session, question)
            is_spent = session.allowance.is_spent
            return self._disconnect_flooder(admission, session, table) if is_spent else verdict
        return await self._answer_query(session, table, question)

    async def _answer_query(
        self, session: HostSession, table: MatchTable, question: Question
    ) -> Answer:
        """Answer a request that does not affect the game."""
        match question:
            case PollUpdates():
                return await self._answer_poll(session, table, question)
            case Ping():
                return Pong(token=question.token)
            case Tail():
                table.desync_detector.save_report(session, question)
                return Pong(token=0)
            case AskFull():
                if session.role is None:
                    raise ProtocolError("only seats may request the full record")
                return await chunk_for_seat(table.match, self.folder, question)
            case Leave():
                return Bye(reason="goodbye", again=False)
            case _:
                raise ProtocolError("this connection already has its seat")

    async def _answer_waiting(
        self, admission: Admission, session: HostSession, pending: PendingMatch, question: Question
    ) -> Answer:
        """Reply to a peer whose match has not begun or is just beginning."""
        match question:
            case WaitForStart() | Enrol() | PostPart():
                with self.marking(pending.id) if isinstance(question, PostPart) else nullcontext():
                    answer = await pending.answer(session, question)
                if session.allowance.is_spent:
                    return self._disconnect_flooder(admission, session, pending)
                table = self.tables.get(pending.id)
                if answer is not None or table is None:
                    return answer or Bye(reason="the match is no longer here", again=True)
                return self._welcome(session, table)
            case Ping():
                return Pong(token=question.token)
            case Leave():
                return Bye(reason="goodbye", again=False)
            case _:
                raise ProtocolError("this match has not started")

    def _check_key(self, session: HostSession, match: str) -> None:
        """Close a seat's session if its invite has been replaced since the seat connected.

        If the key file cannot be read, open sessions stay open, and new connections are refused until it can be read.
        """
        seating = self._seatings.get(match)
        if session.role is None or not session.key or seating is None or session.closing_reason:
            return
        owner = session.key
        with suppress(StorageError, DataError):
            owner = seating.owner(session.role)
        if owner != session.key:
            session.closing_reason = "this invite has been replaced by a newer one"
            log.info("invite_replaced", match=match, role=session.role)

    def _disconnect_flooder(
        self, admission: Admission, session: HostSession, table: MatchTable | PendingMatch
    ) -> Bye:
        admission.cool_down(table.id, session.allowance_owner, session.allowance.rest_seconds)
        # Reconnecting does not reset the allowance. The flag is cleared, so that the seat can
        # connect again after the lockout.
        session.allowance.is_spent = False
        session.closing_reason = "too many messages; wait a moment before you reconnect"
        log.warning("flooding_client_disconnected", match=table.id, role=session.role)
        return Bye(reason=session.closing_reason, again=True)

    async def _answer_poll(
        self, session: HostSession, table: MatchTable, poll: PollUpdates
    ) -> Answer:
        """Answer a request for updates as soon as there are updates or the time limit has been reached."""
        session.poll_number += 1
        poll_number = session.poll_number
        # If an older poll is still waiting, this poll replaces it. The older poll returns once it
        # has been woken.
        if session.is_polling:
            table.notify()
        with self.marking(table.id):
            desync = table.desync_detector.find_desync(session, poll)
        if desync is not None:
            return desync
        deadline = time.monotonic() + poll.wait_ms / 1000
        session.is_polling = True
        try:
            while True:
                self._check_key(session, table.id)
                if session.closing_reason:
                    return Bye(reason=session.closing_reason, again=False)
                if table.closing_reason:
                    return Bye(reason=table.closing_reason, again=True)
                if poll_number != session.poll_number:
                    return table.status_update(session)
                with self.marking(table.id):
                    update = table.next_update(session, poll)
                remaining = deadline - time.monotonic()
                if update is not None or remaining <= 0:
                    return update or table.status_update(session)
                await table.wait(remaining)
        finally:
            session.last_seen = time.monotonic()
            # A replaced poll must not mark the session as idle while the newer poll is still
            # waiting.
            if poll_number == session.poll_number:
                session.is_polling = False

    def _seat_peer(self, request: ConnectionRequest, admitted: Admitted) -> Answer:
        role, match = admitted.role, admitted.hello.match
        with self.marking(match):
            table = self.pending_matches.get(match) or self.open_table(match)
        owner = limits.allowance_owner(role, request.remote)
        if not table.presence.admit(role, owner):
            raise SeatRefusedError("there is no room for more spectators")
        allowance = table.allowances.get(owner)
        capabilities, certificate = admitted.hello.capabilities, admitted.certificate
        session = HostSession(
            request.connection_id,
            role,
            capabilities,
            owner,
            allowance,
            certificate,
            fingerprint(certificate),
        )
        self._sessions[request.connection_id] = (session, table)
        table.join(session)
        log.info("player_joined", match=table.id, role=role, remote=request.remote)
        return (
            table.waiting_status(session)
            if isinstance(table, PendingMatch)
            else self._welcome(session, table)
        )

    def _welcome(self, session: HostSession, table: MatchTable) -> Welcome:
        match, (seq, chain) = table.match, table.visible_head(session.role)
        session.is_welcomed = True
        return Welcome(
            header=encode_header(match.redacted_header(session.role)),
            seq=seq,
            chain=chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=round(self.config.window_seconds * 1000),
        )


def rules_of(ruleset: AnyRuleset) -> Rules:
    """Return the version of this program's rules, which peers compare with their own."""
    return Rules(edition=ruleset.edition, version=ruleset.version, data_digest=ruleset.data_digest)


def rejection_reply(error: ForeignError) -> Reply:
    """Build the last message to a rejected peer. The peer may reconnect unless its seat was refused."""
    bye = Bye(
        reason=sanitise(str(error), REASON_LIMIT), again=not isinstance(error, SeatRefusedError)
    )
    return Reply(data=encode(bye), is_last=True, refusal=error.logged)


def _ignore_change() -> None:
    """Do nothing when the chat or offers of a finished match change, because no peer is connected."""


def _public_reason(error: FlagplotError) -> str:
    """Return the text about an error that players may see."""
    # The original message may contain paths on the host, which players should not see.
    trouble = disk_trouble(error) if isinstance(error, StorageError) else "refuses"
    return _FAILED if trouble == "refuses" else DISK_PROBLEMS[trouble]


def _failure_answer(question: Question | None, reason: str = _FAILED) -> Answer:
    """Return the reply to a peer after an error in the host itself."""
    if isinstance(question, Submit | Say | MakeOffer | OfferAnswer):
        return Refused(request_id=question.request_id, code="fault", text=reason)
    return Bye(reason=reason, again=True)
