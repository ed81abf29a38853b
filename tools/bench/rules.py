"""Benchmarks of the rules, in CPU time: loading, verifying, random play and greedy play."""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from engine.bots.random_player import Habit, RandomPlayer
from engine.eots.ruleset import EOTS
from engine.kernel.dice import DerivedDice
from engine.registry import AnyRuleset
from saves.logfile import read_log
from saves.timeline import Timeline
from saves.verify import verify_file
from tools import fuzz
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, cpu_seconds, measure
from tools.bench.profiles import PROFILES, BenchmarkProfile
from tools.bench.records import greedy_game, long_game, sample_repeatedly, save, secret

WHOLE: Final = 1_000_000
"""Maximum number of records in a greedy game, which no game reaches."""
LONG: Final = 5_000
SCENARIO: Final = "1943"
LOADS: Final = 20
MAX_CHECKS: Final = 100
"""Maximum number of games to verify per profile."""
GAMES: Final = 15
"""Number of random games: five for each of the random player's habits."""
LOAD_GOAL: Final = BenchmarkTarget(first=1.0, aim=0.1, at=95)


def _load(path: Path) -> None:
    log = read_log(path)
    Timeline(EOTS).load(log.records)


def load() -> Iterator[BenchmarkResult]:
    """Yield the time to load a record file with 5,000 records."""
    with TemporaryDirectory() as name:
        game = long_game(EOTS, "short-campaign", LONG)
        events = sum(len(record.events) for record in game.records)
        path = save(game, Path(name) / "long.fplog")
        times = sample_repeatedly(LOADS, lambda: cpu_seconds(lambda: _load(path)))
        yield measure(
            "load", "s", times,
            f"read, check and fold a file of {len(game.records)} records with {events} events, none taken"
            " back; short campaign by random players who often put stacks back, first seed that gives"
            " enough records; no snapshot",
            LOAD_GOAL,
        )  # fmt: skip
        game = greedy_game(EOTS, SCENARIO, 1, WHOLE)
        events = sum(len(record.events) for record in game.records)
        path = save(game, Path(name) / "greedy.fplog")
        scale = LONG / len(game.records)
        times = sample_repeatedly(LOADS, lambda: scale * cpu_seconds(lambda: _load(path)))
        yield measure(
            "load-greedy", "s", times,
            f"the same per 5,000 records for a finished 1943 game of greedy bots, seed 1"
            f" ({len(game.records)} records, {events} events)",
            LOAD_GOAL,
        )  # fmt: skip


def verify() -> Iterator[BenchmarkResult]:
    """Yield the number of commands per second that `flagplot verify` checks."""
    for profile in PROFILES:
        yield _verify(profile)


def _verify(profile: BenchmarkProfile) -> BenchmarkResult:
    rules, checks = profile.rules, min(profile.checks, MAX_CHECKS)
    with TemporaryDirectory() as name:
        rates: list[float] = []
        commands = 0
        for seed in range(1, checks + 1):
            game = greedy_game(rules, profile.scenario, seed, WHOLE)
            path = save(game, Path(name) / f"{seed}.fplog")
            started = time.process_time()
            verdict = verify_file(path, rules)
            rates.append(verdict.commands / (time.process_time() - started))
            assert verdict.status == "ok", verdict.finding
            commands += verdict.commands
        return measure(
            f"verify{profile.suffix}", "commands/s", rates,
            f"every command of {checks} finished games of {profile.game} {profile.scenario} by greedy bots (seeds 1 to"
            f" {checks}, {commands} commands) decided again, events compared byte for byte; one process, each"
            " game verified once, after it was played in this process",
            profile.verify,
        )  # fmt: skip


def _unchecked_game(rules: AnyRuleset, scenario: str, seed: int) -> int:
    """Play one random game without checks and return its number of commands."""
    player = RandomPlayer(DerivedDice(secret(seed), 0), list(Habit)[seed % len(Habit)])
    chance = secret(seed + 1)
    state = rules.fold(
        rules.initial_state(), rules.open_game(rules.position(scenario, {}), DerivedDice(chance, 0))
    )
    count = 0
    view = rules.project(state, None)  # the random player does not read its view
    while active_roles := rules.active_roles(state):
        role = active_roles[0]
        command = player.choose(view, rules.decision(state, role))
        count += 1
        state = rules.fold(state, rules.decide(state, role, command, DerivedDice(chance, count)))
    return count


def random_play() -> Iterator[BenchmarkResult]:
    """Yield the speed of random play, with and without the fuzzer's checks."""
    for profile in PROFILES:
        yield _random_play(profile)
        yield _fuzz(profile)


def _random_play(profile: BenchmarkProfile) -> BenchmarkResult:
    rules, scenario = profile.rules, profile.scenario
    _unchecked_game(rules, scenario, 0)
    rates = []
    for seed in range(1, GAMES + 1):
        started = time.process_time()
        commands = _unchecked_game(rules, scenario, seed)
        amount = 1 if profile.in_games else commands
        rates.append(amount / (time.process_time() - started))
    return measure(
        f"random-play{profile.suffix}", profile.play_rate_unit, rates,
        f"{GAMES} random games of {profile.game} {scenario}, seeds 1 to {GAMES}, with the three habits in turn: list"
        " all options, choose, decide, fold",
        profile.play,
    )  # fmt: skip


def _fuzz(profile: BenchmarkProfile) -> BenchmarkResult:
    rates = []
    for seed in range(1, GAMES + 1):
        started = time.process_time()
        game = fuzz.play(profile.rules, profile.scenario, seed, sample_every=0)
        amount = 1 if profile.in_games else game.commands
        rates.append(amount / (time.process_time() - started))
        assert game.finding is None, game.finding
    return measure(
        f"fuzz{profile.suffix}", profile.play_rate_unit, rates,
        "the same with all invariants after every command and all redacted copies folded"
        " (flagplot fuzz without samples)",
        None if profile.in_games else profile.play,
    )  # fmt: skip


def greedy_play() -> Iterator[BenchmarkResult]:
    """Yield greedy bots' commands per second, including their thinking time."""
    for profile in PROFILES:
        checks = min(profile.checks, MAX_CHECKS)
        rates = []
        for seed in range(1, checks + 1):
            started = time.process_time()
            game = greedy_game(profile.rules, profile.scenario, seed, WHOLE)
            rates.append(len(game.records) / (time.process_time() - started))
        yield measure(
            f"greedy-play{profile.suffix}", "commands/s", rates,
            f"{checks} finished games of {profile.game} {profile.scenario} by greedy bots, seeds 1 to {checks}: views,"
            " thinking, deciding and record keeping in memory",
        )  # fmt: skip


def start_rules() -> Iterator[BenchmarkResult]:
    """Yield the time from process start to the first decision."""
    from tools.bench.processes import python_seconds

    code = (
        "from engine.eots.ruleset import EOTS\n"
        "from engine.kernel.dice import DerivedDice\n"
        "dice = DerivedDice(bytes(32), 0)\n"
        "state = EOTS.fold(EOTS.initial_state(), EOTS.open_game(EOTS.position('1943', {}), dice))\n"
        "EOTS.pending_decisions(state)\n"
    )
    yield measure(
        "import-rules", "s", sample_repeatedly(10, lambda: python_seconds("import engine.eots.ruleset")),
        "a fresh interpreter that imports the rules and exits", BenchmarkTarget(first=0.3, aim=0.15, at=95),
    )  # fmt: skip
    yield measure(
        "first-question", "s", sample_repeatedly(10, lambda: python_seconds(code)),
        "a fresh interpreter that imports the rules, sets up 1943 and lists the first options",
    )  # fmt: skip
