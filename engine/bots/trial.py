"""A trial of candidates by playouts: who is played out next, who leads, and when more would hardly change it."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final, NamedTuple

Verdict = Callable[[Sequence[float], Sequence[float]], bool]
"""Says of what the leader and another candidate came to, sample by sample, whether the leader is surely better."""
_SCALE: Final = 100


def by_far(gap: float) -> Verdict:
    """Return the verdict of one that was always better, whatever the sample, by more than so much."""
    return lambda best, other: min(best) > max(other) + gap


def by_chance(errors: float) -> Verdict:
    """Return the verdict of one that was better by so many standard errors in the same samples, or never differed."""

    def is_sure(best: Sequence[float], other: Sequence[float]) -> bool:
        gaps = [one - two for one, two in zip(best, other, strict=False)]
        mean = sum(gaps) / len(gaps)
        spread = sum((gap - mean) ** 2 for gap in gaps) / max(len(gaps) - 1, 1)
        return mean >= errors * sqrt(spread / len(gaps))

    return is_sure


class Manner(NamedTuple):
    """How candidates are compared."""

    trust: int = 1
    """The first judgement counts as much as so many playouts."""
    first: int = 1
    """Playouts of each candidate before the best are chosen."""
    finalists: int = 3
    """The best so far, among which further playouts decide."""
    enough: int = 2
    """Playouts of each finalist before anything is clear."""
    alike: float = 12
    """When all playouts lie as close together as that, more would find no difference either."""
    is_surely_better: Verdict = by_far(12)
    is_paired: bool = False
    """Samples differ more than candidates do: only what two came to in the same samples is compared."""


class Trial:
    """Candidates being compared."""

    def __init__(
        self,
        priors: Sequence[float],
        play_out: Callable[[int, int], float],
        manner: Manner = Manner(),  # noqa: B008 - nobody can change it
    ) -> None:
        """Begin without a playout.

        Args:
            priors: The first judgement on each candidate, on the scale of the playouts.
            play_out: Plays a candidate out in a sample, both by number, and returns what it comes to.
            manner: How to compare.
        """
        self._priors = priors
        self._play_out = play_out
        self._manner = manner
        self._seen: list[list[float]] = [[] for _ in priors]
        """What each candidate has come to, sample by sample."""
        self._ranked = self._in_order()

    def best(self) -> int:
        """Return the place of the candidate that looks best now, the first on a tie."""
        return self._ranked[0]

    def go_on(self) -> None:
        """Play one candidate out once more, in a sample that is new to it."""
        at = self._next()
        self._seen[at].append(self._play_out(at, len(self._seen[at])))
        self._ranked = self._in_order()

    @property
    def is_clear(self) -> bool:
        """Return whether more playouts would hardly change anything: one is surely better, or all are as good."""
        manner = self._manner
        finalists = self._ranked[: manner.finalists]
        if any(len(self._seen[at]) < manner.enough for at in finalists) or not all(self._seen):
            return False
        best, *others = (self._seen[at] for at in finalists)
        seen = [found for one in self._seen for found in one]
        is_same = max(seen) - min(seen) <= manner.alike
        return is_same or all(manner.is_surely_better(best, other) for other in others)

    def _next(self) -> int:
        """Return who is played out next: those too rarely seen in turn, then of the best the one seen least."""
        counts = [len(seen) for seen in self._seen]
        least = min(range(len(counts)), key=counts.__getitem__)
        if counts[least] < self._manner.first:
            return least
        return min(self._ranked[: self._manner.finalists], key=counts.__getitem__)

    def _in_order(self) -> list[int]:
        """Return the places of all candidates, the best first."""
        scores = [self._score(at) for at in range(len(self._seen))]
        return sorted(range(len(scores)), key=lambda at: (-scores[at], at))

    def _score(self, at: int) -> float:
        """Return what a candidate comes to on average, beyond what the one seen most came to where they are paired."""
        trust, seen, prior = self._manner.trust, self._seen[at], self._priors[at]
        total = trust * prior + sum(seen)
        if self._manner.is_paired:
            most = max(range(len(self._seen)), key=lambda one: len(self._seen[one]))
            total -= trust * self._priors[most] + sum(self._seen[most][: len(seen)])
        return _SCALE * total // (trust + len(seen))
