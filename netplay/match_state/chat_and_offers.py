"""Manages a match's chat and offers, which are not part of the game itself.

Chat is not recorded. An offer becomes a record once all seats whose consent is needed have agreed.
"""

import secrets
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec

from engine.kernel.ids import Role
from netplay.wire.messages import ChatLine, OpenOffer
from netplay.wire.sanitising import REASON_LIMIT, sanitise
from play.offers import OfferKind

HOST: Final = Role("host")
"""The sender of the host's own chat lines."""
_MAX_CHAT_LINES: Final = 100
_LINES_PER_MESSAGE: Final = 32
_OFFER_SECONDS: Final = 300.0
_CANCELLED_TEXTS: Final = {
    OfferKind.TAKEBACK: "no takeback",
    OfferKind.RESIGNATION: "no resignation",
    OfferKind.DRAW: "no draw",
    OfferKind.ADJOURNMENT: "no adjournment",
    OfferKind.RESUMPTION: "the match stays paused",
    OfferKind.STOP: "the match continues",
}


class ChatAndOffers:
    """One match's chat and open offer."""

    def __init__(
        self, on_change: Callable[[], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        """Create an empty chat with no open offer.

        Args:
            on_change: Called when there is something new to send.
            now: Returns how long the host has been running, in seconds.
        """
        self.on_change = on_change
        self._now = now
        self.chat: deque[ChatLine] = deque(maxlen=_MAX_CHAT_LINES)
        self.offer: OpenOffer | None = None
        """The open offer; None if there is none."""
        self._line_count = 0
        # Offer numbers start at random, so that a late answer to an earlier host process cannot
        # match an offer of this one.
        self._last_offer = secrets.randbelow(2**48)
        self._waiting_since = 0.0
        self.offer_timeout_seconds = _OFFER_SECONDS
        """Maximum time that an open offer waits for connected seats, in seconds."""

    def restore(self, chat: Iterable[ChatLine], offer: OpenOffer | None) -> None:
        """Restore earlier chat and an open offer."""
        self.chat.extend(chat)
        self._line_count = max((line.number for line in self.chat), default=0)
        self.offer = offer
        self._waiting_since = self._now()

    def add_line(self, role: Role, text: str) -> None:
        """Add a chat line, which must already be sanitised."""
        self._line_count += 1
        self.chat.append(ChatLine(number=self._line_count, role=role, text=text))
        self.on_change()

    def lines_after(self, number: int) -> tuple[ChatLine, ...]:
        """Return the chat lines after the given number, but no more than fit in one message."""
        return tuple(line for line in self.chat if line.number > number)[:_LINES_PER_MESSAGE]

    def open_offer(
        self, role: Role, matter: OfferKind, to_seq: int, asked_roles: tuple[Role, ...]
    ) -> OpenOffer:
        """Open an offer and return it.

        Args:
            role: The role that makes the offer.
            matter: The kind of offer.
            to_seq: For a takeback, the number of the record whose state is to be restored.
            asked_roles: The roles whose consent is needed.
        """
        self._last_offer += 1
        self.offer = OpenOffer(
            offer=self._last_offer,
            role=role,
            matter=matter,
            to_seq=to_seq,
            waiting_for=asked_roles,
        )
        self._waiting_since = self._now()
        return self.offer

    def add_consent(self, role: Role) -> OpenOffer:
        """Record a role's consent to the open offer, and return the offer."""
        assert self.offer is not None, "an offer must be open"
        waiting = tuple(other_role for other_role in self.offer.waiting_for if other_role != role)
        self.offer = msgspec.structs.replace(self.offer, waiting_for=waiting)
        return self.offer

    def is_waiting_for(self, number: int, role: Role) -> bool:
        """Return whether the offer with this number is open and waiting for this role's answer."""
        offer = self.offer
        return offer is not None and offer.offer == number and role in offer.waiting_for

    def close_offer(self) -> None:
        """Close the open offer, if any, without an announcement."""
        self.offer = None

    def cancel_offer(self, reason: str) -> None:
        """If an offer is open, cancel it and tell all players why."""
        offer, self.offer = self.offer, None
        if offer is not None:
            self.add_line(
                HOST, sanitise(f"{_CANCELLED_TEXTS[offer.matter]}: {reason}", REASON_LIMIT)
            )

    def is_offer_overdue(self, present: Collection[Role]) -> bool:
        """Return whether the open offer has waited too long for a connected seat.

        Time during which only absent players must answer does not count. In a match played over several days, absent
        players may not answer until the next day.

        Args:
            present: The roles that are connected.
        """
        offer = self.offer
        if offer is None:
            return False
        if not any(role in present for role in offer.waiting_for):
            self._waiting_since = self._now()
        return self._now() - self._waiting_since > self.offer_timeout_seconds
