"""Random adversary runs against honest participants; O1 to O7 after every message."""

from collections import Counter

import pytest

from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.attacker import World
from tests.sizes import sized

STEPS_OF_A_RUN = 50


def runs(world: World, name: str, total: int) -> Counter[str]:
    """Play runs from a position until so many steps are done."""
    counts: Counter[str] = Counter()
    number = 0
    while counts["steps"] < total:
        adversary = Adversary(world.copy(), f"{name} {number}")
        try:
            for _ in range(STEPS_OF_A_RUN):
                adversary.step()
                if adversary.is_over:
                    break
            adversary.finish()
        except Exception as error:
            error.add_note(f"run '{name} {number}', step {adversary.steps}")
            raise
        counts["steps"] += adversary.steps
        counts["accepted"] += adversary.accepted
        counts["refused"] += adversary.refused
        counts["records"] += adversary.world.state.records - world.state.records
        number += 1
    return counts


@pytest.fixture(scope="module")
def large_hands() -> World:
    return World.opened("eots", "1943", attackers=1, seed=41)


@pytest.fixture(scope="module")
def six_seats() -> World:
    return World.opened("qmg", "total-war", attackers=3, seed=42)


def test_random_attacks_on_one_seat(two_seats_opened: World) -> None:
    counts = runs(two_seats_opened, "duel", sized(60, 120_000, 2_000_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10


def test_random_attacks_on_a_large_hand(large_hands: World) -> None:
    counts = runs(large_hands, "hand", sized(40, 60_000, 1_500_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10


@pytest.mark.full
def test_random_attacks_on_three_of_six_seats(six_seats: World) -> None:
    counts = runs(six_seats, "six", sized(80, 20_000, 1_500_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10
