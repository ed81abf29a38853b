"""Samples full positions that an Empire of the Sun seat cannot distinguish from the real one (5.0, 7.29).

The faces of the enemy's cards are the only secrets in the game. Unseen cards are dealt at random to the hand, the
future offensives card and the undrawn cards.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.eots.frames import EventFrame
from engine.eots.ids import CardId, ScenarioId, Side
from engine.eots.position import Position
from engine.eots.scenarios import scenario, scenario_deck
from engine.eots.state import HIDDEN, Deck
from engine.kernel.dice import DerivedDice


def complete_position(position: Position, side: Side, dice: DerivedDice) -> Position:
    """Return the position with a random face for every card that a side does not know."""
    enemy = side.enemy
    deck, cards_beneath = position.decks[enemy], position.beneath.get(enemy, ())
    unknown_cards = _shuffle(_hidden_cards(position, enemy), dice)
    hand = _deal_pile(deck.hand, unknown_cards)
    future_card = deck.future
    if future_card == HIDDEN:
        future_card = unknown_cards.pop()
    position_known = replace(
        deck,
        # The piles are in the engine's order, because random draws depend on it.
        hand=_sorted_by_id(hand),
        future=future_card,
        draw=_sorted_by_id(_deal_pile(deck.draw, unknown_cards)),
        locked=_locked_cards(deck, hand),
    )
    piles = (
        {**position.beneath, enemy: _sorted_by_id(_deal_pile(cards_beneath, unknown_cards))}
        if cards_beneath
        else None
    )
    return replace(
        position,
        decks={**position.decks, enemy: position_known},
        beneath=position.beneath if piles is None else piles,
        taken_back=tuple(card for card in position.taken_back if card != HIDDEN),
    )


def _hidden_cards(position: Position, side: Side) -> list[CardId]:
    """Return a side's face-down cards, sorted by number."""
    deck = position.decks[side]
    visible_faces = {*deck.discard, *deck.removed, *deck.hand, *deck.draw, deck.future}
    visible_faces.update(position.beneath.get(side, ()))
    offensive = position.offensive
    # Cards that are being played are not in any pile.
    if offensive is not None:
        visible_faces.update((offensive.card, *offensive.reaction.events))
    visible_faces.update(frame.card for frame in position.frames if isinstance(frame, EventFrame))
    full_deck = scenario_deck(scenario(ScenarioId(position.scenario)), side)
    return [card for card in full_deck if card not in visible_faces]


def _shuffle(cards: list[CardId], dice: DerivedDice) -> list[CardId]:
    for last_index in range(len(cards) - 1, 0, -1):
        index = dice.randbelow(last_index + 1)
        cards[last_index], cards[index] = cards[index], cards[last_index]
    return cards


def _deal_pile(pile: Sequence[CardId], unknown_cards: list[CardId]) -> tuple[CardId, ...]:
    """Return a pile with faces for its hidden cards. The faces are taken from the unknown cards."""
    return tuple(unknown_cards.pop() if card == HIDDEN else card for card in pile)


def _locked_cards(deck: Deck, hand: Sequence[CardId]) -> tuple[CardId, ...]:
    """Return the locked cards in a hand. The number of locked cards is public."""
    # The locked cards are also unknown. The hand is in random order here, so its first cards are
    # used.
    return tuple(hand[: len(deck.locked)])


def _sorted_by_id(cards: Iterable[CardId]) -> tuple[CardId, ...]:
    return tuple(sorted(cards, key=lambda card: int(card.partition("-")[2])))
