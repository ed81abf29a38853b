"""Steps 4, 6 and 7: cancellation, special reaction and intelligence (5.32D, 7.25, 7.27)."""

from collections.abc import Iterator
from typing import Final

from typing_extensions import override

from engine.eots.cards.losses import begin_losses, loss_targets
from engine.eots.ch07_offensive import (
    attacks,
    conclusion,
    declaration,
    intelligence,
    reaction_cards,
)
from engine.eots.ch07_offensive.reaction_cards import usable_hand_cards
from engine.eots.ch07_offensive.step import end_stage, enter_step
from engine.eots.ch07_offensive.step_attacks import attack_card_refusals, play_attack_card
from engine.eots.ch17_december import force_z_hexes, is_reaction_ordered
from engine.eots.commands import (
    EotsCommand,
    Pass,
    React,
    RollIntelligence,
    SpecialReaction,
)
from engine.eots.deck import cards
from engine.eots.deck_offensive import StepLoss
from engine.eots.deck_terms import Window
from engine.eots.events.offensive import (
    ConditionSet,
    IntelligenceRolled,
    SpecialReactionTried,
)
from engine.eots.flow import DecisionHandler, EotsRun, Naming, PlainAction
from engine.eots.frames import OffensiveFrame, OrderedReactionFrame
from engine.eots.ids import CardId, HexId, Side
from engine.eots.state import Condition, State, current_offensive
from engine.kernel.ids import Refusal, Rule

CANCELLING: Final = frozenset({"weather", "personage"})
_STAGE_AFTER_ROLLS: Final = 1
"""Stage of step 6 after the special reaction rolls, when attack cards may be played."""
_STAGE_AFTER_REACTION: Final = 3
"""Stage of step 8 after activation and commitments (7.26)."""
CONDITION_SETTING: Final = frozenset({"intelligence", "counter_offensive"})


def _cancelling_refusals(
    state: State, _frame: OffensiveFrame, role: Side, name: CardId
) -> Iterator[Refusal]:
    return reaction_cards.react_refusals(state, role, name, CANCELLING)


def _cancel_offensive(run: EotsRun, _frame: OffensiveFrame, role: Side, name: CardId) -> None:
    """Play the card, cancel the offensive, and apply the card's step loss, if any (5.32D, J-21, J-64)."""
    card = cards()[name]
    losses = [step for step in card.effects if isinstance(step, StepLoss)]
    # The targets depend on the offensive, which cancellation ends, so find the targets first.
    targets = [loss_targets(run.state, card, step) for step in losses]
    reaction_cards.play_reaction(run, role, name, frozenset({Window.STEP4}))
    conclusion.cancel_offensive(run, Rule("5.32D"))
    for step, units in zip(losses, targets, strict=True):
        begin_losses(run, card, step, units)


class CancellationStep(DecisionHandler[OffensiveFrame]):
    """Step 4: the Reaction player may cancel the offensive (5.32D, CP-30)."""

    rule = Rule("5.32D")
    question = "Cancel the {offensive.card} offensive?"
    wrong_kind_text = "the Reaction player decides first whether to cancel the offensive"
    actions = (
        Naming(React, usable_hand_cards, _cancelling_refusals, _cancel_offensive),
        PlainAction(Pass, lambda run, frame, _: enter_step(run, frame.step + 1)),
    )

    @override
    def active_roles(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return the Reaction player if, on public information alone, that side might hold a cancellation card."""
        side = current_offensive(state).side.enemy
        if not current_offensive(state).activated or not reaction_cards.can_answer(
            state, side, CANCELLING
        ):
            return ()
        return (side,)

    @override
    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return True: this step is always a response window, because only a card can be played."""
        return True

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        enter_step(run, 5)


def _is_rolling(state: State, frame: OffensiveFrame) -> bool:
    """Return whether special reaction rolls are still being made and there is a hex to roll for (7.27)."""
    return not frame.stage and bool(intelligence.special_candidates(state))


def _special_refusals(
    state: State, frame: OffensiveFrame, _role: Side, hex_id: HexId
) -> Iterator[Refusal]:
    """Refuse a hex in which special reaction is not possible (7.27)."""
    if frame.stage or hex_id not in intelligence.special_candidates(state):
        yield Refusal(
            Rule("7.27"),
            f"{hex_id} does not qualify: there must be a landing in a vacant named location of yours, "
            "in HQ range and in your ZOI",
        )


def _roll_special(run: EotsRun, _frame: OffensiveFrame, _role: Side, hex_id: HexId) -> None:
    """Roll for special reaction to a landing, and declare a battle if the roll succeeds (7.27)."""
    target = current_offensive(run.state).special_iv
    assert target is not None
    success = intelligence.roll_intelligence(run, target, "special-reaction", hex_id)
    run.add(SpecialReactionTried(at=hex_id, success=success))
    if success:
        declaration.declare_battle(run, hex_id, is_special=True)


def _late_attack_refusals(
    state: State, frame: OffensiveFrame, role: Side, name: CardId
) -> Iterator[Refusal]:
    """While rolls remain, refuse every card. Afterwards, yield the reasons why a card may not be played (5.32B)."""
    if _is_rolling(state, frame):
        yield Refusal(Rule("7.27"), "special reaction comes before cards")
    elif reaction_cards.reaction_class(cards()[name]) == reaction_cards.DEACTIVATION:
        yield from reaction_cards.react_refusals(state, role, name, reaction_cards.DEACTIVATING)
    else:
        yield from attack_card_refusals(state, frame, role, name)


def _play_late_attack(run: EotsRun, frame: OffensiveFrame, role: Side, name: CardId) -> None:
    """Play A-22, or an attack card in an offensive without battle hexes (CP-08, 5.32B)."""
    if reaction_cards.reaction_class(cards()[name]) == reaction_cards.DEACTIVATION:
        _set_condition(run, frame, role, name)
    else:
        play_attack_card(run, frame, role, name)


def _end_rolls(run: EotsRun, frame: OffensiveFrame, _role: Side) -> None:
    """End the rolls, so that cards may be played. If the rolls are already over, stop playing cards."""
    rolling = _is_rolling(run.state, frame)
    enter_step(run, frame.step, _STAGE_AFTER_ROLLS if rolling else _STAGE_AFTER_ROLLS + 1)


class SpecialReactionStep(DecisionHandler[OffensiveFrame]):
    """Step 6: special reaction to landings (7.27), then attack cards if there are no battle hexes (5.32B)."""

    wrong_kind_text = "finish special reaction first"
    actions = (
        Naming(
            SpecialReaction,
            lambda state, _frame, _role: intelligence.special_candidates(state),
            _special_refusals,
            _roll_special,
        ),
        Naming(React, usable_hand_cards, _late_attack_refusals, _play_late_attack),
        PlainAction(Pass, _end_rolls),
    )

    @override
    def decision_rule(self, state: State, frame: OffensiveFrame) -> Rule:
        """Return the rule number: 7.27, or 5.32B for attack cards in an offensive without battle hexes."""
        return Rule("7.27") if _is_rolling(state, frame) else Rule("5.32B")

    @override
    def default(
        self, state: State, frame: OffensiveFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Roll for the first hex, but play no card."""
        return options[0] if isinstance(options[0], SpecialReaction) else options[-1]

    @override
    def active_roles(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return the Reaction player while a roll is possible or, if there is no battle hex, a card may be played."""
        offensive = current_offensive(state)
        if _is_rolling(state, frame):
            return (offensive.side.enemy,)
        if frame.stage > _STAGE_AFTER_ROLLS or offensive.battles or not offensive.activated:
            return ()
        can_play = attacks.can_attack(
            state, attacks.attack_windows(state, frame.step)
        ) or reaction_cards.can_deactivate(state)
        return (offensive.side.enemy,) if can_play else ()

    @override
    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether this is a response window. Once the rolls are over, only cards can be played."""
        return not _is_rolling(state, frame)

    @override
    def prompt(self, state: State, frame: OffensiveFrame, role: Side) -> str:
        """Return the prompt: choose a hex to roll for, or a card to play."""
        if not _is_rolling(state, frame):
            return "No battle hex: play an attack card, or continue"
        target = current_offensive(state).special_iv
        return f"Special reaction: roll {target} or less to contest a landing, or pass"

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Continue with intelligence, or with post-battle movement if no battle can take place (17.11)."""
        enter_step(
            run, 7 if current_offensive(run.state).battles or force_z_hexes(run.state) else 13
        )


def _setting_refusals(
    state: State, _frame: OffensiveFrame, role: Side, name: CardId
) -> Iterator[Refusal]:
    kinds = CONDITION_SETTING
    if _is_before_answers(state):
        kinds |= reaction_cards.DEACTIVATING
    return reaction_cards.react_refusals(state, role, name, kinds)


def _is_before_answers(state: State) -> bool:
    """Return whether step 7 has only just begun: no roll has been made and no card except A-22 played (CP-08)."""
    offensive = current_offensive(state)
    return not offensive.rolled and not any(
        cards()[name].reaction_class in CONDITION_SETTING for name in offensive.reaction.events
    )


def _set_condition(run: EotsRun, _frame: OffensiveFrame, role: Side, name: CardId) -> None:
    """Play either A-22 or a card that changes the intelligence condition (7.25, CP-08)."""
    windows = frozenset({Window.STEP7, Window.NEXT_TURN})
    reaction_cards.play_reaction(run, role, name, windows)


def _roll_refusals(state: State, _frame: OffensiveFrame, _role: Side) -> Iterator[Refusal]:
    """Refuse an intelligence roll that is no longer allowed (7.25C)."""
    if not intelligence.can_roll(state):
        yield Refusal(
            Rule("7.25C"),
            "a card was used, the roll was made, or the card specifies Surprise Attack",
        )


def _roll_intelligence(run: EotsRun, _frame: OffensiveFrame, _role: Side) -> None:
    """Roll for intelligence. Success changes the condition to Intercept (7.25C)."""
    target = current_offensive(run.state).iv
    assert target is not None
    success = intelligence.roll_intelligence(run, target, "intelligence", "")
    run.add(IntelligenceRolled(success=success))
    if success:
        run.add(ConditionSet(rule=Rule("7.25C"), condition=Condition.INTERCEPT))


class IntelligenceStep(DecisionHandler[OffensiveFrame]):
    """Step 7: the Reaction player tries to change the intelligence condition (7.25)."""

    rule = Rule("7.25")
    wrong_kind_text = "settle the intelligence condition first"
    actions = (
        Naming(React, usable_hand_cards, _setting_refusals, _set_condition),
        PlainAction(RollIntelligence, _roll_intelligence, _roll_refusals),
        PlainAction(Pass, end_stage),
    )

    @override
    def active_roles(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Return the Reaction player while, on public information alone, a roll or card play is still possible."""
        offensive = current_offensive(state)
        side = offensive.side.enemy
        if frame.stage or offensive.locked:
            return ()
        if offensive.rolled:
            is_failed = offensive.condition is Condition.SURPRISE
            return (side,) if is_failed and self._could_answer_late(state, side) else ()
        if _is_before_answers(state) and reaction_cards.can_deactivate(state):
            return (side,)
        can_set = bool(offensive.battles) and reaction_cards.can_answer(
            state, side, CONDITION_SETTING
        )
        return (side,) if can_set or intelligence.can_roll(state) else ()

    def _could_answer_late(self, state: State, side: Side) -> bool:
        """Return whether the side might hold a card that can be played after a failed roll."""
        deck = state.decks[side]
        visible_cards = reaction_cards.shown_cards(state, side)
        return (bool(deck.hand) or reaction_cards.can_use_future(state, side)) and any(
            cards()[card].side is side and card not in visible_cards
            for card in reaction_cards.AFTER_FAILED_ROLL
        )

    @override
    def default(
        self, state: State, frame: OffensiveFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        return RollIntelligence() if RollIntelligence() in options else options[-1]

    @override
    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether this is a response window. If no roll is allowed, only cards can be played."""
        return not intelligence.can_roll(state)

    @override
    def prompt(self, state: State, frame: OffensiveFrame, role: Side) -> str:
        """Return the prompt, which states the current condition and, if a roll is allowed, the target number."""
        offensive = current_offensive(state)
        modifier = intelligence.intelligence_modifier(state, role)
        roll = (
            f"; roll {offensive.iv} or less ({modifier:+d})" if intelligence.can_roll(state) else ""
        )
        return f"Intelligence: {offensive.condition}{roll}"

    @override
    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Continue with reaction. Under Surprise Attack, only a reaction ordered by J-2 takes place (7.26, 17.11)."""
        if is_reaction_ordered(run.state):
            enter_step(run, 8, _STAGE_AFTER_REACTION)
            run.push(OrderedReactionFrame())
            return
        is_surprise = current_offensive(run.state).condition is Condition.SURPRISE
        enter_step(run, 9 if is_surprise else 8)
