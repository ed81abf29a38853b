"""Steps 2, 3 and 5: movement, declaration, bonuses before reaction (7.22, 7.24)."""

from typing import Final

from engine.eots.cards.interpreter import carry_out
from engine.eots.ch07_offensive import (
    declaration,
)
from engine.eots.ch07_offensive.step import go_to, next_stage
from engine.eots.deck import cards
from engine.eots.deck_terms import Window
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import (
    DeclarationFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
)
from engine.eots.state import current

_BONUS_WINDOWS: Final = (Window.STEP5,)


class MovementStep(Handler[OffensiveFrame]):
    """Step 2: the Offensive player moves (7.22)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Open movement, then go on."""
        if frame.stage == 0:
            next_stage(run, frame)
            if current(run.state).activated:
                run.enter(
                    MovementFrame(side=current(run.state).side, purpose=Purpose.OFFENSIVE),
                )
        else:
            go_to(run, 3)


class DeclarationStep(Handler[OffensiveFrame]):
    """Step 3: battle hexes, participants and cover (7.24)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Declare what is forced, open the declaration, then go on."""
        if frame.stage == 0:
            declaration.declare_forced(run)
            next_stage(run, frame)
            run.enter(DeclarationFrame(side=current(run.state).side))
        else:
            go_to(run, 4)


class BonusStep(Handler[OffensiveFrame]):
    """Step 5: effects of the event before reaction (CP-01)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Apply them and go on."""
        offensive = current(run.state)
        go_to(run, 6)
        if offensive.event:
            carry_out(run, cards()[offensive.card], _BONUS_WINDOWS)
