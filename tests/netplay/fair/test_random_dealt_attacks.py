"""Random adversary runs in matches whose host deals: seats against host and seats, and the host against one seat."""

from collections import Counter

import pytest

from tests.netplay.fair.attack_machine import run_attacks
from tests.netplay.fair.dealt_adversary import CheatingAdversary, DealtAdversary, DealtWorld
from tests.sizes import sized


def attack(game: str, scenario: str, attackers: int, seed: int, steps: int) -> Counter[str]:
    """Let seats attack an honest host and the other seats."""
    world = DealtWorld.dealt(game, scenario, attackers=attackers, seed=seed, cheats=False)
    counts = run_attacks(lambda: DealtAdversary(world.copy()), DealtAdversary.MOVES, steps)
    assert counts["accepted"] > 5
    assert counts["refused"] > 5
    return counts


def cheat(game: str, scenario: str, attackers: int, seed: int, steps: int) -> None:
    """Let a host that deals and seats attack one seat."""
    world = DealtWorld.dealt(game, scenario, attackers=attackers, seed=seed, cheats=True)
    counts = run_attacks(lambda: CheatingAdversary(world.copy()), CheatingAdversary.MOVES, steps)
    assert counts["accepted"] > 5
    assert counts["refused"] > 5
    assert counts["false records"] > 0


@pytest.mark.full
def test_random_attacks_by_one_seat_on_an_honest_host() -> None:
    steps = sized(40, 15_000, 1_500_000, of="adversary steps")
    attack("eots", "south-pacific", 1, 61, steps)


def test_random_attacks_by_three_seats_on_an_honest_host() -> None:
    steps = sized(40, 15_000, 1_500_000, of="adversary steps")
    counts = attack("qmg", "base", 3, 62, steps)
    assert counts["hidden"] > 0


def test_random_attacks_by_a_host_on_one_of_two_seats() -> None:
    cheat("eots", "south-pacific", 1, 63, sized(40, 15_000, 1_500_000, of="adversary steps"))


@pytest.mark.full
def test_random_attacks_by_a_host_on_one_of_six_seats() -> None:
    cheat("qmg", "base", 5, 64, sized(40, 15_000, 1_500_000, of="adversary steps"))
