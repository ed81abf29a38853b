"""Whether the time of a seat's answers depends on what it hides (AT-28 of the specification of protocol 7).

Each row compares pairs of secrets: a seat does the same work with the one and the other, in random order. A classifier
that has learned a threshold from half of the times guesses the secret of the other half. It is right in half of the
cases if the time tells nothing. The row of the control has a known difference, so it shows what would be noticed.
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
from tools.bench.fair7 import BenchMatch
from tools.bench.measure import Goal, Measure, measure

PAIRS: Final = 12
"""Pairs of secrets of each row."""
TIMES: Final = 60
"""Times of each secret of a pair: half to learn from, half to guess."""
CARDS: Final = 7
"""Cards of a hand."""
_GAME: Final = ("qmg", "base")
_SEED: Final = 28
_MATCH: Final = "timing"
_DECK: Final = "germany"
_CHALLENGE: Final = (0, 1) * (SHADOWS // 2)
_GOAL: Final = Goal(first=60, aim=55)
"""Right guesses of a hundred."""

Work = Callable[[], object]


class Guess(NamedTuple):
    """What a classifier finds out about one pair of secrets."""

    right: float
    """Of a hundred guesses."""
    gap: float
    """Difference of the medians in microseconds."""


def fair_timing() -> Iterator[Measure]:
    """Yield how well the time of an answer tells what a seat hides."""
    source = random.Random(_SEED)  # noqa: S311  # order of a measurement, not a secret
    rows: dict[str, tuple[Iterator[tuple[Work, Work]], str, Goal | None]] = {
        "control": (
            _controls(source), "answers for one hand, the second with a point multiplied for each card", None,
        ),
        "mix": (_mixes(source), f"mixes of {CARDS} cards with {SHADOWS} shadows, of two hands", _GOAL),
        "proof": (_proofs(source), "the answers to one challenge, for mixes of two hands", _GOAL),
        "command": (_commands(source), f"hidden commands of {_GAME[0]} {_GAME[1]}, of two cards", _GOAL),
    }  # fmt: skip
    for name, (pairs, what, goal) in rows.items():
        guesses = [guess(first, second, source) for first, second in pairs]
        yield measure(
            f"fair-timing-{name}", "%", [one.right for one in guesses],
            f"{what}: right guesses of a hundred from {TIMES} times each; 50 tell nothing", goal,
        )  # fmt: skip
        yield measure(
            f"fair-timing-{name}-gap", "us", [one.gap for one in guesses],
            "the difference of the medians of a pair",
        )  # fmt: skip


def guess(first: Work, second: Work, source: random.Random) -> Guess:
    """Return how well the time of a work tells which of the two it is."""
    times = _times((first, second), source)
    return classified(times[0], times[1])


def _times(works: Sequence[Work], source: random.Random) -> list[list[int]]:
    """Return the nanoseconds of processor time of each work, done in random order; other programs add nothing."""
    found: list[list[int]] = [[] for _ in works]
    for work in works:  # what is computed once
        work()
    with _without_collection():
        for _ in range(TIMES):
            for place in source.sample(range(len(works)), len(works)):
                begun = time.thread_time_ns()
                works[place]()
                found[place].append(time.thread_time_ns() - begun)
    return found


def classified(first: Sequence[int], second: Sequence[int]) -> Guess:
    """Return how often a threshold that is learned from every second time tells the others apart.

    Args:
        first: Nanoseconds of one secret, in the order of the measurement.
        second: Those of the other.
    """
    middles = median(first[::2]), median(second[::2])
    threshold, second_is_slower = sum(middles) / 2, middles[1] >= middles[0]
    right = sum((one <= threshold) == second_is_slower for one in first[1::2])
    right += sum((one > threshold) == second_is_slower for one in second[1::2])
    count = len(first[1::2]) + len(second[1::2])
    gap = abs(median(first) - median(second)) / 1_000
    return Guess(100 * right / count, gap)


@contextmanager
def _without_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# -- pairs of secrets


class Hand:
    """Closed labels of a seat, and what it computes about them."""

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
        """Mix the labels."""
        make_mix(self._secrets, self._context, self._inputs)

    def answer(self) -> None:
        """Answer a challenge of the mix."""
        respond(self._plan, _CHALLENGE)

    def answer_and_more(self) -> None:
        """Answer a challenge of the mix, and multiply a point for each card."""
        self.answer()
        for increment in self._plan.increments:
            base_times(increment)


def _controls(source: random.Random) -> Iterator[tuple[Work, Work]]:
    for _ in range(PAIRS):
        hand = Hand(source)
        yield hand.answer, hand.answer_and_more


def _mixes(source: random.Random) -> Iterator[tuple[Work, Work]]:
    for _ in range(PAIRS):
        yield Hand(source).mix, Hand(source).mix


def _proofs(source: random.Random) -> Iterator[tuple[Work, Work]]:
    for _ in range(PAIRS):
        yield Hand(source).answer, Hand(source).answer


def _commands(source: random.Random) -> Iterator[tuple[Work, Work]]:
    seat, commands = _hidden_commands()
    for _ in range(PAIRS):
        first, second = source.sample(commands, 2)
        yield partial(seat.request_body, first), partial(seat.request_body, second)


def _hidden_commands() -> tuple[Participant, Sequence[Any]]:
    """Return a seat that is asked, with commands between which only hidden cards differ."""
    match = BenchMatch(*_GAME, _SEED)
    match.start()
    rules, player = match.state.setup.game, RandomPlayer(DerivedDice(bytes(32), _SEED))
    while True:
        role = rules.asked(match.state.state)[0]
        seat = match.seats[role]
        offered = rules.offered(seat.cards.state, role)
        alike: dict[Any, list[Any]] = {}
        for command in offered.options:
            shown = rules.redact_command(command, role, None)
            if shown != command:
                alike.setdefault(shown, []).append(command)
        longest = max(alike.values(), key=len, default=[])
        if len(longest) > 1:
            return seat, longest
        match.give(role, player.choose(rules.project(seat.cards.state, role), offered))
