"""Defines one seat's chat with the other players and its offers to them."""

from engine.kernel.errors import FlagplotError
from play.offers import OfferKind


class SessionError(FlagplotError):
    """The session does not support this action, such as a command in a replay."""


class Negotiation:
    """One seat's chat and offers.

    This base class, for games without other people, sends no messages and makes no offers.
    """

    has_chat = False
    """True if chat messages can be sent to other people."""
    unread_count = 0
    """Number of messages from other people since the conversation was last read."""

    @property
    def can_propose(self) -> bool:
        """Return whether this seat can make offers."""
        return False

    @property
    def can_stop(self) -> bool:
        """Return whether this seat may stop the match because other players have been silent for too long."""
        return False

    def read_conversation(self) -> tuple[str, ...]:
        """Return the chat messages with their senders, oldest first, and mark them as read."""
        return ()

    async def say(self, text: str) -> None:
        """Send a chat message to everyone in the match.

        Raises:
            FlagplotError: No other person can receive the message, or the message was not delivered.
        """
        raise SessionError(f"no other person in this game can read your message: {text}")

    async def take_back(self) -> str:
        """Take back this player's last command and everything after it. If other players must agree, ask them.

        Returns:
            Text that describes the result, to show to the player.
        """
        raise SessionError("commands cannot be taken back here")

    async def propose(self, offer: OfferKind) -> str:
        """Make an offer to the other players. If no one has to agree, it takes effect immediately.

        Returns:
            Text that describes the result, to show to the player.

        Raises:
            FlagplotError: The offer cannot be made in this game or at this time, or the offer was not delivered.
        """
        if offer is OfferKind.TAKEBACK:
            return await self.take_back()
        raise SessionError("that cannot be proposed here")

    def offer_question(self) -> str:
        """Return another seat's offer to this seat, worded as a question; empty if no offer is open."""
        return ""

    @property
    def offer_number(self) -> int | None:
        """Return the number of the offer that :meth:`offer_question` asks about; None if there is no question.

        A later offer has another number, even if its question is worded the same.
        """
        return None

    async def answer_offer(self, *, agree: bool) -> None:
        """Answer another seat's offer.

        Raises: FlagplotError: There is no proposal.
        """
        del agree
        raise SessionError("there is no proposal to answer")
