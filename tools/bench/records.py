"""Reproducible games for benchmarks: the same seed always produces the same records."""

from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from engine.bots.player import Player
from engine.bots.random_player import Habit, RandomPlayer
from engine.bots.registry import create_bot
from engine.eots.commands import Drop, Pick
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from engine.registry import AnyRuleset
from saves.headers import Seat
from saves.logfile import write_log
from saves.match import Match

HESITATION_PER_10000 = 9_900
"""Probability, in units of 1/10,000, that the hesitant player picks up a stack or puts it back."""
MAX_GAMES = 50


def secret(seed: int) -> bytes:
    """Derive a benchmark game's match secret from its seed."""
    return blake2b(f"bench {seed}".encode(), digest_size=32).digest()


def match(rules: AnyRuleset, scenario: str, seed: int) -> Match[Any]:
    """Return a new match in memory."""
    position = rules.position(scenario, {})
    info = rules.scenario_info(scenario, {})
    seats = tuple(Seat(role=role, player=f"bench-{role}", seat_id=role) for role in info.roles)
    return Match.create(rules, position, scenario, {}, seats, secret(seed))


def play(game: Match[Any], players: Mapping[Role, Player], max_records: int) -> None:
    """Let the players play until the game ends or reaches the given number of records."""
    rules = game.ruleset
    while len(game.records) < max_records and (active_roles := rules.active_roles(game.state)):
        role = active_roles[0]
        view = rules.project(game.state, role)
        game.submit(role, players[role].choose(view, rules.decision(game.state, role)), game.seq)


def greedy_game(rules: AnyRuleset, scenario: str, seed: int, max_records: int) -> Match[Any]:
    """Return a game between greedy bots. If it reaches ``max_records`` records, the game stops there."""
    game = match(rules, scenario, seed)
    chance = DerivedDice(secret(seed + 1), 0)
    players = {role: create_bot("greedy", rules.game, chance) for role in rules.roles(game.state)}
    play(game, players, max_records)
    return game


class HesitantPlayer:
    """A random player that often picks up a stack and puts it back, which makes games long."""

    def __init__(self, seed: int) -> None:
        """Seed the player's dice."""
        self._dice = DerivedDice(secret(seed), 0)
        self._other = RandomPlayer(self._dice, Habit.BY_VERB)

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the options at random."""
        if self._dice.randbelow(10_000) < HESITATION_PER_10000:
            put_back = [option for option in decision.options if isinstance(option, Drop)]
            pick_ups = [option for option in decision.options if isinstance(option, Pick)]
            if other_options := put_back or pick_ups:
                return other_options[self._dice.randbelow(len(other_options))]
        return self._other.choose(view, decision)


def long_game(rules: AnyRuleset, scenario: str, records: int) -> Match[Any]:
    """Return a game that has at least the given number of records and no takebacks.

    Seeds are tried from 0 upwards. If no game is long enough, the longest game is returned.
    """
    longest: Match[Any] | None = None
    for seed in range(MAX_GAMES):
        game = match(rules, scenario, seed)
        player = HesitantPlayer(seed + 1_000)
        play(game, dict.fromkeys(rules.roles(game.state), player), records)
        if len(game.records) >= records:
            return game
        if longest is None or len(game.records) > len(longest.records):
            longest = game
    assert longest is not None, "at least one game must have been played"
    return longest


def save(game: Match[Any], path: Path) -> Path:
    """Write a match to a record file."""
    write_log(path, game.header, game.records)
    return path


def sample_repeatedly(count: int, sample: Callable[[], float]) -> list[float]:
    """Return the given number of samples. One more sample is taken first to fill the caches, and discarded."""
    sample()
    return [sample() for _ in range(count)]
