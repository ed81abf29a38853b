"""The uses that the coverage page lists for each card are those that the rules allow (5.0, 5.37, 7.29)."""

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch05_cards.checks import (
    discard_refusals,
    future_refusals,
    operations_refusals,
)
from engine.eots.deck import Card, cards
from engine.eots.ids import AreaId, CardId, Side
from engine.eots.state import REMOVED, Piece, State
from engine.kernel.ids import Refusal
from tests.engine.eots.positions import state_1943
from tests.engine.eots.table import to_play
from tools.dev.coverage_eots_cards import uses

Check = Callable[[State, Side, CardId], Iterator[Refusal]]


def holding(card: Card, turn: int = 5, *, resigned: bool = False) -> State:
    """Return a position in which the owner of a card holds it and another one, with nobody in the Aleutians."""
    before = state_1943()
    other = {Side.JAPAN: "J-23", Side.ALLIED: "A-31"}
    hands = {**other, card.side: f"{other[card.side]} {card.id}"}
    marks = replace(before.tracks, tojo_resigned=resigned)
    aleutians = board().areas[AreaId("aleutians")].hexes
    units = {
        unit: Piece(REMOVED, 0) if piece.at in aleutians else piece
        for unit, piece in before.units.items()
    }
    state = replace(before, turn=turn, scenario="1942-44", tracks=marks, units=units)
    return to_play(state, card.side, allied=hands[Side.ALLIED], japan=hands[Side.JAPAN])


def rules(check: Check, card: str, turn: int = 5, *, resigned: bool = False) -> set[str]:
    state = holding(cards()[CardId(card)], turn, resigned=resigned)
    return {str(refusal.rule) for refusal in check(state, cards()[CardId(card)].side, CardId(card))}


@pytest.mark.parametrize("card", [pytest.param(card, id=f"5.0-{card}") for card in cards()])
def test_listed_card_uses_match_the_rules(card: CardId) -> None:
    listed = {use.partition(" ")[0] for use in uses(cards()[card])}
    allowed = {
        use
        for use, check in (
            ("operations", operations_refusals),
            ("discard", discard_refusals),
            ("future", future_refusals),
        )
        if not rules(check, card)
    }
    assert allowed - {"discard"} == listed - {"discard"}
    if card not in {"J-1", "J-2"}:  # out of turn they could not be used otherwise
        assert ("discard" in allowed) is ("discard" in listed)
