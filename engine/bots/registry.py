"""Bots by name: ``random`` for every game, ``greedy`` where a game has one."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, cast

from engine.bots.player import Player
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import Dice
from engine.kernel.errors import DataError

_GREEDY: Final[Mapping[str, str]] = {
    "eots": "engine.bots.greedy_eots:GreedyEots",
    "qmg": "engine.bots.greedy_qmg:GreedyQmg",
}
"""Game to module and class."""
BOTS: Final = ("greedy", "random")


def bot(name: str, game: str, dice: Dice) -> Player:
    """Return a new bot.

    Args:
        name: ``random`` or ``greedy``.
        game: Id of the game, such as ``eots``.
        dice: The bot's own source of chance.

    Raises:
        DataError: There is no such bot for the game.
    """
    if name == "random":
        return RandomPlayer(dice)
    if name == "greedy" and game in _GREEDY:
        module, attribute = _GREEDY[game].split(":")
        make = cast("Callable[[Dice], Player]", getattr(import_module(module), attribute))
        return make(dice)
    raise DataError(
        "bot", name, f"there is no bot '{name}' for {game}; known are {', '.join(BOTS)}"
    )
