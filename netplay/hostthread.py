"""A host beside a screen: the same class as for the command line, in an event loop of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from engine import registry
from engine.registry import AnyRuleset
from netplay.hosting import Hosting, Plan, Running, Written
from netplay.lobby import MatchStanding
from netplay.reissue import Party

T = TypeVar("T")


class HostThread:
    """A host that a screen asks without waiting for it."""

    def __init__(
        self,
        plan: Plan,
        rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    ) -> None:
        """Prepare; nothing listens yet."""
        self.plan = plan
        self.running = Running(port=0, match="", invites=())
        """What was opened at the start."""
        self._hosting = Hosting(plan, rulesets)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="host", daemon=True)

    def start(self) -> Running:
        """Listen and return once invites are written.

        Raises:
            FlagplotError: The host cannot start.
        """
        self._thread.start()
        try:
            starting = asyncio.run_coroutine_threadsafe(self._hosting.start(), self._loop)
            self.running = starting.result()
        except BaseException:
            self.stop()
            raise
        return self.running

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return where guests dial, as invites say."""
        return self._hosting.host.addresses

    @property
    def notes(self) -> tuple[str, ...]:
        """Return in sentences where it listens, if that was looked for, and what is wrong."""
        running = self.running
        return (*((running.place,) if running.source else ()), *running.warnings)

    async def lobby(self) -> tuple[MatchStanding, ...]:
        """Return how each match stands."""
        return await self._ask(self._hosting.lobby())

    async def open(self, plan: Plan) -> tuple[str, tuple[Written, ...]]:
        """Open one more match; returns its id and its invites.

        Raises:
            FlagplotError: It cannot be opened.
        """
        return await self._ask(self._hosting.open(plan))

    async def invite_again(self, match: str, party: Party) -> Path:
        """Give a person's seat a new key and return the file with the new invites.

        Raises:
            FlagplotError: A bot has the seat, or the disk refused.
        """
        return await self._ask(self._hosting.invite_again(match, party))

    async def _ask(self, question: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(question, self._loop))

    def stop(self) -> None:
        """Stop the host and its loop; twice does no harm."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._hosting.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
