"""What can be wrong with cards that are dealt in cipher, and whose fault it is."""

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.errors import FairPlayError


class PointError(FlagplotError):
    """Bytes that are no point, or no scalar, of the group that card ciphers live in."""


class DeckCheatError(FairPlayError):
    """A seat did what no honest program does with cards; names the seat and the step."""

    def __init__(self, role: Role, step: int, problem: str) -> None:
        """Keep who, where and what.

        Args:
            role: Who is to blame.
            step: Number of the step of the transcript, -1 for what was promised before the first.
            problem: What is wrong, without who and where.
        """
        self.step = step
        where = f" (step {step} of the cards)" if step >= 0 else ""
        super().__init__(role, f"{role}: {problem}{where}")


class BrokenDeckError(FairPlayError):
    """A card came out of the deck that cannot be in it; who did it, the audit of all seeds names."""

    def __init__(self, step: int, problem: str) -> None:
        """Keep where and what."""
        self.step = step
        where = f"step {step} of the cards"
        super().__init__(Role(""), f"{where}: {problem}; the seeds will tell who did it")
