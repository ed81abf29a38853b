"""The War in Europe track (15)."""

import pytest

from engine.eots.ch15_europe import (
    costs_a_card,
    delays_reinforcements,
    europe_level,
    grants_shipping,
    highest_diverted_face,
    modified_face,
    moved_marker,
)
from engine.eots.frames import Phase
from tests.engine.eots.positions import position
from tests.engine.eots.strategic import in_phase


@pytest.mark.parametrize(
    ("marker", "level", "delays", "diverted", "shipping"),
    [
        pytest.param(3, 0, False, None, True, id="15.1-plus-3"),
        pytest.param(1, 0, False, None, True, id="15.1-plus-1"),
        pytest.param(0, 1, True, 1, True, id="15.2-zero"),
        pytest.param(-2, 1, True, 1, True, id="15.2-minus-2"),
        pytest.param(-3, 2, True, 3, True, id="15.3-minus-3"),
        pytest.param(-4, 2, True, 3, True, id="15.3-minus-4"),
        pytest.param(-5, 3, True, 5, False, id="15.4-minus-5"),
        pytest.param(-6, 3, True, 5, False, id="15.4-minus-6"),
        pytest.param(-7, 4, True, 7, False, id="15.5-minus-7"),
    ],
)
def test_levels(
    marker: int, level: int, delays: bool, diverted: int | None, shipping: bool
) -> None:
    state = position(war_in_europe=marker)
    assert europe_level(state) == level
    assert delays_reinforcements(state) is delays
    assert highest_diverted_face(state) == diverted
    assert grants_shipping(state) is shipping


@pytest.mark.parametrize(
    ("marker", "delta", "after"),
    [
        pytest.param(-6, -2, -7, id="EX15-1-15.7"),
        pytest.param(3, 3, 3, id="EX15-2-15.7"),
        pytest.param(0, -3, -3, id="15.7-inside"),
    ],
)
def test_marker(marker: int, delta: int, after: int) -> None:
    assert moved_marker(marker, delta) == after


@pytest.mark.parametrize(
    ("face", "modifier", "counts_as"),
    [
        pytest.param(0, -1, 0, id="15.6-below-0"),
        pytest.param(9, 1, 9, id="15.6-above-9"),
        pytest.param(4, -1, 3, id="15.6-inside"),
    ],
)
def test_modified_face(face: int, modifier: int, counts_as: int) -> None:
    assert modified_face(face, modifier) == counts_as


def test_shipping_begins_with_turn_2() -> None:
    state = position(war_in_europe=1)
    assert not grants_shipping(in_phase(state, Phase.REINFORCEMENT, turn=1))
    assert grants_shipping(in_phase(state, Phase.REINFORCEMENT, turn=2))


def test_card_loss_reads_the_start_of_the_turn() -> None:
    assert costs_a_card(position(war_in_europe=0, war_in_europe_at_turn_start=-7))
    assert not costs_a_card(position(war_in_europe=-7, war_in_europe_at_turn_start=-6))
