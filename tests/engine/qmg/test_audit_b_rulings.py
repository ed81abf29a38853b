"""Engine notes (14), examples (15), answers of the FAQ (16), card notes (17), rulings (18), interpreter (A)."""

import json
from importlib.resources import files

import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.errors import PositionError
from engine.kernel.ids import Role
from engine.qmg.atlas import SPACE
from engine.qmg.deck import CARD, CARDS
from engine.qmg.deck_steps import STEP_LISTS
from engine.qmg.events import (
    CardsMoved,
    DeckShuffled,
    PieceDesignated,
    PieceProtected,
    PieceRemoved,
    TargetDiscards,
    VpChanged,
)
from engine.qmg.frames import Trigger, WindowFrame
from engine.qmg.ids import COUNTRIES, HIDDEN, PLAYERS, TEAMS
from engine.qmg.options import scenario_infos
from engine.qmg.position import Position
from engine.qmg.position_checks import check_position
from engine.qmg.ruleset import QMG
from engine.qmg.rulings import RULINGS
from tests.engine.qmg.table import Table

HAND = "hand germany de_plunder de_the_autobahn"


def moved(table: Table, **wanted: object) -> list[CardsMoved]:
    """Return the movements of cards with these fields."""
    return [
        event
        for event in table.events
        if isinstance(event, CardsMoved)
        and all(getattr(event, name) == value for name, value in wanted.items())
    ]


def told(table: Table, role: str) -> str:
    """Return everything the log has told a country."""
    return " ".join(table.said(role))


# -- 14.1: random results are outcomes


def test_14_1_a_shuffle_is_logged_without_an_order() -> None:
    table = Table(
        "total-war", "active germany", "homes", "hand germany de_tw_production_initiative"
    )
    table.until("8.2", "germany")
    table("germany: play de_tw_production_initiative#1")
    assert DeckShuffled(country="germany") in table.events


def test_14_1_a_random_response_is_logged_by_name() -> None:
    table = Table(
        "base",
        "active italy",
        "homes",
        "response ussr su_moscow su_leningrad su_rasputitsa",
        "hand italy it_division_azul it_plunder",
        draws="su_leningrad",
    )
    table("italy: play it_division_azul#1")
    assert [event.cards for event in moved(table, why="random-response")] == [("su_leningrad#1",)]
    table.expect("no laid su_leningrad#1", "laid su_moscow#1", "discarded su_leningrad#1")


def test_14_1_cards_returned_at_random_are_logged_by_name() -> None:
    table = Table(
        "total-war",
        "active italy",
        "homes",
        "hand italy it_tw_giuliani_cappellini_and_torelli it_plunder",
        "discard germany de_v_weapons de_broad_front",
        "discard japan jp_kamikaze",
        draws="de_broad_front jp_kamikaze",
    )
    table.until("8.2", "italy")
    table("italy: play it_tw_giuliani_cappellini_and_torelli#1")
    table("germany: yes", "japan: yes")
    found = [event.cards for event in moved(table, why="returned")]
    assert found == [("de_broad_front#1",), ("jp_kamikaze#1",)]  # Italy's pile is empty
    table.expect("next de_broad_front#1", "next jp_kamikaze#1")


# -- 14.2: who is told what


def test_14_2_cards_drawn_are_told_to_their_owner_and_counted_for_others() -> None:
    table = Table("base", "active germany", "homes", HAND)
    table.finish_turn()
    drawn = moved(table, country="germany", why="draw")
    assert len(drawn) == 6
    for event in drawn:
        assert QMG.redact(event, Role("germany")) == event
        for other in ("uk", "japan", None):
            seen = QMG.redact(event, Role(other) if other else None)
            assert isinstance(seen, CardsMoved)
            assert seen.cards == (HIDDEN,)


@pytest.mark.parametrize(
    ("lines", "commands", "kept", "public"),
    [
        pytest.param(
            ("hand germany de_plunder de_the_autobahn",),
            ("germany: drop de_plunder#1",),
            "Plunder",
            "discards a card",
            id="14.2-an-unplayed-card-of-the-hand",
        ),
        pytest.param(
            ("hand germany de_the_autobahn", "status germany de_conscription"),
            ("germany: use de_conscription#1",),
            "",
            "Conscription",
            id="14.2-a-declared-use",
        ),
        pytest.param(
            ("hand germany de_plunder de_the_autobahn",),
            ("germany: play de_plunder#1",),
            "",
            "Plunder",
            id="14.2-a-played-card",
        ),
    ],
)
def test_14_2_what_others_are_told(
    lines: tuple[str, ...], commands: tuple[str, ...], kept: str, public: str
) -> None:
    table = Table("base", "active germany", "homes", *lines)
    table(*commands)
    words = told(table, "uk")
    assert public.split(maxsplit=1)[0] in words
    if kept:
        assert kept not in words
        assert kept in told(table, "germany")


def test_14_2_a_response_is_laid_unseen_and_counted() -> None:
    table = Table("base", "active japan", "homes", "hand japan jp_kamikaze jp_build_army#1")
    table("japan: play jp_kamikaze#1")
    assert "Kamikaze" not in told(table, "uk")
    assert "Kamikaze" not in told(table, "germany")  # not even a friend
    assert "Kamikaze" in told(table, "japan")
    assert QMG.project(table.state, Role("uk")).countries["japan"].responses == 1


def test_14_2_cards_of_the_deck_are_discarded_unseen_but_the_owner_may_look() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "hand germany de_submarines_prey_on_unprotected_shipping de_plunder",
        "deck-top uk uk_raf uk_destroyers uk_singapore uk_resistance uk_rationing",
    )
    table("germany: play de_submarines_prey_on_unprotected_shipping#1")
    assert "Destroyers" not in told(table, "germany")
    own = QMG.project(table.state, Role("uk")).own
    assert own is not None
    assert "uk_destroyers#1" in own.discard


def test_14_2_a_cancelled_use_a_protection_and_the_points_are_public() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        HAND,
        "status germany de_conscription",
        "hand uk uk_tw_keep_calm_and_carry_on uk_build_army#1",
    )
    table.until("8.2", "germany")
    table("germany: use de_conscription#1", "uk: use uk_tw_keep_calm_and_carry_on#1")
    for role in ("germany", "japan", "usa"):
        assert "Keep Calm and Carry On" in told(table, role)
    table.finish_turn()
    for role in ("uk", "usa"):
        assert "gains 2 VP" in told(table, role)


def test_14_2_turn_and_round_ends_are_facts() -> None:
    table = Table("base", "active usa", "homes", "hand usa us_theater_shift")
    table.finish_turn()
    kinds = table.kinds()
    assert kinds.count("RoundEnded") == 1
    assert kinds.count("TurnBegan") == 2
    assert kinds.index("RoundEnded") < len(kinds) - 1 - kinds[::-1].index("TurnBegan")


# -- 14.3: every decision of the list is asked by its rule


@pytest.mark.parametrize(
    ("scenario", "lines", "commands", "rule", "role"),
    [
        pytest.param("base", (), (), "3.1", "germany", id="14.3-setup-keep"),
        pytest.param(
            "base",
            ("active germany", "homes", "piece germany army russia africa", HAND),
            ("germany: drop de_plunder#1",),
            "6.6",
            "germany",
            id="14.3-removal-order",
        ),
        pytest.param(
            "base",
            ("active germany", "homes", "hand germany de_build_army#1"),
            ("germany: play de_build_army#1",),
            "7.1",
            "germany",
            id="14.3-build-space-or-designate",
        ),
        pytest.param(
            "base",
            ("active germany", "homes", "hand germany de_forced_conscription"),
            ("germany: play de_forced_conscription#1",),
            "7.3",
            "germany",
            id="14.3-recruit-space",
        ),
        pytest.param(
            "base",
            ("active germany", "homes", "hand germany de_land_battle#1"),
            ("germany: play de_land_battle#1",),
            "7.4",
            "germany",
            id="14.3-battle-space-and-target",
        ),
        pytest.param(
            "base",
            ("active germany", "homes", "hand germany de_guns_and_butter"),
            ("germany: play de_guns_and_butter#1",),
            "7.8",
            "germany",
            id="14.3-option-of-a-choice",
        ),
        pytest.param(
            "base",
            ("active usa", "homes", "hand usa us_lend_lease", "hand uk uk_singapore"),
            ("usa: play us_lend_lease#1",),
            "9.6",
            "usa",
            id="14.3-country-choice",
        ),
        pytest.param(
            "total-war",
            (
                "active japan",
                "homes",
                "hand japan jp_tw_fu_go_balloon_bombs jp_kamikaze jp_build_army#1 jp_mobile_force",
            ),
            ("japan: play jp_tw_fu_go_balloon_bombs#1",),
            "9.5",
            "japan",
            id="14.3-optional-step",
        ),
        pytest.param(
            "base", ("active germany", "homes", HAND), (), "8.2", "germany", id="14.3-play"
        ),
        pytest.param(
            "total-war",
            (
                "active germany",
                "homes",
                "hand germany de_build_army#1 de_build_army#2 de_build_army#3 de_plunder",
            ),
            ("germany: reallocate",),
            "9.4",
            "germany",
            id="14.3-hand-cards-for-a-cost",
        ),
        pytest.param(
            "total-war",
            ("active germany", "homes", "hand germany de_build_army#1 de_build_army#2 de_plunder"),
            ("germany: reallocate",),
            "8.3",
            "germany",
            id="14.3-card-found",
        ),
        pytest.param(
            "base",
            ("active germany", "homes", HAND),
            ("germany: drop de_plunder#1",),
            "8.4",
            "germany",
            id="14.3-discard-step",
        ),
        pytest.param(
            "base",
            ("active germany", "homes", "status germany de_superior_planning"),
            ("germany: use de_superior_planning#1",),
            "9.3",
            "germany",
            id="14.3-order-of-looked-at-cards",
        ),
        pytest.param(
            "total-war",
            ("active germany", "homes", "piece germany air germany", HAND),
            ("germany: drop de_plunder#1",),
            "13.3",
            "germany",
            id="14.3-air-step",
        ),
        pytest.param(
            "base",
            ("active italy", "homes", "status germany de_volkssturm", "hand italy it_plunder"),
            ("italy: drop it_plunder#1",),
            "8.2",
            "usa",
            id="14.3-the-next-country",
        ),
        pytest.param(
            "base",
            ("active germany", "status germany de_volkssturm"),
            (),
            "10.4",
            "germany",
            id="14.3-react-or-pass",
        ),
    ],
)
def test_14_3_the_decision_is_asked_by_its_rule(
    scenario: str, lines: tuple[str, ...], commands: tuple[str, ...], rule: str, role: str
) -> None:
    if lines:
        table = Table(scenario, *lines)
        if rule != "10.4" and scenario == "total-war":
            table.until("8.2")
        table(*commands)
        while table.rule == "10.4" and rule != "10.4":
            table.default()
        assert (table.rule, table.asked) == (rule, (role,))
    else:
        state = QMG.fold(
            QMG.blank(), QMG.start(QMG.position(scenario, {}), DerivedDice(bytes(32), 0))
        )
        assert QMG.asked(state) == COUNTRIES
        assert QMG.decision(state, Role(role)).rule == rule


def test_14_3_the_count_of_an_amount_is_chosen_card_by_card() -> None:
    """Pact of Steel: Germany discards up to 5, Italy takes back as many."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "hand germany de_plunder de_the_autobahn de_v_weapons",
        "hand italy it_tw_pact_of_steel it_build_army#1",
        "discard italy it_plunder it_afrika_korps it_division_azul",
        draws="it_plunder it_division_azul",
    )
    table.until("8.2", "germany")
    table("italy: use it_tw_pact_of_steel#1")
    while table.rule == "10.4":
        table.default()
    assert (table.rule, table.asked) == ("9.4", ("germany",))
    table("germany: discard de_plunder#1", "germany: discard de_v_weapons#1", "germany: done")
    table("italy: yes")
    assert len(moved(table, why="returned")) == 2


# -- 15


def test_15_1_gibraltar_closes_and_opens_with_the_army() -> None:
    lines = ("active uk", "homes", "piece uk navy north_sea", "piece germany navy mediterranean")
    shut = Table("base", *lines, "piece germany army north_africa")
    shut.expect("strait gibraltar axis", "no adjacent north_sea mediterranean allies")
    empty = Table("base", *lines)
    empty.expect("strait gibraltar allies", "adjacent north_sea mediterranean allies")
    empty.expect("no adjacent north_sea mediterranean axis")


def test_15_2_no_port_no_navy_7_2() -> None:
    """Without an Army on the coast of the Central Pacific nothing may be built there."""
    lines = (
        "active usa",
        "homes",
        "piece usa army western_us",
        "piece usa navy east_pacific",
        "piece uk army australia",
        "piece uk navy south_china_sea",
        "hand usa us_build_navy#1",
    )
    table = Table("base", *lines)
    table("usa: play us_build_navy#1")
    assert "build usa navy central_pacific" not in table.options("usa")
    assert set(table.refused("usa: build usa navy central_pacific")) == {"7.2"}
    for port in ("piece usa army hawaii", "piece uk army new_guinea", "piece uk army philippines"):
        table = Table("base", *lines, port)
        table("usa: play us_build_navy#1")
        assert "build usa navy central_pacific" in table.options("usa")


def test_15_3_the_layout_of_the_table() -> None:
    status = "uk_lord_linlithgow_declares_india_to_be_at_war"
    table = Table(
        "base", "active uk", "homes", f"hand uk uk_raf {status} uk_build_army#1 uk_singapore"
    )
    for play in ("uk_raf#1", f"{status}#1", "uk_build_army#1"):
        table(f"uk: play {play}")
        while table.state.active == "uk":
            table.default()
        while table.state.active != "uk" or table.rule != "8.2":
            table.default()
    view = QMG.project(table.state, Role("usa")).countries["uk"]
    assert (view.responses, view.statuses, view.hand) == (1, (f"{status}#1",), 7)
    assert view.discard_top == "uk_build_army#1"


# -- 16


def test_16_2_friends_share_own_and_enemy_pieces_do_not() -> None:
    table = Table(
        "base",
        "active italy",
        "homes",
        "piece germany army balkans",
        "piece uk army western_europe",
        "hand italy it_build_army#1",
    )
    table("italy: play it_build_army#1")
    assert "build italy army balkans" in table.options("italy")
    assert table.refused("italy: build italy army western_europe")[0] == "4.1"
    assert table.refused("italy: build italy army italy")[0] == "4.1"


def test_16_6_the_first_part_may_be_left_out() -> None:
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa navy north_atlantic east_pacific",
        "piece usa army western_us",
        "hand usa us_fleet_deployed_to_pearl_harbor us_theater_shift",
        "piece usa army hawaii",
    )
    table("usa: play us_fleet_deployed_to_pearl_harbor#1")
    assert table.rule == "7.2"  # no recruit is possible, the build comes all the same
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa army western_us",
        "hand usa us_fleet_deployed_to_pearl_harbor us_theater_shift",
    )
    table("usa: play us_fleet_deployed_to_pearl_harbor#1")
    assert table.refused("usa: build usa navy east_pacific")  # not before the first part
    table("usa: done")
    assert table.options("usa", "build") == ["build usa navy east_pacific"]


def test_16_7_a_status_put_on_the_table_is_not_played() -> None:
    """No CARD_PLAYED for it, no use of it; only the deck is shuffled (A.2)."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "hand germany de_tw_production_initiative de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_tw_production_initiative#1", "germany: take de_volkssturm#1")
    assert not [event for event in table.events if getattr(event, "card", "") == "de_volkssturm#1"]
    assert moved(table, cards=("de_volkssturm#1",))[0].to == "statuses"


def test_16_11_the_battling_country_chooses_whose_piece_is_hit() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece uk army western_europe",
        "piece usa army western_europe",
        "hand germany de_land_battle#1 de_plunder",
    )
    table("germany: play de_land_battle#1")
    found = [line for line in table.options("germany") if "western_europe" in line]
    assert found == [
        "battle germany western_europe uk",
        "battle germany western_europe usa",
    ]
    assert table.refused("germany: battle germany western_europe -")[0] == "7.4"
    assert table.refused("germany: battle germany western_europe ussr")[0] == "7.4"
    table("germany: battle germany western_europe usa")
    table.expect("no piece usa army western_europe", "piece uk army western_europe")


def test_16_13_a_piece_that_comes_to_the_place_of_another_is_not_eligible() -> None:
    """The Army of Hawaii is withdrawn; the one built there from Latin America may not go a second time."""
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa army western_us hawaii latin_america",
        "piece usa navy east_pacific",
        "hand usa us_theater_shift us_build_army#1",
    )
    table("usa: play us_theater_shift#1", "usa: remove usa army latin_america")
    table("usa: withdraw usa army hawaii", "usa: build usa army hawaii")
    table.expect("piece usa army hawaii")
    assert table.options("usa") == [
        "remove usa army eastern_us",
        "remove usa army western_us",
        "remove usa navy east_pacific",
        "done",
    ]


def test_16_13_a_declined_build_leaves_the_piece_in_the_pool() -> None:
    table = Table("base", "active germany", "homes", "hand germany de_the_autobahn de_plunder")
    table("germany: play de_the_autobahn#1", "germany: remove germany army germany")
    assert table.options("germany") == ["build germany army germany", "done"]  # the Home (7.1 b)
    table("germany: done")
    table.expect("no piece germany army germany")
    assert table.rule == "8.4"


def test_16_14_superiority_and_deploy_cost_air_power_only() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece germany air germany",
        "piece germany army balkans",
        "hand germany de_plunder de_build_army#1 de_build_army#2",
    )
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    table.until("13.3", "germany")
    assert table.refused("germany: deploy germany balkans") == ["13.3"]
    assert table.refused("germany: superiority germany germany balkans -") == ["13.3"]
    assert "marshal germany germany balkans" in table.options("germany")


# -- 17


def test_17_1_only_the_piece_just_built_may_be_eliminated() -> None:
    table = Table(
        "base",
        "active japan",
        "homes",
        "piece japan navy south_china_sea east_china_sea",
        "piece japan army southeast_asia china",
        "response uk uk_loyal_to_the_crown",
        "hand japan jp_build_army#1 jp_build_army#2",
    )
    table("japan: play jp_build_army#1", "japan: build japan army india")
    table("uk: use uk_loyal_to_the_crown#1")
    assert table.options("uk") == ["eliminate japan army india", "done"]
    table("uk: eliminate japan army india")
    table.expect("no piece japan army india", "piece japan army southeast_asia")


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


def test_17_4_a_targeted_piece_that_is_saved_has_still_been_battled() -> None:
    """Alpini answers BATTLED; the battle goes on to its end, and Frontal Assault may answer it."""
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
    """The USA stands in for China: it used the card behind the event (A.1.2)."""
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


def test_17_6_broad_front_looks_at_the_beginning_of_the_turn_and_fights_from_now() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army eastern_europe ukraine",
        "piece ussr army russia",
        "hand germany de_broad_front de_plunder",
    )
    table("germany: withdraw germany army ukraine", "germany: withdraw germany army eastern_europe")
    table("germany: play de_broad_front#1")
    assert table.rule == "8.4"  # Russia counts, but nothing supplied stands beside it any more


def test_17_8_each_country_decides_for_itself_in_the_order_listed() -> None:
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
    assert "9.6" not in table.refused("germany: done")  # one of both must be taken
    table("germany: choose 2", "germany: remove germany navy mediterranean")
    assert table.asked == ("italy",)
    table("italy: choose 1")
    table.expect("discards germany 0", "discards italy 2", "piece italy navy mediterranean")
    found = [event for event in table.events if isinstance(event, TargetDiscards)]
    assert [event.country for event in found] == ["italy"]


def test_17_9_a_build_that_becomes_a_recruit_is_a_recruit() -> None:
    """Loyal to the Crown's kind, built only: Manpower's Army in Australia is recruited, whatever the card names."""
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


def test_17_10_ignored_statuses_are_neither_used_nor_effective() -> None:
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "piece uk army western_europe",
        "status uk uk_tw_hobarts_funnies",
        "status germany de_tw_westwall",
        "hand uk uk_land_battle#1 uk_singapore",
    )
    table.until("8.2", "uk")
    table("uk: play uk_land_battle#1", "uk: battle uk germany germany")
    assert not moved(table, country="uk", source="deck", to="discard-bottom")
    assert "use de_tw_westwall#1" not in table.free("germany")
    table.expect("no piece germany army germany")


def test_17_12_a_bolster_under_the_table_keeps_trigger_and_cost() -> None:
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


# -- 18


def test_18_1_presets_of_seats_are_partitions_by_team() -> None:
    for info in scenario_infos():
        assert [len(seats) for seats in info.seatings] == [2, 3, 4, 5, 6]
        for seats in info.seatings:
            assert sorted(role for seat in seats for role in seat) == sorted(COUNTRIES)
            for seat in seats:
                assert any(set(seat) <= set(PLAYERS[team]) for team in TEAMS)
    two, three, four, five, six = scenario_infos()[0].seatings
    assert two == (("germany", "japan", "italy"), ("uk", "ussr", "usa"))
    assert three[1:] == (("uk", "ussr"), ("usa",))
    assert four == (("germany", "italy"), ("japan",), ("uk", "ussr"), ("usa",))
    assert ("japan", "italy") in five
    assert all(len(seat) == 1 for seat in six)


def test_18_2_constructed_decks_need_a_table_of_limits() -> None:
    assert QMG.position("total-war", {}).limits == {}
    assert not {one.id for one in RULINGS} & {"constructed", "limits"}
    check_position(
        Position(
            scenario="total-war",
            limits={"event": 6, "build_army": 6, "status": 6, "response": 9, "build_navy": 3},
        )
    )
    with pytest.raises(PositionError):
        check_position(
            Position(
                scenario="base",
                limits={"event": 6, "build_army": 6, "status": 6, "response": 9, "build_navy": 3},
            )
        )


def test_18_3_the_cards_say_how_certain_they_are() -> None:
    raw = json.loads((files("engine.qmg.data") / "cards.json").read_text("utf-8"))["cards"]
    assert sum(card["count"] for card in raw) == 385
    assert len(SPACE) == 53


@pytest.mark.parametrize(
    ("choice", "is_linked"),
    [
        pytest.param("off", True, id="18.4-a-navy-without-port-carries-a-line"),
        pytest.param("on", False, id="18.4-strict-navy-links"),
    ],
)
def test_18_4_a_navy_without_a_port(choice: str, is_linked: bool) -> None:
    """USA: Latin America, Southeast Pacific and Southern Ocean; no port beside the middle one."""
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa army western_us",
        "piece usa navy east_pacific south_pacific",
        "piece usa navy indian_ocean",
        "piece usa army madagascar",
        options={"strict-navy-links": choice},
    )
    table.expect("no supplied usa navy south_pacific", "supplied usa navy east_pacific")
    word = "supplied" if is_linked else "no supplied"
    table.expect(f"{word} usa navy indian_ocean", f"{word} usa army madagascar")


@pytest.mark.parametrize(
    ("lines", "commands"),
    [
        pytest.param(
            (
                "active germany",
                "response ussr su_rasputitsa",
                "piece germany army ukraine",
                "status germany de_volkssturm",
                "hand italy it_italy_attacks_communists",
            ),
            (),
            id="18.5-rasputitsa-at-nothing",
        ),
        pytest.param(
            (
                "active uk",
                "response japan jp_kamikaze",
                "piece japan navy south_china_sea",
                "hand uk uk_singapore uk_raf",
            ),
            (
                "uk: play uk_singapore#1",
                "uk: recruit uk army southeast_asia",
            ),
            id="18.5-kamikaze-does-not-answer-a-recruit",
        ),
    ],
)
def test_18_5_built_is_not_recruited(lines: tuple[str, ...], commands: tuple[str, ...]) -> None:
    table = Table("base", lines[0], "homes", *lines[1:])
    table(*commands)
    assert table.rule != "10.4" or table.trigger.kind != "built"
    assert not any(
        option.startswith(("use jp_kamikaze", "use su_rasputitsa"))
        for country in table.asked
        for option in table.options(country)
    )


def test_18_5_a_recruited_army_is_safe_from_loyal_to_the_crown() -> None:
    """Recruits open their own window, which the three cards do not answer."""
    for card in ("su_rasputitsa", "uk_loyal_to_the_crown", "jp_kamikaze"):
        (ability,) = CARDS[card].abilities
        assert ability.trigger is not None
        assert ability.trigger.event == "built"
    table = Table(
        "base",
        "active germany",
        "homes",
        "no-piece ussr army moscow",
        "piece germany army ukraine",
        "response ussr su_rasputitsa",
        "hand germany de_forced_conscription de_plunder",
    )
    table("germany: play de_forced_conscription#1", "germany: recruit germany army eastern_europe")
    table("germany: done")
    assert table.rule == "8.4"


def test_18_6_a_status_answers_one_event_once() -> None:
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "status ussr su_tw_tank_desant",
        "hand ussr su_build_army#1 su_build_army#2 su_build_army#3 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    table.until_window("built", "ussr")
    table("ussr: use su_tw_tank_desant#1")
    table(f"ussr: {table.options('ussr', 'discard su_build_army')[0]}", "ussr: done")
    assert table.rule != "10.4" or "use su_tw_tank_desant#1" not in table.options("ussr")


def test_18_9_keep_calm_costs_its_owner_but_not_the_user() -> None:
    table = Table(
        "total-war",
        "active italy",
        "homes",
        "status italy it_bravado",
        "hand italy it_plunder it_build_army#1",
        "hand uk uk_tw_keep_calm_and_carry_on uk_raf uk_singapore",
    )
    table.until("8.2", "italy")
    table("italy: use it_bravado#1", "uk: use uk_tw_keep_calm_and_carry_on#1")
    table("uk: discard uk_raf#1")
    table.until("8.2", "italy")
    table.expect("discards italy 0", "discards uk 2", "hand uk 1")
    assert "use it_bravado#1" not in table.options("italy")
    table("italy: play it_plunder#1")  # 18.31: another action


def test_18_10_no_boost_on_a_base_of_nothing() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "status germany de_wolf_packs",
        "hand germany de_submarines_enforce_blockade de_plunder",
    )
    table("germany: play de_submarines_enforce_blockade#1", "germany: use de_wolf_packs#1")
    table.expect("discards uk 0")


def test_18_11_points_may_fall_below_zero() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "no-deck uk",
        "hand germany de_submarines_prey_on_unprotected_shipping de_plunder",
    )
    table("germany: play de_submarines_prey_on_unprotected_shipping#1")
    assert table.vp()[1] == -5
    assert VpChanged(team="allies", amount=-5, why="cards") in table.events


def test_18_12_a_plain_hand_cost_overflows_into_the_deck() -> None:
    """Free France with one card in hand: that one, and one of the deck."""
    table = Table("base", "active uk", "homes", "status uk uk_free_france", "hand uk uk_singapore")
    table("uk: use uk_free_france#1")
    paid = moved(table, country="uk", why="cost")
    assert [(event.source, len(event.cards)) for event in paid] == [("hand", 1), ("deck", 1)]


def test_18_14_only_a_build_card_designates_and_guards_plays_one() -> None:
    def designations(table: Table, role: str) -> list[str]:
        return table.options(role, "designate")

    table = Table("base", "active germany", "homes", "hand germany de_guns_and_butter")
    table("germany: play de_guns_and_butter#1", "germany: choose 1")
    assert designations(table, "germany") == []
    assert table.refused("germany: designate germany army germany")[0] == "7.6"
    table = Table(
        "base",
        "active ussr",
        "homes",
        "status ussr su_guards",
        "discard ussr su_build_army#1",
        "hand ussr su_moscow su_leningrad",
    )
    table("ussr: use su_guards#1", "ussr: play su_build_army#1")
    assert designations(table, "ussr") == ["designate ussr army moscow"]
    table("ussr: designate ussr army moscow")
    assert PieceDesignated(force="ussr", piece="army", space="moscow") in table.events


def test_18_15_a_distance_goes_through_open_straits_only() -> None:
    """SBD Dauntless, within 2 of Japan; the own space is at distance 0."""
    lines = ("active usa", "homes", "hand usa us_sbd_dauntless us_theater_shift")
    for space, discards in (("east_china_sea", 4), ("central_pacific", 4), ("hawaii", 0)):
        if space == "hawaii":
            table = Table("base", *lines, "piece usa navy south_pacific")
        else:
            table = Table("base", *lines, f"piece usa navy {space}")
        table("usa: play us_sbd_dauntless#1")
        table.expect(f"discards japan {discards}")


def test_18_16_broad_front_battles_the_same_space_twice_while_an_army_is_there() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army eastern_europe",
        "piece ussr army russia",
        "response ussr su_leningrad",
        "hand germany de_broad_front de_plunder",
    )
    table("germany: play de_broad_front#1", "germany: battle germany russia ussr")
    table("ussr: use su_leningrad#1")
    assert "battle germany russia ussr" in table.options("germany")
    table("germany: battle germany russia ussr")
    table.expect("piece ussr army russia")


def test_18_17_a_card_may_stop_a_supply_removal_for_this_turn() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "no-piece ussr army moscow",
        "piece ussr army russia",
        "response ussr su_leningrad",
        "hand ussr su_build_army#1 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_build_army#1", "ussr: use su_leningrad#1")
    table.expect("piece ussr army russia", "no supplied ussr army russia")
    assert any(isinstance(event, PieceProtected) for event in table.events)


def test_18_18_a_status_laid_this_turn_works_from_now_but_not_as_the_play() -> None:
    """Jet Fighters' kind: laid now, answered later in the turn; Conscription must wait for the next Play step."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece usa army hawaii western_us",
        "hand usa us_rosie_the_riveter us_theater_shift us_lend_lease",
    )
    table.until("8.2", "usa")
    table("usa: play us_rosie_the_riveter#1")
    table.until_window("discard_step_begin", "usa")
    assert "use us_rosie_the_riveter#1" in table.options("usa")
    table = Table("base", "active germany", "homes", "hand germany de_conscription de_plunder")
    table("germany: play de_conscription#1")
    assert table.rule == "8.4"
    assert "10.4" in table.refused("germany: use de_conscription#1")


def test_18_18_a_response_laid_this_turn_works_from_now() -> None:
    table = Table(
        "base",
        "active japan",
        "homes",
        "no-piece japan army japan",
        "piece japan navy central_pacific",
        "hand japan jp_truk jp_kamikaze",
    )
    table("japan: play jp_truk#1")
    table.until("10.4", "japan")
    assert table.trigger.kind == "supply_step_begin"
    table("japan: use jp_truk#1")
    table.until("8.4", "japan")
    table.expect("piece japan navy central_pacific")


def test_18_19_reallocation_stands_beside_other_answers_in_any_order() -> None:
    lines = (
        "active germany",
        "homes",
        "hand germany de_tw_cloud_cover de_build_army#1 de_build_army#2 de_build_army#3 de_plunder",
    )
    table = Table("total-war", *lines)
    table.until_window("play_step_begin", "germany")
    assert table.options("germany") == ["use de_tw_cloud_cover#1", "reallocate", "pass"]
    table("germany: use de_tw_cloud_cover#1")
    table.until("8.2", "germany")
    assert "reallocate" in table.options("germany")
    other = Table("total-war", *lines)
    other.until_window("play_step_begin", "germany")
    other("germany: reallocate")
    for number in (1, 2, 3):
        del number
        other(f"germany: {other.options('germany', 'discard de_build')[0]}")
    other("germany: done")
    assert other.options("germany") == ["use de_tw_cloud_cover#1", "pass"]  # once per turn
    assert other.refused("germany: reallocate")


def test_18_22_any_star_of_the_three_feeds_all_three() -> None:
    """SHAEF: a French Army in Africa lives on the chain from the United Kingdom's star."""
    lines = (
        "active uk",
        "homes",
        "no-piece france army western_europe",
        "piece france army scandinavia",
        "piece uk navy north_sea",
    )
    Table("total-war", *lines).expect("no supplied france army scandinavia")
    table = Table("total-war", *lines, "status usa us_tw_shaef")
    table.expect("supplied france army scandinavia")


def test_18_23_flakzwilling_names_an_italian_air_force() -> None:
    (ability,) = CARDS["de_tw_12_8cm_flakzwilling_40"].abilities
    assert ability.trigger is not None
    assert (ability.trigger.event, ability.trigger.against) == ("air_superiority_gained", "italy")


def test_18_24_points_follow_the_condition_of_the_card() -> None:
    """Doolittle's Bombers without a Navy near: nothing. Operation Pike without an Army near: its point alone."""
    table = Table(
        "total-war", "active usa", "homes", "hand usa us_tw_doolittles_bombers us_theater_shift"
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_doolittles_bombers#1")
    table.until("8.4", "usa")
    assert not [e for e in table.events if getattr(e, "why", "") == "us_tw_doolittles_bombers#1"]
    table = Table(
        "total-war", "active italy", "homes", "hand italy it_tw_operation_pike it_plunder"
    )
    table.until("8.2", "italy")
    table("italy: play it_tw_operation_pike#1")
    table.until("8.4", "italy")
    assert VpChanged(team="axis", amount=1, why="it_tw_operation_pike#1") in table.events
    table.expect("discards ussr 0")


def test_18_25_a_protected_piece_may_be_taken_off_by_its_owner() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "response ussr su_moscow",
        "hand germany de_land_battle#1 de_plunder",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table("ussr: use su_moscow#1")
    table.expect("protected ussr army moscow")
    table("ussr: withdraw ussr army moscow")
    table.expect("no piece ussr army moscow")
    assert PieceRemoved(force="ussr", piece="army", space="moscow", why="own") in table.events


def test_18_26_once_per_turn_is_once_in_each_countrys_turn() -> None:
    """Atlantic Wall in the UK's turn, and again in that of the USA."""
    table = Table(
        "base",
        "active uk",
        "homes",
        "piece germany army western_europe italy",
        "piece italy army western_europe",
        "no-piece italy army italy",
        "piece uk navy north_sea",
        "piece usa navy north_sea north_atlantic",
        "status germany de_atlantic_wall",
        "hand uk uk_land_battle#1 uk_singapore",
        "hand usa us_land_battle#1 us_theater_shift",
    )
    for country in ("uk", "usa"):
        table.until("8.2", country)
        target = "germany" if country == "uk" else "italy"
        table(f"{country}: play {country[:2]}_land_battle#1")
        table(f"{country}: battle {country} western_europe {target}")
        table("germany: use de_atlantic_wall#1")
    cards = [len(moved(table, country=one, source="deck", why="effect")) for one in ("uk", "usa")]
    assert cards == [3, 3]


def test_18_27_nobody_sees_what_others_put_back_at_setup() -> None:
    dice = DerivedDice(bytes(32), 0)
    events = QMG.start(QMG.position("base", {}), dice)
    state = QMG.fold(QMG.blank(), events)
    assert QMG.asked(state) == COUNTRIES  # all at the same time
    last = Role("usa")  # in any order
    command = QMG.decision(state, last).default
    seen = [
        QMG.redact(event, Role("uk"))
        for event in QMG.decide(state, last, command, DerivedDice(bytes(32), 1))
    ]
    assert all(event.cards == (HIDDEN,) for event in seen if isinstance(event, CardsMoved))
    assert QMG.redact_command(command, last, Role("uk")) != command


def test_18_28_the_raf_saves_an_air_force_from_an_elimination() -> None:
    for steps in ("uk_raf",):
        (ability,) = CARDS[steps].abilities
        assert ability.trigger is not None
        assert ability.trigger.piece == "any"
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "no-piece france army western_europe",
        "piece germany army western_europe",
        "piece germany air western_europe",
        "piece uk navy north_sea",
        "piece uk air north_sea",
        "response uk uk_raf",
        "hand germany de_tw_air_power#1 de_plunder de_build_army#1",
    )
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    table.until("13.3", "germany")
    table("germany: superiority germany western_europe north_sea uk")
    table.until_window("about_to_be_removed", "uk")
    assert table.trigger.piece == "air"
    table("uk: use uk_raf#1")
    table.expect("piece uk air north_sea")


def test_18_29_the_sea_has_one_id_and_both_names() -> None:
    sea = SPACE["east_china_sea"]
    assert sea.name == "East China Sea"
    assert any("Sea of Japan" in name for name in sea.also_called)


def test_18_30_parts_without_then_come_in_any_order() -> None:
    table = Table(
        "base", "active ussr", "homes", "hand ussr su_german_soviet_treaty su_build_army#1"
    )
    table("ussr: play su_german_soviet_treaty#1")
    assert table.options("ussr") == ["choose 1", "choose 2", "done"]
    table("ussr: choose 2", "ussr: recruit ussr army eastern_europe")
    assert table.options("ussr") == ["choose 1", "done"]
    table("ussr: choose 1", "ussr: recruit ussr army russia")
    assert table.rule == "8.4"


def test_18_31_the_cancelled_status_alone_is_barred() -> None:
    """Italy has a second alternative? No: another card is played, or resources are reallocated."""
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "status uk uk_tw_senegalese_tirailleurs uk_tw_polish_sovereignty",
        "hand uk uk_singapore uk_raf",
    )
    table.until("8.2", "uk")
    assert table.options("uk", "use") == [
        "use uk_tw_senegalese_tirailleurs#1",
        "use uk_tw_polish_sovereignty#1",
    ]  # nobody cancels Allied Statuses
    table("uk: use uk_tw_polish_sovereignty#1", "uk: recruit uk army eastern_europe")
    table.until("8.4", "uk")
    table.expect("piece uk army eastern_europe")


def test_18_32_women_conscripts_answer_a_card_played_through_guards() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "status ussr su_guards su_women_conscripts",
        "discard ussr su_build_army#1",
        "hand ussr su_moscow su_leningrad su_rasputitsa su_stalingrad",
    )
    table("ussr: use su_guards#1", "ussr: discard su_moscow#1", "ussr: discard su_leningrad#1")
    table("ussr: play su_build_army#1", "ussr: build ussr army russia")
    assert table.trigger == Trigger(
        kind="card_played", cause="allies", by="ussr", card="su_build_army#1", step="play"
    )
    table("ussr: use su_women_conscripts#1")
    table.expect("next su_build_army#1")


def test_18_33_effects_play_no_air_power_and_no_bolster() -> None:
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "hand usa us_lend_lease us_theater_shift",
        "hand uk uk_tw_air_power#1 uk_tw_bletchley_park uk_singapore",
    )
    table.until("8.2", "usa")
    table("usa: play us_lend_lease#1", "usa: name uk")
    assert table.options("uk", "play") == ["play uk_singapore#1"]
    assert table.refused("uk: play uk_tw_air_power#1")


# -- A


def test_a_1_an_impossible_step_is_passed_over_silently() -> None:
    """Tito's Partisans with no Axis Army in the Balkans: the recruit is still made (7.8)."""
    table = Table("base", "active ussr", "homes", "hand ussr su_titos_partisans su_moscow")
    table("ussr: play su_titos_partisans#1")
    assert table.options("ussr") == ["choose 1", "choose 2", "done"]


def test_a_1_4_the_decider_may_stop_before_every_repetition() -> None:
    table = Table(
        "base", "active germany", "homes", "hand germany de_forced_conscription de_plunder"
    )
    table("germany: play de_forced_conscription#1")
    assert "done" in table.options("germany")
    table("germany: recruit germany army italy")
    assert "recruit germany army italy" not in table.options("germany")
    table("germany: done")
    assert table.rule == "8.4"


def test_a_1_5_a_reference_to_a_declined_step_is_unset() -> None:
    """Shoot First: without the Navy there is no sea space beside it to battle."""
    table = Table(
        "total-war",
        "active usa",
        "homes",
        "piece usa army western_us",
        "hand usa us_tw_shoot_first_and_argue_afterwards us_theater_shift",
    )
    table.until("8.2", "usa")
    table("usa: play us_tw_shoot_first_and_argue_afterwards#1")
    assert "build usa navy east_pacific" in table.options("usa")
    table("usa: done")
    assert table.rule != "7.4"
    assert "BattleFought" not in table.kinds()


def test_a_1_7_two_hand_parts_of_a_cost_are_different_cards() -> None:
    """Vitebsk Gate with two Build Army cards: one is the named part, the other one of the two others."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece germany army russia",
        "hand ussr su_tw_vitebsk_gate su_build_army#1 su_build_army#2 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_moscow#1")
    table.until_window("victory_step_begin", "ussr")
    table("ussr: use su_tw_vitebsk_gate#1", "ussr: discard su_build_army#1")
    paid = moved(table, country="ussr", why="cost")
    assert [(event.source, len(event.cards)) for event in paid] == [
        ("hand", 1),
        ("hand", 1),
        ("deck", 1),
    ]
    assert table.options("ussr", "eliminate") == ["eliminate germany army russia"]


def test_a_2_every_operation_of_the_data_has_a_list_with_a_name() -> None:
    assert all(name.split(":")[0] in CARDS for name in STEP_LISTS)
    assert CARD["de_plunder#1"].on_play() is not None


def test_a_2_shuffles_follow_every_look_into_the_deck() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "deck-top germany de_v_weapons",
        "hand germany de_tw_strategic_planning de_plunder",
    )
    table.until("8.2", "germany")
    table("germany: play de_tw_strategic_planning#1", "germany: take de_broad_front#1")
    table("germany: done")
    assert table.rule == "9.4"  # then a card is discarded, without a decline
    assert "done" not in table.options("germany")
    assert table.state.cards_of("germany").top == ()
    assert "Broad Front" not in told(table, "uk")


def test_a_4_last_is_the_last_of_a_kind_when_supply_takes_several() -> None:
    """Battle of Moscow answers the last Army only (supply removals run one after the other)."""
    table = Table(
        "total-war",
        "active ussr",
        "piece ussr army russia siberia",
        "piece germany army moscow",
        "hand ussr su_tw_battle_of_moscow su_build_army#1 su_moscow",
    )
    table.until("8.2", "ussr")
    table("ussr: drop su_moscow#1")
    table.until("6.6", "ussr")
    table("ussr: remove ussr army russia")
    while table.rule == "10.4" and table.trigger.kind == "about_to_be_removed":
        table.default()
    assert table.trigger.kind == "removed"
    assert table.trigger.last
    assert table.options("ussr", "use") == ["use su_tw_battle_of_moscow#1"]
    table("ussr: use su_tw_battle_of_moscow#1", "ussr: discard su_build_army#1")
    table("ussr: eliminate germany army moscow")
    table.expect("no piece germany army moscow")
