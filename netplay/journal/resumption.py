"""Tracks the replies that a seat waits for after a start and before it reveals its card seed (protocol 7, 2.7, 2.8).

A private file or journal may have been restored from a backup. After a start, a seat therefore signs nothing until it
has followed the transcript as far as the host and the other seats report.
"""

import secrets
from collections.abc import Collection
from typing import Final

from engine.kernel.ids import Role
from saves.fair.signed_texts import NONCE_BYTES, Ack, Resumed, is_ordered, is_signed
from saves.fair.state import MatchSetup


class ResumptionTracker:
    """Tracks the replies to the resume request that a seat sends after it starts."""

    def __init__(self, setup: MatchSetup, role: Role, *, must_ask_all: bool) -> None:
        """Create a tracker that has not received any replies yet.

        Args:
            setup: The match's set-up.
            role: The seat that has started.
            must_ask_all: True if absent seats must reply too, because the journal and the counter disagree.
        """
        self._setup = setup
        self._other_seats = frozenset(party.role for party in setup.parties) - {role}
        self.must_ask_all = must_ask_all
        self.nonce: Final = secrets.token_bytes(NONCE_BYTES)
        self.present: frozenset[Role] | None = None
        """The other connected seats; None until the host has reported them."""
        self.host: int | None = None
        """Index of the last message on the host; None until the host has reported it."""
        self._answers: dict[Role, Resumed] = {}
        self.is_over = False
        """True once the seat may sign messages. It never becomes False again."""

    def update_presence(self, host: int, present: Collection[Role]) -> None:
        """Store the index of the host's last message, and which other seats are connected now."""
        self.host = host
        self.present = self._other_seats.intersection(present)

    def receive(self, answer: Resumed) -> str:
        """Accept a reply. Return why the reply is invalid, or an empty string if it is valid."""
        role = Role(answer.role)
        # The nonce prevents a host from replaying an old reply that predates the latest messages.
        if role not in self._other_seats or answer.nonce != self.nonce:
            return "it answers a different request"
        if not is_signed(self._setup, answer):
            return "its signature is invalid"
        # If the host's signature were not required, another seat could block this seat by naming an
        # index that is never reached.
        if not is_ordered(self._setup, answer.index, answer.head, answer.order):
            return "the host has not signed this transcript"
        self._answers[role] = answer
        return ""

    @property
    def answers(self) -> tuple[Resumed, ...]:
        """Return the replies received so far."""
        return tuple(self._answers.values())

    def missing_seats(self, index: int) -> tuple[Role, ...] | None:
        """Return the seats that have not replied yet; None if the seat is waiting for the host instead.

        Args:
            index: Index of the last message that the seat has followed.
        """
        if self.host is None or self.present is None:
            return None
        needed = self._other_seats if self.must_ask_all else self.present
        missing = tuple(sorted(needed.difference(self._answers)))
        if missing:
            return missing
        target = max(self.host, *(answer.index for answer in self.answers), index)
        return () if index >= target else None

    def has_reached_host(self, index: int) -> bool:
        """Return whether the seat has every message that the host has reported.

        ``index`` is the index of the seat's last message.
        """
        return self.host is not None and index >= self.host

    def update(self, index: int) -> bool:
        """Return True once: on the first call after the last missing reply or message has arrived."""
        if self.is_over or self.missing_seats(index) != ():
            return False
        self.is_over = True
        return True


class EndAcknowledgements:
    """Tracks which seats have followed the transcript to the end of the match."""

    def __init__(self, setup: MatchSetup) -> None:
        """Create a tracker that has not received any acknowledgements yet."""
        self._setup = setup
        self._acks: dict[Role, tuple[int, bytes]] = {}

    def receive(self, ack: Ack) -> bool:
        """Accept an acknowledgement. Return whether the seat named in the acknowledgement signed it."""
        if not is_signed(self._setup, ack):
            return False
        self._acks[Role(ack.role)] = (ack.index, ack.head)
        return True

    def missing(self, index: int, head: bytes) -> tuple[Role, ...]:
        """Return the seats that have not acknowledged the transcript up to this index and hash."""
        return tuple(
            party.role
            for party in self._setup.parties
            if self._acks.get(party.role) != (index, head)
        )
