"""Facts about movement (8)."""

from engine.eots.events.base import EotsEvent, RuledEvent
from engine.eots.ids import Side, UnitId


class LentAspSpent(EotsEvent, frozen=True, kw_only=True, tag="lent-asp-spent"):
    """Temporary amphibious shipping points were used; those of the turn are untouched (8.45A, CP-21)."""

    side: Side
    points: int


class ActivationLost(RuledEvent, frozen=True, kw_only=True, tag="activation-lost"):
    """A reaction unit that can take part in no battle is not active after all (7.26)."""

    unit: UnitId
