"""``flagplot join``: take the seat named in an invite, or return to it after an interruption."""

from pathlib import Path

import click

from tools.click_commands import CheckedCommand
from tools.completion import complete_bots
from tools.option_conflicts import refuse_given


@click.command(cls=CheckedCommand)
@click.argument(
    "invite", required=False, default="", metavar="[INVITE|MATCH]", type=click.Path(path_type=str)
)
@click.option(
    "--bot",
    metavar="NAME",
    help="Let a bot play each role of the seat, without a screen.",
    shell_complete=complete_bots,
)
@click.option(
    "--plain", is_flag=True, help="Use line mode, for terminals that cannot show screens."
)
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
    help="With --bot strong: maximum seconds per answer.",
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
    """Take the seat in the INVITE file, with all its roles, and play.

    Without INVITE the Join screen opens; with --plain, the command lists your invites and the hosts on the local
    network. Instead of a file you can give the beginning of a MATCH id if its invite is in a folder that Join searches.
    To return after an interruption, run the same command again. Exits with 4 if the host refuses you or cannot be
    reached.
    """
    import datetime as dt

    from netplay.invites.invite import check_valid_now, load_invites
    from netplay.wire.errors import InviteError

    if bot is None:
        refuse_given(("wait", "bot_seconds"), "requires --bot")
    else:
        refuse_given(("plain",), "cannot be combined with --bot, which prints no game")
    if not invite:
        if not plain:
            refuse_given(("folder",), "requires INVITE or --plain")
        return _show_joinable(folder, bot, plain=plain)
    path = _invite_file(invite, folder)
    loaded = load_invites(path)
    for seat_invite in loaded:
        check_valid_now(seat_invite, dt.datetime.now(dt.UTC), str(path))
        if seat_invite.role is None:
            raise InviteError(str(path), "this is a spectator's invite; use 'flagplot watch'")
    from netplay.system.host_log import log_json, log_to_file
    from saves.folders import joined_folder

    copies_folder = folder or joined_folder()
    if bot is None:
        from tui.app import launch

        if not plain:
            launch.check_terminal()
        log_to_file(copies_folder / "join.log")
        return launch.join(path, plain=plain, folder=copies_folder)
    import asyncio
    from contextlib import closing

    from tools.headless_peer import play_bots
    from tui.terminal.settings import find_addresses, load_settings, settings_path

    address_finder = find_addresses(load_settings(settings_path())[0])
    with closing(log_json()):
        result = asyncio.run(
            play_bots(loaded, copies_folder, bot, wait, bot_seconds, address_finder)
        )
    click.echo(result)
    return 0


def _invite_file(word: str, folder: Path | None) -> Path:
    """Return the path of an invite file. `word` is a path or the beginning of a match id."""
    from netplay.mail.mail_store import account_mail_store

    path = Path(word)
    if path.exists() or len(path.parts) > 1 or path.suffix:
        return path
    return account_mail_store(copies=folder).find_invite_file(word) or path


def _show_joinable(folder: Path | None, bot: str | None, *, plain: bool) -> int:
    """Show the matches that can be joined."""
    import asyncio

    from netplay.mail.mail_store import account_mail_store
    from tui.app import launch

    if bot is not None:
        raise click.UsageError("--bot requires INVITE.")
    if not plain:
        return launch.launch(on_start=lambda app: app.action_join())
    from tools.joinable_matches import list_joinable
    from tui.terminal.settings import load_settings, settings_path

    is_open = load_settings(settings_path())[0].lan
    asyncio.run(list_joinable(account_mail_store(copies=folder), click.echo, does_listen=is_open))
    return 0
