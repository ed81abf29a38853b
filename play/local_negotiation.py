"""Handles offers in a game run by this program. The offers take effect immediately."""

from collections.abc import Callable, Collection
from typing import Any

from typing_extensions import override

from engine.kernel.ids import Role
from play.drafts import Drafts
from play.negotiation import Negotiation, SessionError
from play.offers import REFUSED_BY_BOTS, OfferKind, statement_for
from saves.errors import StorageError
from saves.match import Match
from saves.records import Record
from saves.terms import statement_text


class LocalNegotiation(Negotiation):
    """Carries out offers at once. People at the same keyboard always agree, and bots agree to anything but a draw."""

    def __init__(
        self,
        match: Match[Any],
        bots: Collection[Role],
        drafts: Drafts,
        shown_role: Callable[[], Role | None],
        own_roles: Callable[[], tuple[Role, ...]],
    ) -> None:
        """Negotiate in a match.

        Args:
            match: The match.
            bots: The roles that bots play.
            drafts: The drafts of the people at the keyboard. An offer that takes effect discards them.
            shown_role: Returns the role on display.
            own_roles: Returns all roles of the person who plays the role on display.
        """
        self._match = match
        self._bots = bots
        self._drafts = drafts
        self._shown_role = shown_role
        self._own_roles = own_roles

    @property
    @override
    def can_propose(self) -> bool:
        role = self._shown_role()
        return role is not None and role not in self._bots

    @override
    async def propose(self, offer: OfferKind) -> str:
        if offer is OfferKind.TAKEBACK:
            return await self.take_back()
        role = self._shown_role()
        if role is None or not self.can_propose:
            raise SessionError("only a player can propose that")
        if offer in REFUSED_BY_BOTS and self._bots:
            raise SessionError("a bot never agrees to a draw")
        match = self._match
        record = match.add_statement(role, statement_for(match.terms, offer, role))
        self._drafts.clear()
        reveal_if_over(match)
        return statement_text(match.ruleset, record)

    @override
    async def take_back(self) -> str:
        """Take back this person's last command and everything after it. The record keeps what was taken back."""
        for record in reversed(self._countable_records()):
            if record.kind == "command" and record.role in self._own_roles():
                self._drafts.clear()
                self._match.take_back(record.seq - 1, record.role)
                return "Taken back; it stays in the record."
        raise SessionError("there is no command to take back")

    def _countable_records(self) -> list[Record]:
        records: list[Record] = []
        seq = self._match.seq
        while seq >= 0:
            record = self._match.records[seq]
            # Commands already taken back do not count, so a second takeback goes back further.
            if record.takeback_to is not None:
                seq = record.takeback_to
                continue
            records.append(record)
            seq -= 1
        return records[::-1]


def reveal_if_over(match: Match[Any]) -> None:
    """If a match is over, add the record that reveals its secret, so that the match can be verified.

    Raises:
        StorageError: Writing to disk failed.
    """
    if match.terms.outcome(match.state) is None or match.is_revealed:
        return
    try:
        match.reveal()
    except StorageError as error:
        raise StorageError(
            "the last command is saved and the game is over;"
            f" its secret will be revealed when the game is opened again: {error}"
        ) from error
