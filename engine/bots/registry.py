"""Bots by name: ``random`` for every game, and those that a game has for itself."""

from engine import registry
from engine.bots.player import Player
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError

_RANDOM = "random"


def bots(game: str) -> tuple[str, ...]:
    """Return the names of all bots that play a game, the usual one first."""
    return (*registry.bots(game), _RANDOM)


def bot(name: str, game: str, dice: DerivedDice) -> Player:
    """Return a new bot.

    Args:
        name: One of :func:`bots`.
        game: Id of the game, such as ``eots``.
        dice: The bot's own source of chance.

    Raises:
        DataError: There is no such bot for the game.
    """
    if name == _RANDOM:
        return RandomPlayer(dice)
    if name in registry.bots(game):
        player: Player = registry.bot_maker(game, name)(dice)
        return player
    known = ", ".join(bots(game))
    raise DataError("bot", name, f"there is no bot '{name}' for {game}; known are {known}")
