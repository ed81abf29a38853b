"""``flagplot host``: open a match for others, or resume those of a folder."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from engine.kernel.ids import Role
from netplay.wire.modes import OFFERED, USUAL_OF_TWO
from tools.contradictions import refuse_given, refuse_others
from tools.host_options import (
    read_clock,
    read_command,
    read_lateness,
    read_limits,
    read_names,
    where_to_listen,
)
from tools.owndata import begin_with, data_option
from tools.pairs import pairs
from tools.parameters import Command
from tools.seats import check_bots, seat_names

if TYPE_CHECKING:
    import msgspec

    from netplay.host import host_command
    from netplay.wire.modes import Chance


@click.command(cls=Command)
@click.argument("game", required=False, default="")
@click.option("--scenario", default="", help="Scenario to play.  [default: the game's usual one]")
@click.option(
    "--position",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Start from this scenario file instead (docs/scenario-format.md).",
)
@click.option(
    "--seats",
    default="",
    metavar="NAMES",
    help="Player names: Ann,Bob in the order of the roles; ROLE+ROLE=Ann,ROLE=Bob in games with teams; or"
    " 3,Ann,Bob,Cy for the usual seats of three people.",
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="ROLE=BOT",
    help="Let a bot play a role, such as japan=greedy.",
)
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Set a switch of the game."
)
@data_option
@click.option(
    "--chance",
    type=click.Choice(OFFERED),
    help="The mode. joint: every seat has a part in dice and draws, so that nobody can choose or foresee them; the host"
    " can read hands; the match begins when all have joined, and every seat must be here for a die or a draw. host: the"
    " host makes dice and draws, and can read hands. fair (experimental): as joint, and the seats deal the cards to"
    " hide hands from the host; it has had no outside review."
    f" Default: host, but {USUAL_OF_TWO} with a screen where two people play.",
)
@click.option(
    "--seat",
    default="",
    metavar="ROLE",
    help="The seat to play here. Default: the first without a bot.",
)
@click.option(
    "--headless",
    is_flag=True,
    help="No screen: serve until SIGTERM, with a log of JSON lines on stderr.",
)
@click.option(
    "--by-mail",
    is_flag=True,
    help="Nobody dials: the match is played by move files (flagplot send, flagplot take), and the judge's copy lies"
    " here. Writes the invites and ends.",
)
@click.option("--once", is_flag=True, help="With --headless: end when every match is over.")
@click.option(
    "--listen",
    default="",
    metavar="ADDR:PORT",
    help="Where to listen; port 0 takes any free one. Default: 0.0.0.0:7480, without GAME the address in the invites of"
    " the folder.",
)
@click.option(
    "--address",
    "addresses",
    multiple=True,
    metavar="NAME",
    help="Name or address to write into invites. Default: this machine's.",
)
@click.option(
    "--invites",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for invites. Default: in --folder.",
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
    help="Tell the local network under this name which game, scenario and free seats are here.",
)
@click.option(
    "--plain-tcp",
    is_flag=True,
    help="No encryption: everybody on the way can read the hands and change what is sent.",
)
@click.option(
    "--bot-pause",
    default=0.0,
    type=click.FloatRange(0, 60),
    help="Seconds a bot waits before a command.",
)
@click.option(
    "--window-seconds",
    default=0.15,
    show_default=True,
    type=click.FloatRange(0.15, 60),
    help="Answers of response windows go out so late at the earliest, given by hand or by themselves: long"
    " enough to think, and nobody's pass tells that there was nothing to choose.",
)
@click.option(
    "--clock",
    default="",
    metavar="TIME",
    help="How much time each role has: 30s for each decision, 60m+30s for the game with more for each command,"
    " 3d for each move over days, or 3d/10d to save up to ten. Default: no clocks.",
)
@click.option(
    "--flag",
    type=click.Choice(["told", "loses"]),
    help="With --clock: what happens to whose time is up.  [default: told]",
)
@click.option(
    "--reply-limit",
    default="",
    metavar="TIME",
    help="With --chance joint or fair: when no message has arrived for so long, 90s to 30d, a player may stop the"
    " match, which nobody wins then. Default: no limit.",
)
@click.option(
    "--seed-wait",
    default="",
    metavar="TIME",
    help="With --chance fair: how long the host waits for card seeds after the end, 60s to 30d.  [default: 72h]",
)
@click.option(
    "--ack-wait",
    default="",
    metavar="TIME",
    help="With --chance fair: how long a seat waits for the others to confirm the end before it opens its card seed,"
    " 1h to 30d.  [default: 24h]",
)
@click.option(
    "--spectator-delay",
    default="",
    metavar="TIME",
    help="Spectators see what happened so much later, and all of it at the end of the match: 30m, 2h, or 2t for two"
    " turns of the game, which are shown when the second turn after them begins.",
)
@click.option(
    "--remind",
    default="",
    metavar="COMMAND",
    help="Run this command, without a shell, once for each turn of a player who is away. Its environment has"
    " FLAGPLOT_MATCH, FLAGPLOT_GAME, FLAGPLOT_SEAT, FLAGPLOT_PLAYER and FLAGPLOT_HEADING.",
)
@click.option(
    "--invite-again",
    "again",
    default="",
    metavar="SEAT",
    help="Write a new invite for a seat (a role, a name, or spectator) of a match of the folder, and end."
    " The older file then opens nothing any more.",
)
@click.option(
    "--match",
    "match_id",
    default="",
    metavar="ID",
    help="With --invite-again: the match that is meant.",
)
@click.option(
    "--bot-seconds",
    default=3.0,
    show_default=True,
    type=click.FloatRange(0.1, 60),
    help="Seconds that a bot which looks ahead (strong) thinks about an answer at most.",
)
@click.option(
    "--workers",
    default=0,
    metavar="N",
    type=click.IntRange(0, 64),
    help="Processes that hold the matches; 1 holds them in the host's own. Default: without a screen one per"
    " processor.",
)
@click.option(
    "--status",
    "is_status",
    is_flag=True,
    help="Tell how the host stands that runs in the folder, and end: matches, seats, whose move, workers.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the invites, or the state, as one JSON object."
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
    """Open a match of GAME and write one invite file per person; without GAME, resume the matches of the folder.

    On a terminal one screen shows the invites, who is here, and your own seat. Whoever holds an invite file is that
    seat, also tomorrow: send it by a way that you trust.
    """
    from engine import registry
    from netplay.discovery.host_address import address_of
    from netplay.host import host_command
    from saves.folders import hosted_folder

    if game and position is None:
        scenario = scenario or registry.ruleset(game).usual_scenario()
    where = folder or hosted_folder()
    _check_together(game, is_status=is_status, again=again, by_mail=by_mail)
    invited = invites or where / "invites"
    if is_status:
        from tools.hoststatus import status_text

        click.echo(status_text(where, as_json=as_json))
        return 0
    if again:
        from tools.inviting import invite_again

        click.echo(invite_again(where, invited, again, match_id, addresses))
        return 0
    played = _played(
        _Words(game, scenario, position, seats, bots, options, data, chance),
        has_screen=_has_screen(game, headless=headless) and not by_mail,
    )
    found = address_of(where, invited)
    address, port, source = where_to_listen(listen, found, game)
    is_plain = plain_tcp or (not game and found.is_plain)
    plan = host_command.Plan(
        host=address,
        port=port,
        plain=is_plain,
        folder=where,
        invites=invited,
        advertise=read_names(addresses) or (() if game or listen else found.advertise),
        found=found,
        source=source,
        game=game,
        scenario=scenario,
        options=pairs(options),
        position=played.position,
        data=played.data,
        players=played.players,
        clock=read_clock(clock, flag, game),
        limits=read_limits(
            {"reply_limit": reply_limit, "seed_wait": seed_wait, "ack_wait": ack_wait},
            played.chance,
        ),
        lateness=read_lateness(spectator_delay),
        remind=read_command(remind),
        chance=played.chance,
        announce_as=announce,
        bot_pause=bot_pause,
        bot_seconds=bot_seconds,
        window_seconds=window_seconds,
    )
    _check_plan(plan, seat)
    if by_mail:
        return _by_mail(plan, seat, chance, as_json=as_json)
    if headless:
        refuse_given(("seat",), "does not go with --headless: there is no screen to play on")
    if _has_screen(game, headless=headless):
        refuse_given(("once",), "goes with --headless: a host with a screen ends by hand")
        return _with_screen(plan, seat, workers, as_json=as_json)
    return _serve(plan, workers, once=once, as_json=as_json)


class _Words(NamedTuple):
    """What the command line says about a new match."""

    game: str
    scenario: str
    position: Path | None
    seats: str
    bots: tuple[str, ...]
    options: tuple[str, ...]
    data: Path | None
    chance: str | None


class _Played(NamedTuple):
    """A new match as a plan has it; without a game nothing is opened."""

    position: "msgspec.Struct | None"
    data: bytes
    players: Mapping[Role, str]
    chance: "Chance"


def _played(words: _Words, *, has_screen: bool) -> _Played:
    """Return what a new match is, from the words about it."""
    from engine import registry
    from netplay.host.opening import chance_named
    from netplay.wire.modes import HOST
    from play.seating import share_out

    game, own = words.game, None
    if words.position is not None:
        own = _own_position(words.position, game, is_alone=not (words.scenario or words.options))
    if not game:
        return _Played(own, b"", {}, HOST)
    rules = registry.ruleset(game)
    first, overlay = begin_with(words.data, rules, words.scenario, pairs(words.options), own)
    players = share_out(first.info, seat_names(words.seats, first.info), pairs(words.bots, "--bot"))
    check_bots(game, players)
    named = words.chance or ("" if has_screen else HOST)
    chance = chance_named(named, rules, first.info, players, is_own=own is not None)
    return _Played(own, overlay, players, chance)


def _check_plan(plan: "host_command.Plan", seat: str) -> None:
    """Warn of a host without encryption, and refuse a seat of a match that is resumed."""
    if plan.plain:
        click.echo(
            "Warning: without encryption everybody on the way can read and change the game.",
            err=True,
        )
    if seat and not plan.game:
        raise click.UsageError(
            "--seat goes with GAME; your own seat of a match that is opened again is known, and any other is taken"
            " by 'flagplot join INVITE'."
        )


_OF_A_MATCH: Final = (
    *("scenario", "seats", "bots", "options", "data", "chance", "reply_limit", "seed_wait"),
    *("ack_wait",),
)
"""What a match keeps from its beginning."""
_OF_A_SERVER: Final = (
    *("headless", "once", "listen", "addresses", "announce", "plain_tcp", "bot_pause", "workers"),
    *("bot_seconds", "window_seconds", "spectator_delay", "remind"),
)
"""What is about a host that runs."""


def _check_together(game: str, *, is_status: bool, again: str, by_mail: bool) -> None:
    """Accept a command line of which every option has an effect.

    Raises:
        UsageError: One would be passed over.
    """
    if is_status:
        refuse_others(("is_status", "folder", "as_json"), "does not go with --status")
    elif again:
        if game:
            raise click.UsageError("--invite-again goes without GAME.")
        known = ("again", "match_id", "folder", "invites", "addresses")
        refuse_others(known, "does not go with --invite-again")
    else:
        refuse_given(("match_id",), "goes with --invite-again")
    if not game:
        refuse_given(_OF_A_MATCH, "goes with GAME; a match that is resumed keeps its own")
    elif by_mail:
        refuse_given(_OF_A_SERVER, "does not go with --by-mail: no host runs then")


def _has_screen(game: str, *, headless: bool) -> bool:
    return not headless and bool(game or sys.stdin.isatty())


def _own_position(path: Path, game: str, *, is_alone: bool) -> "msgspec.Struct":
    """Return the position of a scenario file, which goes with no scenario and no option."""
    from tools.positions import load_position

    if not game or not is_alone:
        raise click.UsageError(
            "--position goes with GAME and without --scenario and --option: the file holds them."
        )
    return load_position(path, game).position


def _tell(running: "host_command.Running", *, as_json: bool) -> None:
    """Print the address and the invites."""
    import msgspec

    from engine.kernel.sentences import counted
    from netplay.wire.modes import HOST
    from saves.modes import TITLES

    if as_json:
        # a path need not be text: such bytes are escaped, as Python reads them back
        click.echo(json.dumps(msgspec.to_builtins(running), ensure_ascii=True))
    else:
        click.echo(running.place + (f", match {running.match}" if running.match else ""))
        if running.match:
            begins = (
                "" if running.chance == HOST else "; the match begins when every seat has joined"
            )
            click.echo(f"mode {TITLES[running.chance]}{begins}")
        for known in running.resumed:
            click.echo(
                f"resumed {known.match}: {known.game} {known.scenario or 'own position'},"
                f" {counted(known.records, 'record')}"
            )
        for invite in running.invites:
            who = f" ({invite.player})" if invite.player and invite.player != invite.role else ""
            who += ", yours" if invite.is_own else ""
            click.echo(f"{invite.role}{who}: {invite.path}")
    sys.stdout.flush()
    for warning in running.warnings:
        click.echo(f"Warning: {warning}.", err=True)


def _serve(plan: "host_command.Plan", workers: int, *, once: bool, as_json: bool) -> int:
    """Serve without a screen, with so many workers; 0 for one per processor."""
    import asyncio
    from contextlib import closing
    from functools import partial

    from msgspec.structs import replace

    from netplay.host import host_command
    from netplay.system.host_log import log_json
    from saves.workers import processors

    plan = replace(plan, workers=workers or processors())
    with closing(log_json()):
        return asyncio.run(host_command.serve(plan, partial(_tell, as_json=as_json), once=once))


def _own_seat(plan: "host_command.Plan", seat: str) -> str:
    """Return the seat to play here: the one that was named, or the first that no bot has."""
    from netplay.invites.identity import SPECTATOR
    from play.bots import bot_name

    free = [*(role for role, player in plan.players.items() if not bot_name(player)), SPECTATOR]
    role = seat or free[0]
    if role not in free:
        raise click.BadParameter(f"'{role}' is none of {', '.join(free)}", param_hint="--seat")
    return role


def _by_mail(plan: "host_command.Plan", seat: str, chance: str | None, *, as_json: bool) -> int:
    """Open a match that is played by move files."""
    from msgspec.structs import replace

    from netplay.mail.opening import open_by_mail
    from netplay.wire.modes import HOST

    if chance not in {None, HOST}:
        raise click.UsageError(f"--by-mail goes without --chance {chance}: its seats never meet.")
    if plan.clock is not None:
        raise click.UsageError("--by-mail goes without --clock: nobody is there to measure time.")
    if not plan.game:
        raise click.UsageError(
            "--by-mail goes with GAME; a match that goes on is played by 'flagplot join MATCH'."
        )
    running = open_by_mail(replace(plan, own=_own_seat(plan, seat)))
    if as_json:
        _tell(running, as_json=True)
        return 0
    match = running.match[:8]
    click.echo(
        f"Match {running.match}: the judge's copy lies here. The others trust you with dice and"
    )
    click.echo("hands, as they would trust a host.")
    for invite in running.invites:
        if not invite.is_own:
            click.echo(
                f"Send {invite.player} this invite once, by a way that you trust: {invite.path}"
            )
    click.echo(f"Then:  flagplot send {match}   writes the first move file for everybody,")
    click.echo(f"       flagplot join {match}   sits you down,")
    click.echo("       flagplot take FILE       takes what they send.")
    return 0


def _with_screen(plan: "host_command.Plan", seat: str, workers: int, *, as_json: bool) -> int:
    """Host behind a screen with the invites, who is here, and the own seat."""
    from msgspec.structs import replace

    from netplay.host.host_thread import HostThread
    from netplay.system.host_log import log_to_file
    from tui.launch import check_terminal, host

    if workers > 1:
        raise click.UsageError("--workers goes with --headless: a host with a screen has one.")
    if plan.game:
        plan = replace(plan, own=_own_seat(plan, seat))
    check_terminal()
    log_to_file(plan.folder / "host.log")
    thread = HostThread(plan)
    _tell(thread.start(), as_json=as_json)
    return host(thread)
