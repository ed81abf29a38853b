"""Base classes of all events of Empire of the Sun."""

from engine.kernel.ids import Rule
from engine.kernel.ruleset import Event


class EotsEvent(Event, frozen=True, kw_only=True, tag_field="kind"):
    """One fact; ``rule`` says why it happened where more than one rule can cause it."""


class RuledEvent(EotsEvent, frozen=True, kw_only=True):
    """A fact that several rules can cause."""

    rule: Rule
