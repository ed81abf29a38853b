"""One running match on the host: it puts requests in order and limits each seat to what it may see.

A command is checked, appended and synced to disk before anyone is notified, including the player who gave it. Disk
writes run in a thread, one at a time per match, so other matches are not held up.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.kernel.ids import Role
from netplay.fair.message_server import TranscriptDesk
from netplay.fair.waiting_messages import waits_for
from netplay.feed.change_signal import ChangeSignal
from netplay.feed.desync_detector import DesyncDetector
from netplay.feed.feed import Feed
from netplay.feed.host_session import HostSession, RequestDeduplicator, Verdict, refuse
from netplay.feed.presence import PresenceTracker
from netplay.feed.reminders import ReminderRunner, TurnTracker
from netplay.feed.shared_records import SharedRecords
from netplay.match.commands import TOO_FAST, Commands, JudgedCommands
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import MatchOverview
from netplay.match.offers import ENDINGS, OfferHandler
from netplay.match.ordered_commands import OrderedCommands
from netplay.match.time_control import TimeControl, people
from netplay.match_state.chat_and_offers import ChatAndOffers
from netplay.match_state.match_recorder import MatchRecorder
from netplay.match_state.match_state_file import TableFile
from netplay.match_state.timekeeper import Timekeeper
from netplay.system.disk_state import DISK_WORDS, DiskState, FolderDisk
from netplay.wire import limits
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import (
    Accepted,
    Bye,
    ChatLine,
    Offer,
    OfferAnswer,
    Part,
    PollUpdates,
    PostPart,
    Presence,
    Refused,
    Say,
    Submit,
    Transcript,
    Update,
    encode,
)
from netplay.wire.sanitising import CHAT_LIMIT, clean
from saves.match import Match
from saves.modes import mode_of

Request = Submit | Say | Offer | OfferAnswer


_MUST_SIGN: Final = (
    "the seats of this match sign their offers, but your program sent one without a signature"
)


class MatchTable:
    """A match in progress, with its connected players and spectators."""

    def __init__(  # noqa: PLR0913, PLR0917  # one per part of the table
        self,
        match: Match[Any],
        bundles: Path,
        disk: Executor,
        file: TableFile,
        manner: HostConfig,
        caller: ReminderRunner | None = None,
        said: ChatAndOffers | None = None,
        shared: SharedRecords | None = None,
        now: Callable[[], float] = time.monotonic,
        folder_disk: FolderDisk | None = None,
        desk: TranscriptDesk | None = None,
    ) -> None:
        """Open the table with no connections.

        Args:
            match: The match with its full, unredacted record.
            bundles: Folder for divergence reports.
            disk: Thread pool for disk operations.
            file: The table's state, which is saved next to the record.
            manner: Host settings.
            caller: Sends reminders to absent players; None for no reminders.
            said: Chat and offers from the last time this match was open.
            shared: Decoded records shared with other copies in this process.
            now: Returns the host's running time, in seconds.
            folder_disk: Disk state shared by all matches.
            desk: Receives the seats' signed messages; None for a match without a transcript.
        """
        self.match = match
        self.id = match.header.match_id
        self.seats = tuple(seat.role for seat in match.header.seats)
        self.attendance = PresenceTracker(self.seats)
        self.allowances = limits.Allowances()
        self.closing = ""
        self.bell = bell = ChangeSignal()
        self.parley = said or ChatAndOffers(bell.touch, now)
        self.parley.changed = bell.touch
        self._order = asyncio.Lock()
        """Lock held while a request is checked and until its results are on disk."""
        self._memory: dict[Role, RequestDeduplicator] = {
            role: RequestDeduplicator() for role in self.seats
        }
        self._feed = Feed(match, shared, manner.lateness)
        self.comparison = DesyncDetector(match, self._feed, bundles)
        kept = file.read()
        spent = kept.spent if kept.seq == match.seq else {}
        self.time = Timekeeper(match, manner.window_seconds, kept.joined, spent, now)
        self.time.wait_for_return()
        turns = TurnTracker(people(match), kept.reminded, now)
        state = DiskState(folder_disk, self.disk_changed)
        self.ledger = MatchRecorder(
            match, disk, self._feed, self.time, turns, self.parley, bell, state
        )
        if state.trouble:
            self.disk_changed()
        self._control = TimeControl(self.ledger, file, caller, self.attendance, self._in_order)
        self.commands: Commands = (
            JudgedCommands(self.ledger) if desk is None else OrderedCommands(self.ledger, desk)
        )
        self._agreements = OfferHandler(self.ledger)
        self._finishing: asyncio.Future[None] | None = None
        self._testing: asyncio.Future[None] | None = None
        self._folder = bundles.parent
        self._left = time.monotonic()
        """The ``time.monotonic`` time at which the last connection ended."""

    # -- presence

    @property
    def sessions(self) -> dict[int, HostSession]:
        """Return the authenticated connections by number."""
        return self.attendance.sessions

    def join(self, session: HostSession) -> None:
        """Add an authenticated connection, closing any older one for the same seat."""
        self.attendance.join(session)
        if session.role is not None:
            self.time.join(session.role)
        self.refresh_presence()
        self.bell.touch()

    def leave(self, line: int) -> None:
        """Forget a connection that has ended."""
        if self.attendance.leave(line):
            self._left = time.monotonic()
            self.refresh_presence()
            self.bell.touch()

    def refresh_presence(self) -> None:
        """Check again which seats are responding, and notify all peers of any change."""
        if self.attendance.refresh():
            self.ledger.journal.info("presence", seats=self.attendance.presence)
            self.bell.touch()
        if self.parley.is_overdue(self.attendance.present):
            self.parley.deny("nobody answered in time")
        self.commands.refresh()

    def standing(self) -> MatchOverview:
        """Return the match status, limited to public information."""
        match, late = self.match, self.commands.late
        heading = match.ruleset.heading(match.state)
        disk = "" if match.is_revealed else self.ledger.disk_state.trouble
        if disk:
            heading += f"; {DISK_WORDS[disk]}"
        elif late:
            heading += f"; {waits_for(match.ruleset, match.header, late)}"
        return MatchOverview(
            match=self.id,
            heading=heading,
            records=match.seq + 1,
            spectators=self.attendance.spectators,
            present=self.attendance.present,
            asked=() if match.is_revealed or disk else match.asked,
            is_over=match.is_revealed,
            dials=self.time.dials(),
            mode=mode_of(match.header),
            disk=disk,
        )

    def disk_changed(self) -> None:
        """Stop all clocks while the disk rejects writes, restart them afterwards, and notify all peers each time."""
        if self.ledger.disk_state.trouble:
            self.time.hold()
        else:
            self.time.release()
        self.bell.touch()

    async def close(self, reason: str) -> None:
        """Notify all peers that the host is stopping, and close the record once pending writes have finished."""
        self.closing = reason
        self.ring()
        self.commands.close(reason)
        async with self._order:
            await self._control.close()
            self.match.close()

    # -- updates

    def ring(self) -> None:
        """Wake every request that is waiting for updates."""
        self.bell.ring()

    async def wait(self, seconds: float) -> None:
        """Wait until anything changes or the time is up."""
        await self.bell.wait(seconds)

    def news(self, session: HostSession, ask: PollUpdates) -> Update | None:
        """Return everything that the peer does not have yet, or None if it is up to date."""
        records, part = self._feed.after(session.role, ask.seq, ask.offset)
        is_late = self._feed.is_late(session.role)
        transcript = None
        if session.role is not None:
            transcript = self._transcript(ask, is_current=not records and part is None)
        chat = () if is_late else self.parley.after(ask.heard)
        if is_late and not records and part is None:
            return None
        is_new = bool(
            records or part or chat or (transcript and (transcript.part or transcript.texts))
        )
        if not is_new and session.told == self.bell.version:
            return None
        session.told = self.bell.version
        told = self.greeting(session, records, part, chat)
        return told if transcript is None else msgspec.structs.replace(told, transcript=transcript)

    def _transcript(self, ask: PollUpdates, *, is_current: bool) -> Transcript | None:
        """Return new transcript data for a seat. Messages are included only once the seat has every record."""
        found = self.commands.transcript(ask.pending, ask.texts)
        if found is None or (is_current and ask.seq == self.match.seq):
            return found
        return msgspec.structs.replace(found, part=None)

    def greeting(
        self,
        session: HostSession,
        records: tuple[bytes, ...] = (),
        part: Part | None = None,
        chat: tuple[ChatLine, ...] = (),
    ) -> Update:
        """Return the table's current status with these records and chat lines.

        For a viewer subject to the spectator delay, current information is omitted.
        """
        role = session.role
        is_late = self._feed.is_late(role)
        return Update(
            head=self._feed.head(role),
            records=records,
            part=part,
            chat=chat,
            presence=tuple(
                Presence(role=role, present=here) for role, here in self.attendance.presence.items()
            ),
            spectators=self.attendance.spectators,
            offer=None if is_late else self.parley.offer,
            dials=() if is_late else self.time.dials(),
            waiting_for=() if is_late else self.commands.late,
            may_stop=not is_late and self.commands.may_stop,
            disk=session.disk_told(self.ledger.disk_state.trouble),
        )

    def place(self, role: Role | None) -> tuple[int, bytes]:
        """Return the number of the last record that a role may see, and the chain value after it."""
        head = self._feed.head(role)
        return head, self._feed.chain_at(head)

    # -- a seat's requests

    async def request(self, session: HostSession, ask: Request) -> Verdict | Bye:
        """Carry out a request once and return the reply.

        A repeated request gets the same reply. A match's requests are handled one at a time, in order of arrival. While
        the host is stopping, no request is carried out, and the peer can resend it to the next host.
        """
        role = session.role
        if role is None:
            why = "spectators cannot play or chat"
            return refuse(ask.request_id, "unavailable", why)
        async with self._order:
            if self.closing:
                return Bye(reason=self.closing, again=True)
            return await self._request(session, role, ask)

    async def _request(self, session: HostSession, role: Role, ask: Request) -> Verdict:
        memory, content = self._memory[role], encode(ask)
        known = memory.recall(ask.request_id, content)
        if known is not None:
            return known
        await self._control.drop_flags()
        code = "" if self._may_interrupt(ask) else self.commands.blocked(role)
        if code:
            return refuse(ask.request_id, code, self.commands.waits())
        verdict = await self._carry_out(session, role, ask)
        if isinstance(verdict, Refused) and verdict.code == TOO_FAST:
            return verdict
        return memory.keep(ask.request_id, content, verdict)

    async def _carry_out(self, session: HostSession, role: Role, ask: Request) -> Verdict:
        match ask:
            case Submit():
                return await self.commands.submit(session, role, ask)
            case Say():
                return self._say(session, role, ask)
            case Offer() | OfferAnswer() if self.match.transcript is not None:
                return refuse(ask.request_id, "unavailable", _MUST_SIGN)
            case Offer():
                return await self._agreements.make(role, ask)
            case OfferAnswer():
                return await self._agreements.answer(role, ask)

    @staticmethod
    def _may_interrupt(ask: Request) -> bool:
        """Return whether a request is accepted while a command is waiting for the seats' messages.

        Chat, offers to end the match, and answers are accepted. All other offers were closed when the command arrived.
        """
        return isinstance(ask, Say | OfferAnswer) or (
            isinstance(ask, Offer) and ask.matter in ENDINGS
        )

    def _say(self, session: HostSession, role: Role, ask: Say) -> Verdict:
        if not session.allowance.chat.take():
            session.allowance.offend()
            return refuse(ask.request_id, TOO_FAST, "too many chat lines; wait a moment")
        text = clean(ask.text, CHAT_LIMIT)
        if text:
            self.parley.say(role, text)
        return Accepted(request_id=ask.request_id, seq=self.match.seq)

    async def post(self, session: HostSession, note: PostPart) -> Verdict | Bye:
        """Receive a signed post from a seat, in a match with a transcript.

        Raises:
            ProtocolError: The sender is a spectator, or the post does not come from the sender's seat.
        """
        role = session.role
        if role is None:
            raise ProtocolError("a spectator sent a message that only a seat may send")
        async with self._order:
            if self.closing:
                return Bye(reason=self.closing, again=True)
            await self._control.drop_flags()
            return await self.commands.post(session, role, note)

    # -- periodic work

    async def _in_order(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task between two requests, unless the host is stopping."""
        async with self._order:
            if not self.closing:
                await work()

    def tick(self) -> None:
        """Check the clocks and reminders, save the table's state periodically, and retest a failing disk."""
        if not self.closing:
            self._control.tick()
            self._test_disk()

    def _test_disk(self) -> None:
        """Check whether a disk that rejected writes accepts them again."""
        is_free = self._testing is None or self._testing.done()
        if self.ledger.disk_state.is_refusing and is_free:
            work = partial(self.ledger.test_disk, self._folder)
            self._testing = asyncio.ensure_future(self._in_order(work))

    def finish(self) -> None:
        """Start a finished game's remaining work in the background, without waiting for the disk.

        If writing the secret failed earlier, it is revealed now. The record file is then closed, because no record can
        follow. A record whose messages are complete but whose write failed is also retried.
        """
        is_due = self.commands.owes_record or not self.ledger.is_finished
        if is_due and (self._finishing is None or self._finishing.done()):
            self._finishing = asyncio.ensure_future(self._in_order(self._finish))

    async def _finish(self) -> None:
        await self.commands.settle()
        await self.ledger.finish()

    def let_go(self) -> None:
        """Close a finished match's record file."""
        self.ledger.let_go()

    def is_idle(self, seconds: float) -> bool:
        """Drop cached results and return True once nothing has happened for this many seconds; True only once."""
        return self.ledger.is_idle(seconds)

    def is_at_rest(self, seconds: float) -> bool:
        """Return whether the match is over, its record is closed, and no peer has connected for this many seconds."""
        is_free = self.ledger.is_let_go and not self.sessions
        return is_free and time.monotonic() - self._left >= seconds
