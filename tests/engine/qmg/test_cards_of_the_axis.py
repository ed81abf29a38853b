"""Unusual uses of the cards of Germany, Italy and Japan (7 - 13, 16, 17, A)."""

from engine.qmg.events import TargetDiscards
from tests.engine.qmg.table import Table, paid, points, settle, turn

# -- Germany


def test_9_5_blitzkrieg_cost_is_paid_even_if_the_enemy_stays() -> None:
    table = turn(
        "base",
        "germany",
        "de_land_battle#1",
        "piece germany army ukraine",
        "status germany de_blitzkrieg",
        "response ussr su_moscow",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table("ussr: use su_moscow#1", "germany: use de_blitzkrieg#1")
    assert table.rule == "8.4"  # no legal space, so it is skipped (A.1.3)
    assert paid(table, "germany") == [("deck", 1)]


def test_11_2_the_monsoon_group_with_two_boosts_exceeding_the_deck() -> None:
    table = turn(
        "total-war",
        "germany",
        "de_submarines_of_the_monsoon_group",
        "status germany de_wolf_packs",
        "hand italy it_tw_betasom it_build_army#1",
        "no-deck usa",
    )
    table("germany: play de_submarines_of_the_monsoon_group#1", "germany: name usa")
    table.until_window("ew_played", "germany")
    table("germany: use de_wolf_packs#1")
    table.until_window("ew_played", "italy")
    table("italy: use it_tw_betasom#1")
    table.until("8.4", "germany")
    found = [event.amount for event in table.events if isinstance(event, TargetDiscards)]
    assert found == [7]
    assert points(table, "cards") == [-7]


def test_12_2_weserubung_into_an_enemy_held_scandinavia_has_no_effect() -> None:
    table = turn("total-war", "germany", "de_tw_operation_weserubung", "piece uk army scandinavia")
    table("germany: drop de_plunder#1")
    table.until_window("victory_step_begin", "germany")
    table("germany: use de_tw_operation_weserubung#1")
    settle(table)
    table.expect("no piece germany army scandinavia", "piece uk army scandinavia")
    assert paid(table, "germany") == [("deck", 1)]


def test_17_2_abundant_resources_score_before_enigma_discards_the_card() -> None:
    table = turn(
        "base",
        "germany",
        "de_land_battle#1",
        "piece germany army ukraine eastern_europe russia",
        "status germany de_abundant_resources",
        "response uk uk_enigma_code_cracked",
    )
    table("germany: drop de_land_battle#1")
    table.until("12.1", "germany")
    table("germany: use de_abundant_resources#1")
    assert table.trigger.kind == "status_used"
    table("uk: use uk_enigma_code_cracked#1")
    assert points(table, "de_abundant_resources") == [2]
    table.expect("top de_abundant_resources#1")


# -- Italy


def test_7_3_golden_square_coup_beside_an_army_has_no_effect() -> None:
    for piece in ("italy army middle_east", "uk army middle_east"):
        table = turn("total-war", "italy", "it_tw_golden_square_coup", f"piece {piece}")
        table("italy: drop it_plunder#1")
        table.until_window("victory_step_begin", "italy")
        table("italy: use it_tw_golden_square_coup#1")
        settle(table)
        assert "PiecePlaced" not in table.kinds()
        table.expect("top it_tw_golden_square_coup#1")


def test_7_5_the_wafdist_uprising_may_be_prevented() -> None:
    table = turn(
        "total-war",
        "italy",
        "it_tw_wafdist_uprising",
        "piece uk army north_africa",
        "piece uk navy north_sea",
        "response uk uk_defensive_posture",
    )
    table.expect("supplied uk army north_africa")
    table("italy: play it_tw_wafdist_uprising#1", "italy: eliminate uk army north_africa")
    table.until_window("about_to_be_removed", "uk")
    assert table.trigger.why == "eliminate"
    table("uk: use uk_defensive_posture#1")
    table.expect("piece uk army north_africa")
    assert table.kinds().count("BattleFought") == 0


# -- Japan


def test_13_4_the_j8m_requires_an_enemy_beside_an_own_air_force() -> None:
    def table(*lines: str) -> Table:
        made = turn(
            "total-war",
            "japan",
            "jp_tw_mitsubishi_j8m jp_build_army#1",
            "piece japan navy east_china_sea",
            "piece usa air vladivostok",
            "piece usa army vladivostok",
            *lines,
        )
        made("japan: drop jp_build_army#1")
        made.until_window("discard_step_begin", "japan")
        made("japan: use jp_tw_mitsubishi_j8m#1")
        settle(made)
        return made

    near = table("piece japan air east_china_sea")
    assert near.options("japan") == ["eliminate usa air vladivostok", "done"]
    far = table("piece japan air japan")
    assert far.rule == "8.4"
    far.expect("piece usa air vladivostok")


def test_7_6_snlf_paratroopers_respond_twice_to_a_designated_navy() -> None:
    table = turn(
        "total-war",
        "japan",
        "jp_build_navy#1",
        "piece japan navy east_china_sea",
        "piece usa army philippines",
        "response japan jp_tw_snlf_paratroopers",
    )
    table("japan: play jp_build_navy#1", "japan: designate japan navy east_china_sea")
    table.until_window("built", "japan")
    table("japan: use jp_tw_snlf_paratroopers#1", "japan: battle japan philippines usa")
    settle(table)
    assert table.rule == "7.4"  # each repetition is a new choice, which may be the same space (9.6)
    table("japan: battle japan philippines -")
    settle(table)
    assert table.kinds().count("BattleFought") == 2
    assert table.rule != "7.4"


def test_17_1_kamikaze_also_hits_a_french_navy() -> None:
    table = turn(
        "total-war",
        "uk",
        "uk_tw_la_royale",
        "piece france army southeast_asia india",
        "piece japan navy south_china_sea",
        "response japan jp_kamikaze",
    )
    table("uk: play uk_tw_la_royale#1", "uk: build france navy bay_of_bengal")
    table.until("8.4", "uk")
    table.expect("piece france navy bay_of_bengal")  # Malacca is open only to the Allies (5.3)
    table = turn(
        "total-war",
        "uk",
        "uk_tw_la_royale",
        "piece france army india",
        "piece japan navy indian_ocean",
        "response japan jp_kamikaze",
    )
    table("uk: play uk_tw_la_royale#1", "uk: build france navy bay_of_bengal")
    table.until_window("built", "japan")
    table("japan: use jp_kamikaze#1", "japan: eliminate france navy bay_of_bengal")
    settle(table)
    table.expect("no piece france navy bay_of_bengal")
