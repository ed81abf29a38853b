"""Random games of Carrier Battle with any options satisfy their invariants, and every copy sees the same (P9)."""

import pytest

from engine.cbps.ruleset import CBPS
from tests.sizes import sampled, sized
from tools.fuzz import HABITS, draw_settings, play

SCENARIOS = [info.id for info in CBPS.scenarios()]


@pytest.mark.series("P9")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1, of="scenarios of Carrier Battle"))
@pytest.mark.parametrize("seed", range(sized(1, 1, 225, of="games of each of these scenarios")))
def test_p9_complete_games_satisfy_invariants(scenario: str, seed: int) -> None:
    _, options = draw_settings(CBPS, [scenario], seed)
    played = play(CBPS, scenario, seed + len(HABITS), options)
    assert played.finding is None, f"{options}: {played.finding}"
    assert played.commands
