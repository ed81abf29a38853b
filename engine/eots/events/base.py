"""Base classes for all Empire of the Sun events."""

from engine.kernel.ids import Rule
from engine.kernel.ruleset import Event


class EotsEvent(Event, frozen=True, kw_only=True, tag_field="kind"):
    """One fact. If more than one rule can cause it, ``rule`` states which one did."""


class RuledEvent(EotsEvent, frozen=True, kw_only=True):
    """A fact that several rules can cause."""

    rule: Rule
