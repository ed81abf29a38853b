"""Random adversary runs in matches whose host deals: seats against host and seats, and the host against one seat."""

from collections import Counter

import pytest

from tests.netplay.fair.dealt_adversary import DealtAdversary, DealtWorld
from tests.sizes import sized

STEPS_OF_A_RUN = 50


def runs(world: DealtWorld, name: str, total: int) -> Counter[str]:
    """Play runs from a position until so many steps are done."""
    counts: Counter[str] = Counter()
    number = 0
    while counts["steps"] < total:
        adversary = DealtAdversary(world.copy(), f"{name} {number}")
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
        counts["false records"] += adversary.false_records
        counts["lies"] += adversary.lies
        counts["hidden"] += adversary.world.secrets_kept - world.secrets_kept
        number += 1
    return counts


@pytest.fixture(scope="module")
def honest_host() -> DealtWorld:
    return DealtWorld.dealt("eots", "south-pacific", attackers=1, seed=61, cheats=False)


@pytest.fixture(scope="module")
def honest_host_of_six() -> DealtWorld:
    return DealtWorld.dealt("qmg", "base", attackers=3, seed=62, cheats=False)


@pytest.fixture(scope="module")
def cheating_host() -> DealtWorld:
    return DealtWorld.dealt("eots", "south-pacific", attackers=1, seed=63, cheats=True)


@pytest.fixture(scope="module")
def cheating_host_of_six() -> DealtWorld:
    return DealtWorld.dealt("qmg", "base", attackers=5, seed=64, cheats=True)


def test_random_attacks_of_one_seat_on_an_honest_host(honest_host: DealtWorld) -> None:
    counts = runs(honest_host, "seat", sized(60, 60_000, 1_500_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10


def test_random_attacks_of_three_seats_on_an_honest_host(honest_host_of_six: DealtWorld) -> None:
    counts = runs(honest_host_of_six, "seats", sized(60, 60_000, 1_500_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10
    assert counts["hidden"] > 0


def test_random_attacks_of_a_host_on_one_of_two_seats(cheating_host: DealtWorld) -> None:
    counts = runs(cheating_host, "host", sized(60, 60_000, 1_500_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10
    assert counts["false records"] > 0


def test_random_attacks_of_a_host_on_one_of_six_seats(cheating_host_of_six: DealtWorld) -> None:
    counts = runs(cheating_host_of_six, "six", sized(60, 60_000, 1_500_000, of="adversary steps"))
    assert counts["accepted"] > 10
    assert counts["refused"] > 10
