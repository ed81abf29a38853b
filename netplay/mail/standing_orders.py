"""Answers on behalf of seats in a match played by mail, using the standing orders in the seats' files."""

import asyncio
from typing import Final

from engine.kernel.ids import Role
from netplay.feed.host_session import HostSession
from netplay.mail.mailboxes import HostMailbox
from netplay.mail.move_files.move_payload import CONNECTION_ID
from netplay.match.match_table import MatchTable
from netplay.system.threads import run_to_end
from netplay.wire.messages import CAPABILITIES, Accepted, Submit
from play.bots import bot_name
from play.standing_orders import standing_answer
from saves.decoding import canonical

_SETTLE_SECONDS: Final = 60.0
"""Maximum time in seconds to wait for the next record while a bot or standing orders can decide."""
_POLL_SECONDS: Final = 1.0


class StandingOrderRunner:
    """Answers response windows on behalf of seats that are not connected."""

    def __init__(self, table: MatchTable, mailbox: HostMailbox) -> None:
        """Create a runner for a match table. The mailbox contains the seats' standing orders."""
        self.table = table
        self.mailbox = mailbox

    async def wait_until_idle(self) -> None:
        """Wait until neither a bot nor a seat's standing orders can answer any open decision."""
        head, idle_since = -1, 0.0
        clock = asyncio.get_running_loop().time
        self.table.notify()  # Wake all waiters, because a file may contain new orders.
        while self._is_busy():
            if self.table.match.seq != head:
                head, idle_since = self.table.match.seq, clock()
            if clock() - idle_since > _SETTLE_SECONDS:
                return
            await self.table.wait(_POLL_SECONDS)

    def _is_busy(self) -> bool:
        match = self.table.match
        if match.is_revealed:
            return False
        offer = self.table.chat_and_offers.offer
        # Bots do not decide while an offer is open, but they answer it.
        roles = match.asked if offer is None else tuple(map(Role, offer.waiting_for))
        players = {seat.role: seat.player for seat in match.header.seats}
        return self._next_answer() is not None or any(bot_name(players[role]) for role in roles)

    async def serve(self) -> None:
        """Until cancelled, answer response windows according to the standing orders in the seats' files."""
        failed = -1
        while True:
            order, head = self._next_answer(), self.table.match.seq
            if order is None or head == failed:
                await self.table.wait(_POLL_SECONDS)
                continue
            role, body = order
            session = HostSession(CONNECTION_ID, role, CAPABILITIES)
            submit = Submit(request_id=f"orders@{head}", expected_seq=head, command=body)
            # Even if this task is cancelled, the request must be finished, because a record on disk
            # must also be applied.
            verdict = await run_to_end(self.table.request(session, submit))
            if not isinstance(verdict, Accepted):
                # The same answer would be refused again, so the next attempt is made after the next
                # record.
                failed = head

    def _next_answer(self) -> tuple[Role, bytes] | None:
        """Return the next seat to answer for, and the answer; None if there is no such seat."""
        match, rules = self.table.match, self.table.match.ruleset
        # An open offer would lapse with the next record, so the players answer it first.
        if match.is_revealed or self.table.chat_and_offers.offer is not None:
            return None
        connected_roles = self._connected_roles()
        for role in match.asked:
            orders = self.mailbox.seat_state(role).orders
            if orders is None or role in connected_roles:
                continue
            answer = standing_answer(rules, match.state, role, orders)
            if answer is not None:
                return role, canonical(answer)
        return None

    def _connected_roles(self) -> frozenset[Role]:
        """Return the seats that are currently connected, including the host's own seats."""
        sessions = self.table.sessions.values()
        return frozenset(session.role for session in sessions if session.role is not None)
