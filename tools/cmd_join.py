"""``flagplot join``: take the seat of an invite; also resumes after any interruption."""

from pathlib import Path

import click


@click.command()
@click.argument("invite", type=click.Path(path_type=Path))
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
    invite: Path,
    bot: str | None,
    folder: Path | None,
    wait: float,
    bot_seconds: float,
    *,
    plain: bool,
) -> int:
    """Take the seat of the INVITE file, with all its roles, and play.

    The same command comes back after any interruption. Exit code 4 when the host refuses or cannot be reached.
    """
    import datetime as dt

    from netplay.errors import InviteError
    from netplay.invites import check_current, load_invites

    loaded = load_invites(invite)
    for one in loaded:
        check_current(one, dt.datetime.now(dt.UTC), str(invite))
        if one.role is None:
            raise InviteError(str(invite), "this invite is for watching; use 'flagplot watch'")
    from netplay.hostlog import log_json, log_to_file
    from saves.folders import joined_folder

    where = folder or joined_folder()
    if bot is None:
        from tui import launch

        if not plain:
            launch.check_terminal()
        log_to_file(where / "join.log")
        return launch.join(invite, plain=plain, folder=where)
    import asyncio
    from contextlib import closing

    from tools.joining import play_bots

    with closing(log_json()):
        told = asyncio.run(play_bots(loaded, where, bot, wait, bot_seconds))
    click.echo(told)
    return 0
