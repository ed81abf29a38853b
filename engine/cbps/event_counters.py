"""Translates events between force ids, which the rules use, and force counters, which records contain (9.11)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.force_ids import counter_of, force_with_counter, with_renamed_forces
from engine.cbps.state import State


def event_with_counters(state: State, event: CbpsEvent) -> CbpsEvent:
    """Return an event as it is recorded, with force counters instead of ids."""
    return with_renamed_forces(event, lambda name: counter_of(state, name))


def event_with_ids(state: State, event: CbpsEvent) -> CbpsEvent:
    """Return a recorded event with force ids instead of counters, as the folds expect it."""
    if not state.counters:
        return event
    return with_renamed_forces(event, lambda name: force_with_counter(state, name))
