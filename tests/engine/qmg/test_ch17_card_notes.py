"""Notes on single cards (17)."""

from engine.qmg.events import (
    TargetDiscards,
)
from engine.qmg.frames import WindowFrame
from tests.engine.qmg.table import Table, moved


def test_17_3_asw_tactics_leaves_the_card_played_and_discarded() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "response uk uk_asw_tactics",
        "hand germany de_submarines_of_the_monsoon_group de_plunder",
    )
    table("germany: play de_submarines_of_the_monsoon_group#1", "germany: name usa")
    table("uk: use uk_asw_tactics#1")
    table.expect("top de_submarines_of_the_monsoon_group#1", "discards usa 0")
    assert not [event for event in table.events if isinstance(event, TargetDiscards)]
    assert table.rule == "8.4"  # it was the play of the Play step


def test_17_4_a_targeted_piece_that_is_saved_counts_as_battled() -> None:
    """Alpini answers BATTLED. The battle continues to its end, and Frontal Assault may answer it."""
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "piece uk army western_europe",
        "response italy it_tw_alpini",
        "hand uk uk_land_battle#1 uk_singapore",
        "response uk uk_tw_french_patriots_join_allies",
    )
    table.until("8.2", "uk")
    table("uk: play uk_land_battle#1", "uk: battle uk italy italy")
    table.until_window("battled", "italy")
    table("italy: use it_tw_alpini#1")
    table.expect("piece italy army italy")
    assert "about_to_be_removed" not in {
        frame.trigger.kind for frame in table.state.frames if isinstance(frame, WindowFrame)
    }


def test_17_5_the_battling_country_discards_for_a_chinese_battle() -> None:
    """The USA acts for China, because it used the card that caused the event (A.1.2)."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece germany army szechuan",
        "status germany de_tw_landkreuzers",
        "hand usa us_tw_the_hundred_regiments_offensive us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_the_hundred_regiments_offensive#1", "usa: battle china szechuan germany")
    table.until_window("battled", "germany")
    assert table.trigger.by == "china"
    table("germany: use de_tw_landkreuzers#1")
    assert len(moved(table, country="usa", source="deck", to="discard-bottom")) == 2


def test_17_8_countries_decide_separately_in_the_listed_order() -> None:
    table = Table(
        "base",
        "active uk",
        "homes",
        "piece germany navy mediterranean",
        "piece italy navy mediterranean",
        "hand uk uk_malta_submarines uk_singapore",
    )
    table("uk: play uk_malta_submarines#1")
    assert (table.asked, table.options("germany")) == (("germany",), ["choose 1", "choose 2"])
    assert "9.6" not in table.refused("germany: done")  # one of the two must be chosen
    table("germany: choose 2", "germany: remove germany navy mediterranean")
    assert table.asked == ("italy",)
    table("italy: choose 1")
    table.expect("discards germany 0", "discards italy 2", "piece italy navy mediterranean")
    found = [event for event in table.events if isinstance(event, TargetDiscards)]
    assert [event.country for event in found] == ["italy"]


def test_17_9_a_build_replaced_by_a_recruit_counts_as_a_recruit() -> None:
    """Cards like Loyal to the Crown answer only builds: Manpower's Army is recruited, whatever the card names."""
    table = Table(
        "base",
        "active uk",
        "homes",
        "status uk uk_australia_forms_the_directorate_of_manpower uk_free_france",
        "hand uk uk_singapore uk_raf uk_resistance",
    )
    table("uk: use uk_free_france#1")
    while table.rule == "9.4":
        table(f"uk: {table.options('uk')[0]}")
    assert "recruit uk army australia" in table.options("uk")
    table("uk: recruit uk army australia")
    table.expect("piece uk army australia")


def test_17_12_a_bolster_placed_face_down_keeps_its_trigger_and_cost() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "hand usa us_tw_navajo_code_talkers us_tw_pacific_bases us_theater_shift",
    )
    table.until_window("play_step_begin", "usa")
    table("usa: use us_tw_navajo_code_talkers#1", "usa: take us_tw_pacific_bases#1")
    table.expect("responses usa 1", "laid us_tw_pacific_bases#1")
    table.until_window("victory_step_begin", "usa")
    table("usa: use us_tw_pacific_bases#1")
    while table.rule == "10.4":
        table.default()
    assert len(moved(table, country="usa", why="cost", source="deck")) == 1
    table("usa: recruit usa army hawaii")
    table.expect("responses usa 0", "top us_tw_pacific_bases#1")
