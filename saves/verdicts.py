"""Defines verdicts on record files, and their exit codes."""

from pathlib import Path
from traceback import extract_tb
from typing import Literal, TypeAlias

import msgspec
from typing_extensions import override

from saves.topic_proofs import TopicProof

Status: TypeAlias = Literal[
    "ok", "unfinished", "incomplete", "awaited", "unproven", "older", "false", "unreadable"
]
EXIT_CODES: dict[Status, int] = {
    "ok": 0,
    "unfinished": 8,
    "incomplete": 8,
    "awaited": 7,
    "unproven": 7,
    "older": 6,
    "false": 1,
    "unreadable": 3,
}
"""Exit codes by status, with the worst status last.

``unfinished`` and ``incomplete``: the record is correct but fails an extra requirement (see
``saves.verify_requirements``). ``awaited``: a protocol 7 match has ended, and card seeds may still arrive.
``unproven``: the match is closed, but a card seed is missing. ``older``: all commitments hold, but the game was played
under other rules and the current rules resolve it differently.
"""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The first problem in a file."""

    record: int | None
    """Record number; -1 for the header, None if the problem concerns the whole file."""
    event: int | None
    """The event's index in the record; None if the problem does not concern a single event."""
    offset: int | None
    """Offset of the record's first byte in the file."""
    problem: str

    @override
    def __str__(self) -> str:
        if self.record is None:
            return self.problem
        place = "header" if self.record < 0 else f"record {self.record}"
        if self.event is not None:
            place += f", event {self.event}"
        if self.offset is not None:
            place += f" (byte {self.offset})"
        return f"{place}: {self.problem}"


class GameOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a game."""

    winner: str
    """The winning side; ``nobody`` for a draw, ``game`` if all players lost to the game."""
    level: str
    """Level of victory; empty if the game has no such levels."""
    score: int | None
    """Victory points; None if the game does not use them."""
    how: Literal["rules", "resigned", "time", "draw", "stopped"]

    @override
    def __str__(self) -> str:
        """Return the winner and the level of victory. If the rules did not end the game, add the reason."""
        note = "" if self.how == "rules" else f"({self.how})"
        return " ".join(filter(None, (self.winner, self.level, note)))


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one file."""

    file: str
    status: Status
    game: str = ""
    match_id: str = ""
    audience: str = ""
    """The copy's owner: a role or one of three marks.

    ``*`` means the full copy, ``-`` means the copy of a host that cannot read hands, and an empty string means a
    spectator's copy.
    """
    records: int = 0
    """Number of correct records, counted from the start."""
    commands: int = 0
    chain: str = ""
    """The last correct record's chain value, in hex."""
    view: str = ""
    """Hex digest of the spectators' view after the last verified record.

    It is the same for every copy of a match, and contains nothing that only one seat knows.
    """
    outcome: GameOutcome | None = None
    """How the game ended; None if the game is not over, or if the file is false or unreadable."""
    unfinished: bool | None = None
    """True if the game is not over or the secret is not revealed; None if the file is not correct."""
    dropped_bytes: int = 0
    """Number of bytes after the last complete record, which an interrupted write has left."""
    finding: Finding | None = None
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """Notes that report dropped or unchecked data."""
    proofs: tuple[TopicProof, ...] = ()
    """The report on what the copy's correct records prove; empty if the records could not be checked."""
    evidence: tuple[str, ...] = ()
    """Accusations from a false copy of a protocol 7 match, each with charge, message, author and problem."""

    @property
    def exit_code(self) -> int:
        """Return the status's exit code."""
        return EXIT_CODES[self.status]


def crash_sentence(error: Exception) -> str:
    """Describe an unexpected error in one sentence, with the record and the line of code where it occurred."""
    frame = extract_tb(error.__traceback__)[-1]
    record = "".join(f" at {note}" for note in getattr(error, "__notes__", ()))
    location = f"{Path(frame.filename).name}, line {frame.lineno}"
    return f"the program failed{record}: {error!r} in {location}; please report this"
