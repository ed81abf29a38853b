"""Lists the games, and what can be chosen for a new game."""

from engine import registry
from engine.bots import registry as bot_registry
from engine.bots.player import Player, looks_ahead
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import Ruling
from play.bots import create_seat_bot
from saves.match import derive_secret


def games() -> tuple[str, ...]:
    """Return the ids of all games in alphabetical order, such as ``eots``."""
    return registry.games()


def scenarios(game: str) -> tuple[ScenarioInfo, ...]:
    """Return a game's scenarios in menu order, with their roles under the default options.

    Raises:
        DataError: There is no such game.
    """
    return registry.ruleset(game).scenarios()


def rulings(game: str) -> tuple[Ruling, ...]:
    """Return the rulings and optional rules that can be chosen for a new game, in menu order.

    Raises:
        DataError: There is no such game.
    """
    return registry.ruleset(game).options()


def bots(game: str) -> tuple[str, ...]:
    """Return the names of a game's bots, the default first.

    Raises:
        DataError: There is no such game.
    """
    registry.ruleset(game)
    return bot_registry.available_bots(game)


def create_bot(
    name: str, game: str, *, seed: int | None = None, steps: int | None = None
) -> Player:
    """Create a bot.

    Args:
        name: A name from :func:`bots`.
        game: Id of the game.
        seed: Bots with equal seeds make equal random choices; None for unpredictable choices.
        steps: Search steps per answer for a bot that looks ahead; None for the bot's own limit.

    Raises:
        DataError: The game has no such bot.
    """
    if seed is None:
        player = create_seat_bot(name, game)
    else:
        player = bot_registry.create_bot(name, game, DerivedDice(derive_secret(f"bot {seed}"), 0))
    if steps is not None and looks_ahead(player):
        player.steps = steps
    return player
