"""Emergency naval and air movement (8.22, 8.32)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.airfields import airfields
from engine.eots.ch08_movement.areas import area_bits, enterable_hexes
from engine.eots.ch08_movement.search import hexes_within
from engine.eots.commands import Emergency, EotsCommand
from engine.eots.counters import counters
from engine.eots.events.units import UnitEliminated, UnitPlaced
from engine.eots.flow import Action, DecisionHandler, EotsRun
from engine.eots.frames import EmergencyFrame
from engine.eots.ids import AreaId, HexId, NationId, Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule

INDIES: Final = NationId("dutch-east-indies")
NAVAL_HEXES: Final = 10
"""Maximum straight-line distance of an emergency move at sea (8.22)."""


def _movement_rule(unit: UnitId) -> Rule:
    return Rule("8.32") if counters()[unit].is_air else Rule("8.22")


def emergency_bits(state: State, unit: UnitId) -> Bits:
    """Return the bases where a displaced unit may be placed (8.22, 8.32, 8.35)."""
    hex_occupancy = occupancy(state)
    counter, piece = counters()[unit], state.units[unit]
    index = hex_occupancy.bitsets.board.index.get(HexId(piece.at))
    if index is None:
        return 0
    if counter.is_air:
        row = counter.strength(piece.steps)
        hexes = row.reach  # bracketed ranges also count (8.32)
        airfield_bits = airfields(hex_occupancy, counter.side) & hexes_within(
            hex_occupancy.bitsets, index, hexes
        )
    else:
        ports = (
            hex_occupancy.controlled[counter.side]
            & hex_occupancy.bitsets.ports
            & enterable_hexes(hex_occupancy.bitsets)
        )
        airfield_bits = ports & hexes_within(hex_occupancy.bitsets, index, NAVAL_HEXES)
    return airfield_bits & ~_surrendered_hexes(
        state, counter.side, hex_occupancy.bitsets.bit_by_index[index]
    )


def _surrendered_hexes(state: State, side: Side, start_bits: Bits) -> Bits:
    """Return the hexes closed to an Allied unit that must leave the Dutch East Indies; otherwise empty (13.42)."""
    if side is Side.JAPAN or state.offensive is not None or INDIES not in state.tracks.surrendered:
        return 0
    indies = area_bits(occupancy(state).bitsets, AreaId(INDIES))
    return indies if start_bits & indies else 0


class Placing(Action[EmergencyFrame, Emergency]):
    """Moves a displaced unit to a base (8.22, 8.32)."""

    kind = Emergency

    @override
    def candidates(self, state: State, frame: EmergencyFrame, role: Side) -> Iterator[Emergency]:
        """Yield a command for each possible base of the first displaced unit, in hex order."""
        unit = frame.waiting[0]
        for destination in occupancy(state).bitsets.ids(emergency_bits(state, unit)):
            yield Emergency(unit=unit, to=destination)

    @override
    def refusals(
        self, state: State, frame: EmergencyFrame, role: Side, command: Emergency
    ) -> Iterator[Refusal]:
        """Yield every reason why a unit may not be placed at a base (8.22, 8.32)."""
        unit, destination = command.unit, command.to
        if unit not in frame.waiting:
            yield Refusal(Rule("8.22"), f"{unit} is not displaced")
            return
        if unit != frame.waiting[0]:
            yield Refusal(_movement_rule(unit), f"place {frame.waiting[0]} first")
        if not occupancy(state).bitsets.bit_by_id.get(destination, 0) & emergency_bits(state, unit):
            is_air = counters()[unit].is_air
            base_text = "friendly airfield in range" if is_air else "friendly port within 10"
            yield Refusal(
                _movement_rule(unit),
                f"{destination} is not a {base_text} of {state.units[unit].at}",
            )

    @override
    def apply(self, run: EotsRun, frame: EmergencyFrame, role: Side, command: Emergency) -> None:
        _place_unit(run, frame, command.to)


class EmergencyHandler(DecisionHandler[EmergencyFrame]):
    """Places displaced units one at a time (8.22, 8.32)."""

    frame = EmergencyFrame
    actions = (Placing(),)
    wrong_kind_text = "place the displaced units first"

    @override
    def active_roles(self, state: State, frame: EmergencyFrame) -> tuple[Side, ...]:
        """Return the owner of the next displaced unit if the unit has more than one possible base."""
        if not frame.waiting:
            return ()
        unit = frame.waiting[0]
        choice = emergency_bits(state, unit).bit_count() > 1
        return (counters()[unit].side,) if choice else ()

    @override
    def decision_rule(self, state: State, frame: EmergencyFrame) -> Rule:
        """Return the rule to cite for the next displaced unit."""
        return _movement_rule(frame.waiting[0])

    @override
    def prompt(self, state: State, frame: EmergencyFrame, role: Side) -> str:
        unit = frame.waiting[0]
        return f"Emergency move of {counters()[unit].name} from {state.units[unit].at}"

    @override
    def default(
        self, state: State, frame: EmergencyFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        start_hex = HexId(state.units[frame.waiting[0]].at)
        bases = (option for option in options if isinstance(option, Emergency))
        return min(bases, key=lambda option: board().distance(start_hex, option.to))

    @override
    def step(self, run: EotsRun, frame: EmergencyFrame) -> None:
        """Place a unit that has only one possible base, and eliminate one that has none.

        When no units are left, finish.
        """
        if not frame.waiting:
            run.pop()
            return
        legal_hexes = occupancy(run.state).bitsets.ids(emergency_bits(run.state, frame.waiting[0]))
        _place_unit(run, frame, legal_hexes[0] if legal_hexes else None)


def _place_unit(run: EotsRun, frame: EmergencyFrame, destination: HexId | None) -> None:
    unit = frame.waiting[0]
    piece = run.state.units[unit]
    if destination is None:
        # A unit that has since left the map needs no base.
        if piece.is_on_map:
            run.add(UnitEliminated(rule=_movement_rule(unit), unit=unit))
    else:
        run.add(UnitPlaced(rule=_movement_rule(unit), unit=unit, at=destination, steps=piece.steps))
    run.replace_top(replace(frame, waiting=frame.waiting[1:]))
