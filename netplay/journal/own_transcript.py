"""Gives access to the hashes and messages of a transcript, as stored by one seat in its copy and its journal."""

from collections.abc import Iterable
from typing import Protocol

from netplay.journal.slots import SlotJournal
from saves.fair.evidence import OrderClaim
from saves.fair.messages import SignedMessage
from saves.fair.signed_texts import BEFORE_FIRST
from saves.fair.state import FairState, MatchSetup


class StoredTranscript(Protocol):
    """The messages from the complete records in a seat's copy of a match."""

    def messages(self) -> Iterable[SignedMessage]:
        """Return all messages, starting with the first."""
        ...

    def order(self) -> bytes:
        """Return the host's signature over the order of all messages; empty if there are no messages."""
        ...

    def add_folded(self, signed: SignedMessage, after: FairState) -> None:
        """Add a message after the seat has folded it. ``after`` is the resulting state."""
        ...


class OwnTranscript:
    """The transcript as one seat knows it. It can be used to prove what the host has signed."""

    def __init__(self, setup: MatchSetup, journal: SlotJournal, copy: StoredTranscript) -> None:
        """Start at the beginning of the transcript, before its first message."""
        self._journal = journal
        self._copy = copy
        self._heads = [setup.header_hash]

    def add(self, head: bytes) -> None:
        """Add the transcript hash after the next message."""
        self._heads.append(head)

    def head_at(self, index: int) -> bytes:
        """Return the transcript hash after a message; for -1, the hash before the first message."""
        return self._heads[index + 1]

    @property
    def order(self) -> bytes:
        """Return the host's signature over the order of all messages so far; empty if it is not known."""
        order = self._journal.order
        # The indexes start at -1, so the last hash has the index len - 2.
        return b"" if order is None or order.index != len(self._heads) - 2 else order.signature

    def all_messages(self, journaled: tuple[SignedMessage, ...]) -> tuple[SignedMessage, ...]:
        """Return all messages from the start of the transcript.

        Args:
            journaled: The messages after the journal's base.
        """
        stored = tuple(self._copy.messages())
        return (*stored[: self._journal.base.index + 1], *journaled)

    def order_claim(self, index: int) -> OrderClaim:
        """Return evidence of the message order that the host has signed, starting at or before the given message."""
        journal = self._journal
        messages, after = journal.transcript, journal.base.index
        if index < after:
            messages, after = self.all_messages(messages), BEFORE_FIRST
        data = tuple(signed.data for signed in messages)
        order = b"" if journal.order is None else journal.order.signature
        return OrderClaim(after, self.head_at(after), data, order)
