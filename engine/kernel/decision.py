"""A role's decision, with every legal command, and the outcome of a game."""

from typing import Generic, TypeVar

import msgspec

from engine.kernel.ids import Role, Rule

C = TypeVar("C")


class Decision(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """A decision that a role has to make."""

    role: Role
    rule: Rule
    """The rule that requires the decision, such as 7.24."""
    prompt: str
    """The prompt shown to the player."""
    options: tuple[C, ...]
    """Every legal command, in a fixed order without duplicates. Never empty."""
    default: C
    """The answer that bots and standing orders give if they prefer no other. Always one of the options."""
    draft: bool = True
    """False if a draft cannot contain an answer, because every answer reveals a random result or hidden information."""
    is_plan: bool = False
    """True if an answer that leads to a random result stays in the draft until the player commits it.

    Such an answer causes a roll only because it ends the step automatically, not because the player requested one.
    """
    is_window: bool = False
    """True for a response window, which polls every role that could respond as far as is publicly known.

    A client may pass automatically for a seat whose only option is the default.
    """
    automatic_answer: C | None = None
    """Answer that a client may give automatically because no other answer would make a difference.

    None if the choice might make a difference.
    """

    @property
    def allows_standing_order(self) -> bool:
        """Return whether a standing order may give the answer, which is then sent after the response-window delay."""
        return self.is_window or self.automatic_answer is not None


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of a game."""

    winner: Role | None
    """The winning role. None for a draw, or if the game itself has beaten the players."""
    level: str
    """Degree of victory as named in the rulebook, such as ``tactical``. Empty if the game has no degrees of victory."""
    score: int | None
    """Victory points, or None if the scenario does not count them."""
    reason: str
    """One sentence, including the rule number."""
    is_lost: bool = False
    """True if the game itself has beaten all its players."""

    @property
    def is_draw(self) -> bool:
        """Return whether the game is a draw, won neither by a role nor by the game itself."""
        return self.winner is None and not self.is_lost

    @property
    def winner_name(self) -> str:
        """Return the winning role, ``nobody`` for a draw, or ``game`` if the game itself has won."""
        return self.winner or ("game" if self.is_lost else "nobody")
