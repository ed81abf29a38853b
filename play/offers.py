"""Defines offers between players: to take back a command, or to end, adjourn or resume the match.

An offer takes effect and is recorded once every affected player has agreed. Over the network, the host asks the
affected players. At a shared keyboard, everyone counts as agreeing.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.kernel.ids import Role
from saves.errors import MatchError
from saves.statements import Adjournment, Ending, Resumption, Statement
from saves.terms import Terms


class OfferKind(StrEnum):
    """The kind of an offer."""

    TAKEBACK = "takeback"
    """Go back to the state after an earlier record."""
    RESIGNATION = "resignation"
    """Concede the match for the whole side. The side's other players must agree."""
    DRAW = "draw"
    """End the match without a winner."""
    ADJOURNMENT = "adjournment"
    """Pause the match."""
    RESUMPTION = "resumption"
    """Resume the match. No other player has to agree."""
    STOP = "stop"
    """End the match without a winner because other players have been silent for too long."""


REFUSED_BY_BOTS: Final = frozenset({OfferKind.DRAW})
"""Kinds of offers that bots never accept."""
OFFERS_BY_LINE: Final[Mapping[str, OfferKind]] = {
    "resign": OfferKind.RESIGNATION,
    "offer draw": OfferKind.DRAW,
    "offer adjournment": OfferKind.ADJOURNMENT,
    "resume": OfferKind.RESUMPTION,
    "stop match": OfferKind.STOP,
}
"""The kind of offer by the line that the player types."""
CONFIRMATION_QUESTIONS: Final[Mapping[OfferKind, str]] = {
    OfferKind.TAKEBACK: "Take back your last command? The record keeps it. Any other people in the game must agree.",
    OfferKind.RESIGNATION: "Resign? Your whole side then loses the match.",
    OfferKind.DRAW: "Offer a draw? If everyone agrees, the match ends.",
    OfferKind.ADJOURNMENT: "Offer to adjourn? If everyone agrees, the match pauses until one of you resumes it.",
    OfferKind.RESUMPTION: "Resume the match?",
    OfferKind.STOP: "Stop the match? The others have not answered for too long. It then ends without a winner.",
}
"""The question that a player must confirm before making an offer, by kind of offer."""
_OFFER_PHRASES: Final[Mapping[OfferKind, str]] = {
    OfferKind.TAKEBACK: "asks to take back commands",
    OfferKind.RESIGNATION: "wants your side to resign",
    OfferKind.DRAW: "offers a draw",
    OfferKind.ADJOURNMENT: "asks to adjourn the match",
    OfferKind.RESUMPTION: "wants to resume the match",
    OfferKind.STOP: "stops the match",
}


def parse_offer(line: str) -> OfferKind | None:
    """Return the offer that a typed line makes, or None if the line is not an offer."""
    return OFFERS_BY_LINE.get(" ".join(line.lower().split()))


def agreement_question(offer: OfferKind, player: str) -> str:
    """Return the question to ask a player who must agree to an offer."""
    return f"{player} {_OFFER_PHRASES[offer]}. Agree?"


def roles_to_agree(terms: Terms, offer: OfferKind, role: Role) -> tuple[Role, ...]:
    """Return the roles that must agree to an offer, except the role that makes it.

    Raises:
        MatchError: The match has no such role.
    """
    match offer:
        case OfferKind.RESUMPTION | OfferKind.STOP:
            roles: tuple[Role, ...] = ()
        case OfferKind.RESIGNATION:
            roles = terms.side_roles(role)
        case _:
            roles = terms.all_roles
    return tuple(other_role for other_role in roles if other_role != role)


def statement_for(terms: Terms, offer: OfferKind, role: Role) -> Statement:
    """Return the statement to record when an offer by this role has been accepted.

    Raises:
        MatchError: The match has no such role, or the offer is a takeback. A takeback is not a statement but has its
            own kind of record.
    """
    match offer:
        case OfferKind.RESIGNATION:
            return Ending(how="resigned", by=terms.side_roles(role))
        case OfferKind.DRAW:
            return Ending(how="draw", by=terms.all_roles)
        case OfferKind.ADJOURNMENT:
            return Adjournment(by=terms.all_roles)
        case OfferKind.RESUMPTION:
            return Resumption()
        case OfferKind.STOP:
            return Ending(how="stopped", by=(role,))
        case OfferKind.TAKEBACK:
            raise MatchError("a takeback is a record of its own kind")
