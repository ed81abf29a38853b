"""Implements one person's session in a match on a network host, in one or more roles or as a spectator."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.waiting_texts import (
    mode_text,
    role_title,
    safety_words_text,
    stopped_openings_text,
    waiting_for_text,
)
from netplay.peer.peer import Peer
from netplay.peer.status import (
    Chatted,
    ConnectionState,
    FullRecordReceived,
    PeerEvent,
    Status,
    StatusChanged,
    ViewsDiffered,
)
from netplay.session.auto_responder import AutoResponder
from netplay.session.peer_negotiation import MAX_LINES, PeerNegotiation
from netplay.session.peer_record_reader import PeerRecordReader
from netplay.system.disk_state import DISK_PROBLEMS
from play.clock_readings import ClockReading
from play.drafts import Drafts
from play.log_lines import LogLine
from play.notes import NOTES_SUFFIX, Notebook
from play.order_books import OrderBooks
from play.saved_draft import DRAFT_SUFFIX
from play.session import Session, StatusItem
from play.standing_orders import ORDERS_SUFFIX, OrderBook
from play.titles import match_briefing, match_title
from saves.disk_trouble import Trouble
from saves.modes import TITLES, match_mode
from saves.terms import Terms

_SLOW_STEP_MS: Final = 50
"""Step in milliseconds to which the displayed latency is rounded down, so that it changes less often."""


class _PeerOrderBooks(OrderBooks):
    """One person's standing orders. They apply to all roles that the person plays."""

    def __init__(self, session: "PeerSession", book: OrderBook) -> None:
        super().__init__(
            session.peers[0].ruleset,
            lambda: session.role,
            lambda: session.peer.state,
            lambda _: book,
        )
        self._session = session

    @override
    def change(self, text: str) -> tuple[str, ...]:
        """Change the standing orders, and apply them to the open response windows."""
        texts = super().change(text)
        for peer in self._session.peers:
            peer.reporter.wake()
        return texts


class PeerSession(Session):
    """Connects one person's peers to a screen.

    It needs peers that have already received the game from the host.
    """

    negotiation: PeerNegotiation[Any]
    records: PeerRecordReader

    def __init__(self, peer: Peer, *other_peers: Peer) -> None:
        """Create a session for peers that have joined a game: one per role, or a single peer for a spectator.

        An event loop must already be running, because standing orders are carried out in the loop.
        """
        self.peers = (peer, *other_peers)
        drafts = Drafts(peer.ruleset, self._draft_path)
        records = PeerRecordReader(self.peers, lambda: self.peer, lambda: self.seq)
        path = None if peer.role is None else peer.copy.path.with_suffix(ORDERS_SUFFIX)
        orders = _PeerOrderBooks(self, OrderBook(path))
        super().__init__(
            peer.ruleset, peer.role, drafts, self._new_negotiation(drafts), records, orders
        )
        self.can_play = peer.role is not None
        self._notes = Notebook(peer.copy.path.with_suffix(NOTES_SUFFIX))
        self._notices: list[LogLine] = []
        if peer.header is not None:
            self._notices.append(LogLine(0, f"({mode_text(peer.ruleset, peer.header)})"))
            safety_words = peer.copy.safety_words
            if safety_words:
                self._notices.append(LogLine(0, f"({safety_words_text(safety_words)})"))
        stopped_text = stopped_openings_text(
            () if peer.seat is None else peer.seat.stopped_openings
        )
        if stopped_text:
            self._notices.append(LogLine(0, f"({stopped_text})"))
        self._disk: Trouble = ""
        """The disk problem that was last reported in the log."""
        self._on_change: Callable[[], None] | None = None
        self._unsubscribers = [
            own_peer.reporter.listen(self._peer_listener(own_peer)) for own_peer in self.peers
        ]
        self._responders = {
            own_peer.role: AutoResponder(own_peer, lambda: self.orders.shown_book.orders)
            for own_peer in self.peers
            if own_peer.role is not None
        }
        for responder in self._responders.values():
            responder.start()
        for own_peer in self.peers:
            if own_peer.role is not None:
                self.drafts.restore(own_peer.role, own_peer.state, self.seq)
        self._log_disk(peer.reporter.status)
        first_role = self.next_role_to_show()
        if first_role is not None:
            self.switch_role(first_role)

    def _new_negotiation(self, drafts: Drafts) -> PeerNegotiation[Any]:
        return PeerNegotiation(
            self.peers, drafts, lambda: self.peer, lambda: self.players, lambda: self.seq
        )

    @property
    @override
    def notes(self) -> Notebook:
        """Return this person's private notes, which are saved next to the first copy."""
        return self._notes

    @property
    @override
    def record_path(self) -> Path | None:
        return self.peer.copy.path

    def _draft_path(self, role: Role) -> Path:
        return self._peer_of(role).copy.path.with_suffix(DRAFT_SUFFIX)

    @property
    def peer(self) -> Peer:
        """Return the peer for the role that is currently shown."""
        return self._peer_of(self._role)

    def _peer_of(self, role: Role | None) -> Peer:
        return next(peer for peer in self.peers if peer.role == role)

    @property
    @override
    def players(self) -> Mapping[Role, str]:
        """Return the player's name for every role; empty until the host has sent the header."""
        header = self.peer.header
        return {} if header is None else {seat.role: seat.player for seat in header.seats}

    @property
    @override
    def own_roles(self) -> tuple[Role, ...]:
        return tuple(peer.role for peer in self.peers if peer.role is not None)

    @property
    @override
    def seq(self) -> int:
        """Return the number of the last record that the displayed peer and all connected peers have."""
        return min(peer.seq for peer in self.peers if peer is self.peer or peer.is_live)

    @property
    @override
    def title(self) -> str:
        header = self.peer.header
        return self.ruleset.title if header is None else match_title(self.ruleset, header)

    @property
    @override
    def mode(self) -> str:
        header = self.peer.header
        return "" if header is None else TITLES[match_mode(header)]

    @override
    def briefing(self) -> str:
        """Return the scenario's briefing and a description of the mode; empty after the first move."""
        header = self.peer.header
        text = "" if header is None else match_briefing(self.ruleset, header, self.seq)
        if header is None or not text:
            return text  # The log already shows the mode.
        mode = f"{text}\nThe mode is {mode_text(self.ruleset, header)}."
        safety_words = self.peers[0].copy.safety_words
        return f"{mode} {safety_words_text(safety_words).capitalize()}." if safety_words else mode

    @override
    def _state(self) -> Any:
        return self.peer.state

    @override
    async def _send(self, command: Command) -> None:
        await self.peer.submit(command)

    @override
    async def _send_standing_answer(self, command: Command) -> None:
        """Wait until the automatic responder has answered.

        The responder sends the answer after the response delay. Nothing is sent here, because a second answer would be
        stale.
        """
        peer = self.peer
        assert peer.role is not None
        responder = self._responders[peer.role]
        await peer.reporter.wait_for(lambda: peer.reporter.is_over or responder.answer() != command)

    @override
    async def settle(self) -> None:
        peer = self.peer
        if peer.role is not None:
            responder = self._responders[peer.role]
            await peer.reporter.wait_for(lambda: peer.reporter.is_over or not responder.has_work())

    @override
    def _automatic_answer(self, role: Role) -> Command | None:
        responder = self._responders.get(role)
        return None if responder is None else responder.answer()

    @override
    def _roles_awaiting_a_person(self) -> tuple[Role, ...]:
        """Return this person's roles that must decide without a standing order, according to their own copies."""
        return tuple(
            role
            for role in self.own_roles
            if self._peer_of(role).is_asked and self._automatic_answer(role) is None
        )

    # -- connection

    def _status(self) -> Status:
        """Return the status of the first peer without a connection or, if all are connected, of the peer on display."""
        troubled = (
            peer.reporter.status
            for peer in self.peers
            if peer.reporter.status.link is not ConnectionState.CONNECTED
        )
        return next(troubled, self.peer.reporter.status)

    @override
    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the status items: the connection, the reason for any delay, absent players, and unread chat."""
        status, header, blocking_problem = self._status(), self.peer.header, self.blocking_problem()
        items = [_link_item(status)]
        if blocking_problem:
            items.append(StatusItem(blocking_problem, is_alert=True, short_text="host's disk"))
        elif status.link is ConnectionState.CONNECTED and status.waiting_for and header is not None:
            words = waiting_for_text(self.ruleset, header, status.waiting_for)
            items.append(StatusItem(words, is_alert=True, short_text="held up"))
        absent_roles = [role for role in status.absent if role not in status.waiting_for]
        names = tuple(dict.fromkeys(map(self._player_name, absent_roles)))
        if names:
            items.append(
                StatusItem(
                    f"away: {', '.join(names)}",
                    is_alert=True,
                    short_text=f"away: {len(names)}",
                    cleared_text="everybody is back",
                )
            )
        if unread_count := self.negotiation.unread_count:
            items.append(StatusItem(f"y: {unread_count} unread"))
        return tuple(items)

    @override
    def blocking_problem(self) -> str:
        is_connected = all(
            peer.reporter.status.link is ConnectionState.CONNECTED for peer in self.peers
        )
        return DISK_PROBLEMS[self.peer.reporter.status.disk] if is_connected else ""

    def _player_name(self, role: Role) -> str:
        """Return the name of a role's player. If no name is known, return the role's title."""
        name = self.players.get(role, "")
        return role_title(self.ruleset, role) if name in {"", *self.players} else name

    @override
    def on_change(self, on_change: Callable[[], None]) -> None:
        """Register a callback for new records, chat, presence and takebacks."""
        self._on_change = on_change

    def _peer_listener(self, peer: Peer) -> Callable[[PeerEvent], None]:
        return lambda event: self._on_peer_event(peer, event)

    def _on_peer_event(self, peer: Peer, event: PeerEvent) -> None:
        self.drafts.rebase(peer.role, peer.state)
        self._forget_finished_courses()
        match event:
            case Chatted(role=role, text=text):
                if (
                    peer is self.peers[0]
                ):  # Every peer receives this event, but only one reports it.
                    line = self.negotiation.receive(role, text)
                    self._notices.append(LogLine(self.seq, line))
            case StatusChanged(status=status) if peer is self.peers[0]:
                self._log_disk(status)
            case FullRecordReceived():
                self._notices.append(LogLine(self.seq, _full_record_text(event)))
            case ViewsDiffered(seq=seq):
                self.drafts.discard(peer.role)
                self.records.clear_cache()
                self._notices.append(
                    LogLine(self.seq, f"(the copies differed after record {seq}; fetched again)")
                )
            case _:
                pass
        del self._notices[:-MAX_LINES]
        if self._on_change is not None:
            self._on_change()

    def _log_disk(self, status: Status) -> None:
        """Add a log line when writing to the host's disk starts or stops failing."""
        if status.link is not ConnectionState.CONNECTED or status.disk == self._disk:
            return
        self._disk = status.disk
        problem = DISK_PROBLEMS[status.disk]
        line = (
            f"({problem}: no commands are accepted)"
            if problem
            else "(the host's disk works again: commands are accepted)"
        )
        self._notices.append(LogLine(self.seq, line))

    @override
    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the game's log lines, interspersed with chat and notices."""
        lines = list(super().log(after))
        recorded = [line for line in lines if not line.is_draft]
        yield from sorted([*recorded, *self._notices], key=lambda line: line.seq)
        yield from (line for line in lines if line.is_draft)

    @override
    def clock_readings(self) -> tuple[ClockReading, ...]:
        """Return the current clock readings, extrapolated from the host's last report."""
        peer = max(self.peers, key=lambda candidate: candidate.reporter.clock_readings_at)
        is_running = (
            peer.reporter.status.link is ConnectionState.CONNECTED and not peer.copy.is_revealed
        )
        elapsed_ms = (
            round((time.monotonic() - peer.reporter.clock_readings_at) * 1000) if is_running else 0
        )
        known_roles = set(peer.copy.terms.all_roles) if peer.copy.terms is not None else set()
        return tuple(
            replace(dial, left_ms=dial.left_ms - (elapsed_ms if dial.runs else 0))
            for dial in peer.reporter.clock_readings
            if dial.role in known_roles
        )

    @override
    def _terms(self) -> Terms | None:
        return self.peer.copy.terms

    @property
    @override
    def command_resumes(self) -> bool:
        return self.peer.copy.has_transcript

    @override
    async def close(self) -> None:
        """Leave the match. The holder of the invite can connect to the seat again."""
        await super().close()
        for responder in self._responders.values():
            responder.stop()
        while self._unsubscribers:
            self._unsubscribers.pop()()
        await asyncio.gather(*(peer.close() for peer in self.peers))


def _link_item(status: Status) -> StatusItem:
    match status.link:
        case ConnectionState.CONNECTED:
            latency_ms = (status.latency_ms or 0) // _SLOW_STEP_MS * _SLOW_STEP_MS
            return StatusItem(f"* host {latency_ms} ms" if latency_ms else "* host")
        case ConnectionState.CONNECTING:
            return StatusItem("connecting")
        case ConnectionState.WAITING:
            return StatusItem(status.reason, is_alert=True, short_text="waiting")
        case ConnectionState.LOST:
            return StatusItem(
                "HOST LOST, trying again",
                is_alert=True,
                short_text="HOST LOST",
                detail=f"{status.reason}; quit to leave",
                cleared_text="the host is back",
            )
        case ConnectionState.STOPPED | ConnectionState.CLOSED:
            return StatusItem(
                status.reason or "closed",
                is_alert=True,
                short_text="HOST LEFT",
                detail="commands are no longer accepted; quit to leave",
            )


def _full_record_text(full: FullRecordReceived) -> str:
    proof_text = f"; {full.fault}" if full.fault else ""
    if full.difference:
        return f"(THE HOST'S FULL RECORD DOES NOT MATCH WHAT THIS SEAT RECEIVED: {full.difference}{proof_text})"
    if proof_text:
        return f"(THE RECORD DOES NOT MATCH THIS MATCH'S SECRETS{proof_text})"
    if full.failure:
        return f"(no full record to compare with this seat's copy: {full.failure})"
    return (
        f"(the full record has arrived and matches what this seat received; flagplot verify {full.path.name}"
        " checks it)"
    )
