"""Base classes for all Empire of the Sun events."""

from engine.kernel.ids import Rule
from engine.kernel.ruleset import Event


class EotsEvent(Event, frozen=True, kw_only=True, tag_field="kind"):
    """One change to the game, or one fact about it."""


class RuledEvent(EotsEvent, frozen=True, kw_only=True):
    """An event that more than one rule can cause. ``rule`` states which rule caused it."""

    rule: Rule
