"""Operations on Air Forces (13.3, 13.4, A.2)."""

from collections.abc import Iterator, Sequence
from typing import Final

from typing_extensions import override

from engine.kernel.ids import Refusal
from engine.qmg import deck_steps as ds
from engine.qmg import phrases
from engine.qmg.cards.board import BoardStep, PieceStep
from engine.qmg.ch13_air import air_action_refusals
from engine.qmg.commands import Deploy, Eliminate, Marshal, QmgCommand, Superiority
from engine.qmg.frames import StepsFrame
from engine.qmg.ids import AIR
from engine.qmg.legal import deploy_options, eliminate_options, marshal_options, superiority_options
from engine.qmg.terms import Context, PublicContext, resolve_forces, resolve_spaces


class EliminateAirStep(PieceStep):
    """Eliminate an Air Force (13.4)."""

    op: ds.EliminateAir
    asks = "eliminate an Air Force"
    rule = "13.4"
    takes = (Eliminate,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        """Return a command for each Air Force that can be eliminated."""
        if self.op.air is None:
            owners = resolve_forces(self.op.owners, context)
            return eliminate_options(
                context.analysis, owners, AIR, resolve_spaces(self.op.spaces, context)
            )
        event = context.trigger
        if event is None or not event.origin or not context.is_subject_present(event):
            return ()
        return (Eliminate(force=event.by, piece=AIR, space=event.origin),)


class AirStep(BoardStep):
    """Base class of air actions that need no Air Power card (13.3)."""

    rule = "13.3"

    @override
    def refusals(
        self, context: Context, frame: StepsFrame, command: QmgCommand
    ) -> Iterator[Refusal]:
        """Yield the reasons why the force, the move or the space is not allowed."""
        assert isinstance(command, Deploy | Marshal | Superiority), command
        if force_refusals := tuple(self.wrong_force_refusals(context, command.force)):
            yield from force_refusals
            return
        yield from air_action_refusals(context.analysis, command)
        yield from self.wrong_space_refusals(context, command.space)


class DeployAirStep(AirStep):
    """Deploy an Air Force (13.3 a)."""

    takes = (Deploy,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        return deploy_options(context.analysis, self.force(context), self.allowed_spaces(context))

    @override
    def prompt(self, context: Context, frame: StepsFrame) -> str:
        return f"deploy {phrases.piece_with_article(self.force(context), AIR)}"


class MarshalAirStep(AirStep):
    """Marshal an Air Force without discarding a card (13.3 b)."""

    asks = "marshal an Air Force"
    takes = (Marshal,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        return marshal_options(context.analysis, self.force(context), self.allowed_spaces(context))


class AirSuperiorityStep(AirStep):
    """Gain Air Superiority (13.3 c)."""

    asks = "gain Air Superiority over a space"
    takes = (Superiority,)

    @override
    def options(self, context: PublicContext, frame: StepsFrame | None) -> Sequence[QmgCommand]:
        return superiority_options(
            context.analysis, self.force(context), self.allowed_spaces(context)
        )


OPERATIONS: Final = {
    ds.EliminateAir: EliminateAirStep,
    ds.DeployAir: DeployAirStep,
    ds.MarshalAir: MarshalAirStep,
    ds.AirSuperiority: AirSuperiorityStep,
}
