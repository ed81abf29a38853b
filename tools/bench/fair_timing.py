"""Tests whether a seat's response times reveal its secrets (AT-28 of the protocol 7 specification).

Each row compares pairs of secrets: a seat does the same work with both secrets, in random order. A classifier learns a
threshold from half of the times, and guesses the secret for the other half. If the times reveal nothing, half of its
guesses are correct. The 95 % Wilson interval of the accuracy shows whether a row's guesses are better than chance. The
control row measures a known difference, to show what the test can detect.
"""

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple

from engine.bots.random_player import RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from netplay.fair.participant import Participant
from saves.fair.derivation import HASH_BYTES
from saves.fair.group import ZERO, base_times, card_point
from saves.fair.mixing import SHADOWS, MixContext, MixInput, make_mix, plan_mix, respond
from saves.fair.secrets import CardSecrets
from tools.arena import wilson
from tools.bench.fair7 import BenchMatch
from tools.bench.measure import BenchmarkResult, BenchmarkTarget, measure

PAIRS: Final = 12
"""Pairs of secrets per row."""
TIMES: Final = 60
"""Number of measurements per secret in a pair. Half of them are used for training, half for guessing."""
CARDS: Final = 7
"""Number of cards in a hand."""
_GAME: Final = ("qmg", "base")
_SEED: Final = 28
_MATCH: Final = "timing"
_DECK: Final = "germany"
_CHALLENGE: Final = (0, 1) * (SHADOWS // 2)
_GOAL: Final = BenchmarkTarget(first=60, aim=55)
"""Percentage of correct guesses."""
_CHANCE: Final = BenchmarkTarget(first=50, aim=50)

Work = Callable[[], object]


class Guess(NamedTuple):
    """Result of the classifier for one pair of secrets."""

    right: int
    """Number of correct guesses."""
    guesses: int
    """Number of guesses."""
    gap: float
    """Difference between the medians, in microseconds."""

    @property
    def accuracy(self) -> float:
        """Percentage of correct guesses."""
        return 100 * self.right / self.guesses


def fair_timing() -> Iterator[BenchmarkResult]:
    """Yield the accuracy with which a seat's secrets can be guessed from its response times."""
    source = random.Random(_SEED)  # noqa: S311  # the order of measurements, not a secret
    rows: dict[str, tuple[Iterator[tuple[Work, Work]], str, BenchmarkTarget | None]] = {
        "control": (
            _controls(source), "answers for one hand, the second time with an extra multiplication per card", None,
        ),
        "mix": (_mixes(source), f"mixes of two hands of {CARDS} cards with {SHADOWS} shadows", _GOAL),
        "proof": (_proofs(source), "answers to one challenge about the mixes of two hands", _GOAL),
        "command": (_commands(source), f"hidden commands of {_GAME[0]} {_GAME[1]} with two different cards", _GOAL),
    }  # fmt: skip
    for name, (pairs, what, goal) in rows.items():
        guesses = [guess(first, second, source) for first, second in pairs]
        yield measure(
            f"fair-timing-{name}", "%", [result.accuracy for result in guesses],
            f"{what}: percentage of right guesses from {TIMES} times each; 50 means that nothing leaks", goal,
        )  # fmt: skip
        correct, count = (
            sum(result.right for result in guesses),
            sum(result.guesses for result in guesses),
        )
        yield measure(
            f"fair-timing-{name}-all", "%", [100 * correct / count],
            f"percentage of right guesses for all {len(guesses)} pairs together ({correct} of {count})",
        )  # fmt: skip
        yield measure(
            f"fair-timing-{name}-low", "%", [100 * wilson(correct, count)[0]],
            "lower end of the 95 % interval of that percentage; above 50 the times reveal something",
            goal and _CHANCE,
        )  # fmt: skip
        yield measure(
            f"fair-timing-{name}-gap", "us", [result.gap for result in guesses],
            "difference between the medians of a pair",
        )  # fmt: skip


def guess(first: Work, second: Work, source: random.Random) -> Guess:
    """Measure both functions. Return how well their times can be distinguished."""
    times = _times((first, second), source)
    return classify(times[0], times[1])


def _times(functions: Sequence[Work], source: random.Random) -> list[list[int]]:
    """Return each function's CPU times in nanoseconds. The functions are called in random order."""
    times: list[list[int]] = [[] for _ in functions]
    for work in functions:  # fill caches
        work()
    with _without_collection():
        for _ in range(TIMES):
            for index in source.sample(range(len(functions)), len(functions)):
                started = time.thread_time_ns()
                functions[index]()
                times[index].append(time.thread_time_ns() - started)
    return times


def classify(first: Sequence[int], second: Sequence[int]) -> Guess:
    """Learn a threshold from every other measurement. Return how well it classifies the rest.

    Args:
        first: Nanoseconds for one secret, in the order measured.
        second: Nanoseconds for the other secret, in the order measured.
    """
    medians = median(first[::2]), median(second[::2])
    threshold, second_is_slower = sum(medians) / 2, medians[1] >= medians[0]
    correct = sum((time <= threshold) == second_is_slower for time in first[1::2])
    correct += sum((time > threshold) == second_is_slower for time in second[1::2])
    count = len(first[1::2]) + len(second[1::2])
    gap_us = abs(median(first) - median(second)) / 1_000
    return Guess(correct, count, gap_us)


@contextmanager
def _without_collection() -> Iterator[None]:
    was_on = gc.isenabled()  # a garbage collection would distort individual measurements
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# -- pairs of secrets


class TimedHand:
    """A seat's hidden cards, and the computations on these cards that are timed."""

    def __init__(self, source: random.Random) -> None:
        self._secrets = CardSecrets(_MATCH, Role(_DECK), bytes(32))
        names = (f"card-{name}" for name in source.sample(range(1_000), CARDS))
        self._inputs = [
            MixInput(label, card_point(_MATCH, _DECK, name), name, ZERO)
            for label, name in enumerate(names)
        ]
        self._context = MixContext(
            header_hash=bytes(HASH_BYTES),
            anchor_index=1,
            anchor_hash=source.randbytes(HASH_BYTES),
            deck=_DECK,
            purpose="hand",
        )
        self._plan = plan_mix(self._secrets, self._context, self._inputs)

    def mix(self) -> None:
        """Mix the cards."""
        make_mix(self._secrets, self._context, self._inputs)

    def answer(self) -> None:
        """Respond to a challenge about the mix."""
        respond(self._plan, _CHALLENGE)

    def answer_and_more(self) -> None:
        """Respond to a challenge about the mix, and do additional work: multiply one point per card."""
        self.answer()
        for increment in self._plan.increments:
            base_times(increment)


def _controls(source: random.Random) -> Iterator[tuple[Work, Work]]:
    for _ in range(PAIRS):
        hand = TimedHand(source)
        yield hand.answer, hand.answer_and_more


def _mixes(source: random.Random) -> Iterator[tuple[Work, Work]]:
    for _ in range(PAIRS):
        yield TimedHand(source).mix, TimedHand(source).mix


def _proofs(source: random.Random) -> Iterator[tuple[Work, Work]]:
    for _ in range(PAIRS):
        yield TimedHand(source).answer, TimedHand(source).answer


def _commands(source: random.Random) -> Iterator[tuple[Work, Work]]:
    seat, commands = _hidden_commands()
    for _ in range(PAIRS):
        first, second = source.sample(commands, 2)
        yield partial(seat.request_body, first), partial(seat.request_body, second)


def _hidden_commands() -> tuple[Participant, Sequence[Any]]:
    """Return the active seat, and commands that differ only in their hidden cards."""
    match = BenchMatch(*_GAME, _SEED)
    match.start()
    rules, player = match.state.setup.game, RandomPlayer(DerivedDice(bytes(32), _SEED))
    while True:
        role = rules.active_roles(match.state.state)[0]
        seat = match.seats[role]
        options = rules.decision_with_free_actions(seat.cards.state, role)
        candidates: dict[Any, list[Any]] = {}
        for command in options.options:
            public_command = rules.redact_command(command, role, None)
            if public_command != command:
                candidates.setdefault(public_command, []).append(command)
        longest = max(candidates.values(), key=len, default=[])
        if len(longest) > 1:
            return seat, longest
        match.give(role, player.choose(rules.project(seat.cards.state, role), options))
