"""Bots in seats: how a seat's player name tells of one, and how one is made."""

import secrets
from typing import Final

from engine.bots.player import Player
from engine.bots.registry import bot
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import BOT_PREFIX

PREFIX: Final = BOT_PREFIX
"""Begins the player name of a seat that a bot has, such as ``bot:greedy``."""


def bot_name(player: str) -> str:
    """Return which bot has this seat, empty when a person has it."""
    return player.removeprefix(PREFIX) if player.startswith(PREFIX) else ""


def new_bot(name: str, game: str) -> Player:
    """Return a bot whose own dice nobody can foresee.

    Raises:
        DataError: There is no such bot for the game.
    """
    return bot(name, game, DerivedDice(secrets.token_bytes(SECRET_BYTES), 0))
