"""Handles a peer's background work: connecting, authenticating, catching up, following the match, and reconnecting."""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from typing import Final

import msgspec
import structlog

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.fair.seat import FairSeat
from netplay.fair.waiting_texts import mode_text
from netplay.feed.host_session import Verdict
from netplay.invites.invite import Invite
from netplay.peer.enrolment import EnrolmentClient, waiting_reason
from netplay.peer.fair_duties import FairDuties
from netplay.peer.full_record_fetcher import FullRecordFetcher
from netplay.peer.host_connector import RETRY_MIN_SECONDS, HostConnector
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.status import (
    ConnectionState,
    OfferChanged,
    RecentChat,
    RecordsReceived,
    StatusReporter,
    ViewsDiffered,
)
from netplay.system.core_dumps import forbid_core_dumps
from netplay.system.out_of_memory import report_out_of_memory
from netplay.transport import handshake
from netplay.transport.sockets import Connect, RequestChannel
from netplay.wire.answer_delay import AnswerDelay
from netplay.wire.errors import ConnectionLostError, FoulPlayError, ProtocolError, SeatRefusedError
from netplay.wire.messages import (
    Accepted,
    Desync,
    Leave,
    MakeOffer,
    OfferAnswer,
    Ping,
    PollUpdates,
    Pong,
    PostPart,
    Refused,
    Say,
    Submit,
    Tail,
    Update,
    Waiting,
    Welcome,
    encode,
)
from saves.errors import BrokenChainError, StorageError, UnreadableError
from saves.headers import Header
from saves.records import Record, decode_record

log = structlog.get_logger()

WAIT_MS: Final = 4_000
"""Maximum time in milliseconds that the host may delay its reply to a request for updates.

Latency checks use the same interval.
"""
GRACE_SECONDS: Final = 4.0
"""Additional time in seconds for a reply, before the host is considered unreachable."""
RETRY_MAX_SECONDS: Final = 5.0
COMPARISON_INTERVAL: Final = 8
"""The views are compared after this many records."""
QUIET_MS: Final = 500
"""The views are compared if there has been no new record for this many milliseconds."""
_PENDING_SECONDS: Final = 2.0
"""Maximum time in seconds that a command or offer waits for a pending record before it is retried."""
_MAX_DIFFERENCES: Final = 2
"""Maximum number of times that the same record may differ. After that, the peer gives up."""

PeerRequest = Submit | PostPart | Say | MakeOffer | OfferAnswer


class Replicator:
    """Keeps a seat's copy of the match in sync with the host."""

    def __init__(
        self,
        invite: Invite,
        copy: SeatReplica,
        reporter: StatusReporter,
        answer_delay: AnswerDelay,
        wait_ms: int | None = None,
        connect_in_process: Connect | None = None,
        seat: FairSeat | None = None,
    ) -> None:
        """Create a replicator. Nothing is sent yet.

        Args:
            invite: The invite, with the seat and the host's addresses.
            copy: The seat's local copy of the match.
            reporter: Stores the status and reports events.
            answer_delay: The delay before a response-window answer is sent.
            wait_ms: Maximum time in milliseconds that the host may delay its reply to a request for updates; None for
                the default.
            connect_in_process: Connects a bot to the host that runs the bot; None to use the network.
            seat: The seat that signs the messages; None for a spectator or if there is no folder.
        """
        self._invite = invite
        self._copy = copy
        self._seat = seat
        self._reporter = reporter
        self._answer_delay = answer_delay
        self.connector = HostConnector(invite, connect_in_process)
        self.fair_duties = FairDuties(invite, copy, seat)
        self._full_record = FullRecordFetcher(invite, copy, self.fair_duties, reporter.notify)
        self._chat = RecentChat()
        self._wait_ms = WAIT_MS if wait_ms is None else wait_ms
        self.decode_record: Callable[[bytes], Record] = decode_record
        """Decodes a record."""
        self._channel: RequestChannel | None = None
        self._broken: asyncio.Future[None] | None = None
        """A future that fails if a request on this connection receives an unreadable reply."""
        self._task: asyncio.Task[None] | None = None
        self._host_seq = -1
        self._is_in_sync = False
        self._last_compared = -1
        """Number of the last record for which a view digest was sent."""
        self._is_closing = False
        self._failures_by_seq: dict[int, int] = {}
        self._log = log.bind(match=invite.match, role=invite.role)

    @property
    def is_live(self) -> bool:
        """Return whether the peer is connected and its copy agrees with the host's."""
        return (
            self._channel is not None
            and self._reporter.status.link is ConnectionState.CONNECTED
            and self._is_in_sync
        )

    @property
    def _is_behind(self) -> bool:
        """Return whether the host has more records. No record follows a reveal, whatever the host claims."""
        return self._copy.seq < self._host_seq and not self._copy.is_revealed

    @property
    def is_done(self) -> bool:
        """Return whether the game is over and nothing remains to be done for the full record."""
        return self._full_record.is_done

    # -- lifecycle

    def start(self) -> None:
        """Connect and stay connected until :meth:`close`."""
        assert self._task is None, "a peer must be started only once"
        if not self.connector.is_in_process:
            forbid_core_dumps()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Notify the host that the peer is leaving, and close the record file."""
        self._is_closing = True
        channel, task = self._channel, self._task
        if channel is not None and self._reporter.status.link is ConnectionState.CONNECTED:
            with contextlib.suppress(FlagplotError):
                await channel.ask(encode(Leave(reason="")), 0.5)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self._copy.close()
        self._reporter.set_link(ConnectionState.CLOSED, "")

    async def _run(self) -> None:
        delay = RETRY_MIN_SECONDS
        while not self._is_closing:
            began = time.monotonic()
            try:
                await self._connect_and_follow()
            except ConnectionLostError as error:
                if self._reporter.status.link is ConnectionState.CONNECTED:
                    delay = RETRY_MIN_SECONDS
                self._reporter.set_link(ConnectionState.LOST, str(error))
            except (ProtocolError, UnreadableError) as error:
                if time.monotonic() - began > RETRY_MAX_SECONDS:
                    delay = RETRY_MIN_SECONDS  # the connection worked for a while, so retry soon
                self._reporter.set_link(ConnectionState.LOST, str(error))
            except BrokenChainError as error:
                self._reporter.set_link(ConnectionState.LOST, str(error))
                if self._has_failed_too_often(error.seq):
                    self._reporter.set_link(ConnectionState.STOPPED, str(error))
                    return
            except FlagplotError as error:
                if not self.connector.is_in_process or not isinstance(error, StorageError):
                    self._reporter.set_link(ConnectionState.STOPPED, str(error))
                    return
                self._reporter.set_link(
                    ConnectionState.LOST, str(error)
                )  # a bot on the host continues once the disk works again
            except Exception as error:  # noqa: BLE001  # outermost handler: waiters must be notified
                if self.connector.is_in_process:
                    report_out_of_memory(error)
                self._log.exception("peer_crashed", seq=self._copy.seq)
                self._reporter.set_link(
                    ConnectionState.STOPPED,
                    "an internal error occurred in this program; see its log",
                )
                return
            await self._wait_to_retry(delay)
            delay = min(delay * 2, RETRY_MAX_SECONDS)

    async def _wait_to_retry(self, seconds: float) -> None:
        await asyncio.sleep(seconds * random.uniform(0.7, 1.3))  # noqa: S311  # spreads the load

    async def _connect_and_follow(self) -> None:
        """Connect and follow the match until an error ends the connection."""
        await self._full_record.check_secrets()
        channel = await self.connector.connect()
        try:
            answer = await handshake.authenticate(channel, self._invite)
            if isinstance(answer, Waiting):
                answer = await self._new_enrolment(channel).run(answer)
            self._adopt(answer)
            self._channel = channel
            await self._run_connection(channel)
        finally:
            self._channel = None
            await channel.close()

    def _new_enrolment(self, channel: RequestChannel) -> EnrolmentClient:
        self.fair_duties.restart_connection()
        return EnrolmentClient(
            channel, self._invite, self._show_waiting, self._wait_ms, self._copy, self._seat
        )

    def _show_waiting(self, header: Header, waiting: Waiting) -> None:
        """Report the seats that the match is waiting for.

        Raises:
            SeatRefusedError: The host is using different rules.
        """
        self._copy.check_rules(header.game, waiting.rules)
        stopped_text = self.fair_duties.stopped_openings_text(
            waiting, is_first=self._reporter.status.link is not ConnectionState.WAITING
        )
        rules = self._copy.ruleset
        reason = waiting_reason(rules, header, waiting, self._invite.role)
        self._reporter.set_link(ConnectionState.WAITING, reason)
        self._reporter.set_status(
            msgspec.structs.replace(
                self._reporter.status,
                present=tuple(map(Role, waiting.present)),
                mode=mode_text(rules, header, waiting.mode, waiting.limits),
                disk=waiting.disk,
                stopped_openings=stopped_text,
            )
        )

    def _adopt(self, welcome: Welcome) -> None:
        self._answer_delay.raise_minimum(welcome.window_ms / 1000)
        self._copy.adopt_header(welcome.header, welcome.rules)
        self._host_seq = welcome.seq
        self.fair_duties.restart_connection()
        self._chat.last_number = 0
        self._is_in_sync = False
        self._reporter.set_link(ConnectionState.CONNECTED, "")

    async def _run_connection(self, channel: RequestChannel) -> None:
        """Request updates from the host until the connection is lost or a reply is unreadable."""
        broken = self._broken = asyncio.get_running_loop().create_future()
        follow_task = asyncio.create_task(self._follow(channel))
        ping_task = asyncio.create_task(self._measure_latency(channel))
        try:
            await asyncio.wait((broken, follow_task), return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                broken.result()
            follow_task.result()
        finally:
            self._broken = None
            for future in (broken, follow_task, ping_task):
                future.cancel()
            await asyncio.gather(broken, follow_task, ping_task, return_exceptions=True)

    def _break(self, channel: RequestChannel, error: ProtocolError) -> None:
        """End the connection because of an unreadable reply. The peer reconnects after a delay."""
        if channel is self._channel and self._broken is not None:
            self._channel = None
            self._broken.set_exception(error)

    async def _measure_latency(self, channel: RequestChannel) -> None:
        token = 0
        while True:
            token += 1
            started = time.perf_counter()
            try:
                answer = await handshake.ask(channel, Ping(token=token), handshake.ASK_SECONDS)
                if not isinstance(answer, Pong):
                    raise ProtocolError(handshake.UNEXPECTED_ANSWER)
            except ProtocolError as error:
                self._break(channel, error)
                return
            latency = round((time.perf_counter() - started) * 1000)
            self._reporter.set_status(
                msgspec.structs.replace(self._reporter.status, latency_ms=latency)
            )
            await asyncio.sleep(self._wait_ms / 1000)

    # -- following

    async def _follow(self, channel: RequestChannel) -> None:
        is_quiet = True
        while True:
            seq = self._copy.seq
            is_behind = self._is_behind
            digest = None if is_behind else self._digest(is_quiet=is_quiet)
            wait = QUIET_MS if digest is None else self._wait_ms
            seat = self.fair_duties.signing_seat
            if is_behind or not self._is_in_sync or (seat is not None and seat.is_partial):
                wait = 0
            question = PollUpdates(
                seq=seq,
                chain=self._copy.chain,
                digest=digest,
                offset=self._copy.received_bytes,
                heard=self._chat.last_number,
                wait_ms=wait,
                pending=0 if seat is None else seat.received_bytes(seq),
                texts=0 if seat is None else seat.last_text,
            )
            answer = await handshake.ask(channel, question, wait / 1000 + GRACE_SECONDS)
            match answer:
                case Update():
                    self._is_in_sync = self._is_in_sync or not is_behind
                    self._apply_update(answer)
                    await self._full_record.check_secrets()
                    if not self._is_behind:
                        await self.fair_duties.send_due(channel)
                        await self._full_record.fetch(channel)
                case Desync():
                    await self._resynchronise(channel, answer)
                case _:
                    raise ProtocolError(handshake.UNEXPECTED_ANSWER)
            is_quiet = self._copy.seq == seq
            self._reporter.wake()

    def _digest(self, *, is_quiet: bool) -> bytes | None:
        """Return the digest of the view if it is time to compare views; otherwise None.

        Computing digests is the most expensive part of processing a record, both here and on the host. When records
        arrive in quick succession, only some digests are therefore compared. A bot in the host's process does not
        compare views while idle.
        """
        is_quiet = is_quiet and not self.connector.is_in_process
        is_due = (
            self._copy.seq - self._last_compared >= COMPARISON_INTERVAL or self._copy.is_revealed
        )
        if self._is_in_sync and not (is_quiet or is_due):
            return None
        self._last_compared = self._copy.seq
        return self._copy.digest()

    def _apply_update(self, update: Update) -> None:
        self._host_seq = update.head
        records = self._copy.receive_all(map(self.decode_record, update.records))
        if update.part is not None:
            completed_record = self._copy.receive_part(update.part)
            records += [] if completed_record is None else [completed_record]
        if records:
            self._notify_records(tuple(records))
        for chat_event in self._chat.new_lines(update.chat):
            self._reporter.notify(chat_event)
        self._reporter.clock_readings = update.dials
        self._reporter.clock_readings_at = time.monotonic()
        offer = self.fair_duties.receive(update)
        if records:
            self._reporter.first_offer_at = None
        if offer is not None and self._reporter.first_offer_at is None:
            self._reporter.first_offer_at = time.monotonic()
        if offer != self._reporter.offer:
            self._reporter.offer = offer
            self._reporter.notify(OfferChanged(offer=offer))
        waiting_for = tuple(map(Role, update.waiting_for))
        self._update_status(update, waiting_for)

    def _notify_records(self, records: tuple[Record, ...]) -> None:
        has_own_command = any(
            record.role == self._invite.role and record.kind == "command" for record in records
        )
        self._answer_delay.on_state(self._copy.state, is_own=has_own_command)
        is_silent = not self._is_in_sync or self._is_behind or len(records) > 1
        self._reporter.notify(RecordsReceived(records=records, is_silent=is_silent))

    def _update_status(self, update: Update, waiting_for: tuple[Role, ...]) -> None:
        present = tuple(Role(seat.role) for seat in update.presence if seat.present)
        absent = tuple(Role(seat.role) for seat in update.presence if not seat.present)
        self._reporter.set_status(
            msgspec.structs.replace(
                self._reporter.status,
                present=present,
                absent=absent,
                spectators=update.spectators,
                waiting_for=waiting_for,
                may_stop=update.may_stop,
                disk=update.disk,
            )
        )

    async def _resynchronise(self, channel: RequestChannel, desync: Desync) -> None:
        """Save the last records of both logs, and return to the last record on which both sides agree.

        Raises:
            SeatRefusedError: The same record has differed too often, or signed messages make it impossible to return.
            FoulPlayError: The host's history differs from the history that the host sent to this seat.
        """
        seq = desync.seq
        self._log.error("desync_detected", seq=seq, agreed=desync.agreed_seq)
        report = self._copy.save_report(desync)
        own_digest = self._copy.digest()
        if own_digest is not None:
            tail = Tail(seq=self._copy.seq, digest=own_digest, records=self._copy.tail())
            await handshake.ask(channel, tail, handshake.ASK_SECONDS)
        if self._copy.has_transcript and desync.digest is None:
            raise FoulPlayError(
                f"the host's history of this match differs from the one it sent to this seat; see {report or 'the log'}"
            )
        # Signed messages cannot be undone, and a spectator's copy may be the only one that proves what
        # the host has signed.
        if self._copy.has_transcript or self._has_failed_too_often(seq):
            raise SeatRefusedError(
                f"the host and this program disagree about record {seq}; see {report or 'the log'}"
            )
        agreed_seq = self._copy.rewind(desync.agreed_seq, desync.agreed_chain)
        self._is_in_sync = False
        self._reporter.notify(ViewsDiffered(seq=seq, agreed_seq=agreed_seq, report_path=report))

    def _has_failed_too_often(self, seq: int) -> bool:
        self._failures_by_seq[seq] = self._failures_by_seq.get(seq, 0) + 1
        return self._failures_by_seq[seq] > _MAX_DIFFERENCES

    # -- requests

    async def send(
        self, request: PeerRequest, recorded_seq: Callable[[], int | None] = lambda: None
    ) -> Verdict:
        """Send a request, and repeat it until the host replies.

        The host recognises a repeat by its id. An unreadable reply ends the connection, and the request is resent on
        the next connection.

        Args:
            request: The request.
            recorded_seq: Returns the number of the record if the request has already been carried out; otherwise None.

        Raises:
            SeatRefusedError: The host has permanently refused the seat.
            ConnectionLostError: The connection has ended permanently.
        """
        reporter = self._reporter
        while True:
            await reporter.wait_for(lambda: self.is_live or reporter.is_over)
            seq = recorded_seq()
            if seq is not None:
                return Accepted(request_id=request.request_id, seq=seq)
            channel = self._channel
            if reporter.is_over or channel is None:
                raise ConnectionLostError(reporter.status.reason or "the connection is closed")
            try:
                verdict = await handshake.ask(channel, request, handshake.ASK_SECONDS)
                if not isinstance(verdict, Accepted | Refused):
                    raise ProtocolError(handshake.UNEXPECTED_ANSWER)
            except ConnectionLostError:
                await asyncio.sleep(RETRY_MIN_SECONDS)
                continue
            except ProtocolError as error:
                self._break(channel, error)
                continue
            return verdict

    # -- waiting

    async def wait_for_seq(self, seq: int) -> None:
        """Wait until the copy contains a record with this number.

        Raises:
            ConnectionLostError: The connection has ended permanently.
        """
        await self._reporter.wait_for(lambda: self._copy.seq >= seq or self._reporter.is_over)
        if self._copy.seq < seq:
            raise ConnectionLostError(self._reporter.status.reason or "the connection is closed")

    async def wait_for_pending(self, seq: int) -> None:
        """Wait briefly for the record after ``seq``, which may still depend on a command or on other seats' messages.

        Raises:
            ConnectionLostError: The connection has ended permanently.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PENDING_SECONDS):
                await self.wait_for_seq(seq + 1)
