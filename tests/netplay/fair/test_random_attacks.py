"""Random adversary runs against honest programs with files; O1 to O7 after every message."""

import msgspec
import pytest

from saves.fair.messages import HOST
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
    attack(world, sized(15, 70_000, 2_000_000, of="adversary steps"))


@pytest.mark.full
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


def test_a_seat_restarted_twice_still_proves_a_fork(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Found by 70,000 random steps: a journal that restarted from the copy did not keep the host's signature."""
    world = JournaledWorld.opened_in(
        tmp_path_factory.mktemp("twice"), "eots", "south-pacific", attackers=1, seed=11
    ).copy()
    (victim,), (attacker,) = world.programs, world.attackers
    for _ in range(3):
        world.kill(victim)
        world.begin(victim)
    program, index = world.programs[victim], 5
    nonce = program.resume_request().nonce
    true = world.answer(attacker, nonce, world.follows[victim], index)
    head = bytes(32)
    order = world.history.sign(index, head)
    false = msgspec.structs.replace(true, head=head, order=order)
    with world._may_halt(victim):
        program.receive_answer(world.signed_answer(false))
    world.close()
    assert program.halted
    (found,) = (evidence.recompute(world.setup) for _, evidence in world.evidence)
    assert (found.charge, found.author) == ("E1", HOST)
