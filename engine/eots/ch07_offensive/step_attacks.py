"""Steps 9, 10 and 12: attack cards are played and act (5.32B, 7.2)."""

from collections.abc import Iterator

from engine.eots.ch07_offensive import attacks
from engine.eots.ch07_offensive.step import Step, go_to, next_stage
from engine.eots.commands import EotsCommand, Pass, React
from engine.eots.deck_terms import Window
from engine.eots.flow import EotsLedger
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.dice import Dice
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

    def resolve(
        self, ledger: EotsLedger, frame: OffensiveFrame, command: EotsCommand, dice: Dice
    ) -> None:
        """Play a card, or go on."""
        if isinstance(command, React):
            attacks.play_attack(ledger, command.card, dice)
        else:
            next_stage(ledger, frame)

    def run(self, ledger: EotsLedger, frame: OffensiveFrame, dice: Dice) -> None:
        """Go on."""
        go_to(ledger, frame.step + 1)

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against a card."""
        if isinstance(command, React):
            yield from attacks.check_attack(state, command.card, self.windows)
        else:
            yield Refusal(self.rule, "the Reaction player may play attack cards now")


class ExecutionStep(Step):
    """Step 10: attack cards played in step 9 act, one after the other."""

    rule = Rule("5.32B")

    def run(self, ledger: EotsLedger, frame: OffensiveFrame, dice: Dice) -> None:
        """Let the next card act, or go on to the battles."""
        cards = attacks.waiting(ledger.state)
        if frame.stage < len(cards):
            next_stage(ledger, frame)
            attacks.run_waiting(ledger, cards[frame.stage], dice)
        elif frame.stage == len(cards):
            next_stage(ledger, frame)
            attacks.begin_kamikaze(ledger)
        else:
            go_to(ledger, 11)
