"""The player's hand as cards, each with its number, value, title, type and effect."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.eots.card_sentences import CARD_SENTENCES
from engine.eots.deck import cards
from engine.eots.ids import CardId
from engine.eots.view import EotsView
from tui.drawing.colour_roles import TextRole
from tui.eots.panels.page_texts import card_details
from tui.panels.status_segments import CardFace

_HEAD_TONES: Final = {
    "military": TextRole.CARD_WAR,
    "reaction": TextRole.CARD_SEA,
    "resource": TextRole.CARD_MEANS,
    "political": TextRole.CARD_POLICY,
}


def card_faces(view: EotsView) -> Iterator[CardFace]:
    """Yield the cards in the player's hand, then the card set aside for a future offensive (5.27)."""
    for card in view.hand:
        yield _card_face(card, "locked" if card in view.locked else "")
    if view.future is not None:
        yield replace(_card_face(view.future, "future offensive"), is_aside=True)


def _card_face(card: CardId, note: str) -> CardFace:
    row = cards().get(card)
    if row is None:
        return CardFace(id=str(card), title="a card", kind="face down")
    facts = [note or row.type]
    facts += [f"OC{row.oc_intel}"] if row.oc_intel is not None else []
    facts += [f"EC{row.ec_intel}"] if row.ec_intel is not None else []
    return CardFace(
        id=str(card),
        left=str(row.id),
        right=f"OV {row.ov}",
        title=row.title,
        kind=" ".join(facts),
        text=CARD_SENTENCES[card],
        details=card_details(row),
        tone=_HEAD_TONES[row.type],
    )
