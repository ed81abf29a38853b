"""Does a peer's background work: connects, authenticates, catches up, follows the match, and reconnects."""

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
from netplay.discovery.announced_addresses import FindAddresses
from netplay.fair.seat import FairSeat, split_post
from netplay.fair.waiting_texts import (
    missing_players_text,
    mode_text,
    stopped_openings_text,
    waiting_for_text,
)
from netplay.invites.invite import Invite
from netplay.match_state import full_record
from netplay.peer.enrolment import EnrolmentClient
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.status import (
    Chatted,
    ConnectionState,
    FullRecordReceived,
    OfferChanged,
    PeerEvent,
    RecordsReceived,
    Status,
    StatusChanged,
    ViewsDiffered,
)
from netplay.system.core_dumps import forbid_core_dumps
from netplay.system.disk_state import DISK_PROBLEMS
from netplay.system.out_of_memory import report_out_of_memory
from netplay.transport import handshake
from netplay.transport.sockets import Connect, RequestChannel, connect
from netplay.wire.errors import ConnectionLostError, FoulPlayError, ProtocolError, SeatRefusedError
from netplay.wire.messages import (
    Accepted,
    Desync,
    Leave,
    OpenOffer,
    Ping,
    PollUpdates,
    Pong,
    Refused,
    Tail,
    Update,
    Waiting,
    Welcome,
    encode,
)
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, REASON_LIMIT, sanitise
from play.clock_readings import ClockReading
from saves.errors import BrokenChainError, StorageError, UnreadableError
from saves.fair.setup import fair_terms
from saves.fair.terms import SHORTEST_ACK_WAIT
from saves.headers import Header
from saves.modes import Mode
from saves.records import Record, decode_record

log = structlog.get_logger()

WAIT_MS: Final = 4_000
"""Maximum time that the host may hold a request for updates, and the interval between latency measurements."""
GRACE_SECONDS: Final = 4.0
"""Additional time after which the host is considered unreachable."""
ASK_SECONDS: Final = 8.0
RETRY_MIN_SECONDS: Final = 0.1
RETRY_MAX_SECONDS: Final = 5.0
COMPARISON_INTERVAL: Final = 8
"""Number of records after which views are compared."""
QUIET_MS: Final = 500
"""Time without a new record after which views are compared."""
UNEXPECTED_ANSWER: Final = "the host sent an unexpected reply"
_MAX_CHAT_LINES: Final = 200
"""Number of recent chat lines stored in order to detect repeats. A host repeats fewer lines than this."""
_MAX_DIFFERENCES: Final = 2
"""Number of times that the same record may differ before the peer gives up."""
_MAX_FULL_TRIES: Final = 3
"""Number of attempts to fetch the full record before the peer gives up because of unreadable replies."""


class Replicator:
    """Keeps a seat's copy of the match in sync with the host."""

    def __init__(
        self,
        invite: Invite,
        copy: SeatReplica,
        wait_ms: int | None = None,
        connect_in_process: Connect | None = None,
        seat: FairSeat | None = None,
    ) -> None:
        """Initialise the replicator; nothing is sent yet.

        Args:
            invite: The invite, with the seat and the host's addresses.
            copy: The seat's local copy of the match.
            wait_ms: Maximum time in milliseconds that the host may hold a request for updates; None for the default.
            connect_in_process: Connects a bot to the host that runs it; None to use the network.
            seat: The seat that signs the messages; None for a spectator or if there is no folder.
        """
        self.invite = invite
        self.copy = copy
        self.seat = seat
        self._ended_at: float | None = None
        """The ``time.monotonic`` time at which this program noticed the end of the match."""
        self._connect_in_process = connect_in_process
        self._wait_ms = WAIT_MS if wait_ms is None else wait_ms
        self.find_addresses: FindAddresses | None = None
        """Searches for the host's announcements if no address in the invite works; None to skip this."""
        self._announced_address: tuple[str, ...] = ()
        """The announced address at which the host was last reached; empty if there is none."""
        self.decode_record: Callable[[bytes], Record] = decode_record
        """Decodes a record."""
        self.status = Status()
        self.offer: OpenOffer | None = None
        """The open offer; None if there is none."""
        self.clock_readings: tuple[ClockReading, ...] = ()
        """The most recent clock readings from the host."""
        self.clock_readings_at = 0.0
        """The ``time.monotonic`` time at which these readings were received."""
        self._channel: RequestChannel | None = None
        self._broken: asyncio.Future[None] | None = None
        """Future that fails when a request on this connection receives an unreadable reply."""
        self._task: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[PeerEvent], None]] = []
        self._changed = asyncio.Event()
        self._last_chat_line = 0
        """Number of the last chat line received on this connection."""
        self._recent_chat: dict[int, tuple[str, str]] = {}
        """Role and text of recent chat lines, by number. A restarted host starts again at 1."""
        self._host_seq = -1
        self._is_in_sync = False
        self._last_compared = -1
        """Number of the record after which a view digest was last sent."""
        self._is_comparing = False
        """True while the full record is being fetched and compared."""
        self._is_full_refused = False
        """True if the full record could not be saved. It will be fetched again on the next start."""
        self._full_tries = 0
        self._is_closing = False
        self._failures_by_seq: dict[int, int] = {}
        self._log = log.bind(match=invite.match, role=invite.role)

    @property
    def is_live(self) -> bool:
        """Return whether the peer is connected and its copy agrees with the host's."""
        return (
            self._channel is not None
            and self.status.link is ConnectionState.CONNECTED
            and self._is_in_sync
        )

    @property
    def is_done(self) -> bool:
        """Return whether the game is over and the full record needs no further work."""
        return self.copy.is_revealed and not self._needs_full_record and not self._is_comparing

    @property
    def _needs_full_record(self) -> bool:
        return self.copy.needs_full_record and not self._is_full_refused

    @property
    def is_over(self) -> bool:
        """Return whether the connection has ended permanently."""
        return self.status.link in {ConnectionState.STOPPED, ConnectionState.CLOSED}

    # -- lifecycle

    def start(self) -> None:
        """Connect and stay connected until :meth:`close`."""
        assert self._task is None, "a peer must be started only once"
        if self._connect_in_process is None:
            forbid_core_dumps()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Notify the host that the peer is leaving, and close the record file."""
        self._is_closing = True
        channel, task = self._channel, self._task
        if channel is not None and self.status.link is ConnectionState.CONNECTED:
            with contextlib.suppress(FlagplotError):
                await channel.ask(encode(Leave(reason="")), 0.5)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self.copy.close()
        self._set_link(ConnectionState.CLOSED, "")

    async def _run(self) -> None:
        delay = RETRY_MIN_SECONDS
        while not self._is_closing:
            began = time.monotonic()
            try:
                await self._connect_and_follow()
            except ConnectionLostError as error:
                if self.status.link is ConnectionState.CONNECTED:
                    delay = RETRY_MIN_SECONDS
                self._set_link(ConnectionState.LOST, str(error))
            except (ProtocolError, UnreadableError) as error:
                if time.monotonic() - began > RETRY_MAX_SECONDS:
                    delay = RETRY_MIN_SECONDS  # the connection worked for a while, so retry soon
                self._set_link(ConnectionState.LOST, str(error))
            except BrokenChainError as error:
                self._set_link(ConnectionState.LOST, str(error))
                if self._has_failed_too_often(error.seq):
                    self._set_link(ConnectionState.STOPPED, str(error))
                    return
            except FlagplotError as error:
                if self._connect_in_process is None or not isinstance(error, StorageError):
                    self._set_link(ConnectionState.STOPPED, str(error))
                    return
                self._set_link(
                    ConnectionState.LOST, str(error)
                )  # the host's bot continues once the disk works again
            except Exception as error:  # noqa: BLE001  # outermost handler: waiters must be notified
                if self._connect_in_process is not None:
                    report_out_of_memory(error)
                self._log.exception("peer_crashed", seq=self.copy.seq)
                self._set_link(
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
        channel = await self._connect_to_host()
        try:
            answer = await handshake.authenticate(channel, self.invite)
            if isinstance(answer, Waiting):
                answer = await self._new_enrolment(channel).run(answer)
            self._adopt(answer)
            self._channel = channel
            await self._run_connection(channel)
        finally:
            self._channel = None
            await channel.close()

    async def _connect_to_host(self) -> RequestChannel:
        if self._connect_in_process is not None:  # a host's bot does not use the invite's addresses
            return await self._connect_in_process("", self.invite)
        problems: list[str] = []
        addresses = tuple(dict.fromkeys((*self._announced_address, *self.invite.addresses)))
        for address in addresses:
            try:
                return await connect(address, self.invite)
            except ConnectionLostError as error:
                problems.append(str(error))
        new_addresses = (
            () if self.find_addresses is None else await self.find_addresses(self.invite)
        )
        for address in (url for url in new_addresses if url not in addresses):
            try:
                channel = await connect(address, self.invite)
            except ConnectionLostError as error:
                problems.append(f"{error} (announced on the local network)")
                continue
            self._log.info("host_found_elsewhere", address=address)
            self._announced_address = (address,)
            return channel
        raise ConnectionLostError("; ".join(problems))

    def _new_enrolment(self, channel: RequestChannel) -> EnrolmentClient:
        if self.seat is not None:
            self.seat.restart_connection()
        return EnrolmentClient(
            channel,
            self.invite,
            self._show_waiting,
            self._wait_ms,
            self.copy,
            self.seat,
        )

    def _show_waiting(self, header: Header, waiting: Waiting) -> None:
        """Report the seats for which the match is waiting.

        Raises:
            SeatRefusedError: The host is using other rules.
        """
        self.copy.check_rules(header.game, waiting.rules)
        stopped_text = self._stopped_openings_text(waiting)
        rules = self.copy.ruleset
        missing_others = [role for role in waiting.missing if role != self.invite.role]
        reason = (
            "the seats are shuffling and dealing" if waiting.mode == "fair" else "the match begins"
        )
        if missing_others:
            reason = missing_players_text(rules, header, missing_others)
        mode: Mode = waiting.mode
        if waiting.undecided:
            reason = waiting.undecided
        elif waiting.waiting_for:
            reason = f"the match {waiting_for_text(rules, header, waiting.waiting_for, mode)}"
        if waiting.disk:
            consequence = reason if missing_others else "the match will begin once this is fixed"
            reason = f"{DISK_PROBLEMS[waiting.disk]}; {consequence}"
        self._set_link(ConnectionState.WAITING, sanitise(reason, REASON_LIMIT))
        present, mode_sentence = tuple(map(Role, waiting.present)), mode_text(rules, header, mode)
        self._set_status(
            msgspec.structs.replace(
                self.status,
                present=present,
                mode=mode_sentence,
                disk=waiting.disk,
                stopped_openings=stopped_text,
            )
        )

    def _stopped_openings_text(self, waiting: Waiting) -> str:
        """Return a sentence about earlier matches with this host that stopped after the deal; empty if there are none.

        The folder is searched on each new connection, and again when every seat has joined but this seat has not agreed
        yet.
        """
        seat = self.seat
        if seat is None:
            return ""
        is_first = self.status.link is not ConnectionState.WAITING
        if not seat.is_open and (is_first or not waiting.missing):
            seat.find_stopped_openings()
        text = stopped_openings_text(seat.stopped_openings)
        return f"{text[:1].upper()}{text[1:]}"

    def _adopt(self, welcome: Welcome) -> None:
        self.copy.adopt_header(welcome.header, welcome.rules)
        self._host_seq = welcome.seq
        if self.seat is not None:
            self.seat.restart_connection()
        self._last_chat_line = 0
        self._is_in_sync = False
        self._set_link(ConnectionState.CONNECTED, "")

    async def _run_connection(self, channel: RequestChannel) -> None:
        """Follow the host until the connection is lost or a reply is unreadable."""
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
        """End a connection after an unreadable reply. The peer reconnects after a delay."""
        if channel is self._channel and self._broken is not None:
            self._channel = None
            self._broken.set_exception(error)

    async def _measure_latency(self, channel: RequestChannel) -> None:
        token = 0
        while True:
            token += 1
            started = time.perf_counter()
            try:
                answer = await handshake.ask(channel, Ping(token=token), ASK_SECONDS)
                if not isinstance(answer, Pong):
                    raise ProtocolError(UNEXPECTED_ANSWER)
            except ProtocolError as error:
                self._break(channel, error)
                return
            latency = round((time.perf_counter() - started) * 1000)
            self._set_status(msgspec.structs.replace(self.status, latency_ms=latency))
            await asyncio.sleep(self._wait_ms / 1000)

    # -- following

    async def _follow(self, channel: RequestChannel) -> None:
        is_quiet = True
        while True:
            seq = self.copy.seq
            is_behind = seq < self._host_seq
            digest = None if is_behind else self._digest(is_quiet=is_quiet)
            wait = QUIET_MS if digest is None else self._wait_ms
            seat = self.seat if self.copy.has_transcript else None
            if is_behind or not self._is_in_sync or (seat is not None and seat.is_partial):
                wait = 0
            question = PollUpdates(
                seq=seq,
                chain=self.copy.chain,
                digest=digest,
                offset=self.copy.received_bytes,
                heard=self._last_chat_line,
                wait_ms=wait,
                pending=0 if seat is None else seat.received_bytes(seq),
                texts=0 if seat is None else seat.last_text,
            )
            answer = await handshake.ask(channel, question, wait / 1000 + GRACE_SECONDS)
            match answer:
                case Update():
                    self._is_in_sync = self._is_in_sync or not is_behind
                    self._apply_update(answer)
                    await self._send_due(channel)
                    await self._fetch_full_record(channel)
                case Desync():
                    await self._resynchronise(channel, answer)
                case _:
                    raise ProtocolError(UNEXPECTED_ANSWER)
            is_quiet = self.copy.seq == seq
            self._wake_waiters()

    def _digest(self, *, is_quiet: bool) -> bytes | None:
        """Return the digest of the view if views should be compared now; otherwise None.

        Digests are the most expensive part of processing a record, both here and on the host, so only some are compared
        when records arrive in quick succession. A bot in the host's process does not compare views while idle.
        """
        is_quiet = is_quiet and self._connect_in_process is None
        is_due = self.copy.seq - self._last_compared >= COMPARISON_INTERVAL or self.copy.is_revealed
        if self._is_in_sync and not (is_quiet or is_due):
            return None
        self._last_compared = self.copy.seq
        return self.copy.digest()

    def _apply_update(self, update: Update) -> None:
        self._host_seq = update.head
        records = self.copy.receive_all(map(self.decode_record, update.records))
        if update.part is not None:
            completed_record = self.copy.receive_part(update.part)
            records += [] if completed_record is None else [completed_record]
        if records:
            self._notify_records(tuple(records))
        for chat_line in update.chat:
            self._last_chat_line = max(self._last_chat_line, chat_line.number)
            if self._recent_chat.get(chat_line.number) != (chat_line.role, chat_line.text):
                self._recent_chat[chat_line.number] = chat_line.role, chat_line.text
                if len(self._recent_chat) > _MAX_CHAT_LINES:
                    del self._recent_chat[next(iter(self._recent_chat))]
                chat_event = Chatted(
                    role=sanitise(chat_line.role, NAME_LIMIT),
                    text=sanitise(chat_line.text, CHAT_LIMIT),
                )
                self._notify(chat_event)
        self.clock_readings, self.clock_readings_at = update.dials, time.monotonic()
        offer = update.offer
        if self.seat is not None and self.copy.has_transcript:
            present = tuple(presence.role for presence in update.presence if presence.present)
            self.seat.receive(update.transcript, self.copy.seq, present)
            offer = self.seat.open_offer  # a consent answers this offer, not the one from the host
        if offer != self.offer:
            self.offer = offer
            self._notify(OfferChanged(offer=offer))
        waiting_for = tuple(map(Role, update.waiting_for))
        self._update_status(update, waiting_for)

    async def _send_due(self, channel: RequestChannel) -> None:
        """In a match with a transcript, send the messages due from this seat. They need no action by the player.

        Raises:
            FoulPlayError: The host has signed something that no honest host would sign.
            StorageError: A write failed.
            ConnectionLostError: The host does not respond.
        """
        seat, copy = self.seat, self.copy
        if seat is None or not copy.has_transcript or copy.seq < self._host_seq:
            return
        if copy.outcome is not None:
            self._ended_at = self._ended_at or time.monotonic()
            waited_seconds = time.monotonic() - self._ended_at
            header = copy.header
            assert header is not None, "the copy must have a header"
            ack_wait = max(fair_terms(header).ack_wait, SHORTEST_ACK_WAIT)
            seat.update_seed_permission(is_wait_over=waited_seconds > ack_wait)
        post = seat.due_post()
        for part in () if post is None else split_post(post):
            answer = await handshake.ask(channel, part, ASK_SECONDS)
            if isinstance(answer, Refused):
                self._log.info("post_refused", code=answer.code, text=answer.text)
                if answer.code == "unavailable":
                    seat.restart_connection()
                    await asyncio.sleep(RETRY_MIN_SECONDS)
                return
            if not isinstance(answer, Accepted):
                raise ProtocolError(UNEXPECTED_ANSWER)

    async def _fetch_full_record(self, channel: RequestChannel) -> None:
        """Obtain the full record of a finished game and compare it with the copy.

        The record is fetched from the host or, if the seats deal the cards, computed locally.

        Raises:
            ConnectionLostError: The host does not respond.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        if not self._needs_full_record or self.copy.seq < self._host_seq:
            return
        self._is_comparing = True
        try:
            problem = await self._full_record_problem(channel)
            fault = await self._check_secrets(has_problem=bool(problem))
        finally:
            self._is_comparing = False
        if problem is not None or fault:
            path = self.copy.full_path
            self._notify(FullRecordReceived(path=path, difference=problem or "", fault=fault))

    async def _full_record_problem(self, channel: RequestChannel) -> str | None:
        """Return how the full record differs from the copy; empty if it does not, None if it could not be saved.

        Raises:
            ConnectionLostError: The host does not respond.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        try:
            if self.copy.deals:
                return await asyncio.to_thread(self.copy.compute_full_record)
            data = await full_record.fetch_record(channel)
            return await asyncio.to_thread(self.copy.save_full_record, data)
        except (ProtocolError, StorageError) as error:
            self._full_tries += 1
            if isinstance(error, ProtocolError) and self._full_tries < _MAX_FULL_TRIES:
                raise
            self._is_full_refused = True
            self._log.warning("full_record_not_kept", error=str(error))
            return None

    async def _check_secrets(self, *, has_problem: bool) -> str:
        """Check the revealed secrets and save any evidence of foul play. Return a phrase that names its location.

        A dealing host's secret is always checked: even if the host cheated with the dice, its record agrees with what
        it sent. If the seats deal, the full copy is computed from their seeds, so these are checked only if it differs.
        """
        seat, copy = self.seat, self.copy
        if seat is None or not copy.has_transcript or (copy.deals and not has_problem):
            return ""
        evidence = await asyncio.to_thread(seat.audit())
        return seat.save_evidence(evidence) if evidence else ""

    def _notify_records(self, records: tuple[Record, ...]) -> None:
        is_silent = not self._is_in_sync or self.copy.seq < self._host_seq or len(records) > 1
        self._notify(RecordsReceived(records=records, is_silent=is_silent))

    def _update_status(self, update: Update, waiting_for: tuple[Role, ...]) -> None:
        present = tuple(Role(seat.role) for seat in update.presence if seat.present)
        absent = tuple(Role(seat.role) for seat in update.presence if not seat.present)
        self._set_status(
            msgspec.structs.replace(
                self.status,
                present=present,
                absent=absent,
                spectators=update.spectators,
                waiting_for=waiting_for,
                may_stop=update.may_stop,
                disk=update.disk,
            )
        )

    async def _resynchronise(self, channel: RequestChannel, desync: Desync) -> None:
        """Save the ends of both logs, and return to the last record on which both sides agree.

        Raises:
            SeatRefusedError: The same record has differed too often, or signed messages make it impossible to return.
            FoulPlayError: The host's history differs from the one that it sent to this seat.
        """
        seq = desync.seq
        self._log.error("out_of_step", seq=seq, agreed=desync.agreed_seq)
        report = self.copy.save_report(desync)
        own_digest = self.copy.digest()
        if own_digest is not None:
            tail = Tail(seq=self.copy.seq, digest=own_digest, records=self.copy.tail())
            await handshake.ask(channel, tail, ASK_SECONDS)
        if self.copy.has_transcript and desync.digest is None:
            raise FoulPlayError(
                f"the host's history of this match differs from the one it sent to this seat; see {report or 'the log'}"
            )
        is_signed = self.seat is not None and self.copy.has_transcript
        if is_signed or self._has_failed_too_often(seq):  # signed messages cannot be taken back
            raise SeatRefusedError(
                f"the host and this program disagree about record {seq}; see {report or 'the log'}"
            )
        agreed_seq = self.copy.rewind(desync.agreed_seq, desync.agreed_chain)
        self._is_in_sync = False
        self._notify(ViewsDiffered(seq=seq, agreed_seq=agreed_seq, report_path=report))

    def _has_failed_too_often(self, seq: int) -> bool:
        self._failures_by_seq[seq] = self._failures_by_seq.get(seq, 0) + 1
        return self._failures_by_seq[seq] > _MAX_DIFFERENCES

    # -- notifications

    def listen(self, listener: Callable[[PeerEvent], None]) -> Callable[[], None]:
        """Subscribe a listener to all future events, and return a function that unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition is met that depends on the copy or the connection."""
        while not condition():
            await self._changed.wait()

    def _notify(self, event: PeerEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)
        self._wake_waiters()

    def wake(self) -> None:
        """Wake all waiters so that they recheck their conditions."""
        self._wake_waiters()

    def _wake_waiters(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _set_link(self, link: ConnectionState, reason: str) -> None:
        is_connected = link is ConnectionState.CONNECTED
        latency = self.status.latency_ms if is_connected else None
        self._set_status(
            msgspec.structs.replace(
                self.status,
                link=link,
                reason=reason,
                latency_ms=latency,
                disk=self.status.disk if is_connected else "",
            )
        )

    def _set_status(self, status: Status) -> None:
        if status != self.status:
            self.status = status
            self._notify(StatusChanged(status=status))
