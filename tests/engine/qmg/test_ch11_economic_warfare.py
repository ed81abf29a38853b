"""Economic Warfare (11)."""

from engine.qmg.events import TargetDiscards
from tests.engine.qmg.table import UNPROTECTED, Table, gained


def test_11_1_a_card_may_target_a_country_whose_home_is_lost() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "no-piece uk army united_kingdom",
        "piece germany army united_kingdom",
        f"hand germany {UNPROTECTED} de_plunder",
    )
    table(f"germany: play {UNPROTECTED}")
    table.expect("discards uk 5")
    assert gained(table, UNPROTECTED) == [("axis", 1)]


def test_11_1_an_empty_deck_costs_points_9_4() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "no-deck uk",
        "vp allies 9",
        f"hand germany {UNPROTECTED} de_plunder",
    )
    table(f"germany: play {UNPROTECTED}")
    table.expect("vp allies 4")
    assert gained(table, "cards") == [("allies", -5)]


def test_11_1_the_target_is_chosen_before_responses_to_the_card() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "status germany de_wolf_packs",
        "hand germany de_submarines_of_the_monsoon_group de_plunder",
    )
    table("germany: play de_submarines_of_the_monsoon_group#1")
    assert table.options("germany") == ["name uk", "name ussr", "name usa"]
    assert table.refused("germany: name italy") == ["11.1"]
    table("germany: name usa")
    assert table.trigger.targets == ("usa",)
    table("germany: use de_wolf_packs#1")
    table.expect("discards usa 4", "discards uk 0")
    assert gained(table, "de_submarines_of_the_monsoon_group#1") == [("axis", 2)]


def test_11_1_an_unmet_condition_opens_the_window_but_has_no_effect() -> None:
    """A.1: the condition is tested after EW_PLAYED. Without a US Army near Italy nothing is discarded."""
    table = Table(
        "base",
        "active usa",
        "homes",
        "status usa us_flying_fortresses",
        "hand usa us_b_24_liberator",
    )
    table("usa: play us_b_24_liberator#1")
    assert table.trigger.kind == "ew_played"
    table("usa: use us_flying_fortresses#1")
    table.expect("discards italy 0", "top us_b_24_liberator#1")


def test_11_2_boosts_of_several_cards_add_up_before_a_reduction() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece usa army western_europe",
        "no-piece france army western_europe",
        "piece usa air western_europe",
        "status usa us_flying_fortresses",
        "status germany de_jet_fighters",
        "hand usa us_b_29_superfortress us_tw_p_51_mustang",
    )
    table.until("8.2", "usa")
    table("usa: play us_b_29_superfortress#1")
    table.until_window("ew_played", "usa")
    table("usa: use us_flying_fortresses#1")
    table.until_window("ew_played", "usa")
    table("usa: use us_tw_p_51_mustang#1")
    table.until_window("ew_targeted", "germany")
    table("germany: use de_jet_fighters#1")
    table.until("8.4", "usa")
    assert (
        TargetDiscards(country="germany", amount=5, card="us_b_29_superfortress#1") in table.events
    )  # 5 + 2 + 1 - 3


def test_11_2_a_reduction_does_not_affect_points_and_stops_at_zero() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany navy baltic_sea",
        "hand germany de_submarines_lead_the_battle_of_the_atlantic de_plunder",
    )
    card = "de_submarines_lead_the_battle_of_the_atlantic#1"
    table(f"germany: play {card}")
    assert gained(table, card) == [("axis", 1)]
    table = Table(
        "base",
        "active uk",
        "homes",
        "piece germany navy mediterranean",
        "piece germany army italy",
        "status germany de_jet_fighters",
        "hand uk uk_malta_submarines uk_singapore",
    )
    table("uk: play uk_malta_submarines#1", "germany: choose 1")
    table("germany: use de_jet_fighters#1")
    table.expect("discards germany 0", "piece germany navy mediterranean")
