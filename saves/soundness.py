"""Whether the rules can make anything of the records of a file: fold them, tell them, and ask what comes next.

A file that somebody wrote by hand may hold events that fold and still mean nothing, such as a unit that no game has.
Loading does not notice; whoever shows such a file or goes on with it would fall over it later.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from engine.kernel.ids import Role
from engine.kernel.memo import Remembering
from saves.codec import AnyGame
from saves.entries import command_of, events_of
from saves.errors import BrokenChainError, CorruptLogError
from saves.headers import FULL, Header, audience_role
from saves.logfile import Log
from saves.records import Record
from saves.timeline import Timeline, blamed


@contextmanager
def named(file: str, starts: Sequence[int]) -> Iterator[None]:
    """Name file and place of a record that cannot follow.

    Args:
        file: Name of the file.
        starts: First byte of each record.

    Raises:
        CorruptLogError: A record cannot follow.
    """
    try:
        yield
    except BrokenChainError as error:
        raise CorruptLogError(file, starts[error.seq], error.seq, error.problem) from error


def check_sound(game: AnyGame, file: str, log: Log) -> None:
    """Accept the records of a file whose every word the rules understand; whether they are right is not asked.

    Raises:
        CorruptLogError: They do not understand one, or the head seats somebody in a role that the game does not have.
    """
    with named(file, log.starts):
        state = _follow(game, log.header, log.records)
    roles = game.roles(state)
    for seat in log.header.seats:
        if seat.role not in roles:
            problem = f"there is no role {seat.role!r}; known: {', '.join(roles)}"
            raise CorruptLogError(file, 0, -1, problem)


def sound_records(game: AnyGame, log: Log) -> int:
    """Return how many records of a file the rules understand, from the first one on."""
    try:
        _follow(game, log.header, log.records)
    except BrokenChainError as error:
        return error.seq
    return len(log.records)


def _follow(game: AnyGame, header: Header, records: Sequence[Record]) -> Remembering:
    """Return the state after some records, each of which the rules understand.

    Raises:
        BrokenChainError: They do not understand one.
    """
    timeline: Timeline[Remembering] = Timeline(game)
    for record in records:
        state = timeline.after(record)
        with blamed(record.seq):
            if record.command is not None:
                command = command_of(game, record.command)
                if command is not None and record.kind == "command":
                    game.notation.line(command)
            for event in events_of(game, record):
                game.describe(event)
        timeline.add(record, state)
    with blamed(len(records) - 1):
        _look(game, timeline.state, header)
    return timeline.state


def _look(game: AnyGame, state: object, header: Header) -> None:
    """Ask for everything that a table shows of a position."""
    roles = game.roles(state)
    seen: tuple[Role | None, ...] = (audience_role(header),)
    if header.audience == FULL:
        seen = (None, *roles)
    game.heading(state)
    game.outcome(state)
    for role in seen:
        game.project(state, role)
    for role in game.asked(state):
        if role in seen:
            game.decision(state, role)
            game.any_time(state, role)
