"""The handlers of chapter 9."""

from typing import Final

from engine.eots.ch09_battle.assignment import HitsHandler
from engine.eots.ch09_battle.battle import BattleHandler
from engine.eots.ch09_battle.battles import BattlesHandler
from engine.eots.ch09_battle.retreat import RetreatHandler

HANDLERS: Final = (BattlesHandler(), BattleHandler(), HitsHandler(), RetreatHandler())
"""One handler per frame of battle, in the order in which the frames open."""
