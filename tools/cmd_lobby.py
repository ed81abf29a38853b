"""``flagplot lobby``: one player's matches, for SSH keys that share an account."""

from pathlib import Path

import click

from tools.click_commands import CheckedCommand


@click.command(cls=CheckedCommand)
@click.option(
    "--as", "name", required=True, metavar="NAME", help="Name of the player in the matches."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the host's matches. Default: the account's data folder.",
)
@click.option(
    "--invites",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the invites. Default: inside --folder.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the players' copies and settings. Default: 'door' in the account's data folder.",
)
def lobby(name: str, folder: Path | None, invites: Path | None, keep: Path | None) -> int:
    """List only the matches in which NAME has a seat, for use as an SSH forced command (docs/ssh.md).

    The player cannot enter paths or see other players' matches. Leaving a table returns to the list.
    """
    from netplay.host.ssh_lobby import player_folder
    from netplay.system.host_log import log_to_file
    from saves.folders import hosted_folder, ssh_folder
    from tui.app import launch

    matches_folder = folder or hosted_folder()
    players_folder = keep or ssh_folder()
    own_folder = player_folder(players_folder, name)
    launch.check_terminal(launch.SSH_ALTERNATIVES)
    log_to_file(own_folder / "door.log")
    return launch.ssh_lobby(
        name, matches_folder, invites or matches_folder / "invites", players_folder
    )
