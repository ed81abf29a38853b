"""The state of a copy that may not know a card (9.3)."""

import pytest

from engine.qmg.evolve import without_card
from engine.qmg.ruleset import QMG
from tests.sizes import sampled
from tools import fuzz


@pytest.mark.parametrize(
    ("pile", "card", "left"),
    [
        pytest.param(("a", "?", "b"), "a", ("?", "b"), id="known"),
        pytest.param(("a", "?", "?"), "c", ("a", "?"), id="shown-now-and-unknown-before"),
        pytest.param(("a", "?", "?"), "?", ("?", "?"), id="unseen-so-any-may-be-gone"),
        pytest.param(("a",), "?", (), id="the-last-one"),
    ],
)
def test_a_card_is_removed_from_a_pile(
    pile: tuple[str, ...], card: str, left: tuple[str, ...]
) -> None:
    assert without_card(pile, card) == left


@pytest.mark.parametrize(
    ("scenario", "seed"),
    sampled(
        [
            # A shown card was shuffled into the deck, and unseen cards were drawn until it was the only one left.
            pytest.param("base", 4, id="shuffled-in"),
            # A card was played from among the unseen cards of a discard pile (Guards).
            pytest.param("base", 6, id="from-the-discard-pile"),
            # A Bolster for any time was used again while its first use waited for answers (10.4).
            pytest.param("total-war", 5, id="used-twice"),
        ],
        1,
    ),
)
def test_9_3_games_that_once_broke_copies_finish(scenario: str, seed: int) -> None:
    assert fuzz.play(QMG, scenario, seed).finding is None
