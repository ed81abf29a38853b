"""The toy games among the games of the program, for processes that know no test."""

import os
import signal

from engine import registry
from engine.kernel.ids import Role
from engine.kernel.ledger import Ledger
from tests.toy_game import REGISTERED, ToyCommand, ToyEvent, ToyGame, ToyState


class DeadlyGame(ToyGame):
    """The toy game, but whoever judges a command of it is killed at once."""

    game = "deadly"

    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


DEADLY = DeadlyGame()


class HungryGame(ToyGame):
    """The toy game, but whoever judges a command of it finds no memory for that."""

    game = "hungry"

    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        raise MemoryError


HUNGRY = HungryGame()


def register() -> None:
    """Let this process play the toy games, too."""
    registry._GAMES["toy"] = REGISTERED
    registry._GAMES["six"] = registry.Game("tests.toy_six:SIX", "", "", "", {})
    registry._GAMES["staff"] = registry.Game("tests.toy_staff:TOY_STAFF", "", "", "", {})
    registry._GAMES["hungry"] = registry.Game("tests.netplay.toy_games:HUNGRY", "", "", "", {})
    registry._GAMES["deadly"] = registry.Game("tests.netplay.toy_games:DEADLY", "", "", "", {})
