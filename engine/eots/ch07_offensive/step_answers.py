"""Steps 4, 6 and 7: cancellation, special reaction, intelligence (5.32D, 7.25, 7.27)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.ch07_offensive import (
    attacks,
    conclusion,
    declaration,
    intelligence,
    reaction_cards,
)
from engine.eots.ch07_offensive.reaction_cards import ReactionPlay
from engine.eots.ch07_offensive.step import EndingStage, go_to
from engine.eots.ch07_offensive.step_attacks import AttackPlay
from engine.eots.commands import (
    EotsCommand,
    Pass,
    React,
    RollIntelligence,
    SpecialReaction,
)
from engine.eots.deck import cards
from engine.eots.deck_terms import Window
from engine.eots.events.offensive import (
    ConditionSet,
    IntelligenceRolled,
    SpecialReactionTried,
)
from engine.eots.flow import Action, EotsRun, PlainAction, Question
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import Side
from engine.eots.state import Condition, State, current
from engine.kernel.ids import Refusal, Rule

CANCELLING: Final = frozenset({"weather", "personage"})
_ROLLS_OVER: Final = 1
"""Stage of step 6 in which special reaction is over and attack cards may be played."""
CONDITION_SETTING: Final = frozenset({"intelligence", "counter_offensive"})


class _Cancelling(ReactionPlay):
    """A card cancels the offensive (5.32D)."""

    def refusals(
        self, state: State, frame: OffensiveFrame, role: Side, command: React
    ) -> Iterator[Refusal]:
        """Yield the rules against the card."""
        return reaction_cards.check_react(state, role, command.card, CANCELLING)

    def apply(self, run: EotsRun, frame: OffensiveFrame, role: Side, command: React) -> None:
        """Play the card and cancel."""
        reaction_cards.play_reaction(run, role, command.card, frozenset({Window.STEP4}))
        conclusion.cancel(run, Rule("5.32D"))


class _Letting(PlainAction[OffensiveFrame, Pass]):
    """The offensive goes on."""

    def apply(self, run: EotsRun, frame: OffensiveFrame, role: Side, command: Pass) -> None:
        """Go on."""
        go_to(run, 5)


class CancellationStep(Question[OffensiveFrame]):
    """Step 4: the Reaction player may cancel the offensive (5.32D, CP-30)."""

    rule = Rule("5.32D")
    asks = "Cancel the offensive of {offensive.card}?"
    busy = "the Reaction player may cancel the offensive now"
    actions = (_Cancelling(), _Letting(Pass))

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask whoever could hold such a card, as far as everybody knows."""
        side = current(state).side.enemy
        if not current(state).activated or not reaction_cards.could_answer(state, side, CANCELLING):
            return ()
        return (side,)

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return that this is for cards alone."""
        return True

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on."""
        go_to(run, 5)


def _is_rolling(state: State, frame: OffensiveFrame) -> bool:
    """Return whether special reaction is not over and has a hex to roll for (7.27)."""
    return not frame.stage and bool(intelligence.special_candidates(state))


class _RollSpecial(Action[OffensiveFrame, SpecialReaction]):
    """The Reaction player rolls for a landing (7.27)."""

    kind = SpecialReaction

    def candidates(
        self, state: State, frame: OffensiveFrame, role: Side
    ) -> Iterator[SpecialReaction]:
        """Yield each candidate hex in ascending order."""
        for at in intelligence.special_candidates(state):
            yield SpecialReaction(at=at)

    def refusals(
        self, state: State, frame: OffensiveFrame, role: Side, command: SpecialReaction
    ) -> Iterator[Refusal]:
        """Yield that a hex is no candidate."""
        if frame.stage or command.at not in intelligence.special_candidates(state):
            yield Refusal(
                Rule("7.27"),
                f"{command.at} is no candidate: it takes a landing in a vacant named location of yours, "
                "in HQ range and in your ZOI",
            )

    def apply(
        self, run: EotsRun, frame: OffensiveFrame, role: Side, command: SpecialReaction
    ) -> None:
        """Roll, and declare the battle on success."""
        target = current(run.state).special_iv
        assert target is not None
        success = intelligence.roll(run, target, "special-reaction", command.at)
        run.add(SpecialReactionTried(at=command.at, success=success))
        if success:
            declaration.declare(run, command.at, special=True)


class _LateAttackPlay(AttackPlay):
    """An attack card is played in an offensive without battle hexes (5.32B)."""

    def refusals(
        self, state: State, frame: OffensiveFrame, role: Side, command: React
    ) -> Iterator[Refusal]:
        """Yield that rolls come first, or the rules against the card."""
        if _is_rolling(state, frame):
            yield Refusal(Rule("7.27"), "special reaction comes before cards")
        else:
            yield from super().refusals(state, frame, role, command)


class _EndingRolls(PlainAction[OffensiveFrame, Pass]):
    """To pass ends the rolls, later the cards."""

    def apply(self, run: EotsRun, frame: OffensiveFrame, role: Side, command: Pass) -> None:
        """Go on to cards, or past them."""
        rolling = _is_rolling(run.state, frame)
        go_to(run, frame.step, _ROLLS_OVER if rolling else _ROLLS_OVER + 1)


class SpecialReactionStep(Question[OffensiveFrame]):
    """Step 6: special reaction to landings (7.27), then attack cards when there is no battle hex (5.32B)."""

    busy = "special reaction is being decided now"
    actions = (_RollSpecial(), _LateAttackPlay(), _EndingRolls(Pass))

    def rule_of(self, state: State, frame: OffensiveFrame) -> Rule:
        """Return 7.27, or 5.32B for the attack cards of an offensive without battle hexes."""
        return Rule("7.27") if _is_rolling(state, frame) else Rule("5.32B")

    def default(
        self, state: State, frame: OffensiveFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Roll for the first hex, but play no card."""
        return options[0] if isinstance(options[0], SpecialReaction) else options[-1]

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask while a candidate hex is left, then for attack cards when there is no battle hex."""
        offensive = current(state)
        if _is_rolling(state, frame):
            return (offensive.side.enemy,)
        if frame.stage > _ROLLS_OVER or offensive.battles or not offensive.activated:
            return ()
        could_attack = attacks.could_attack(state, attacks.WINDOWS[frame.step])
        return (offensive.side.enemy,) if could_attack else ()

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether the rolls are over and only cards are left."""
        return not _is_rolling(state, frame)

    def prompt(self, state: State, frame: OffensiveFrame, role: Side) -> str:
        """Ask for the hex to roll for, or for a card."""
        if not _is_rolling(state, frame):
            return "No battle hex: play an attack card, or go on"
        target = current(state).special_iv
        return f"Special reaction: roll {target} or less for a landing, or let it go"

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on to the condition, or to post-battle movement when there is no battle hex."""
        go_to(run, 7 if current(run.state).battles else 13)


class _SettingCondition(ReactionPlay):
    """A card sets the condition (7.25)."""

    def refusals(
        self, state: State, frame: OffensiveFrame, role: Side, command: React
    ) -> Iterator[Refusal]:
        """Yield the rules against the card."""
        return reaction_cards.check_react(state, role, command.card, CONDITION_SETTING)

    def apply(self, run: EotsRun, frame: OffensiveFrame, role: Side, command: React) -> None:
        """Play the card."""
        reaction_cards.play_reaction(run, role, command.card, frozenset({Window.STEP7}))


class _RollIntelligence(PlainAction[OffensiveFrame, RollIntelligence]):
    """The Reaction player rolls for intelligence (7.25C)."""

    def refusals(
        self, state: State, frame: OffensiveFrame, role: Side, command: RollIntelligence
    ) -> Iterator[Refusal]:
        """Yield that there is no roll any more."""
        if not intelligence.may_roll(state):
            yield Refusal(
                Rule("7.25C"),
                "a card was used, the roll was made, or the card specifies Surprise Attack",
            )

    def apply(
        self, run: EotsRun, frame: OffensiveFrame, role: Side, command: RollIntelligence
    ) -> None:
        """Roll; success intercepts."""
        target = current(run.state).iv
        assert target is not None
        success = intelligence.roll(run, target, "intelligence", "")
        run.add(IntelligenceRolled(success=success))
        if success:
            run.add(ConditionSet(rule=Rule("7.25C"), condition=Condition.INTERCEPT))


class IntelligenceStep(Question[OffensiveFrame]):
    """Step 7: the Reaction player tries to change the condition (7.25)."""

    rule = Rule("7.25")
    busy = "the intelligence condition is being decided now"
    actions = (_SettingCondition(), _RollIntelligence(RollIntelligence), EndingStage(Pass))

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask while a roll or a card is possible, as far as everybody knows."""
        offensive = current(state)
        side = offensive.side.enemy
        if frame.stage or offensive.locked:
            return ()
        if offensive.rolled:
            failed = offensive.condition is Condition.SURPRISE
            return (side,) if failed and self._could_answer_late(state, side) else ()
        if intelligence.may_roll(state) or reaction_cards.could_answer(
            state, side, CONDITION_SETTING
        ):
            return (side,)
        return ()

    def _could_answer_late(self, state: State, side: Side) -> bool:
        """Return whether a card that may follow a failed roll could be held."""
        deck = state.decks[side]
        shown = reaction_cards.shown_cards(state, side)
        return (bool(deck.hand) or reaction_cards.may_use_future(state, side)) and any(
            cards()[card].side is side and card not in shown
            for card in reaction_cards.AFTER_FAILED_ROLL
        )

    def default(
        self, state: State, frame: OffensiveFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Roll while a roll is allowed."""
        return RollIntelligence() if RollIntelligence() in options else options[-1]

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether no roll is allowed, so that only cards are left."""
        return not intelligence.may_roll(state)

    def prompt(self, state: State, frame: OffensiveFrame, role: Side) -> str:
        """Say the condition and the target."""
        offensive = current(state)
        modifier = intelligence.intelligence_modifier(state, role)
        roll = (
            f"; roll {offensive.iv} or less ({modifier:+d})" if intelligence.may_roll(state) else ""
        )
        return f"Intelligence: {offensive.condition}{roll}"

    def step(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on to reaction, or past it under Surprise Attack (7.26)."""
        surprised = current(run.state).condition is Condition.SURPRISE
        go_to(run, 9 if surprised else 8)
