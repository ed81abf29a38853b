"""Translates events between force ids, which the rules use, and force counters, which records contain (9.11)."""

from collections.abc import Callable
from functools import cache
from typing import Final

from msgspec.structs import replace

from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.japan import ForceArrived
from engine.cbps.events.turns import FramesChanged
from engine.cbps.force_ids import (
    counter_of,
    force_with_counter,
    with_renamed_fields,
    with_renamed_frames,
)
from engine.cbps.state import State

_FORCE_FIELDS: Final = frozenset(
    {"about", "against", "force", "origin", "owner", "partner", "target", "toward", "without"}
)
"""Event fields that can contain forces."""


def event_with_counters(state: State, event: CbpsEvent) -> CbpsEvent:
    """Return an event as it is recorded, with force counters instead of ids."""
    return _renamed(event, lambda name: counter_of(state, name))


def event_with_ids(state: State, event: CbpsEvent) -> CbpsEvent:
    """Return a recorded event as the folds apply it, with force ids instead of counters."""
    return (
        _renamed(event, lambda name: force_with_counter(state, name)) if state.counters else event
    )


def _renamed(event: CbpsEvent, rename: Callable[[str], str]) -> CbpsEvent:
    if isinstance(event, FramesChanged):
        return replace(event, frames=with_renamed_frames(event.frames, rename))
    return with_renamed_fields(event, _force_fields(type(event)), rename)


@cache
def _force_fields(kind: type[CbpsEvent]) -> tuple[str, ...]:
    """Return the fields of an event type that can contain forces. An arrival's counter does not name a force yet."""
    excluded = {"force"} if kind is ForceArrived else set()
    return tuple(sorted((_FORCE_FIELDS - excluded).intersection(kind.__struct_fields__)))
