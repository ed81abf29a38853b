"""Options that describe a new match, shared by ``flagplot host open`` and ``flagplot mail open``."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from engine.kernel.ids import Role
from tools.completion import (
    complete_games,
    complete_scenarios,
    complete_seat_bots,
    complete_seats,
    complete_switches,
)
from tools.custom_data import data_option, load_match_start
from tools.name_value import parse_pairs
from tools.player_options import check_bots, seat_names

if TYPE_CHECKING:
    import msgspec

    from netplay.host import host_command
    from netplay.wire.modes import Chance

F = TypeVar("F", bound=Callable[..., Any])


class MatchArguments(NamedTuple):
    """Command-line arguments that describe a new match."""

    game: str
    scenario: str
    position: Path | None
    seats: str
    bots: tuple[str, ...]
    options: tuple[str, ...]
    data: Path | None
    seat: str


_MATCH_OPTIONS: Final = (
    click.argument("game", shell_complete=complete_games),
    click.option(
        "--scenario",
        default="",
        help="Scenario to play.  [default: the game's usual one]",
        shell_complete=complete_scenarios,
    ),
    click.option(
        "--position",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="Start from this scenario file instead (docs/scenario-format.md).",
    ),
    click.option(
        "--seats",
        default="",
        metavar="NAMES",
        help="Player names: Ann,Bob in role order; ROLE+ROLE=Ann,ROLE=Bob in games with teams; or"
        " 3,Ann,Bob,Cy for the usual seats of three people.",
    ),
    click.option(
        "--bot",
        "bots",
        multiple=True,
        metavar="ROLE=BOT",
        shell_complete=complete_seat_bots,
        help="Let a bot play a role, such as japan=greedy.",
    ),
    click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a rule switch.",
        shell_complete=complete_switches,
    ),
    data_option,
    click.option(
        "--seat",
        default="",
        metavar="ROLE",
        shell_complete=complete_seats,
        help="The seat to play here. Default: the first without a bot.",
    ),
)
_PLACE_OPTIONS: Final = (
    click.option(
        "--invites",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder for invites. Default: inside --folder.",
    ),
    click.option(
        "--folder",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of keys and records. Default: the account's data folder.",
    ),
)


def match_options(command: F) -> F:
    """Add the argument GAME and the options of :class:`MatchArguments` to a command."""
    for option in reversed(_MATCH_OPTIONS):
        command = option(command)
    return command


def place_options(command: F) -> F:
    """Add the options ``--invites`` and ``--folder`` to a command."""
    for option in reversed(_PLACE_OPTIONS):
        command = option(command)
    return command


class ValidatedMatch(NamedTuple):
    """Validated description of a new match."""

    scenario: str
    options: Mapping[str, str]
    position: "msgspec.Struct | None"
    data: bytes
    players: Mapping[Role, str]
    chance: "Chance"


def read_new_match(
    arguments: MatchArguments, chance: str | None, *, has_screen: bool
) -> ValidatedMatch:
    """Validate the arguments of a new match.

    Args:
        arguments: The arguments.
        chance: The mode; None for the default.
        has_screen: True if the host has a screen, where the default mode is *joint* if two people play.

    Raises:
        DataError: The game, the scenario, a role, an option, a value or a bot is unknown, or a file is faulty.
        UsageError: An option is malformed, or two options contradict each other.
    """
    from engine import registry
    from netplay.host.match_creation import parse_mode
    from netplay.wire.modes import HOST
    from play.seating import assign_players
    from tools.scenario_files import load_position

    rules = registry.ruleset(arguments.game)
    position = None
    if arguments.position is not None:
        if arguments.scenario or arguments.options:
            raise click.UsageError("--position replaces --scenario and --option.")
        position = load_position(arguments.position, arguments.game).position
    scenario = "" if position is not None else arguments.scenario or rules.default_scenario()
    options = parse_pairs(arguments.options)
    beginning, overlay = load_match_start(arguments.data, rules, scenario, options, position)
    players = assign_players(
        beginning.info,
        seat_names(arguments.seats, beginning.info),
        parse_pairs(arguments.bots, "--bot"),
    )
    check_bots(arguments.game, players)
    mode_word = chance or ("" if has_screen else HOST)
    mode = parse_mode(mode_word, rules, beginning.info, players, is_own=position is not None)
    return ValidatedMatch(scenario, options, position, overlay, players, mode)


def choose_own_seat(players: Mapping[Role, str], seat: str) -> str:
    """Return the seat to play on this computer: the given seat or, if it is empty, the first seat without a bot.

    Raises:
        BadParameter: There is no such seat, or a bot plays it.
    """
    from netplay.invites.identity import SPECTATOR
    from play.bots import bot_name

    free_seats = [
        *(role for role, player in players.items() if not bot_name(player)),
        SPECTATOR,
    ]
    role = seat or free_seats[0]
    if role not in free_seats:
        raise click.BadParameter(
            f"'{role}' is not one of {', '.join(free_seats)}", param_hint="--seat"
        )
    return role


def print_invites(running: "host_command.RunningHost", *, as_json: bool) -> None:
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
