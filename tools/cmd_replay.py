"""``flagplot learn``, ``flagplot tutorial`` and ``flagplot replay``: guided lessons, and games to watch."""

from pathlib import Path

import click

from tools.click_commands import CheckedCommand
from tools.completion import complete_games
from tools.record_path import RecordPath

_plain = click.option(
    "--plain", is_flag=True, help="Use line mode, for terminals that cannot show screens."
)


@click.command(cls=CheckedCommand)
@click.argument("file", type=RecordPath(exists=False))
@_plain
def replay(file: Path, *, plain: bool) -> int:
    """Replay the record FILE automatically, step by step, or from any turn, battle, card or place.

    FILE may be the name of a saved game. You can choose the view of any seat that the record contains.
    """
    from tui.app import launch

    return launch.replay(file, plain=plain)


@click.command(cls=CheckedCommand)
@click.argument("game", default="eots", shell_complete=complete_games)
@click.option("--again", is_flag=True, help="Start over instead of continuing where you left off.")
@_plain
def learn(game: str, *, again: bool, plain: bool) -> int:
    """Play your first game of GAME, step by step: cbps, eots or qmg.

    The lesson explains what to do and why, waits for the right command, and ends after a battle. Press q to leave at
    any time. The same command continues where you left off.
    """
    from tui.app import launch

    return launch.learn(game, plain=plain, is_new=again)


@click.command(cls=CheckedCommand)
@click.argument("game", default="eots", shell_complete=complete_games)
@_plain
def tutorial(game: str, *, plain: bool) -> int:
    """Watch the first turns of GAME with comments: cbps, eots or qmg.

    It is a replay from the active player's view. n goes to the next comment, and p to the previous one.
    """
    from engine import registry
    from tui.app import launch

    return launch.replay(registry.tutorial(game), plain=plain, follows_mover=True)
