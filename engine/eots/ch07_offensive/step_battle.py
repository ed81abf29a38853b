"""Steps 11 and 13 to 15: battles, post-battle and emergency movement, conclusion (7.28, 9.0)."""

from engine.eots.ch07_offensive import (
    attacks,
    conclusion,
)
from engine.eots.ch07_offensive.step import go_to, next_stage
from engine.eots.flow import EotsRun, Handler
from engine.eots.frames import (
    BattlesFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    RetreatFrame,
)
from engine.eots.state import current
from engine.kernel.ids import Rule


class BattleStep(Handler[OffensiveFrame]):
    """Step 11: all battles (9.0)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Open the battles, then go on."""
        if frame.stage == 0:
            next_stage(run, frame)
            run.enter(BattlesFrame())
        else:
            go_to(run, 12)


class PostBattleStep(Handler[OffensiveFrame]):
    """Step 13: control of landings, retreats, post-battle movement of the Reaction, then the Offensive player (9.6)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Open one part after the other."""
        offensive = current(run.state)
        match frame.stage:
            case 0:
                conclusion.take_landing_control(run)
                next_stage(run, frame)
            case 1:
                next_stage(run, frame)
                if offensive.retreats:
                    run.enter(RetreatFrame(waiting=tuple(sorted(offensive.retreats))))
            case 2:
                next_stage(run, frame)
                if offensive.reaction.activated:
                    run.enter(
                        MovementFrame(side=offensive.side.enemy, purpose=Purpose.POST_BATTLE),
                    )
            case 3:
                next_stage(run, frame)
                if offensive.activated:
                    run.enter(MovementFrame(side=offensive.side, purpose=Purpose.POST_BATTLE))
            case _:
                go_to(run, 14)


class EmergencyStep(Handler[OffensiveFrame]):
    """Step 14: emergency movement (8.22, 8.32)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Open emergency movement, then go on."""
        if frame.stage == 0:
            next_stage(run, frame)
            conclusion.begin_emergency(run)
        else:
            go_to(run, 15)
            if not current(run.state).battles:
                attacks.run_late(run)


class ConclusionStep(Handler[OffensiveFrame]):
    """After step 14: HQs in enemy hexes, stacking, cards (6.14, 7.28, 8.34)."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Do one after the other and close the offensive."""
        if frame.stage == 0:
            conclusion.reposition_hqs(run, Rule("6.14"))
            next_stage(run, frame)
            conclusion.begin_stacking(run, current(run.state).side)
        else:
            conclusion.finish(run)
            run.leave()
