"""Playback steps and news items."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from play.event_history import SeenEvent
from tui.panels.overlay_pages import OverlayPage

_MAX_COMBINED: Final = 3
"""Maximum number of moves combined into one step on a slow connection."""
MAX_NEWS: Final = 7
"""Maximum number of lines in the pop-up "Since your move"."""


class PlaybackStep(msgspec.Struct, frozen=True, kw_only=True):
    """One playback step: its text, and the places that it highlights on the map."""

    text: str
    """One or more sentences, one per line."""
    event_count: int
    """Number of events, counted from the first one, that have occurred by the end of this step."""
    places: tuple[str, ...] = ()
    """Places to highlight, most important first."""
    paths: tuple[tuple[str, ...], ...] = ()
    """Paths to draw, each from its start to its destination."""
    targets: tuple[str, ...] = ()
    """Places with battles or losses."""
    page: OverlayPage | None = None
    """The card that was played or the battle board; None if the step shows neither."""
    duration: int = 1
    """Duration, in units of the playback speed."""

    @property
    def visible_places(self) -> tuple[str, ...]:
        """All places that should be visible, most important first."""
        path_places = (place for path in self.paths for place in reversed(path))
        return tuple(dict.fromkeys((*self.targets, *self.places, *path_places)))


class News(msgspec.Struct, frozen=True):
    """One noteworthy event since the player's last move."""

    text: str
    place: str = ""
    """The place to show; empty if the event has no place."""


def default_playback_steps(
    seen_events: Sequence[SeenEvent], sentences: Sequence[str]
) -> Iterator[PlaybackStep]:
    """Yield one step for each command of another player. Games that define no playback steps use this function.

    Args:
        seen_events: The events.
        sentences: The sentence for each event; empty if an event has none.
    """
    for start, stop in record_ranges(seen_events):
        texts = [
            text
            for seen_event, text in zip(seen_events[start:stop], sentences[start:stop], strict=True)
            if text and not seen_event.is_own
        ]
        if texts:
            yield PlaybackStep(text="\n".join(texts), event_count=stop)


def combine_moves(playback_steps: Sequence[PlaybackStep]) -> tuple[PlaybackStep, ...]:
    """Combine consecutive steps that only move units, up to three moves per step, to reduce the amount of output."""
    combined_steps: list[PlaybackStep] = []
    for playback_step in playback_steps:
        previous_move = combined_steps[-1] if combined_steps else None
        if (
            previous_move is None
            or not (_has_only_moves(previous_move) and _has_only_moves(playback_step))
            or len(previous_move.paths) >= _MAX_COMBINED
        ):
            combined_steps.append(playback_step)
            continue
        combined_steps[-1] = msgspec.structs.replace(
            playback_step,
            text=f"{previous_move.text}\n{playback_step.text}",
            places=tuple(dict.fromkeys((*playback_step.places, *previous_move.places))),
            paths=(*previous_move.paths, *playback_step.paths),
        )
    return tuple(combined_steps)


def _has_only_moves(playback_step: PlaybackStep) -> bool:
    return bool(playback_step.paths) and playback_step.page is None and not playback_step.targets


def record_ranges(seen_events: Sequence[SeenEvent]) -> Iterator[tuple[int, int]]:
    """Yield the start index and the exclusive end index of the events in each record."""
    start = 0
    for index in range(1, len(seen_events) + 1):
        if index == len(seen_events) or seen_events[index].seq != seen_events[start].seq:
            yield start, index
            start = index


def unwrapped_events(seen_events: Sequence[SeenEvent]) -> tuple[Any, ...]:
    """Return the events without their positions in the record."""
    return tuple(seen_event.event for seen_event in seen_events)
