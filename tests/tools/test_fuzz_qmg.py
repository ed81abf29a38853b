"""Random games of Quartermaster General with any options satisfy their invariants (P9)."""

import pytest

from engine.qmg.ruleset import QMG
from tests.sizes import sampled, sized
from tools.fuzz import HABITS, draw_settings, play

SCENARIOS = [info.id for info in QMG.scenarios()]


@pytest.mark.series("P9")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1, of="scenarios of Quartermaster General"))
@pytest.mark.parametrize(
    "seed", range(sized(1, 4, 1_000, of="games of each scenario of Quartermaster General"))
)
def test_p9_complete_games_satisfy_invariants(scenario: str, seed: int) -> None:
    _, options = draw_settings(QMG, [scenario], seed)
    played = play(QMG, scenario, seed + len(HABITS), options)
    assert played.finding is None, f"{options}: {played.finding}"
    assert played.result.startswith(("axis", "allies"))
