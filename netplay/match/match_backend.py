"""Defines the interface through which the host runs matches, in its own process or in a worker."""

import asyncio
from typing import Protocol, TypeAlias

import msgspec

from engine.kernel.ids import Role
from netplay.transport.listener import ConnectionRequest
from play.clock_readings import ClockReading
from saves.disk_trouble import Trouble
from saves.modes import Mode

MatchId: TypeAlias = str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The reply to one frame."""

    data: bytes
    is_proof: bool = False
    """True if this reply completes the connection's authentication."""
    is_last: bool = False
    """True if the connection must be closed after this reply."""
    refusal: str = ""
    """The reason why the peer was refused, for the log. It contains no text from the peer."""


class LoadResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of opening a match from its record."""

    records: int
    is_over: bool


class MatchOverview(msgspec.Struct, frozen=True, kw_only=True):
    """A match's status, limited to public information."""

    match: MatchId
    heading: str
    """Turn, phase and players to move."""
    records: int
    spectators: int
    present: tuple[Role, ...]
    asked: tuple[Role, ...]
    """The roles to move."""
    is_over: bool
    dials: tuple[ClockReading, ...] = ()
    """Current clock readings."""
    missing: tuple[Role, ...] = ()
    """Seats that must still enrol or send messages before the match can begin."""
    mode: Mode = "host"
    """The match's mode: who generates the randomness and deals, and who can read hands."""
    disk: Trouble = ""
    """The disk problem; empty if there is none. While there is a problem, ``asked`` is empty."""


class MatchBackend(Protocol):
    """Runs matches, with their records, tables, bots and connections."""

    async def answer(self, request: ConnectionRequest) -> Reply | None:
        """Return the reply to a frame; None if the match is closed at the moment but will be reopened soon."""
        ...

    def forget_connection(self, connection_id: int) -> None:
        """Forget a connection that has ended."""
        ...

    def load_match(self, match: MatchId) -> "asyncio.Future[LoadResult]":
        """Open a match from its record. If this fails, the future contains a FlagplotError."""
        ...

    def start_bots(self, match: MatchId) -> None:
        """Start the bots in a match. Bots that are already running are not affected."""
        ...

    async def discard_match(self, match: MatchId, reason: str) -> None:
        """Close a match and disconnect its peers with the given reason."""
        ...

    def heartbeat(self) -> None:
        """Handle a heartbeat from the host's main process. Match clocks advance only while heartbeats arrive."""
        ...

    async def overviews(self) -> tuple[MatchOverview, ...]:
        """Return the status of each match, in the order in which the matches were opened."""
        ...

    async def is_done(self) -> bool:
        """Return whether every match is over and no peer is connected."""
        ...

    async def close(self, reason: str) -> None:
        """Disconnect all peers with the given reason, and close every record once pending writes have finished."""
        ...
