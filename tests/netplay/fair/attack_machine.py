"""Random adversary runs as a Hypothesis state machine, which shortens a failing run.

The rules are the attacker's moves. Each one draws a delay and a seed for its choices, so that the rest of a run stays
the same when some moves are removed.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from typing_extensions import override

from tests.netplay.fair.adversary import Adversary

MOVES_OF_A_RUN: Final = 25
FIXED_PASSES: Final = 5
"""Number of passes through all moves before the random runs.

The examples that Hypothesis draws depend on the constants in all loaded modules, so a short random run alone need not
contain every kind of attack.
"""
LEAST_STEPS: Final = 75
"""Minimum average number of steps in a run. Hypothesis makes its first two runs short."""
_MAX_WAIT: Final = 6
_WAITS: Final = st.integers(0, _MAX_WAIT)
_SEEDS: Final = st.integers(0, (1 << 32) - 1)


class Attacks(RuleBasedStateMachine):
    """One run of an attacker against honest programs. When a match ends, the attacker begins another one."""

    attackers: ClassVar[Iterator[Adversary]]
    counts: ClassVar[Counter[str]]

    @initialize()
    def begin(self) -> None:
        self._running: Adversary | None = next(self.attackers)

    @override
    def teardown(self) -> None:
        if self._running is not None:
            self._finish(self._running)

    def act(self, move: str, wait: int, seed: int) -> None:
        adversary, self._running = self._running, None
        assert adversary is not None, "no run goes on after a failure"
        if adversary.is_over:
            self._finish(adversary)
            adversary = next(self.attackers)
        adversary.act(move, wait, seed)
        self._running = adversary

    def _finish(self, adversary: Adversary) -> None:
        adversary.finish()
        self.counts.update(adversary.counts)


def _rule(move: str) -> Any:  # noqa: ANN401  # Hypothesis does not export the type
    def attack(machine: Attacks, wait: int, seed: int) -> None:
        machine.act(move, wait, seed)

    attack.__name__ = move
    return rule(wait=_WAITS, seed=_SEEDS)(attack)


def _pass_through(new: Callable[[], Adversary], moves: tuple[str, ...], seed: int) -> Counter[str]:
    """Make each move once, beginning a new match whenever one has ended, and return the counts."""
    counts: Counter[str] = Counter()
    adversary = new()
    for wait, move in enumerate(moves):
        if adversary.is_over:
            adversary.finish()
            counts.update(adversary.counts)
            adversary = new()
        adversary.act(move, wait % (_MAX_WAIT + 1), seed)
    adversary.finish()
    counts.update(adversary.counts)
    return counts


def run_attacks(new: Callable[[], Adversary], moves: tuple[str, ...], steps: int) -> Counter[str]:
    """Attack until at least the given number of steps are done, and return the counts.

    Args:
        new: Creates an attacker in a new match.
        moves: The attacker's moves.
        steps: Number of steps in all runs together.
    """
    counts: Counter[str] = Counter()
    for seed in range(FIXED_PASSES):
        counts.update(_pass_through(new, moves, seed))
    attackers = iter(new, None)
    parts = {"attackers": attackers, "counts": counts, **{one: _rule(one) for one in moves}}
    machine: Any = type("Attacks", (Attacks,), parts)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=3 + steps // LEAST_STEPS,
            stateful_step_count=MOVES_OF_A_RUN,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert counts["steps"] >= steps, counts
    return counts
