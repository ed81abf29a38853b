"""The units that may still move (7.21, 7.23, 7.26, 9.6)."""

from typing import Final

from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.battles import battle_hexes, must_stay
from engine.eots.ch08_movement.fleet import place_bit
from engine.eots.ch08_movement.losers import must_leave_after_loss, must_return_by_barge
from engine.eots.counters import counters
from engine.eots.frames import MovementFrame, Purpose
from engine.eots.ids import CHINA_BOX, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Rule

RULES: Final = {
    Purpose.OFFENSIVE: Rule("7.23"),
    Purpose.REACTION: Rule("7.26"),
    Purpose.POST_BATTLE: Rule("9.6"),
}
"""The rule number to cite for each kind of movement."""


def movement_frame(state: State) -> MovementFrame | None:
    """Return the frame of the movement in progress, or None if no units are moving."""
    for frame in reversed(state.frames):
        if isinstance(frame, MovementFrame):
            return frame
    return None


def has_moved(state: State, unit: UnitId) -> bool:
    """Return whether a unit has finished its move in the current movement (7.23)."""
    frame = movement_frame(state)
    if frame is None:
        return unit in current_offensive(state).moved
    # Moves made before the battles do not prevent post-battle movement.
    return unit in frame.halted or (
        frame.purpose is not Purpose.POST_BATTLE and unit in current_offensive(state).moved
    )


def is_bound(state: State, unit: UnitId, purpose: Purpose) -> bool:
    """Return whether a rule forces a unit to stay in its hex (7.26, 8.23, 8.33, 8.44, 9.6)."""
    counter, piece = counters()[unit], state.units[unit]
    if not piece.is_on_map and piece.at != CHINA_BOX:
        return True
    match purpose:
        case Purpose.OFFENSIVE:
            return False
        case Purpose.REACTION:
            frame = movement_frame(state)
            if must_stay(state, unit, () if frame is None else frame.halted):
                return True
            battle_bit = place_bit(occupancy(state), piece.at) & battle_hexes(state)
            return bool(battle_bit) and not counter.is_air_capable  # OP-7
        case Purpose.POST_BATTLE:
            if counter.is_ground:
                return not must_leave_after_loss(state, unit) or must_return_by_barge(state, unit)
            move = current_offensive(state).moved.get(unit)
            return move is not None and move.mode.is_strategic  # 9.6-2
