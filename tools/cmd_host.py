"""``flagplot host``: open matches for others, serve them, and look after them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from netplay.wire.modes import CHOICES, MODE_FOR_TWO
from tools.click_commands import CheckedGroup, SuggestingChoice
from tools.host_options import (
    listen_address,
    read_clock,
    read_command,
    read_limits,
    read_names,
    read_spectator_delay,
)
from tools.new_match import (
    MatchArguments,
    choose_own_seat,
    match_options,
    place_options,
    print_invites,
    read_new_match,
)
from tools.option_conflicts import refuse_given

if TYPE_CHECKING:
    from netplay.host import host_command

F = TypeVar("F", bound=Callable[..., Any])


@click.group(cls=CheckedGroup)
def host() -> None:
    """Open a match for others, serve the matches in a folder, and look after them."""


class _ServerArguments(NamedTuple):
    """Command-line arguments of a running host."""

    headless: bool
    once: bool
    listen: str
    addresses: tuple[str, ...]
    invites: Path | None
    folder: Path | None
    announce: str
    plain_tcp: bool
    bot_pause: float
    bot_seconds: float
    window_seconds: float
    spectator_delay: str
    remind: str
    workers: int
    as_json: bool

    @property
    def host_folder(self) -> Path:
        """Return the folder of the host's matches."""
        return _folder_or_default(self.folder)

    @property
    def invites_folder(self) -> Path:
        """Return the folder for invites."""
        return self.invites or self.host_folder / "invites"


_SERVER_OPTIONS: Final = (
    click.option(
        "--headless",
        is_flag=True,
        help="Serve without a screen until SIGTERM; log JSON lines to stderr.",
    ),
    click.option("--once", is_flag=True, help="With --headless: exit when all matches are over."),
    click.option(
        "--listen",
        default="",
        metavar="ADDR:PORT",
        help="Address to listen on; port 0 picks a free one.  [default: 0.0.0.0:7480 for a new match, else the"
        " address in the invites]",
    ),
    click.option(
        "--address",
        "addresses",
        multiple=True,
        metavar="NAME",
        help="Host name or address for the invites; repeatable. Default: this machine's.",
    ),
    place_options,
    click.option(
        "--announce",
        default="",
        metavar="NAME",
        help="Announce game, scenario and free seats on the local network under this name.",
    ),
    click.option(
        "--plain-tcp",
        is_flag=True,
        help="No encryption: anyone on the network path can read hands and change messages.",
    ),
    click.option(
        "--bot-pause",
        default=0.0,
        type=click.FloatRange(0, 60),
        help="Seconds that a bot waits before each command.",
    ),
    click.option(
        "--bot-seconds",
        default=3.0,
        show_default=True,
        type=click.FloatRange(0.1, 60),
        help="Maximum seconds per answer for bots that look ahead (strong).",
    ),
    click.option(
        "--window-seconds",
        default=0.15,
        show_default=True,
        type=click.FloatRange(0.15, 60),
        help="Minimum seconds before a response-window answer is sent, so that a quick pass does not reveal that"
        " there was no choice.",
    ),
    click.option(
        "--spectator-delay",
        default="",
        metavar="TIME",
        help="Delay for spectators, until the match ends: 30m, 2h, or 2t, which shows a turn when the second turn"
        " after it begins.",
    ),
    click.option(
        "--remind",
        default="",
        metavar="COMMAND",
        help="Run this command, without a shell, once per turn of a player who is away. Its environment contains"
        " FLAGPLOT_MATCH, FLAGPLOT_GAME, FLAGPLOT_SEAT, FLAGPLOT_PLAYER and FLAGPLOT_HEADING.",
    ),
    click.option(
        "--workers",
        default=0,
        metavar="N",
        type=click.IntRange(0, 64),
        help="Number of worker processes; 1 runs the matches in the host process. Default without a screen: one per"
        " processor.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print the invites as one JSON object."),
)


def _server_options(command: F) -> F:
    """Add the options of :class:`_ServerArguments` to a command."""
    for option in reversed(_SERVER_OPTIONS):
        command = option(command)
    return command


_folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the host's matches. Default: the account's data folder.",
)


@host.command("open", short_help="Open a match and write the invites.")
@match_options
@click.option(
    "--chance",
    type=SuggestingChoice(CHOICES),
    help="Who rolls dice and draws cards. host: the host, which can read hands. joint: all seats together, so that"
    " nobody can choose or predict the results; the host can read hands, the match begins when all have joined, and"
    " every seat must be online for each roll or draw. fair (experimental): like joint, and the seats deal the cards,"
    " so that the host cannot read hands; it has had no independent review."
    f" Default: host, or {MODE_FOR_TWO} with a screen and two people.",
)
@click.option(
    "--clock",
    default="",
    metavar="TIME",
    help="Time per role: 30s per decision; 60m+30s for the game plus an increment per command; 3d per move; 3d/10d per"
    " move, saving up to ten days. Default: no clock.",
)
@click.option(
    "--flag",
    type=SuggestingChoice(["told", "loses"]),
    help="With --clock: what happens when a player runs out of time.  [default: told]",
)
@click.option(
    "--reply-limit",
    default="",
    metavar="TIME",
    help="With --chance joint or fair: time without a message (90s to 30d) after which a player may stop the match,"
    " which then has no winner. Default: no limit.",
)
@click.option(
    "--seed-wait",
    default="",
    metavar="TIME",
    help="With --chance fair: how long the host waits for card seeds after the game, 60s to 30d.  [default: 72h]",
)
@click.option(
    "--ack-wait",
    default="",
    metavar="TIME",
    help="With --chance fair: how long a seat waits for the others to confirm the end before it reveals its card seed,"
    " 1h to 30d.  [default: 24h]",
)
@_server_options
def open_match(
    chance: str | None,
    clock: str,
    flag: str | None,
    reply_limit: str,
    seed_wait: str,
    ack_wait: str,
    **values: Any,  # noqa: ANN401  # the options of a match and of a host, each with its own type
) -> int:
    """Open a match of GAME, write one invite file per player, and serve it with the folder's other matches.

    GAME is cbps, eots or qmg. On a terminal, a screen shows the invites, who is connected, and your own seat. Anyone
    who has a valid invite file can connect as its seat, so send it over a private channel.
    """
    from msgspec.structs import replace

    arguments = MatchArguments(*(values.pop(name) for name in MatchArguments._fields))
    server = _ServerArguments(**values)
    new_match = read_new_match(arguments, chance, has_screen=not server.headless)
    plan = replace(
        _host_plan(server, is_new=True),
        game=arguments.game,
        scenario=new_match.scenario,
        options=new_match.options,
        position=new_match.position,
        data=new_match.data,
        players=new_match.players,
        clock=read_clock(clock, flag),
        limits=read_limits(
            {"reply_limit": reply_limit, "seed_wait": seed_wait, "ack_wait": ack_wait},
            new_match.chance,
        ),
        chance=new_match.chance,
    )
    if server.headless:
        refuse_given(
            ("seat",), "cannot be combined with --headless, which has no screen to play on"
        )
        return _serve(plan, server)
    own_role = choose_own_seat(plan.players, arguments.seat)
    return _serve_with_screen(replace(plan, own_role=own_role), server)


@host.command(short_help="Serve the matches in the folder again.")
@_server_options
def serve(**values: Any) -> int:  # noqa: ANN401  # each option has its own type
    """Serve the matches in the folder again, with their bots, clocks and invites.

    Without a terminal, or with --headless, no screen is shown.
    """
    server = _ServerArguments(**values)
    plan = _host_plan(server, is_new=False)
    if server.headless or not sys.stdin.isatty():
        return _serve(plan, server)
    return _serve_with_screen(plan, server)


@host.command(short_help="Print the status of the running host.")
@_folder_option
@click.option("--json", "as_json", is_flag=True, help="Print the status as one JSON object.")
def status(folder: Path | None, *, as_json: bool) -> None:
    """Print the status of the host running in this folder.

    Exits with 3 if no host is running there.
    """
    from tools.host_status import status_text

    click.echo(status_text(_folder_or_default(folder), as_json=as_json))


@host.command(short_help="Write a new invite for a seat.")
@click.argument("seat")
@click.option("--match", "match_id", default="", metavar="ID", help="Id of the match.")
@click.option(
    "--address",
    "addresses",
    multiple=True,
    metavar="NAME",
    help="Host name or address for the invite; repeatable. Default: the host's.",
)
@place_options
def invite(
    seat: str, match_id: str, addresses: tuple[str, ...], invites: Path | None, folder: Path | None
) -> None:
    """Write a new invite for a SEAT: a role, a player's name, or spectator.

    The old invite stops working, unless it is for spectators. The host may be running or not.
    """
    from tools.seat_invite import reissue_invites

    host_folder = _folder_or_default(folder)
    invites_folder = invites or host_folder / "invites"
    click.echo(reissue_invites(host_folder, invites_folder, seat, match_id, addresses))


def _folder_or_default(folder: Path | None) -> Path:
    from saves.folders import hosted_folder

    return folder or hosted_folder()


def _host_plan(server: _ServerArguments, *, is_new: bool) -> "host_command.HostPlan":
    """Return the plan of a host without a new match. Warn if the connections are not encrypted."""
    from netplay.discovery.host_address import default_address
    from netplay.host import host_command

    host_address = default_address(server.host_folder, server.invites_folder)
    address, port, source = listen_address(server.listen, host_address, is_new=is_new)
    is_plain = server.plain_tcp or (not is_new and host_address.is_plain)
    if is_plain:
        click.echo(
            "Warning: without encryption, anyone on the network path can read and change the game.",
            err=True,
        )
    return host_command.HostPlan(
        host=address,
        port=port,
        plain=is_plain,
        folder=server.host_folder,
        invites=server.invites_folder,
        advertise=read_names(server.addresses)
        or (() if is_new or server.listen else host_address.advertised_names),
        detected_address=host_address,
        source=source,
        spectator_delay=read_spectator_delay(server.spectator_delay),
        remind=read_command(server.remind),
        announce_as=server.announce,
        bot_pause=server.bot_pause,
        bot_seconds=server.bot_seconds,
        window_seconds=server.window_seconds,
    )


def _serve(plan: "host_command.HostPlan", server: _ServerArguments) -> int:
    """Serve without a screen, with the given number of workers. 0 means one worker per processor."""
    import asyncio
    from contextlib import closing
    from functools import partial

    from msgspec.structs import replace

    from netplay.host import host_command
    from netplay.system.host_log import log_json
    from saves.workers import available_cpu_count

    plan = replace(plan, workers=server.workers or available_cpu_count())
    report = partial(print_invites, as_json=server.as_json)
    with closing(log_json()):
        return asyncio.run(host_command.run_host(plan, report, once=server.once))


def _serve_with_screen(plan: "host_command.HostPlan", server: _ServerArguments) -> int:
    """Host with a screen that shows the invites, who is connected, and your own seat."""
    from netplay.host.host_thread import HostThread
    from netplay.system.host_log import log_to_file
    from tui.app.launch import check_terminal
    from tui.app.launch import host as show_host

    refuse_given(("once",), "requires --headless; you stop a host with a screen by hand")
    if server.workers > 1:
        raise click.UsageError("--workers above 1 requires --headless.")
    check_terminal()
    log_to_file(plan.folder / "host.log")
    thread = HostThread(plan)
    print_invites(thread.start(), as_json=server.as_json)
    return show_host(thread)
