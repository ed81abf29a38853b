"""Random games of every scenario, cached because many tests use the same ones."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

from engine.cbps.commands import CbpsCommand
from engine.cbps.events.base import CbpsEvent
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from tests.engine import random_games
from tests.sizes import sized

SCENARIOS: Final = [info.id for info in CBPS.scenarios()]
POSITIONS: Final = sized(12, 40, 400)
"""Number of positions in each game to examine closely."""
STAFFS: Final = ("one", "two", "four")


Step: TypeAlias = random_games.Step[State, CbpsCommand, CbpsEvent]


def walk(scenario: str, seed: int, options: Mapping[str, str] | None = None) -> Iterator[Step]:
    """Yield every position in a random game, with the command given in it."""
    return random_games.walk(CBPS, scenario, seed, options or {})


@cache
def game(scenario: str) -> tuple[Step, ...]:
    """Return positions spread over a random game. The number of commanders depends on the scenario number."""
    seed = SCENARIOS.index(scenario)
    steps = tuple(walk(scenario, seed, {"staff": STAFFS[seed % len(STAFFS)]}))
    return steps[seed % 2 :: max(len(steps) // POSITIONS, 1)]
