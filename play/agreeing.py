"""What the people at a table say and propose to each other, and how the match stands by what they agreed."""

from abc import abstractmethod
from typing import Any

from engine.kernel.decision import Outcome
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from play.account import Account
from play.dials import Dial, dial_words
from play.offers import Matter
from saves.terms import Terms


class SessionError(FlagplotError):
    """This session cannot do what was asked, such as a command in a replay."""


class Agreeing(Account):
    """A table with people, seen from one seat."""

    can_play = True
    """False where commands are never taken."""

    @abstractmethod
    def _state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        """Return the real state as far as this program may know it."""

    # -- how the match stands

    def _terms(self) -> Terms | None:
        """Return what was agreed about the match besides its game; None where nobody agrees about anything."""
        return None

    def waiting_for(self) -> tuple[Role, ...]:
        """Return who must decide in the real game."""
        terms, state = self._terms(), self._state()
        if terms is None or (self.is_adjourned and self.command_resumes):
            return self.ruleset.asked(state)
        return terms.asked(state)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, by its rules or by what was agreed; None while it goes on."""
        terms, state = self._terms(), self._state()
        return self.ruleset.outcome(state) if terms is None else terms.outcome(state)

    @property
    def command_resumes(self) -> bool:
        """Return whether the next command ends a pause, because nothing else is signed by the seats."""
        return False

    @property
    def is_adjourned(self) -> bool:
        """Return whether the match pauses until somebody resumes it."""
        terms = self._terms()
        return terms is not None and bool(terms.adjourned) and terms.ending is None

    def _goes_on(self) -> bool:
        """Return whether commands are taken from here as the rules say: nothing else was agreed."""
        terms = self._terms()
        is_free = terms is None or terms.are_usual or (self.is_adjourned and self.command_resumes)
        return self.can_play and is_free

    def dials(self) -> tuple[Dial, ...]:
        """Return what the clocks show now; empty without clocks."""
        return ()

    def clock(self, *, few: bool = False) -> str:
        """Return the clocks in a line, only the own ones and those that run for few; empty without clocks."""
        dials = self.dials()
        return dial_words(dials, self.ruleset.role_titles, self.mine, few=few) if dials else ""

    # -- talking to the others

    can_talk = False
    """True where lines can be said to other people."""

    unread = 0
    """Lines that others have said since the conversation was read."""

    def conversation(self) -> tuple[str, ...]:
        """Return what was said with who said it, oldest first; it is read then."""
        return ()

    async def say(self, text: str) -> None:
        """Say a line to everybody at the table.

        Raises:
            FlagplotError: Nobody hears it, or it was not delivered.
        """
        raise SessionError(f"nobody else is at this table to hear: {text}")

    async def take_back(self) -> str:
        """Set the game back to before the own last command, or ask the others whether it may be.

        Returns:
            One sentence about what came of it.
        """
        raise SessionError("commands are not taken back here")

    def matters(self) -> tuple[Matter, ...]:
        """Return what may be proposed now, takebacks apart."""
        if not self._may_propose or self.outcome() is not None:
            return ()
        if self.is_adjourned and self.command_resumes:
            return Matter.RESIGNATION, Matter.DRAW
        if self.is_adjourned:
            return Matter.RESUMPTION, Matter.RESIGNATION, Matter.DRAW
        usual = (Matter.RESIGNATION, Matter.DRAW, Matter.ADJOURNMENT)
        return (*usual, Matter.STOP) if self._may_stop else usual

    @property
    def _may_propose(self) -> bool:
        """Return whether somebody sits here who can propose anything."""
        return False

    @property
    def _may_stop(self) -> bool:
        """Return whether others have not answered for so long that the match may be stopped."""
        return False

    async def propose(self, matter: Matter) -> str:
        """Propose something to the others, or do it where nobody has to agree.

        Returns:
            One sentence about what came of it.

        Raises:
            FlagplotError: It cannot be proposed here or now, or was not delivered.
        """
        if matter is Matter.TAKEBACK:
            return await self.take_back()
        raise SessionError("that cannot be proposed here")

    def offer_question(self) -> str:
        """Return what another seat proposes to this one, as a question; empty when nobody asks."""
        return ""

    async def answer_offer(self, *, agree: bool) -> None:
        """Answer what another seat proposes.

        Raises:
            FlagplotError: Nothing is proposed.
        """
        raise SessionError(f"nothing is proposed ({'yes' if agree else 'no'})")
