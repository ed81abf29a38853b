"""Converts the cards to paragraphs of the rules reference (9)."""

from collections.abc import Iterator

from engine.kernel.reference import Paragraph
from engine.qmg.deck import CARDS, Card
from engine.qmg.ids import COUNTRIES
from engine.qmg.phrases import capitalise_first, card_type_name, force_name

_SETS = {"base": "base game", "total-war": "Total War", "replacement": "Total War"}


def card_paragraphs() -> Iterator[Paragraph]:
    """Yield headings for all cards and for each deck, and one paragraph per card.

    A card's paragraph can be found by the card's id, number or name.
    """
    text = "A card is found by its id, its name or its number."
    yield Paragraph(number="cards", title="The cards", text=text, parent="")
    for country in COUNTRIES:
        deck = f"cards-{country}"
        title = f"Deck of {force_name(country)}"
        yield Paragraph(number=deck, title=title, text="", parent="cards")
        for card in CARDS.values():
            if card.deck == country:
                yield _paragraph(card, deck)


def _numbers(printed_text: str) -> Iterator[str]:
    """Yield the card number of each copy. For example, T28-T30 yields T28, T29 and T30."""
    first_number, _, last = printed_text.partition("-")
    letters = first_number.rstrip("0123456789")
    low, high = (int(word.removeprefix(letters)) for word in (first_number, last or first_number))
    for number in range(low, high + 1):
        yield f"{letters}{number}"


def _paragraph(card: Card, deck: str) -> Paragraph:
    numbers = tuple(_numbers(str(card.no)))
    lines = [
        f"Type: {card_type_name(card.type)}",
        f"Deck: {capitalise_first(force_name(card.deck))}, {_SETS[card.set]}, number {card.no}",
    ]
    if card.count > 1:
        lines.append(f"Copies: {card.count}")
    if card.replaces:
        lines.append(f"In place of: {CARDS[card.replaces].name}")
    text = "\n".join((*lines, "", card.effect))
    names = (str(card.no), *numbers, *(f"card {number}" for number in numbers))
    return Paragraph(number=card.id, title=card.name, text=text, parent=deck, names=names)
