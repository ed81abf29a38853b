"""Random adversary runs in games that have every kind of pile, with an oracle for each pick of chance."""

from collections import Counter

import pytest

from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import picks_of
from tests.sizes import sized
from tests.toy_depot import DEPOT, PEOPLE

pytestmark = pytest.mark.usefixtures("quick_proofs")
STEPS_OF_A_RUN = 50


class DepotAdversary(Adversary):
    """An attacker whose match is read by the oracle of picks at the end."""

    def finish(self) -> None:
        super().finish()
        picks_of(self.world)


def attack(world: World, name: str, steps: int) -> None:
    """Play runs from a position until so many steps are done."""
    counts: Counter[str] = Counter()
    while counts["steps"] < steps:
        adversary = DepotAdversary(world.copy(), f"{name} {counts['runs']}")
        try:
            for _ in range(STEPS_OF_A_RUN):
                adversary.step()
                if adversary.is_over:
                    break
            adversary.finish()
        except Exception as error:
            error.add_note(f"run '{name} {counts['runs']}', step {adversary.steps}")
            raise
        counts["runs"] += 1
        counts["steps"] += adversary.steps
        counts["accepted"] += adversary.accepted
        counts["refused"] += adversary.refused
    assert counts["accepted"] > 10
    assert counts["refused"] > 10


def test_random_attacks_on_every_kind_of_pile() -> None:
    world = World.opened(DEPOT, "two", attackers=1, seed=68)
    attack(world, "depot", sized(60, 20_000, 500_000, of="adversary steps"))


def test_random_attacks_of_two_people_on_the_third() -> None:
    """Three people have two seats each."""
    world = World.opened(DEPOT, "six", attackers=4, seed=67)
    assert world.honest == PEOPLE[0]
    attack(world, "three", sized(30, 10_000, 500_000, of="adversary steps"))
