"""The uses that the coverage page lists for each card are those that the rules allow (5.0, 5.37, 7.29)."""

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch05_cards.checks import (
    check_china,
    check_discard,
    check_future,
    check_operations,
    check_route_card,
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
def test_the_uses_of_the_list_are_those_of_the_rules(card: CardId) -> None:
    listed = {use.partition(" ")[0] for use in uses(cards()[card])}
    allowed = {
        use
        for use, check in (
            ("operations", check_operations),
            ("discard", check_discard),
            ("future", check_future),
        )
        if not rules(check, card)
    }
    assert allowed - {"discard"} == listed - {"discard"}
    if card not in {"J-1", "J-2"}:  # out of turn they could not be used otherwise
        assert ("discard" in allowed) is ("discard" in listed)


@pytest.mark.parametrize("card", ["J-1", "J-2"])
def test_the_opening_cards_are_events_only(card: str) -> None:
    """C2: never an operations card, and never a future offensives card."""
    assert uses(cards()[CardId(card)]) == ()
    assert "5.0" in rules(check_operations, card)
    assert "5.0" in rules(check_china, card)
    assert "5.0" in rules(check_route_card, card)
    assert rules(check_future, card) == {"7.29"}


@pytest.mark.parametrize(
    ("card", "turn", "resigned", "operations", "discard"),
    [
        pytest.param("J-43", 7, False, set(), set(), id="5.37-J-43-before-1944"),
        pytest.param("J-43", 8, False, {"5.37"}, {"5.37"}, id="5.37-J-43-from-1944"),
        pytest.param("A-79", 8, False, set(), {"5.37"}, id="5.37-A-79-Tojo-in-office"),
        pytest.param("A-79", 8, True, {"5.37"}, {"5.37"}, id="5.37-A-79-Tojo-resigned"),
    ],
)
def test_special_event_cards(
    card: str, turn: int, resigned: bool, operations: set[str], discard: set[str]
) -> None:
    assert rules(check_operations, card, turn, resigned=resigned) == operations
    assert rules(check_discard, card, turn, resigned=resigned) == discard
    assert rules(check_future, card, turn, resigned=resigned) == {"7.29", "5.37"}
