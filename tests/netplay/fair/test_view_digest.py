"""What a player gives away by showing the verdict on the copy of a running match, as the manual recommends."""

from pathlib import Path

import pytest

from tests.netplay.fair.match import FairMatch, verdict_of
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.mark.parametrize(
    ("game", "scenario", "deals"),
    [
        pytest.param("eots", "south-pacific", True, id="eots-fair"),
        pytest.param("eots", "south-pacific", False, id="eots-joint"),
        # Six seats mix three decks, which takes longer than all other cases.
        pytest.param("qmg", "base", True, id="qmg-fair", marks=pytest.mark.full),
        pytest.param("qmg", "base", False, id="qmg-joint"),
    ],
)
def test_p1_the_verdict_on_a_running_match_contains_no_hand_digest(
    tmp_path: Path, game: str, scenario: str, deals: bool
) -> None:
    """All copies report what the spectators' copy does, and that copy contains no hidden card."""
    match = FairMatch(game, scenario, seed=11, deals=deals)
    match.start()
    spectators = verdict_of(match.record_files[None], tmp_path)
    assert spectators.status == "ok"
    assert spectators.view
    for role in match.seats:
        verdict = verdict_of(match.record_files[role], tmp_path)
        assert (verdict.status, verdict.view) == ("ok", spectators.view), role
