"""Creates bots, and recognises by player name which seats bots play."""

import secrets
from typing import Final

from engine.bots.player import Player
from engine.bots.registry import create_bot
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import BOT_PREFIX

BOT_PLAYER_PREFIX: Final = BOT_PREFIX
"""Player-name prefix that marks a seat as played by a bot, such as ``bot:greedy``."""


def bot_name(player: str) -> str:
    """Return the name of the bot that plays this seat; empty if a person plays the seat."""
    return player.removeprefix(BOT_PLAYER_PREFIX) if player.startswith(BOT_PLAYER_PREFIX) else ""


def create_seat_bot(name: str, game: str) -> Player:
    """Create a bot with unpredictable random numbers.

    Raises:
        DataError: The game has no such bot.
    """
    return create_bot(name, game, DerivedDice(secrets.token_bytes(SECRET_BYTES), 0))
