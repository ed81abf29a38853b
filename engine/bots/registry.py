"""Looks up bots by name. Each game has the ``random`` bot and its own bots."""

from engine import registry
from engine.bots.player import Player
from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.errors import DataError
from engine.kernel.lexicon import suggestion_or_list

_RANDOM = "random"
_LEVELS = {
    _RANDOM: "plays anything legal, for trying things out",
    "easy": "plays sensibly, but looks no further than the next step and does not always see the best move",
    "greedy": "takes what looks best at the moment; the usual opponent",
    "strong": "looks ahead with plausible hidden cards, and thinks for a few seconds",
}


def available_bots(game: str) -> tuple[str, ...]:
    """Return the names of all bots for a game. The default bot is first."""
    return (*registry.bots(game), _RANDOM)


def bots_by_strength(game: str) -> tuple[str, ...]:
    """Return the names of all bots for a game, from weakest to strongest. Bots of unknown strength are last."""
    known_names = [*_LEVELS]
    return tuple(
        sorted(
            available_bots(game),
            key=lambda name: known_names.index(name) if name in _LEVELS else len(_LEVELS),
        )
    )


def bot_levels() -> tuple[str, ...]:
    """Return the names of the bots that every game should have."""
    return tuple(_LEVELS)


def level_description(name: str) -> str:
    """Return a short description of a bot. For an unknown name, return an empty string."""
    return _LEVELS.get(name, "")


def create_bot(name: str, game: str, dice: DerivedDice) -> Player:
    """Create a bot.

    Args:
        name: A name from :func:`available_bots`.
        game: Id of the game, such as ``eots``.
        dice: The bot's own source of randomness.

    Raises:
        DataError: The game has no such bot.
    """
    if name == _RANDOM:
        return RandomPlayer(dice)
    if name in registry.bots(game):
        player: Player = registry.bot_maker(game, name)(dice)
        return player
    hint = suggestion_or_list(name, available_bots(game))
    raise DataError("bot", name, f"there is no bot '{name}' for {game}{hint}")
