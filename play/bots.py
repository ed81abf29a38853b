"""Creates bots, lets them play, and recognises by player name which seats they play."""

import secrets
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.bots.player import Player, choose_command, last_reason
from engine.bots.registry import create_bot
from engine.kernel.dice import SECRET_BYTES, DerivedDice
from engine.kernel.ids import BOT_PREFIX, Role
from saves.match import Match
from saves.records import Record

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


def play_bots(match: Match[Any], players: Mapping[Role, Player]) -> Iterator[Record]:
    """Let bots give commands, and yield the record of each command.

    Stop when the match is over, or when only roles without a bot have a decision. A bot that gives the reason for its
    command adds the reason as a remark before the command.

    Raises:
        IllegalCommandError: A bot's command is not legal. The match is unchanged.
        StorageError: The write failed.
    """
    while role := next((role for role in match.asked if role in players), None):
        command = choose_command(match.ruleset, match.state, role, players[role])
        if reason := last_reason(players[role]):
            match.remark(reason, role)
        yield match.submit(role, command, match.seq)
