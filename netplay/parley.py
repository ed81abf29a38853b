"""What players say to each other at a table beside the game: chat, and the wish to take something back.

Nothing of it is part of the record.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from engine.kernel.ids import Role
from netplay.cleaning import REASON_LIMIT, clean
from netplay.messages import ChatLine, OpenAsk

HOST: Final = Role("host")
"""Who says in chat what the host has to say."""
_CHAT_KEPT: Final = 100
_CHAT_AT_ONCE: Final = 32
_ASK_SECONDS: Final = 300.0


class Parley:
    """The chat of one match and its open takeback."""

    def __init__(self, changed: Callable[[], None]) -> None:
        """Begin in silence.

        Args:
            changed: Called when there is something to tell.
        """
        self.changed = changed
        self.chat: deque[ChatLine] = deque(maxlen=_CHAT_KEPT)
        self.ask: OpenAsk | None = None
        """The takeback that waits for answers."""
        self._lines = 0
        self._asks = 0
        self._asked_at = 0.0
        self.patience = _ASK_SECONDS
        """Seconds that an open takeback waits for answers."""

    def recall(self, chat: Iterable[ChatLine], ask: OpenAsk | None) -> None:
        """Go on with what was said before."""
        self.chat.extend(chat)
        self._lines = max((line.number for line in self.chat), default=0)
        self.ask = ask
        self._asks = 0 if ask is None else ask.ask
        self._asked_at = time.monotonic()

    def say(self, role: Role, text: str) -> None:
        """Let everybody hear a clean line."""
        self._lines += 1
        self.chat.append(ChatLine(number=self._lines, role=role, text=text))
        self.changed()

    def after(self, heard: int) -> tuple[ChatLine, ...]:
        """Return the lines after one, as many as are told at once."""
        return tuple(line for line in self.chat if line.number > heard)[:_CHAT_AT_ONCE]

    def wish(self, role: Role, to_seq: int, others: tuple[Role, ...]) -> None:
        """Open a takeback.

        Args:
            role: Who wishes it.
            to_seq: The record after which the game shall stand again.
            others: Who must agree.
        """
        self._asks += 1
        self.ask = OpenAsk(ask=self._asks, role=role, to_seq=to_seq, waiting_for=others)
        self._asked_at = time.monotonic()

    def agree(self, role: Role) -> None:
        """Note that somebody agrees to the open takeback."""
        assert self.ask is not None, "a takeback is open"
        waiting = tuple(seat for seat in self.ask.waiting_for if seat != role)
        self.ask = msgspec.structs.replace(self.ask, waiting_for=waiting)

    def waits_for(self, number: int, role: Role) -> bool:
        """Return whether the takeback of this number is open and waits for somebody."""
        return self.ask is not None and self.ask.ask == number and role in self.ask.waiting_for

    def deny(self, why: str) -> None:
        """Close the open takeback, and tell everybody why it is not granted."""
        if self.ask is not None:
            self.ask = None
            self.say(HOST, clean(f"the game is not taken back: {why}", REASON_LIMIT))

    @property
    def is_overdue(self) -> bool:
        """Return whether the open takeback has waited too long."""
        return self.ask is not None and time.monotonic() - self._asked_at > self.patience
