"""Cards of the UK, the USSR and the USA, and answers to answers (7 - 13, 16, 17, A)."""

from engine.qmg.events import CardsMoved, PieceRemoved
from tests.engine.qmg.table import Table, paid, points, settle, turn

# -- UK


def test_13_7_the_exile_ends_when_western_europe_is_free() -> None:
    lines = (
        "status uk uk_tw_government_in_exile",
        "no-piece france army western_europe",
        "piece germany army western_europe",
    )
    table = turn("total-war", "uk", "uk_tw_armee_de_terre", *lines)
    table("uk: play uk_tw_armee_de_terre#1")
    assert table.options("uk", "build") == ["build france army united_kingdom"]
    table("germany: withdraw germany army western_europe")
    settle(table)
    assert table.options("uk", "build") == ["build france army western_europe"]


def test_9_5_resistance_is_paid_for_without_anybody_beside_the_space() -> None:
    table = turn("base", "uk", "uk_raf uk_destroyers", "status uk uk_resistance")
    table("uk: use uk_resistance#1")
    table("uk: discard uk_raf#1", "uk: discard uk_destroyers#1")
    assert table.rule == "8.4"
    assert "BattleFought" not in table.kinds()


def test_18_17_the_raf_feeds_a_navy_for_a_turn() -> None:
    """A Navy in the North Sea without a source is saved in the Supply step."""
    table = turn(
        "base",
        "uk",
        "uk_build_army#1",
        "no-piece uk army united_kingdom",
        "piece uk navy north_sea",
        "response uk uk_raf",
    )
    table("uk: drop uk_build_army#1")
    assert (table.trigger.kind, table.trigger.why) == ("about_to_be_removed", "supply")
    table("uk: use uk_raf#1")
    table.expect("piece uk navy north_sea")
    table.finish_turn()
    while table.state.active != "uk" or table.rule != "8.2":
        table.finish_turn()
    table.finish_turn()
    table.expect("no piece uk navy north_sea")  # any country's turn counts


def test_9_4_the_sas_pays_from_hand_and_deck_and_may_find_nothing() -> None:
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "piece uk air united_kingdom",
        "piece germany air germany",
        "hand uk uk_tw_special_air_service_raids_airfields uk_raf",
    )
    table.until_window("play_step_begin", "uk")
    table("uk: use uk_tw_special_air_service_raids_airfields#1")
    settle(table)
    assert paid(table, "uk") == [("hand", 1), ("deck", 1)]
    table.expect("piece germany air germany")  # not adjacent
    assert table.rule == "8.2"


def test_17_8_malta_submarines_against_no_navy_and_no_deck() -> None:
    table = turn("base", "uk", "uk_malta_submarines", "no-deck italy", "no-deck germany")
    table("uk: play uk_malta_submarines#1")
    assert table.options("germany") == ["choose 1"]
    table("germany: choose 1", "italy: choose 1")
    assert points(table, "cards") == [-2, -2]


# -- USSR


def test_9_4_the_artillery_corps_is_paid_from_the_deck_with_an_empty_hand() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "piece germany army ukraine",
        "status ussr su_stavka_forms_artillery_corps",
        "hand ussr su_land_battle#1",
    )
    table("ussr: play su_land_battle#1", "ussr: battle ussr ukraine germany")
    table("ussr: use su_stavka_forms_artillery_corps#1")
    assert paid(table, "ussr") == [("deck", 1)]
    assert table.options("ussr") == ["battle ussr ukraine -", "done"]  # the same space, now empty


def test_18_8_the_battle_of_moscow_answers_an_own_withdrawal() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army russia ukraine",
        "hand ussr su_tw_battle_of_moscow su_build_army#1 su_moscow",
    )
    table.until("8.2", "germany")
    table("ussr: withdraw ussr army moscow")
    table.until_window("removed", "ussr")
    table("ussr: use su_tw_battle_of_moscow#1", "ussr: discard su_build_army#1")
    table("ussr: eliminate germany army ukraine")
    settle(table)
    table.expect("no piece germany army ukraine", "piece germany army russia")
    assert PieceRemoved(force="ussr", piece="army", space="moscow", why="own") in table.events


def test_9_5_the_cavalry_corps_loses_its_army_before_it_builds() -> None:
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "hand ussr su_tw_cavalry_corps su_build_army#1 su_moscow",
    )
    table.until_window("play_step_begin", "ussr")
    table("ussr: use su_tw_cavalry_corps#1", "ussr: discard su_build_army#1")
    table("ussr: remove ussr army moscow")
    settle(table)
    assert table.options("ussr", "build") == ["build ussr army moscow"]  # only the Home (7.1 b)


# -- USA


def test_18_24_doolittle_needs_a_supplied_navy() -> None:
    table = turn("total-war", "usa", "us_tw_doolittles_bombers", "piece usa navy central_pacific")
    table.expect("no supplied usa navy central_pacific")
    table("usa: play us_tw_doolittles_bombers#1")
    table.until("8.4", "usa")
    assert points(table, "us_tw_doolittles_bombers") == []
    table.expect("discards japan 0")


def test_11_1_a_marauder_out_of_reach_names_nobody() -> None:
    table = turn("base", "usa", "us_b_26_marauder", "status usa us_flying_fortresses")
    table("usa: play us_b_26_marauder#1")
    assert table.trigger.targets == ()
    settle(table)
    table.expect("top us_b_26_marauder#1", "discards germany 0", "discards italy 0")
    near = turn("base", "usa", "us_b_26_marauder", "piece usa army balkans")
    near("usa: play us_b_26_marauder#1")
    assert near.options("usa") == ["name germany", "name italy"]
    assert near.refused("usa: name japan") == ["11.1"]


def test_9_7_the_uk_may_leave_the_free_french_at_home() -> None:
    table = turn("base", "usa", "us_free_french_allies")
    table("usa: play us_free_french_allies#1")
    assert table.asked == ("uk",)
    assert "9.6" not in table.refused("usa: recruit uk army africa")
    table("uk: done")
    assert table.rule == "8.4"
    assert table.spaces("uk", "army") == {"united_kingdom"}


def test_9_5_carriers_cannot_be_built_where_the_enemy_was_repaired() -> None:
    table = turn(
        "base",
        "usa",
        "us_sea_battle#1",
        "piece usa army western_us",
        "piece usa navy east_pacific",
        "piece japan navy central_pacific east_china_sea",
        "piece japan army iwo_jima",
        "status usa us_aircraft_carriers",
        "response japan jp_battleship_repair",
    )
    table("usa: play us_sea_battle#1", "usa: battle usa central_pacific japan")
    table("japan: use jp_battleship_repair#1", "usa: use us_aircraft_carriers#1")
    assert table.rule == "8.4"
    assert paid(table, "usa") == [("deck", 1)]
    table.expect("piece japan navy central_pacific")


def test_7_8_pearl_harbor_in_japanese_hands_still_gives_the_navy() -> None:
    table = turn(
        "base",
        "usa",
        "us_fleet_deployed_to_pearl_harbor",
        "piece japan army hawaii",
        "piece usa army western_us",
    )
    table("usa: play us_fleet_deployed_to_pearl_harbor#1")
    assert (table.rule, table.options("usa", "build")) == (
        "7.2",
        ["build usa navy east_pacific"],
    )


# -- answers to answers


def test_9_4_heavy_tanks_are_paid_for_from_hand_and_deck() -> None:
    table = turn(
        "total-war",
        "germany",
        "de_land_battle#1",
        "piece germany army ukraine",
        "response ussr su_tw_heavy_tanks",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.until_window("battled", "ussr")
    table("ussr: use su_tw_heavy_tanks#1", "germany: yes")
    found = [
        (event.source, len(event.cards))
        for event in table.events
        if isinstance(event, CardsMoved) and event.country == "germany" and event.why == "effect"
    ]
    assert found == [("hand", 1), ("deck", 1), ("deck", 1), ("deck", 1)]
    settle(table)
    table.expect("no piece ussr army moscow")


def test_17_2_the_code_is_cracked_inside_the_beginning_of_the_turn() -> None:
    """Enigma answers the use that answers TURN_BEGIN. The recruit stays, and the turn continues."""
    table = Table(
        "base",
        "active germany",
        "status germany de_volkssturm de_superior_planning",
        "response uk uk_enigma_code_cracked",
        "hand germany de_plunder",
    )
    table("germany: use de_volkssturm#1", "germany: recruit germany army germany")
    assert table.trigger.kind == "status_used"
    table("uk: use uk_enigma_code_cracked#1")
    table.expect("piece germany army germany", "no on-table de_volkssturm#1")
    assert table.options("germany") == ["use de_superior_planning#1", "pass"]


def test_a_2_a_card_that_returns_to_hand_has_been_played_all_the_same() -> None:
    """Fu-Go: the card is back in hand after CARD_PLAYED, and causes no second action."""
    table = turn(
        "total-war",
        "japan",
        "jp_tw_fu_go_balloon_bombs jp_kamikaze jp_mobile_force",
    )
    table("japan: play jp_tw_fu_go_balloon_bombs#1", "japan: yes")
    table.until("8.4", "japan")
    table.expect("held jp_tw_fu_go_balloon_bombs#1", "hand japan 1")
    assert points(table, "jp_tw_fu_go_balloon_bombs") == [1]
