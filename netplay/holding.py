"""Where matches are held: in this process, or in one of its workers; the host asks both in the same way."""

import asyncio
from typing import Protocol, TypeAlias

import msgspec

from engine.kernel.ids import Role
from netplay.listener import Request
from play.dials import Dial
from saves.disk import Trouble
from saves.modes import Mode

MatchId: TypeAlias = str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a frame."""

    data: bytes
    is_proof: bool = False
    """Whether the connection has proved its seat with it."""
    is_last: bool = False
    """Whether the connection ends with it."""
    refusal: str = ""
    """Why somebody is turned away, without a word of his own; for the log."""


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """A match that was opened from its record."""

    records: int
    is_over: bool


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a match stands, without anything that not everybody may know."""

    match: MatchId
    heading: str
    """Turn, phase, whose move."""
    records: int
    spectators: int
    present: tuple[Role, ...]
    asked: tuple[Role, ...]
    """Whose move it is."""
    is_over: bool
    dials: tuple[Dial, ...] = ()
    """What the clocks show."""
    missing: tuple[Role, ...] = ()
    """Seats for which the match waits to begin."""
    mode: Mode = "host"
    """Who makes its chance, and whose hands the host can read."""
    disk: Trouble = ""
    """Why the disk takes no records; nobody is waited for then."""


class Holding(Protocol):
    """Holds matches: their records, tables and bots, and whoever plays or watches them."""

    async def answer(self, request: Request) -> Reply | None:
        """Answer one frame of a connection; None where the match is not held any more, and opened again soon."""
        ...

    def gone(self, line: int) -> None:
        """Forget a connection that has ended."""
        ...

    def take(self, match: MatchId) -> "asyncio.Future[Taken]":
        """Open a match from its record; the future fails with FlagplotError where that cannot be."""
        ...

    def play(self, match: MatchId) -> None:
        """Start the bots of a match that do not run yet."""
        ...

    async def discard(self, match: MatchId, reason: str) -> None:
        """Let go of a match, and say goodbye to whoever is there."""
        ...

    def beat(self) -> None:
        """Take a heartbeat of the front process: time runs between two of them."""
        ...

    async def standings(self) -> tuple[Standing, ...]:
        """Return how each match stands, in the order in which they were opened."""
        ...

    async def is_done(self) -> bool:
        """Return whether every match is over and everybody has heard of it."""
        ...

    async def close(self, reason: str) -> None:
        """Say goodbye to everybody, and let go of every record once the disk has what is under way."""
        ...
