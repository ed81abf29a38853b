"""One seat of a side acts for the honest seats of the same side."""

from pathlib import Path

import pytest

from saves.terms import role_names, statement_text
from tests.netplay.fair.match import FairMatch, verdict_of
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")


def test_p4_a_resignation_is_not_attributed_to_an_honest_ally(tmp_path: Path) -> None:
    match = FairMatch("qmg", "base", seed=12)
    match.start()
    side = next(iter(match.setup.sides.values()))
    victim, ally = side[:2]
    match.submit(match.seats[ally].sign_resignation())
    copy = match.record_files[victim]
    assert verdict_of(copy, tmp_path).status in {"ok", "awaited"}
    record = copy.records[-1]
    assert record.role == ally
    text = statement_text(match.game, record)
    assert role_names(match.game, (victim,)) not in text, "the victim has not resigned"
    assert text == f"{role_names(match.game, (ally,))} resigned for its whole side."
