"""Information about a country's cards that everyone sees, and information that not even its team sees (9.1, 9.3)."""

import pytest

from engine.kernel.ids import Role
from engine.qmg.ids import COUNTRIES
from engine.qmg.ruleset import QMG
from tests.engine.qmg.random_games import AUDIENCES
from tests.engine.qmg.table import Table


def told(table: Table, role: Role | None) -> str:
    return " ".join(QMG.log_sentence(QMG.redact(event, role)) for event in table.events)


def table_of_italy() -> Table:
    return Table(
        "base",
        "active italy",
        "homes",
        "vp axis 7",
        "round 4",
        "hand italy it_plunder it_build_army",
        "response italy it_monte_cassino it_skilled_pilots",
        "status italy it_mare_nostrum",
        "discard italy it_sea_battle",
        "discard-unseen italy it_afrika_korps",
    )


@pytest.mark.parametrize("role", [*AUDIENCES])
def test_9_3_information_visible_to_all_countries(role: Role | None) -> None:
    view = QMG.project(table_of_italy().state, role)
    seen = view.countries["italy"]
    assert (seen.hand, seen.responses, seen.deck, seen.discard) == (2, 2, 23, 2)
    assert seen.statuses == ("it_mare_nostrum#1",)
    assert seen.discard_top == "it_sea_battle#1"
    assert (view.axis_vp, view.allies_vp, view.round) == (7, 0, 4)
    assert set(view.countries) == set(COUNTRIES)


def test_9_3_only_the_owner_sees_its_cards_and_discards() -> None:
    table = table_of_italy()
    for role in COUNTRIES:
        own = QMG.project(table.state, Role(role)).own
        assert own is not None
        assert ("it_monte_cassino#1" in own.responses) == (role == "italy")
        assert ("it_afrika_korps#1" in own.discard) == (role == "italy")
        assert ("it_build_army#1" in own.hand) == (role == "italy")
    assert QMG.project(table.state, None).own is None


def test_9_3_a_dropped_card_is_put_under_the_pile_unseen() -> None:
    table = table_of_italy()
    table("italy: drop it_plunder#1")
    table.expect("top it_sea_battle#1", "discarded it_plunder#1", "no face-up it_plunder#1")
    for role in AUDIENCES:
        assert ("Plunder" in told(table, role)) == (role == "italy")


def test_9_3_a_played_card_is_visible_to_all() -> None:
    table = table_of_italy()
    table("italy: play it_plunder#1")
    for role in AUDIENCES:
        assert "Plunder" in told(table, role)
        assert QMG.project(table.state, role).countries["italy"].discard_top == "it_plunder#1"


def test_9_3_cards_discarded_from_the_deck_are_hidden() -> None:
    table = Table("base", "active italy", "homes", "deck-top italy it_plunder")
    table("italy: discard-top")
    for role in AUDIENCES:
        assert ("Plunder" in told(table, role)) == (role == "italy")
        assert QMG.project(table.state, role).countries["italy"].discard_top == ""


def test_9_3_the_reallocated_card_is_shown_but_not_its_cost() -> None:
    table = Table(
        "total-war",
        "active italy",
        "homes",
        "hand italy it_afrika_korps it_monte_cassino it_skilled_pilots it_plunder",
    )
    table.until("8.2", "italy")
    table("italy: reallocate")
    for card in ("it_afrika_korps", "it_monte_cassino", "it_skilled_pilots"):
        table(f"italy: discard {card}#1")
    table("italy: take it_build_navy#1")
    for role in AUDIENCES:
        assert "Build Navy" in told(table, role)
        assert ("Afrika Korps" in told(table, role)) == (role == "italy")
        assert "discards 1 card from hand" in told(table, role)


def test_9_3_only_the_type_of_a_bolster_cost_is_shown() -> None:
    table = Table(
        "total-war",
        "active japan",
        "homes",
        "hand japan jp_tw_island_fortresses jp_build_army jp_truk",
    )
    table.until("8.2", "japan")
    table("japan: drop jp_build_army#1")
    table.until_window("victory_step_begin", "japan")
    table("japan: use jp_tw_island_fortresses#1", "japan: discard jp_truk#1")
    for role in AUDIENCES:
        assert ("Truk" in told(table, role)) == (role == "japan")
        assert "Response" in told(table, role)
    table.expect("no face-up jp_truk#1", "face-up jp_tw_island_fortresses#1")


def test_9_1_cards_of_a_teammate_are_not_offered() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "hand germany de_plunder",
        "hand italy it_plunder",
        "response italy it_monte_cassino",
    )
    assert not [line for line in table.options("germany") if "it_" in line]
    assert table.refused("germany: play it_plunder#1") == ["8.2"]
    assert "9.7" in table.refused("germany: use it_monte_cassino#1")
