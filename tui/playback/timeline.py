"""The whole record of a match as a list of steps that can be searched by name, kind or place."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import groupby
from typing import Final

import msgspec

from play.replay_session import ReplaySession
from play.turn_index import RecordPosition, TurnIndex
from tui.fuzzy import match_distance
from tui.playback.battle_board import BattleBoard, CardPage
from tui.playback.step import PlaybackStep
from tui.presenter import Found, Presenter

_WORDS_PER_STEP: Final = 12
"""Number of comment words that a viewer can read per step."""


class PartKind(IntEnum):
    """The kinds of part in a record. Kinds that are searched for more often are listed first."""

    TURN = 0
    BATTLE = 1
    CARD = 2
    COMMENT = 3
    MOVE = 4


KIND_SYMBOLS: Final = {
    PartKind.TURN: "┃",
    PartKind.BATTLE: "×",
    PartKind.CARD: "▪",
    PartKind.COMMENT: '"',
    PartKind.MOVE: " ",
}
"""Symbols shown before parts in lists."""


class TimelineStep(msgspec.Struct, frozen=True, kw_only=True):
    """A playback step and its position in the record."""

    at: RecordPosition
    playback_step: PlaybackStep
    kind: PartKind
    title: str
    """Title of its battle or card, or the first sentence if it has neither."""


class TimelinePart(msgspec.Struct, frozen=True, kw_only=True):
    """One or more steps, listed as one entry."""

    at: RecordPosition
    """Position of its first step."""
    kind: PartKind
    turn: str
    title: str
    search_text: str
    """Lower-case text that searches are matched against."""
    places: tuple[str, ...] = ()
    number: int = -1
    """Index of its first step; -1 for a turn."""

    @property
    def line(self) -> str:
        """The title, preceded by the symbol of its kind."""
        return f"{KIND_SYMBOLS[self.kind]} {self.title}".strip()


class TimelineMatch(Found, frozen=True, kw_only=True):
    """A search result, with the part that was found."""

    part: TimelinePart


class ReplayTimeline:
    """Everything that one player can know about a match, in order."""

    def __init__(self, session: ReplaySession, presenter: Presenter) -> None:
        """Build the steps as the role on screen sees them."""
        self._presenter = presenter
        self._marks: TurnIndex = session.turn_index
        self.steps = tuple(sorted(_steps(session, presenter), key=_position))
        self.parts = tuple(self._parts())
        self.turns = tuple(
            TimelinePart(
                at=mark.at,
                kind=PartKind.TURN,
                turn=mark.name,
                title=presenter.turn_name(mark.name),
                search_text=_turn_text(mark.name, presenter.turn_name(mark.name), number),
            )
            for number, mark in enumerate(session.turn_index.turns, start=1)
        )

    def _parts(self) -> Iterator[TimelinePart]:
        number = 0
        for (kind, title), group in groupby(self.steps, key=lambda step: (step.kind, step.title)):
            steps = tuple(group)
            runs = (
                (steps,)
                if kind in {PartKind.BATTLE, PartKind.CARD}
                else ((step,) for step in steps)
            )
            for run in runs:
                yield self._part(kind, title, run, number)
                number += len(run)

    def _part(
        self, kind: PartKind, title: str, steps: Sequence[TimelineStep], number: int
    ) -> TimelinePart:
        last = steps[-1].playback_step
        verdict = (
            last.page.verdicts[-1]
            if isinstance(last.page, BattleBoard) and last.page.verdicts
            else ""
        )
        words = (title, *(step.playback_step.text for step in steps), *_names(last))
        turn = self._marks.turn_at(steps[0].at)
        return TimelinePart(
            at=steps[0].at,
            kind=kind,
            turn=turn,
            title=f"{title}: {verdict}" if verdict else title,
            search_text=" ".join((*words, turn)).lower(),
            places=tuple(
                dict.fromkeys(
                    place for step in steps for place in step.playback_step.visible_places
                )
            ),
            number=number,
        )

    # -- positions

    def step_at(self, at: RecordPosition) -> int:
        """Return the index of the last step at or before a position; -1 before the first."""
        return bisect_right(self.steps, at, key=_position) - 1

    def part_at(self, at: RecordPosition) -> int:
        """Return the index of the last part at or before a position; -1 before the first."""
        return bisect_right(self.parts, at, key=_position) - 1

    def neighbour(self, at: RecordPosition, kind: PartKind, direction: int) -> TimelinePart | None:
        """Return the next part of a kind or, if `direction` is negative, the previous one; None if there is none."""
        parts = self.turns if kind is PartKind.TURN else self.parts
        if direction > 0:
            ahead = parts[bisect_right(parts, at, key=_position) :]
            return next((part for part in ahead if part.kind is kind), None)
        behind = parts[: bisect_left(parts, at, key=_position)]
        return next((part for part in reversed(behind) if part.kind is kind), None)

    def search(self, query: str, at: RecordPosition) -> tuple[TimelineMatch, ...]:
        """Search turns, battles, cards and other parts, and return the matches, best first.

        Args:
            query: A turn, or parts of the names of cards, units, places or battles.
            at: The current position. Among equally good matches, those after it come first.
        """
        wanted = query.lower().split()
        hits = []
        for part in (*self.turns, *self.parts) if wanted else ():
            fit = match_distance(part.search_text, wanted)
            if fit is not None:
                is_past = part.at <= at
                hits.append(((fit, part.kind, is_past, part.at), part))
        return tuple(
            TimelineMatch(
                title=part.line if part.kind is PartKind.TURN else f"{part.turn}  {part.line}",
                hex_id=next(iter(part.places), ""),
                part=part,
            )
            for _, part in sorted(hits, key=lambda hit: hit[0])
        )


def _turn_text(short: str, name: str, number: int) -> str:
    """Return a turn's searchable text. If its name lacks the word "turn", add its number as well."""
    words = f"{short} {name}".lower()
    return words if "turn" in words.split() else f"{words} turn {number}"


def _position(one: TimelineStep | TimelinePart) -> RecordPosition:
    return one.at


def _steps(session: ReplaySession, presenter: Presenter) -> Iterator[TimelineStep]:
    for stretch in session.history_segments():
        for playback_step in presenter.playback_steps(
            stretch.seen_events, stretch.before, stretch.after
        ):
            at = session.position_of(stretch.seen_events[playback_step.event_count - 1])
            kind, title = _kind_and_title(playback_step)
            yield TimelineStep(at=at, playback_step=playback_step, kind=kind, title=title)
    for seq, words in session.comments():
        hold = 1 + len(words.split()) // _WORDS_PER_STEP
        playback_step = PlaybackStep(text=words, event_count=0, duration=hold)
        title = words.partition(". ")[0].rstrip(".")
        yield TimelineStep(
            at=RecordPosition(seq, 0),
            playback_step=playback_step,
            kind=PartKind.COMMENT,
            title=title,
        )


def _kind_and_title(playback_step: PlaybackStep) -> tuple[PartKind, str]:
    """Return a step's kind and its title in the timeline."""
    first, *more = playback_step.text.split("\n")
    if isinstance(playback_step.page, BattleBoard):
        return PartKind.BATTLE, playback_step.page.title
    if isinstance(playback_step.page, CardPage):
        name = playback_step.page.title.partition(" (")[0]
        return PartKind.CARD, next((line for line in (first, *more) if name in line), first)
    return PartKind.MOVE, f"{first} {more[0]}" if first.endswith(":") and more else first


def _names(playback_step: PlaybackStep) -> Iterator[str]:
    """Yield the names on a card or a battle board."""
    if playback_step.page is not None:
        yield playback_step.page.title
    if isinstance(playback_step.page, BattleBoard):
        yield from (one.name for party in playback_step.page.parties for one in party.fighters)
