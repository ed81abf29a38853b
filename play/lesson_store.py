"""Stores lessons on disk, so that players can interrupt and continue them."""

from pathlib import Path
from typing import Any, Final

from engine.kernel.errors import FlagplotError
from engine.registry import ruleset
from play.bots import BOT_PLAYER_PREFIX, create_seat_bot
from play.games import assign_bots, create_under_unused_name
from play.lesson import Lesson, load_lesson
from play.lesson_session import LessonSession, commands_given
from play.loading_lock import with_loading_lock
from play.local_session import LocalSession
from play.save_files import delete_game
from play.session import Session
from saves.decoding import canonical
from saves.errors import LogInUseError
from saves.files import make_folder
from saves.headers import Seat
from saves.logfile import SUFFIX, LogWriter, read_log
from saves.match import Match
from saves.teams import match_info

_TEACHER_NAME: Final = "teacher"
_LEARNER_NAME: Final = "you"


def begin_lesson(lesson: Lesson, path: Path | None = None) -> LessonSession:
    """Start a lesson from the beginning.

    Args:
        lesson: The lesson.
        path: Path of the lesson's record file, which must not exist yet. None keeps the lesson in memory.

    Raises:
        StorageError: Writing to disk failed.
        LogInUseError: The lesson is open in another program.
    """
    rules, opening = ruleset(lesson.game), lesson.opening()
    seats = [
        Seat(
            role=role, player=_LEARNER_NAME if role == lesson.learner else _TEACHER_NAME, seat_id=""
        )
        for role in rules.roles_at(opening.position)
    ]
    writer = None
    if path is not None:
        make_folder(path.parent)
        writer = LogWriter.create(path)
    try:
        match = Match[Any].create(
            rules,
            opening.position,
            opening.scenario,
            opening.options,
            seats,
            opening.secret,
            writer,
        )
    except BaseException:
        if writer is not None:
            writer.close()
        raise
    return LessonSession(match, lesson, path)


def play_on(lesson_session: LessonSession, folder: Path) -> LocalSession:
    """Repeat a lesson's commands in a new record, in which bots play the other seats, and open that game.

    Args:
        lesson_session: The lesson.
        folder: Folder for the new record.

    Raises:
        DataError: The folder contains too many games.
        StorageError: Writing to disk failed.
    """
    header = lesson_session.match.header
    session, _ = create_under_unused_name(
        folder, header.game, header.scenario, lambda path: _as_ordinary_game(lesson_session, path)
    )
    return session


@with_loading_lock
def _as_ordinary_game(lesson_session: LessonSession, path: Path) -> LocalSession:
    opening, learner = lesson_session.lesson.opening(), lesson_session.lesson.learner
    match, rules = lesson_session.match, lesson_session.ruleset
    bots = assign_bots(rules.game, match_info(rules, match.header), [learner])
    seats = [
        Seat(
            role=seat.role,
            player=f"{BOT_PLAYER_PREFIX}{bots[seat.role]}" if seat.role in bots else str(seat.role),
            seat_id=f"local-{seat.role}",
        )
        for seat in match.header.seats
    ]
    make_folder(path.parent)
    writer = LogWriter.create(path)
    try:
        copy = Match[Any].create(
            rules,
            opening.position,
            opening.scenario,
            opening.options,
            seats,
            opening.secret,
            writer,
        )
        # The dice depend only on the secret and on the number of commands, so the replay has the
        # same results.
        for role, command in commands_given(match):
            copy.submit(role, command, copy.seq)
    except BaseException:
        writer.close()
        raise
    players = {role: create_seat_bot(name, rules.game) for role, name in bots.items()}
    return LocalSession(copy, players, learner, path)


@with_loading_lock
def open_lesson(game: str, folder: Path, *, is_new: bool = False) -> LessonSession:
    """Continue a game's lesson where the player left off, or start it from the beginning.

    Args:
        game: Id of the game.
        folder: Folder for lesson records.
        is_new: True starts over even if a record exists.

    Raises:
        DataError: There is no such game.
        LogInUseError: The lesson is open in another program.
        StorageError: Reading or writing failed.
    """
    lesson = load_lesson(game)
    path = _lesson_path(game, folder)
    if path.exists():
        session = None if is_new else _reopen(lesson, path)
        if session is not None:
            return session
        delete_game(path)
    return begin_lesson(lesson, path)


def _lesson_path(game: str, folder: Path) -> Path:
    return folder / f"{game}-lesson{SUFFIX}"


def _reopen(lesson: Lesson, path: Path) -> LessonSession | None:
    """Reopen an interrupted lesson.

    Return None if the lesson is finished, damaged or from an older version of the program.
    """
    try:
        match = Match[Any].resume(path)
    except LogInUseError:
        # If this returned None, the caller would delete a file that another program is using.
        raise
    except FlagplotError:
        return None
    session = LessonSession(match, lesson, path)
    if _matches_lesson(lesson, session) and session.step is not None and not is_finished(session):
        return session
    match.close()
    return None


def _matches_lesson(lesson: Lesson, session: Session) -> bool:
    """Return whether a record matches the beginning of a lesson."""
    assert isinstance(session, LessonSession), "the session must be a lesson"
    header, opening = session.match.header, lesson.opening()
    given_commands = commands_given(session.match)
    commands = tuple(command for _, command in given_commands)
    command_indices = lesson.command_steps
    return (
        header.secret == opening.secret
        and header.position == canonical(opening.position)
        # Under other rules, the same secret may produce different dice, so the lesson's cards would
        # describe results that do not occur.
        and header.rules_version == session.ruleset.version
        and len(given_commands) <= len(command_indices)
        and all(
            role == lesson.steps[command_indices[index]].role
            and command in lesson.accepted_commands(index, commands)
            for index, (role, command) in enumerate(given_commands)
        )
    )


def is_finished(session: LessonSession) -> bool:
    """Return whether all of a lesson's commands have been given."""
    return len(commands_given(session.match)) == len(session.lesson.command_steps)


def progress_text(game: str, folder: Path) -> str:
    """Describe a lesson and the player's progress in a few words. An unreadable record counts as no progress."""
    lesson = load_lesson(game)
    try:
        records = read_log(_lesson_path(game, folder)).records
    except FlagplotError:
        records = ()
    command_count = sum(record.kind == "command" for record in records)
    total = len(lesson.command_steps)
    if 0 < command_count < total:
        return f"continue the lesson, {command_count * 100 // total} % done"
    return f"play {lesson.title[:1].lower()}{lesson.title[1:]}, about 15 minutes"
