"""Every card of Quartermaster General has a script with a use and one with a refusal or decline (P10)."""

import pytest

from tools.dev.coverage_cards import rows


@pytest.mark.series("P10")
def test_p10_every_card_is_shown_in_use() -> None:
    assert [row.card.id for row in rows() if not row.use_script] == []


@pytest.mark.series("P10")
def test_p10_every_card_is_refused_or_declined() -> None:
    assert [row.card.id for row in rows() if not row.refusal_script] == []


def test_every_card_in_the_box_is_counted() -> None:
    assert sum(row.card.count for row in rows()) == 385
