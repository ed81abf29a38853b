"""Random adversary runs in games that have every kind of pile, with an oracle for each pick of chance."""

import pytest
from typing_extensions import override

from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.attack_machine import run_attacks
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import picks_of
from tests.sizes import sized
from tests.toy_depot import DEPOT, PEOPLE

pytestmark = pytest.mark.usefixtures("quick_proofs")


class DepotAdversary(Adversary):
    """An attacker whose match is read by the oracle of picks at the end."""

    @override
    def finish(self) -> None:
        super().finish()
        picks_of(self.world)


def attack(world: World, steps: int) -> None:
    counts = run_attacks(lambda: DepotAdversary(world.copy()), DepotAdversary.MOVES, steps)
    assert counts["accepted"]
    assert counts["refused"]


def test_random_attacks_on_every_kind_of_pile() -> None:
    world = World.opened(DEPOT, "two", attackers=1, seed=68)
    attack(world, sized(30, 20_000, 500_000, of="adversary steps"))


@pytest.mark.full
def test_random_attacks_by_two_players_on_the_third() -> None:
    """Three people have two seats each."""
    world = World.opened(DEPOT, "six", attackers=4, seed=67)
    assert world.honest == PEOPLE[0]
    attack(world, sized(30, 10_000, 500_000, of="adversary steps"))
