"""Prints digests of random games, to check that a refactoring leaves the rules unchanged.

``python -m tools.dev.digests`` prints one line per game. Compare the output of two versions with ``diff``.
"""

import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Final

import click

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ruleset import EOTS
from engine.kernel.dice import DerivedDice
from engine.registry import AnyRuleset
from saves.codec import codec
from tools.bench.records import greedy_game, secret
from tools.click_commands import CheckedCommand

SCENARIOS: Final = ("1943", "1942", "1944", "1942-43", "1943-44", "short-campaign")
GAMES: Final = 30


def digest(scenario: str, seed: int, max_commands: int) -> tuple[int, str]:
    """Play a random game and return the number of commands and a digest of all options and events.

    Args:
        scenario: Id of the scenario.
        seed: A number that determines the whole game, including the players' habits.
        max_commands: Maximum number of commands.
    """
    rules: AnyRuleset = EOTS
    pack = codec(rules).pack
    hasher = blake2b(digest_size=16)
    player = RandomPlayer(DerivedDice(secret(seed), 0), list(Habit)[seed % len(Habit)])
    chance = secret(seed + 1)
    events = rules.open_game(rules.position(scenario, {}), DerivedDice(chance, 0))
    state = rules.fold(rules.initial_state(), events)
    view = rules.project(state, None)  # random players do not read the view
    count = 0
    while count < max_commands and (active_roles := rules.active_roles(state)):
        decision = rules.decision(state, active_roles[0])
        for option in decision.options:
            hasher.update(pack(option).body)
        command = player.choose(view, decision)
        count += 1
        events = rules.decide(state, active_roles[0], command, DerivedDice(chance, count))
        for event in events:
            hasher.update(pack(event).body)
        state = rules.fold(state, events)
    return count, hasher.hexdigest()


def lines(games: int, scenarios: Sequence[str], max_commands: int) -> Iterator[str]:
    """Yield one line per game. The games cycle through the scenarios."""
    for seed in range(games):
        scenario = scenarios[seed // len(Habit) % len(scenarios)]
        count, digest_text = digest(scenario, seed, max_commands)
        yield f"{scenario} {seed} {count} {digest_text}"


def greedy_lines(games: int, scenarios: Sequence[str], max_records: int) -> Iterator[str]:
    """Yield one line per game between greedy bots, with the record's chain value as the digest."""
    for seed in range(games):
        game = greedy_game(EOTS, scenarios[seed % len(scenarios)], seed, max_records)
        yield f"greedy {game.header.scenario} {seed} {game.seq} {game.chain.hex()[:32]}"


@click.command(cls=CheckedCommand)
@click.option("--games", default=GAMES, show_default=True, help="Number of random games.")
@click.option(
    "--most", default=2_000, show_default=True, help="Maximum number of commands per game."
)
def main(games: int, most: int) -> None:
    """Print one line per random game: scenario, seed, commands, digest of options and events.

    It also plays games between greedy bots, one for every six random games.
    """
    for line in chain(
        lines(games, SCENARIOS, most), greedy_lines(-(-games // len(SCENARIOS)), SCENARIOS, most)
    ):
        click.echo(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
