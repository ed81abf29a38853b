"""Random games of both scenarios, with every copy, cached because many tests use the same ones.

Commands that may be given at any time are given occasionally, even by countries that are not asked.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.commands import QmgCommand
from engine.qmg.events import QmgEvent
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from tests.sizes import sampled, sized

SCENARIOS = [info.id for info in QMG.scenarios()]
ROLES = QMG.roles(QMG.initial_state())
AUDIENCES: tuple[Role | None, ...] = (*ROLES, None)
UNASKED_EVERY = 17
"""Commands between two that were not asked for."""
SEEDS = sampled((1, 2, 3, 5), 2, of="games of Quartermaster General for each scenario")
POSITIONS = sized(25, 55, 400, of="positions of each of these games")
"""Number of positions of each game that are examined closely."""


class Step(NamedTuple):
    """A position of a game, and the command given in it."""

    state: State
    role: Role
    command: QmgCommand
    secret: bytes
    number: int

    def events(self) -> tuple[QmgEvent, ...]:
        """Return the events of the command."""
        return QMG.decide(
            self.state, self.role, self.command, DerivedDice(self.secret, self.number)
        )


def derived(text: str) -> DerivedDice:
    return DerivedDice(blake2b(text.encode(), digest_size=32).digest(), 0)


def opening(scenario: str, seed: int, options: dict[str, str]) -> tuple[QmgEvent, ...]:
    return QMG.open_game(QMG.position(scenario, options), DerivedDice(_secret(scenario, seed), 0))


def _secret(scenario: str, seed: int) -> bytes:
    return blake2b(f"{scenario} {seed}".encode(), digest_size=32).digest()


def walk(scenario: str, seed: int, options: dict[str, str] | None = None) -> Iterator[Step]:
    """Yield every position of a random game with the command given in it."""
    secret, dice = _secret(scenario, seed), derived(f"player {scenario} {seed}")
    player: Any = RandomPlayer(dice, list(Habit)[seed % 3])
    state = QMG.fold(QMG.initial_state(), opening(scenario, seed, options or {}))
    number = 0
    while asked := QMG.active_roles(state):
        number += 1
        role = asked[dice.randbelow(len(asked))]
        command = player.choose(None, QMG.decision(state, role))
        if number % UNASKED_EVERY == 0:
            other = ROLES[dice.randbelow(len(ROLES))]
            if free := QMG.free_actions(state, other):
                role, command = other, free[dice.randbelow(len(free))]
        step = Step(state, role, command, secret, number)
        yield step
        state = QMG.fold(state, step.events())


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
