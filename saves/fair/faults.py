"""What can be wrong with cards that are dealt in cipher, and whose fault it is."""

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role


class PointError(FlagplotError):
    """Bytes that are no point, or no scalar, of the group that card ciphers live in."""


class DeckFault(FlagplotError):  # noqa: N818 - its two kinds say what sort of error it is
    """Cards that were not shuffled, dealt or shown as agreed."""

    def __init__(self, step: int, problem: str, sentence: str) -> None:
        """Keep where and what.

        Args:
            step: Number of the step of the transcript, -1 for what was promised before the first.
            problem: What is wrong, without who and where.
            sentence: The whole of it.
        """
        self.step = step
        self.problem = problem
        super().__init__(sentence)


class DeckCheatError(DeckFault):
    """A seat did what no honest program does; names the seat and the step."""

    def __init__(self, role: Role, step: int, problem: str) -> None:
        """Keep who, where and what."""
        self.role = role
        where = f" (step {step} of the cards)" if step >= 0 else ""
        super().__init__(step, problem, f"{role}: {problem}{where}")


class BrokenDeckError(DeckFault):
    """A card came out of the deck that cannot be in it; who did it, the audit of all seeds names."""

    def __init__(self, step: int, problem: str) -> None:
        """Keep where and what."""
        super().__init__(
            step, problem, f"step {step} of the cards: {problem}; the seeds will tell who did it"
        )
