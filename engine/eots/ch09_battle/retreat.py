"""Retreats after ground combat (9.5, 8.47, OPB-28, decision 9-h)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.ch06_supply.bitsets import bitsets_in_play
from engine.eots.ch06_supply.control import controls, is_enemy_blocked, is_vacant_for
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch08_movement.areas import entry_refusals
from engine.eots.commands import Retreat
from engine.eots.counters import counters
from engine.eots.events.offensive import UnitMoved
from engine.eots.events.units import UnitEliminated, UnitRemoved
from engine.eots.flow import Action, DecisionHandler, EotsRun
from engine.eots.frames import RetreatFrame
from engine.eots.hex_control import capture_hexes
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule

RULE: Final = Rule("9.5")
SOVIET: Final = AreaId("soviet-territory")


def _hex_refusals(state: State, unit: UnitId, destination: HexId) -> Iterator[Refusal]:
    """Yield the reasons why a unit may not retreat to a hex."""
    offensive = current_offensive(state)
    hex_id = HexId(state.units[unit].at)
    bitsets = bitsets_in_play(state)
    index = bitsets.board.index.get(destination)
    if index is None or index not in bitsets.board.land_adjacent[bitsets.board.index[hex_id]]:
        yield Refusal(RULE, f"no land connects {hex_id} with {destination}")
        return
    if not is_vacant_for(state, offensive.side, destination):
        yield Refusal(RULE, f"{destination} contains a unit of the Offensive player")
    if destination in entry_hexes(state, hex_id):
        yield Refusal(RULE, f"an offensive ground unit entered the battle from {destination}")
    if not has_room(state, unit, destination):
        yield Refusal(Rule("8.48"), f"{destination} would be overstacked")
    yield from entry_refusals(bitsets, counters()[unit], destination)


def entry_hexes(state: State, hex_id: HexId) -> frozenset[str]:
    """Return the hexes from which the Offensive player's ground units entered a battle hex (9.5)."""
    offensive = current_offensive(state)
    return frozenset(
        move.entered_from
        for unit, move in offensive.moved.items()
        if move.path
        and move.path[-1] == hex_id
        and counters()[unit].is_ground
        and counters()[unit].side is offensive.side
    )


def retreat_hexes(state: State, unit: UnitId) -> tuple[HexId, ...]:
    """Return the hexes to which a Reaction ground unit may retreat, in ascending order (9.5).

    If any of these hexes are friendly named locations, only the named locations are returned. If there is no hex, the
    unit is eliminated.
    """
    board = bitsets_in_play(state).board
    hex_index = board.index[HexId(state.units[unit].at)]
    adjacent_hexes = tuple(board.ids[i] for i in sorted(board.land_adjacent[hex_index]))
    legal_hexes = tuple(
        destination
        for destination in adjacent_hexes
        if next(_hex_refusals(state, unit, destination), None) is None
    )
    side = counters()[unit].side
    named_retreats = tuple(
        hex_id
        for hex_id in legal_hexes
        if board.is_named_location[board.index[hex_id]] and controls(state, side, hex_id)
    )
    return named_retreats or legal_hexes


def return_hex(state: State, unit: UnitId) -> HexId | None:
    """Return the hex to which an Offensive ground unit retreats, or None if it is lost (9.5, 8.47, OPB-28)."""
    offensive = current_offensive(state)
    move = offensive.moved.get(unit)
    if move is None or is_enemy_blocked(state, offensive.side, move.entered_from):
        return None
    return HexId(move.entered_from)


def next_unit(frame: RetreatFrame, state: State) -> UnitId | None:
    """Return the unit that retreats next; None if none is waiting. Offensive units retreat first, then by id."""
    side = current_offensive(state).side
    own_units = [unit for unit in frame.waiting if counters()[unit].side is side]
    return next(iter(own_units or frame.waiting), None)


def waiting_units(frame: RetreatFrame, state: State) -> tuple[UnitId, ...]:
    """Return the waiting units that are still in the hex where they were defeated. All others have since been lost."""
    orders = current_offensive(state).retreats
    return tuple(unit for unit in frame.waiting if state.units[unit].at == orders.get(unit))


def retreat_unit(
    run: EotsRun, frame: RetreatFrame, unit: UnitId, destination: HexId | None
) -> None:
    """Move a unit to its retreat hex, or eliminate it if there is none.

    A hex belongs to the side whose ground unit entered it last (6.5).
    """
    side = counters()[unit].side
    if destination is None and _can_only_enter_soviet_territory(run.state, unit):
        run.add(UnitRemoved(rule=Rule("8.41"), unit=unit))
    elif destination is None:
        run.add(UnitEliminated(rule=RULE, unit=unit))
    else:
        run.add(UnitMoved(unit=unit, entered=(destination,)))
        if not controls(run.state, side, destination):
            capture_hexes(run, side, (destination,), Rule("6.5"))
    waiting_units = tuple(other_unit for other_unit in frame.waiting if other_unit != unit)
    run.replace_top(RetreatFrame(waiting=waiting_units))


def _can_only_enter_soviet_territory(state: State, unit: UnitId) -> bool:
    """Return whether a Reaction unit can retreat only to Soviet territory, from where it never returns (8.41C)."""
    if counters()[unit].side is current_offensive(state).side:
        return False
    board = bitsets_in_play(state).board
    adjacent_hexes = board.land_adjacent[board.index[HexId(state.units[unit].at)]]
    return any(board.ids[index] in board.areas[SOVIET].hexes for index in adjacent_hexes)


class RetreatUnit(Action[RetreatFrame, Retreat]):
    """Moves a defeated Reaction ground unit to a hex (9.5)."""

    kind = Retreat

    @override
    def candidates(self, state: State, frame: RetreatFrame, side: Side) -> Iterator[Retreat]:
        """Yield a command for each retreat hex of the next unit, in ascending order."""
        unit = next_unit(frame, state)
        assert unit is not None
        for destination in retreat_hexes(state, unit):
            yield Retreat(unit=unit, to=destination)

    @override
    def refusals(
        self, state: State, frame: RetreatFrame, side: Side, command: Retreat
    ) -> Iterator[Refusal]:
        """Yield the reasons why a Reaction ground unit may not retreat to a hex (9.5, OPB-28)."""
        first_unit, unit, destination = next_unit(frame, state), command.unit, command.to
        if unit != first_unit:
            yield Refusal(RULE, f"{first_unit} retreats first")
            return
        refusals = tuple(_hex_refusals(state, unit, destination))
        yield from refusals
        if not refusals and destination not in retreat_hexes(state, unit):
            yield Refusal(RULE, f"{unit} must retreat to a friendly named location")

    @override
    def apply(self, run: EotsRun, frame: RetreatFrame, side: Side, command: Retreat) -> None:
        retreat_unit(run, frame, command.unit, command.to)


class RetreatHandler(DecisionHandler[RetreatFrame]):
    """Asks the Offensive player where defeated Reaction units retreat. Offensive units retreat automatically (9.5)."""

    frame = RetreatFrame
    rule = RULE
    actions = (RetreatUnit(),)
    wrong_kind_text = "retreat the defeated ground units first"

    @override
    def active_roles(self, state: State, frame: RetreatFrame) -> tuple[Side, ...]:
        """Return the Offensive player; empty if there is no choice of hexes."""
        unit, side = next_unit(frame, state), current_offensive(state).side
        if unit is None or counters()[unit].side is side:
            return ()
        if waiting_units(frame, state) != frame.waiting:
            return ()
        return (side,) if len(retreat_hexes(state, unit)) > 1 else ()

    @override
    def prompt(self, state: State, frame: RetreatFrame, side: Side) -> str:
        unit = next_unit(frame, state)
        assert unit is not None
        return (
            f"Choose the hex to which {counters()[unit].name} retreats from {state.units[unit].at}"
        )

    @override
    def step(self, run: EotsRun, frame: RetreatFrame) -> None:
        """If a unit has no choice, move or eliminate it. If no unit is waiting, finish."""
        state = run.state
        unit = next_unit(frame, state)
        if unit is None:
            run.pop()
        elif waiting_units(frame, state) != frame.waiting:
            run.replace_top(RetreatFrame(waiting=waiting_units(frame, state)))
        elif counters()[unit].side is current_offensive(state).side:
            retreat_unit(run, frame, unit, return_hex(state, unit))
        else:
            retreat_unit(run, frame, unit, next(iter(retreat_hexes(state, unit)), None))
