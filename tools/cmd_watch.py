"""``flagplot watch``: follow a match as a spectator."""

from pathlib import Path

import click

from tools.click_commands import CheckedCommand
from tools.option_conflicts import refuse_given


@click.command(cls=CheckedCommand)
@click.argument("invite", type=click.Path(path_type=Path))
@click.option(
    "--headless", is_flag=True, help="Print the log without a screen until the game is over."
)
@click.option(
    "--plain", is_flag=True, help="Use line mode, for terminals that cannot show screens."
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the copy. Default: the account's data folder.",
)
@click.option(
    "--wait",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="With --headless: seconds to try to reach the host.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="With --headless: print one JSON object per sentence."
)
@click.option(
    "--remind",
    default="",
    metavar="COMMAND",
    help="With --headless and --seat: run this command, without a shell, once per turn of the seat while its player is"
    " away. Its environment contains FLAGPLOT_MATCH, FLAGPLOT_SEAT, FLAGPLOT_HEADING.",
)
@click.option("--seat", default="", metavar="ROLE", help="With --remind: the seat to remind.")
def watch(  # one parameter per option
    invite: Path,
    folder: Path | None,
    wait: float,
    remind: str,
    seat: str,
    *,
    headless: bool,
    plain: bool,
    as_json: bool,
) -> int:
    """Watch a match with a spectator's INVITE file.

    Exits with 4 if the host refuses you or cannot be reached.
    """
    import datetime as dt

    if headless:
        refuse_given(("plain",), "cannot be combined with --headless, which always prints lines")
    else:
        refuse_given(("wait", "as_json"), "requires --headless")
    if bool(remind) != bool(seat) or (remind and not headless):
        raise click.UsageError("--remind and --seat require each other and --headless.")
    from netplay.invites.invite import check_valid_now, load_invite
    from netplay.wire.errors import InviteError

    loaded = load_invite(invite)
    check_valid_now(loaded, dt.datetime.now(dt.UTC), str(invite))
    if loaded.role is not None:
        raise InviteError(str(invite), "this is a player's invite; use 'flagplot join'")
    from netplay.system.host_log import log_json, log_to_file
    from saves.folders import joined_folder

    copies_folder = folder or joined_folder()
    if not headless:
        from tui.app import launch

        if not plain:
            launch.check_terminal()
        log_to_file(copies_folder / "join.log")
        return launch.join(invite, plain=plain, folder=copies_folder)
    import asyncio
    from contextlib import closing

    import msgspec

    from engine.kernel.ids import Role
    from netplay.feed.reminders import split_command_line
    from tools.headless_peer import LogSentence, Reminder
    from tools.headless_peer import watch as follow
    from tui.terminal.settings import find_addresses, load_settings, settings_path

    def print_line(line: LogSentence) -> None:
        click.echo(msgspec.json.encode(line).decode() if as_json else f"{line.seq}: {line.text}")

    reminder = Reminder(role=Role(seat), command=split_command_line(remind)) if remind else None

    def note(text: str) -> None:
        click.echo(text, err=True)

    address_finder = find_addresses(load_settings(settings_path())[0])
    with closing(log_json()):
        result = asyncio.run(
            follow(loaded, copies_folder, wait, print_line, note, reminder, address_finder)
        )
    note(result)
    return 0
