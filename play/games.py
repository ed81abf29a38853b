"""Creates new games and opens saved games, with people and bots in their seats."""

import contextlib
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from engine import registry
from engine.bots.registry import available_bots
from engine.kernel.errors import DataError, FlagplotError
from engine.kernel.ids import Role
from engine.kernel.lexicon import suggestion_or_list
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.sentences import pluralise
from play.bots import BOT_PLAYER_PREFIX, bot_name, create_seat_bot
from play.loading_lock import with_loading_lock
from play.local_negotiation import reveal_if_over
from play.local_session import LocalSession
from play.opening import MatchStart, resolve_match_start
from play.save_files import set_aside_leftovers
from play.seating import check_seating
from saves.errors import LogInUseError, MatchError, StorageError
from saves.files import make_folder
from saves.headers import FULL, Header, Seat
from saves.logfile import SUFFIX, LogWriter, read_log
from saves.match import Match, new_secret
from saves.replay_check import check_replayable

_MAX_NAMES: Final = 10_000


class NewGame(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a new game."""

    game: str
    scenario: str
    """Id of the scenario; empty for a custom position."""
    options: Mapping[str, str] = {}
    position: msgspec.Struct | None = None
    """A verified custom position; None to use the scenario's position."""
    data: bytes = b""
    """Custom data from the players, which overrides the game's data; empty if there is no custom data."""
    bots: Mapping[Role, str] = {}
    """Bots by role; people play all other roles."""
    names: Mapping[Role, str] = {}
    """People's names by role. People without a name are named after the role.

    In a game with teams, roles with the same name belong to one person.
    """
    seat: Role | None = None
    """The seat to show first; None to choose a seat automatically."""


def create_new_game(new_game: NewGame, folder: Path) -> tuple[LocalSession, Path]:
    """Create a game in a folder, under the first unused file name. Return the game and its path.

    Raises:
        DataError: The game, scenario, role, option, value or bot is unknown, or the folder contains too many games.
        StorageError: Writing to disk failed.
    """
    return create_under_unused_name(
        folder, new_game.game, new_game.scenario, lambda path: create_game(new_game, path)
    )


def create_under_unused_name(
    folder: Path, game: str, scenario: str, create: Callable[[Path], LocalSession]
) -> tuple[LocalSession, Path]:
    """Create a game's record in a folder, under the first unused file name. Return the game and its path.

    Raises:
        DataError: The folder contains too many games.
    """
    for number in range(1, _MAX_NAMES):
        path = folder / f"{game}-{scenario or 'own'}-{number:03}{SUFFIX}"
        if path.exists():
            continue
        try:
            return create(path), path
        except LogInUseError:
            continue  # Another program created the file in the meantime.
    raise DataError(str(folder), "", "this folder contains too many games")


def assign_bots(
    game: str,
    info: ScenarioInfo,
    seats: Collection[Role],
    bots: Mapping[Role, str] | None = None,
    default_bot: str = "",
) -> dict[Role, str]:
    """Return the bots of a single-player game by role: the chosen ones, and the default bot for all other free seats.

    Args:
        game: The game.
        info: The scenario.
        seats: The person's roles. If empty, the person plays the first role without a chosen bot.
        bots: The bots that were chosen for particular roles.
        default_bot: The bot for every other free seat; empty for the game's default bot.
    """
    assigned_bots = dict(bots or {})
    person_roles = (
        tuple(seats) or tuple(role for role in info.roles if role not in assigned_bots)[:1]
    )
    default_bots = dict.fromkeys(
        (role for role in info.roles if role not in person_roles),
        default_bot or available_bots(game)[0],
    )
    return default_bots | assigned_bots


@with_loading_lock
def create_game(new_game: NewGame, path: Path) -> LocalSession:
    """Create a game for the people at this keyboard.

    Args:
        new_game: The settings.
        path: Path of the game's record file, which must not exist yet.

    Raises:
        DataError: The game, scenario, role, option, value or bot is unknown, a person has roles in two teams, or the
            game does not accept the data.
        StorageError: Writing to disk failed.
        LogInUseError: Another program is writing this file.
    """
    match = create_match(new_game, path)
    try:
        bots = {role: create_seat_bot(name, new_game.game) for role, name in new_game.bots.items()}
        return LocalSession(match, bots, new_game.seat, path)
    except BaseException:
        match.close()
        raise


def create_match(new_game: NewGame, path: Path | None, secret: bytes | None = None) -> Match[Any]:
    """Create a match with its opening record, and nobody at the table yet.

    Args:
        new_game: The settings.
        path: Path of the match's record file, which must not exist yet; None keeps the match in memory.
        secret: The match secret; None generates a new one.

    Raises:
        DataError: The game, scenario, role, option, value or bot is unknown, a person has roles in two teams, or the
            game does not accept the data.
        StorageError: Writing to disk failed.
        LogInUseError: Another program is writing this file.
    """
    match_start, seats = check_new_game(new_game)
    writer = None
    if path is not None:
        make_folder(path.parent)
        writer = LogWriter.create(path)
    try:
        if path is not None:
            set_aside_leftovers(path)
        return Match[Any].create(
            registry.ruleset(new_game.game),
            match_start.position,
            match_start.scenario,
            match_start.options,
            seats,
            new_secret() if secret is None else secret,
            writer,
        )
    except BaseException:
        if writer is not None:
            writer.close()
        raise


def check_new_game(new_game: NewGame) -> tuple[MatchStart, tuple[Seat, ...]]:
    """Check the settings of a new game, and return its starting position and seats. No game is created.

    Raises:
        DataError: The game, scenario, role, option, value or bot is unknown, a person has roles in two teams, or the
            game does not accept the data.
    """
    rules = registry.ruleset(new_game.game)
    match_start = resolve_match_start(
        rules, new_game.scenario, new_game.options, new_game.position, new_game.data
    )
    roles = match_start.info.roles
    for role in [*new_game.bots, *new_game.names, *([new_game.seat] if new_game.seat else [])]:
        if role not in roles:
            hint = suggestion_or_list(role, roles)
            raise DataError(new_game.game, "seat", f"there is no seat '{role}'{hint}")
    for name in new_game.bots.values():
        # The bot is created only to check that the game has such a bot.
        create_seat_bot(name, new_game.game)
    players = {role: _player_name(new_game, role) for role in roles}
    check_seating(match_start.info, players)
    return match_start, tuple(
        Seat(role=role, player=player, seat_id=f"local-{role}") for role, player in players.items()
    )


def _player_name(new_game: NewGame, role: Role) -> str:
    name = new_game.bots.get(role)
    return f"{BOT_PLAYER_PREFIX}{name}" if name is not None else new_game.names.get(role, str(role))


@with_loading_lock
def resume(
    path: Path, seat: Role | None = None, bots: Mapping[Role, str] | None = None
) -> LocalSession:
    """Open a saved game, with its bots in their seats.

    Args:
        path: The game's record file.
        seat: The seat to show first; None to choose a seat automatically.
        bots: Bots that replace the bots named in the record.

    Raises:
        LogInUseError: Another program has the game open.
        StorageError: Reading or writing failed.
        CorruptLogError: The file is damaged.
        DataError: The record names an unknown game or bot.
        MatchError: The file is a seat's copy of a match, or its seats sign their commands.
    """
    match = open_match(path)
    try:
        bot_names = seated_bots(match.header) | dict(bots or {})
        game = match.header.game
        bot_players = {role: create_seat_bot(name, game) for role, name in bot_names.items()}
        session = LocalSession(match, bot_players, seat, path)
        with contextlib.suppress(
            StorageError
        ):  # If the secret of a finished game cannot be revealed now, the game can still be read.
            reveal_if_over(match)
        return session
    except BaseException:
        match.close()
        raise


def open_match(path: Path) -> Match[Any]:
    """Open a saved game's match, so that it can be continued here. Its file stays locked until it is closed.

    Raises:
        LogInUseError: Another program has the game open.
        StorageError: Reading or writing failed.
        CorruptLogError: The file is damaged.
        DataError: The record names an unknown game.
        MatchError: The file is a seat's copy of a match, or its seats sign their commands.
    """
    match: Match[Any] = Match[Any].resume(path)
    try:
        _check_unsigned(match.header)
        log = match.loaded
        if log is not None:
            check_replayable(match.ruleset, path.name, log)
    except BaseException:
        match.close()
        raise
    return match


def seated_bots(header: Header) -> dict[Role, str]:
    """Return the bots that play in a match, by role."""
    return {seat.role: bot_name(seat.player) for seat in header.seats if bot_name(seat.player)}


def check_saved_game(path: Path) -> Header:
    """Check that a saved game can be continued here, and return its header. The file is not changed.

    Raises:
        StorageError: The file cannot be read.
        CorruptLogError: The file is damaged.
        DataError: The record names an unknown game.
        MatchError: The file is a seat's copy of a match, or its seats sign their commands.
    """
    header = read_log(path).header
    registry.ruleset(header.game)
    Match[Any].check_header(header)
    _check_unsigned(header)
    return header


def _check_unsigned(header: Header) -> None:
    if header.parties is not msgspec.UNSET or header.fair is not msgspec.UNSET:
        raise MatchError(
            "the seats of this match sign their commands; continue it on its host ('flagplot host serve'),"
            " or watch it with 'flagplot replay'"
        )


class SavedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A list entry for a record file. Other people may have written its texts."""

    path: Path
    title: str
    header: Header | None
    """The file's header; None if the file cannot be read."""
    records: int = 0
    age: str = ""
    """When the game was last played, such as ``3 hours ago``."""
    problem: str = ""

    @property
    def can_resume(self) -> bool:
        """Return whether the file is a full record that can be continued here."""
        header, unset_value = self.header, msgspec.UNSET
        if header is None or header.audience != FULL:
            return False
        return header.parties is unset_value and header.fair is unset_value


_AGE_UNITS: Final = ((60, "minute"), (3_600, "hour"), (86_400, "day"))
"""Units of time and their lengths in seconds."""


def format_age(seconds: float) -> str:
    """Describe how long ago something happened.

    Future times count as "just now", because the clock may have been set back.
    """
    seconds = max(0.0, seconds)
    for size, unit in reversed(_AGE_UNITS):
        count = int(seconds // size)
        if count:
            return f"{pluralise(count, unit, f'{unit}s')} ago"
    return "just now"


def saved_games(folder: Path) -> tuple[SavedGame, ...]:
    """Return entries for the record files in a folder, newest first.

    An entry for an unreadable file contains an error message.
    """
    games_by_age: list[tuple[float, SavedGame]] = []
    current_time = time.time()
    for path in folder.glob(f"*{SUFFIX}") if folder.is_dir() else ():
        try:
            age = current_time - path.stat().st_mtime
        # The file was deleted after the folder was listed.
        except OSError:
            continue
        try:
            log = read_log(path)
        except FlagplotError as error:
            games_by_age.append(
                (age, SavedGame(path=path, title=path.name, header=None, problem=str(error)))
            )
            continue
        players = ", ".join(f"{seat.role}: {seat.player}" for seat in log.header.seats)
        saved_game = SavedGame(
            path=path,
            title=f"{path.stem}  {log.header.game} {log.header.scenario}  {players}",
            header=log.header,
            records=len(log.records),
            age=format_age(age),
        )
        games_by_age.append((age, saved_game))
    return tuple(
        saved_game
        for _, saved_game in sorted(games_by_age, key=lambda pair: (pair[0], str(pair[1].path)))
    )


def has_same_setup(session: LocalSession) -> bool:
    """Return whether the same game can be started again.

    Lessons, and games loaded from a custom file, cannot be started again.
    """
    header = session.match.header
    known_scenarios = {info.id for info in session.ruleset.scenarios()}
    has_own_data = header.own_data is not msgspec.UNSET
    return type(session) is LocalSession and header.scenario in known_scenarios and not has_own_data


def same_setup(session: LocalSession) -> NewGame:
    """Return the settings of a new game with the same scenario, rulings, people and bots."""
    header = session.match.header
    players = {seat.role: seat.player for seat in header.seats}
    bots = {role: bot_name(player) for role, player in players.items() if bot_name(player)}
    names = {role: player for role, player in players.items() if role not in bots}
    return NewGame(
        game=header.game,
        scenario=header.scenario,
        options=header.options,
        bots=bots,
        names=names,
        seat=session.role if session.role in session.people else None,
    )
