"""Answers decisions according to the player's standing orders, regardless of which screen is open."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import Command
from netplay.peer.peer import Peer
from netplay.wire.errors import UnavailableError
from play.standing_orders import StandingOrders, standing_answer
from saves.errors import StaleCommandError, StorageError

_RETRY_SECONDS: Final = 1.0
"""Delay in seconds before retrying an answer that could not be stored, for example because a disk is full."""


class AutoResponder:
    """Answers decisions for one peer between :meth:`start` and :meth:`stop`."""

    def __init__(self, peer: Peer, orders: Callable[[], StandingOrders]) -> None:
        """Create a responder for a peer that has a role.

        Args:
            peer: The peer to answer for.
            orders: Returns the current standing orders.
        """
        self._peer = peer
        self._orders = orders
        self._unanswerable_seq = -1
        """Number of the last record when an automatic answer failed. The player must answer until the next record."""
        self._task: asyncio.Task[None] | None = None

    def answer(self) -> Command | None:
        """Return the command to give automatically; None if the player must decide or there is no decision."""
        peer = self._peer
        decision = peer.decision()
        if decision is None or peer.role is None or self._unanswerable_seq == peer.seq:
            return None
        return standing_answer(peer.ruleset, peer.state, peer.role, self._orders())

    def start(self) -> None:
        """Start answering response windows."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Stop answering."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        peer = self._peer
        while True:
            await peer.reporter.wait_for(lambda: peer.reporter.is_over or self.has_work())
            if peer.reporter.is_over:
                return
            command = self.answer()
            if command is None:
                continue
            try:
                with contextlib.suppress(StaleCommandError):
                    await peer.submit(command, is_automatic=True)
            except (StorageError, UnavailableError):
                await asyncio.sleep(_RETRY_SECONDS)
            except FlagplotError:
                self._unanswerable_seq = peer.seq

    def has_work(self) -> bool:
        """Return whether an automatic answer is about to be sent."""
        peer = self._peer
        # With a transcript, an answer would resume an adjourned match, and its clocks.
        is_paused = peer.must_wait_for_offer or peer.is_adjourned
        return peer.is_live and not is_paused and self.answer() is not None
