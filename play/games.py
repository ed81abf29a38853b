"""Opening games: new ones and saved ones, with people and bots in their seats."""

import contextlib
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from engine import registry
from engine.bots.registry import bots as bots_of
from engine.kernel.errors import DataError, FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.sentences import with_word
from play.beginning import Beginning, beginning
from play.bots import PREFIX, bot_name, new_bot
from play.by_turns import by_turns
from play.local_session import LocalSession
from play.seating import check_seating
from saves.errors import LogInUseError, MatchError, StorageError
from saves.files import make_folder
from saves.headers import FULL, Header, Seat
from saves.logfile import SUFFIX, LogWriter, read_log
from saves.match import Match, new_secret
from saves.soundness import check_replayable

_MOST_NAMES: Final = 10_000


class NewGame(msgspec.Struct, frozen=True, kw_only=True):
    """What a player wants to begin."""

    game: str
    scenario: str
    """Empty when there is a position."""
    options: Mapping[str, str] = {}
    position: msgspec.Struct | None = None
    """A checked position of the players' own instead of a scenario's."""
    data: bytes = b""
    """An overlay of the players' own over the data of the game; empty for none."""
    bots: Mapping[Role, str] = {}
    """Role to bot; all other roles are people's."""
    names: Mapping[Role, str] = {}
    """Names of people, the role itself where there is none; in a game with teams one name is one person."""
    seat: Role | None = None
    """Seat to show first."""


def begin_new(new: NewGame, folder: Path) -> tuple[LocalSession, Path]:
    """Return a new game under a name that no file in the folder has, and that name.

    Raises:
        DataError: Unknown game, scenario, role, option, value or bot, or too many games.
        StorageError: The disk refused.
    """
    for number in range(1, _MOST_NAMES):
        path = folder / f"{new.game}-{new.scenario or 'own'}-{number:03}{SUFFIX}"
        if path.exists():
            continue
        try:
            return begin(new, path), path
        except LogInUseError:
            continue  # another program began a game in this moment
    raise DataError(str(folder), "", "this folder holds too many games")


def company(
    game: str,
    info: ScenarioInfo,
    seats: Collection[Role],
    bots: Mapping[Role, str] | None = None,
) -> dict[Role, str]:
    """Return the bots of a game of one person: those that were chosen, and the usual one for every seat left.

    Args:
        game: The game.
        info: The scenario.
        seats: Seats of the person; without any the first one that has no bot.
        bots: Bots that were chosen.
    """
    chosen = dict(bots or {})
    own = tuple(seats) or tuple(role for role in info.roles if role not in chosen)[:1]
    usual = dict.fromkeys((role for role in info.roles if role not in own), bots_of(game)[0])
    return usual | chosen


@by_turns
def begin(new: NewGame, path: Path) -> LocalSession:
    """Return a new game at this keyboard.

    Args:
        new: What to play.
        path: Name of its record file, which must not exist.

    Raises:
        DataError: Unknown game, scenario, role, option, value or bot, a person with roles of two teams, or data that
            the game does not take.
        StorageError: The disk refused.
        LogInUseError: Another program writes this file.
    """
    first, seats = check_new(new)
    rules = registry.ruleset(new.game)
    bots = {role: new_bot(name, new.game) for role, name in new.bots.items()}
    make_folder(path.parent)
    writer = LogWriter.create(path)
    try:
        match = Match[Any].create(
            rules, first.position, first.scenario, first.options, seats, new_secret(), writer
        )
    except BaseException:
        writer.close()
        raise
    return LocalSession(match, bots, new.seat, path)


def check_new(new: NewGame) -> tuple[Beginning, tuple[Seat, ...]]:
    """Return how a new game begins and its seats; nothing is opened.

    Raises:
        DataError: Unknown game, scenario, role, option, value or bot, a person with roles of two teams, or data that
            the game does not take.
    """
    rules = registry.ruleset(new.game)
    first = beginning(rules, new.scenario, new.options, new.position, new.data)
    roles = first.info.roles
    for role in [*new.bots, *new.names, *([new.seat] if new.seat else [])]:
        if role not in roles:
            raise DataError(
                new.game, "seat", f"there is no seat '{role}'; known: {', '.join(roles)}"
            )
    for name in new.bots.values():
        new_bot(name, new.game)
    players = {role: _player(new, role) for role in roles}
    check_seating(first.info, players)
    return first, tuple(
        Seat(role=role, player=player, seat_id=f"local-{role}") for role, player in players.items()
    )


def _player(new: NewGame, role: Role) -> str:
    name = new.bots.get(role)
    return f"{PREFIX}{name}" if name is not None else new.names.get(role, str(role))


@by_turns
def resume(
    path: Path, seat: Role | None = None, bots: Mapping[Role, str] | None = None
) -> LocalSession:
    """Return a saved game, its bots in their seats.

    Args:
        path: Its record file.
        seat: Seat to show first.
        bots: Bots to put in seats instead of those of the record.

    Raises:
        LogInUseError: Another program continues it.
        StorageError: The disk refused.
        CorruptLogError: It is damaged.
        DataError: It names an unknown game or bot.
        MatchError: It is a copy of somebody else's game, or its seats sign what they give.
    """
    match: Match[Any] = Match[Any].resume(path)
    try:
        _check_unsigned(match.header)
        log = match.loaded
        if log is not None:
            check_replayable(match.ruleset, path.name, log)
        game = match.header.game
        own = {one.role: bot_name(one.player) for one in match.header.seats if bot_name(one.player)}
        wanted = own | dict(bots or {})
        bots_now = {role: new_bot(name, game) for role, name in wanted.items()}
        session = LocalSession(match, bots_now, seat, path)
        with contextlib.suppress(StorageError):  # what is there can be played and read all the same
            session.show_secret()
        return session
    except BaseException:
        match.close()
        raise


def check_saved(path: Path) -> Header:
    """Return the header of a saved game that can go on here; nothing is opened for writing.

    Raises:
        StorageError: It cannot be read.
        CorruptLogError: It is damaged.
        DataError: It names an unknown game.
        MatchError: It is a copy of somebody else's game, or its seats sign what they give.
    """
    header = read_log(path).header
    registry.ruleset(header.game)
    Match[Any].check_header(header)
    _check_unsigned(header)
    return header


def _check_unsigned(header: Header) -> None:
    if header.parties is not msgspec.UNSET or header.fair is not msgspec.UNSET:
        raise MatchError(
            "the seats of this match sign what they give; it goes on at its host ('flagplot host'),"
            " and 'flagplot replay' shows it"
        )


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """A record file as a list shows it; every text may be foreign."""

    path: Path
    title: str
    header: Header | None
    """None when the file cannot be read."""
    records: int = 0
    age: str = ""
    """When it was played last: ``3 hours ago``."""
    problem: str = ""

    @property
    def can_resume(self) -> bool:
        """Return whether the file is a judge's copy that may go on."""
        header, unset = self.header, msgspec.UNSET
        if header is None or header.audience != FULL:
            return False
        return header.parties is unset and header.fair is unset


_AGES: Final = ((60, "minute"), (3_600, "hour"), (86_400, "day"))
"""Seconds of each unit."""


def age_words(seconds: float) -> str:
    """Return how long ago something was; a time after now, by a clock that was set back since, is just now."""
    seconds = max(0.0, seconds)
    for size, unit in reversed(_AGES):
        count = int(seconds // size)
        if count:
            return f"{with_word(count, unit, f'{unit}s')} ago"
    return "just now"


def saved_games(folder: Path) -> tuple[Saved, ...]:
    """Return the record files of a folder, newest first; broken ones say what is wrong."""
    found: list[tuple[float, Saved]] = []
    now = time.time()
    for path in folder.glob(f"*{SUFFIX}") if folder.is_dir() else ():
        try:
            age = now - path.stat().st_mtime
        except OSError:
            continue
        try:
            log = read_log(path)
        except FlagplotError as error:
            found.append((age, Saved(path=path, title=path.name, header=None, problem=str(error))))
            continue
        players = ", ".join(f"{seat.role}: {seat.player}" for seat in log.header.seats)
        saved = Saved(
            path=path,
            title=f"{path.stem}  {log.header.game} {log.header.scenario}  {players}",
            header=log.header,
            records=len(log.records),
            age=age_words(age),
        )
        found.append((age, saved))
    return tuple(saved for _, saved in sorted(found, key=lambda pair: (pair[0], str(pair[1].path))))
