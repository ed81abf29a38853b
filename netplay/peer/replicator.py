"""A peer's background work: connect, authenticate, catch up, follow the match, and reconnect."""

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
from netplay.fair.seat import FairSeat, parts_of
from netplay.fair.waiting_messages import begins_when, earlier_told, mode_told, waits_for
from netplay.invites.invite import Invite
from netplay.match_state import full_record
from netplay.peer.enrolment import Enrolling
from netplay.peer.seat_replica import SeatCopy
from netplay.peer.status import (
    Chatted,
    FullRecordCame,
    Link,
    OfferChanged,
    PeerEvent,
    RecordsCame,
    Status,
    StatusChanged,
    ViewsDiffered,
)
from netplay.system.core_dumps import forbid_core_dumps
from netplay.system.disk_state import DISK_WORDS
from netplay.system.out_of_memory import report
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
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, REASON_LIMIT, clean
from play.clock_readings import ClockReading
from saves.errors import BrokenChainError, StorageError, UnreadableError
from saves.fair.setup import terms_of
from saves.fair.terms import SHORTEST_ACK_WAIT
from saves.headers import Header
from saves.modes import Mode
from saves.records import Record, decode_record

log = structlog.get_logger()

WAIT_MS: Final = 4_000
"""Maximum time that the host may hold a request for updates; also the interval between latency measurements."""
GRACE_SECONDS: Final = 4.0
"""Additional time before the host is considered unreachable."""
ASK_SECONDS: Final = 8.0
RETRY_MIN_SECONDS: Final = 0.1
RETRY_MAX_SECONDS: Final = 5.0
COMPARE_EVERY: Final = 8
"""Views are compared after this many records ..."""
QUIET_MS: Final = 500
"""... or after this long without a new record."""
UNASKED: Final = "the host sent an unexpected reply"
_SAID_KEPT: Final = 200
"""Number of recent chat lines stored to detect repeats. A host repeats fewer lines than this."""
_MOST_DIFFERENCES: Final = 2
"""How often the same record may differ before the peer gives up."""
_FULL_TRIES: Final = 3
"""Number of connections on which to request the full record before unreadable replies make the peer give up."""


class Replicator:
    """Keeps a seat's copy of the match in sync with the host."""

    def __init__(
        self,
        invite: Invite,
        copy: SeatCopy,
        wait_ms: int | None = None,
        house: Connect | None = None,
        seat: FairSeat | None = None,
    ) -> None:
        """Initialise the replicator; nothing is sent yet.

        Args:
            invite: The invite, with the seat and the host's addresses.
            copy: The seat's local copy of the match.
            wait_ms: Maximum time that the host may hold a request for updates; None for the default.
            house: Connects a bot to the host that runs it; None to use the network.
            seat: Signs the seat's messages; None for a spectator, or without a folder.
        """
        self.invite = invite
        self.copy = copy
        self.seat = seat
        self._ended_at: float | None = None
        """The ``time.monotonic`` time at which this program saw the match end."""
        self._house = house
        self._wait_ms = WAIT_MS if wait_ms is None else wait_ms
        self.find_addresses: FindAddresses | None = None
        """Searches for the host's announcements if no address in the invite works."""
        self._found_at: tuple[str, ...] = ()
        """Address at which an announcement last led to the host."""
        self.read: Callable[[bytes], Record] = decode_record
        """Decodes a record."""
        self.status = Status()
        self.offer: OpenOffer | None = None
        """The open offer, if there is one."""
        self.dials: tuple[ClockReading, ...] = ()
        """The most recent clock readings from the host."""
        self.dials_at = 0.0
        """The ``time.monotonic`` time at which they were received."""
        self._line: RequestChannel | None = None
        self._broken: asyncio.Future[None] | None = None
        """Fails when any request on this connection gets an unreadable reply."""
        self._task: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[PeerEvent], None]] = []
        self._bell = asyncio.Event()
        self._heard = 0
        """Number of the last chat line received on this connection."""
        self._said: dict[int, tuple[str, str]] = {}
        """Role and text of recent chat lines, by number. A restarted host starts again at 1."""
        self._head = -1
        self._in_step = False
        self._compared = -1
        """Record number of the last view whose digest was sent."""
        self._is_comparing = False
        """True while the full record is being fetched and compared."""
        self._is_full_refused = False
        """True if the full record could not be saved; it will be fetched again on the next start."""
        self._full_tries = 0
        self._is_closing = False
        self._troubles: dict[int, int] = {}
        self._log = log.bind(match=invite.match, role=invite.role)

    @property
    def is_live(self) -> bool:
        """Return whether the peer is connected and its copy agrees with the host's."""
        return self._line is not None and self.status.link is Link.CONNECTED and self._in_step

    @property
    def is_done(self) -> bool:
        """Return whether the game is over and nothing remains to be done with the full record."""
        return self.copy.is_revealed and not self._awaits_full and not self._is_comparing

    @property
    def _awaits_full(self) -> bool:
        return self.copy.wants_full and not self._is_full_refused

    @property
    def is_over(self) -> bool:
        """Return whether the connection has ended for good."""
        return self.status.link in {Link.STOPPED, Link.CLOSED}

    # -- lifecycle

    def start(self) -> None:
        """Connect and stay connected until :meth:`close`."""
        assert self._task is None, "a peer starts once"
        if self._house is None:
            forbid_core_dumps()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Say goodbye and close the record file."""
        self._is_closing = True
        line, task = self._line, self._task
        if line is not None and self.status.link is Link.CONNECTED:
            with contextlib.suppress(FlagplotError):
                await line.ask(encode(Leave(reason="")), 0.5)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        self.copy.close()
        self._show(Link.CLOSED, "")

    async def _run(self) -> None:
        delay = RETRY_MIN_SECONDS
        while not self._is_closing:
            began = time.monotonic()
            try:
                await self._session()
            except ConnectionLostError as error:
                if self.status.link is Link.CONNECTED:
                    delay = RETRY_MIN_SECONDS
                self._show(Link.LOST, str(error))
            except (ProtocolError, UnreadableError) as error:
                if time.monotonic() - began > RETRY_MAX_SECONDS:
                    delay = (
                        RETRY_MIN_SECONDS  # the connection had worked for a while, so retry soon
                    )
                self._show(Link.LOST, str(error))
            except BrokenChainError as error:
                self._show(Link.LOST, str(error))
                if self._is_hopeless(error.seq):
                    self._show(Link.STOPPED, str(error))
                    return
            except FlagplotError as error:
                if self._house is None or not isinstance(error, StorageError):
                    self._show(Link.STOPPED, str(error))
                    return
                self._show(
                    Link.LOST, str(error)
                )  # a host's bot continues once the disk works again
            except Exception as error:  # noqa: BLE001  # outermost handler: waiters must be notified
                if self._house is not None:
                    report(error)
                self._log.exception("peer_crashed", seq=self.copy.seq)
                self._show(Link.STOPPED, "an internal error occurred in this program; see its log")
                return
            await self._wait_to_retry(delay)
            delay = min(delay * 2, RETRY_MAX_SECONDS)

    async def _wait_to_retry(self, seconds: float) -> None:
        await asyncio.sleep(seconds * random.uniform(0.7, 1.3))  # noqa: S311  # spreads the load

    async def _session(self) -> None:
        """Connect and follow the match until an error ends the connection."""
        line = await self._dial()
        try:
            answer = await handshake.take_seat(line, self.invite)
            if isinstance(answer, Waiting):
                answer = await self._enrolling(line).run(answer)
            self._adopt(answer)
            self._line = line
            await self._play(line)
        finally:
            self._line = None
            await line.close()

    async def _dial(self) -> RequestChannel:
        if self._house is not None:  # a host's bot does not use the invite's addresses
            return await self._house("", self.invite)
        problems: list[str] = []
        tried = tuple(dict.fromkeys((*self._found_at, *self.invite.addresses)))
        for address in tried:
            try:
                return await connect(address, self.invite)
            except ConnectionLostError as error:
                problems.append(str(error))
        found = () if self.find_addresses is None else await self.find_addresses(self.invite)
        for address in (one for one in found if one not in tried):
            try:
                line = await connect(address, self.invite)
            except ConnectionLostError as error:
                problems.append(f"{error} (announced on the local network)")
                continue
            self._log.info("host_found_elsewhere", address=address)
            self._found_at = (address,)
            return line
        raise ConnectionLostError("; ".join(problems))

    def _enrolling(self, line: RequestChannel) -> Enrolling:
        if self.seat is not None:
            self.seat.again()
        return Enrolling(
            line,
            self.invite,
            self._hear_waiting,
            self._wait_ms,
            self.copy,
            self.seat,
        )

    def _hear_waiting(self, header: Header, told: Waiting) -> None:
        """Report which seats the match is waiting for.

        Raises:
            SeatRefusedError: The host is using other rules.
        """
        self.copy.check_rules(header.game, told.rules)
        earlier = self._earlier(told)
        rules = self.copy.ruleset
        others = [role for role in told.missing if role != self.invite.role]
        reason = (
            "the seats are shuffling and dealing" if told.mode == "fair" else "the match begins"
        )
        if others:
            reason = begins_when(rules, header, others)
        mode: Mode = told.mode
        if told.undecided:
            reason = told.undecided
        elif told.waiting_for:
            reason = f"the match {waits_for(rules, header, told.waiting_for, mode)}"
        if told.disk:
            consequence = reason if others else "the match will begin once this is fixed"
            reason = f"{DISK_WORDS[told.disk]}; {consequence}"
        self._show(Link.WAITING, clean(reason, REASON_LIMIT))
        present, words = tuple(map(Role, told.present)), mode_told(rules, header, mode)
        self._change(
            msgspec.structs.replace(
                self.status, present=present, mode=words, disk=told.disk, earlier=earlier
            )
        )

    def _earlier(self, told: Waiting) -> str:
        """Return a sentence about earlier matches with this host that stopped after the deal; empty if there are none.

        The folder is read on each connection, and once more when every seat has joined but this seat has not agreed
        yet.
        """
        seat = self.seat
        if seat is None:
            return ""
        is_first = self.status.link is not Link.WAITING
        if not seat.is_open and (is_first or not told.missing):
            seat.look_for_earlier()
        words = earlier_told(seat.earlier)
        return f"{words[:1].upper()}{words[1:]}"

    def _adopt(self, welcome: Welcome) -> None:
        self.copy.adopt(welcome.header, welcome.rules)
        self._head = welcome.seq
        if self.seat is not None:
            self.seat.again()
        self._heard = 0
        self._in_step = False
        self._show(Link.CONNECTED, "")

    async def _play(self, line: RequestChannel) -> None:
        """Follow the host until the connection is lost or a reply is unreadable."""
        broken = self._broken = asyncio.get_running_loop().create_future()
        following = asyncio.create_task(self._follow(line))
        pings = asyncio.create_task(self._measure(line))
        try:
            await asyncio.wait((broken, following), return_when=asyncio.FIRST_COMPLETED)
            if broken.done():
                broken.result()
            following.result()
        finally:
            self._broken = None
            for each in (broken, following, pings):
                each.cancel()
            await asyncio.gather(broken, following, pings, return_exceptions=True)

    def _break(self, line: RequestChannel, error: ProtocolError) -> None:
        """End a connection after an unreadable reply. The peer reconnects after a delay."""
        if line is self._line and self._broken is not None:
            self._line = None
            self._broken.set_exception(error)

    async def _measure(self, line: RequestChannel) -> None:
        token = 0
        while True:
            token += 1
            started = time.perf_counter()
            try:
                answer = await handshake.ask(line, Ping(token=token), ASK_SECONDS)
                if not isinstance(answer, Pong):
                    raise ProtocolError(UNASKED)
            except ProtocolError as error:
                self._break(line, error)
                return
            latency = round((time.perf_counter() - started) * 1000)
            self._change(msgspec.structs.replace(self.status, latency_ms=latency))
            await asyncio.sleep(self._wait_ms / 1000)

    # -- following

    async def _follow(self, line: RequestChannel) -> None:
        is_quiet = True
        while True:
            seq = self.copy.seq
            is_behind = seq < self._head
            digest = None if is_behind else self._digest(is_quiet=is_quiet)
            wait = QUIET_MS if digest is None else self._wait_ms
            seat = self.seat if self.copy.has_transcript else None
            if is_behind or not self._in_step or (seat is not None and seat.is_partial):
                wait = 0
            question = PollUpdates(
                seq=seq,
                chain=self.copy.chain,
                digest=digest,
                offset=self.copy.part_bytes,
                heard=self._heard,
                wait_ms=wait,
                pending=0 if seat is None else seat.held(seq),
                texts=0 if seat is None else seat.heard,
            )
            answer = await handshake.ask(line, question, wait / 1000 + GRACE_SECONDS)
            match answer:
                case Update():
                    self._in_step = self._in_step or not is_behind
                    self._take(answer)
                    await self._post(line)
                    await self._fetch_full(line)
                case Desync():
                    await self._realign(line, answer)
                case _:
                    raise ProtocolError(UNASKED)
            is_quiet = self.copy.seq == seq
            self._ring()

    def _digest(self, *, is_quiet: bool) -> bytes | None:
        """Return the digest of the view if it should be compared now; otherwise None.

        Digests are the most expensive part of handling a record, both here and on the host, so only some are compared
        when records arrive in quick succession. A bot that runs next to its host does not compare while idle.
        """
        is_quiet = is_quiet and self._house is None
        is_due = self.copy.seq - self._compared >= COMPARE_EVERY or self.copy.is_revealed
        if self._in_step and not (is_quiet or is_due):
            return None
        self._compared = self.copy.seq
        return self.copy.digest()

    def _take(self, news: Update) -> None:
        self._head = news.head
        came = self.copy.receive_all(map(self.read, news.records))
        if news.part is not None:
            whole = self.copy.receive_part(news.part)
            came += [] if whole is None else [whole]
        if came:
            self._tell_records(tuple(came))
        for line in news.chat:
            self._heard = max(self._heard, line.number)
            if self._said.get(line.number) != (line.role, line.text):
                self._said[line.number] = line.role, line.text
                if len(self._said) > _SAID_KEPT:
                    del self._said[next(iter(self._said))]
                said = Chatted(role=clean(line.role, NAME_LIMIT), text=clean(line.text, CHAT_LIMIT))
                self._tell(said)
        self.dials, self.dials_at = news.dials, time.monotonic()
        offer = news.offer
        if self.seat is not None and self.copy.has_transcript:
            present = tuple(one.role for one in news.presence if one.present)
            self.seat.take(news.transcript, self.copy.seq, present)
            offer = self.seat.open_offer  # a consent answers this offer, not the one from the host
        if offer != self.offer:
            self.offer = offer
            self._tell(OfferChanged(offer=offer))
        late = tuple(map(Role, news.waiting_for))
        self._seat(news, late)

    async def _post(self, line: RequestChannel) -> None:
        """In a match with a transcript, send the messages due from this seat without asking the player.

        Raises:
            FoulPlayError: The host has signed something that no honest host would sign.
            StorageError: A write failed.
            ConnectionLostError: The host does not respond.
        """
        seat, copy = self.seat, self.copy
        if seat is None or not copy.has_transcript or copy.seq < self._head:
            return
        if copy.outcome is not None:
            self._ended_at = self._ended_at or time.monotonic()
            waited = time.monotonic() - self._ended_at
            header = copy.header
            assert header is not None, "there is a copy"
            wait = max(terms_of(header).ack_wait, SHORTEST_ACK_WAIT)
            seat.allow_seed(is_wait_over=waited > wait)
        post = seat.due()
        for part in () if post is None else parts_of(post):
            answer = await handshake.ask(line, part, ASK_SECONDS)
            if isinstance(answer, Refused):
                self._log.info("post_refused", code=answer.code, text=answer.text)
                if answer.code == "unavailable":
                    seat.again()
                    await asyncio.sleep(RETRY_MIN_SECONDS)
                return
            if not isinstance(answer, Accepted):
                raise ProtocolError(UNASKED)

    async def _fetch_full(self, line: RequestChannel) -> None:
        """Obtain a finished game's full record and compare it with the copy.

        The record is fetched from the host or, if the seats deal the cards, computed locally.

        Raises:
            ConnectionLostError: The host does not respond.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        if not self._awaits_full or self.copy.seq < self._head:
            return
        self._is_comparing = True
        try:
            problem = await self._full_problem(line)
            fault = await self._fault(has_problem=bool(problem))
        finally:
            self._is_comparing = False
        if problem is not None or fault:
            path = self.copy.full_path
            self._tell(FullRecordCame(path=path, difference=problem or "", fault=fault))

    async def _full_problem(self, line: RequestChannel) -> str | None:
        """Explain how the full record differs from the copy; empty if it does not, None if it was not saved.

        Raises:
            ConnectionLostError: The host does not respond.
            ProtocolError: The host's reply is invalid. The record is requested again on the next connection.
        """
        try:
            if self.copy.deals:
                return await asyncio.to_thread(self.copy.make_full)
            data = await full_record.fetch(line)
            return await asyncio.to_thread(self.copy.keep_full, data)
        except (ProtocolError, StorageError) as error:
            self._full_tries += 1
            if isinstance(error, ProtocolError) and self._full_tries < _FULL_TRIES:
                raise
            self._is_full_refused = True
            self._log.warning("full_record_not_kept", error=str(error))
            return None

    async def _fault(self, *, has_problem: bool) -> str:
        """Check the revealed secrets, save any evidence of foul play, and return a sentence giving its location.

        A dealing host's secret is always checked, because its record agrees with what it sent even if it cheated with
        the dice. If the seats deal, the full copy was computed from their seeds, so it is checked only after a desync.
        """
        seat, copy = self.seat, self.copy
        if seat is None or not copy.has_transcript or (copy.deals and not has_problem):
            return ""
        found = await asyncio.to_thread(seat.audit())
        return seat.saved(found) if found else ""

    def _tell_records(self, records: tuple[Record, ...]) -> None:
        silent = not self._in_step or self.copy.seq < self._head or len(records) > 1
        self._tell(RecordsCame(records=records, silent=silent))

    def _seat(self, news: Update, late: tuple[Role, ...]) -> None:
        present = tuple(Role(seat.role) for seat in news.presence if seat.present)
        absent = tuple(Role(seat.role) for seat in news.presence if not seat.present)
        self._change(
            msgspec.structs.replace(
                self.status,
                present=present,
                absent=absent,
                spectators=news.spectators,
                waiting_for=late,
                may_stop=news.may_stop,
                disk=news.disk,
            )
        )

    async def _realign(self, line: RequestChannel, difference: Desync) -> None:
        """Save the tails of both logs, and go back to the last record on which both sides agree.

        Raises:
            SeatRefusedError: The same record has differed too often, or signed messages rule out going back.
            FoulPlayError: The host's history differs from the one that all seats signed.
        """
        seq = difference.seq
        self._log.error("out_of_step", seq=seq, agreed=difference.agreed_seq)
        bundle = self.copy.keep_difference(difference)
        ours = self.copy.digest()
        if ours is not None:
            tail = Tail(seq=self.copy.seq, digest=ours, records=self.copy.tail())
            await handshake.ask(line, tail, ASK_SECONDS)
        if self.copy.has_transcript and difference.digest is None:
            raise FoulPlayError(
                f"the host's history of this match differs from the one it sent to this seat; see {bundle or 'the log'}"
            )
        is_signed = self.seat is not None and self.copy.has_transcript
        if is_signed or self._is_hopeless(seq):  # signed messages cannot be taken back
            raise SeatRefusedError(
                f"the host and this program disagree about record {seq}; see {bundle or 'the log'}"
            )
        agreed = self.copy.rewind(difference.agreed_seq, difference.agreed_chain)
        self._in_step = False
        self._tell(ViewsDiffered(seq=seq, agreed_seq=agreed, bundle=bundle))

    def _is_hopeless(self, seq: int) -> bool:
        self._troubles[seq] = self._troubles.get(seq, 0) + 1
        return self._troubles[seq] > _MOST_DIFFERENCES

    # -- notifications

    def listen(self, listener: Callable[[PeerEvent], None]) -> Callable[[], None]:
        """Subscribe a listener to all future events, and return a function that unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on the copy or the connection is met."""
        while not condition():
            await self._bell.wait()

    def _tell(self, event: PeerEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)
        self._ring()

    def wake(self) -> None:
        """Wake all waiters so that they recheck their conditions."""
        self._ring()

    def _ring(self) -> None:
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()

    def _show(self, link: Link, reason: str) -> None:
        keep = link is Link.CONNECTED
        latency = self.status.latency_ms if keep else None
        self._change(
            msgspec.structs.replace(
                self.status,
                link=link,
                reason=reason,
                latency_ms=latency,
                disk=self.status.disk if keep else "",
            )
        )

    def _change(self, status: Status) -> None:
        if status != self.status:
            self.status = status
            self._tell(StatusChanged(status=status))
