"""Events about the locations and steps of counters."""

from engine.eots.events.base import RuledEvent
from engine.eots.ids import HexId, Side, UnitId


class UnitPlaced(RuledEvent, frozen=True, kw_only=True, tag="unit-placed"):
    """A counter that was elsewhere was put on the map or in the China box (10.11, 8.22, 9.6)."""

    unit: UnitId
    at: str
    steps: int


class StepLost(RuledEvent, frozen=True, kw_only=True, tag="step-lost"):
    """A unit lost one step. It was flipped or, if that was its last step, eliminated (9.2F, 9.4B, 6.24)."""

    unit: UnitId


class StepGained(RuledEvent, frozen=True, kw_only=True, tag="step-gained"):
    """A reduced unit was flipped to full strength (11.0)."""

    unit: UnitId


class UnitEliminated(RuledEvent, frozen=True, kw_only=True, tag="unit-eliminated"):
    """A unit was eliminated, whatever its number of steps. Pre-war units leave the game permanently (11.1)."""

    unit: UnitId


class UnitRemoved(RuledEvent, frozen=True, kw_only=True, tag="unit-removed"):
    """A unit left the game permanently (13.1, 6.1)."""

    unit: UnitId


class UnitScheduled(RuledEvent, frozen=True, kw_only=True, tag="unit-scheduled"):
    """A unit was put on the game turn track (6.13, 8.24, 8.33, 10.24)."""

    unit: UnitId
    turn: int
    steps: int
    delayable: bool


class UnitBoxed(RuledEvent, frozen=True, kw_only=True, tag="unit-boxed"):
    """A unit was put in the Delayed Reinforcements box (10.21, 10.12)."""

    unit: UnitId
    steps: int


class ControlChanged(RuledEvent, frozen=True, kw_only=True, tag="control-changed"):
    """Hexes came under a side's control (6.5, 13)."""

    hexes: tuple[HexId, ...]
    side: Side
