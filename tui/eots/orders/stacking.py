"""Warnings about too many units in a hex, where excess units would have to leave later (8.24, 8.34, 8.48)."""

from collections.abc import Iterator, Sequence
from typing import Final

from engine.eots import commands as c
from engine.eots.board import board
from engine.eots.ch06_supply.stacking import LAND_LIMIT, NAVAL_LIMIT, land_stack
from engine.eots.counters import counters
from engine.eots.frames import MovementFrame, StackFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.view import EotsView
from tui.eots.texts import place_name

_MOVES_WITH_DESTINATION: Final = (
    c.Sail,
    c.SailStrategic,
    c.Fly,
    c.FlyStrategic,
    c.March,
    c.Transport,
)
"""Moves that may end in a friendly hex."""


def overstacked_hexes_text(view: EotsView) -> str:
    """Return text about hexes with more units than may stay after the offensive; empty if no hex has too many."""
    if view.side is None or view.offensive is None:
        return ""
    units_by_hex: dict[str, list[UnitId]] = {}
    for unit in view.units:
        if counters()[unit.id].side is view.side and HexId(unit.at) in board().index:
            units_by_hex.setdefault(unit.at, []).append(unit.id)
    return " ".join(
        text
        for hex_id in sorted(units_by_hex)
        if (text := _excess_text(hex_id, units_by_hex[hex_id]))
    )


def arrival_warning(view: EotsView, command: c.EotsCommand) -> str:
    """Return a warning if a move would leave too many units at its destination; empty otherwise."""
    frame = view.frames[-1] if view.frames else None
    if not (isinstance(frame, StackFrame) and isinstance(command, _MOVES_WITH_DESTINATION)):
        return ""
    units_there = [
        unit.id for unit in view.units if unit.at == command.to and _is_own(view, unit.id)
    ]
    return _excess_text(
        command.to, (*units_there, *(unit for unit in frame.units if unit not in units_there))
    )


def end_of_movement_question(view: EotsView, command: c.EotsCommand) -> str:
    """Return a question to ask before movement ends with too many units in a hex; empty if no hex has too many."""
    frame = view.frames[-1] if view.frames else None
    if not (isinstance(command, c.Done) and isinstance(frame, MovementFrame)):
        return ""
    overstacked_text = overstacked_hexes_text(view)
    return f"{overstacked_text} End movement anyway?" if overstacked_text else ""


def _is_own(view: EotsView, unit: UnitId) -> bool:
    side: Side | None = view.side
    return counters()[unit].side is side


def _excess_text(place: str, units: Sequence[UnitId]) -> str:
    return " ".join(_excess_sentences(place, units))


def _excess_sentences(place: str, units: Sequence[UnitId]) -> Iterator[str]:
    ships = sum(counters()[unit].is_naval for unit in units)
    land = land_stack(units)
    for count, limit, noun, rule in (
        (ships, NAVAL_LIMIT, "ships", "8.24"),
        (land, LAND_LIMIT, "air and ground units", "8.34, 8.48"),
    ):
        if count > limit:
            yield (
                f"{place_name(place)} has {count} {noun}: only {limit} may stay after this card,"
                f" and the excess leaves for some turns ({rule})."
            )
