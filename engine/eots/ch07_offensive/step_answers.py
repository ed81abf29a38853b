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
from engine.eots.ch07_offensive.step import Step, go_to, next_stage
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
from engine.eots.flow import EotsRun, top
from engine.eots.frames import (
    OffensiveFrame,
)
from engine.eots.ids import Side
from engine.eots.state import Condition, State, current
from engine.kernel.ids import Refusal, Rule

CANCELLING: Final = frozenset({"weather", "personage"})
_ROLLS_OVER: Final = 1
"""Stage of step 6 in which special reaction is over and attack cards may be played."""
CONDITION_SETTING: Final = frozenset({"intelligence", "counter_offensive"})


class CancellationStep(Step):
    """Step 4: the Reaction player may cancel the offensive (5.32D, CP-30)."""

    rule = Rule("5.32D")

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask whoever could hold such a card, as far as everybody knows."""
        side = current(state).side.enemy
        if not current(state).activated or not reaction_cards.could_answer(state, side, CANCELLING):
            return ()
        return (side,)

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return that this is for cards alone."""
        return True

    def prompt(self, state: State) -> str:
        """Ask for a cancelling card."""
        return f"Cancel the offensive of {current(state).card}?"

    def options(self, state: State, frame: OffensiveFrame) -> tuple[EotsCommand, ...]:
        """Offer the cards and to decline."""
        side = current(state).side.enemy
        return (
            *(React(card=card) for card in reaction_cards.react_options(state, side, CANCELLING)),
            Pass(),
        )

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Cancel or go on."""
        if not isinstance(command, React):
            go_to(run, 5)
            return
        side = current(run.state).side.enemy
        reaction_cards.play_reaction(run, side, command.card, frozenset({Window.STEP4}))
        conclusion.cancel(run, Rule("5.32D"))

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on."""
        go_to(run, 5)

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against a card."""
        if isinstance(command, React):
            yield from reaction_cards.check_react(
                state, current(state).side.enemy, command.card, CANCELLING
            )
        else:
            yield Refusal(self.rule, "the Reaction player may cancel the offensive now")


class SpecialReactionStep(Step):
    """Step 6: special reaction to landings (7.27)."""

    rule = Rule("7.27")

    def rule_now(self, state: State, frame: OffensiveFrame) -> Rule:
        """Return 7.27, or 5.32B for the attack cards of an offensive without battle hexes."""
        return self.rule if self._is_rolling(state, frame) else Rule("5.32B")

    def default(self, options: tuple[EotsCommand, ...]) -> EotsCommand:
        """Roll for the first hex, but play no card."""
        return options[0] if isinstance(options[0], SpecialReaction) else options[-1]

    def _is_rolling(self, state: State, frame: OffensiveFrame) -> bool:
        return not frame.stage and bool(intelligence.special_candidates(state))

    def asked(self, state: State, frame: OffensiveFrame) -> tuple[Side, ...]:
        """Ask while a candidate hex is left, then for attack cards when there is no battle hex."""
        if self._is_rolling(state, frame):
            return (current(state).side.enemy,)
        if frame.stage > _ROLLS_OVER or current(state).battles:
            return ()
        if not current(state).activated or not attacks.could_attack(state, attacks.WITHOUT_BATTLE):
            return ()
        return (current(state).side.enemy,)

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether the rolls are over and only cards are left."""
        return not self._is_rolling(state, frame)

    def prompt(self, state: State) -> str:
        """Ask for the hex to roll for, or for a card."""
        frame = top(state)
        if isinstance(frame, OffensiveFrame) and not self._is_rolling(state, frame):
            return "No battle hex: play an attack card, or go on"
        target = current(state).special_iv
        return f"Special reaction: roll {target} or less for a landing, or let it go"

    def options(self, state: State, frame: OffensiveFrame) -> tuple[EotsCommand, ...]:
        """Offer each candidate in ascending order, then to decline; later the attack cards."""
        if not self._is_rolling(state, frame):
            found = attacks.attack_options(state, attacks.WITHOUT_BATTLE)
            return (*(React(card=card) for card in found), Pass())
        return (*(SpecialReaction(at=at) for at in intelligence.special_candidates(state)), Pass())

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Roll for one hex, play an attack card, or finish."""
        if isinstance(command, React):
            attacks.play_attack(run, command.card)
            return
        if not isinstance(command, SpecialReaction):
            rolling = self._is_rolling(run.state, frame)
            go_to(run, frame.step, _ROLLS_OVER if rolling else _ROLLS_OVER + 1)
            return
        target = current(run.state).special_iv
        assert target is not None
        success = intelligence.roll(run, target, "special-reaction", command.at)
        run.add(SpecialReactionTried(at=command.at, success=success))
        if success:
            declaration.declare(run, command.at, special=True)

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on to the condition, or to post-battle movement when there is no battle hex."""
        go_to(run, 7 if current(run.state).battles else 13)

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rule against a hex."""
        if isinstance(command, SpecialReaction):
            yield Refusal(
                self.rule,
                f"{command.at} is no candidate: it takes a landing in a vacant named location of yours, "
                "in HQ range and in your ZOI",
            )
        elif isinstance(command, React):
            frame = top(state)
            if isinstance(frame, OffensiveFrame) and not self._is_rolling(state, frame):
                yield from attacks.check_attack(state, command.card, attacks.WITHOUT_BATTLE)
            else:
                yield Refusal(self.rule, "special reaction comes before cards")
        else:
            yield Refusal(self.rule, "special reaction is being decided now")


class IntelligenceStep(Step):
    """Step 7: the Reaction player tries to change the condition (7.25)."""

    rule = Rule("7.25")

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
        shown = {*deck.discard, *deck.removed, *current(state).reaction.events}
        return (bool(deck.hand) or reaction_cards.may_use_future(state, side)) and any(
            cards()[card].side is side and card not in shown
            for card in reaction_cards.AFTER_FAILED_ROLL
        )

    def default(self, options: tuple[EotsCommand, ...]) -> EotsCommand:
        """Roll while a roll is allowed."""
        return RollIntelligence() if RollIntelligence() in options else options[-1]

    def is_window(self, state: State, frame: OffensiveFrame) -> bool:
        """Return whether no roll is allowed, so that only cards are left."""
        return not intelligence.may_roll(state)

    def prompt(self, state: State) -> str:
        """Say the condition and the target."""
        offensive = current(state)
        modifier = intelligence.intelligence_modifier(state, offensive.side.enemy)
        roll = (
            f"; roll {offensive.iv} or less ({modifier:+d})" if intelligence.may_roll(state) else ""
        )
        return f"Intelligence: {offensive.condition}{roll}"

    def options(self, state: State, frame: OffensiveFrame) -> tuple[EotsCommand, ...]:
        """Offer cards in the order of the hand, the roll, then to go on."""
        side = current(state).side.enemy
        played: tuple[EotsCommand, ...] = tuple(
            React(card=card)
            for card in reaction_cards.react_options(state, side, CONDITION_SETTING)
        )
        roll: tuple[EotsCommand, ...] = (
            (RollIntelligence(),) if intelligence.may_roll(state) else ()
        )
        return (*played, *roll, Pass())

    def resolve(self, run: EotsRun, frame: OffensiveFrame, command: EotsCommand) -> None:
        """Play a card, roll, or go on."""
        match command:
            case React(card=card):
                side = current(run.state).side.enemy
                reaction_cards.play_reaction(run, side, card, frozenset({Window.STEP7}))
            case RollIntelligence():
                target = current(run.state).iv
                assert target is not None
                success = intelligence.roll(run, target, "intelligence", "")
                run.add(IntelligenceRolled(success=success))
                if success:
                    run.add(ConditionSet(rule=Rule("7.25C"), condition=Condition.INTERCEPT))
            case _:
                next_stage(run, frame)

    def run(self, run: EotsRun, frame: OffensiveFrame) -> None:
        """Go on to reaction, or past it under Surprise Attack (7.26)."""
        surprised = current(run.state).condition is Condition.SURPRISE
        go_to(run, 9 if surprised else 8)

    def why_not(self, state: State, command: EotsCommand) -> Iterator[Refusal]:
        """Yield the rules against a card or a roll."""
        match command:
            case React(card=card):
                yield from reaction_cards.check_react(
                    state, current(state).side.enemy, card, CONDITION_SETTING
                )
            case RollIntelligence():
                yield Refusal(
                    Rule("7.25C"),
                    "a card was used, the roll was made, or the card specifies Surprise Attack",
                )
            case _:
                yield Refusal(self.rule, "the intelligence condition is being decided now")
