"""Counts the command sequences from a position. Randomness does not branch, because the dice are always the same.

``python -m tests.perft.count POSITION DEPTH`` prints, for each role, the count after each first command and then the
line of ``counts.txt``. A position is the start of a scenario (``eots-1943``) or the position after a record of a golden
game (``eots-1943-greedy-mixed@120``).
"""

import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.registry import AnyRuleset, ruleset
from tests.golden_games.corpus import positions, read

SECRET: Final = bytes(range(32))


@lru_cache(maxsize=1)  # the counts are ordered by game
def states(game: str) -> Sequence[Any]:
    """Return the state after every record of a golden game."""
    header, records = read(game)
    return [state for _, state in positions(ruleset(header.game), records)]


def position(name: str) -> tuple[AnyRuleset, Any]:
    """Return the rules and the state of a named position."""
    game, _, at = name.partition("@")
    rules = ruleset(game.partition("-")[0])
    if at:
        return rules, states(game)[int(at)]
    start = rules.open_game(rules.position(game.partition("-")[2], {}), DerivedDice(SECRET, 0))
    return rules, rules.fold(rules.initial_state(), start)


def commands(rules: AnyRuleset, state: Any, role: Role) -> Sequence[Any]:  # noqa: ANN401  # any game's
    """Return the commands that a role may give now, whether or not it is asked."""
    if role in rules.active_roles(state):
        return rules.decision_with_free_actions(state, role).options
    return rules.free_actions(state, role)


def count(rules: AnyRuleset, state: Any, role: Role, depth: int) -> int:  # noqa: ANN401  # any game's
    """Return the number of command sequences of this length that begin with a command of the role."""
    if depth == 1:
        return len(commands(rules, state, role))
    return sum(number for _, number in divide(rules, state, role, depth))


def divide(
    rules: AnyRuleset,
    state: Any,  # noqa: ANN401  # any game's
    role: Role,
    depth: int,
) -> Iterator[tuple[str, int]]:
    """Yield each first command of a role with the number of sequences that begin with it."""
    for command in commands(rules, state, role):
        number = 1
        if depth > 1:
            dice = DerivedDice(SECRET, depth)
            after = rules.fold(state, rules.decide(state, role, command, dice))
            number = sum(count(rules, after, other, depth - 1) for other in rules.roles(after))
        yield rules.notation.line(command), number


def main(name: str, depth: int) -> None:
    """Print the counts of a position."""
    rules, state = position(name)
    for role in rules.roles(state):
        parts = list(divide(rules, state, role, depth))
        for line, number in parts:
            print(f"    {line}: {number}")  # noqa: T201 - a tool for contributors
        if parts:
            print(name, role, depth, sum(number for _, number in parts))  # noqa: T201 - see above


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
