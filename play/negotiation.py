"""Chat and offers between the players of a match."""

from engine.kernel.errors import FlagplotError
from play.offers import OfferKind


class SessionError(FlagplotError):
    """The session does not support the request, such as a command in a replay."""


class Negotiation:
    """The conversation of one seat with the other players. This base class is for games without other people."""

    has_chat = False
    """True if chat messages can be sent to other people."""
    unread_count = 0
    """Number of messages from others since the conversation was last read."""

    @property
    def can_propose(self) -> bool:
        """Return whether this seat can make offers."""
        return False

    @property
    def can_stop(self) -> bool:
        """Return whether the others have been silent for long enough that this seat may stop the match."""
        return False

    def read_conversation(self) -> tuple[str, ...]:
        """Return the chat messages with their senders, oldest first, and mark them as read."""
        return ()

    async def say(self, text: str) -> None:
        """Send a chat message to everyone in the match.

        Raises:
            FlagplotError: There is no one to receive it, or it was not delivered.
        """
        raise SessionError(f"no other person in this game can read your message: {text}")

    async def take_back(self) -> str:
        """Take back this player's last command and everything after it, or ask the others to agree to this.

        Returns:
            One sentence that describes the result.
        """
        raise SessionError("commands cannot be taken back here")

    async def propose(self, offer: OfferKind) -> str:
        """Make an offer to the others, or carry it out immediately if no one has to agree.

        Returns:
            One sentence that describes the result.

        Raises:
            FlagplotError: The offer cannot be made here or now, or was not delivered.
        """
        if offer is OfferKind.TAKEBACK:
            return await self.take_back()
        raise SessionError("that cannot be proposed here")

    def offer_question(self) -> str:
        """Return another seat's offer to this seat, worded as a question; empty if there is none."""
        return ""

    async def answer_offer(self, *, agree: bool) -> None:
        """Answer another seat's offer.

        Raises:
            FlagplotError: There is no proposal.
        """
        del agree
        raise SessionError("there is no proposal to answer")
