"""The transcript as a seat has followed it: its hashes, and its messages in the stored records and the journal."""

from collections.abc import Iterable
from typing import Protocol

from netplay.fair.slots import SlotJournal
from saves.fair.evidence import OrderClaim
from saves.fair.messages import SignedMessage
from saves.fair.signed_texts import BEFORE_FIRST
from saves.fair.state import FairState, MatchSetup


class StoredTranscript(Protocol):
    """The messages of the complete records that the own copy of a match holds."""

    def messages(self) -> Iterable[SignedMessage]:
        """Return the messages from the first one on."""
        ...

    def order(self) -> bytes:
        """Return the signature of the host over the order up to the last of them, empty without messages."""
        ...

    def follow(self, signed: SignedMessage, after: FairState) -> None:
        """Take note of a message that the seat has folded, and of the state after it."""
        ...


class EmptyTranscript:
    """A copy without a record."""

    def messages(self) -> Iterable[SignedMessage]:
        """Return no message."""
        return ()

    def order(self) -> bytes:
        """Return no signature."""
        return b""

    def follow(self, signed: SignedMessage, after: FairState) -> None:
        """Keep nothing."""


class OwnTranscript:
    """What one seat can show of the transcript."""

    def __init__(self, setup: MatchSetup, journal: SlotJournal, copy: StoredTranscript) -> None:
        """Begin before the first message."""
        self._journal = journal
        self._copy = copy
        self._heads = [setup.header_hash]

    def add(self, head: bytes) -> None:
        """Follow one more message."""
        self._heads.append(head)

    def head_at(self, index: int) -> bytes:
        """Return the transcript hash after a message, or before the first one for -1."""
        return self._heads[index + 1]

    @property
    def order(self) -> bytes:
        """Return the signature of the host over the order up to the last message, empty if there is none."""
        order = self._journal.order
        return b"" if order is None or order.index != len(self._heads) - 2 else order.signature

    def prefix(self, journaled: tuple[SignedMessage, ...]) -> tuple[SignedMessage, ...]:
        """Return all messages from the first one on.

        Args:
            journaled: Those after the base of the journal.
        """
        stored = tuple(self._copy.messages())
        return (*stored[: self._journal.base.index + 1], *journaled)

    def claim(self, index: int) -> OrderClaim:
        """Return what the host has signed for this seat, from a message on or earlier."""
        journal = self._journal
        messages, after = journal.transcript, journal.base.index
        if index < after:
            messages, after = self.prefix(messages), BEFORE_FIRST
        data = tuple(signed.data for signed in messages)
        order = b"" if journal.order is None else journal.order.signature
        return OrderClaim(after, self.head_at(after), data, order)
