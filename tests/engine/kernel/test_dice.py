"""Dice: uniform, different at every position, and not biased towards any face (F1 in the small size)."""

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from typing_extensions import override

from engine.kernel import dice as dice_module
from engine.kernel.dice import CardPile, DerivedDice, Die, DraftDice, ScriptedDice, draw
from engine.kernel.hidden import HIDDEN
from tests.sizes import sized

SECRET = bytes(range(32))
ROLLS = sized(50_000, 100_000, 6_000_000, of="rolls")
D10 = Die(0, 9)


def chi_square(counts: Counter[object], kinds: int) -> float:
    expected = sum(counts.values()) / kinds
    seen = sum((count - expected) ** 2 / expected for count in counts.values())
    return seen + (kinds - len(counts)) * expected


@pytest.mark.series("F1")
@pytest.mark.parametrize(
    ("kinds", "low", "high"),
    # Bounds are the quantiles 0.001 and 0.999 of the distribution with one degree of freedom less.
    [pytest.param(10, 1.15, 27.88, id="d10"), pytest.param(84, 47.5, 129.0, id="deck-of-84")],
)
def test_f1_faces_are_uniform(kinds: int, low: float, high: float) -> None:
    dice = DerivedDice(SECRET, 0)
    counts: Counter[object] = Counter(dice.randbelow(kinds) for _ in range(ROLLS))
    assert low < chi_square(counts, kinds) < high


@pytest.mark.series("F1")
def test_f1_first_rolls_of_records_are_uniform() -> None:
    counts: Counter[object] = Counter(
        DerivedDice(SECRET, record).roll(D10) for record in range(ROLLS // 2)
    )
    assert 1.15 < chi_square(counts, 10) < 27.88


@pytest.mark.series("F1")
def test_f1_consecutive_rolls_are_independent() -> None:
    dice = DerivedDice(SECRET, 7)
    rolls = [dice.roll(D10) for _ in range(ROLLS)]
    counts: Counter[object] = Counter(itertools.pairwise(rolls))
    assert 60.0 < chi_square(counts, 100) < 149.0


@pytest.mark.series("F1")
def test_f1_orders_of_five_cards_are_uniform() -> None:
    dice = DerivedDice(SECRET, 3)
    counts: Counter[object] = Counter()
    for _ in range(sized(12_000, 30_000, 200_000, of="shuffles of five cards")):
        cards, order = list("abcde"), ""
        while cards:
            order += cards.pop(dice.randbelow(len(cards)))
        counts[order] += 1
    assert 75.0 < chi_square(counts, 120) < 174.0


@pytest.mark.series("F1")
def test_f1_positions_of_84_cards_are_uniform() -> None:
    dice = DerivedDice(SECRET, 4)
    counts: Counter[object] = Counter()
    for _ in range(sized(400, 2_000, 20_000, of="shuffles of 84 cards")):
        cards = list(range(84))
        counts.update((place, cards.pop(dice.randbelow(len(cards)))) for place in range(84))
    assert 6_531 < chi_square(counts, 84 * 84) < 7_258  # 83 x 83 degrees of freedom


@pytest.mark.series("F1")
def test_f1_values_that_would_bias_a_face_are_redrawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The highest numbers of the range would make low faces more likely."""
    span = 1 << 64

    class Digests:
        """Returns the highest numbers first, and then the number 7."""

        def __init__(self, numbers: list[int]) -> None:
            self.numbers = numbers

        def copy(self) -> "Digests":
            return self

        def update(self, place: bytes) -> None:
            del place

        def digest(self) -> bytes:
            return self.numbers.pop(0).to_bytes(8, "big")

    for limit in (10, 84, 3):
        refused = [span - 1 - number for number in range(span % limit)]
        digests = Digests([*refused, span - span % limit - 1, 7])
        monkeypatch.setattr(dice_module, "_keyed_hash", lambda _, digests=digests: digests)
        dice = DerivedDice(SECRET, 0)
        assert [dice.randbelow(limit), dice.randbelow(limit)] == [limit - 1, 7 % limit]
        assert not digests.numbers


def test_different_secrets_and_records_give_different_rolls() -> None:
    def rolls(secret: bytes, record: int) -> list[int]:
        dice = DerivedDice(secret, record)
        return [dice.roll(D10) for _ in range(40)]

    assert rolls(SECRET, 1) == rolls(SECRET, 1)
    assert len({tuple(rolls(SECRET, record)) for record in range(100)}) == 100
    assert rolls(SECRET, 1) != rolls(SECRET[::-1], 1)


def test_a_card_pile_has_an_owner_and_is_picked_from_like_a_list() -> None:
    cards = [f"J-{n}" for n in range(9)]
    pile = CardPile(cards, "japan", "deck")
    assert draw(DerivedDice(bytes(32), 1), pile, 4) == draw(DerivedDice(bytes(32), 1), cards, 4)
    assert draw(DraftDice(), pile, 9) == tuple(cards)
    seen: list[tuple[str, str, int, bool]] = []

    class Watching(ScriptedDice):
        @override
        def pick(self, items: Sequence[str]) -> str:
            assert isinstance(items, CardPile)
            seen.append((items.owner, items.place, len(items), items.is_shown))
            return super().pick(items)

    draw(Watching(), CardPile(cards, "japan", "hand", is_shown=True), 2)
    assert seen == [("japan", "hand", 9, True), ("japan", "hand", 8, True)]


def test_a_card_pile_names_the_segment_it_is_picked_from() -> None:
    assert CardPile("ab", "japan", "deck").segment == "deck"
    pile = CardPile("ab", "japan", "deck", segment="beneath")
    assert (pile.place, pile.segment) == ("deck", "beneath")
    assert [pile.without(card).segment for card in ("a", HIDDEN)] == ["beneath", "beneath"]
