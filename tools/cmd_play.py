"""``flagplot play``: start or resume a game at this keyboard, against bots or other people."""

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from tools.click_commands import CheckedCommand
from tools.completion import (
    complete_bots_or_seat_bots,
    complete_games,
    complete_scenarios,
    complete_seats,
    complete_switches,
)
from tools.custom_data import data_option, load_match_start
from tools.name_value import check_one_role_each, parse_pairs, split_bots
from tools.option_conflicts import refuse_given

if TYPE_CHECKING:
    from engine.kernel.ruleset import ScenarioInfo
    from saves.headers import Header
    from tui.terminal.startup_screen import StartupScreen

_PLAYER = "player"
"""Default name for a person who plays several seats."""
_MAX_SENTENCE_CELLS = 400


@click.command(cls=CheckedCommand)
@click.argument("game", default="eots", shell_complete=complete_games)
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
    "--seat",
    "own",
    multiple=True,
    metavar="ROLE",
    shell_complete=complete_seats,
    help="Your seat; repeat for several seats of one team. Default: the first without a bot.",
)
@click.option(
    "--seats",
    default="",
    metavar="NAMES",
    help="Names of the people at this keyboard, as in 'flagplot host open'; a name may have several roles of a team.",
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="[ROLE=]BOT",
    shell_complete=complete_bots_or_seat_bots,
    help="Let a bot play a role, such as japan=greedy, or every free seat; BOT is easy, greedy, strong or random.",
)
@click.option(
    "--hotseat", is_flag=True, help="People at this keyboard play every role without a bot."
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
    "--plain", is_flag=True, help="Use line mode, for terminals that cannot show screens."
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Record file; an existing one is resumed. Default: a new file in the account's data folder.",
)
def play(  # noqa: PLR0913, PLR0917  # one parameter per option
    game: str,
    scenario: str,
    position: Path | None,
    own: tuple[str, ...],
    seats: str,
    bots: tuple[str, ...],
    options: tuple[str, ...],
    data: Path | None,
    save: Path | None,
    *,
    hotseat: bool,
    plain: bool,
) -> int:
    """Play GAME here: cbps, eots or qmg.

    Without GAME, --position decides which game it is, or else it is eots.

    Unless you give --hotseat or --seats, a bot plays every remaining seat: the
    one that --bot names without a role, or else the greedy bot.
    """
    from tui.app import launch

    check_one_role_each(own, "--seat")
    problem = None if plain else launch.terminal_problem()
    with (
        nullcontext()
        if plain or problem is not None or os.name == "nt"
        else _startup_screen(game, scenario, options, (position, data), save)
    ) as startup_screen:
        from engine import registry
        from play import games
        from saves.folders import games_folder
        from saves.logfile import read_header

        default_bot, role_bots = split_bots(bots)
        bots_by_role = {Role(role): name for role, name in role_bots.items()}
        rules = registry.ruleset(game)
        scenario = scenario or rules.default_scenario()
        roles = tuple(map(Role, own))
        _check_own(roles, bots_by_role)
        first_role = next(iter(roles), None)
        if save is not None and save.exists():
            header = read_header(save) if problem is None else games.check_saved_game(save)
            _check_resumed(
                save,
                header,
                parse_pairs(options),
                position,
                data,
                lambda info, kept: _names(info, seats, kept | bots_by_role, roles) if seats else {},
            )
            if problem is not None:
                raise problem
            resumed_bots = (
                _recorded_bots(header, default_bot, roles) if default_bot else {}
            ) | bots_by_role
            return resume_record(save, first_role, resumed_bots, startup_screen, plain=plain)
        loaded = None
        if position is not None:
            from tools.scenario_files import load_position

            refuse_given(
                ("scenario", "options"), "cannot be combined with --position, which includes it"
            )
            loaded_scenario = load_position(position, game if _is_game_named() else None)
            rules, loaded, scenario = loaded_scenario.rules, loaded_scenario.position, ""
            game = rules.game
        match_start, overlay = load_match_start(data, rules, scenario, parse_pairs(options), loaded)
        info = match_start.info
        if default_bot and (hotseat or seats):
            bots_by_role |= _free_seats(info, seats, bots_by_role, default_bot)
        new_game = games.NewGame(
            game=game,
            scenario=scenario,
            options=parse_pairs(options),
            position=loaded,
            data=overlay,
            bots=bots_by_role
            if hotseat or seats
            else games.assign_bots(game, info, roles, bots_by_role, default_bot),
            names=_names(info, seats, bots_by_role, roles),
            seat=first_role,
        )
        if problem is not None:  # report wrong arguments before the unsuitable terminal
            games.check_new_game(new_game)
            raise problem
        if save is None:
            session, path = games.create_new_game(new_game, games_folder())
        else:
            session, path = games.create_game(new_game, save), save
        _line_printer(startup_screen)(f"record: {path}")
        return launch.play(
            session, plain=plain, path=path, startup_screen=startup_screen, is_new=True
        )


def _is_game_named() -> bool:
    """Return whether the command line names the game, rather than leaving it to the default or to a file."""
    source = click.get_current_context().get_parameter_source("game")
    return source is ParameterSource.COMMANDLINE


def _free_seats(
    info: "ScenarioInfo", seats: str, bots: Mapping[Role, str], default_bot: str
) -> dict[Role, str]:
    """Return the bot for every role that --seats does not give to a person.

    Raises:
        UsageError: People take every seat.
    """
    from play.seating import roles_without_person
    from tools.player_options import seat_names

    by_role = {str(role): name for role, name in bots.items()}
    free = roles_without_person(info, seat_names(seats, info), by_role) if seats else ()
    if not free:
        option = "--seats" if seats else "--hotseat"
        raise click.UsageError(
            f"{option} leaves no seat for --bot {default_bot}; write --bot ROLE={default_bot}."
        )
    return dict.fromkeys(free, default_bot)


def _recorded_bots(header: "Header", default_bot: str, own: tuple[Role, ...]) -> dict[Role, str]:
    """Return the bot for every seat of a saved game that a bot plays."""
    from play.bots import bot_name

    return {
        seat.role: default_bot
        for seat in header.seats
        if bot_name(seat.player) and seat.role not in own
    }


def _check_own(own: tuple[Role, ...], bots: Mapping[Role, str]) -> None:
    """Check that no bot has been chosen for a seat that a person takes.

    Raises:
        UsageError: A seat has both a person and a bot.
    """
    for role in own:
        if role in bots:
            raise click.UsageError(
                f"--seat {role} and --bot {role}={bots[role]} assign two players to {role}."
            )


def _check_resumed(
    save: Path,
    header: "Header",
    options: "Mapping[str, str]",
    position: Path | None,
    data: Path | None,
    name_players: "Callable[[ScenarioInfo, dict[Role, str]], Mapping[Role, str]]",
) -> None:
    """Check that the command line does not contradict the saved game that it resumes.

    The command line that started the game is accepted, unless its position or data file has changed.

    Raises:
        UsageError: An argument differs from the saved game and would be ignored.
    """
    from engine import registry
    from play.bots import bot_name
    from saves.headers import own_data_digest
    from tools.custom_data import read_data

    rules = registry.ruleset(header.game)
    context = click.get_current_context()
    game, scenario = context.params["game"], context.params["scenario"]
    rulings = {option.id: option for option in rules.options()}
    conflicts = []
    if _is_game_named() and game != header.game:
        conflicts.append(f"is a game of {header.game}, not of {game}")
    if scenario and scenario != header.scenario:
        conflicts.append(f"has the scenario {header.scenario or 'of a file'}, not {scenario}")
    for name, value in options.items():
        saved_value = rulings[name].value(header.options) if name in rulings else "no such option"
        if header.scenario and value != saved_value:
            conflicts.append(f"has {name}={saved_value}, not {value}")
    if position is not None and not _is_position_of(position, header):
        conflicts.append(f"has a different position from {position}")
    if data is not None and own_data_digest(read_data(data)) != header.own_data:
        conflicts.append(f"has different data from {data}")
    if header.scenario and not conflicts:
        info = rules.scenario_info(header.scenario, header.options)
        players = {seat.role: seat.player for seat in header.seats}
        bots = {role: bot_name(name) for role, name in players.items() if bot_name(name)}
        conflicts += _player_mismatches(players, lambda: name_players(info, bots))
        _, chosen_bots = split_bots(context.params["bots"])
        if context.params["hotseat"]:
            conflicts += [
                f"has the bot {bot} as {role}, but --hotseat requires a person"
                for role, bot in bots.items()
                if role not in chosen_bots
            ]
    if conflicts:
        raise click.UsageError(
            f"{save} {conflicts[0]}. Omit that option to resume it, or choose another file for a new game."
        )


def _player_mismatches(
    saved_players: Mapping[Role, str], read_expected_players: Callable[[], Mapping[Role, str]]
) -> list[str]:
    """Return a phrase for each seat whose player on the command line differs from the saved player."""
    try:
        expected_players = read_expected_players()
    except DataError as error:
        return [f"has different seats: {error.problem}"]
    return [
        f"has {saved_players[role]} as {role}, not {name}"
        for role, name in expected_players.items()
        if saved_players.get(role, name) != name
    ]


def _is_position_of(path: Path, header: "Header") -> bool:
    """Return whether a saved game started from this scenario file."""
    from saves.decoding import canonical
    from tools.scenario_files import load_position

    loaded = load_position(path, header.game).position
    return not header.scenario and canonical(loaded) == header.position


def _startup_screen(
    game: str,
    scenario: str,
    options: tuple[str, ...],
    files: tuple[Path | None, ...],
    save: Path | None,
) -> "StartupScreen":
    """Return the startup screen shown while the game screens load."""
    from tui.terminal.startup_screen import StartupScreen, opening_picture

    opening = opening_picture(game, scenario, options, files)
    return StartupScreen(opening, save if save is not None and save.exists() else None)


def _line_printer(startup_screen: "StartupScreen | None") -> Callable[[str], None]:
    """Return a function that prints a line to stderr, once any startup screen is closed."""
    return partial(click.echo, err=True) if startup_screen is None else startup_screen.print_later


def resume_record(
    save: Path,
    seat: Role | None,
    bots: dict[Role, str],
    startup_screen: "StartupScreen | None",
    *,
    plain: bool,
) -> int:
    """Resume a record and return the exit status.

    Args:
        save: The record file.
        seat: The seat to show first; None to choose a seat automatically.
        bots: Bots that replace those named in the record.
        startup_screen: Picture shown until the screens are ready; None for no picture.
        plain: True to play line by line instead of on screens.

    Raises:
        FalseRecordError: The game cannot continue because of an error in the record.
    """
    from play import games
    from saves.errors import FalseRecordError
    from saves.timeline import FOLD_ERRORS
    from tui.app import launch

    session = games.resume(save, seat, bots)
    finding = _report_anomalies(save, session.match.dropped_text, _line_printer(startup_screen))
    try:
        return launch.play(session, plain=plain, path=save, startup_screen=startup_screen)
    except FOLD_ERRORS as error:
        if not finding:
            raise  # the record is correct, so this is a bug in the rules
        raise FalseRecordError(
            0, f"{save}: the game cannot continue from here: {finding}"
        ) from error


def _report_anomalies(save: Path, dropped: str, report_line: Callable[[str], None]) -> str:
    """Report anomalies in a record that is being resumed.

    A record that the current rules would not produce is still resumed, because the rules may have changed since.

    Returns:
        The error found in the record; empty if there is none.
    """
    from netplay.wire.sanitising import sanitise
    from saves.verify import verify_file

    if dropped:
        report_line(f"Note: {dropped}")
    verdict = verify_file(save)
    if verdict.finding is None:
        return ""
    name = sanitise(str(save), _MAX_SENTENCE_CELLS)
    finding = sanitise(str(verdict.finding), _MAX_SENTENCE_CELLS)
    if verdict.status == "older":
        report_line(
            f"Note: {name} was started with older rules; it continues with the current ones."
        )
        return ""
    report_line(
        f"Warning: {name} does not follow the rules; the game continues from the recorded"
        f" state. {finding}"
    )
    return finding


def _names(
    info: "ScenarioInfo", seats: str, bots: dict[Role, str], own: tuple[Role, ...]
) -> dict[Role, str]:
    """Return the given player names. Without names, return a default name if one person plays several seats."""
    if not seats:
        return dict.fromkeys(own, _PLAYER) if len(own) > 1 else {}
    from play.seating import assign_players
    from tools.player_options import seat_names

    names = seat_names(seats, info)
    taken_names = {str(role): name for role, name in bots.items()}
    assigned = assign_players(info, names, taken_names)
    person_names = {assigned[role] for role in own if role in assigned}
    if len(person_names) > 1:
        raise click.UsageError(
            f"--seat selects the seats of one person, but --seats assigns them to {' and '.join(sorted(person_names))}."
        )
    return {role: name for role, name in assigned.items() if role not in bots}
