"""What one player may propose to the others: to take something back, to end the match, to pause and to go on.

An offer holds once everybody whom it concerns agrees; then a record says so. Whoever keeps the match asks them: the
host over the network, nobody at one keyboard.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from engine.kernel.ids import Role
from saves.errors import MatchError
from saves.statements import Adjournment, Ending, Resumption, Statement
from saves.terms import Terms


class Matter(StrEnum):
    """What is proposed."""

    TAKEBACK = "takeback"
    """The game shall stand again as after an earlier record."""
    RESIGNATION = "resignation"
    """The own side gives the match up; its other players must agree."""
    DRAW = "draw"
    """The match shall end without a winner."""
    ADJOURNMENT = "adjournment"
    """The match shall pause."""
    RESUMPTION = "resumption"
    """It goes on; nobody has to agree again."""
    STOP = "stop"
    """The match shall end without a winner, because others have not answered for too long."""


BOTS_REFUSE: Final = frozenset({Matter.DRAW})
"""What bots never agree to."""
LINES: Final[Mapping[str, Matter]] = {
    "resign": Matter.RESIGNATION,
    "offer draw": Matter.DRAW,
    "offer adjournment": Matter.ADJOURNMENT,
    "resume": Matter.RESUMPTION,
    "stop match": Matter.STOP,
}
"""What a player types for it."""
QUESTIONS: Final[Mapping[Matter, str]] = {
    Matter.TAKEBACK: "Take back your last command? It stays in the record, and others must agree.",
    Matter.RESIGNATION: "Resign? The match is then lost for your whole side.",
    Matter.DRAW: "Offer a draw? When everybody agrees, the match is over.",
    Matter.ADJOURNMENT: "Offer to adjourn? When everybody agrees, the match pauses until one of you resumes it.",
    Matter.RESUMPTION: "Go on with the match?",
    Matter.STOP: "Stop the match? The others have not answered for too long. It then ends without a winner.",
}
"""What a player is asked before it is proposed."""
_WISHES: Final[Mapping[Matter, str]] = {
    Matter.TAKEBACK: "asks to take back commands",
    Matter.RESIGNATION: "wants your side to resign",
    Matter.DRAW: "offers a draw",
    Matter.ADJOURNMENT: "asks to adjourn the match",
    Matter.RESUMPTION: "wants to go on",
    Matter.STOP: "stops the match",
}


def matter_in(line: str) -> Matter | None:
    """Return what a typed line proposes, None where it proposes nothing."""
    return LINES.get(" ".join(line.lower().split()))


def wish_words(matter: Matter, who: str) -> str:
    """Return the question to somebody who must agree."""
    return f"{who} {_WISHES[matter]}. Agree?"


def partners(terms: Terms, matter: Matter, role: Role) -> tuple[Role, ...]:
    """Return the other roles that must agree to an offer of a role.

    Raises:
        MatchError: The match has no such role.
    """
    match matter:
        case Matter.RESUMPTION | Matter.STOP:
            asked: tuple[Role, ...] = ()
        case Matter.RESIGNATION:
            asked = terms.side(role)
        case _:
            asked = terms.everybody
    return tuple(other for other in asked if other != role)


def statement_for(terms: Terms, matter: Matter, role: Role) -> Statement:
    """Return what the record of an offer states to which everybody has agreed; a takeback states nothing.

    Raises:
        MatchError: The match has no such role.
    """
    match matter:
        case Matter.RESIGNATION:
            return Ending(how="resigned", by=terms.side(role))
        case Matter.DRAW:
            return Ending(how="draw", by=terms.everybody)
        case Matter.ADJOURNMENT:
            return Adjournment(by=terms.everybody)
        case Matter.RESUMPTION:
            return Resumption()
        case Matter.STOP:
            return Ending(how="stopped", by=(role,))
        case Matter.TAKEBACK:
            raise MatchError("a takeback is a record of its own kind")
