"""``flagplot host``: open a match for others, or resume the matches in a folder."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from engine.kernel.ids import Role
from netplay.wire.modes import CHOICES, MODE_FOR_TWO
from tools.click_commands import CheckedCommand
from tools.completion import (
    complete_games,
    complete_scenarios,
    complete_seat_bots,
    complete_seats,
    complete_switches,
)
from tools.custom_data import data_option, load_match_start
from tools.host_options import (
    listen_address,
    read_clock,
    read_command,
    read_limits,
    read_names,
    read_spectator_delay,
)
from tools.name_value import parse_pairs
from tools.option_conflicts import refuse_given, refuse_others
from tools.player_options import check_bots, seat_names

if TYPE_CHECKING:
    import msgspec

    from netplay.host import host_command
    from netplay.wire.modes import Chance


@click.command(cls=CheckedCommand)
@click.argument("game", required=False, default="", shell_complete=complete_games)
@click.option(
    "--scenario",
    default="",
    help="Scenario to play.  [default: the game's usual one]",
    shell_complete=complete_scenarios,
)
@click.option(
    "--position",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Start from this scenario file instead (docs/scenario-format.md).",
)
@click.option(
    "--seats",
    default="",
    metavar="NAMES",
    help="Player names: Ann,Bob in role order; ROLE+ROLE=Ann,ROLE=Bob in games with teams; or"
    " 3,Ann,Bob,Cy for the usual seats of three people.",
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="ROLE=BOT",
    shell_complete=complete_seat_bots,
    help="Let a bot play a role, such as japan=greedy.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a rule switch.",
    shell_complete=complete_switches,
)
@data_option
@click.option(
    "--chance",
    type=click.Choice(CHOICES),
    help="Who rolls dice and draws cards. host: the host, which can read hands. joint: all seats together, so that"
    " nobody can choose or predict the results; the host can read hands, the match begins when all have joined, and"
    " every seat must be online for each roll or draw. fair (experimental): like joint, and the seats deal the cards,"
    " so that the host cannot read hands; it has had no independent review."
    f" Default: host, or {MODE_FOR_TWO} with a screen and two people.",
)
@click.option(
    "--seat",
    default="",
    metavar="ROLE",
    shell_complete=complete_seats,
    help="The seat to play here. Default: the first without a bot.",
)
@click.option(
    "--headless",
    is_flag=True,
    help="Serve without a screen until SIGTERM; log JSON lines to stderr.",
)
@click.option(
    "--by-mail",
    is_flag=True,
    help="Play by move files (flagplot send, flagplot take) without a server; the full record stays here. Writes the"
    " invites and exits.",
)
@click.option("--once", is_flag=True, help="With --headless: exit when all matches are over.")
@click.option(
    "--listen",
    default="",
    metavar="ADDR:PORT",
    help="Address to listen on; port 0 picks a free one. Default: 0.0.0.0:7480; without GAME, the address in the"
    " folder's invites.",
)
@click.option(
    "--address",
    "addresses",
    multiple=True,
    metavar="NAME",
    help="Host name or address for the invites; repeatable. Default: this machine's.",
)
@click.option(
    "--invites",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for invites. Default: inside --folder.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of keys and records. Default: the account's data folder.",
)
@click.option(
    "--announce",
    default="",
    metavar="NAME",
    help="Announce game, scenario and free seats on the local network under this name.",
)
@click.option(
    "--plain-tcp",
    is_flag=True,
    help="No encryption: anyone on the network path can read hands and change messages.",
)
@click.option(
    "--bot-pause",
    default=0.0,
    type=click.FloatRange(0, 60),
    help="Seconds that a bot waits before each command.",
)
@click.option(
    "--window-seconds",
    default=0.15,
    show_default=True,
    type=click.FloatRange(0.15, 60),
    help="Minimum seconds before a response-window answer is sent, so that a quick pass does not reveal that there was"
    " no choice.",
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
    type=click.Choice(["told", "loses"]),
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
@click.option(
    "--spectator-delay",
    default="",
    metavar="TIME",
    help="Delay for spectators, until the match ends: 30m, 2h, or 2t, which shows a turn when the second turn after it"
    " begins.",
)
@click.option(
    "--remind",
    default="",
    metavar="COMMAND",
    help="Run this command, without a shell, once per turn of a player who is away. Its environment contains"
    " FLAGPLOT_MATCH, FLAGPLOT_GAME, FLAGPLOT_SEAT, FLAGPLOT_PLAYER and FLAGPLOT_HEADING.",
)
@click.option(
    "--invite-again",
    "again",
    default="",
    metavar="SEAT",
    help="Write a new invite for a seat (a role, a name, or spectator) in the folder and exit."
    " The old invite stops working.",
)
@click.option(
    "--match",
    "match_id",
    default="",
    metavar="ID",
    help="With --invite-again: id of the match.",
)
@click.option(
    "--bot-seconds",
    default=3.0,
    show_default=True,
    type=click.FloatRange(0.1, 60),
    help="Maximum seconds per answer for bots that look ahead (strong).",
)
@click.option(
    "--workers",
    default=0,
    metavar="N",
    type=click.IntRange(0, 64),
    help="Number of worker processes; 1 runs the matches in the host process. Default without a screen: one per"
    " processor.",
)
@click.option(
    "--status",
    "is_status",
    is_flag=True,
    help="Print the status of the host running in this folder and exit.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the invites or the status as one JSON object."
)
def host(  # noqa: PLR0913, PLR0917  # one parameter per option
    game: str,
    scenario: str,
    position: Path | None,
    seats: str,
    bots: tuple[str, ...],
    options: tuple[str, ...],
    data: Path | None,
    chance: str | None,
    seat: str,
    listen: str,
    addresses: tuple[str, ...],
    invites: Path | None,
    folder: Path | None,
    announce: str,
    bot_pause: float,
    bot_seconds: float,
    window_seconds: float,
    clock: str,
    flag: str | None,
    reply_limit: str,
    seed_wait: str,
    ack_wait: str,
    spectator_delay: str,
    remind: str,
    again: str,
    match_id: str,
    workers: int,
    *,
    is_status: bool,
    by_mail: bool,
    headless: bool,
    once: bool,
    plain_tcp: bool,
    as_json: bool,
) -> int:
    """Open a match of GAME and write one invite file per player; without GAME, resume the matches in the folder.

    On a terminal, a screen shows the invites, who is connected, and your own seat. Anyone who has an invite file can
    take its seat at any time, so send it over a private channel.
    """
    from engine import registry
    from netplay.discovery.host_address import default_address
    from netplay.host import host_command
    from saves.folders import hosted_folder

    if game and position is None:
        scenario = scenario or registry.ruleset(game).default_scenario()
    host_folder = folder or hosted_folder()
    _check_combination(game, is_status=is_status, again=again, by_mail=by_mail)
    invited = invites or host_folder / "invites"
    if is_status:
        from tools.host_status import status_text

        click.echo(status_text(host_folder, as_json=as_json))
        return 0
    if again:
        from tools.seat_invite import reissue_invites

        click.echo(reissue_invites(host_folder, invited, again, match_id, addresses))
        return 0
    played = _new_match(
        _MatchArguments(game, scenario, position, seats, bots, options, data, chance),
        has_screen=_has_screen(game, headless=headless) and not by_mail,
    )
    host_address = default_address(host_folder, invited)
    address, port, source = listen_address(listen, host_address, game)
    is_plain = plain_tcp or (not game and host_address.is_plain)
    plan = host_command.HostPlan(
        host=address,
        port=port,
        plain=is_plain,
        folder=host_folder,
        invites=invited,
        advertise=read_names(addresses)
        or (() if game or listen else host_address.advertised_names),
        detected_address=host_address,
        source=source,
        game=game,
        scenario=scenario,
        options=parse_pairs(options),
        position=played.position,
        data=played.data,
        players=played.players,
        clock=read_clock(clock, flag, game),
        limits=read_limits(
            {"reply_limit": reply_limit, "seed_wait": seed_wait, "ack_wait": ack_wait},
            played.chance,
        ),
        spectator_delay=read_spectator_delay(spectator_delay),
        remind=read_command(remind),
        chance=played.chance,
        announce_as=announce,
        bot_pause=bot_pause,
        bot_seconds=bot_seconds,
        window_seconds=window_seconds,
    )
    _check_plan(plan, seat)
    if by_mail:
        return _open_mail_match(plan, seat, chance, as_json=as_json)
    if headless:
        refuse_given(
            ("seat",), "cannot be combined with --headless, which has no screen to play on"
        )
    if _has_screen(game, headless=headless):
        refuse_given(("once",), "requires --headless; you stop a host with a screen by hand")
        return _host_with_screen(plan, seat, workers, as_json=as_json)
    return _serve(plan, workers, once=once, as_json=as_json)


class _MatchArguments(NamedTuple):
    """Command-line arguments that describe a new match."""

    game: str
    scenario: str
    position: Path | None
    seats: str
    bots: tuple[str, ...]
    options: tuple[str, ...]
    data: Path | None
    chance: str | None


class _NewMatch(NamedTuple):
    """Validated description of a new match. All fields are empty if the command line names no game."""

    position: "msgspec.Struct | None"
    data: bytes
    players: Mapping[Role, str]
    chance: "Chance"


def _new_match(arguments: _MatchArguments, *, has_screen: bool) -> _NewMatch:
    """Validate the arguments of a new match."""
    from engine import registry
    from netplay.host.match_creation import parse_mode
    from netplay.wire.modes import HOST
    from play.seating import assign_players

    game, position = arguments.game, None
    if arguments.position is not None:
        position = _load_own_position(
            arguments.position, game, is_alone=not (arguments.scenario or arguments.options)
        )
    if not game:
        return _NewMatch(position, b"", {}, HOST)
    rules = registry.ruleset(game)
    beginning, overlay = load_match_start(
        arguments.data, rules, arguments.scenario, parse_pairs(arguments.options), position
    )
    players = assign_players(
        beginning.info,
        seat_names(arguments.seats, beginning.info),
        parse_pairs(arguments.bots, "--bot"),
    )
    check_bots(game, players)
    mode_word = arguments.chance or ("" if has_screen else HOST)
    chance = parse_mode(mode_word, rules, beginning.info, players, is_own=position is not None)
    return _NewMatch(position, overlay, players, chance)


def _check_plan(plan: "host_command.HostPlan", seat: str) -> None:
    """Warn about a host without encryption. Refuse --seat for a resumed match."""
    if plan.plain:
        click.echo(
            "Warning: without encryption, anyone on the network path can read and change the game.",
            err=True,
        )
    if seat and not plan.game:
        raise click.UsageError(
            "--seat requires GAME. A resumed match remembers your seat; take another one with"
            " 'flagplot join INVITE'."
        )


_MATCH_OPTIONS: Final = (
    *("scenario", "seats", "bots", "options", "data", "chance", "reply_limit", "seed_wait"),
    *("ack_wait",),
)
"""Options that are fixed when a match is created."""
_SERVER_OPTIONS: Final = (
    *("headless", "once", "listen", "addresses", "announce", "plain_tcp", "bot_pause", "workers"),
    *("bot_seconds", "window_seconds", "spectator_delay", "remind"),
)
"""Options that apply to a running host."""


def _check_combination(game: str, *, is_status: bool, again: str, by_mail: bool) -> None:
    """Check that every option on the command line has an effect.

    Raises:
        UsageError: An option would be ignored.
    """
    if is_status:
        refuse_others(("is_status", "folder", "as_json"), "cannot be combined with --status")
    elif again:
        if game:
            raise click.UsageError("--invite-again cannot be combined with GAME.")
        allowed_options = ("again", "match_id", "folder", "invites", "addresses")
        refuse_others(allowed_options, "cannot be combined with --invite-again")
    else:
        refuse_given(("match_id",), "requires --invite-again")
    if not game:
        refuse_given(_MATCH_OPTIONS, "requires GAME; a resumed match keeps its own setting")
    elif by_mail:
        refuse_given(_SERVER_OPTIONS, "cannot be combined with --by-mail, which starts no host")


def _has_screen(game: str, *, headless: bool) -> bool:
    return not headless and bool(game or sys.stdin.isatty())


def _load_own_position(path: Path, game: str, *, is_alone: bool) -> "msgspec.Struct":
    """Load the position from a scenario file. Such a file cannot be combined with --scenario or --option."""
    from tools.scenario_files import load_position

    if not game or not is_alone:
        raise click.UsageError("--position requires GAME and replaces --scenario and --option.")
    return load_position(path, game).position


def _print_invites(running: "host_command.RunningHost", *, as_json: bool) -> None:
    """Print the address and the invites."""
    import msgspec

    from engine.kernel.sentences import count_noun
    from netplay.wire.modes import HOST
    from saves.modes import TITLES

    if as_json:
        # paths may contain bytes that are not UTF-8, which JSON escapes preserve
        click.echo(json.dumps(msgspec.to_builtins(running), ensure_ascii=True))
    else:
        click.echo(running.listen_phrase + (f", match {running.match}" if running.match else ""))
        if running.match:
            opening_text = (
                "" if running.chance == HOST else "; the match begins when every seat has joined"
            )
            click.echo(f"mode {TITLES[running.chance]}{opening_text}")
        for resumed_match in running.resumed:
            click.echo(
                f"resumed {resumed_match.match}: {resumed_match.game} {resumed_match.scenario or 'own position'},"
                f" {count_noun(resumed_match.records, 'record')}"
            )
        for invite in running.invites:
            player_text = (
                f" ({invite.player})" if invite.player and invite.player != invite.role else ""
            )
            player_text += ", yours" if invite.is_own else ""
            click.echo(f"{invite.role}{player_text}: {invite.path}")
    sys.stdout.flush()
    for warning in running.warnings:
        click.echo(f"Warning: {warning}.", err=True)


def _serve(plan: "host_command.HostPlan", workers: int, *, once: bool, as_json: bool) -> int:
    """Serve without a screen, with the given number of workers. 0 means one worker per processor."""
    import asyncio
    from contextlib import closing
    from functools import partial

    from msgspec.structs import replace

    from netplay.host import host_command
    from netplay.system.host_log import log_json
    from saves.workers import processors

    plan = replace(plan, workers=workers or processors())
    with closing(log_json()):
        return asyncio.run(
            host_command.run_host(plan, partial(_print_invites, as_json=as_json), once=once)
        )


def _choose_own_seat(plan: "host_command.HostPlan", seat: str) -> str:
    """Return the seat to play on this computer: the given seat or, if it is empty, the first seat without a bot."""
    from netplay.invites.identity import SPECTATOR
    from play.bots import bot_name

    free_seats = [
        *(role for role, player in plan.players.items() if not bot_name(player)),
        SPECTATOR,
    ]
    role = seat or free_seats[0]
    if role not in free_seats:
        raise click.BadParameter(
            f"'{role}' is not one of {', '.join(free_seats)}", param_hint="--seat"
        )
    return role


def _open_mail_match(
    plan: "host_command.HostPlan", seat: str, chance: str | None, *, as_json: bool
) -> int:
    """Open a match played by move files."""
    from msgspec.structs import replace

    from netplay.mail.match_creation import open_by_mail
    from netplay.wire.modes import HOST

    if chance not in {None, HOST}:
        raise click.UsageError(
            f"--by-mail cannot be combined with --chance {chance}: its players are never online together."
        )
    if plan.clock is not None:
        raise click.UsageError(
            "--by-mail cannot be combined with --clock: no host measures the time."
        )
    if not plan.game:
        raise click.UsageError(
            "--by-mail requires GAME. Continue an existing match with 'flagplot join MATCH'."
        )
    running = open_by_mail(replace(plan, own_role=_choose_own_seat(plan, seat)))
    if as_json:
        _print_invites(running, as_json=True)
        return 0
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
    click.echo(f"Next:  flagplot send {match}   writes the first move file for each player,")
    click.echo(f"       flagplot join {match}   opens your seat,")
    click.echo("       flagplot take FILE       imports what they send.")
    return 0


def _host_with_screen(
    plan: "host_command.HostPlan", seat: str, workers: int, *, as_json: bool
) -> int:
    """Host with a screen that shows the invites, who is connected, and your own seat."""
    from msgspec.structs import replace

    from netplay.host.host_thread import HostThread
    from netplay.system.host_log import log_to_file
    from tui.app.launch import check_terminal, host

    if workers > 1:
        raise click.UsageError("--workers above 1 requires --headless.")
    if plan.game:
        plan = replace(plan, own_role=_choose_own_seat(plan, seat))
    check_terminal()
    log_to_file(plan.folder / "host.log")
    thread = HostThread(plan)
    _print_invites(thread.start(), as_json=as_json)
    return host(thread)
