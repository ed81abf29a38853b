"""A step of a playback, and an item of the news."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from play.event_history import SeenEvent
from tui.playback.battle_board import OverlayPage

_MAX_COMBINED: Final = 3
"""Maximum number of moves combined into one step on a slow connection."""
MAX_NEWS: Final = 7
"""Maximum number of lines on the card "Since your move"."""


class PlaybackStep(msgspec.Struct, frozen=True, kw_only=True):
    """One playback step: its text, and what it highlights on the map."""

    text: str
    """One or more sentences, one per line."""
    event_count: int
    """Number of facts that have occurred by the end of this step, counted from the first fact supplied."""
    places: tuple[str, ...] = ()
    """Places to highlight, most important first."""
    paths: tuple[tuple[str, ...], ...] = ()
    """Paths to draw, each from its start to its destination."""
    targets: tuple[str, ...] = ()
    """Places with battles or losses."""
    page: OverlayPage | None = None
    """A played card or a battle board; None for neither."""
    duration: int = 1
    """Duration, in units of the playback speed."""

    @property
    def visible_places(self) -> tuple[str, ...]:
        """All places that should be visible, most important first."""
        ways = (place for path in self.paths for place in reversed(path))
        return tuple(dict.fromkeys((*self.targets, *self.places, *ways)))


class News(msgspec.Struct, frozen=True):
    """One noteworthy event since the player's last move."""

    text: str
    place: str = ""
    """The place to show; empty if there is none."""


def default_playback_steps(
    seen_events: Sequence[SeenEvent], sentences: Sequence[str]
) -> Iterator[PlaybackStep]:
    """Yield one step per command of another player, for games that define no steps.

    Args:
        seen_events: The events.
        sentences: The sentence for each fact; empty if a fact has none.
    """
    for start, stop in record_ranges(seen_events):
        told = [
            text
            for fact, text in zip(seen_events[start:stop], sentences[start:stop], strict=True)
            if text and not fact.is_own
        ]
        if told:
            yield PlaybackStep(text="\n".join(told), event_count=stop)


def combine_moves(playback_steps: Sequence[PlaybackStep]) -> tuple[PlaybackStep, ...]:
    """Combine up to three consecutive steps that only move units, to reduce the amount of output."""
    found: list[PlaybackStep] = []
    for playback_step in playback_steps:
        last = found[-1] if found else None
        if (
            last is None
            or not (_only_moves(last) and _only_moves(playback_step))
            or len(last.paths) >= _MAX_COMBINED
        ):
            found.append(playback_step)
            continue
        found[-1] = msgspec.structs.replace(
            playback_step,
            text=f"{last.text}\n{playback_step.text}",
            places=tuple(dict.fromkeys((*playback_step.places, *last.places))),
            paths=(*last.paths, *playback_step.paths),
        )
    return tuple(found)


def _only_moves(playback_step: PlaybackStep) -> bool:
    return bool(playback_step.paths) and playback_step.page is None and not playback_step.targets


def record_ranges(seen_events: Sequence[SeenEvent]) -> Iterator[tuple[int, int]]:
    """Yield the start index and the exclusive end index of each record's facts."""
    start = 0
    for place in range(1, len(seen_events) + 1):
        if place == len(seen_events) or seen_events[place].seq != seen_events[start].seq:
            yield start, place
            start = place


def plain_events(seen_events: Sequence[SeenEvent]) -> tuple[Any, ...]:
    """Return the events of these facts."""
    return tuple(fact.event for fact in seen_events)
