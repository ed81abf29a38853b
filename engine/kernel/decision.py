"""Decisions: the open question to one role, with every legal command."""

from typing import Generic, TypeVar

import msgspec

from engine.kernel.ids import Role, Rule

C = TypeVar("C")


class Decision(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """One question to one role."""

    role: Role
    rule: Rule
    """The rule that asks, such as 7.24."""
    prompt: str
    """The question in words fit for the player."""
    options: tuple[C, ...]
    """Every legal command, in a fixed order; never empty, no doubles."""
    default: C
    """Taken when the clock runs out; always one of the options."""
    draft: bool = True
    """False when the answer always reveals chance or hidden information, so that a draft cannot hold it."""
    is_plan: bool = False
    """True where an answer that goes on to chance stays in the draft until it is committed: the step has closed by
    itself, and the player has asked for no roll."""
    is_window: bool = False
    """True for a response window, which asks everybody who could have an answer as far as the table knows.

    A client may pass for a seat that has nothing but the default."""
    by_itself: C | None = None
    """What a client may answer for a seat, because no other answer would make a difference; None when one might."""

    @property
    def may_be_ordered(self) -> bool:
        """Return whether standing orders may answer; such an answer goes out at the pace of windows."""
        return self.is_window or self.by_itself is not None


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a game ended."""

    winner: Role | None
    """None for a draw, and when the players have lost to the game itself."""
    level: str
    """Degree of victory in the rulebook's words, such as ``tactical``; empty when there are no degrees."""
    score: int | None
    """Victory points when the scenario counts them."""
    reason: str
    """One sentence with the rule number."""
    is_lost: bool = False
    """True when the game itself has beaten everybody who plays it."""

    @property
    def is_draw(self) -> bool:
        """Return whether the game ended without a winner and without a loser."""
        return self.winner is None and not self.is_lost

    @property
    def winner_word(self) -> str:
        """Return the winner, ``nobody`` for a draw, ``game`` when the players have lost to it."""
        return self.winner or ("game" if self.is_lost else "nobody")
