"""Trials of candidates: each is played out, the best get more playouts, and noise is reduced."""

from collections.abc import Sequence

from engine.bots.candidate_comparison import (
    CandidateComparison,
    TrialConfig,
    significant_difference,
)
from engine.bots.playout_dice import MirroredDice, RankedDice, antithetic_dice, draw_secret
from engine.kernel.dice import SECRET_BYTES, DerivedDice, Die

D10 = Die(0, 9)


PAIRED = TrialConfig(
    prior_weight=2,
    initial_playouts=2,
    finalists=2,
    min_finalist_playouts=6,
    indifference_range=0,
    is_surely_better=significant_difference(2.5),
    is_paired=True,
)


def dice(record: int) -> DerivedDice:
    return DerivedDice(bytes(SECRET_BYTES), record)


def test_every_candidate_is_played_out_and_the_best_is_chosen() -> None:
    """The prior value leads until playouts contradict it."""
    played: list[tuple[int, int]] = []

    def play_out(at: int, sample: int) -> int:
        played.append((at, sample))
        return (5, 40, 20, -30, 0)[at]

    trial = CandidateComparison((90, 10, 10, 10, 10), play_out)
    assert trial.best_index() == 0
    for _ in range(20):
        trial.play_next()
    assert trial.best_index() == 1
    assert played[:5] == [(at, 0) for at in range(5)]
    assert len(set(played)) == len(played)
    counts = [sum(at == one for one, _ in played) for at in range(5)]
    assert counts[1] > counts[3] < counts[2]


def test_the_first_of_equal_candidates_is_chosen() -> None:
    """The usual answer wins if nothing speaks against it."""
    trial = CandidateComparison((0, 0), lambda at, sample: 7 * (at + sample >= 0))
    for _ in range(4):
        trial.play_next()
        assert trial.best_index() == 0


def test_stops_when_the_result_is_clear() -> None:
    """A candidate that was always better needs no more playouts, and neither do equal ones."""
    clear = CandidateComparison((0, 0, 0), lambda at, sample: 100 * (at == 1) + sample)
    equal = CandidateComparison((0, 0), lambda at, sample: 3 * sample)
    open_ = CandidateComparison((0, 0), lambda at, sample: 50 * ((at + sample) % 2))
    for trial in (clear, equal, open_):
        assert not trial.should_stop
        for _ in range(6):
            trial.play_next()
    assert clear.should_stop
    assert equal.should_stop
    assert not open_.should_stop


def paired(
    priors: Sequence[float], results: Sequence[Sequence[float]], playouts: int
) -> CandidateComparison:
    """Return a trial after the given number of playouts, with repeating results by sample and candidate."""
    trial = CandidateComparison(
        priors, lambda at, sample: results[sample % len(results)][at], PAIRED
    )
    for _ in range(playouts):
        trial.play_next()
    return trial


def test_samples_good_for_every_candidate_favour_none() -> None:
    """Samples in which all candidates do well favour none of them."""
    results = [(0.0, 1.0, 0.9), (50.0, 51.0, 50.9), (-80.0, -79.0, -79.1), (20.0, 21.0, 20.9)]
    for playouts in range(3, 20):
        assert paired((0, 0, 0), results, playouts).best_index() == 1


def test_one_lucky_sample_does_not_outweigh_the_prior_value() -> None:
    """The prior value counts as much as several samples."""
    assert paired((3, 0), [(0, 4)], 2).best_index() == 0
    assert paired((3, 0), [(0, 4)], 8).best_index() == 1


def test_stops_when_chance_cannot_explain_the_difference() -> None:
    """The spread between samples does not matter."""
    far = [(100.0 * sample, 100.0 * sample - 4 - sample % 2) for sample in range(9)]
    assert not paired((0, 0), far, 10).should_stop
    assert paired((0, 0), far, 14).should_stop
    assert not paired((0, 0), [(4.0, 0.0), (0.0, 3.0)], 14).should_stop


def test_ranked_dice_pick_names_in_a_fixed_order() -> None:
    """The order does not depend on the other names. Other samples have other orders."""
    names = [f"card {number}" for number in range(12)]
    firsts = set()
    for sample in range(9):
        chance = RankedDice(draw_secret(dice(1)), sample)
        first = chance.pick(names)
        assert chance.pick([name for name in reversed(names) if name >= first]) == first
        assert chance.pick([*names[6:], first]) == first
        firsts.add(first)
    assert len(firsts) > 2


def test_mirrored_dice_show_the_opposite_face() -> None:
    """Where one is lucky, the other is unlucky."""
    faces = [dice(number).roll(D10) for number in range(20)]
    turned = [MirroredDice(dice(number)).roll(D10) for number in range(20)]
    assert {one + other for one, other in zip(faces, turned, strict=True)} == {9}
    assert MirroredDice(dice(1)).pick("abc") == dice(1).pick("abc")


def test_every_second_sample_mirrors_the_previous_one() -> None:
    """Every pair of samples is balanced."""
    secret = draw_secret(dice(3))
    assert len(secret) == SECRET_BYTES
    assert secret != draw_secret(dice(4))
    first, second, third = (antithetic_dice(secret, sample) for sample in range(3))
    faces = [[one.roll(D10) for _ in range(12)] for one in (first, second, third)]
    assert all(one + other == 9 for one, other in zip(faces[0], faces[1], strict=True))
    assert faces[2] != faces[0]
