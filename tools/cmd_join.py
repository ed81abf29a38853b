"""``flagplot join``: take the seat of an invite; also resumes after any interruption."""

from pathlib import Path

import click

from tools.contradictions import refuse_given
from tools.parameters import Command


@click.command(cls=Command)
@click.argument(
    "invite", required=False, default="", metavar="[INVITE|MATCH]", type=click.Path(path_type=str)
)
@click.option(
    "--bot", metavar="NAME", help="Let a bot play each role of the seat, without a screen."
)
@click.option("--plain", is_flag=True, help="Line by line, for terminals without screens.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the seat's record. Default: the account's data folder.",
)
@click.option(
    "--wait",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="With --bot: seconds to try to reach the host.",
)
@click.option(
    "--bot-seconds",
    default=3.0,
    show_default=True,
    type=click.FloatRange(0.1, 60),
    help="With --bot strong: seconds that it thinks about an answer at most.",
)
def join(
    invite: str,
    bot: str | None,
    folder: Path | None,
    wait: float,
    bot_seconds: float,
    *,
    plain: bool,
) -> int:
    """Take the seat of the INVITE file, with all its roles, and play.

    Without INVITE the Join screen opens, or --plain lists the invites that lie here and who hosts in this network.
    Instead of the file the beginning of a MATCH's id will do where its invite lies in a folder that Join looks at.
    The same command comes back after any interruption. Exit code 4 when the host refuses or cannot be reached.
    """
    import datetime as dt

    from netplay.invites.invite import check_current, load_invites
    from netplay.wire.errors import InviteError

    if bot is None:
        refuse_given(("wait", "bot_seconds"), "goes with --bot")
    else:
        refuse_given(("plain",), "does not go with --bot: a bot plays without a person")
    if not invite:
        if not plain:
            refuse_given(("folder",), "goes with INVITE or --plain")
        return _look_around(folder, bot, plain=plain)
    path = _invite_file(invite, folder)
    loaded = load_invites(path)
    for one in loaded:
        check_current(one, dt.datetime.now(dt.UTC), str(path))
        if one.role is None:
            raise InviteError(str(path), "this invite is for watching; use 'flagplot watch'")
    from netplay.system.host_log import log_json, log_to_file
    from saves.folders import joined_folder

    where = folder or joined_folder()
    if bot is None:
        from tui import launch

        if not plain:
            launch.check_terminal()
        log_to_file(where / "join.log")
        return launch.join(path, plain=plain, folder=where)
    import asyncio
    from contextlib import closing

    from tools.joining import play_bots
    from tui.settings import find_addresses, load_settings, settings_path

    find = find_addresses(load_settings(settings_path())[0])
    with closing(log_json()):
        told = asyncio.run(play_bots(loaded, where, bot, wait, bot_seconds, find))
    click.echo(told)
    return 0


def _invite_file(word: str, folder: Path | None) -> Path:
    """Return the file of an invite, or of the seat here of a match whose id begins like that."""
    from netplay.mail.mail_store import office_of_account

    path = Path(word)
    if path.exists() or len(path.parts) > 1 or path.suffix:
        return path
    return office_of_account(copies=folder).file_of(word) or path


def _look_around(folder: Path | None, bot: str | None, *, plain: bool) -> int:
    """Show what can be joined."""
    import asyncio

    from netplay.mail.mail_store import office_of_account
    from tui import launch

    if bot is not None:
        raise click.UsageError("--bot goes with INVITE.")
    if not plain:
        return launch.launch(start=lambda app: app.action_join())
    from tools.nearby import nearby
    from tui.settings import load_settings, settings_path

    is_open = load_settings(settings_path())[0].lan
    asyncio.run(nearby(office_of_account(copies=folder), click.echo, does_listen=is_open))
    return 0
