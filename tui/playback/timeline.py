"""The whole record of a match as a list of steps, which can be searched by name, kind or place."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import groupby
from typing import Final

import msgspec

from play.replay_session import ReplaySession
from play.turn_index import RecordPosition, TurnIndex
from tui.fuzzy import nearness
from tui.playback.battle_board import BattleBoard, CardSheet
from tui.playback.step import PlaybackStep
from tui.presenter import Found, Presenter

_WORDS_PER_STEP: Final = 12
"""Number of words of a comment that a viewer can read during one step."""


class Kind(IntEnum):
    """Kind of a part of the record. Kinds that are searched for more often come first."""

    TURN = 0
    BATTLE = 1
    CARD = 2
    COMMENT = 3
    MOVE = 4


SIGNS: Final = {
    Kind.TURN: "┃",
    Kind.BATTLE: "×",
    Kind.CARD: "▪",
    Kind.COMMENT: '"',
    Kind.MOVE: " ",
}
"""Symbols shown before parts in lists."""


class TimelineStep(msgspec.Struct, frozen=True, kw_only=True):
    """A playback step and its position in the record."""

    at: RecordPosition
    beat: PlaybackStep
    kind: Kind
    title: str
    """Title of its battle or card, or the first sentence if it has neither."""


class TimelinePart(msgspec.Struct, frozen=True, kw_only=True):
    """One or more steps, listed as one entry."""

    at: RecordPosition
    """Position of its first step."""
    kind: Kind
    turn: str
    title: str
    sought: str
    """Lower-case text that searches are matched against."""
    places: tuple[str, ...] = ()
    number: int = -1
    """Index of its first step; -1 for a turn."""

    @property
    def line(self) -> str:
        """The title, preceded by the symbol of its kind."""
        return f"{SIGNS[self.kind]} {self.title}".strip()


class Told(Found, frozen=True, kw_only=True):
    """A search result, with the part that was found."""

    part: TimelinePart


class ReplayTimeline:
    """Everything that one player can know about a match, in order."""

    def __init__(self, session: ReplaySession, presenter: Presenter) -> None:
        """Build the steps as the role on screen sees them."""
        self._presenter = presenter
        self._marks: TurnIndex = session.waymarks
        self.steps = tuple(sorted(_steps(session, presenter), key=_where))
        self.parts = tuple(self._parts())
        self.turns = tuple(
            TimelinePart(
                at=mark.at,
                kind=Kind.TURN,
                turn=mark.name,
                title=presenter.turn_words(mark.name),
                sought=_turn_words(mark.name, presenter.turn_words(mark.name), number),
            )
            for number, mark in enumerate(session.waymarks.turns, start=1)
        )

    def _parts(self) -> Iterator[TimelinePart]:
        number = 0
        for (kind, title), group in groupby(self.steps, key=lambda step: (step.kind, step.title)):
            steps = tuple(group)
            runs = (steps,) if kind in {Kind.BATTLE, Kind.CARD} else ((step,) for step in steps)
            for run in runs:
                yield self._part(kind, title, run, number)
                number += len(run)

    def _part(
        self, kind: Kind, title: str, steps: Sequence[TimelineStep], number: int
    ) -> TimelinePart:
        last = steps[-1].beat
        verdict = (
            last.sheet.verdicts[-1]
            if isinstance(last.sheet, BattleBoard) and last.sheet.verdicts
            else ""
        )
        words = (title, *(step.beat.text for step in steps), *_names(last))
        turn = self._marks.turn(steps[0].at)
        return TimelinePart(
            at=steps[0].at,
            kind=kind,
            turn=turn,
            title=f"{title}: {verdict}" if verdict else title,
            sought=" ".join((*words, turn)).lower(),
            places=tuple(dict.fromkeys(place for step in steps for place in step.beat.sights)),
            number=number,
        )

    # -- positions

    def step_at(self, at: RecordPosition) -> int:
        """Return the index of the last step at or before a position; -1 before the first."""
        return bisect_right(self.steps, at, key=_where) - 1

    def part_at(self, at: RecordPosition) -> int:
        """Return the index of the last part at or before a position; -1 before the first."""
        return bisect_right(self.parts, at, key=_where) - 1

    def beside(self, at: RecordPosition, kind: Kind, direction: int) -> TimelinePart | None:
        """Return the next part of a kind or, if `direction` is negative, the previous one; None if there is none."""
        parts = self.turns if kind is Kind.TURN else self.parts
        if direction > 0:
            ahead = parts[bisect_right(parts, at, key=_where) :]
            return next((part for part in ahead if part.kind is kind), None)
        behind = parts[: bisect_left(parts, at, key=_where)]
        return next((part for part in reversed(behind) if part.kind is kind), None)

    def found(self, words: str, at: RecordPosition) -> tuple[Told, ...]:
        """Search turns, battles, cards and other parts, and return the matches, best first.

        Args:
            words: A turn, or parts of the names of cards, units, places or battles.
            at: The current position. Among equally good matches, those after it come first.
        """
        wanted = words.lower().split()
        hits = []
        for part in (*self.turns, *self.parts) if wanted else ():
            fit = nearness(part.sought, wanted)
            if fit is not None:
                is_past = part.at <= at
                hits.append(((fit, part.kind, is_past, part.at), part))
        return tuple(
            Told(
                title=part.line if part.kind is Kind.TURN else f"{part.turn}  {part.line}",
                hex_id=next(iter(part.places), ""),
                part=part,
            )
            for _, part in sorted(hits, key=lambda hit: hit[0])
        )


def _turn_words(short: str, name: str, number: int) -> str:
    """Return the searchable text of a turn. If its name lacks the word "turn", add its number as well."""
    words = f"{short} {name}".lower()
    return words if "turn" in words.split() else f"{words} turn {number}"


def _where(one: TimelineStep | TimelinePart) -> RecordPosition:
    return one.at


def _steps(session: ReplaySession, presenter: Presenter) -> Iterator[TimelineStep]:
    for stretch in session.stretches():
        for beat in presenter.beats(stretch.facts, stretch.before, stretch.after):
            at = session.place_of(stretch.facts[beat.upto - 1])
            kind, title = _titled(beat)
            yield TimelineStep(at=at, beat=beat, kind=kind, title=title)
    for seq, words in session.comments():
        hold = 1 + len(words.split()) // _WORDS_PER_STEP
        beat = PlaybackStep(text=words, upto=0, hold=hold)
        title = words.partition(". ")[0].rstrip(".")
        yield TimelineStep(at=RecordPosition(seq, 0), beat=beat, kind=Kind.COMMENT, title=title)


def _titled(beat: PlaybackStep) -> tuple[Kind, str]:
    """Return the kind of a step and the title for its part."""
    first, *more = beat.text.split("\n")
    if isinstance(beat.sheet, BattleBoard):
        return Kind.BATTLE, beat.sheet.title
    if isinstance(beat.sheet, CardSheet):
        name = beat.sheet.title.partition(" (")[0]
        return Kind.CARD, next((line for line in (first, *more) if name in line), first)
    return Kind.MOVE, f"{first} {more[0]}" if first.endswith(":") and more else first


def _names(beat: PlaybackStep) -> Iterator[str]:
    """Yield the names on a card or a battle board."""
    if beat.sheet is not None:
        yield beat.sheet.title
    if isinstance(beat.sheet, BattleBoard):
        yield from (one.name for party in beat.sheet.parties for one in party.fighters)
