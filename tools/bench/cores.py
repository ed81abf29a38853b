"""Benchmarks on several processors (wall-clock time) and with many matches in one process (CPU time)."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from engine.registry import AnyRuleset, ruleset
from saves.codec import AnyGame
from saves.logfile import Log, read_log
from saves.record_verifier import RecordVerifier
from saves.verify import verify_files
from saves.workers import available_cpu_count
from tools.bench.measure import BenchmarkResult, cpu_seconds, measure, wall_seconds
from tools.bench.records import greedy_game, save

SCENARIOS: Final = {"eots": "1943", "qmg": "total-war", "cbps": "6"}
FILES: Final = 4
ROUNDS: Final = 3
WHOLE: Final = 1_000_000
MANY: Final = 100
EACH: Final = 40
"""Number of commands per match in :func:`matches_in_turn`."""

_Seated: TypeAlias = tuple[RecordVerifier[Any], Log]


def cores() -> Iterator[BenchmarkResult]:
    """Yield the speed of verification, on one processor and on all, for several files and for one long record."""
    cpu_count = available_cpu_count()
    for game, scenario in SCENARIOS.items():
        rates: dict[tuple[str, str], list[float]] = {}
        with TemporaryDirectory() as name:
            paths = _save_games(ruleset(game), scenario, Path(name))
            longest = max(paths, key=lambda path: path.stat().st_size)
            for _ in range(ROUNDS):
                for description, files in (("verify-files", paths), ("verify-record", [longest])):
                    count = sum(len(read_log(path).records) for path in files)
                    for processor_text, jobs in (("one-core", 1), ("all-cores", cpu_count)):
                        seconds = wall_seconds(partial(_verify_all, files, jobs))
                        rates.setdefault((description, processor_text), []).append(count / seconds)
        for (description, processor_text), samples in rates.items():
            yield measure(
                f"{description}-{processor_text}-{game}", "records/s", samples,
                f"{FILES} {scenario} games of greedy bots, or only the longest of them; all-cores uses {cpu_count}"
                " processes; wall-clock time",
            )  # fmt: skip


def _verify_all(paths: list[Path], jobs: int) -> None:
    verdicts = list(verify_files(paths, None, jobs))
    assert all(verdict.status == "ok" for verdict in verdicts)


def _save_games(rules: AnyRuleset, scenario: str, folder: Path) -> list[Path]:
    games = (greedy_game(rules, scenario, seed, WHOLE) for seed in range(1, FILES + 1))
    return [save(game, folder / f"{number}.fplog") for number, game in enumerate(games)]


def matches_in_turn() -> Iterator[BenchmarkResult]:
    """Yield the speed at which commands are decided, first match by match, then one command from each match in turn."""
    for game, scenario in SCENARIOS.items():
        rules = ruleset(game)
        with TemporaryDirectory() as name:
            logs = [
                read_log(save(greedy_game(rules, scenario, seed, EACH + 1), Path(name) / f"{seed}"))
                for seed in range(MANY)
            ]
        commands = sum(len(log.records) - 1 for log in logs)
        one_match_rates, many_match_rates = list[float](), list[float]()
        for _ in range(ROUNDS):
            one_match_rates.append(
                commands / cpu_seconds(partial(_verify_one_by_one, _verifiers(rules, logs)))
            )
            many_match_rates.append(
                commands / cpu_seconds(partial(_verify_in_turn, _verifiers(rules, logs)))
            )
        yield measure(
            f"one-match-{game}", "commands/s", one_match_rates,
            f"the first {EACH} commands of {MANY} {scenario} games of greedy bots decided again, game after game",
        )  # fmt: skip
        yield measure(
            f"many-matches-{game}", "commands/s", many_match_rates,
            "the same, taking one command of each game in turn",
        )  # fmt: skip


def _verifiers(rules: AnyGame, logs: list[Log]) -> list[_Seated]:
    """Return each game's log and a verifier that has not checked any record yet."""
    return [(RecordVerifier(rules, log.header), log) for log in logs]


def _verify_one_by_one(games: list[_Seated]) -> None:
    """Verify the records of several games, one game after another."""
    for game in games:
        _verify_in_turn([game])


def _verify_in_turn(games: list[_Seated]) -> None:
    """Verify the records of several games, one record from each game in turn."""
    for seq in range(max(len(log.records) for _, log in games)):
        for verifier, log in games:
            if seq < len(log.records):
                verifier.add(log.records[seq])
