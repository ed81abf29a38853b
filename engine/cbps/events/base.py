"""The base class of all events."""

from engine.kernel.ruleset import Event


class CbpsEvent(Event, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """Base class of all events.

    In records, events refer to forces by their counters (:mod:`engine.cbps.event_counters`).
    """
