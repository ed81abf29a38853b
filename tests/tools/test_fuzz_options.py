"""Random games with rulings switched at random hold their invariants (P9)."""

import random

import pytest

from engine.eots.ruleset import EOTS
from tests.sizes import sized
from tools.fuzz import play


@pytest.mark.campaign("P9")
@pytest.mark.parametrize("seed", range(sized(2, 12, 2_000)))
def test_p9_games_with_other_rulings_hold(seed: int) -> None:
    rng = random.Random(seed)
    options = {option.id: rng.choice(option.values) for option in EOTS.options()}
    played = play(EOTS, "1943", seed, options, sample_every=50)
    assert played.finding is None, f"{options}: {played.finding}"
    assert played.result
