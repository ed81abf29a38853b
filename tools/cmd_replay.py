"""``flagplot replay``: step through a record."""

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
