"""Records: a game's steps, the positions between them, and what each seat may see of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Final, overload

from typing_extensions import override

from engine import registry
from engine.kernel.decision import Outcome
from engine.kernel.ruleset import Command, Event
from engine.registry import AnyRuleset
from flagplot.game_position import GamePosition
from play.event_history import EventCursor
from saves.entries import decode_command, remark_text, visible_events
from saves.headers import Header
from saves.logfile import Log, read_log, write_log
from saves.record_views import SPECTATOR, records_seen_by
from saves.records import Record
from saves.replay_check import locating_errors
from saves.terms import AGREEMENTS, current_terms, statement_text
from saves.timeline import Timeline, attribute_errors, mainline

_MAX_STEPS_FOLDED: Final = 64
"""If a position is further ahead, it is computed from a checkpoint instead."""


class RecordStep:
    """One step in a game: usually a command and the events that it caused."""

    def __init__(self, game: "GameRecord", record: Record) -> None:
        """Steps come from :class:`GameRecord` and :class:`LiveGame`."""
        self._game = game
        self._record = record

    @override
    def __repr__(self) -> str:
        return f"<RecordStep {self.seq} {self.kind} {self.role} {self.line}>"

    @property
    def seq(self) -> int:
        """Return the step's number, counted from 0."""
        return self._record.seq

    @property
    def kind(self) -> str:
        """Return ``opening``, ``command``, ``takeback``, ``reveal``, or the kind of a statement, such as ``remark``."""
        return self._record.kind

    @property
    def role(self) -> str:
        """Return the role that gave the command or made the statement; empty if no role did."""
        return self._record.role

    @property
    def takeback_to(self) -> int | None:
        """Return the number of the step to which a takeback returns; None if the step is not a takeback."""
        return self._record.takeback_to

    @cached_property
    def command(self) -> Command | None:
        """Return the command; None if the step has none, or if this copy hides it.

        Raises:
            CorruptLogError: The command cannot be decoded.
        """
        if self.kind != "command" or self._record.command is None:
            return None
        with self._game._locating_errors(self.seq):
            return decode_command(self._game._rules, self._record.command)

    @property
    def line(self) -> str:
        """Return the command in the game's notation; empty if :attr:`command` is None."""
        return "" if self.command is None else self._game._rules.notation.line(self.command)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Return the events that this copy shows, in order. Hidden fields of an event are blank.

        Raises:
            CorruptLogError: An event cannot be decoded.
        """
        with self._game._locating_errors(self.seq):
            return visible_events(self._game._rules, self._record)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the log sentences for the events.

        Raises:
            CorruptLogError: The rules cannot describe an event.
        """
        events = self.events
        with self._game._locating_errors(self.seq):
            return tuple(self._game._rules.log_sentences(events))

    @property
    def statement(self) -> str:
        """Return a remark's text, or an agreement in one sentence; empty for other steps."""
        return remark_text(self._record) or statement_text(self._game._rules, self._record)

    @property
    def position(self) -> GamePosition:
        """Return the position after the step."""
        return self._game.position(self.seq)


class GameRecord(Sequence[RecordStep]):
    """A game's record, as a sequence of steps."""

    def __init__(self, log: Log, rules: AnyRuleset, path: Path | None = None) -> None:
        """Records come from :func:`read_record` and :attr:`LiveGame.record`.

        Args:
            log: The header and the records.
            rules: The game's rules.
            path: The file; None if the record does not come from a file.
        """
        self._log = log
        self._cursor: EventCursor[Any] | None = None
        self._rules = rules
        self.path = path

    @override
    def __repr__(self) -> str:
        return f"<GameRecord {self.game} {self.match_id} with {len(self)} steps>"

    @overload
    def __getitem__(self, index: int) -> RecordStep: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[RecordStep]: ...

    @override
    def __getitem__(self, index: int | slice) -> RecordStep | Sequence[RecordStep]:
        if isinstance(index, slice):
            return tuple(RecordStep(self, record) for record in self._log.records[index])
        return RecordStep(self, self._log.records[index])

    @override
    def __len__(self) -> int:
        return len(self._log.records)

    @property
    def header(self) -> Header:
        """Return the record's header."""
        return self._log.header

    @property
    def game(self) -> str:
        """Return the game's id."""
        return self.header.game

    @property
    def match_id(self) -> str:
        """Return the match's id, which is the same in every copy of the match."""
        return self.header.match_id

    @property
    def scenario(self) -> str:
        """Return the scenario's id; empty for a custom position."""
        return self.header.scenario

    @property
    def players(self) -> Mapping[str, str]:
        """Return the players' names by role. A bot's name begins with ``bot:``."""
        return {seat.role: seat.player for seat in self.header.seats}

    @property
    def dropped_bytes(self) -> int:
        """Return the number of bytes after the last complete step, which an interrupted write has left."""
        return 0 if self._log.torn is None else self._log.torn.dropped_bytes

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, by its rules or by agreement; None if it has not ended."""
        return self.position(-1).outcome

    def mainline(self) -> Iterator[RecordStep]:
        """Yield the steps that no takeback has undone."""
        for seq in mainline(self._log.records):
            yield self[seq]

    def position(self, seq: int = -1) -> GamePosition:
        """Return the position after a step. Stepping forwards is fast.

        Args:
            seq: Number of the step. Negative numbers count from the end.

        Raises:
            IndexError: There is no such step.
            CorruptLogError: The rules cannot process a step.
        """
        number = seq + len(self) if seq < 0 else seq
        if not 0 <= number < len(self):
            raise IndexError(f"there is no step {seq}; the record has {len(self)}")
        with self._locating_errors(number):
            cursor = self._cursor
            if cursor is None or not 0 <= number - cursor.seq <= _MAX_STEPS_FOLDED:
                after = -1 if number < _MAX_STEPS_FOLDED else number
                cursor = EventCursor(
                    self._rules, after, self._log.records.__getitem__, self._state_at
                )
            state = cursor.advance_to(number)
            self._cursor = cursor
        terms = None
        if self._first_agreement <= number:
            terms = current_terms(self._rules, self.header, self._log.records[: number + 1])
        return GamePosition(self._rules, state, self.header, terms, number)

    def seen_by(self, role: str | None) -> "GameRecord":
        """Return the copy of this record that a role may see, or the spectators' copy if the role is None.

        Raises:
            SeatError: There is no such role, or this copy is another role's.
            CorruptLogError: The rules cannot process a step.
        """
        with self._locating_errors(0):
            header, records = records_seen_by(
                self._rules, self._log, SPECTATOR if role is None else role
            )
        return GameRecord(Log(header, records, (), 0, None), self._rules)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the record to a new file.

        Raises:
            StorageError: The file exists, or the write failed.
        """
        write_log(Path(path), self.header, self._log.records)

    @contextmanager
    def _locating_errors(self, seq: int) -> Iterator[None]:
        """Convert an error that the rules raise for a step to one that names the file and the step.

        Raises:
            CorruptLogError: The rules could not process the step.
        """
        offsets = self._log.record_offsets or (0,) * len(self)
        name = self.match_id if self.path is None else self.path.name
        with locating_errors(name, offsets), attribute_errors(seq):
            yield

    @cached_property
    def _first_agreement(self) -> int:
        kinds = (record.seq for record in self._log.records if record.kind in AGREEMENTS)
        return next(kinds, len(self))

    @cached_property
    def _timeline(self) -> Timeline[Any]:
        timeline: Timeline[Any] = Timeline(self._rules)
        timeline.load(self._log.records)
        return timeline

    def _state_at(self, seq: int) -> Any:  # noqa: ANN401  # any game's state
        return self._timeline.state_at(seq)


def read_record(path: str | PathLike[str]) -> GameRecord:
    """Read a record file. The file's structure and chain are checked, but not the game; :func:`verify` does that.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file is damaged.
        DataError: The record names an unknown game.
    """
    file = Path(path)
    log = read_log(file)
    return GameRecord(log, registry.ruleset(log.header.game), file)
