"""The Play step: a country takes exactly one action (8.2)."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg import phrases
from engine.qmg.any_time import any_time_cards, use_any_time_card
from engine.qmg.ch08_reallocate import TIMING_REFUSAL, begin_reallocation, reallocation_problem
from engine.qmg.ch09_cards import discard_deck, last_distinct_card, unique_copies
from engine.qmg.ch09_playing import UNPLAYABLE, play_card
from engine.qmg.ch10_answers import Usable, usable_statuses
from engine.qmg.ch10_windows import use_refusals
from engine.qmg.commands import DiscardTop, Drop, LosePoint, Play, QmgCommand, Reallocate, Use
from engine.qmg.deck import CARD
from engine.qmg.events import VpChanged
from engine.qmg.frames import PlayStepFrame, UseFrame
from engine.qmg.ids import HIDDEN, TEAM_BY_FORCE
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Run
from engine.qmg.state import State

K = TypeVar("K", Play, Drop)
E = TypeVar("E", DiscardTop, LosePoint)


def play_alternatives(
    state: State, country: str, barred_cards: Sequence[str] = ()
) -> Iterator[Usable]:
    """Yield the Statuses that may be used instead of playing a card, if their requirements are met (8.2 c, 16.3)."""
    return usable_statuses(state, country, "play_alternative", barred_cards)


class _HandAction(ListedAction[PlayStepFrame, K]):
    """Base class of actions with a card from hand. Identical cards are listed once (9.1)."""

    timing = Refusal(
        Rule("8.2"), "this is an action of your Play step, and you have only one per turn"
    )

    @override
    def candidates(self, state: State, frame: PlayStepFrame, role: str) -> list[K]:
        hand = unique_copies(state.cards_of(role).hand)
        return [self.kind(card=card) for card in hand if not self.is_barred(card)]

    def is_barred(self, card: str) -> bool:
        """Return whether this action is never possible with a card."""
        del card
        return False

    @override
    def refusals(
        self, state: State, frame: PlayStepFrame, role: str, command: K
    ) -> Iterator[Refusal]:
        """Yield the reasons why a card cannot be chosen.

        If the hand is partly hidden, only its known cards can be chosen.
        """
        hand, card = state.cards_of(role).hand, command.card
        if HIDDEN in hand and card != HIDDEN:
            is_choice = card in unique_copies(hand) and not self.is_barred(card)
        else:
            is_choice = command in self.candidates(state, frame, role)
        if not is_choice:
            yield from self.refusals_if_unlisted(state, frame, role, command)

    @override
    def refusals_if_unlisted(
        self, state: State, frame: PlayStepFrame, role: str, command: K
    ) -> Iterator[Refusal]:
        """Yield the reasons why a card that is not among the candidates cannot be chosen."""
        card = command.card
        if card not in state.cards_of(role).hand:
            name = phrases.card_title(card) if card in CARD else card
            yield Refusal(Rule("8.2"), f"{name} is not in hand")
        elif self.is_barred(card):
            yield Refusal(
                Rule("13.2"), "Air Power and Bolster cards cannot be played in the Play step"
            )
        else:
            yield Refusal(Rule("9.1"), "another copy of the same card represents this one")


class PlayHandCard(_HandAction[Play]):
    """Play a card from hand (8.2 a)."""

    kind = Play

    @override
    def is_barred(self, card: str) -> bool:
        """Return whether a card can never be played (13.2)."""
        return CARD[card].type in UNPLAYABLE

    @override
    def apply(self, run: Run, frame: PlayStepFrame, role: str, command: Play) -> None:
        # Frames are public, so the frame only records that the action was taken, without naming the
        # card.
        run.replace_top(replace(frame, using=HIDDEN))
        play_card(run, role, command.card, "hand", "play")


class DropCard(_HandAction[Drop]):
    """Discard a card from hand without effect (8.2 b)."""

    kind = Drop

    @override
    def apply(self, run: Run, frame: PlayStepFrame, role: str, command: Drop) -> None:
        run.replace_top(replace(frame, using=HIDDEN))
        run.move_card(role, command.card, "hand", "discard-bottom", reason="play-step")


class UseCard(ListedAction[PlayStepFrame, Use]):
    """Use a Status instead of playing a card, or use a card that may be used at any time (8.2 c, 10.6)."""

    kind = Use

    @override
    def candidates(self, state: State, frame: PlayStepFrame, role: str) -> Iterator[Use]:
        for usable_card in play_alternatives(state, role, frame.barred):
            yield Use(card=usable_card.card)

    @override
    def refusals(
        self, state: State, frame: PlayStepFrame, role: str, command: Use
    ) -> Iterator[Refusal]:
        """Yield the reasons why a card cannot be used, either instead of playing a card or at any time."""
        card = command.card
        if card not in any_time_cards(state, role) and all(
            card != usable_card.card for usable_card in play_alternatives(state, role, frame.barred)
        ):
            yield from use_refusals(state, role, card, None)

    @override
    def apply(self, run: Run, frame: PlayStepFrame, role: str, command: Use) -> None:
        """Use the card. A Status used instead of playing a card counts as the step's action (9.8)."""
        for usable_card in play_alternatives(run.state, role, frame.barred):
            if usable_card.card == command.card:
                run.replace_top(replace(frame, using=usable_card.card))
                run.push(
                    UseFrame(
                        country=role, card=usable_card.card, ability=usable_card.ability.number
                    )
                )
                return
        use_any_time_card(run, role, command.card)

    @override
    def timing_refusals(self, state: State, role: str, command: Use) -> Iterator[Refusal]:
        """Yield the reasons why the card cannot be used now."""
        return use_refusals(state, role, command.card, None)


class UseAnyTime(UseCard):
    """Use a card that may be used at any time. Such cards are listed after Reallocate Resources."""

    @override
    def candidates(self, state: State, frame: PlayStepFrame, role: str) -> Iterator[Use]:
        """Yield the cards that can be used at any time."""
        for card in any_time_cards(state, role):
            yield Use(card=card)


class ReallocateFirst(PlainAction[PlayStepFrame, Reallocate]):
    """Reallocate Resources before the step's action (8.3)."""

    timing = TIMING_REFUSAL

    @override
    def refusals(
        self, state: State, frame: PlayStepFrame, role: str, command: Reallocate
    ) -> Iterator[Refusal]:
        """Yield the reasons why resources cannot be reallocated."""
        reason = reallocation_problem(state, role)
        if reason:
            yield Refusal(Rule("8.3"), reason)

    @override
    def apply(self, run: Run, frame: PlayStepFrame, role: str, command: Reallocate) -> None:
        begin_reallocation(run, role)


class EmptyHandAction(PlainAction[PlayStepFrame, E]):
    """With an empty hand, discard the deck's top card. If the deck is empty too, lose 1 VP (8.2 d, 8.2 e)."""

    timing = _HandAction.timing

    @override
    def refusals(
        self, state: State, frame: PlayStepFrame, role: str, command: E
    ) -> Iterator[Refusal]:
        """Yield a refusal if the hand is not empty, or if the command does not fit an empty or non-empty deck."""
        cards, of_deck = state.cards_of(role), isinstance(command, DiscardTop)
        if cards.hand or bool(cards.deck_size) != of_deck:
            condition_text = "while there is a deck" if of_deck else "an empty deck"
            yield Refusal(Rule("8.2"), f"this is only for an empty hand and {condition_text}")

    @override
    def apply(self, run: Run, frame: PlayStepFrame, role: str, command: E) -> None:
        """Discard the card face down, or deduct the VP."""
        run.replace_top(replace(frame, using=HIDDEN))
        if isinstance(command, DiscardTop):
            discard_deck(run, role, 1, "play-step")
        else:
            run.add(VpChanged(team=TEAM_BY_FORCE[role], amount=-1, why="cards"))


class PlayStepHandler(CountryQuestion[PlayStepFrame]):
    """The country takes exactly one action (8.2)."""

    frame = PlayStepFrame
    rule = Rule("8.2")
    question = "Play step: play a card, or take another action"
    wrong_kind_text = "choose an action for the Play step"
    actions = (
        PlayHandCard(),
        UseCard(),
        ReallocateFirst(Reallocate),
        UseAnyTime(),
        DropCard(),
        EmptyHandAction(DiscardTop),
        EmptyHandAction(LosePoint),
    )

    @override
    def try_step(self, run: Run, frame: PlayStepFrame) -> bool:
        """End the step after an action. A cancelled use (18.31) and a Bolster (16.4) do not count as the action."""
        if not frame.using:
            return False
        if frame.using != HIDDEN and run.take_result().cancelled:
            run.replace_top(replace(frame, using="", barred=(*frame.barred, frame.using)))
            return True
        run.pop()
        return True

    @override
    def default(
        self, state: State, frame: PlayStepFrame, role: str, options: tuple[QmgCommand, ...]
    ) -> QmgCommand:
        """Return the command to discard the last card in hand.

        If the hand is empty, return the only possible action.
        """
        hand = state.cards_of(role).hand
        return Drop(card=last_distinct_card(hand)) if hand else options[-1]
