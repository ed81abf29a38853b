"""Steps 9, 10 and 12: playing attack cards and applying their effects (5.32B, 7.2)."""

from collections.abc import Iterator

from typing_extensions import override

from engine.eots.cards.interpreter import apply_window
from engine.eots.ch07_offensive import attacks
from engine.eots.ch07_offensive.reaction_cards import usable_hand_cards
from engine.eots.ch07_offensive.step import end_stage, enter_step, next_stage
from engine.eots.commands import Pass, React
from engine.eots.deck_terms import Window
from engine.eots.flow import DecisionHandler, EotsRun, Handler, Naming, PlainAction
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import CardId, Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


def attack_card_refusals(
    state: State, frame: OffensiveFrame, _role: Side, name: CardId
) -> Iterator[Refusal]:
    """Yield the reasons why an attack card may not be played in this step (5.32B)."""
    return attacks.attack_refusals(state, name, attacks.attack_windows(state, frame.step))


def play_attack_card(run: EotsRun, _frame: OffensiveFrame, _role: Side, name: CardId) -> None:
    """Play an attack card (5.32B)."""
    attacks.play_attack(run, name)


class AttackStep(DecisionHandler[OffensiveFrame]):
    """Steps 9 and 12: before and after the battles, the Reaction player plays attack cards."""

    rule = Rule("5.32B")
    question = "Play an attack card, or continue"
    wrong_kind_text = "the Reaction player decides first whether to play an attack card"
    actions = (
        Naming(React, usable_hand_cards, attack_card_refusals, play_attack_card),
        PlainAction(Pass, end_stage),
    )

    @override
    def active_roles(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return the Reaction player if, on public information alone, that side might hold an attack card."""
        if frame.stage or not attacks.can_attack(state, attacks.attack_windows(state, frame.step)):
            return ()
        return (attacks.attacking_side(state),)

    @override
    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return True: these steps are always response windows, because only a card can be played."""
        return True

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Apply the cards that take effect after the battles, one at a time, and then continue with the next step."""
        cards = attacks.waiting_cards(run.state, frame.step)
        if frame.step > attacks.STEP_BEFORE_BATTLE and frame.stage < len(cards):
            # The stage is advanced first, because the card's effects may push frames.
            next_stage(run, frame)
            attacks.apply_waiting_card(run, cards[frame.stage])
        else:
            enter_step(run, frame.step + 1)


class ExecutionStep(Handler[OffensiveFrame]):
    """Step 10: attack cards played in step 9 take effect one at a time, followed by the offensive's own card."""

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Apply the next card that is due. If none is left, continue with the battles."""
        cards = attacks.waiting_cards(run.state, frame.step)
        if frame.stage < len(cards):
            next_stage(run, frame)
            attacks.apply_waiting_card(run, cards[frame.stage])
        elif frame.stage == len(cards):
            next_stage(run, frame)
            attacks.begin_kamikaze(run)
        else:
            enter_step(run, 11)
            apply_window(run, Window.STEP10)
