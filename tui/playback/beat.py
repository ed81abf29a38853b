"""One step of a playback, and what stands in the news of a turn."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from play.chronicle import Fact
from tui.playback.sheet import Sheet

_TOGETHER: Final = 3
"""Ways that are drawn in one step where bytes count."""
MOST_NEWS: Final = 7
"""Lines of the card that tells what happened since the own move."""


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """One step: what is said, and what is shown on the map."""

    text: str
    """One sentence or several, a line each."""
    upto: int
    """Facts that have happened by its end, counted from the first one that was handed in."""
    places: tuple[str, ...] = ()
    """What lights up, the most important first."""
    paths: tuple[tuple[str, ...], ...] = ()
    """Ways that are drawn, each from its start to its goal."""
    targets: tuple[str, ...] = ()
    """Where it is fought, or where something is lost."""
    sheet: Sheet | None = None
    """A card that is laid down, or the battle board."""
    hold: int = 1
    """How long it stays, in steps of the chosen speed."""

    @property
    def sights(self) -> tuple[str, ...]:
        """Return all places that should be in sight, the most important first."""
        ways = (place for path in self.paths for place in reversed(path))
        return tuple(dict.fromkeys((*self.targets, *self.places, *ways)))


class News(msgspec.Struct, frozen=True):
    """A line of what happened since the own move."""

    text: str
    place: str = ""
    """Where to look; empty for nowhere."""


def plain_beats(facts: Sequence[Fact], sentences: Sequence[str]) -> Iterator[Beat]:
    """Yield a step per command of others, for games without steps of their own.

    Args:
        facts: What happened.
        sentences: The sentence of each fact, empty where it has none.
    """
    for start, stop in by_record(facts):
        told = [
            text
            for fact, text in zip(facts[start:stop], sentences[start:stop], strict=True)
            if text and not fact.is_own
        ]
        if told:
            yield Beat(text="\n".join(told), upto=stop)


def gathered(beats: Sequence[Beat]) -> tuple[Beat, ...]:
    """Return fewer steps: up to three in a row that only move things are one, for lines on which bytes count."""
    found: list[Beat] = []
    for beat in beats:
        last = found[-1] if found else None
        if last is None or not (_moves(last) and _moves(beat)) or len(last.paths) >= _TOGETHER:
            found.append(beat)
            continue
        found[-1] = msgspec.structs.replace(
            beat,
            text=f"{last.text}\n{beat.text}",
            places=tuple(dict.fromkeys((*beat.places, *last.places))),
            paths=(*last.paths, *beat.paths),
        )
    return tuple(found)


def _moves(beat: Beat) -> bool:
    return bool(beat.paths) and beat.sheet is None and not beat.targets


def by_record(facts: Sequence[Fact]) -> Iterator[tuple[int, int]]:
    """Yield where the facts of each record begin and end."""
    start = 0
    for place in range(1, len(facts) + 1):
        if place == len(facts) or facts[place].seq != facts[start].seq:
            yield start, place
            start = place


def events_in(facts: Sequence[Fact]) -> tuple[Any, ...]:
    """Return the bare events."""
    return tuple(fact.event for fact in facts)
