"""``flagplot lobby``: the matches of one player, for keys that share an account."""

from pathlib import Path

import click

from tools.parameters import Command


@click.command(cls=Command)
@click.option(
    "--as", "name", required=True, metavar="NAME", help="The player, as matches name him."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the host's matches. Default: that of the account.",
)
@click.option(
    "--invites",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of their invites. Default: in --folder.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the players' copies and settings. Default: 'door' in the account's data folder.",
)
def lobby(name: str, folder: Path | None, invites: Path | None, keep: Path | None) -> int:
    """List the matches in which NAME has a seat, and nothing else: for a forced command of SSH (docs/ssh.md).

    No path can be typed, and nothing of another player is shown. Leaving a table comes back to the list.
    """
    from netplay.host.ssh_lobby import place_of
    from netplay.system.host_log import log_to_file
    from saves.folders import door_folder, hosted_folder
    from tui import launch

    hosted = folder or hosted_folder()
    kept = keep or door_folder()
    place = place_of(kept, name)
    launch.check_terminal(launch.BY_SSH)
    log_to_file(place / "door.log")
    return launch.door(name, hosted, invites or hosted / "invites", kept)
