"""Steps 9, 10 and 12: attack cards are played and act (5.32B, 7.2)."""

from collections.abc import Iterator

from engine.eots.ch07_offensive import attacks
from engine.eots.ch07_offensive.step import Step, go_to, next_stage
from engine.eots.commands import EotsCommand, Pass, React
from engine.eots.deck_terms import Window
from engine.eots.flow import EotsRun
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


class AttackStep(Step):
    """Steps 9 and 12: the Reaction player plays attack cards, those that act before or after the battles."""

    rule = Rule("5.32B")

    def __init__(self, windows: frozenset[Window]) -> None:
        """Say in which windows the cards act."""
        self.windows = windows

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask whoever could hold such a card, as far as everybody knows."""
        if frame.stage or not attacks.could_attack(state, self.windows):
            return ()
        return (attacks.side_of(state),)

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return that this is for cards alone."""
        return True

    def prompt(self, state: State) -> str:
        """Ask for an attack card."""
        return "Play an attack card, or go on"

    def options(self, state: State, frame: OffensiveFrame) -> tuple[EotsCommand, ...]:
        """Offer the cards and to go on."""
        found = attacks.attack_options(state, self.windows)
        return (*(React(card=card) for card in found), Pass())

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Play a card, or go on."""
        if isinstance(command, React):
            attacks.play_attack(run, command.card)
        else:
            next_stage(run, frame)

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on."""
        go_to(run, frame.step + 1)

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against a card."""
        if isinstance(command, React):
            yield from attacks.check_attack(state, command.card, self.windows)
        else:
            yield Refusal(self.rule, "the Reaction player may play attack cards now")


class ExecutionStep(Step):
    """Step 10: attack cards played in step 9 act, one after the other."""

    rule = Rule("5.32B")

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
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
