"""Cards of Germany, Italy and Japan in uses that nobody plans for (7 - 13, 16, 17, A)."""

from engine.qmg.events import TargetDiscards
from tests.engine.qmg.table import Table, paid, points, settle, turn

# -- Germany


def test_9_5_blitzkrieg_is_paid_for_even_when_the_enemy_stays() -> None:
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
    assert table.rule == "8.4"  # no legal space: passed over (A.1.3)
    assert paid(table, "germany") == [("deck", 1)]


def test_10_4_a_cancelled_cloud_cover_forbids_nothing() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece ussr air moscow",
        "hand germany de_tw_cloud_cover de_land_battle#1 de_plunder",
        "hand uk uk_tw_bletchley_park uk_raf",
    )
    table.until_window("play_step_begin", "germany")
    table("germany: use de_tw_cloud_cover#1")
    table.until_window("bolster_use_declared", "uk")
    table("uk: use uk_tw_bletchley_park#1")
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.until_window("about_to_be_removed", "ussr")
    assert "air-defense" in table.options("ussr")


def test_17_6_broad_front_without_a_front_is_played_for_nothing() -> None:
    table = turn("base", "germany", "de_broad_front", "piece ussr army kazakhstan")
    table("germany: play de_broad_front#1")
    table.expect("top de_broad_front#1")
    assert table.rule == "8.4"


def test_11_2_the_monsoon_group_with_two_boosts_and_a_short_deck() -> None:
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


def test_12_2_weserubung_into_a_held_scandinavia_is_lost() -> None:
    table = turn("total-war", "germany", "de_tw_operation_weserubung", "piece uk army scandinavia")
    table("germany: drop de_plunder#1")
    table.until_window("victory_step_begin", "germany")
    table("germany: use de_tw_operation_weserubung#1")
    settle(table)
    table.expect("no piece germany army scandinavia", "piece uk army scandinavia")
    assert paid(table, "germany") == [("deck", 1)]


def test_7_4_dive_bombers_may_hit_the_same_space_but_no_own_and_no_sea() -> None:
    table = turn(
        "base",
        "germany",
        "de_land_battle#1",
        "piece germany army ukraine",
        "status germany de_dive_bombers de_blitzkrieg",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table("germany: use de_blitzkrieg#1", "germany: build germany army moscow")
    table("germany: use de_dive_bombers#1")
    assert "battle germany moscow -" not in table.options("germany")  # now an own Army is there
    assert table.refused("germany: battle germany black_sea -")[0] == "7.4"
    assert "battle germany siberia -" in table.options("germany")


def test_17_2_abundant_resources_score_before_the_code_is_cracked() -> None:
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


def test_a_3_turkey_carries_an_axis_line_that_the_allies_do_not_have() -> None:
    lines = ("homes", "piece italy army balkans middle_east", "piece uk army india")
    shut = Table("total-war", "active italy", *lines)
    shut.expect("no supplied italy army middle_east")
    table = Table(
        "total-war", "active italy", *lines, "status italy it_tw_turkey_opens_the_straits"
    )
    table.expect("supplied italy army middle_east", "no adjacent middle_east balkans allies")


def test_7_3_golden_square_coup_beside_an_own_or_enemy_army_does_nothing() -> None:
    for piece in ("italy army middle_east", "uk army middle_east"):
        table = turn("total-war", "italy", "it_tw_golden_square_coup", f"piece {piece}")
        table("italy: drop it_plunder#1")
        table.until_window("victory_step_begin", "italy")
        table("italy: use it_tw_golden_square_coup#1")
        settle(table)
        assert "PiecePlaced" not in table.kinds()
        table.expect("top it_tw_golden_square_coup#1")


def test_12_1_balkan_resources_want_an_italian_army_not_a_german_one() -> None:
    table = turn(
        "base",
        "italy",
        "it_build_army#1",
        "piece germany army balkans",
        "status italy it_balkan_resources",
    )
    table("italy: drop it_plunder#1")
    table.until("8.4", "italy")
    assert points(table, "it_balkan_resources") == []


def test_7_5_the_wafdist_uprising_may_be_withstood() -> None:
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


def test_10_5_monte_cassino_protects_one_of_two_armies() -> None:
    table = turn(
        "base",
        "uk",
        "uk_land_battle#1",
        "piece germany army italy",
        "piece uk army western_europe",
        "response italy it_monte_cassino",
    )
    table("uk: play uk_land_battle#1", "uk: battle uk italy germany")
    assert table.asked == ("italy",)
    table("italy: use it_monte_cassino#1")
    table.expect("protected germany army italy", "no protected italy army italy")


def test_10_1_operation_unthinkable_in_the_turn_of_a_third_country() -> None:
    table = turn(
        "total-war",
        "usa",
        "us_murmansk_convoy",
        "piece uk army scandinavia",
        "response italy it_tw_operation_unthinkable",
    )
    table("usa: play us_murmansk_convoy#1", "usa: done")
    table("ussr: build ussr army russia")
    table.until_window("built", "italy")
    table("italy: use it_tw_operation_unthinkable#1", "italy: eliminate ussr army russia")
    settle(table)
    table.expect("no piece ussr army russia")


def test_10_6_the_pact_of_steel_takes_back_no_more_than_there_is() -> None:
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "hand germany de_plunder de_the_autobahn de_v_weapons",
        "hand italy it_tw_pact_of_steel it_build_army#1",
        "discard italy it_afrika_korps",
    )
    table.until("8.2", "uk")
    table("italy: use it_tw_pact_of_steel#1")
    settle(table)
    table("germany: discard de_plunder#1", "germany: discard de_v_weapons#1", "germany: done")
    table("italy: yes")
    # the card itself has gone to the pile, too, and may come back
    table.expect("hand germany 1", "discards italy 0")
    assert table.rule == "8.2"


def test_10_6_the_pact_of_steel_without_a_german_card_does_nothing() -> None:
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "hand germany de_plunder",
        "hand italy it_tw_pact_of_steel it_build_army#1",
        "discard italy it_afrika_korps",
    )
    table.until("8.2", "uk")
    table("italy: use it_tw_pact_of_steel#1")
    settle(table)
    table("germany: done")
    table.expect("discards italy 2", "hand germany 1")
    assert table.rule == "8.2"


# -- Japan


def test_7_3_the_manchukuo_army_needs_an_empty_china() -> None:
    table = Table(
        "total-war",
        "active japan",
        "homes",
        "response japan jp_tw_imperial_manchukuo_army jp_tw_chinese_civil_war",
        "hand japan jp_build_army#1 jp_kamikaze",
    )
    table.until_window("play_step_begin", "japan")
    table("japan: use jp_tw_imperial_manchukuo_army#1")
    assert table.rule == "10.4"  # passed over: the Chinese Army stands there
    table.until_window("play_step_begin", "japan")
    table("japan: use jp_tw_chinese_civil_war#1", "japan: eliminate china army china")
    settle(table)
    table.expect("no piece china army china", "no piece japan army china", "responses japan 0")


def test_13_4_the_j8m_wants_an_enemy_beside_an_own_air_force() -> None:
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


def test_12_1_forward_bases_never_bring_more_than_two() -> None:
    table = turn(
        "base",
        "japan",
        "jp_build_army#1",
        "piece japan army hawaii pacific_northwest new_zealand",
        "piece japan navy east_china_sea central_pacific east_pacific",
        "status japan jp_forward_bases",
    )
    table("japan: drop jp_build_army#1")
    table.until("8.4", "japan")
    assert points(table, "jp_forward_bases") == [2]


def test_10_5_the_code_of_bushido_holds_in_one_battle_only() -> None:
    table = turn(
        "total-war",
        "ussr",
        "su_land_battle#1 su_rasputitsa su_leningrad",
        "piece japan army vladivostok",
        "piece ussr army siberia",
        "status ussr su_stavka_forms_artillery_corps",
        "hand japan jp_tw_code_of_bushido jp_kamikaze jp_build_army#1",
    )
    table("ussr: play su_land_battle#1", "ussr: battle ussr vladivostok japan")
    table.until_window("battled", "japan")
    table("japan: use jp_tw_code_of_bushido#1", "japan: discard jp_kamikaze#1")
    table.expect("piece japan army vladivostok")
    table.until_window("battle", "ussr")
    table("ussr: use su_stavka_forms_artillery_corps#1", "ussr: discard su_rasputitsa#1")
    table("ussr: battle ussr vladivostok japan")
    settle(table)
    table.expect("no piece japan army vladivostok")


def test_13_3_nagumo_answers_a_carrier_and_battles_land_or_sea() -> None:
    table = turn(
        "total-war",
        "japan",
        "jp_tw_nagumo_commands_the_first_air_fleet jp_kamikaze jp_tw_air_power#1 jp_build_army#1",
        "piece japan navy east_china_sea central_pacific",
        "piece japan army iwo_jima",
        "piece usa army hawaii",
        "piece usa navy east_pacific",
    )
    table("japan: drop jp_build_army#1")
    table.until("13.3", "japan")
    table("japan: deploy japan central_pacific")
    table.until_window("air_deployed_or_marshaled", "japan")
    table("japan: use jp_tw_nagumo_commands_the_first_air_fleet#1")
    table("japan: discard jp_kamikaze#1")
    assert "battle japan hawaii usa" in table.options("japan")
    assert "battle japan east_pacific usa" in table.options("japan")
    assert table.refused("japan: battle japan china china")[0] == "7.4"  # not adjacent to it


def test_7_6_snlf_paratroopers_answer_a_designated_navy_twice_over() -> None:
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
    assert table.rule == "7.4"  # each repetition is a new choice, the same space included (9.6)
    table("japan: battle japan philippines -")
    settle(table)
    assert table.kinds().count("BattleFought") == 2
    assert table.rule != "7.4"


def test_17_1_kamikaze_hits_a_french_navy_too() -> None:
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
    table.expect("piece france navy bay_of_bengal")  # Malacca is open to the Allies alone (5.3)
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
