"""The matches running in one process, with their connected seats and host bots.

A match server does everything a host does apart from listening on its address. A host without workers has one
``MatchServer`` in its own process. Otherwise each worker process has one.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.registry import AnyRuleset
from netplay.fair.message_server import TranscriptDesk
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.pending_messages import SUFFIX as PENDING
from netplay.feed.host_session import HostSession
from netplay.feed.reminders import ReminderRunner
from netplay.feed.shared_records import SharedRecords
from netplay.invites.identity import Authority
from netplay.invites.invite import Invite
from netplay.invites.invite_rotation import keys_of
from netplay.invites.pending_match_file import header_in, is_waiting
from netplay.invites.seating import Seating
from netplay.journal.host_key_file import read_host_key
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import LoadResult, MatchOverview, Reply
from netplay.match.match_table import MatchTable
from netplay.match.pending_match import PendingMatch
from netplay.match_state.chat_and_offers import ChatAndOffers
from netplay.match_state.full_record import told_piece
from netplay.match_state.match_state_file import SUFFIX as TABLE_SUFFIX
from netplay.match_state.match_state_file import TableFile
from netplay.system.awake_clock import LOST_SECONDS, AwakeClock
from netplay.system.disk_state import DISK_WORDS, FolderDisk
from netplay.system.out_of_memory import report
from netplay.transport.in_process import InProcessConnection
from netplay.transport.listener import Request
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
    Offer,
    OfferAnswer,
    Ping,
    PollUpdates,
    Pong,
    PostPart,
    Proof,
    Question,
    Refused,
    Rules,
    Say,
    Submit,
    Tail,
    Wait,
    Waiting,
    Welcome,
    decode_question,
    encode,
)
from netplay.wire.sanitising import REASON_LIMIT, clean
from netplay.workers.admission import Admission, Admitted
from netplay.workers.host_bots import HouseBots
from netplay.workers.in_flight_marker import Marks
from saves.disk import trouble_of
from saves.errors import MatchError, StorageError
from saves.headers import encode_header
from saves.logfile import SUFFIX, read_header
from saves.match import Match

log = structlog.get_logger()

BUNDLE_FOLDER: Final = "differs"
_TICK_SECONDS: Final = 0.5
_DISK_THREADS: Final = 16
"""Number of disk operations that may block at once, so that a match on a stuck file system does not hold up others."""
REST_SECONDS: Final = 30.0
"""How long a finished match stays open after the last peer has left."""
_HERE: Final = "this process"
_OLDER: Final = (
    "this match was started with an earlier protocol for joint chance: its record can be read and verified, but play"
    " cannot continue"
)
_FAILED: Final = "an internal error occurred in the host"


class Result(msgspec.Struct, frozen=True):
    """What remains in memory for a finished match without connections. Everything else is in its record."""

    standing: MatchOverview
    said: ChatAndOffers


class MatchServer:
    """Runs matches in this process. Implements ``netplay.match.match_backend.MatchBackend``."""

    def __init__(
        self,
        folder: Path,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        manner: HostConfig | None = None,
        marks: Marks | None = None,
    ) -> None:
        """Start with no open matches.

        Args:
            folder: Folder for records, keys and divergence reports.
            rulesets: Looks up a game's rules.
            manner: Host settings; None for the defaults.
            marks: Marks the match that this process is working on, so that a crash can be attributed; None to mark
                none.
        """
        self.folder = folder
        self.manner = manner or HostConfig()
        self.tables: dict[str, MatchTable] = {}
        """Open matches that have begun, by id."""
        self.rooms: dict[str, PendingMatch] = {}
        """Matches that have not begun, by id."""
        self.records = SharedRecords()
        """Decoded records, shared with the copies belonging to bots in this process."""
        self._seatings: dict[str, Seating] = {}
        """The seats and keys for every match run here, by match id."""
        self._results: dict[str, Result] = {}
        """Finished matches that are no longer open, by id."""
        self._rulesets = rulesets
        self._marks = marks
        self._admission: Admission | None = None
        self._sessions: dict[int, tuple[HostSession, MatchTable | PendingMatch]] = {}
        self._bots: HouseBots | None = None
        self._clock = AwakeClock()
        self._directly = 0
        """Number of the latest in-process connection; these numbers count down from -1."""
        self._ticker: asyncio.Task[None] | None = None
        self._caller = ReminderRunner(self.manner.remind) if self.manner.remind else None
        self._disk = ThreadPoolExecutor(_DISK_THREADS, "flagplot-disk")
        self._folder_disk = FolderDisk(folder, self._disk, self._disk_changed)

    # -- lifecycle

    def start(self, authority: Authority) -> None:
        """Start admitting seats whose keys this authority has signed."""
        self._admission = Admission(authority, self._seatings)
        self.suspect_disk()
        self._ticker = asyncio.create_task(self._tick())

    def suspect_disk(self) -> None:
        """Schedule a test of the folder's disk."""
        self._folder_disk.suspect()

    def _disk_changed(self) -> None:
        """Notify every match that the folder's disk has started or stopped rejecting writes."""
        for table in self.tables.values():
            table.disk_changed()
        for room in self.rooms.values():
            room.disk_changed()

    async def close(self, reason: str) -> None:
        """Say goodbye to all peers, and close every record once pending writes have finished."""
        if self._bots is not None:
            await self._bots.stop()
        if self._ticker is not None:
            self._ticker.cancel()
        await asyncio.gather(*(room.close(reason) for room in (*self.rooms.values(),)))
        # a match that began in the meantime now has a table
        await asyncio.gather(*(table.close(reason) for table in self.tables.values()))
        if self._caller is not None:
            await self._caller.close()
        await self._folder_disk.close()
        self._disk.shutdown(wait=False)

    def take(self, match: str) -> "asyncio.Future[LoadResult]":
        """Open a match from its record. The returned future is already done, with the result or the error."""
        taken: asyncio.Future[LoadResult] = asyncio.get_running_loop().create_future()
        try:
            with self.at(match):
                taken.set_result(self._take(match))
        except FlagplotError as error:
            taken.set_exception(error)
        return taken

    def _take(self, name: str) -> LoadResult:
        if name in self.rooms or (not self.holds(name) and is_waiting(self.folder, name)):
            self._let_wait(name)
            return LoadResult(records=0, is_over=False)
        if name in self._results:
            standing = self._results[name].standing
            return LoadResult(records=standing.records, is_over=standing.is_over)
        table = self.table(name)
        match = table.match
        if match.is_revealed and not table.sessions:
            table.let_go()
            self._rest(table)
        return LoadResult(records=match.seq + 1, is_over=match.is_revealed)

    def holds(self, match: str) -> bool:
        """Return whether a match belongs to this server, even if it is not currently open."""
        return match in self._seatings

    def table(self, name: str) -> MatchTable:
        """Return an open match, opening it first if necessary.

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
        kind = OrderedMatch[Any] if is_fair else Match[Any]
        match = kind.resume(path, self._rulesets(header.game), must_write=False)
        if match.pledges.is_joint and not match.is_revealed:
            match.close()
            raise MatchError(_OLDER)
        if match.trouble:
            log.error("disk_refuses", match=name, trouble=match.trouble)
        if match.dropped:
            log.warning("torn_end_dropped", match=name, text=match.dropped)
        if match.rules_changed:
            log.warning("rules_changed", match=name, game=match.header.game)
        result = self._results.pop(name, None)
        self._seatings[name] = Seating(match.header, keys_of(self.folder, name))
        said = None if result is None else result.said
        self._seat(match, said, self._desk_of(match) if isinstance(match, OrderedMatch) else None)

    def _desk_of(self, match: OrderedMatch[Any]) -> TranscriptDesk:
        """Create the object that receives the seats' signed messages in a match that has begun.

        Raises:
            FlagplotError: One of the host's files is missing or damaged.
        """
        name = match.header.match_id
        try:
            match.use_key(read_host_key(self.folder, name))
            path = self.folder / f"{name}{PENDING}"
            return TranscriptDesk(match, path, self._clock.now)
        except FlagplotError:
            match.close()
            raise

    def _seat(
        self,
        match: Match[Any],
        said: ChatAndOffers | None = None,
        desk: TranscriptDesk | None = None,
    ) -> MatchTable:
        """Open the table for a match that has begun."""
        name = match.header.match_id
        file = TableFile(self.folder / f"{name}{TABLE_SUFFIX}")
        bundles, caller = self.folder / BUNDLE_FOLDER, self._caller
        table = MatchTable(
            match,
            bundles,
            self._disk,
            file,
            self.manner,
            caller,
            said,
            self.records,
            self._clock.now,
            self._folder_disk,
            desk,
        )
        self.tables[table.id] = table
        return table

    def _let_wait(self, name: str) -> None:
        """Open a match that has not begun."""
        if name not in self.rooms:
            header = header_in(self.folder, name)
            seating = Seating(header, keys_of(self.folder, name))
            rules = self._rulesets(header.game)
            room = PendingMatch(
                self.folder,
                rules,
                seating,
                self._disk,
                self._begun,
                self._clock.now,
                self._folder_disk,
            )
            self.rooms[name], self._seatings[name] = room, seating

    def _begun(self, room: PendingMatch, desk: TranscriptDesk) -> None:
        """Replace a pending match with a table, moving its connections there."""
        del self.rooms[room.id]
        table = self._seat(desk.match, desk=desk)
        for line, session in room.attendance.sessions.items():
            self._sessions[line] = (session, table)
            session.told = -1
            table.join(session)

    def _rest(self, table: MatchTable) -> None:
        """Close a finished match, keeping only its result in memory."""
        self._results[table.id] = Result(table.standing(), table.parley)
        table.parley.changed = _nobody_listens
        del self.tables[table.id]

    def play(self, match: str) -> None:
        """Start those of a match's bots that are not running yet."""
        held = self.rooms.get(match) or self.tables.get(match)
        if held is None:
            return  # finished and no longer open
        if self._bots is None:
            manner = self.manner
            self._bots = HouseBots(self, self._rulesets, manner.bot_pause, manner.bot_seconds)
        header = held.header if isinstance(held, PendingMatch) else held.match.header
        seats = header.seats
        self._bots.run(match, {seat.role: seat.player for seat in seats})

    async def discard(self, match: str, reason: str) -> None:
        """Close a match and say goodbye to its peers."""
        del self._seatings[match]
        self._results.pop(match, None)
        table = self.tables.pop(match, None)
        if table is not None:
            await table.close(reason)
        room = self.rooms.pop(match, None)
        if room is not None:
            await room.close(reason)

    async def _tick(self) -> None:
        while True:
            self._folder_disk.tick()
            for table in tuple(self.tables.values()):
                table.finish()
                if table.sessions or table.attendance.present:
                    table.refresh_presence()
                elif table.is_at_rest(REST_SECONDS):
                    self._rest(table)
                    continue
                table.tick()
                if table.is_idle(limits.IDLE_SECONDS) and self._bots is not None:
                    self._bots.rest(table.id)
            for room in self.rooms.values():
                room.tick()
            await asyncio.sleep(_TICK_SECONDS)

    def at(self, match: str) -> AbstractContextManager[None]:
        """Mark a match as being worked on while the context is active."""
        return nullcontext() if self._marks is None else self._marks.at(match)

    async def connect(self, address: str, invite: Invite) -> InProcessConnection:
        """Return a connection for a peer in this process. The peer takes its seat like any other."""
        del address, invite
        self._directly -= 1
        line = self._directly

        async def answer(data: bytes) -> bytes:
            return (await self.answer(Request(data, line, None, _HERE))).data

        return InProcessConnection(answer, partial(self.gone, line))

    def beat(self) -> None:
        """Count the time since the last heartbeat.

        After a long gap, stop the match clocks until the players reconnect.
        """
        if self._clock.beat() >= LOST_SECONDS:
            for table in self.tables.values():
                table.time.wait_for_return()

    # -- status

    async def standings(self) -> tuple[MatchOverview, ...]:
        """Return each match's status, in the order in which the matches were opened."""
        return tuple(self._standing(match) for match in self._seatings)

    def _standing(self, match: str) -> MatchOverview:
        held = self.rooms.get(match) or self.tables.get(match)
        return self._results[match].standing if held is None else held.standing()

    async def is_done(self) -> bool:
        """Return whether every match is over and all peers have disconnected."""
        return not self.rooms and all(
            table.match.is_revealed and not table.sessions for table in self.tables.values()
        )

    # -- requests

    def gone(self, line: int) -> None:
        """Forget a connection that has ended."""
        if self._admission is not None:
            self._admission.forget(line)
        known = self._sessions.pop(line, None)
        if known is not None:
            session, table = known
            session.closing = session.closing or "the connection has ended"
            table.leave(line)
            log.info("left", match=table.id, role=session.role)

    async def answer(self, request: Request) -> Reply:
        """Reply to one frame.

        This is the outermost error handler, because nothing that a peer sends may end the match.
        """
        question: Question | None = None
        admission = self._admission
        assert admission is not None, "the house is started"
        try:
            question = decode_question(request.data)
            answer = await self._answer(admission, request, question)
        except ForeignError as error:
            return turned_away(error)
        except FlagplotError as error:
            log.warning("request_failed", remote=request.remote, error=str(error))
            answer = _fault(question, _why(error))
        except Exception as error:
            report(error)
            log.exception("request_crashed", remote=request.remote, kind=type(question).__name__)
            answer = _fault(question)
        is_proof = isinstance(answer, Welcome | Waiting)
        return Reply(data=encode(answer), is_proof=is_proof, is_last=isinstance(answer, Bye))

    async def _answer(self, admission: Admission, request: Request, question: Question) -> Answer:
        known = self._sessions.get(request.line)
        if known is None:
            match question:
                case Hello():
                    return admission.challenge(request, question)
                case Proof():
                    return self._let_in(request, admission.admit(request, question))
                case _:
                    raise ProtocolError("this connection has not authenticated yet")
        session, table = known
        session.seen = time.monotonic()
        if session.closing:
            return Bye(reason=session.closing, again=False)
        if not session.allowance.messages.take():
            session.allowance.offend()
            if session.allowance.is_spent:
                return self._throw_out(admission, session, table)
            await asyncio.sleep(1 / limits.MESSAGES_PER_SECOND)
        if isinstance(table, PendingMatch):
            return await self._wait(admission, session, table, question)
        if isinstance(question, Wait | Enrol):  # the message was sent before the match began
            return self._welcome(session, table)
        if isinstance(question, PostPart):
            with self.at(table.id):
                verdict = await table.post(session, question)
            is_spent = session.allowance.is_spent
            return self._throw_out(admission, session, table) if is_spent else verdict
        if isinstance(question, Submit | Say | Offer | OfferAnswer):
            with self.at(table.id):
                verdict = await table.request(session, question)
            is_spent = session.allowance.is_spent
            return self._throw_out(admission, session, table) if is_spent else verdict
        return await self._told(session, table, question)

    async def _told(self, session: HostSession, table: MatchTable, question: Question) -> Answer:
        """Answer a question that does not affect the game."""
        match question:
            case PollUpdates():
                return await self._news(session, table, question)
            case Ping():
                return Pong(token=question.token)
            case Tail():
                table.comparison.take_tail(session, question)
                return Pong(token=0)
            case AskFull():
                if session.role is None:
                    raise ProtocolError("only seats may request the full record")
                return await told_piece(table.match, self.folder, question)
            case Leave():
                return Bye(reason="goodbye", again=False)
            case _:
                raise ProtocolError("this connection already has its seat")

    async def _wait(
        self, admission: Admission, session: HostSession, room: PendingMatch, question: Question
    ) -> Answer:
        """Reply to a peer whose match has not begun or is just beginning."""
        match question:
            case Wait() | Enrol() | PostPart():
                with self.at(room.id) if isinstance(question, PostPart) else nullcontext():
                    answer = await room.answer(session, question)
                if session.allowance.is_spent:
                    return self._throw_out(admission, session, room)
                table = self.tables.get(room.id)
                if answer is not None or table is None:
                    return answer or Bye(reason="the match is no longer here", again=True)
                return self._welcome(session, table)
            case Ping():
                return Pong(token=question.token)
            case Leave():
                return Bye(reason="goodbye", again=False)
            case _:
                raise ProtocolError("this match has not started")

    def _throw_out(
        self, admission: Admission, session: HostSession, table: MatchTable | PendingMatch
    ) -> Bye:
        admission.cool_down(table.id, session.whose, session.allowance.rest_seconds)
        session.allowance.is_spent = False
        session.closing = "too many messages; wait a moment before you reconnect"
        log.warning("thrown_out", match=table.id, role=session.role)
        return Bye(reason=session.closing, again=True)

    async def _news(self, session: HostSession, table: MatchTable, ask: PollUpdates) -> Answer:
        """Answer a request for updates, holding it until there are some or the wait is over."""
        session.turn += 1
        turn = session.turn
        if session.is_asking:
            table.ring()
        with self.at(table.id):
            different = table.comparison.difference(session, ask)
        if different is not None:
            return different
        deadline = time.monotonic() + ask.wait_ms / 1000
        session.is_asking = True
        try:
            while True:
                if session.closing:
                    return Bye(reason=session.closing, again=False)
                if table.closing:
                    return Bye(reason=table.closing, again=True)
                if turn != session.turn:
                    return table.greeting(session)
                with self.at(table.id):
                    news = table.news(session, ask)
                left = deadline - time.monotonic()
                if news is not None or left <= 0:
                    return news or table.greeting(session)
                await table.wait(left)
        finally:
            session.seen = time.monotonic()
            if turn == session.turn:
                session.is_asking = False

    def _let_in(self, request: Request, admitted: Admitted) -> Answer:
        role, match = admitted.role, admitted.hello.match
        with self.at(match):
            table = self.rooms.get(match) or self.table(match)
        whose = limits.whose(role, request.remote)
        if not table.attendance.make_room(role, whose):
            raise SeatRefusedError("there is no room for more spectators")
        allowance = table.allowances.of(whose)
        capabilities, certificate = admitted.hello.capabilities, admitted.certificate
        session = HostSession(request.line, role, capabilities, whose, allowance, certificate)
        self._sessions[request.line] = (session, table)
        table.join(session)
        log.info("joined", match=table.id, role=role, remote=request.remote)
        return (
            table.told(session)
            if isinstance(table, PendingMatch)
            else self._welcome(session, table)
        )

    def _welcome(self, session: HostSession, table: MatchTable) -> Welcome:
        match, (seq, chain) = table.match, table.place(session.role)
        session.is_welcome = True
        return Welcome(
            header=encode_header(match.redacted_header(session.role)),
            seq=seq,
            chain=chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=round(self.manner.window_seconds * 1000),
        )


def rules_of(ruleset: AnyRuleset) -> Rules:
    """Return this program's rules version, for peers to compare with their own."""
    return Rules(edition=ruleset.edition, version=ruleset.version, data_digest=ruleset.data_digest)


def turned_away(error: ForeignError) -> Reply:
    """Build the goodbye for a rejected peer, which may retry unless its seat was refused."""
    bye = Bye(reason=clean(str(error), REASON_LIMIT), again=not isinstance(error, SeatRefusedError))
    return Reply(data=encode(bye), is_last=True, refusal=error.logged)


def _nobody_listens() -> None:
    """Ignore a change, since no peer is connected."""


def _why(error: FlagplotError) -> str:
    """Return the part of an error message that players may see."""
    trouble = trouble_of(error) if isinstance(error, StorageError) else "refuses"
    return _FAILED if trouble == "refuses" else DISK_WORDS[trouble]


def _fault(question: Question | None, why: str = _FAILED) -> Answer:
    """Return the reply to a peer when the host itself has failed."""
    if isinstance(question, Submit | Say | Offer | OfferAnswer):
        return Refused(request_id=question.request_id, code="fault", text=why)
    return Bye(reason=why, again=True)
