"""Steps 11 and 13 to 15: battles, post-battle and emergency movement, conclusion (7.28, 9.0)."""

from engine.eots.ch07_offensive import (
    attacks,
    conclusion,
)
from engine.eots.ch07_offensive.step import Step, go_to, next_stage
from engine.eots.flow import EotsLedger, enter, leave
from engine.eots.frames import (
    BattlesFrame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    RetreatFrame,
)
from engine.eots.state import current
from engine.kernel.dice import Dice
from engine.kernel.ids import Rule


class BattleStep(Step):
    """Step 11: all battles (9.0)."""

    rule = Rule("9.0")

    def run(self, ledger: EotsLedger, frame: OffensiveFrame, dice: Dice) -> None:
        """Open the battles, then go on."""
        if frame.stage == 0:
            next_stage(ledger, frame)
            enter(ledger, BattlesFrame())
        else:
            go_to(ledger, 12)


class PostBattleStep(Step):
    """Step 13: control of landings, retreats, post-battle movement of the Reaction, then the Offensive player (9.6)."""

    rule = Rule("9.6")

    def run(self, ledger: EotsLedger, frame: OffensiveFrame, dice: Dice) -> None:
        """Open one part after the other."""
        offensive = current(ledger.state)
        match frame.stage:
            case 0:
                conclusion.take_landing_control(ledger)
                next_stage(ledger, frame)
            case 1:
                next_stage(ledger, frame)
                if offensive.retreats:
                    enter(ledger, RetreatFrame(waiting=tuple(sorted(offensive.retreats))))
            case 2:
                next_stage(ledger, frame)
                if offensive.reaction.activated:
                    enter(
                        ledger,
                        MovementFrame(side=offensive.side.enemy, purpose=Purpose.POST_BATTLE),
                    )
            case 3:
                next_stage(ledger, frame)
                if offensive.activated:
                    enter(ledger, MovementFrame(side=offensive.side, purpose=Purpose.POST_BATTLE))
            case _:
                go_to(ledger, 14)


class EmergencyStep(Step):
    """Step 14: emergency movement (8.22, 8.32)."""

    rule = Rule("8.22")

    def run(self, ledger: EotsLedger, frame: OffensiveFrame, dice: Dice) -> None:
        """Open emergency movement, then go on."""
        if frame.stage == 0:
            next_stage(ledger, frame)
            conclusion.begin_emergency(ledger)
        else:
            go_to(ledger, 15)
            if not current(ledger.state).battles:
                attacks.run_late(ledger, dice)


class ConclusionStep(Step):
    """After step 14: HQs in enemy hexes, stacking, cards (6.14, 7.28, 8.34)."""

    rule = Rule("7.28")

    def run(self, ledger: EotsLedger, frame: OffensiveFrame, dice: Dice) -> None:
        """Do one after the other and close the offensive."""
        if frame.stage == 0:
            conclusion.reposition_hqs(ledger, Rule("6.14"))
            next_stage(ledger, frame)
            conclusion.begin_stacking(ledger, current(ledger.state).side)
        else:
            conclusion.finish(ledger)
            leave(ledger)
