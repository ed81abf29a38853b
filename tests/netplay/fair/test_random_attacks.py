"""Random adversary runs against honest programs with files; O1 to O7 after every message."""

import pytest

from tests.netplay.fair.attack_machine import run_attacks
from tests.netplay.fair.journaled_adversary import JournaledAdversary
from tests.netplay.fair.journaled_world import JournaledWorld
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("quick_proofs")


def attack(world: JournaledWorld, steps: int) -> None:
    counts = run_attacks(lambda: JournaledAdversary(world.copy()), JournaledAdversary.MOVES, steps)
    assert counts["accepted"] > 5
    assert counts["refused"] > 5


def test_random_attacks_on_one_seat(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = JournaledWorld.opened_in(
        tmp_path_factory.mktemp("duel"), "eots", "south-pacific", attackers=1, seed=11
    )
    attack(world, sized(60, 70_000, 2_000_000, of="adversary steps"))


def test_random_attacks_on_a_large_hand(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = JournaledWorld.opened_in(
        tmp_path_factory.mktemp("hand"), "eots", "1943", attackers=1, seed=41
    )
    attack(world, sized(40, 40_000, 1_500_000, of="adversary steps"))


@pytest.mark.full
def test_random_attacks_on_three_of_six_seats(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = JournaledWorld.opened_in(
        tmp_path_factory.mktemp("six"), "qmg", "total-war", attackers=3, seed=42
    )
    attack(world, sized(80, 10_000, 1_500_000, of="adversary steps"))
