"""The handlers of chapter 9."""

from typing import Final

from engine.eots.ch09_battle import assignment, battle, battles, retreat

HANDLERS: Final = (
    *battles.HANDLERS,
    *battle.HANDLERS,
    *assignment.HANDLERS,
    *retreat.HANDLERS,
)
"""One handler per frame of battle, in the order in which the frames open."""
