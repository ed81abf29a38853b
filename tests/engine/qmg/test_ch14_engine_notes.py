"""Random results, the information that others receive, and the decisions that the rules ask for (14)."""

import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.events import (
    CardsMoved,
    DeckShuffled,
)
from engine.qmg.ids import COUNTRIES, HIDDEN
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table, moved, told

HAND = "hand germany de_plunder de_the_autobahn"


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


# -- 14.2: information for other countries


def test_14_2_drawn_cards_are_shown_to_their_owner_and_counted_for_others() -> None:
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
def test_14_2_others_see_only_public_information(
    lines: tuple[str, ...], commands: tuple[str, ...], kept: str, public: str
) -> None:
    table = Table("base", "active germany", "homes", *lines)
    table(*commands)
    words = told(table, "uk")
    assert public.split(maxsplit=1)[0] in words
    if kept:
        assert kept not in words
        assert kept in told(table, "germany")


def test_14_2_a_response_placed_face_down_is_counted_but_not_shown() -> None:
    table = Table("base", "active japan", "homes", "hand japan jp_kamikaze jp_build_army#1")
    table("japan: play jp_kamikaze#1")
    assert "Kamikaze" not in told(table, "uk")
    assert "Kamikaze" not in told(table, "germany")  # not even a teammate
    assert "Kamikaze" in told(table, "japan")
    assert QMG.project(table.state, Role("uk")).countries["japan"].responses == 1


def test_14_2_cards_discarded_from_the_deck_are_visible_only_to_their_owner() -> None:
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


def test_14_2_cancelled_uses_protections_and_points_are_public() -> None:
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


def test_14_2_turn_and_round_ends_are_events() -> None:
    table = Table("base", "active usa", "homes", "hand usa us_theater_shift")
    table.finish_turn()
    kinds = table.kinds()
    assert kinds.count("RoundEnded") == 1
    assert kinds.count("TurnBegan") == 2
    assert kinds.index("RoundEnded") < len(kinds) - 1 - kinds[::-1].index("TurnBegan")


# -- 14.3: every decision of the list is a question of its rule


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
def test_14_3_each_decision_cites_its_rule(
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
            QMG.initial_state(),
            QMG.open_game(QMG.position(scenario, {}), DerivedDice(bytes(32), 0)),
        )
        assert QMG.active_roles(state) == COUNTRIES
        assert QMG.decision(state, Role(role)).rule == rule


def test_14_3_a_number_of_cards_is_chosen_card_by_card() -> None:
    """Pact of Steel: Germany discards up to 5, and Italy takes back the same number."""
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
