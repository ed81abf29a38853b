"""Code shared by card operations on the board: allowed forces and spaces, and refusals for all others (A.2)."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg import deck_steps as ds
from engine.qmg import phrases
from engine.qmg.atlas import BIT
from engine.qmg.cards.base import ChoiceOperation, advance
from engine.qmg.ch07_actions import begin_battle, own_removal_frame, place_piece, removal_frame
from engine.qmg.ch13_air import deploy_air_force, gain_superiority, marshal_air_force
from engine.qmg.commands import (
    Battle,
    Build,
    Deploy,
    Designate,
    Eliminate,
    Marshal,
    QmgCommand,
    Recruit,
    Remove,
    SpaceCommand,
    Superiority,
)
from engine.qmg.frames import StepsFrame
from engine.qmg.run import Run
from engine.qmg.terms import Context, PublicContext, resolve_decider, resolve_force, resolve_spaces


class PieceStep(ChoiceOperation):
    """Base class of steps that place, move or remove a piece in a space. Such steps may be repeated (A.1.4)."""

    @abstractmethod
    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return the legal choices, except for declining. The context's board may be hypothetical."""

    @override
    def apply(self, run: Run, frame: StepsFrame, command: QmgCommand) -> None:
        """Record the space and carry out the command.

        The space is recorded first, because the command may open a window.
        """
        assert isinstance(command, SpaceCommand), command
        run.replace_top(replace(frame, stage="inside", rest=(command.space,)))
        apply_piece_command(run, command, frame.source.owner)

    @override
    def after_inner_steps(self, run: Run, frame: StepsFrame) -> None:
        """Offer another choice if repetitions are left. A space may be chosen again if this is legal (9.6, 18.16)."""
        repeat_count = frame.repeats + 1
        if isinstance(self.op, ds.Repeated) and repeat_count < self.op.count.most:
            run.replace_top(replace(frame, repeats=repeat_count, stage=""))
        else:
            self.decline(run, frame)

    @override
    def decline(self, run: Run, frame: StepsFrame) -> None:
        """Advance to the next step, and record the space that an earlier repetition used, if any."""
        advance(run, frame, frame.rest[0] if frame.rest else "")


class BoardStep(PieceStep):
    """Base class of steps that a force carries out in a space."""

    op: ds.SpaceStep

    @override
    def decider(self, context: Context) -> str:
        """Return the country named on the card. For a force without cards, return the card's owner."""
        return resolve_decider(self.op.by, context)

    def force(self, context: PublicContext) -> str:
        """Return the force that owns the pieces named by the step."""
        return resolve_force(self.op.force, context)

    def allowed_spaces(self, context: PublicContext) -> int:
        """Return the spaces named on the card."""
        return resolve_spaces(self.op.spaces, context)

    def wrong_force_refusals(self, context: PublicContext, force: str) -> Iterator[Refusal]:
        """Yield a refusal if the card refers to another force."""
        if force != self.force(context):
            yield Refusal(
                Rule("13.8"),
                f"the card refers to the pieces of {phrases.force_name(self.force(context))}",
            )

    def wrong_space_refusals(self, context: PublicContext, space: str) -> Iterator[Refusal]:
        """Yield a refusal if the space is not named on the card."""
        if not self.allowed_spaces(context) & BIT[space]:
            yield Refusal(Rule(self.rule), "the card names other spaces")


def apply_piece_command(run: Run, command: SpaceCommand, owner: str) -> None:
    """Carry out a piece command as part of a card's text, on behalf of the card's owner."""
    match command:
        case Build() | Recruit() | Designate():
            place_piece(run, command)
        case Battle():
            begin_battle(run, command)
        case Eliminate(force=force, piece=piece, space=space):
            run.push(removal_frame(run.state, force, piece, space, owner, "eliminate"))
        case Remove(force=force, piece=piece, space=space):
            run.push(own_removal_frame(run.state, force, piece, space, "own"))
        case Deploy():
            deploy_air_force(run, command)
        case Marshal():
            marshal_air_force(run, command)
        case Superiority():
            gain_superiority(run, command)
        case _:
            raise AssertionError("no card asks for this", command)
