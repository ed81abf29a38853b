"""Chat, offers and agreements between players, and the effects of agreements on the match."""

from abc import abstractmethod
from typing import Any

from engine.kernel.decision import Outcome
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from play.clock_readings import ClockReading, format_clock_readings
from play.offers import OfferKind
from play.record_reader import RecordReader
from saves.terms import Terms


class SessionError(FlagplotError):
    """The session does not support the request, such as a command in a replay."""


class MatchNegotiation(RecordReader):
    """A match with other players, as seen from one seat."""

    can_play = True
    """False if commands are never accepted."""

    @abstractmethod
    def _state(self) -> Any:  # noqa: ANN401  # the state is opaque here
        """Return as much of the real state as this program may know."""

    # -- status of the match

    def _terms(self) -> Terms | None:
        """Return the players' agreements about the match; None if this session has no agreements."""
        return None

    def waiting_for(self) -> tuple[Role, ...]:
        """Return the roles that have to decide in the actual game, ignoring drafts."""
        terms, state = self._terms(), self._state()
        if terms is None or (self.is_adjourned and self.command_resumes):
            return self.ruleset.active_roles(state)
        return terms.asked(state)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, by its rules or by agreement; None while it continues."""
        terms, state = self._terms(), self._state()
        return self.ruleset.outcome(state) if terms is None else terms.outcome(state)

    @property
    def command_resumes(self) -> bool:
        """Return whether the next command ends an adjournment, as it does in a match with signed messages."""
        return False

    @property
    def is_adjourned(self) -> bool:
        """Return whether the match is adjourned."""
        terms = self._terms()
        return terms is not None and bool(terms.adjourned) and terms.ending is None

    def _accepts_commands(self) -> bool:
        """Return whether legal commands are accepted here. An agreed ending or adjournment can prevent that."""
        terms = self._terms()
        allows_commands = (
            terms is None or terms.is_in_play or (self.is_adjourned and self.command_resumes)
        )
        return self.can_play and allows_commands

    def clock_readings(self) -> tuple[ClockReading, ...]:
        """Return the current clock readings; empty if there are no clocks."""
        return ()

    def clock(self, *, is_brief: bool = False) -> str:
        """Return the clock readings on one line; empty if there are no clocks.

        Args:
            is_brief: Include only this player's own clocks and running clocks.
        """
        readings = self.clock_readings()
        return (
            format_clock_readings(
                readings, self.ruleset.role_titles, self.own_roles, is_brief=is_brief
            )
            if readings
            else ""
        )

    # -- chat and offers

    has_chat = False
    """True if chat messages can be sent to other people."""

    unread_count = 0
    """Number of messages from others since the conversation was last read."""

    def read_conversation(self) -> tuple[str, ...]:
        """Return the chat messages with their senders, oldest first, and mark them as read."""
        return ()

    async def say(self, text: str) -> None:
        """Send a chat message to everyone in the match.

        Raises:
            FlagplotError: There is no one to receive it, or it was not delivered.
        """
        raise SessionError(f"nobody else in this game can read your message: {text}")

    async def take_back(self) -> str:
        """Take back this player's last command and everything after it, or ask the others to agree to this.

        Returns:
            One sentence that describes the result.
        """
        raise SessionError("commands cannot be taken back here")

    def available_offers(self) -> tuple[OfferKind, ...]:
        """Return the offers that can be made now, apart from takebacks."""
        if not self._can_propose or self.outcome() is not None:
            return ()
        if self.is_adjourned and self.command_resumes:
            return OfferKind.RESIGNATION, OfferKind.DRAW
        if self.is_adjourned:
            return OfferKind.RESUMPTION, OfferKind.RESIGNATION, OfferKind.DRAW
        offers = (OfferKind.RESIGNATION, OfferKind.DRAW, OfferKind.ADJOURNMENT)
        return (*offers, OfferKind.STOP) if self._can_stop else offers

    @property
    def _can_propose(self) -> bool:
        """Return whether this seat can make offers."""
        return False

    @property
    def _can_stop(self) -> bool:
        """Return whether the others have been silent for long enough that this seat may stop the match."""
        return False

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
        raise SessionError(f"there is no proposal to answer ({'yes' if agree else 'no'})")
