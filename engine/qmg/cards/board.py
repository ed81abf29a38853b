"""What operations on the board share: whose pieces, which spaces, and what the card has against others (A.2)."""

from collections.abc import Iterator

from msgspec.structs import replace

from engine.kernel.ids import Refusal, Rule
from engine.qmg import deck_steps as ds
from engine.qmg import sayings
from engine.qmg.atlas import BIT
from engine.qmg.cards.base import Asking
from engine.qmg.ch07_actions import removal
from engine.qmg.commands import Eliminate
from engine.qmg.frames import StepsFrame
from engine.qmg.run import Run
from engine.qmg.terms import Context, decider_of, force_of, spaces_of


class BoardStep(Asking):
    """A step by which a force does something in a space."""

    op: ds.OnBoard

    def decider(self, at: Context) -> str:
        """Return the country named by the card, else its owner."""
        return decider_of(self.op.by, at)

    def force(self, at: Context) -> str:
        """Return whose pieces the card means."""
        return force_of(self.op.force, at)

    def allowed(self, at: Context) -> int:
        """Return the spaces that the card names."""
        return spaces_of(self.op.spaces, at)

    def other_force(self, at: Context, force: str) -> Iterator[Refusal]:
        """Yield that the card means other pieces."""
        if force != self.force(at):
            yield Refusal(
                Rule("13.8"), f"the card names the pieces of {sayings.force(self.force(at))}"
            )

    def other_space(self, at: Context, space: str) -> Iterator[Refusal]:
        """Yield that the card means other spaces."""
        if not self.allowed(at) & BIT[space]:
            yield Refusal(Rule(self.rule), "the card names other spaces")


def use(run: Run, frame: StepsFrame, space: str) -> None:
    """Note the space used, before its windows open (A.1.5)."""
    run.replace(replace(frame, stage="inside", rest=(space,)))


def eliminate(run: Run, frame: StepsFrame, command: Eliminate) -> None:
    """Try to remove a piece (7.5, 13.4)."""
    use(run, frame, command.space)
    run.enter(removal(command.force, command.piece, command.space, frame.source.owner, "eliminate"))
