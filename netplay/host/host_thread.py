"""Runs a host in its own thread and event loop, so that a screen can run in the same process."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from engine import registry
from engine.registry import AnyRuleset
from netplay.host.host_command import HostPlan, HostRunner, RunningHost, WrittenInvite
from netplay.host.lobby import LobbyMatch
from netplay.invites.invite_rotation import Party

T = TypeVar("T")


class HostThread:
    """A host in its own thread, whose status a screen can query without waiting for the host."""

    def __init__(
        self,
        plan: HostPlan,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Create a host that is not listening yet."""
        self.plan = plan
        self.running = RunningHost(port=0, match="", invites=())
        """The results of :meth:`start`; empty values before that call."""
        self._runner = HostRunner(plan, rulesets)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="host", daemon=True)

    def start(self) -> RunningHost:
        """Start the host, and return once it is listening and its invites have been written.

        Raises:
            FlagplotError: The host cannot start.
        """
        self._thread.start()
        try:
            starting = asyncio.run_coroutine_threadsafe(self._runner.start(), self._loop)
            self.running = starting.result()
        except BaseException:
            self.stop()
            raise
        return self.running

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the URLs to which guests connect, as written in invites."""
        return self._runner.host.addresses

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notices for the user, including any warnings.

        If the listening address was looked up, the first sentence says where it was found.
        """
        running = self.running
        return (*((running.listen_phrase,) if running.source else ()), *running.warnings)

    async def lobby(self) -> tuple[LobbyMatch, ...]:
        """Return the status of each match."""
        return await self._run_in_loop(self._runner.lobby())

    async def open(self, plan: HostPlan) -> tuple[str, tuple[WrittenInvite, ...]]:
        """Open another match, and return the match id and the invites.

        Raises:
            FlagplotError: The match cannot be opened.
        """
        return await self._run_in_loop(self._runner.open(plan))

    async def reissue_invites(self, match: str, party: Party) -> Path:
        """Give a seat a new key and return the file with the new invites.

        Raises:
            FlagplotError: A bot has the seat, or the write failed.
        """
        return await self._run_in_loop(self._runner.reissue_invites(match, party))

    async def _run_in_loop(self, request: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(request, self._loop))

    def stop(self) -> None:
        """Stop the host and its event loop. A second call has no effect."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._runner.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
