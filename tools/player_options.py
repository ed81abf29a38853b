"""Parses and checks the players on the command line."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from engine.kernel.ids import Role
    from engine.kernel.ruleset import ScenarioInfo


def seat_names(text: str, info: "ScenarioInfo") -> tuple[str, ...]:
    """Parse the value of ``--seats``.

    Raises:
        BadParameter: The value is malformed. The message shows the correct form.
    """
    from engine.kernel.errors import DataError
    from play.seating import split_seat_names

    try:
        return split_seat_names(text, info)
    except DataError as error:
        raise click.BadParameter(error.problem, param_hint="--seats") from error


def check_bots(game: str, players: Mapping["Role", str]) -> None:
    """Check that every bot among the players exists.

    Raises:
        DataError: The game has no such bot.
    """
    from play.bots import bot_name, create_seat_bot

    for player in players.values():
        if bot_name(player):
            create_seat_bot(bot_name(player), game)
