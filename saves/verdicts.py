"""Verdicts about record files: what was found, and its exit code."""

from pathlib import Path
from traceback import extract_tb
from typing import Literal, TypeAlias

import msgspec

from saves.explaining import Proof

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
"""Exit codes by status, the worst last.

``unfinished`` and ``incomplete``: a caller demands more than a right record (``saves.demands``).
``awaited``: a match of protocol 7 has ended, and card seeds may still arrive. ``unproven``: it is closed without one.
``older``: everything that was promised holds, but the game was made by other rules, and today's decide it otherwise.
"""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing that is wrong."""

    record: int | None
    """None when it is about the file as a whole, -1 for its header."""
    event: int | None
    """Place in the record, from 0; None when it is not about one event."""
    offset: int | None
    """Byte of the file where the record begins."""
    problem: str

    def __str__(self) -> str:
        """Return the sentence for the report."""
        if self.record is None:
            return self.problem
        place = "header" if self.record < 0 else f"record {self.record}"
        if self.event is not None:
            place += f", event {self.event}"
        if self.offset is not None:
            place += f" (byte {self.offset})"
        return f"{place}: {self.problem}"


class GameOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a game ended."""

    winner: str
    """The winning side, ``nobody`` for a draw, ``game`` when everybody lost to it."""
    level: str
    """Degree of victory; empty when there are no degrees."""
    score: int | None
    """Victory points; None when they are not counted."""
    how: Literal["rules", "resigned", "time", "draw", "stopped"]

    def __str__(self) -> str:
        """Return the winner with the degree of victory, and how it ended if not by the rules."""
        how = "" if self.how == "rules" else f"({self.how})"
        return " ".join(filter(None, (self.winner, self.level, how)))


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What was found about one file."""

    file: str
    status: Status
    game: str = ""
    match_id: str = ""
    audience: str = ""
    """``*`` for the full copy, ``-`` for a host's who reads no hand, empty for a spectator's, else the role."""
    records: int = 0
    """Records that are right, counted from the start."""
    commands: int = 0
    chain: str = ""
    """Chain value of the last right record, in hex."""
    view: str = ""
    """Digest of what the audience sees at the end, in hex; of the spectator's view for the judge's."""
    outcome: GameOutcome | None = None
    """None while the game is not over, and in a file that is false or unreadable."""
    unfinished: bool | None = None
    """Whether the record ends before the end of the game or before the secret is opened; None as for ``outcome``."""
    dropped_bytes: int = 0
    """Bytes behind the last whole record, which an interrupted write left there."""
    finding: Finding | None = None
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """Those of the notes that tell what was dropped or stays unchecked."""
    proofs: tuple[Proof, ...] = ()
    """What the copy proves and what not, as far as its records are right; empty where none is."""
    evidence: tuple[str, ...] = ()
    """Of a false copy of protocol 7: what evidence it contains, as charge, message, author and problem."""

    @property
    def exit_code(self) -> int:
        """Return the exit code of the status."""
        return EXIT_CODES[self.status]


def crash_sentence(error: Exception) -> str:
    """Return the sentence about an error that no check expects, with its place in the record and in the program."""
    place = extract_tb(error.__traceback__)[-1]
    record = "".join(f" at {note}" for note in getattr(error, "__notes__", ()))
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"the program failed{record}: {error!r} in {where}; please report this"
