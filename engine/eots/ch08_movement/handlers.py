"""The handlers for chapter 8."""

from typing import Final

from engine.eots.ch08_movement.disengage import DisengagementHandler
from engine.eots.ch08_movement.emergency import EmergencyHandler
from engine.eots.ch08_movement.moves import MovementHandler
from engine.eots.ch08_movement.stack import StackHandler
from engine.eots.ch08_movement.stacking import StackingHandler

HANDLERS: Final = (
    MovementHandler(),
    StackHandler(),
    DisengagementHandler(),
    EmergencyHandler(),
    StackingHandler(),
)
"""One handler for each of the chapter's frame types."""
