"""Reaction cards played as events: the cards that each window allows, and how they are played (5.32)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.cards.activation_limits import ineffective_reaction_classes
from engine.eots.cards.conditions import is_condition_met
from engine.eots.cards.interpreter import apply_steps
from engine.eots.ch06_supply.paths import is_in_command_range
from engine.eots.ch06_supply.supply import supply
from engine.eots.counters import counters
from engine.eots.deck import Card, cards, event_rule, selects_hq
from engine.eots.deck_offensive import DeactivateUnit, Intel
from engine.eots.deck_terms import Window
from engine.eots.events.cards import CardPlayed
from engine.eots.events.offensive import ConditionSet, ReactionPlayed
from engine.eots.flow import EotsRun
from engine.eots.frames import OffensiveFrame
from engine.eots.ids import CardId, ScenarioId, Side, UnitId
from engine.eots.rulings import FO_LAST_CARD, SR_HQ
from engine.eots.scenarios import omitted_cards
from engine.eots.state import HIDDEN, Condition, State, current_offensive
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

MAX_REACTIONS: Final = 3
"""Maximum number of reaction cards played as events in one offensive (5.32)."""
AFTER_FAILED_ROLL: Final = frozenset({CardId("J-13")})
"""Cards whose text allows them to be played after a failed intelligence roll (7.25C)."""
DEACTIVATION: Final = "deactivation"
DEACTIVATING: Final = frozenset({DEACTIVATION})
"""Class of the card that cancels one unit's activation (CP-08).

The card is played at the start of step 7 or, if there are no battle hexes, in step 6.
"""

_HOLDING: Final = Memo[dict[Side, tuple[tuple[CardId, bool], ...]]]()

FUTURE_UNUSABLE_TEXT: Final = (
    "a future offensives card cannot be used in the turn when it was placed, or as the last card"
)
"""Text shown if the future offensives card may not be used (7.29B, OP-12)."""


def usable_cards(state: State, side: Side) -> tuple[tuple[CardId, bool], ...]:
    """Return the cards that a side may use now: pairs of a card and whether it is the future offensives card.

    See 5.35, 7.29B and OP-12. Results are cached.
    """
    cards_by_side = _HOLDING.get(state, (state,), dict)
    if side not in cards_by_side:
        cards_by_side[side] = _usable_cards(state, side)
    return cards_by_side[side]


def has_usable_card(state: State, side: Side, name: CardId) -> bool:
    """Return whether a side may use a card now."""
    usable_card = usable_cards(state, side)
    return (name, False) in usable_card or (name, True) in usable_card


def _usable_cards(state: State, side: Side) -> tuple[tuple[CardId, bool], ...]:
    deck = state.decks[side]
    locked_cards = list(deck.locked)
    usable_cards_found: list[tuple[CardId, bool]] = []
    for card in deck.hand:
        if card in locked_cards:
            locked_cards.remove(card)
        elif card != HIDDEN:
            usable_cards_found.append((card, False))
    if deck.future not in {None, HIDDEN} and can_use_future(state, side):
        usable_cards_found.append((CardId(str(deck.future)), True))
    return tuple(usable_cards_found)


def can_use_future(state: State, side: Side) -> bool:
    """Return whether the future offensives card may be used now, judged by public information alone (7.29B, OP-12).

    The card may not be used in the turn in which it was placed, or if its owner has no other card. Under the
    alternative reading, it may also be used if the opponent has a card.
    """
    deck = state.decks[side]
    if deck.future is None or deck.future_turn >= state.turn:
        return False
    if deck.hand:
        return True
    return FO_LAST_CARD.uses_alternative(state.options) and bool(state.decks[side.enemy].hand)


def reaction_class(card: Card) -> str | None:
    """Return a reaction card's class; the card that cancels one activation has the class `deactivation` (CP-08)."""
    if any(isinstance(step, DeactivateUnit) for step in card.effects):
        return DEACTIVATION
    return card.reaction_class


@cache
def _cards_of_classes(side: Side, classes: frozenset[str]) -> tuple[Card, ...]:
    """Return a side's reaction cards of the given classes."""
    return tuple(
        card for card in cards().values() if card.side is side and reaction_class(card) in classes
    )


def can_deactivate(state: State) -> bool:
    """Return whether, on public information alone, the Reaction player could cancel an activation (CP-08)."""
    side = current_offensive(state).side.enemy
    return can_answer(state, side, DEACTIVATING) and any(
        all(is_condition_met(state, condition, side) for condition in card.play.event_requires)
        for card in _cards_of_classes(side, DEACTIVATING)
    )


def can_answer(state: State, side: Side, classes: frozenset[str]) -> bool:
    """Return whether a side might hold a usable reaction card of these classes, judged by public information alone.

    Only the size of the hand, the open piles and the number of reactions played are used. The result therefore reveals
    nothing about the hand.
    """
    deck, offensive = state.decks[side], current_offensive(state)
    if not deck.hand and not can_use_future(state, side):
        return False
    if len(offensive.reaction.events) >= MAX_REACTIONS:
        return False
    # Asking only players who hold such a card would reveal their hands.
    visible_cards = shown_cards(state, side)
    return any(
        card.id not in visible_cards
        and all(is_condition_met(state, condition, side) for condition in card.play.event_requires)
        for card in _cards_of_classes(side, classes)
    )


def shown_cards(state: State, side: Side) -> frozenset[CardId]:
    """Return a side's cards that are publicly known not to be in its hand."""
    deck = state.decks[side]
    visible_faces = {*deck.discard, *deck.removed, *current_offensive(state).reaction.events}
    return omitted_cards(ScenarioId(state.scenario), side) | visible_faces


def react_refusals(
    state: State, side: Side, name: CardId, classes: frozenset[str]
) -> Iterator[Refusal]:
    """Yield the reasons why a card may not be played as a reaction now (5.32, 7.25, 7.29B).

    Args:
        state: The position.
        side: The Reaction player.
        name: A card in the hand, or the future offensives card.
        classes: Classes that the current window allows.
    """
    offensive, card = current_offensive(state), cards()[name]
    if not has_usable_card(state, side, name):
        yield Refusal(
            Rule("5.32"),
            f"you cannot use {name} now: it is not in your hand, or it is locked or an FO card placed this turn",
        )
        if name == state.decks[side].future:
            yield Refusal(Rule("7.29"), FUTURE_UNUSABLE_TEXT)
        return
    if card.reaction_class == "weather" and offensive.reaction.events:
        yield Refusal(Rule("7.25"), f"{name} excludes every other reaction card in an offensive")
        return
    if card.reaction_class is None or reaction_class(card) not in classes:
        yield Refusal(Rule("5.32"), f"{name} is not a reaction card for this window")
        return
    if len(offensive.reaction.events) >= MAX_REACTIONS:
        yield Refusal(
            Rule("5.32"), "three reaction cards have already been played in this offensive"
        )
    if card.reaction_class in ineffective_reaction_classes(state):
        yield Refusal(Rule("5.31"), f"{offensive.card} is immune to {card.reaction_class} cards")
    for condition in card.play.event_requires:
        if not is_condition_met(state, condition, side):
            yield Refusal(Rule("5.31"), f"the condition of {name} is not met")
    if card.reaction_class in {"intelligence", "counter_offensive"}:
        yield from _condition_card_refusals(state, side, card)


def _condition_card_refusals(state: State, side: Side, card: Card) -> Iterator[Refusal]:
    offensive = current_offensive(state)
    if offensive.locked:
        yield Refusal(Rule("7.25"), f"{offensive.card} locks the intelligence condition")
    if not offensive.battles:
        yield Refusal(Rule("5.32"), "there is no battle hex")
    if offensive.rolled and card.id not in AFTER_FAILED_ROLL:
        yield Refusal(Rule("7.25C"), "the intelligence roll has already been made")
    if card.id in AFTER_FAILED_ROLL and any(
        cards()[name].reaction_class == "intelligence" for name in offensive.reaction.events
    ):
        yield Refusal(event_rule(card), "it cannot be played after another intelligence card")
    if card.reaction_class == "counter_offensive":
        if offensive.reaction.counter_card is not None:
            yield Refusal(Rule("5.32C"), "a counteroffensive has already been played")
        if not reaction_hqs(state, side, card):
            yield Refusal(Rule("7.26"), "no HQ that the card allows has a battle hex in range")


def reaction_hqs(state: State, side: Side, card: Card | None) -> tuple[UnitId, ...]:
    """Return the supplied HQs that a card allows to react and that have a battle hex in command range (7.26)."""
    battles = tuple(sorted(current_offensive(state).battles))
    special_hexes = (
        current_offensive(state).specials_tried if SR_HQ.uses_alternative(state.options) else ()
    )  # OP-22
    return tuple(
        hq
        for hq in supply(state).supplied_hqs(side)
        if any(is_in_command_range(state, hq, hex_id) for hex_id in battles)
        and all(is_in_command_range(state, hq, hex_id) for hex_id in special_hexes)
        and (
            card is None
            or card.hq is None
            or any(selects_hq(word, counters()[hq]) for word in card.hq)
        )
    )


def usable_hand_cards(state: State, _frame: OffensiveFrame, role: Side) -> tuple[CardId, ...]:
    """Return the cards that a side may use now, in hand order."""
    return tuple(name for name, _ in usable_cards(state, role))


def play_reaction(run: EotsRun, side: Side, name: CardId, windows: frozenset[Window]) -> None:
    """Play a reaction card: reveal and count it, set the condition and apply its immediate steps (5.32)."""
    card = cards()[name]
    future_card = run.state.decks[side].future == name
    run.add(CardPlayed(side=side, card=name, use="reaction", future=future_card))
    run.add(ReactionPlayed(card=name, counter=card.reaction_class == "counter_offensive"))
    for step in card.effects:
        if isinstance(step, Intel):
            _set_condition(run, Condition(step.condition), Rule(name))
    apply_steps(run, card, windows)


def _set_condition(run: EotsRun, condition: Condition, rule: Rule) -> None:
    """Set the intelligence condition. Ambush prevails over Intercept (7.25B)."""
    current_condition = current_offensive(run.state).condition
    if current_condition is not Condition.AMBUSH and current_condition is not condition:
        run.add(ConditionSet(rule=rule, condition=condition))
