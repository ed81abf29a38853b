"""Steps 9, 10 and 12: attack cards are played and act (5.32B, 7.2)."""

from collections.abc import Iterator

from engine.eots.ch07_offensive import attacks
from engine.eots.ch07_offensive.reaction_cards import ReactionPlay
from engine.eots.ch07_offensive.step import EndingStage, go_to, next_stage
from engine.eots.commands import Pass, React
from engine.eots.flow import EotsRun, Handler, Question
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


class AttackPlay(ReactionPlay):
    """An attack card is played (5.32B)."""

    def refusals(
        self, state: State, frame: OffensiveFrame, role: Side, command: React
    ) -> Iterator[Refusal]:
        """Yield the rules against the card."""
        return attacks.check_attack(state, command.card, attacks.WINDOWS[frame.step])

    def apply(self, run: EotsRun, frame: OffensiveFrame, role: Side, command: React) -> None:
        """Play it."""
        attacks.play_attack(run, command.card)


class AttackStep(Question[OffensiveFrame]):
    """Steps 9 and 12: the Reaction player plays attack cards, those that act before or after the battles."""

    rule = Rule("5.32B")
    asks = "Play an attack card, or go on"
    busy = "the Reaction player may play attack cards now"
    actions = (AttackPlay(), EndingStage(Pass))

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask whoever could hold such a card, as far as everybody knows."""
        if frame.stage or not attacks.could_attack(state, attacks.WINDOWS[frame.step]):
            return ()
        return (attacks.side_of(state),)

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return that this is for cards alone."""
        return True

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on."""
        go_to(run, frame.step + 1)


class ExecutionStep(Handler[OffensiveFrame]):
    """Step 10: attack cards played in step 9 act, one after the other."""

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Let the next card act, or go on to the battles."""
        cards = attacks.waiting(run.state)
        if frame.stage < len(cards):
            next_stage(run, frame)
            attacks.run_waiting(run, cards[frame.stage])
        elif frame.stage == len(cards):
            next_stage(run, frame)
            attacks.begin_kamikaze(run)
        else:
            go_to(run, 11)
