"""Tests for finding the scripts that show the cards of Empire of the Sun."""

import pytest

from engine.eots.deck import cards
from engine.eots.ids import CardId
from tools.dev.coverage_eots_cards import active_windows, play_time_text, rows, uses


@pytest.mark.full
def test_every_card_in_the_box_is_counted() -> None:
    assert len(list(rows())) == 170


def test_uses_match_the_card_faces() -> None:
    of = cards()
    assert uses(of[CardId("J-1")]) == ()
    assert uses(of[CardId("J-43")]) == ("operations", "discard before 1944")
    assert uses(of[CardId("A-79")]) == ("operations while Tojo is in office",)
    assert uses(of[CardId("J-9")]) == ("operations", "discard", "future offensive")


def test_windows_are_named_in_order() -> None:
    of = cards()
    assert play_time_text(of[CardId("J-24")]) == "steps 6, 12"
    assert play_time_text(of[CardId("J-21")]) == "step 4"
    assert play_time_text(of[CardId("J-61")]) == "step 9"
    assert active_windows(of[CardId("J-43")]) == ("at play", "without event")


@pytest.mark.full
def test_scripts_of_each_card_are_found() -> None:
    of = {row.card.id: row for row in rows()}
    assert of[CardId("A-60")].effect.startswith("card-a-60")
    assert of[CardId("A-60")].refusal == "card-a-60-not-playable.script"
    assert of[CardId("A-83")].refusal == "cards-china-no-effect.script"
    assert of[CardId("J-24")].declined == "cards-attack-japan-declined.script"
    assert of[CardId("A-60")].declined == ""
