"""Cards of the UK, the USSR and the USA, and answers to answers (7 - 13, 16, 17, A)."""

from engine.qmg.events import CardsMoved, PieceRemoved
from tests.engine.qmg.table import Table, paid, settle, turn

# -- UK


def test_9_5_resistance_cost_is_paid_without_an_adjacent_piece() -> None:
    table = turn("base", "uk", "uk_raf uk_destroyers", "status uk uk_resistance")
    table("uk: use uk_resistance#1")
    table("uk: discard uk_raf#1", "uk: discard uk_destroyers#1")
    assert table.rule == "8.4"
    assert "BattleFought" not in table.kinds()


def test_18_17_the_raf_supplies_a_navy_for_a_turn() -> None:
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


def test_9_4_the_sas_pays_from_hand_and_deck_even_without_a_target() -> None:
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


def test_18_8_the_battle_of_moscow_responds_to_a_voluntary_withdrawal() -> None:
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


def test_9_7_the_uk_may_decline_the_free_french_recruit() -> None:
    table = turn("base", "usa", "us_free_french_allies")
    table("usa: play us_free_french_allies#1")
    assert table.asked == ("uk",)
    assert "9.6" not in table.refused("usa: recruit uk army africa")
    table("uk: done")
    assert table.rule == "8.4"
    assert table.spaces("uk", "army") == {"united_kingdom"}


def test_9_5_carriers_cannot_be_built_in_a_space_where_the_enemy_was_repaired() -> None:
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


def test_17_2_enigma_may_respond_within_the_beginning_of_the_turn() -> None:
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
