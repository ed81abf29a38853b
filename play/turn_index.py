"""Indexes the positions in a record where turns and phases begin.

The index is computed in one pass, so that each jump is only a lookup.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.registry import AnyRuleset, AnyState
from play.event_history import EventCursor
from saves.entries import visible_entries, visible_events
from saves.records import Record


class RecordPosition(NamedTuple):
    """A position in a replay: a record's number, and the number of its events that have occurred."""

    seq: int
    events: int


class TurnMark(NamedTuple):
    """The name of a turn or phase, and the position where it begins."""

    position: RecordPosition
    name: str


class TurnIndex(NamedTuple):
    """Where turns and phases begin in a record. Both lists of marks are in record order."""

    turns: tuple[TurnMark, ...]
    phases: tuple[TurnMark, ...]

    def turn_at(self, position: RecordPosition) -> str:
        """Return the name of the turn that contains a position."""
        return self.turns[max(bisect_right(self.turns, position, key=_mark_position) - 1, 0)].name


def nearest_mark(
    marks: Sequence[TurnMark], position: RecordPosition, direction: int
) -> TurnMark | None:
    """Return the nearest mark after a position or, if the direction is negative, before it; None if there is none."""
    index = (
        bisect_right(marks, position, key=_mark_position)
        if direction > 0
        else bisect_left(marks, position, key=_mark_position) - 1
    )
    return marks[index] if 0 <= index < len(marks) else None


def build_turn_index(
    rules: AnyRuleset, records: Sequence[Record], event_cursor: EventCursor[Any]
) -> TurnIndex:
    """Return the positions of all turns and phases in a record.

    Args:
        rules: The rules, which name turns and phases.
        records: All records.
        event_cursor: A cursor placed before the first record.
    """
    turns: list[TurnMark] = []
    phases: list[TurnMark] = []
    for record in records:
        state_before = event_cursor.state
        state = event_cursor.advance_to(record.seq)
        turn, phase = rules.turn_name(state), rules.heading(state)
        # The first record is the set-up, which a replay never shows event by event.
        if not turns:
            turns.append(TurnMark(RecordPosition(record.seq, len(visible_entries(record))), turn))
        elif turn != turns[-1].name:
            turns += _turns_in_record(rules, record, state_before, turns[-1].name) or [
                TurnMark(RecordPosition(record.seq, len(visible_entries(record))), turn)
            ]
        if not phases or phase != phases[-1].name:
            phases.append(TurnMark(RecordPosition(record.seq, len(visible_entries(record))), phase))
    return TurnIndex(tuple(turns), tuple(phases))


def _turns_in_record(
    rules: AnyRuleset, record: Record, state: AnyState, name: str
) -> list[TurnMark]:
    """Return the names of the turns that begin within a record, each with the number of its first event."""
    marks: list[TurnMark] = []
    for number, event in enumerate(visible_events(rules, record), start=1):
        state = rules.evolve(state, event)
        new_name = rules.turn_name(state)
        if new_name != name:
            marks.append(TurnMark(RecordPosition(record.seq, number), new_name))
            name = new_name
    return marks


def _mark_position(mark: TurnMark) -> RecordPosition:
    return mark.position
