"""Events about die rolls, chart results and random picks, which explain the results in the log (0)."""

import msgspec

from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import ForceId


class Modifier(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One modifier of a die roll."""

    id: str
    """The id of the modifier in the chart."""
    drm: int
    is_assumed: bool = False


class ChartRead(CbpsEvent, frozen=True, kw_only=True, tag="chart-read"):
    """A chart was consulted, with or without a die roll."""

    chart: str
    """The id of the chart."""
    about: ForceId = ""
    """What the roll is about: a force, mission, ship or hex."""
    column: str = ""
    die: int = 0
    """The die face, or 0 for a chart without a die."""
    modifiers: tuple[Modifier, ...] = ()
    result: str
    """The result as printed on the chart."""
    is_assumed: bool = False
    """True if the cell or a modifier is assumed, because the rulebook does not state it."""


class DieRolled(CbpsEvent, frozen=True, kw_only=True, tag="die-rolled"):
    """A die was rolled for a rule that has no chart."""

    rule: str
    about: ForceId
    die: int


class Chosen(CbpsEvent, frozen=True, kw_only=True, tag="chosen"):
    """One of several items, such as ships, units or hexes, was picked at random (0)."""

    rule: str
    about: ForceId
    among: int
    """The number of items from which one was picked."""
    one: str
