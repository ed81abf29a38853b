"""Runs one match on the host: handles requests one at a time, and sends each seat only what it may see.

A command is checked, appended and synced to disk before anyone is notified, including the player who gave the command.
Disk writes run in a thread, one at a time per match, so that other matches are not delayed.
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
from netplay.fair.message_server import MessageServer
from netplay.fair.waiting_texts import waiting_for_text
from netplay.feed.change_signal import ChangeSignal
from netplay.feed.desync_detector import DesyncDetector
from netplay.feed.feed import Feed
from netplay.feed.host_session import HostSession, RequestDeduplicator, Verdict, build_refusal
from netplay.feed.presence import PresenceTracker
from netplay.feed.reminders import ReminderRunner, TurnTracker
from netplay.feed.shared_records import SharedRecords
from netplay.match.commands import TOO_FAST, Commands, HostDecidedCommands
from netplay.match.host_config import HostConfig
from netplay.match.match_backend import MatchOverview
from netplay.match.offers import ENDINGS, OfferHandler
from netplay.match.ordered_commands import SeatDecidedCommands
from netplay.match.time_control import TimeControl, roles_by_player
from netplay.match_state.chat_and_offers import ChatAndOffers
from netplay.match_state.match_recorder import MatchRecorder
from netplay.match_state.match_state_file import MatchStateFile
from netplay.match_state.timekeeper import Timekeeper
from netplay.system.disk_state import DISK_PROBLEMS, DiskState, FolderDisk
from netplay.wire import limits
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import (
    Accepted,
    Bye,
    ChatLine,
    MakeOffer,
    OfferAnswer,
    PollUpdates,
    PostPart,
    Presence,
    RecordChunk,
    Refused,
    Say,
    Submit,
    TranscriptUpdate,
    Update,
    encode,
)
from netplay.wire.sanitising import CHAT_LIMIT, sanitise
from saves.match import Match
from saves.modes import match_mode

Request = Submit | Say | MakeOffer | OfferAnswer


_MUST_SIGN: Final = (
    "the seats of this match sign their offers, but your program sent one without a signature"
)


class MatchTable:
    """A match in progress, with its connected players and spectators."""

    def __init__(  # noqa: PLR0913, PLR0917  # one per part of the table
        self,
        match: Match[Any],
        report_folder: Path,
        disk: Executor,
        state_file: MatchStateFile,
        config: HostConfig,
        reminders: ReminderRunner | None = None,
        chat_and_offers: ChatAndOffers | None = None,
        shared_records: SharedRecords | None = None,
        now: Callable[[], float] = time.monotonic,
        folder_disk: FolderDisk | None = None,
        message_server: MessageServer | None = None,
    ) -> None:
        """Open a table without connections.

        Args:
            match: The match with its full, unredacted record.
            report_folder: The folder for divergence reports.
            disk: Thread pool for disk operations.
            state_file: The table's state file, which is saved next to the record.
            config: Host settings.
            reminders: Sends reminders to absent players; None for no reminders.
            chat_and_offers: Chat and offers from the last time this match was open; None if there are none.
            shared_records: Decoded records shared with other copies in this process; None if they are not shared.
            now: Returns how long the host has been running, in seconds.
            folder_disk: Disk state shared by all matches.
            message_server: Receives the seats' signed messages; None for a match without a transcript.
        """
        self.match = match
        self.id = match.header.match_id
        self.seats = tuple(seat.role for seat in match.header.seats)
        self.presence = PresenceTracker(self.seats)
        self.allowances = limits.Allowances()
        self.closing_reason = ""
        self.change_signal = change_signal = ChangeSignal()
        self.chat_and_offers = chat_and_offers or ChatAndOffers(change_signal.bump, now)
        self.chat_and_offers.on_change = change_signal.bump
        self._request_lock = asyncio.Lock()
        """Held while a request is handled, from the first check until its results are on disk."""
        self._deduplicators: dict[Role, RequestDeduplicator] = {
            role: RequestDeduplicator() for role in self.seats
        }
        self._feed = Feed(match, shared_records, config.lateness)
        self.desync_detector = DesyncDetector(match, self._feed, report_folder)
        saved_state = state_file.read()
        # If a later record exists, the saved time has already been recorded.
        spent = saved_state.spent if saved_state.seq == match.seq else {}
        # With a transcript, a match begins only once every seat has taken part in its opening.
        joined = saved_state.joined if message_server is None else self.seats
        self.timekeeper = Timekeeper(match, config.window_seconds, joined, spent, now)
        self.timekeeper.wait_for_return()
        turn_tracker = TurnTracker(roles_by_player(match), saved_state.reminded, now)
        disk_state = DiskState(folder_disk, self.on_disk_changed)
        self.recorder = MatchRecorder(
            match,
            disk,
            self._feed,
            self.timekeeper,
            turn_tracker,
            self.chat_and_offers,
            change_signal,
            disk_state,
        )
        if disk_state.trouble:
            self.on_disk_changed()
        self._time_control = TimeControl(
            self.recorder, state_file, reminders, self.presence, self._run_exclusively
        )
        self.commands: Commands = (
            HostDecidedCommands(self.recorder)
            if message_server is None
            else SeatDecidedCommands(self.recorder, message_server, self.presence)
        )
        self._offer_handler = OfferHandler(self.recorder)
        self._finish_task: asyncio.Future[None] | None = None
        self._disk_test: asyncio.Future[None] | None = None
        self._folder = report_folder.parent
        # Initially the time at which the match was opened, so that the match is not unloaded before
        # peers have had time to connect.
        self._last_departure = time.monotonic()
        """The ``time.monotonic`` time when the last connection ended or, before that, when the table was opened."""

    # -- presence

    @property
    def sessions(self) -> dict[int, HostSession]:
        """Return the authenticated connections, by connection number."""
        return self.presence.sessions

    def join(self, session: HostSession) -> None:
        """Add an authenticated connection, and close any older connection for the same seat."""
        self.presence.join(session)
        if session.role is not None:
            self.timekeeper.join(session.role)
        self.refresh_presence()
        self.change_signal.bump()

    def leave(self, connection_id: int) -> None:
        """Forget a connection that has ended."""
        if self.presence.leave(connection_id):
            self._last_departure = time.monotonic()
            self.refresh_presence()
            self.change_signal.bump()

    def refresh_presence(self) -> None:
        """Recheck which seats are responding, and notify all peers of any change."""
        if self.presence.refresh():
            self.recorder.match_log.info("presence_changed", seats=self.presence.presence_by_role)
            self.change_signal.bump()
        if self.chat_and_offers.is_offer_overdue(self.presence.present_roles):
            self.chat_and_offers.cancel_offer("nobody answered in time")
        self.commands.refresh()

    def overview(self) -> MatchOverview:
        """Return the match status, limited to public information."""
        match, late_roles = self.match, self.commands.late_roles
        heading = match.ruleset.heading(match.state)
        disk = "" if match.is_revealed else self.recorder.disk_state.trouble
        if disk:
            heading += f"; {DISK_PROBLEMS[disk]}"
        elif late_roles:
            heading += f"; {waiting_for_text(match.ruleset, match.header, late_roles)}"
        return MatchOverview(
            match=self.id,
            heading=heading,
            records=match.seq + 1,
            spectators=self.presence.spectator_count,
            present=self.presence.present_roles,
            asked=() if match.is_revealed or disk else match.asked,
            is_over=match.is_revealed,
            dials=self.timekeeper.readings(),
            mode=match_mode(match.header),
            disk=disk,
        )

    def on_disk_changed(self) -> None:
        """If the disk has a problem, stop all clocks; otherwise, restart them. Notify all peers."""
        if self.recorder.disk_state.trouble:
            self.timekeeper.stop_all()
        else:
            self.commands.on_disk_recovered()
            self.timekeeper.restart_all()
        self.change_signal.bump()

    async def close(self, reason: str) -> None:
        """Notify all peers that the host is stopping, and close the record once pending writes have finished."""
        self.closing_reason = reason
        self.notify()
        self.commands.close(reason)
        async with self._request_lock:
            await self._time_control.close()
            self.match.close()

    # -- updates

    def notify(self) -> None:
        """Wake all requests that are waiting for updates."""
        self.change_signal.notify()

    async def wait(self, seconds: float) -> None:
        """Wait until the match changes or the time limit is reached."""
        await self.change_signal.wait(seconds)

    def next_update(self, session: HostSession, request: PollUpdates) -> Update | None:
        """Return everything that the peer does not have yet; None if the peer is up to date."""
        records, part = self._feed.records_after(session.role, request.seq, request.offset)
        is_late = self._feed.is_delayed(session.role)
        transcript = None
        if session.role is not None:
            transcript = self._transcript(request, is_current=not records and part is None)
        chat = () if is_late else self.chat_and_offers.lines_after(request.heard)
        # A reply at this moment would reveal to a delayed viewer that something has just happened.
        if is_late and not records and part is None:
            return None
        is_new = bool(
            records or part or chat or (transcript and (transcript.part or transcript.texts))
        )
        if not is_new and session.sent_version == self.change_signal.version:
            return None
        session.sent_version = self.change_signal.version
        update = self.status_update(session, records, part, chat)
        return (
            update if transcript is None else msgspec.structs.replace(update, transcript=transcript)
        )

    def _transcript(self, request: PollUpdates, *, is_current: bool) -> TranscriptUpdate | None:
        """Return new transcript data for a seat. Messages are included only if the seat has every record."""
        transcript = self.commands.transcript(request.pending, request.texts)
        if transcript is None or (is_current and request.seq == self.match.seq):
            return transcript
        return msgspec.structs.replace(transcript, part=None)

    def status_update(
        self,
        session: HostSession,
        records: tuple[bytes, ...] = (),
        part: RecordChunk | None = None,
        chat: tuple[ChatLine, ...] = (),
    ) -> Update:
        """Return the table's current status, together with the given records and chat lines.

        Viewers who are subject to the spectator delay do not receive the open offer, the clock readings or the overdue
        seats.
        """
        role = session.role
        is_late = self._feed.is_delayed(role)
        return Update(
            head=self._feed.head(role),
            records=records,
            part=part,
            chat=chat,
            presence=tuple(
                Presence(role=role, present=is_present)
                for role, is_present in self.presence.presence_by_role.items()
            ),
            spectators=self.presence.spectator_count,
            offer=None if is_late else self.chat_and_offers.offer,
            dials=() if is_late else self.timekeeper.readings(),
            waiting_for=() if is_late else self.commands.late_roles,
            may_stop=role in self.commands.roles_allowed_to_stop,
            disk=session.reported_trouble(self.recorder.disk_state.trouble),
        )

    def visible_head(self, role: Role | None) -> tuple[int, bytes]:
        """Return the number of the last record that a role may see, and the chain value after it."""
        head = self._feed.head(role)
        return head, self._feed.chain_at(head)

    # -- a seat's requests

    async def request(self, session: HostSession, request: Request) -> Verdict | Bye:
        """Carry out a request once and return the reply.

        A repeated request receives the same reply. Requests in a match are handled one at a time, in order of arrival.
        While the host is stopping, no request is carried out. The peer can resend the request after the host has
        restarted.
        """
        role = session.role
        if role is None:
            problem = "spectators cannot play or chat"
            return build_refusal(request.request_id, "unavailable", problem)
        async with self._request_lock:
            if self.closing_reason:
                return Bye(reason=self.closing_reason, again=True)
            return await self._request(session, role, request)

    async def _request(self, session: HostSession, role: Role, request: Request) -> Verdict:
        deduplicator, content = self._deduplicators[role], encode(request)
        earlier_verdict = deduplicator.find_answer(request.request_id, content)
        if earlier_verdict is not None:
            return earlier_verdict
        # A command that arrives after the player's time is up is too late, even if no tick has
        # detected the expired clock yet.
        await self._time_control.apply_fallen_flags()
        code = "" if self._may_interrupt(request) else self.commands.blocking_code(role)
        if code:
            return build_refusal(request.request_id, code, self.commands.waiting_text())
        verdict = await self._dispatch(session, role, request)
        # This refusal is not stored, because the request must be carried out if the peer repeats it
        # later.
        if isinstance(verdict, Refused) and verdict.code == TOO_FAST:
            return verdict
        return deduplicator.store_answer(request.request_id, content, verdict)

    async def _dispatch(self, session: HostSession, role: Role, request: Request) -> Verdict:
        match request:
            case Submit():
                return await self.commands.submit(session, role, request)
            case Say():
                return self._say(session, role, request)
            case MakeOffer() | OfferAnswer() if self.match.transcript is not None:
                return build_refusal(request.request_id, "unavailable", _MUST_SIGN)
            case MakeOffer():
                # Each offer may lead to a chat line, so it counts as one.
                if not session.allowance.chat.take():
                    session.allowance.count_offence()
                    problem = "too many offers; wait a moment"
                    return build_refusal(request.request_id, TOO_FAST, problem)
                return await self._offer_handler.open_offer(role, request)
            case OfferAnswer():
                return await self._offer_handler.answer_offer(role, request)

    @staticmethod
    def _may_interrupt(request: Request) -> bool:
        """Return whether a request is accepted while a command is waiting for messages from the seats.

        Chat, offers to end the match, and answers to such offers are accepted. Other offers were closed when the
        command arrived.
        """
        return isinstance(request, Say | OfferAnswer) or (
            isinstance(request, MakeOffer) and request.matter in ENDINGS
        )

    def _say(self, session: HostSession, role: Role, request: Say) -> Verdict:
        if not session.allowance.chat.take():
            session.allowance.count_offence()
            return build_refusal(request.request_id, TOO_FAST, "too many chat lines; wait a moment")
        text = sanitise(request.text, CHAT_LIMIT)
        if text:
            self.chat_and_offers.add_line(role, text)
        return Accepted(request_id=request.request_id, seq=self.match.seq)

    async def post(self, session: HostSession, part: PostPart) -> Verdict | Bye:
        """Receive a signed post from a seat, in a match with a transcript.

        Raises:
            ProtocolError: The sender is a spectator, or the post is not from the sender's seat.
        """
        role = session.role
        if role is None:
            raise ProtocolError("a spectator sent a message that only a seat may send")
        async with self._request_lock:
            if self.closing_reason:
                return Bye(reason=self.closing_reason, again=True)
            await self._time_control.apply_fallen_flags()
            return await self.commands.post(session, role, part)

    # -- periodic work

    async def _run_exclusively(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a task between two requests, unless the host is stopping."""
        async with self._request_lock:
            if not self.closing_reason:
                await work()

    def tick(self) -> None:
        """Perform the periodic work: check clocks and reminders, save the table's state, and retest a failing disk."""
        if not self.closing_reason:
            self._time_control.tick()
            self._test_disk()

    def _test_disk(self) -> None:
        """If the disk has a problem, check whether it is writable again."""
        is_free = self._disk_test is None or self._disk_test.done()
        if self.recorder.disk_state.is_refusing and is_free:
            work = partial(self.recorder.test_disk, self._folder)
            self._disk_test = asyncio.ensure_future(self._run_exclusively(work))

    def finish(self) -> None:
        """Start the remaining work for a finished game in the background, without waiting for the disk.

        Failed writes are retried: the record with the secret, and any record whose messages are complete. Once the
        secret has been revealed, the record file is closed, because no record can follow.
        """
        is_due = self.commands.is_record_due or not self.recorder.is_finished
        if is_due and (self._finish_task is None or self._finish_task.done()):
            self._finish_task = asyncio.ensure_future(self._run_exclusively(self._finish))

    async def _finish(self) -> None:
        await self.commands.store_complete()
        await self.recorder.finish()

    def close_record(self) -> None:
        """Close the record file of a finished match."""
        self.recorder.close_record()

    def drop_caches_if_idle(self, seconds: float) -> bool:
        """Drop cached results if nothing has happened for ``seconds`` seconds. Return whether results were dropped.

        See :meth:`MatchRecorder.drop_caches_if_idle`.
        """
        return self.recorder.drop_caches_if_idle(seconds)

    def can_unload(self, seconds: float) -> bool:
        """Return whether the match is over, its record is closed, and no peer has been connected for this long."""
        is_free = self.recorder.is_closed and not self.sessions
        return is_free and time.monotonic() - self._last_departure >= seconds
