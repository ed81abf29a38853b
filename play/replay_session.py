"""Replays a record file event by event, from any seat whose view the file contains."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from engine import registry
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from play.bots import bot_name
from play.event_history import EventCursor, SeenEvent, seen_events
from play.loglines import LogLine, remark_words
from play.match_negotiation import SessionError
from play.serialised_loading import serialise_loading
from play.session import Session, StatusItem
from play.turn_index import RecordPosition, TurnIndex, TurnMark, beside, turn_index
from saves.entries import decode_command, visible_entries, visible_events
from saves.headers import FULL, Header, audience_role
from saves.logfile import Log, read_log
from saves.records import Record
from saves.replay_check import check_replayable
from saves.statements import TAGS
from saves.terms import Terms, current_terms
from saves.timeline import Timeline

JUDGE: Final = Role(FULL)
"""Pseudo-seat from which nothing is hidden; available only for full records."""


class Stretch(NamedTuple):
    """The events between two takebacks."""

    before: View
    facts: tuple[SeenEvent, ...]
    after: View


class Comment(NamedTuple):
    """A remark with its number among all remarks of the record."""

    number: int
    total: int
    text: str
    """The text, preceded by the role unless that is a narrator."""


def _player_of(header: Header) -> Role | None:
    """Return the seat of the only person in a match against bots; None for any other match."""
    persons = [seat.role for seat in header.seats if not bot_name(seat.player)]
    has_bots = len(persons) < len(header.seats)
    return persons[0] if has_bots and len(persons) == 1 else None


class ReplaySession(Session):
    """A finished or running game, replayed from its record."""

    can_play = False

    def __init__(
        self, log: Log, ruleset: AnyRuleset, name: str, *, follows_mover: bool = False
    ) -> None:
        """Start at the end of the first record of a file.

        Args:
            log: The contents of the file.
            ruleset: The rules of its game.
            name: Display name of the file.
            follows_mover: Always show the seat that gives the current command or the next one, and start at the first
                remark.
        """
        self.log_file = log
        self._name = name
        self._timeline: Timeline[Any] = Timeline(ruleset)
        self._timeline.load(log.records)
        own = audience_role(log.header)
        if log.header.audience == FULL and not follows_mover:
            own = _player_of(log.header)
        super().__init__(ruleset, own)
        self.is_full = log.header.audience == FULL
        """True if the file is a full record, so every seat can be shown."""
        self._at = RecordPosition(0, 0)
        self.is_judge = False
        """True if nothing is hidden from the viewer."""
        self._sentences: dict[Role | None, dict[int, tuple[LogLine, ...]]] = {}
        """Log lines of complete records, by viewing seat."""
        self._cached: tuple[RecordPosition, Any] | None = None
        self._agreed: tuple[int, Terms] | None = None
        """Record number and agreements up to that record."""
        self._remarks = tuple(record.seq for record in log.records if record.kind == "remark")
        self.remarks = frozenset(self._remarks)
        """Numbers of the records that contain remarks."""
        self._follows_mover = follows_mover and self.is_full
        self.to_record(0)
        if self._follows_mover:
            self.step_remark(1)

    @classmethod
    @serialise_loading
    def open(
        cls, path: Path, ruleset: AnyRuleset | None = None, *, follows_mover: bool = False
    ) -> "ReplaySession":
        """Open a file for replay, by default with the rules of the game that it names.

        Raises:
            StorageError: The file cannot be read.
            CorruptLogError: The file is damaged, or contains data that the rules do not understand.
            DataError: The record names an unknown game.
        """
        log = read_log(path)
        rules = ruleset or registry.ruleset(log.header.game)
        check_replayable(rules, path.name, log)
        return cls(log, rules, path.name, follows_mover=follows_mover)

    @property
    def seq(self) -> int:
        """Return the number of the current record."""
        return self._at.seq

    @property
    def place(self) -> RecordPosition:
        """Return the current position in the record."""
        return self._at

    @property
    def last_seq(self) -> int:
        """Return the number of the last record in the file."""
        return len(self.log_file.records) - 1

    @property
    def title(self) -> str:
        """Return the file name, the game, the scenario and the players."""
        header = self.log_file.header
        players = ", ".join(f"{seat.role}: {seat.player}" for seat in header.seats)
        return (
            f"{self._name}: {self.ruleset.title}, {header.scenario or 'own position'} ({players})"
        )

    def seats(self) -> tuple[Role | None, ...]:
        """Return the seats that this file can show. None is the spectator; JUDGE sees everything."""
        return (*self.roles(), None, JUDGE) if self.is_full else (self._role,)

    @property
    def sight(self) -> Role | None:
        """Return the seat that is shown."""
        return JUDGE if self.is_judge else self._role

    def sit_down(self, role: Role | None) -> None:
        """Show the view of another seat.

        Raises:
            SessionError: The file does not contain that view.
        """
        if role not in self.seats():
            raise SessionError("this copy of the game contains only one seat's view")
        self.is_judge = role == JUDGE
        self._role = None if self.is_judge else role
        self._follows_mover = False

    def view_from(self, role: Role) -> View:
        """Return what a seat sees at this position."""
        view: View = self.ruleset.project(self._state(), role)
        return view

    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the current position for the status line."""
        total = self.events_in(self._at.seq)
        place = f"record {self._at.seq}/{self.last_seq} event {self._at.events}/{total}"
        return (StatusItem(place),)

    # -- stepping

    def to_record(self, seq: int) -> bool:
        """Go to the end of a record; return False if already there."""
        seq = min(max(seq, 0), self.last_seq)
        return self._go(RecordPosition(seq, self.events_in(seq)))

    def step_command(self, direction: int) -> bool:
        """Go to the end of the next or previous record; return False if already there."""
        return self.to_record(self._at.seq + direction)

    def step_event(self, direction: int) -> bool:
        """Go forward or back to the nearest event that has a log sentence; return False if there is none."""
        at = self._at
        while True:
            at = self._neighbour(at, direction)
            if at == self._at or not self._exists(at):
                return False
            if self._speaks(at) or at in (self._first(), self._last()):
                return self._go(at)

    def step_phase(self, direction: int) -> bool:
        """Go to the start of the next phase, or back to the start of the current or previous one."""
        return self._to_mark(self.waymarks.phases, direction)

    def step_turn(self, direction: int) -> bool:
        """Go to the start of the next turn, or back to the start of the current or previous one."""
        return self._to_mark(self.waymarks.turns, direction)

    def step_remark(self, direction: int) -> bool:
        """Go to the next or previous remark; return False if there is none."""
        ahead = [seq for seq in self._remarks[::direction] if direction * (seq - self.seq) > 0]
        return bool(ahead) and self.to_record(ahead[0])

    @cached_property
    def waymarks(self) -> TurnIndex:
        """Return where turns and phases begin."""
        return turn_index(self.ruleset, self.log_file.records, self.reel(-1))

    def _to_mark(self, marks: Sequence[TurnMark], direction: int) -> bool:
        mark = beside(marks, self._at, direction)
        end = self._last() if direction > 0 else self._first()
        return self.to_place(end if mark is None else mark.at)

    def to_place(self, at: RecordPosition) -> bool:
        """Go to a position in the record; return False if already there."""
        return self._go(min(max(at, self._first()), self._last()))

    def _first(self) -> RecordPosition:
        return RecordPosition(0, self.events_in(0))

    def _last(self) -> RecordPosition:
        return RecordPosition(self.last_seq, self.events_in(self.last_seq))

    def _exists(self, at: RecordPosition) -> bool:
        return self._first() <= at <= self._last()

    def _neighbour(self, at: RecordPosition, direction: int) -> RecordPosition:
        events = at.events + direction
        if events > self.events_in(at.seq):
            return RecordPosition(
                at.seq + 1, 1 if at.seq < self.last_seq and self.events_in(at.seq + 1) else 0
            )
        if events < 1:
            before = at.seq - 1
            return RecordPosition(before, self.events_in(before) if before >= 0 else 0)
        return RecordPosition(at.seq, events)

    def events_in(self, seq: int) -> int:
        """Return the number of known events in a record."""
        return len(visible_entries(self.log_file.records[seq]))

    def _speaks(self, at: RecordPosition) -> bool:
        record = self.log_file.records[at.seq]
        if record.kind == "takeback" or record.kind in TAGS:
            return True
        if not at.events:
            return False
        events = (visible_events(self.ruleset, record)[at.events - 1],)
        seen = events if self.is_judge else self.ruleset.redact_all(events, self._role)
        return any(map(self.ruleset.log_sentence, seen))

    def _go(self, at: RecordPosition) -> bool:
        if at == self._at:
            return False
        self._at = at
        if self._follows_mover:
            self._role = self._mover()
        return True

    def _mover(self) -> Role:
        """Return the role that gives the current command or, if the record has none, the next command."""
        records = self.log_file.records
        later = (record.role for record in records[self.seq :] if record.kind == "command")
        return next(later, self._role or self.roles()[0])

    # -- what is shown

    def _state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        if self._cached is not None and self._cached[0] == self._at:
            return self._cached[1]
        record = self.log_file.records[self._at.seq]
        if self._at.events == self.events_in(self._at.seq):
            state = self._timeline.state_at(self._at.seq)
        else:
            before = self._at.seq - 1
            state = self._timeline.state_at(before) if before >= 0 else self.ruleset.initial_state()
            state = self.ruleset.fold(
                state, visible_events(self.ruleset, record)[: self._at.events]
            )
        self._cached = (self._at, state)
        return state

    def _terms(self) -> Terms:
        seq = self._at.seq
        if self._agreed is None or self._agreed[0] != seq:
            records = self.log_file.records[: seq + 1]
            self._agreed = seq, current_terms(self.ruleset, self.log_file.header, records)
        return self._agreed[1]

    def reel(self, after: int) -> EventCursor[Any]:
        """Return a cursor over the records of the file."""
        records = self.log_file.records
        return EventCursor(self.ruleset, after, records.__getitem__, self._timeline.state_at)

    def _records(self, after: int) -> Sequence[Record]:
        records = self.log_file.records[after + 1 : self._at.seq + 1]
        if records and records[-1].seq == self._at.seq:
            last = records[-1]
            records = [*records[:-1], _cut(last, self._at.events)]
        return self.redacted(records)

    def redacted(self, records: Sequence[Record]) -> tuple[Record, ...]:
        """Return what the viewer may know of the given records."""
        if self.is_judge or not self.is_full:
            return tuple(records)
        return super().redacted(records)

    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the log lines of the records after a given number. The lines of complete records are cached."""
        kept = self._sentences.setdefault(self.sight, {})
        records = self.log_file.records
        for seq in range(after + 1, self._at.seq):
            if seq not in kept:
                (record,) = self.redacted(records[seq : seq + 1])
                kept[seq] = tuple(self._lines(record, visible_events(self.ruleset, record)))
            yield from kept[seq]
        if after < self._at.seq:
            for record in self._records(self._at.seq - 1):
                yield from self._lines(record, visible_events(self.ruleset, record))

    def stretches(self) -> Iterator[Stretch]:
        """Yield everything after the opening, split at takebacks.

        No command counts as the viewer's own, because a replay treats all players alike.
        """
        records = self.log_file.records
        cuts = [record.seq for record in records if record.takeback_to is not None]
        for first, last in zip((0, *cuts), (*cuts, self.last_seq + 1), strict=True):
            part = self.redacted(records[first + 1 : last])
            facts = tuple(fact for record in part for fact in seen_events(self.ruleset, record, ()))
            views = (self.view_of(self._timeline.state_at(seq)) for seq in (first, last - 1))
            yield Stretch(next(views), facts, next(views))

    def place_of(self, fact: SeenEvent) -> RecordPosition:
        """Return the position right after an event."""
        entries = self.log_file.records[fact.seq].events[: fact.number]
        return RecordPosition(fact.seq, sum(entry.body is not None for entry in entries))

    @property
    def has_remarks(self) -> bool:
        """Return whether the record contains any remarks."""
        return bool(self._remarks)

    @property
    def is_remark(self) -> bool:
        """Return whether the replay is at a remark."""
        return self.seq in self.remarks

    def remark(self) -> Comment | None:
        """Return the latest remark up to the current position; None before the first."""
        number = bisect_right(self._remarks, self.seq)
        if not number:
            return None
        record = self.log_file.records[self._remarks[number - 1]]
        return Comment(number, len(self._remarks), remark_words(self.ruleset, record))

    def comments(self) -> Iterator[tuple[int, str]]:
        """Yield every remark with its record number."""
        for seq in self._remarks:
            yield seq, remark_words(self.ruleset, self.log_file.records[seq])

    def command(self) -> Command | None:
        """Return the command of the current record; None if there is none or this seat may not see it."""
        return self._command(self.log_file.records[self._at.seq])

    def next_command(self) -> Command | None:
        """Return the command of the next record, with the same limits as :meth:`command`."""
        rest = self.log_file.records[self._at.seq + 1 :]
        return None if not rest or rest[0].kind != "command" else self._command(rest[0])

    def _command(self, record: Record) -> Command | None:
        (record,) = self.redacted([record])
        given = record.command if record.kind == "command" else None
        return None if given is None else decode_command(self.ruleset, given)

    @property
    def giver(self) -> str:
        """Return the role that gave the current record; empty if there is none."""
        return self.log_file.records[self._at.seq].role

    def view_when_given(self) -> View:
        """Return what the shown seat saw when the current record's command was given."""
        state = self._timeline.state_at(max(self._at.seq - 1, 0))
        view: View = self.ruleset.project(state, self._role)
        return view

    def command_line(self) -> str:
        """Return the current record's command in notation, with the role that gave it; empty if there is none."""
        command = self.command()
        return "" if command is None else f"{self.giver}: {self.ruleset.notation.line(command)}"

    async def _send(self, command: Command) -> None:
        raise SessionError(f"a replay does not accept commands ({command})")


def _cut(record: Record, events: int) -> Record:
    """Return a record with only its first known events."""
    return msgspec.structs.replace(record, events=visible_entries(record)[:events])
