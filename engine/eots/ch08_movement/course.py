"""The consequences of a move: movement events, detection in enemy zones, and the end of the move (7.23, 7.25E)."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.disengage import begin_disengagement
from engine.eots.ch08_movement.fleet import enemy_zones, place_bit
from engine.eots.counters import counters
from engine.eots.events.offensive import MoveFinished, UnitMoved, ZoiTouched
from engine.eots.flow import EotsRun, top_frame
from engine.eots.frames import MovementFrame, Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, HexId, UnitId
from engine.eots.state import Mode, Moved, current_offensive


def move_stack(
    run: EotsRun, frame: StackFrame, entered_hexes: tuple[str, ...], *, mode: str, halves: int
) -> StackFrame:
    """Move a stack along hexes and return its new frame. The caller must replace the frame on the frame stack."""
    if entered_hexes:
        _record_detection(run, frame, entered_hexes)
        for unit in frame.units:
            run.add(UnitMoved(unit=unit, entered=entered_hexes))
    hexes = tuple(HexId(hex_id) for hex_id in entered_hexes if hex_id != CHINA_BOX)
    return replace(
        frame,
        mode=mode,
        at=entered_hexes[-1] if entered_hexes else frame.at,
        path=(*frame.path, *hexes),
        spent_halves=frame.spent_halves + halves,
    )


def _record_detection(run: EotsRun, frame: StackFrame, entered_hexes: tuple[str, ...]) -> None:
    """Record the first time an offensive unit starts in or enters an enemy zone, even a neutralised one (7.25E)."""
    state = run.state
    if frame.purpose is not Purpose.OFFENSIVE or current_offensive(state).touched_zoi:
        return
    zones = enemy_zones(state, frame.side)
    hex_occupancy = occupancy(state)
    for hex_id in (frame.at, *entered_hexes):
        if place_bit(hex_occupancy, hex_id) & zones:
            run.add(ZoiTouched(unit=frame.units[0], at=HexId(hex_id)))
            return


def finish_move(
    run: EotsRun,
    frame: StackFrame,
    modes: Mapping[UnitId, Mode],
    ships: Mapping[UnitId, UnitId] | None = None,
    shelled: Collection[UnitId] = (),
) -> None:
    """End a stack's move: record it, pop its frame, and offer disengagement after a landing (7.23, 8.43).

    Args:
        run: Records the events.
        frame: The stack in its current position.
        modes: Each unit's movement mode.
        ships: The ship that carries each brigade by organic transport (8.46).
        shelled: Escorts that coast guns will fire on (17.11).
    """
    came_from = frame.path[-2] if len(frame.path) > 1 else frame.origin
    # Rules about landings and retreats need the record of the move into battle. A post-battle move
    # must not replace it.
    if frame.purpose is not Purpose.POST_BATTLE:
        for unit in frame.units:
            move = Moved(
                mode=modes[unit],
                origin=frame.origin,
                path=frame.path,
                entered_from=came_from,
                ship=None if ships is None else ships.get(unit),
                parentheses=frame.parentheses and _has_brackets(run, unit),
                shelled=unit in shelled,
            )
            run.add(MoveFinished(unit=unit, moved=move))
    run.pop()
    frame_below = top_frame(run.state)
    assert isinstance(frame_below, MovementFrame)
    run.replace_top(replace(frame_below, halted=(*frame_below.halted, *frame.units)))
    if any(mode.is_landing for mode in modes.values()):
        begin_disengagement(run, frame, came_from, has_landed=True)


def _has_brackets(run: EotsRun, unit: UnitId) -> bool:
    row = counters()[unit].strength(run.state.units[unit].steps)
    return row.extended_in_parentheses
