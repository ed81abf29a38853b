"""Defines the errors of the masked-card protocol. If possible, they name the party to blame."""

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.errors import FairPlayError


class PointError(FlagplotError):
    """The bytes are not a point or scalar in the group used to mask cards."""


class DeckCheatError(FairPlayError):
    """A seat took a step that no honest program would take. The error names the seat and the step."""

    def __init__(self, role: Role, step: int, problem: str) -> None:
        """Store the seat, the step and the problem.

        Args:
            role: The party to blame.
            step: The step's number, or -1 for a commitment made before the first step.
            problem: A description of the problem that does not name the seat or step.
        """
        self.step = step
        location = f" (card step {step})" if step >= 0 else ""
        super().__init__(role, f"{role}: {problem}{location}")


class BrokenDeckError(FairPlayError):
    """A revealed card cannot be in the deck. Only an audit with all seeds can find the cheater."""

    def __init__(self, step: int, problem: str) -> None:
        """Store the step and the problem."""
        self.step = step
        location = f"card step {step}"
        super().__init__(
            Role(""), f"{location}: {problem}; the card seeds will show who is to blame"
        )
