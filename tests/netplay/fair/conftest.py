"""Positions shared by the adversary tests. Each test continues with a copy."""

import pytest

from saves.fair.messages import BODY_TYPES, Kind
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import FairMatch
from tests.netplay.fair.moments import Moment, Recorder
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("duel", "moments", "quick_proofs", "six_seats_opened", "table", "two_seats_opened")


@pytest.fixture(scope="session")
def two_seats_opened() -> World:
    return World.opened("eots", "south-pacific", attackers=1, seed=11)


@pytest.fixture(scope="session")
def six_seats_opened() -> World:
    return World.opened("qmg", "base", attackers=5, seed=12)


@pytest.fixture
def duel(two_seats_opened: World) -> World:
    """Two seats. The host and the last seat belong to the attacker."""
    return two_seats_opened.copy()


@pytest.fixture
def table(six_seats_opened: World) -> World:
    """Six seats. The host and all seats except the first belong to the attacker."""
    return six_seats_opened.copy()


@pytest.fixture(scope="session")
def moments() -> dict[Kind, list[Moment]]:
    """Valid messages of every kind, with the states before them."""
    match = FairMatch("eots", "1943", seed=3)
    recorder = Recorder(World(match, ()), seed=3)
    recorder.world.start()
    recorder.world.settle()
    recorder.walk(60)
    recorder.finish()
    found: dict[Kind, list[Moment]] = {kind: [] for kind in BODY_TYPES}
    for moment in recorder.moments:
        found[moment.message.kind].append(moment)
    return found
