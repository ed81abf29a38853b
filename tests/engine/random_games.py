"""Random games of any ruleset. Commands that may be given at any time are given occasionally, by any role."""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, Generic, NamedTuple

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import C, E, Ruleset, S

UNASKED_EVERY: Final = 17
"""Number of commands from one any-time command to the next."""


class Step(NamedTuple, Generic[S, C, E]):
    """A position of a game, and the command given in it."""

    rules: Ruleset[S, C, E, Any, Any]
    state: S
    role: Role
    command: C
    secret: bytes
    number: int

    def events(self) -> tuple[E, ...]:
        """Return the events of the command."""
        dice = DerivedDice(self.secret, self.number)
        return self.rules.decide(self.state, self.role, self.command, dice)


def derived(text: str) -> DerivedDice:
    """Return dice derived from a text."""
    return DerivedDice(_digest(text), 0)


def opening(
    rules: Ruleset[Any, Any, E, Any, Any], scenario: str, seed: int, options: Mapping[str, str]
) -> tuple[E, ...]:
    """Return the opening of a random game."""
    dice = derived(f"{scenario} {seed}")
    return rules.open_game(rules.position(scenario, options), dice)


def walk(
    rules: Ruleset[S, C, E, Any, Any], scenario: str, seed: int, options: Mapping[str, str]
) -> Iterator[Step[S, C, E]]:
    """Yield every position of a random game with the command given in it."""
    secret, dice = _digest(f"{scenario} {seed}"), derived(f"player {scenario} {seed}")
    player: Any = RandomPlayer(dice, list(Habit)[seed % 3])
    state = rules.fold(rules.initial_state(), opening(rules, scenario, seed, options))
    roles = rules.roles(state)
    number = 0
    while asked := rules.active_roles(state):
        number += 1
        role = asked[dice.randbelow(len(asked))]
        command = player.choose(None, rules.decision(state, role))
        if number % UNASKED_EVERY == 0:
            other = roles[dice.randbelow(len(roles))]
            if free := rules.free_actions(state, other):
                role, command = other, free[dice.randbelow(len(free))]
        step = Step(rules, state, role, command, secret, number)
        yield step
        state = rules.fold(state, step.events())


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=32).digest()
