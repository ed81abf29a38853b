"""Compares candidates by playouts: selects the next candidate, finds the leader, and decides when to stop."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final, NamedTuple

DominanceTest = Callable[[Sequence[float], Sequence[float]], bool]
"""Returns whether the leader is clearly better than another candidate. The arguments are their results by sample."""
_SCALE: Final = 100


def clear_margin(gap: float) -> DominanceTest:
    """Return a test that requires the leader's worst result to exceed the other's best result by more than ``gap``."""
    return lambda best, other: min(best) > max(other) + gap


def significant_difference(errors: float) -> DominanceTest:
    """Return a test that requires a mean difference of at least ``errors`` standard errors over the common samples."""

    def is_clearly_better(best_scores: Sequence[float], other_scores: Sequence[float]) -> bool:
        differences = [
            best_score - other_score
            for best_score, other_score in zip(best_scores, other_scores, strict=False)
        ]
        mean = sum(differences) / len(differences)
        variance = sum((difference - mean) ** 2 for difference in differences) / max(
            len(differences) - 1, 1
        )
        return mean >= errors * sqrt(variance / len(differences))

    return is_clearly_better


class TrialConfig(NamedTuple):
    """Settings for comparing candidates."""

    prior_weight: int = 1
    """Weight of the initial estimate, expressed as a number of playouts."""
    initial_playouts: int = 1
    """Number of playouts for each candidate before the finalists are selected."""
    finalists: int = 3
    """Number of top candidates that share the remaining playouts."""
    min_finalist_playouts: int = 2
    """Minimum number of playouts for each finalist before the comparison can end."""
    indifference_range: float = 12
    """The range within which all results must lie for the candidates to count as equally good."""
    is_surely_better: DominanceTest = clear_margin(12)
    is_paired: bool = False
    """True to compare only results from the same samples. Useful if results vary more by sample than by candidate."""


class CandidateComparison:
    """Compares candidates, one playout at a time."""

    def __init__(
        self,
        priors: Sequence[float],
        play_out: Callable[[int, int], float],
        config: TrialConfig = TrialConfig(),  # noqa: B008  # a NamedTuple is immutable
    ) -> None:
        """Create a comparison without any playouts.

        Args:
            priors: An initial estimate for each candidate, on the same scale as the playout results.
            play_out: Plays out a candidate in a sample (both given by index) and returns the result.
            config: The settings of the comparison.
        """
        self._priors = priors
        self._play_out = play_out
        self._config = config
        self._scores: list[list[float]] = [[] for _ in priors]
        """Each candidate's results, in sample order."""
        self._ranking = self._ranked_indexes()

    def best_index(self) -> int:
        """Return the index of the candidate that looks best so far. In a tie, return the first index."""
        return self._ranking[0]

    def play_next(self) -> None:
        """Choose the candidate whose result would be most useful, and play out its next sample."""
        index = self._next_index()
        self._scores[index].append(self._play_out(index, len(self._scores[index])))
        self._ranking = self._ranked_indexes()

    @property
    def should_stop(self) -> bool:
        """Return whether one candidate is clearly the best or all candidates are equally good."""
        config = self._config
        finalists = self._ranking[: config.finalists]
        if any(
            len(self._scores[index]) < config.min_finalist_playouts for index in finalists
        ) or not all(self._scores):
            return False
        best_scores, *other_scores = (self._scores[index] for index in finalists)
        results = [score for scores in self._scores for score in scores]
        are_all_close = max(results) - min(results) <= config.indifference_range
        return are_all_close or all(
            config.is_surely_better(best_scores, other) for other in other_scores
        )

    def _next_index(self) -> int:
        """Return the index of the next candidate to play out.

        Candidates with too few initial playouts come first. After that, the finalist with the fewest playouts is next.
        """
        counts = [len(results) for results in self._scores]
        least_tried = min(range(len(counts)), key=counts.__getitem__)
        if counts[least_tried] < self._config.initial_playouts:
            return least_tried
        return min(self._ranking[: self._config.finalists], key=counts.__getitem__)

    def _ranked_indexes(self) -> list[int]:
        """Return the indexes of all candidates, best first."""
        scores = [self._score(index) for index in range(len(self._scores))]
        return sorted(range(len(scores)), key=lambda index: (-scores[index], index))

    def _score(self, index: int) -> float:
        """Return a candidate's average result.

        In a paired comparison, the average is relative to the candidate with the most playouts.
        """
        prior_weight, results, prior_score = (
            self._config.prior_weight,
            self._scores[index],
            self._priors[index],
        )
        total = prior_weight * prior_score + sum(results)
        if self._config.is_paired:
            most_tried = max(range(len(self._scores)), key=lambda index: len(self._scores[index]))
            total -= prior_weight * self._priors[most_tried] + sum(
                self._scores[most_tried][: len(results)]
            )
        return _SCALE * total // (prior_weight + len(results))
