"""What players say to each other at a table beside the game: chat, and offers that wait for the consent of others.

Chat is not part of the record; an offer becomes a record when everybody agrees.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable
from typing import Final

import msgspec

from engine.kernel.ids import Role
from netplay.cleaning import REASON_LIMIT, clean
from netplay.messages import ChatLine, OpenOffer
from play.offers import Matter

HOST: Final = Role("host")
"""Who says in chat what the host has to say."""
_CHAT_KEPT: Final = 100
_CHAT_AT_ONCE: Final = 32
_OFFER_SECONDS: Final = 300.0
_DENIED: Final = {
    Matter.TAKEBACK: "the game is not taken back",
    Matter.RESIGNATION: "the side does not resign",
    Matter.DRAW: "there is no draw",
    Matter.ADJOURNMENT: "the match is not adjourned",
    Matter.RESUMPTION: "the match does not go on",
    Matter.STOP: "the match is not stopped",
}


class Parley:
    """The chat of one match and its open offer."""

    def __init__(
        self, changed: Callable[[], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin in silence.

        Args:
            changed: Called when there is something to tell.
            now: Seconds in which the host has run.
        """
        self.changed = changed
        self._now = now
        self.chat: deque[ChatLine] = deque(maxlen=_CHAT_KEPT)
        self.offer: OpenOffer | None = None
        """What waits for answers."""
        self._lines = 0
        self._offers = 0
        self._waits_since = 0.0
        self.patience = _OFFER_SECONDS
        """Seconds that an open offer waits for answers of somebody who is here."""

    def recall(self, chat: Iterable[ChatLine], offer: OpenOffer | None) -> None:
        """Go on with what was said before."""
        self.chat.extend(chat)
        self._lines = max((line.number for line in self.chat), default=0)
        self.offer = offer
        self._offers = 0 if offer is None else offer.offer
        self._waits_since = self._now()

    def say(self, role: Role, text: str) -> None:
        """Let everybody hear a clean line."""
        self._lines += 1
        self.chat.append(ChatLine(number=self._lines, role=role, text=text))
        self.changed()

    def after(self, heard: int) -> tuple[ChatLine, ...]:
        """Return the lines after one, as many as are told at once."""
        return tuple(line for line in self.chat if line.number > heard)[:_CHAT_AT_ONCE]

    def open(self, role: Role, matter: Matter, to_seq: int, others: tuple[Role, ...]) -> OpenOffer:
        """Open an offer and return it.

        Args:
            role: Who makes it.
            matter: What is proposed.
            to_seq: Of a takeback: the record after which the game shall stand again.
            others: Who must agree.
        """
        self._offers += 1
        self.offer = OpenOffer(
            offer=self._offers, role=role, matter=matter, to_seq=to_seq, waiting_for=others
        )
        self._waits_since = self._now()
        return self.offer

    def agree(self, role: Role) -> OpenOffer:
        """Note that somebody agrees to the open offer, and return it."""
        assert self.offer is not None, "an offer is open"
        waiting = tuple(seat for seat in self.offer.waiting_for if seat != role)
        self.offer = msgspec.structs.replace(self.offer, waiting_for=waiting)
        return self.offer

    def waits_for(self, number: int, role: Role) -> bool:
        """Return whether the offer of this number is open and waits for somebody."""
        offer = self.offer
        return offer is not None and offer.offer == number and role in offer.waiting_for

    def close(self) -> None:
        """Close an offer that has become a record."""
        self.offer = None

    def deny(self, why: str) -> None:
        """Close the open offer, and tell everybody why it does not hold."""
        offer, self.offer = self.offer, None
        if offer is not None:
            self.say(HOST, clean(f"{_DENIED[offer.matter]}: {why}", REASON_LIMIT))

    def is_overdue(self, here: Collection[Role]) -> bool:
        """Return whether the open offer has waited too long for somebody who is here.

        Whoever is away may answer when he comes: in a match by turns over days that is tomorrow.

        Args:
            here: Roles that are at the table now.
        """
        offer = self.offer
        if offer is None:
            return False
        if not any(role in here for role in offer.waiting_for):
            self._waits_since = self._now()
        return self._now() - self._waits_since > self.patience
