"""Random games of both scenarios, cached because many tests use the same ones."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TypeAlias

from engine.kernel.ids import Role
from engine.qmg.commands import QmgCommand
from engine.qmg.events import QmgEvent
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.engine import random_games
from tests.sizes import sampled, sized

SCENARIOS = [info.id for info in QMG.scenarios()]
ROLES = QMG.roles(QMG.initial_state())
AUDIENCES: tuple[Role | None, ...] = (*ROLES, None)
SEEDS = sampled((1, 2, 3, 5), 2, of="games of Quartermaster General for each scenario")
POSITIONS = sized(25, 55, 400, of="positions of each of these games")
"""Number of positions in each game to examine closely."""


Step: TypeAlias = random_games.Step[State, QmgCommand, QmgEvent]


def walk(scenario: str, seed: int, options: Mapping[str, str] | None = None) -> Iterator[Step]:
    """Yield every position in a random game, with the command given in it."""
    return random_games.walk(QMG, scenario, seed, options or {})


@cache
def game(scenario: str) -> tuple[Step, ...]:
    """Return positions spread over some random games."""
    found: list[Step] = []
    for seed in SEEDS:
        steps = tuple(walk(scenario, seed))
        found += steps[seed :: max(len(steps) // POSITIONS, 1)]
    return tuple(found)


def asked_positions(scenario: str) -> Iterator[tuple[State, Role]]:
    """Yield positions with each country that is asked."""
    for step in game(scenario):
        for role in QMG.active_roles(step.state):
            yield step.state, role
