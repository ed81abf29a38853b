"""Replays a record file event by event, from any seat whose view the file contains."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from typing_extensions import override

from engine import registry
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.bots import bot_name
from play.drafts import Drafts
from play.event_history import EventCursor, SeenEvent, known_events
from play.game_summary import FinishedGame
from play.loading_lock import with_loading_lock
from play.log_lines import LogLine, format_remark
from play.negotiation import Negotiation, SessionError
from play.order_books import OrderBooks
from play.record_reader import RecordReader
from play.seating import Seating, group_into_seats
from play.session import Session, StatusItem
from play.standing_orders import OrderBook
from play.titles import match_title
from play.turn_index import RecordPosition, TurnIndex, TurnMark, build_turn_index, nearest_mark
from saves.entries import decode_command, visible_entries, visible_events
from saves.headers import FULL, Header, audience_role
from saves.logfile import Log, read_log
from saves.records import Record
from saves.replay_check import check_replayable
from saves.statements import TAGS
from saves.teams import match_info
from saves.terms import Terms, current_terms
from saves.timeline import Timeline

FULL_VIEW: Final = Role(FULL)
"""Pseudo-seat whose view hides nothing. It is available only for full records."""


class HistorySegment(NamedTuple):
    """Consecutive events without a takeback between them, with the views before and after them."""

    view_before: View
    seen_events: tuple[SeenEvent, ...]
    view_after: View


class Comment(NamedTuple):
    """A remark, numbered among all remarks in the record."""

    number: int
    total: int
    text: str
    """The text, preceded by the role. A narrator's text has no role."""


def _person_seats(ruleset: AnyRuleset, header: Header) -> Seating:
    """Return the roles of each person in a match, without the bots."""
    players = {seat.role: seat.player for seat in header.seats}
    seats = group_into_seats(match_info(ruleset, header), players)
    return tuple(seat for seat in seats if not bot_name(players[seat[0]]))


class _ReplayRecordReader(RecordReader):
    """Reads the records of a replay up to the displayed position."""

    def __init__(
        self, ruleset: AnyRuleset, replay: "ReplaySession", timeline: Timeline[Any]
    ) -> None:
        super().__init__(ruleset, lambda: replay.own_roles)
        self._replay = replay
        self._log = replay.log_file
        self._timeline = timeline

    @override
    def event_cursor(self, start_seq: int) -> EventCursor[Any]:
        records = self._log.records
        return EventCursor(self._ruleset, start_seq, records.__getitem__, self._timeline.state_at)

    @override
    def records_after(self, seq: int) -> Sequence[Record]:
        position = self._replay.position
        records = self._log.records[seq + 1 : position.seq + 1]
        if records and records[-1].seq == position.seq:
            records = [*records[:-1], _truncated(records[-1], position.events)]
        return self._replay.redacted_records(records)


class ReplaySession(Session):
    """A session that replays a finished or running game from its record."""

    can_play = False

    def __init__(
        self, log: Log, ruleset: AnyRuleset, name: str, *, follows_mover: bool = False
    ) -> None:
        """Start at the end of the first record of a file.

        Args:
            log: The file's contents.
            ruleset: The game's rules.
            name: Display name of the file.
            follows_mover: True always shows the seat that gives the current or next command, and starts at the first
                remark.
        """
        self.log_file = log
        self._name = name
        self._path: Path | None = None
        self._timeline: Timeline[Any] = Timeline(ruleset)
        self._timeline.load(log.records)
        own_role = audience_role(log.header)
        self._person_seats: Seating = ()
        """The roles of each person; empty unless the file is a match's full record."""
        if log.header.audience == FULL and not follows_mover:
            self._person_seats = seats = _person_seats(ruleset, log.header)
            has_bots = sum(map(len, seats)) < len(log.header.seats)
            own_role = seats[0][0] if has_bots and len(seats) == 1 else None
        records = _ReplayRecordReader(ruleset, self, self._timeline)
        book = OrderBook()
        orders = OrderBooks(ruleset, lambda: self._role, self._state, lambda _: book)
        super().__init__(ruleset, own_role, Drafts(ruleset), Negotiation(), records, orders)
        self.is_full = log.header.audience == FULL
        """True if the file is a full record, so that every seat can be shown."""
        self._position = RecordPosition(0, 0)
        self.is_full_view = False
        """True while nothing is hidden from the viewer."""
        self._sentences: dict[Role | None, dict[int, tuple[LogLine, ...]]] = {}
        """Log lines of complete records, by viewing seat."""
        self._state_cache: tuple[RecordPosition, Any] | None = None
        self._terms_cache: tuple[int, Terms] | None = None
        """Cache: a record number, and the agreements up to that record; None if nothing is cached."""
        self._ordered_remark_seqs = tuple(
            record.seq for record in log.records if record.kind == "remark"
        )
        self.remark_seqs = frozenset(self._ordered_remark_seqs)
        """Numbers of the records that contain remarks."""
        self._follows_mover = follows_mover and self.is_full
        self.go_to_record(0)
        if self._follows_mover:
            self.step_remark(1)

    @classmethod
    @with_loading_lock
    def open(
        cls, path: Path, ruleset: AnyRuleset | None = None, *, follows_mover: bool = False
    ) -> "ReplaySession":
        """Open a record file for replay. Without a ruleset, use the rules of the game named in the file.

        Raises:
            StorageError: The file cannot be read.
            CorruptLogError: The file is damaged, or contains data that the rules cannot read.
            DataError: The record names an unknown game.
        """
        log = read_log(path)
        rules = ruleset or registry.ruleset(log.header.game)
        check_replayable(rules, path.name, log)
        session = cls(log, rules, path.name, follows_mover=follows_mover)
        session._path = path
        return session

    @property
    @override
    def seq(self) -> int:
        return self._position.seq

    @property
    def position(self) -> RecordPosition:
        """Return the current position in the record."""
        return self._position

    @property
    def last_seq(self) -> int:
        """Return the number of the last record in the file."""
        return len(self.log_file.records) - 1

    @property
    @override
    def title(self) -> str:
        return f"{self._name}: {match_title(self.ruleset, self.log_file.header)}"

    @property
    @override
    def record_path(self) -> Path | None:
        return self._path

    @override
    def finished_game(self) -> FinishedGame | None:
        """Return the whole finished game, regardless of the position on display; None if the game is unfinished."""
        if self.final_outcome is None:
            return None
        return FinishedGame(
            rules=self.ruleset,
            records=self.redacted_records(self.log_file.records),
            cursor=self.records.event_cursor,
            outcome=self.final_outcome,
            role=self.shown_role,
            project=self.project,
        )

    @cached_property
    def final_outcome(self) -> Outcome | None:
        """Return the outcome at the end of the record; None if the game is unfinished."""
        log = self.log_file
        terms = current_terms(self.ruleset, log.header, log.records)
        return terms.outcome(self._timeline.state_at(self.last_seq))

    def spoils_game(self, role: Role | None) -> bool:
        """Return whether a seat's view would reveal hidden information to people who are still playing this game."""
        seats = self._person_seats
        if role is None or not seats or self.ruleset.is_open or self.final_outcome is not None:
            return False
        # A person who plays alone against bots may see the hands of all the roles that this person
        # plays.
        return len(seats) > 1 or role not in seats[0]

    def seats(self) -> tuple[Role | None, ...]:
        """Return the seats whose views the file contains. None is the spectator, and FULL_VIEW sees everything."""
        return (*self.roles(), None, FULL_VIEW) if self.is_full else (self._role,)

    @property
    def shown_role(self) -> Role | None:
        """Return the seat that is shown."""
        return FULL_VIEW if self.is_full_view else self._role

    @override
    def switch_role(self, role: Role | None) -> None:
        """Show the view of another seat.

        Raises:
            SessionError: The file does not contain that view.
        """
        if role not in self.seats():
            raise SessionError("this copy of the game contains only one seat's view")
        self.is_full_view = role == FULL_VIEW
        self._role = None if self.is_full_view else role
        self._follows_mover = False

    def view_from(self, role: Role) -> View:
        """Return a seat's view of the current position."""
        view: View = self.ruleset.project(self._state(), role)
        return view

    @override
    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the current position in the record as the only status item."""
        total = self.known_event_count(self._position.seq)
        position_text = (
            f"record {self._position.seq}/{self.last_seq} event {self._position.events}/{total}"
        )
        return (StatusItem(position_text),)

    # -- stepping

    def go_to_record(self, seq: int) -> bool:
        """Go to the end of a record. Return False if the position does not change."""
        seq = min(max(seq, 0), self.last_seq)
        return self._move_to(RecordPosition(seq, self.known_event_count(seq)))

    def step_command(self, direction: int) -> bool:
        """Go to the end of the next or previous record. Return False if the position does not change."""
        return self.go_to_record(self._position.seq + direction)

    def step_event(self, direction: int) -> bool:
        """Go forward or back to the nearest event with a log line.

        Return False at the end or beginning of the replay.
        """
        position = self._position
        while True:
            position = self._neighbouring_position(position, direction)
            if position == self._position or not self._is_valid(position):
                return False
            # The first and last positions can be reached even if they have no log line.
            if self._has_sentence(position) or position in (
                self._first_position(),
                self._last_position(),
            ):
                return self._move_to(position)

    def step_phase(self, direction: int) -> bool:
        """Go to the start of the next phase, or back to the start of the current or previous one.

        Return False if the position does not change.
        """
        return self._go_to_mark(self.turn_index.phases, direction)

    def step_turn(self, direction: int) -> bool:
        """Go to the start of the next turn, or back to the start of the current or previous one.

        Return False if the position does not change.
        """
        return self._go_to_mark(self.turn_index.turns, direction)

    def step_remark(self, direction: int) -> bool:
        """Go to the next or previous remark. Return False if there is no such remark."""
        seqs_ahead = [
            seq
            for seq in self._ordered_remark_seqs[::direction]
            if direction * (seq - self.seq) > 0
        ]
        return bool(seqs_ahead) and self.go_to_record(seqs_ahead[0])

    @cached_property
    def turn_index(self) -> TurnIndex:
        """Return the positions at which turns and phases begin."""
        return build_turn_index(self.ruleset, self.log_file.records, self.records.event_cursor(-1))

    def _go_to_mark(self, marks: Sequence[TurnMark], direction: int) -> bool:
        mark = nearest_mark(marks, self._position, direction)
        end = self._last_position() if direction > 0 else self._first_position()
        return self.go_to_position(end if mark is None else mark.position)

    def go_to_position(self, position: RecordPosition) -> bool:
        """Go to a position in the record. Return False if the position does not change."""
        return self._move_to(min(max(position, self._first_position()), self._last_position()))

    def _first_position(self) -> RecordPosition:
        return RecordPosition(0, self.known_event_count(0))

    def _last_position(self) -> RecordPosition:
        return RecordPosition(self.last_seq, self.known_event_count(self.last_seq))

    def _is_valid(self, position: RecordPosition) -> bool:
        return self._first_position() <= position <= self._last_position()

    def _neighbouring_position(self, position: RecordPosition, direction: int) -> RecordPosition:
        events = position.events + direction
        # A record without visible events, such as a remark, is still one position in the replay.
        if events > self.known_event_count(position.seq):
            return RecordPosition(
                position.seq + 1,
                1
                if position.seq < self.last_seq and self.known_event_count(position.seq + 1)
                else 0,
            )
        if events < 1:
            previous_seq = position.seq - 1
            return RecordPosition(
                previous_seq, self.known_event_count(previous_seq) if previous_seq >= 0 else 0
            )
        return RecordPosition(position.seq, events)

    def known_event_count(self, seq: int) -> int:
        """Return the number of known events in a record."""
        return len(visible_entries(self.log_file.records[seq]))

    def _has_sentence(self, position: RecordPosition) -> bool:
        record = self.log_file.records[position.seq]
        if record.kind == "takeback" or record.kind in TAGS:
            return True
        if not position.events:
            return False
        events = (visible_events(self.ruleset, record)[position.events - 1],)
        visible = events if self.is_full_view else self.ruleset.redact_all(events, self._role)
        return any(map(self.ruleset.log_sentence, visible))

    def _move_to(self, position: RecordPosition) -> bool:
        if position == self._position:
            return False
        self._position = position
        if self._follows_mover:
            self._role = self._role_to_move()
        return True

    def _role_to_move(self) -> Role:
        """Return the role that gave the current command.

        If the current record has no command, return the role that gives the next command.
        """
        records = self.log_file.records
        later_roles = (record.role for record in records[self.seq :] if record.kind == "command")
        return next(later_roles, self._role or self.roles()[0])

    # -- the displayed position

    @override
    def _state(self) -> Any:
        if self._state_cache is not None and self._state_cache[0] == self._position:
            return self._state_cache[1]
        record = self.log_file.records[self._position.seq]
        if self._position.events == self.known_event_count(self._position.seq):
            state = self._timeline.state_at(self._position.seq)
        else:
            previous_seq = self._position.seq - 1
            state = (
                self._timeline.state_at(previous_seq)
                if previous_seq >= 0
                else self.ruleset.initial_state()
            )
            state = self.ruleset.fold(
                state, visible_events(self.ruleset, record)[: self._position.events]
            )
        self._state_cache = (self._position, state)
        return state

    @override
    def _terms(self) -> Terms:
        seq = self._position.seq
        if self._terms_cache is None or self._terms_cache[0] != seq:
            records = self.log_file.records[: seq + 1]
            self._terms_cache = seq, current_terms(self.ruleset, self.log_file.header, records)
        return self._terms_cache[1]

    @override
    def redacted_records(self, records: Sequence[Record]) -> tuple[Record, ...]:
        """Return the given records, without the data that the viewer may not know."""
        if self.is_full_view or not self.is_full:
            return tuple(records)
        return super().redacted_records(records)

    @override
    def log(self, start_seq: int = -1) -> Iterator[LogLine]:
        # Each seat sees different sentences, so the lines are cached per seat.
        cached_lines = self._sentences.setdefault(self.shown_role, {})
        records = self.log_file.records
        for seq in range(start_seq + 1, self._position.seq):
            if seq not in cached_lines:
                (record,) = self.redacted_records(records[seq : seq + 1])
                cached_lines[seq] = tuple(self.records.log_lines(record))
            yield from cached_lines[seq]
        if start_seq < self._position.seq:
            for record in self.records.records_after(self._position.seq - 1):
                yield from self.records.log_lines(record)

    def history_segments(self) -> Iterator[HistorySegment]:
        """Yield all events after the opening, split at takebacks.

        No command counts as the viewer's own, because a viewer gives no commands.
        """
        records = self.log_file.records
        takeback_seqs = [record.seq for record in records if record.takeback_to is not None]
        for first, last in zip(
            (0, *takeback_seqs), (*takeback_seqs, self.last_seq + 1), strict=True
        ):
            segment_records = self.redacted_records(records[first + 1 : last])
            seen_events = tuple(
                seen_event
                for record in segment_records
                for seen_event in known_events(self.ruleset, record, ())
            )
            views = (self.project(self._timeline.state_at(seq)) for seq in (first, last - 1))
            yield HistorySegment(next(views), seen_events, next(views))

    def position_of(self, seen_event: SeenEvent) -> RecordPosition:
        """Return the position right after an event."""
        entries = self.log_file.records[seen_event.seq].events[: seen_event.number]
        return RecordPosition(seen_event.seq, sum(entry.body is not None for entry in entries))

    @property
    def has_remarks(self) -> bool:
        """Return whether the record contains any remarks."""
        return bool(self._ordered_remark_seqs)

    @property
    def is_remark(self) -> bool:
        """Return whether the replay is at a remark."""
        return self.seq in self.remark_seqs

    def remark(self) -> Comment | None:
        """Return the latest remark up to the current position; None before the first remark."""
        number = bisect_right(self._ordered_remark_seqs, self.seq)
        if not number:
            return None
        record = self.log_file.records[self._ordered_remark_seqs[number - 1]]
        return Comment(number, len(self._ordered_remark_seqs), format_remark(self.ruleset, record))

    def comments(self) -> Iterator[tuple[int, str]]:
        """Yield every remark with its record number."""
        for seq in self._ordered_remark_seqs:
            yield seq, format_remark(self.ruleset, self.log_file.records[seq])

    def command(self) -> Command | None:
        """Return the current record's command, or None if it has no command or this seat may not see it."""
        return self._record_command(self.log_file.records[self._position.seq])

    def next_command(self) -> Command | None:
        """Return the next record's command; None if there is none or this seat may not see it."""
        later_records = self.log_file.records[self._position.seq + 1 :]
        return (
            None
            if not later_records or later_records[0].kind != "command"
            else self._record_command(later_records[0])
        )

    def _record_command(self, record: Record) -> Command | None:
        (record,) = self.redacted_records([record])
        encoded_command = record.command if record.kind == "command" else None
        return None if encoded_command is None else decode_command(self.ruleset, encoded_command)

    @property
    def command_role(self) -> str:
        """Return the role that caused the current record; empty if no role caused it."""
        return self.log_file.records[self._position.seq].role

    def view_before_command(self) -> View:
        """Return the displayed seat's view when the current record's command was given."""
        state = self._timeline.state_at(max(self._position.seq - 1, 0))
        view: View = self.ruleset.project(state, self._role)
        return view

    def command_line(self) -> str:
        """Return the current record's command in notation, preceded by its role; empty if :meth:`command` is None."""
        command = self.command()
        return (
            "" if command is None else f"{self.command_role}: {self.ruleset.notation.line(command)}"
        )

    @override
    async def _send(self, command: Command) -> None:
        raise SessionError(f"a replay does not accept commands ({command})")


def _truncated(record: Record, events: int) -> Record:
    """Return a record with only the first `count` of its known events."""
    return msgspec.structs.replace(record, events=visible_entries(record)[:events])
