"""Fold the facts about counters and control."""

from typing import Final

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.events.units import (
    ControlChanged,
    StepGained,
    StepLost,
    UnitBoxed,
    UnitEliminated,
    UnitPlaced,
    UnitRemoved,
    UnitScheduled,
)
from engine.eots.ids import CityKind, Side, UnitId
from engine.eots.state import DELAY_BOX, ELIMINATED, REMOVED, TURN_TRACK, Arrival, Piece, State


def with_piece(state: State, unit: UnitId, piece: Piece) -> State:
    """Return the state with one counter changed; an entry on the turn track goes."""
    units = {**state.units, unit: piece}
    if unit in state.arrivals:
        arrivals = {other: arrival for other, arrival in state.arrivals.items() if other != unit}
        return replace(state, units=units, arrivals=arrivals)
    return replace(state, units=units)


def unit_placed(state: State, event: UnitPlaced) -> State:
    """Put a counter down."""
    return with_piece(state, event.unit, Piece(event.at, event.steps))


def step_lost(state: State, event: StepLost) -> State:
    """Flip or eliminate."""
    piece = state.units[event.unit]
    if piece.steps > 1:
        return with_piece(state, event.unit, Piece(piece.at, piece.steps - 1))
    return eliminated(state, event.unit)


def step_gained(state: State, event: StepGained) -> State:
    """Flip to full."""
    piece = state.units[event.unit]
    return with_piece(state, event.unit, Piece(piece.at, piece.steps + 1))


def eliminated(state: State, unit: UnitId) -> State:
    """Take a unit off; it can come back by replacements unless it is pre-war (11.1)."""
    return with_piece(state, unit, Piece(REMOVED if counters()[unit].prewar else ELIMINATED, 0))


def unit_eliminated(state: State, event: UnitEliminated) -> State:
    """Take a unit off at once."""
    return eliminated(state, event.unit)


def unit_removed(state: State, event: UnitRemoved) -> State:
    """Take a unit out of the game."""
    return with_piece(state, event.unit, Piece(REMOVED, 0))


def unit_scheduled(state: State, event: UnitScheduled) -> State:
    """Put a unit on the turn track; pre-war units are out for good when they leave the map (11.1)."""
    if counters()[event.unit].prewar:
        return with_piece(state, event.unit, Piece(REMOVED, 0))
    arrival = Arrival(event.turn, event.steps, event.delayable)
    return replace(
        state,
        units={**state.units, event.unit: Piece(TURN_TRACK, 0)},
        arrivals={**state.arrivals, event.unit: arrival},
    )


def unit_boxed(state: State, event: UnitBoxed) -> State:
    """Put a unit into the delay box; its steps are kept."""
    return with_piece(state, event.unit, Piece(DELAY_BOX, event.steps))


def control_changed(state: State, event: ControlChanged) -> State:
    """Change the controller of hexes; a home island city that falls loses its intrinsic unit for good (13.94)."""
    control = {**state.control, **dict.fromkeys(event.hexes, event.side)}
    if event.side is Side.ALLIED:
        fallen = tuple(
            at for at in event.hexes if board().hexes[at].city is CityKind.JAPANESE_INTRINSIC
        )
        if fallen:
            taken = (
                *state.tracks.cities_taken,
                *(at for at in fallen if at not in state.tracks.cities_taken),
            )
            return replace(state, control=control, tracks=replace(state.tracks, cities_taken=taken))
    return replace(state, control=control)


FOLDS: Final = {
    UnitPlaced: unit_placed,
    StepLost: step_lost,
    StepGained: step_gained,
    UnitEliminated: unit_eliminated,
    UnitRemoved: unit_removed,
    UnitScheduled: unit_scheduled,
    UnitBoxed: unit_boxed,
    ControlChanged: control_changed,
}
