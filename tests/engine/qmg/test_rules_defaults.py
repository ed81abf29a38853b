"""Defaults if a hand contains copies of a card: the last card of the hand counts (3.1, 8.2, 8.4)."""

from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table

MIXED = "hand italy it_build_army#1 it_plunder#1 it_build_army#2"


def default_of(table: Table, role: str) -> str:
    return QMG.notation.line(QMG.decision(table.state, Role(role)).default)


def test_3_1_the_last_cards_drawn_go_by_default() -> None:
    """3.1: a second copy that was drawn last is discarded, so that the next default is the card before it."""
    draws = "it_build_army#1 it_plunder#1 it_land_battle#1 it_afrika_korps#1 it_bravado#1"
    draws += (
        " it_sea_battle#1 it_balkan_resources#1 it_mare_nostrum#1 it_build_navy#1 it_build_army#2"
    )
    table = Table("base", draws=draws)
    hand = table.state.cards_of("italy").hand
    assert hand[-1] == "it_build_army#2"
    for card in reversed(hand[7:]):
        assert default_of(table, "italy") == f"discard {card}"
        table(f"italy: discard {card}")
    assert table.state.cards_of("italy").hand == hand[:7]


def test_8_2_the_rightmost_card_is_dropped_by_default() -> None:
    table = Table("base", "active italy", "homes", MIXED)
    assert default_of(table, "italy") == "drop it_build_army#1"


def test_8_4_the_rightmost_card_goes_by_default_with_total_war() -> None:
    table = Table("total-war", "active italy", "homes", f"{MIXED} it_land_battle#1")
    table.until("8.2", "italy")
    table("italy: drop it_land_battle#1")
    table.until("8.4", "italy")
    assert default_of(table, "italy") == "discard it_build_army#1"
    table.default()
    assert default_of(table, "italy") == "done"
