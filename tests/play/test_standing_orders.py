"""Standing orders: the questions that they answer, and how they are given, shown and stored."""

from pathlib import Path
from typing import Any

import pytest

from engine.kernel.decision import Decision
from engine.kernel.ids import Rule
from play.standing_orders import OrderBook, StandingOrderError, StandingOrders
from tests.toy_game import CardId
from tests.toy_six import GEM, SIX, LetPass, SixCommand, Spring

SPRING, OTHER = Spring(card=CardId("c05")), Spring(card=CardId("c15"))
TURN = "Round 1"


def window(
    *options: SixCommand, is_window: bool = True, by_itself: SixCommand | None = None
) -> Decision[Any]:
    return Decision(
        role=GEM,
        rule=Rule("1.2"),
        prompt="?",
        options=(*options, LetPass()),
        default=LetPass(),
        is_window=is_window,
        automatic_answer=by_itself,
    )


def answer(orders: StandingOrders, decision: Decision[Any], turn: str = TURN) -> object:
    return orders.answer(decision, SIX.notation, turn)


def given(*texts: str) -> StandingOrders:
    orders = StandingOrders()
    for text in texts:
        orders = orders.with_change(text, TURN)
    return orders


@pytest.mark.parametrize(
    ("orders", "decision", "wanted"),
    [
        pytest.param(given(), window(), LetPass(), id="nothing-but-passing"),
        pytest.param(given(), window(SPRING), None, id="something-to-choose"),
        pytest.param(given("off"), window(), None, id="off-asks-always"),
        pytest.param(given(), window(SPRING, by_itself=LetPass()), LetPass(), id="by-itself"),
        pytest.param(
            given(), window(SPRING, is_window=False, by_itself=SPRING), SPRING, id="plain"
        ),
        pytest.param(
            given("off"), window(SPRING, is_window=False, by_itself=SPRING), None, id="plain-off"
        ),
        pytest.param(
            given("use spring"), window(SPRING, by_itself=LetPass()), SPRING, id="use-before-itself"
        ),
        pytest.param(given("off", "on"), window(), LetPass(), id="on-again"),
        pytest.param(given("pass"), window(SPRING), LetPass(), id="pass-everything"),
        pytest.param(given("use spring"), window(SPRING, OTHER), SPRING, id="use-by-verb"),
        pytest.param(given("use spring c15"), window(SPRING, OTHER), OTHER, id="use-by-line"),
        pytest.param(given("USE  Spring   C15"), window(OTHER), OTHER, id="any-case-and-space"),
        pytest.param(given("use spring c1"), window(OTHER), None, id="words-not-letters"),
        pytest.param(given("use spring c05"), window(OTHER), None, id="another-card"),
        pytest.param(given("never spring c05"), window(SPRING), LetPass(), id="never"),
        pytest.param(given("never spring c05"), window(SPRING, OTHER), None, id="never-one-of-two"),
        pytest.param(given("off", "never spring"), window(SPRING), LetPass(), id="never-after-off"),
        pytest.param(given("pass", "use spring"), window(SPRING), SPRING, id="use-before-pass"),
        pytest.param(
            given("use spring", "never spring"), window(SPRING), LetPass(), id="later-counts"
        ),
        pytest.param(given("never spring", "use spring"), window(SPRING), SPRING, id="later-use"),
        pytest.param(given("use spring", "forget spring"), window(SPRING), None, id="forgotten"),
    ],
)
def test_standing_orders_answer_matching_windows(
    orders: StandingOrders, decision: Decision[Any], wanted: object
) -> None:
    assert answer(orders, decision) == wanted


def test_standing_orders_answer_only_windows() -> None:
    for orders in (given(), given("pass"), given("use spring"), given("never spring")):
        assert answer(orders, window(SPRING, is_window=False)) is None
        assert answer(orders, window(is_window=False)) is None


def test_passing_ends_with_the_turn() -> None:
    orders = given("pass")
    assert answer(orders, window(SPRING), "Round 1") == LetPass()
    assert answer(orders, window(SPRING), "Round 2") is None


@pytest.mark.parametrize("text", ["", "use", "never", "dance", "pass now", "forget spring", "on x"])
def test_invalid_standing_order_is_refused(text: str) -> None:
    with pytest.raises(StandingOrderError):
        StandingOrders().with_change(text, TURN)


def test_number_of_standing_orders_is_limited() -> None:
    many = given(*(f"use spring c{number:03}" for number in range(64)))
    with pytest.raises(StandingOrderError, match="already"):
        many.with_change("use spring c064", TURN)


def test_standing_orders_are_described_in_words() -> None:
    told = given("use spring c05", "never trade", "pass").descriptions(TURN)
    assert told[0] == "Passes automatically when nothing else is possible."
    assert "Passes everything during: Round 1." in told
    assert "Uses whenever it is offered: spring c05" in told
    assert "Never asks about: trade" in told
    assert len(given("pass").descriptions("Round 2")) == 1


def test_standing_orders_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "game.orders"
    OrderBook(path).change("use spring c05", TURN)
    assert OrderBook(path).orders.uses == ("spring c05",)
    path.write_bytes(b"\xff nonsense")
    assert OrderBook(path).orders == StandingOrders()
    assert OrderBook(tmp_path / "none.orders").orders == StandingOrders()


def test_standing_order_applies_even_if_it_cannot_be_saved(tmp_path: Path) -> None:
    book = OrderBook(tmp_path / "missing" / "game.orders")
    with pytest.raises(StandingOrderError, match="not saved"):
        book.change("off", TURN)
    assert not book.orders.by_itself
