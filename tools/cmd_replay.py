"""``flagplot replay``: step through a record; ``flagplot tutorial``: the one that teaches a game."""

from pathlib import Path

import click

_plain = click.option("--plain", is_flag=True, help="Line by line, for terminals without screens.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_plain
def replay(file: Path, *, plain: bool) -> int:
    """Step through FILE by event, command, comment, phase or turn, from any seat that it shows."""
    from tui import launch

    return launch.replay(file, plain=plain)


@click.command()
@click.argument("game", default="eots")
@_plain
def tutorial(game: str, *, plain: bool) -> int:
    """Show the first turns of GAME with comments: cbps, eots or qmg.

    It is a replay, seen by whoever moves: n goes to the next comment, p to the one before.
    """
    from engine import registry
    from tui import launch

    return launch.replay(registry.tutorial(game), plain=plain, follows_mover=True)
