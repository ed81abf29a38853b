"""``flagplot learn``: a guided lesson; ``flagplot tutorial``: one that is watched; ``flagplot replay``: any record."""

from pathlib import Path

import click

from tools.parameters import Command

_plain = click.option("--plain", is_flag=True, help="Line by line, for terminals without screens.")


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_plain
def replay(file: Path, *, plain: bool) -> int:
    """Watch FILE again: by itself, by steps or at any turn, battle, card or place, from any seat that it shows."""
    from tui import launch

    return launch.replay(file, plain=plain)


@click.command(cls=Command)
@click.argument("game", default="eots")
@click.option("--again", is_flag=True, help="Begin again instead of going on where you left.")
@_plain
def learn(game: str, *, again: bool, plain: bool) -> int:
    """Play your first game of GAME, step by step: cbps, eots or qmg.

    The lesson says what to do and why, waits for the right command, and ends after a battle. Leave with q at any
    time; the same command goes on.
    """
    from tui import launch

    return launch.learn(game, plain=plain, is_new=again)


@click.command(cls=Command)
@click.argument("game", default="eots")
@_plain
def tutorial(game: str, *, plain: bool) -> int:
    """Watch the first turns of GAME with comments: cbps, eots or qmg.

    It is a replay, seen by whoever moves: n goes to the next comment, p to the one before.
    """
    from engine import registry
    from tui import launch

    return launch.replay(registry.tutorial(game), plain=plain, follows_mover=True)
