"""Answers for which a seat waits after each start and before it opens its card seed (protocol 7, 2.7 and 2.8).

A private file or journal may have been restored from a backup. After a start, a seat therefore signs nothing until the
host and the other seats have reported the end of the transcript, and the seat has followed it to that point.
"""

import secrets
from collections.abc import Collection
from typing import Final

from engine.kernel.ids import Role
from saves.fair.signed_texts import NONCE_BYTES, Ack, Resumed, is_ordered, is_signed
from saves.fair.state import MatchSetup


class Resumption:
    """The answers to a seat's request after one start."""

    def __init__(self, setup: MatchSetup, role: Role, *, asks_all: bool) -> None:
        """Start with no answers.

        Args:
            setup: Set-up of the match.
            role: The seat that has started.
            asks_all: True if absent seats must answer too, because the journal and the counter disagree.
        """
        self._setup = setup
        self._others = frozenset(party.role for party in setup.parties) - {role}
        self.asks_all = asks_all
        self.nonce: Final = secrets.token_bytes(NONCE_BYTES)
        self.present: frozenset[Role] | None = None
        """Seats that are connected; None before the host has reported them."""
        self.host: int | None = None
        """Index of the host's last message; None before the host has reported it."""
        self._answers: dict[Role, Resumed] = {}
        self.is_over = False
        """True if the seat may act. Once True, it stays True."""

    def connected(self, host: int, present: Collection[Role]) -> None:
        """Record the host's last index and the other seats that are connected now."""
        self.host = host
        self.present = self._others.intersection(present)

    def take(self, answer: Resumed) -> str:
        """Accept an answer. Return why it is not valid, or an empty string if it is."""
        role = Role(answer.role)
        if role not in self._others or answer.nonce != self.nonce:
            return "it answers a different request"
        if not is_signed(self._setup, answer):
            return "its signature is invalid"
        if not is_ordered(self._setup, answer.index, answer.head, answer.order):
            return "the host has not signed this transcript"
        self._answers[role] = answer
        return ""

    @property
    def answers(self) -> tuple[Resumed, ...]:
        """Return the answers received so far."""
        return tuple(self._answers.values())

    def waits_for(self, index: int) -> tuple[Role, ...] | None:
        """Return the seats whose answers are missing; None if a part of the transcript is missing instead.

        Args:
            index: Index of the last message that the seat has followed.
        """
        if self.host is None or self.present is None:
            return None
        needed = self._others if self.asks_all else self.present
        missing = tuple(sorted(needed.difference(self._answers)))
        if missing:
            return missing
        target = max(self.host, *(answer.index for answer in self.answers), index)
        return () if index >= target else None

    def has_reached_host(self, index: int) -> bool:
        """Return whether a seat that has followed the transcript up to this index has all messages of the host."""
        return self.host is not None and index >= self.host

    def update(self, index: int) -> bool:
        """Return True once, when the last missing answer or message has arrived and the seat may act."""
        if self.is_over or self.waits_for(index) != ():
            return False
        self.is_over = True
        return True


class EndAcknowledgements:
    """Tracks which seats have followed the transcript to its end."""

    def __init__(self, setup: MatchSetup) -> None:
        """Start with no acknowledgements."""
        self._setup = setup
        self._acks: dict[Role, tuple[int, bytes]] = {}

    def take(self, ack: Ack) -> bool:
        """Accept an acknowledgement. Return False if it is not signed by its seat."""
        if not is_signed(self._setup, ack):
            return False
        self._acks[Role(ack.role)] = (ack.index, ack.head)
        return True

    def missing(self, index: int, head: bytes) -> tuple[Role, ...]:
        """Return the seats that have not acknowledged this end of the transcript."""
        return tuple(
            party.role
            for party in self._setup.parties
            if self._acks.get(party.role) != (index, head)
        )
