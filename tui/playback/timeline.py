"""The whole record of a match as a searchable list of steps."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import groupby
from typing import Final

import msgspec

from play.replay_session import ReplaySession
from play.turn_index import RecordPosition, TurnIndex
from tui.panels.overlay_pages import BattleBoard, CardPage
from tui.panels.playback_step import PlaybackStep
from tui.presenter.presenter import Found, Presenter
from tui.text.fuzzy import match_distance

_WORDS_PER_STEP: Final = 12
"""Number of words of a comment that a viewer can read during one step."""


class PartKind(IntEnum):
    """The kind of a timeline part. Among equally good matches, lower values are listed first."""

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
"""The symbol in front of each kind of part in lists."""


class TimelineStep(msgspec.Struct, frozen=True, kw_only=True):
    """A playback step and its position in the record."""

    at: RecordPosition
    playback_step: PlaybackStep
    kind: PartKind
    title: str
    """Title of the step's battle or card; otherwise its first sentence."""


class TimelinePart(msgspec.Struct, frozen=True, kw_only=True):
    """One or more steps, listed as one entry."""

    at: RecordPosition
    """Position of the part's first step."""
    kind: PartKind
    turn: str
    title: str
    search_text: str
    """Searchable text, in lower case."""
    places: tuple[str, ...] = ()
    number: int = -1
    """Index of the part's first step; -1 for a turn."""

    @property
    def line(self) -> str:
        """The title, preceded by the symbol for the part's kind."""
        return f"{KIND_SYMBOLS[self.kind]} {self.title}".strip()


class TimelineMatch(Found, frozen=True, kw_only=True):
    """A search result, with the part of the timeline that it refers to."""

    part: TimelinePart


class ReplayTimeline:
    """All events of a match that one player may know, in order."""

    def __init__(self, session: ReplaySession, presenter: Presenter) -> None:
        """Build the steps from the point of view of the role on display."""
        self._presenter = presenter
        self._turn_index: TurnIndex = session.turn_index
        self.steps = tuple(sorted(_steps(session, presenter), key=_position))
        self.parts = tuple(self._parts())
        self.turns = tuple(
            TimelinePart(
                at=mark.position,
                kind=PartKind.TURN,
                turn=mark.name,
                title=presenter.turn_name(mark.name),
                search_text=_turn_search_text(mark.name, presenter.turn_name(mark.name), number),
            )
            for number, mark in enumerate(session.turn_index.turns, start=1)
        )

    def _parts(self) -> Iterator[TimelinePart]:
        number = 0
        for (kind, title), group in groupby(self.steps, key=lambda step: (step.kind, step.title)):
            steps = tuple(group)
            # Consecutive steps of one battle or card form one part. Every other step is a separate
            # part.
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
        last_step = steps[-1].playback_step
        summary = (
            last_step.page.summaries[-1]
            if isinstance(last_step.page, BattleBoard) and last_step.page.summaries
            else ""
        )
        search_texts = (
            title,
            *(step.playback_step.text for step in steps),
            *_page_names(last_step),
        )
        turn = self._turn_index.turn_at(steps[0].at)
        return TimelinePart(
            at=steps[0].at,
            kind=kind,
            turn=turn,
            title=_with_summary(title, summary),
            search_text=" ".join((*search_texts, turn)).lower(),
            places=tuple(
                dict.fromkeys(
                    place for step in steps for place in step.playback_step.visible_places
                )
            ),
            number=number,
        )

    # -- positions

    def step_at(self, position: RecordPosition) -> int:
        """Return the index of the last step at or before a position; -1 before the first step."""
        return bisect_right(self.steps, position, key=_position) - 1

    def part_at(self, position: RecordPosition) -> int:
        """Return the index of the last part at or before a position; -1 before the first part."""
        return bisect_right(self.parts, position, key=_position) - 1

    def neighbour(
        self, position: RecordPosition, kind: PartKind, direction: int
    ) -> TimelinePart | None:
        """Return the next part of a kind or, if `direction` is negative, the previous one; None if there is none."""
        parts = self.turns if kind is PartKind.TURN else self.parts
        if direction > 0:
            later_parts = parts[bisect_right(parts, position, key=_position) :]
            return next(
                (timeline_part for timeline_part in later_parts if timeline_part.kind is kind), None
            )
        earlier_parts = parts[: bisect_left(parts, position, key=_position)]
        return next(
            (
                timeline_part
                for timeline_part in reversed(earlier_parts)
                if timeline_part.kind is kind
            ),
            None,
        )

    def search(self, query: str, position: RecordPosition) -> tuple[TimelineMatch, ...]:
        """Search turns, battles, cards and other parts, and return the matches, best first.

        Args:
            query: The name of a turn, or parts of the names of cards, units, places or battles.
            position: The current position. Among equally good matches of the same kind, those after this position
                come first.
        """
        words = query.lower().split()
        matches = []
        for timeline_part in (*self.turns, *self.parts) if words else ():
            distance = match_distance(timeline_part.search_text, words)
            if distance is not None:
                is_past = timeline_part.at <= position
                matches.append(
                    ((distance, timeline_part.kind, is_past, timeline_part.at), timeline_part)
                )
        return tuple(
            TimelineMatch(
                title=part.line if part.kind is PartKind.TURN else f"{part.turn}  {part.line}",
                hex_id=next(iter(part.places), ""),
                part=part,
            )
            for _, part in sorted(matches, key=lambda match: match[0])
        )


def _with_summary(title: str, summary: str) -> str:
    """Return a part's title with its result, if it has one. A result that begins with the title replaces it."""
    if not summary:
        return title
    return summary if summary.startswith(title) else f"{title}: {summary}"


def _turn_search_text(short_name: str, name: str, number: int) -> str:
    """Return the searchable text of a turn.

    If the turn's name lacks the word "turn", its number is added.
    """
    text = f"{short_name} {name}".lower()
    return text if "turn" in text.split() else f"{text} turn {number}"


def _position(entry: TimelineStep | TimelinePart) -> RecordPosition:
    return entry.at


def _steps(session: ReplaySession, presenter: Presenter) -> Iterator[TimelineStep]:
    for segment in session.history_segments():
        for playback_step in presenter.playback_steps(
            segment.seen_events, segment.view_before, segment.view_after
        ):
            event_position = session.position_of(segment.seen_events[playback_step.event_count - 1])
            kind, title = _kind_and_title(playback_step)
            yield TimelineStep(
                at=event_position, playback_step=playback_step, kind=kind, title=title
            )
    for seq, comment in session.comments():
        duration = 1 + len(comment.split()) // _WORDS_PER_STEP
        playback_step = PlaybackStep(text=comment, event_count=0, duration=duration)
        title = comment.partition(". ")[0].rstrip(".")
        yield TimelineStep(
            at=RecordPosition(seq, 0),
            playback_step=playback_step,
            kind=PartKind.COMMENT,
            title=title,
        )


def _kind_and_title(playback_step: PlaybackStep) -> tuple[PartKind, str]:
    """Return a step's kind and title for the timeline."""
    first_line, *later_lines = playback_step.text.split("\n")
    if isinstance(playback_step.page, BattleBoard):
        return PartKind.BATTLE, playback_step.page.title
    if isinstance(playback_step.page, CardPage):
        name = playback_step.page.title.partition(" (")[0]
        return PartKind.CARD, next(
            (line for line in (first_line, *later_lines) if name in line), first_line
        )
    return PartKind.MOVE, f"{first_line} {later_lines[0]}" if first_line.endswith(
        ":"
    ) and later_lines else first_line


def _page_names(playback_step: PlaybackStep) -> Iterator[str]:
    """Yield the names that appear on a card or a battle board."""
    if playback_step.page is not None:
        yield playback_step.page.title
    if isinstance(playback_step.page, BattleBoard):
        yield from (fighter.name for side in playback_step.page.sides for fighter in side.fighters)
