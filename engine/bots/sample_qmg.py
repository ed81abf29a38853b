"""Samples Quartermaster General positions that a country cannot distinguish from the real one.

Hidden cards are dealt at random. A country knows its own cards, the cards on the table, and the cards known to be
discarded. Every other card on a deck list is in a hand or deck, or face down in a discard pile or on the table.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from engine.kernel.dice import DerivedDice
from engine.qmg.deck import CARD, deck_list
from engine.qmg.frames import PlayFrame, UseFrame
from engine.qmg.ids import BOLSTER, COUNTRIES, HIDDEN, RESPONSE
from engine.qmg.options import TOTAL_WAR
from engine.qmg.position import Position, TurnMarks, Zones, piles

FACE_DOWN: Final = frozenset({RESPONSE, BOLSTER})
"""Types of card that are placed face down on the table (9.1, 17.12)."""


def completed_position(known_position: Position, role: str, dice: DerivedDice) -> Position:
    """Return the position with a random face for every hidden card.

    Args:
        known_position: The country's knowledge, as a position.
        role: The country.
        dice: The dice for this deal.
    """
    cards = dict(known_position.cards)
    for country in COUNTRIES:
        zones = cards.get(country, Zones())
        if country != role and any(HIDDEN in pile for _, pile in piles(zones)):
            cards[country] = _deal_faces(known_position, country, zones, dice)
    return replace(
        known_position,
        cards=cards,
        turn=_complete_turn_marks(known_position.turn, cards, known_position.active),
    )


def _complete_turn_marks(
    turn: TurnMarks, cards: Mapping[str, Zones], active_team: str
) -> TurnMarks:
    """Return the turn's data. Cards discarded in the Discard step get faces."""
    if HIDDEN not in turn.discarded:
        return turn
    remaining_cards = [card for card in cards[active_team].discard if card not in turn.discarded]
    faces = (
        remaining_cards.pop(0) if card == HIDDEN and remaining_cards else card
        for card in turn.discarded
    )
    return replace(turn, discarded=tuple(card for card in faces if card != HIDDEN))


def _deal_faces(known_position: Position, country: str, zones: Zones, dice: DerivedDice) -> Zones:
    """Return a country's cards, each with a face."""
    known_cards = {card for _, pile in piles(zones) for card in pile if card != HIDDEN}
    known_cards.update(_cards_in_play(known_position, country))
    unseen_cards = _unseen_cards(known_position, country, known_cards, dice)
    # Cards face down on the table come first, because other piles could use up the few types that
    # are allowed there.
    order = sorted((name for name, _ in piles(zones)), key=lambda name: name != "responses")
    dealt_cards = {
        name: tuple(
            _take_fitting(unseen_cards, is_face_down=name == "responses")
            if card == HIDDEN
            else card
            for card in getattr(zones, name)
        )
        for name in order
    }
    return replace(zones, **dealt_cards)


def _unseen_cards(
    known_position: Position, country: str, seen_cards: Collection[str], dice: DerivedDice
) -> list[str]:
    """Return a country's unseen cards in random order.

    A constructed deck has a limited number of cards per type (13.9).
    """
    deck = deck_list(country, is_total_war=known_position.scenario == TOTAL_WAR)
    unseen_cards = [card for card in deck if card not in seen_cards]
    for last_index in range(len(unseen_cards) - 1, 0, -1):
        swap_index = dice.randbelow(last_index + 1)
        unseen_cards[last_index], unseen_cards[swap_index] = (
            unseen_cards[swap_index],
            unseen_cards[last_index],
        )
    if not known_position.limits or not known_position.active:
        return unseen_cards
    room = Counter(known_position.limits)
    room.subtract(CARD[card].type for card in seen_cards)
    chosen = []
    for card in unseen_cards:
        if room[CARD[card].type] > 0:
            room[CARD[card].type] -= 1
            chosen.append(card)
    return chosen


def _cards_in_play(known_position: Position, country: str) -> Iterator[str]:
    """Yield a country's cards that are being played or used. Such cards are not in any pile."""
    for frame in known_position.frames:
        if isinstance(frame, PlayFrame | UseFrame) and frame.country == country:
            yield frame.card


def _take_fitting(cards: list[str], *, is_face_down: bool) -> str:
    """Take the next card that is allowed. Only Responses and Bolsters can be face down on the table."""
    fitting_indexes = (
        index
        for index, card in enumerate(cards)
        if not is_face_down or CARD[card].type in FACE_DOWN
    )
    # If no card is allowed, use any card, because the result must not contain a blank one.
    return cards.pop(next(fitting_indexes, 0))
