"""``flagplot replay``: step through a record file on the screen."""

from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def replay(file: Path) -> int:
    """Step through FILE by event, command, phase or turn, from any seat that it shows."""
    from tui import launch

    return launch.replay(file)
