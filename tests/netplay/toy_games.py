"""Adds the toy games to the games of the program, for processes without test fixtures."""

import os
import signal

from typing_extensions import override

from engine import registry
from engine.kernel.ids import Role
from engine.kernel.ledger import Ledger
from tests.toy_game import REGISTERED, ToyCommand, ToyEvent, ToyGame, ToyState


class DeadlyGame(ToyGame):
    """The toy game, except that a process that checks one of its commands is killed."""

    game = "deadly"

    @override
    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


DEADLY = DeadlyGame()


class HungryGame(ToyGame):
    """The toy game, except that checking one of its commands runs out of memory."""

    game = "hungry"

    @override
    def resolve(self, ledger: Ledger[ToyState, ToyEvent], role: Role, command: ToyCommand) -> None:
        raise MemoryError


HUNGRY = HungryGame()


def register() -> None:
    """Add the toy games to this process."""
    registry._GAMES["toy"] = REGISTERED
    registry._GAMES["six"] = registry.Game("tests.toy_six:SIX", "", "", "", {})
    registry._GAMES["staff"] = registry.Game("tests.toy_staff:TOY_STAFF", "", "", "", {})
    registry._GAMES["hungry"] = registry.Game("tests.netplay.toy_games:HUNGRY", "", "", "", {})
    registry._GAMES["deadly"] = registry.Game("tests.netplay.toy_games:DEADLY", "", "", "", {})
