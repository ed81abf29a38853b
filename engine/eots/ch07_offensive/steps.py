"""The fourteen steps of an offensive and the handler that runs them (7.2)."""

from collections.abc import Iterator, Mapping
from typing import Final

from engine.eots.cards.losses import LossHandler
from engine.eots.ch07_offensive import attacks
from engine.eots.ch07_offensive.kamikaze import KamikazeHandler
from engine.eots.ch07_offensive.step import Step
from engine.eots.ch07_offensive.step_activating import ActivationStep, ReactionStep
from engine.eots.ch07_offensive.step_answers import (
    CancellationStep,
    IntelligenceStep,
    SpecialReactionStep,
)
from engine.eots.ch07_offensive.step_attacks import AttackStep, ExecutionStep
from engine.eots.ch07_offensive.step_battle import (
    BattleStep,
    ConclusionStep,
    EmergencyStep,
    PostBattleStep,
)
from engine.eots.ch07_offensive.step_movement import BonusStep, DeclarationStep, MovementStep
from engine.eots.commands import EotsCommand
from engine.eots.flow import EotsDecision, EotsRun, Handler
from engine.eots.frames import (
    OffensiveFrame,
)
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role

STEPS: Final[Mapping[int, Step]] = {
    1: ActivationStep(),
    2: MovementStep(),
    3: DeclarationStep(),
    4: CancellationStep(),
    5: BonusStep(),
    6: SpecialReactionStep(),
    7: IntelligenceStep(),
    8: ReactionStep(),
    9: AttackStep(attacks.BEFORE_BATTLE),
    10: ExecutionStep(),
    11: BattleStep(),
    12: AttackStep(attacks.AFTER_BATTLE),
    13: PostBattleStep(),
    14: EmergencyStep(),
    15: ConclusionStep(),
}
"""The steps of 7.2; 15 is the conclusion."""


class OffensiveHandler(Handler[OffensiveFrame]):
    """Let the step at which the offensive stands ask or run (7.2)."""

    frame = OffensiveFrame

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return whom the step asks."""
        return STEPS[frame.step].asked(state, frame)

    def decision(self, state: State, frame: OffensiveFrame, side: Side) -> EotsDecision:
        """Return the step's question."""
        step = STEPS[frame.step]
        options = step.options(state, frame)
        default = step.default(options)
        return Decision(
            role=Role(side),
            rule=step.rule_now(state, frame),
            prompt=step.prompt(state),
            options=options,
            default=default,
            is_window=step.is_window(state, frame),
        )

    def is_option(
        self, state: State, frame: OffensiveFrame, side: Side, command: EotsCommand
    ) -> bool:
        """Return whether a command is among the step's options."""
        return STEPS[frame.step].is_option(state, frame, command)

    def resolve(
        self,
        run: EotsRun,
        frame: OffensiveFrame,
        side: Side,
        command: EotsCommand,
    ) -> None:
        """Let the step carry the command out."""
        STEPS[frame.step].resolve(run, frame, command)

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Let the step run."""
        STEPS[frame.step].run(run, frame)

    def why_not(
        self, state: State, frame: OffensiveFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Return the step's reasons."""
        yield from STEPS[frame.step].why_not(state, command)


HANDLERS: Final = (OffensiveHandler(), LossHandler(), KamikazeHandler())
