"""``flagplot mail``: play by move files, without a host on the network."""

from pathlib import Path
from typing import Any

import click

from tools.click_commands import CheckedGroup
from tools.cmd_send import send
from tools.cmd_take import take
from tools.new_match import (
    MatchArguments,
    choose_own_seat,
    match_options,
    place_options,
    print_invites,
    read_new_match,
)


@click.group(cls=CheckedGroup)
def mail() -> None:
    """Play by mail or chat with move files: text files that you send like any other message."""


@mail.command("open", short_help="Open a match and write the invites.")
@match_options
@place_options
@click.option("--json", "as_json", is_flag=True, help="Print the invites as one JSON object.")
def open_match(
    invites: Path | None,
    folder: Path | None,
    *,
    as_json: bool,
    **values: Any,  # noqa: ANN401  # the options of a match, each with its own type
) -> None:
    """Open a match of GAME that is played by move files, and write the invites.

    GAME is cbps, eots or qmg. The full record stays on this computer, so the others trust you with dice and hands.
    """
    from netplay.host.host_command import HostPlan
    from netplay.mail.match_creation import open_by_mail
    from saves.folders import hosted_folder

    arguments = MatchArguments(**values)
    new_match = read_new_match(arguments, None, has_screen=False)
    host_folder = folder or hosted_folder()
    plan = HostPlan(
        host="",
        port=0,
        plain=False,
        folder=host_folder,
        invites=invites or host_folder / "invites",
        game=arguments.game,
        scenario=new_match.scenario,
        options=new_match.options,
        position=new_match.position,
        data=new_match.data,
        players=new_match.players,
        own_role=choose_own_seat(new_match.players, arguments.seat),
    )
    running = open_by_mail(plan)
    if as_json:
        print_invites(running, as_json=True)
        return
    match = running.match[:8]
    click.echo(
        f"Match {running.match}: the full record is stored here. The others trust you with dice and"
    )
    click.echo("hands, as they would trust a host.")
    for invite in running.invites:
        if not invite.is_own:
            click.echo(
                f"Send this invite to {invite.player} once, by a private channel: {invite.path}"
            )
    click.echo(f"Next:  flagplot mail send {match}   writes the first move file for each player,")
    click.echo(f"       flagplot join {match}        opens your seat,")
    click.echo("       flagplot mail take FILE       imports what they send.")


mail.add_command(send)
mail.add_command(take)
