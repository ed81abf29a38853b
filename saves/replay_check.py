"""Checks that the rules can fold and describe a file's records, and can list the possible next commands.

A manipulated file may contain events that can be folded but make no sense, such as events that name a nonexistent unit.
Loading does not detect such events, and a program that shows or continues the file would crash later.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from engine.kernel.ids import Role
from engine.kernel.memo import CachedState
from saves.codec import AnyGame
from saves.entries import decode_command, visible_events
from saves.errors import BrokenChainError, CorruptLogError
from saves.headers import FULL, Header, audience_role
from saves.logfile import Log
from saves.records import Record
from saves.timeline import Timeline, attribute_errors


@contextmanager
def locating_errors(file: str, record_offsets: Sequence[int]) -> Iterator[None]:
    """Convert a folding error into an error that names the file and the record's offset.

    Args:
        file: The file's name.
        record_offsets: Offset of each record's first byte.

    Raises:
        CorruptLogError: A record cannot be folded.
    """
    try:
        yield
    except BrokenChainError as error:
        raise CorruptLogError(file, record_offsets[error.seq], error.seq, error.problem) from error


def check_replayable(game: AnyGame, file: str, log: Log) -> None:
    """Check that every record can be decoded and replayed; correctness is not verified.

    Raises:
        CorruptLogError: A record cannot be processed, or the header has a seat for an unknown role.
    """
    with locating_errors(file, log.record_offsets):
        state = _replay(game, log.header, log.records)
    roles = game.roles(state)
    for seat in log.header.seats:
        if seat.role not in roles:
            problem = f"there is no role {seat.role!r}; known: {', '.join(roles)}"
            raise CorruptLogError(file, 0, -1, problem)


def count_replayable(game: AnyGame, log: Log) -> int:
    """Return the number of leading records that the rules can process."""
    try:
        _replay(game, log.header, log.records)
    except BrokenChainError as error:
        return error.seq
    return len(log.records)


def _replay(game: AnyGame, header: Header, records: Sequence[Record]) -> CachedState:
    """Replay records, check that the rules can process each record, and return the final state.

    Raises:
        BrokenChainError: A record cannot be processed.
    """
    timeline: Timeline[CachedState] = Timeline(game)
    for record in records:
        state = timeline.state_after(record)
        with attribute_errors(record.seq):
            if record.command is not None:
                command = decode_command(game, record.command)
                if command is not None and record.kind == "command":
                    game.notation.line(command)
            for event in visible_events(game, record):
                game.log_sentence(event)
        timeline.add(record, state)
    with attribute_errors(len(records) - 1):
        _compute_views(game, timeline.state, header)
    return timeline.state


def _compute_views(game: AnyGame, state: object, header: Header) -> None:
    """Compute everything that the screen shows about a position, so that errors are raised here and not later."""
    roles = game.roles(state)
    viewers: tuple[Role | None, ...] = (audience_role(header),)
    if header.audience == FULL:
        viewers = (None, *roles)
    game.heading(state)
    game.outcome(state)
    for role in viewers:
        game.project(state, role)
    for role in game.active_roles(state):
        if role in viewers:
            game.decision(state, role)
            game.free_actions(state, role)
