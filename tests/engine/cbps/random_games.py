"""Random games of every scenario, cached because many tests use the same ones.

Orders that may be given at any time are given occasionally, even by commanders who are not asked.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from engine.bots.random_player import Habit, RandomPlayer
from engine.cbps.commands import CbpsCommand
from engine.cbps.events.base import CbpsEvent
from engine.cbps.ruleset import CBPS
from engine.cbps.state import State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.sizes import sized

SCENARIOS: Final = [info.id for info in CBPS.scenarios()]
UNASKED_EVERY: Final = 17
"""Commands between two that were not asked for."""
POSITIONS: Final = sized(12, 40, 400)
"""Number of positions of each game that are examined closely."""
STAFFS: Final = ("one", "two", "four")


class Step(NamedTuple):
    """A position of a game, and the command given in it."""

    state: State
    role: Role
    command: CbpsCommand
    secret: bytes
    number: int

    def events(self) -> tuple[CbpsEvent, ...]:
        """Return the events of the command."""
        dice = DerivedDice(self.secret, self.number)
        return CBPS.decide(self.state, self.role, self.command, dice)


def derived(text: str) -> DerivedDice:
    """Return dice derived from a text."""
    return DerivedDice(_digest(text), 0)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=32).digest()


def walk(scenario: str, seed: int, options: Mapping[str, str] | None = None) -> Iterator[Step]:
    """Yield every position of a random game with the command given in it."""
    secret, dice = _digest(f"{scenario} {seed}"), derived(f"player {scenario} {seed}")
    player: Any = RandomPlayer(dice, list(Habit)[seed % 3])
    start = CBPS.open_game(CBPS.position(scenario, options or {}), DerivedDice(secret, 0))
    state = CBPS.fold(CBPS.initial_state(), start)
    roles = CBPS.roles(state)
    number = 0
    while asked := CBPS.active_roles(state):
        number += 1
        role = asked[dice.randbelow(len(asked))]
        command = player.choose(None, CBPS.decision(state, role))
        if number % UNASKED_EVERY == 0:
            other = roles[dice.randbelow(len(roles))]
            if free := CBPS.free_actions(state, other):
                role, command = other, free[dice.randbelow(len(free))]
        step = Step(state, role, command, secret, number)
        yield step
        state = CBPS.fold(state, step.events())


@cache
def game(scenario: str) -> tuple[Step, ...]:
    """Return positions spread over a random game. The number of commanders depends on the scenario number."""
    seed = SCENARIOS.index(scenario)
    steps = tuple(walk(scenario, seed, {"staff": STAFFS[seed % len(STAFFS)]}))
    return steps[seed % 2 :: max(len(steps) // POSITIONS, 1)]
