"""Every card's event is described in plain sentences that agree with its values."""

import re

import pytest

from engine.eots.card_sentences import CARD_SENTENCES
from engine.eots.deck import cards
from engine.eots.ids import CardId

_SHORTHAND = re.compile(r"\b(LV|DRM|ISR|WIE|ASPs?|OC|EC|SW Pac|max)\b|;|\d/\d")


def test_every_card_has_a_sentence() -> None:
    assert set(CARD_SENTENCES) == set(cards())


@pytest.mark.parametrize("card", sorted(cards()))
def test_card_sentences_are_plain_and_match_the_card_values(card: CardId) -> None:
    text, row = CARD_SENTENCES[card], cards()[card]
    assert text[0].isupper()
    assert text.endswith(".")
    assert not _SHORTHAND.search(text)
    assert ("Draw a card." in text) is bool(row.draw)
    if row.logistic is not None and row.logistic.base:
        assert re.search(rf"logistics {row.logistic.base}\b|, {row.logistic.base} under any", text)
