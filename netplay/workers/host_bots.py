"""Runs bots on the host as ordinary peers with ordinary invites, connected in-process instead of over the network."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import structlog

from engine import registry
from engine.bots.player import looks_ahead
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.feed.shared_records import SharedRecords
from netplay.invites.invite import SUFFIX, Invite, load_invite, write_invite
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState, PeerEvent, RecordsReceived, StatusChanged
from netplay.session.bot_peer import play_seat
from netplay.transport.in_process import InProcessConnection
from netplay.wire import limits
from netplay.wire.answer_delay import WINDOW_SECONDS
from netplay.wire.messages import MAX_WAIT_MS
from play.bot_process import DEFAULT_SECONDS, BotProcess
from play.bots import bot_name, create_seat_bot

log = structlog.get_logger()

FOLDER: Final = "bots"
_MAX_STARTING: Final = 8
"""Maximum number of bots that may connect and take their seats at a time."""
_MAX_MOVING: Final = 4
"""Maximum number of bots that may choose a move, or wait for it to be recorded, at the same time.

This is enough to keep one process busy during disk writes. More bots would only delay replies to guests.
"""
_MAX_SEARCHING: Final = 16
"""Maximum number of bots with lookahead that may act at a time. Such bots search in other processes."""


class _BotServer(Protocol):
    """The methods of the match server that its bots use."""

    folder: Path
    records: SharedRecords

    async def connect(self, address: str, invite: Invite) -> InProcessConnection:
        """Return a connection that does not use the network."""
        ...

    def marking(self, match: str) -> AbstractContextManager[None]:
        """Mark a match as being processed."""
        ...

    def schedule_disk_test(self) -> None:
        """Schedule a disk test."""
        ...


class _BotTurn:
    """Limits how many bots act at a time, and marks each acting bot's match as being processed."""

    def __init__(self, semaphore: asyncio.Semaphore, server: _BotServer, match: str) -> None:
        self._semaphore = semaphore
        self._server = server
        self._match = match
        self._match_marker: AbstractContextManager[None] | None = None

    async def __aenter__(self) -> None:
        await self._semaphore.acquire()
        # A bot marks its match only while acting, because every marked match becomes suspect if
        # this process dies.
        self._match_marker = self._server.marking(self._match)
        self._match_marker.__enter__()

    async def __aexit__(self, *_: object) -> None:
        if self._match_marker is not None:
            self._match_marker.__exit__(None, None, None)
        self._semaphore.release()


def save_bot_invite(folder: Path, invite: Invite) -> Path:
    """Save a bot's invite so that it can be reused after a restart.

    Args:
        folder: The folder that contains the host's matches.
        invite: The bot's invite.

    Raises:
        InviteError: The write failed.
    """
    return write_invite(folder / FOLDER, invite)


def _drop_old_results(peer: Peer, event: PeerEvent) -> None:
    if isinstance(event, RecordsReceived):
        peer.copy.drop_old_results(limits.MAX_RESULTS)


class HostBots:
    """Runs the bots in the host's matches."""

    def __init__(
        self,
        server: _BotServer,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
        pause_seconds: float = 0.0,
        think_seconds: float = DEFAULT_SECONDS,
    ) -> None:
        """Create a runner. No bot is running yet.

        Args:
            server: Runs the matches. The bots' invites are in a subfolder of the server's folder. The bots' copies are
                stored only in memory.
            rulesets: Looks up a game's rules.
            pause_seconds: Delay before each command from a bot.
            think_seconds: Maximum time that a bot with lookahead may spend on one decision.
        """
        self._server = server
        self._folder = server.folder / FOLDER
        self._rulesets = rulesets
        self._pause_seconds = pause_seconds
        self._bot_process = BotProcess(think_seconds)
        self._peers: dict[tuple[str, Role | None], Peer] = {}
        self._tasks: dict[tuple[str, Role | None], asyncio.Task[None]] = {}
        self._close_tasks: set[asyncio.Task[None]] = set()
        self._start_slots = asyncio.Semaphore(_MAX_STARTING)
        self._move_slots = asyncio.Semaphore(_MAX_MOVING)
        self._search_slots = asyncio.Semaphore(_MAX_SEARCHING)

    def start_bots(self, match: str, players: Mapping[Role, str]) -> None:
        """Start the bots in a match. Bots that are already running are not affected.

        If all players in a match are bots, they answer response windows without delay.

        Args:
            match: The match id.
            players: The player's name for every seat.
        """
        window_seconds = 0.0 if all(map(bot_name, players.values())) else WINDOW_SECONDS
        for role, player in sorted(players.items()):
            key, name = (match, role), bot_name(player)
            if name and key not in self._tasks:
                path = self._folder / f"{match}.{role}{SUFFIX}"
                task = self._tasks[key] = asyncio.create_task(
                    self._play(path, name, window_seconds)
                )
                task.add_done_callback(partial(self._forget, key))

    def _forget(self, key: tuple[str, Role | None], task: asyncio.Task[None]) -> None:
        # The seat's entry is removed only if it is still this task, because a new task may have
        # been started for the seat.
        if self._tasks.get(key) is task:
            del self._tasks[key]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            context = {"message": "a bot crashed", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)

    async def _play(self, path: Path, name: str, window_seconds: float) -> None:
        try:
            invite = load_invite(path)
            connect = self._server.connect
            peer = Peer(
                invite, None, self._rulesets, window_seconds, MAX_WAIT_MS, connect, self._folder
            )
            peer.replicator.decode_record = self._server.records.read
            peer.reporter.listen(partial(_drop_old_results, peer))
            peer.reporter.listen(self._test_disk_if_lost)
            key = invite.match, peer.role
            self._peers[key] = peer
            try:
                async with self._start_slots:
                    peer.start()
                    # A bot whose match has not begun gives up its slot. Otherwise, matches that
                    # wait for players would block the bots in all other matches.
                    await peer.reporter.wait_for(
                        lambda: (
                            peer.is_live
                            or peer.reporter.is_over
                            or peer.reporter.status.link is ConnectionState.WAITING
                        )
                    )
                player = create_seat_bot(name, invite.game)
                slot: AbstractAsyncContextManager[None] = self._search_slots
                if not looks_ahead(player):
                    slot = _BotTurn(self._move_slots, self._server, invite.match)
                on_disk_refused = self._server.schedule_disk_test
                await play_seat(
                    peer, player, self._pause_seconds, slot, self._bot_process, on_disk_refused
                )
            finally:
                del self._peers[key]
                await asyncio.shield(self._close(peer))
        except FlagplotError as error:
            log.warning("bot_stopped", file=path.name, bot=name, error=str(error))

    def _test_disk_if_lost(self, event: PeerEvent) -> None:
        """Test the disk if a bot loses its connection, because a failed write of the bot's secrets may be the cause."""
        if isinstance(event, StatusChanged) and event.status.link is ConnectionState.LOST:
            self._server.schedule_disk_test()

    def drop_caches(self, match: str) -> None:
        """Drop the cached results for the bots in an idle match."""
        for (bot_match, _), peer in self._peers.items():
            if bot_match == match:
                peer.copy.drop_old_results(0)

    def _close(self, peer: Peer) -> "asyncio.Task[None]":
        """Close a bot's connection in a separate task. The task continues even if the bot is cancelled."""
        close_task = asyncio.create_task(peer.close())
        self._close_tasks.add(close_task)
        close_task.add_done_callback(self._close_tasks.discard)
        return close_task

    async def stop(self) -> None:
        """Stop all bots, and wait until they have disconnected."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*self._close_tasks, return_exceptions=True)
        self._bot_process.close()
