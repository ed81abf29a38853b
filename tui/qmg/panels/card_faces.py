"""The player's hand as cards with title, type and effect. Identical cards are stacked."""

from collections.abc import Iterable, Iterator
from typing import Final

from engine.qmg.deck import CARD
from engine.qmg.view import QmgView
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import CardFace
from tui.qmg.panels.page_texts import card_counts
from tui.qmg.texts import card_key, type_name

_HEADING_TONES: Final = {
    "build_army": TextRole.CARD_MEANS,
    "build_navy": TextRole.CARD_MEANS,
    "land_battle": TextRole.CARD_LAND,
    "sea_battle": TextRole.CARD_SEA,
    "air_power": TextRole.CARD_SEA,
    "economic_warfare": TextRole.CARD_LAND,
    "response": TextRole.CARD_WAR,
    "bolster": TextRole.CARD_WAR,
    "status": TextRole.CARD_POLICY,
}


_SHORT_TYPE_NAMES: Final = {"economic_warfare": "Econ. Warfare"}
"""Short names for card types whose full names do not fit in a card's 15-cell heading."""


def card_faces(view: QmgView) -> Iterator[CardFace]:
    """Yield the cards in the player's hand, followed by the player's face-down cards."""
    if view.own is not None:
        yield from _stacked_faces(view.own.hand, "")
        yield from _stacked_faces(view.own.responses, ", face down")


def _stacked_faces(cards: Iterable[str], note: str) -> Iterator[CardFace]:
    for card, count in card_counts(cards):
        entry = CARD.get(card)
        if entry is None:
            yield CardFace(id=card, title="a card", kind="face down")
            continue
        kind = type_name(card)
        yield CardFace(
            id=card_key(card),
            left=f"{_SHORT_TYPE_NAMES.get(entry.type, kind)}{note}" if kind != entry.name else "",
            title=entry.name,
            kind=note.removeprefix(", ") if kind == entry.name else "",
            text=entry.effect,
            tone=_HEADING_TONES.get(entry.type, TextRole.CARD_OTHER),
            count=count,
        )
