"""Rolls, chart reads and random choices: what the log answers "why" with (0)."""

import msgspec

from engine.cbps.events.base import CbpsEvent


class Modifier(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One modifier of a roll with its reason."""

    id: str
    """Id of the modifier in the chart."""
    drm: int
    is_assumed: bool = False


class ChartRead(CbpsEvent, frozen=True, kw_only=True, tag="chart-read"):
    """A die was rolled on a chart, or a chart was read without one."""

    chart: str
    """Id of the chart."""
    about: str = ""
    """What it was read for: a force, mission, ship or hex."""
    column: str = ""
    die: int = 0
    """The face, 0 for a chart without a die."""
    modifiers: tuple[Modifier, ...] = ()
    result: str
    """As the chart prints it."""
    is_assumed: bool = False
    """The cell is not printed in the rulebook."""


class DieRolled(CbpsEvent, frozen=True, kw_only=True, tag="die-rolled"):
    """A die was rolled that reads no chart."""

    rule: str
    about: str
    die: int


class Chosen(CbpsEvent, frozen=True, kw_only=True, tag="chosen"):
    """Chance chose one of several (0): a ship, a unit, a hex."""

    rule: str
    about: str
    among: int
    """How many there were."""
    one: str
