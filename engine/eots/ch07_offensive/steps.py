"""The fourteen steps of an offensive and the handler that runs them (7.2)."""

from collections.abc import Mapping
from typing import Final

from engine.eots.cards.losses import LossHandler
from engine.eots.ch07_offensive.kamikaze import KamikazeHandler
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
from engine.eots.flow import Handler
from engine.eots.frames import OffensiveFrame

STEPS: Final[Mapping[int, Handler[OffensiveFrame]]] = {
    1: ActivationStep(),
    2: MovementStep(),
    3: DeclarationStep(),
    4: CancellationStep(),
    5: BonusStep(),
    6: SpecialReactionStep(),
    7: IntelligenceStep(),
    8: ReactionStep(),
    9: AttackStep(),
    10: ExecutionStep(),
    11: BattleStep(),
    12: AttackStep(),
    13: PostBattleStep(),
    14: EmergencyStep(),
    15: ConclusionStep(),
}
"""The steps of 7.2; 15 is the conclusion."""


class OffensiveHandler(Handler[OffensiveFrame]):
    """An offensive has a handler for each step (7.2)."""

    frame = OffensiveFrame

    def part(self, frame: OffensiveFrame) -> Handler[OffensiveFrame]:
        """Return the handler of the step at which the offensive stands."""
        return STEPS[frame.step]


HANDLERS: Final = (OffensiveHandler(), LossHandler(), KamikazeHandler())
