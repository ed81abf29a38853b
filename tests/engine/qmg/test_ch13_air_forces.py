"""Total War: Air Forces in battles, France and China, Bolsters (13.5-13.10)."""

from engine.kernel.ids import Role
from engine.qmg.deck import CARD, CARDS
from engine.qmg.events import VpChanged
from engine.qmg.ids import COUNTRIES
from tests.engine.qmg.table import Table, moscow

BASIC = {"germany": "de", "uk": "uk", "japan": "jp", "ussr": "su", "italy": "it", "usa": "us"}


# -- 13.5, 13.6


def test_13_5_a_supply_removal_cannot_be_defended_16_5() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army russia",
        "piece germany air russia",
        "response italy it_monte_cassino",
        "hand germany de_plunder de_the_autobahn",
    )
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    while table.rule != "8.4":
        assert "air-defense" not in table.options(table.asked[0])
        table.default()
    table.expect("no piece germany army russia")


def test_13_5_cloud_cover_forbids_it_for_the_turn_only() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece ussr air moscow",
        "hand germany de_tw_cloud_cover de_land_battle#1 de_plunder",
    )
    table.until_window("play_step_begin", "germany")
    table("germany: use de_tw_cloud_cover#1")
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.expect("no piece ussr army moscow", "no piece ussr air moscow")  # nowhere to move to
    table.finish_turn()
    assert table.state.turn.flags == ()


def test_13_5_french_air_defense_is_decided_by_the_uk() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece france air western_europe",
        "hand germany de_land_battle#1 de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany western_europe france")
    table.until_window("about_to_be_removed", "uk")
    assert "air-defense" in table.options("uk")
    assert "9.6" not in table.refused("usa: air-defense")
    table("uk: air-defense")
    table.expect("piece france army western_europe", "no piece france air western_europe")


def test_13_6_the_answer_is_a_choice_of_the_battling_force() -> None:
    table = moscow("piece ussr air moscow", "piece germany air ukraine")
    table("ussr: air-defense")
    assert table.asked == ("germany",)
    assert table.refused("germany: air-attack russia") == ["13.6"]
    assert table.refused("ussr: air-attack ukraine") == ["10.4"]
    assert table.default() == "germany: done"
    table.expect("piece germany air ukraine", "piece ussr army moscow")


def test_13_6_no_air_attack_on_a_piece_that_is_gone_or_safe_by_now() -> None:
    table = moscow("piece ussr air moscow", "piece germany air ukraine")
    table("ussr: air-defense")
    assert table.rule == "13.6"
    table("ussr: withdraw ussr army moscow")
    assert table.rule != "13.6"
    table.expect("piece germany air ukraine")
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece france air western_europe",
        "piece germany air germany",
        "hand germany de_land_battle#1 de_plunder",
        "hand uk uk_tw_maginot_line uk_raf uk_destroyers uk_resistance uk_rationing",
    )
    table.until("8.2", "germany")
    table("germany: play de_land_battle#1", "germany: battle germany western_europe france")
    table.until_window("about_to_be_removed", "uk")
    table("uk: air-defense")
    assert table.rule == "13.6"
    table("uk: use uk_tw_maginot_line#1")
    table.until("8.4", "germany")
    table.expect("piece germany air germany", "piece france army western_europe")


# -- 13.7, 13.8


def test_13_7_france_loses_its_starving_pieces_in_the_uk_turn_alone() -> None:
    lines = ("homes", "piece france army africa", "hand uk uk_singapore uk_build_army#1")
    table = Table("total-war", "active germany", *lines)
    table.finish_turn()
    table.expect("piece france army africa", "active uk")
    table("uk: drop uk_singapore#1")
    table.until("8.4", "uk")
    table.expect("no piece france army africa")


def test_13_7_france_scores_in_the_uk_turn_by_its_own_home_12_3() -> None:
    def points(*lines: str) -> list[str]:
        table = Table("total-war", "active uk", "homes", *lines, "hand uk uk_singapore")
        table.finish_turn()
        return [
            event.why
            for event in table.events
            if isinstance(event, VpChanged) and event.why in {"uk", "france"}
        ]

    assert points() == ["uk", "france"]
    lost_home = ("no-piece france army western_europe", "piece germany army western_europe")
    assert points(*lost_home, "piece france army india") == ["uk"]
    overrun = ("no-piece uk army united_kingdom", "piece germany army united_kingdom")
    assert points(*overrun) == ["france"]


def test_13_7_government_in_exile_gives_france_another_home_while_its_own_is_held() -> None:
    """Only then may France build in the United Kingdom without a line (7.1 b)."""
    lines = ("active uk", "homes", "status uk uk_tw_government_in_exile")
    hand = "hand uk uk_tw_armee_de_terre uk_singapore"
    free = Table("total-war", *lines, hand, "no-piece france army western_europe")
    free.until("8.2", "uk")
    free("uk: play uk_tw_armee_de_terre#1")
    assert free.options("uk", "build") == ["build france army western_europe"]
    held = Table(
        "total-war",
        *lines,
        hand,
        "no-piece france army western_europe",
        "piece germany army western_europe",
    )
    held.until("8.2", "uk")
    held("uk: play uk_tw_armee_de_terre#1")
    assert held.options("uk", "build") == ["build france army united_kingdom"]


def test_13_8_china_scores_and_starves_in_the_us_turn() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece china army india",
        "no-piece china army china",
        "piece japan army china",
        "hand usa us_theater_shift us_plunder"
        if "us_plunder" in CARDS
        else "hand usa us_theater_shift",
    )
    table.expect("supplied china army india", "points china 2")
    table.finish_turn()
    whys = [event.why for event in table.events if isinstance(event, VpChanged)]
    assert "usa" in whys
    assert "china" not in whys  # an enemy Army is in its Home


def test_13_8_china_has_no_navies_and_two_armies() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece china army szechuan",
        "hand usa us_tw_american_public_sympathizes_with_chinese_people us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_american_public_sympathizes_with_chinese_people#1")
    table.until("8.4", "usa")  # the pool is empty, so it is skipped
    table.expect("piece china army china", "piece china army szechuan")
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "hand usa us_tw_cash_and_carry_replaces_neutrality_acts us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_cash_and_carry_replaces_neutrality_acts#1", "usa: name china")
    assert table.options("usa") == ["choose 1"]


def test_13_8_wartime_production_does_not_answer_a_chinese_build() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "status usa us_wartime_production",
        "hand usa us_tw_american_public_sympathizes_with_chinese_people us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_american_public_sympathizes_with_chinese_people#1")
    table("usa: build china army szechuan")
    while table.rule == "10.4":
        assert not table.options("usa", "use")
        table.default()
    table.expect("deck usa +0", "piece china army szechuan")


# -- 13.10


def test_13_10_kuibyshev_moves_home_and_star() -> None:
    """Points and builds follow the markers: Siberia counts only for the USSR, Moscow for no country."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "status ussr su_tw_government_evacuates_to_kuibyshev",
        "no-piece ussr army moscow",
        "hand ussr su_build_army#1 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_build_army#1")
    assert table.options("ussr", "build") == ["build ussr army siberia"]
    table("ussr: build ussr army siberia")
    table.expect("points ussr 2", "supplied ussr army siberia")
    usa = Table(
        "total-war",
        "active usa",
        "piece usa army moscow siberia",
        "status ussr su_tw_government_evacuates_to_kuibyshev",
    )
    usa.expect("points usa 0", "no supplied usa army moscow", "no supplied usa army siberia")


def test_13_names() -> None:
    """Every deck has its five parts, and no Air Power card has a separate text (13.3)."""
    for country, prefix in BASIC.items():
        card = CARD[f"{prefix}_tw_air_power#1"]
        assert (card.deck, card.type) == (country, "air_power")
        assert Role(country) in COUNTRIES
