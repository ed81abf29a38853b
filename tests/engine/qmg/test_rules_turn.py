"""Actions (7), the turn (8), cards (9), points and the end (12), beyond what the reference implementation compares."""

import pytest

from engine.qmg.ruleset import QMG
from tests.engine.qmg.random_games import AUDIENCES
from tests.engine.qmg.table import Table

# -- 6.6


def test_6_6_the_uk_decides_for_france_and_the_usa_for_china() -> None:
    table = Table(
        "total-war",
        "active uk",
        "homes",
        "piece france army africa",
        "piece china army hawaii",
    )
    table.finish_turn()
    assert table.spaces("france", "army") == {"western_europe"}
    assert "hawaii" in table.spaces("china", "army")
    while table.state.active != "usa":
        table.finish_turn()
    table.finish_turn()
    assert table.spaces("china", "army") == {"china"}


@pytest.mark.parametrize(("value", "supplied"), [("off", ""), ("on", "no ")])
def test_18_4_a_navy_without_a_port_in_the_middle_of_a_supply_line(
    value: str, supplied: str
) -> None:
    """South Atlantic next to Africa and Latin America, both empty: no port, but a link unless the option is on."""
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa navy north_atlantic south_atlantic southern_ocean indian_ocean",
        "piece usa army madagascar",
        options={"strict-navy-links": value},
    )
    table.expect("no supplied usa navy south_atlantic", f"{supplied}supplied usa army madagascar")


# -- 7


def test_7_4_an_empty_space_may_be_battled_and_only_one_enemy_is_removed() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece usa army western_europe",
        "piece uk army western_europe",
        "hand germany de_land_battle#1",
    )
    table("germany: play de_land_battle#1")
    assert table.options("germany", "battle germany western_europe") == [
        "battle germany western_europe uk",
        "battle germany western_europe usa",
    ]
    assert "battle germany ukraine" not in str(table.options("germany"))  # not adjacent
    assert len(table.options("germany", "battle germany balkans")) == 1  # empty, but can be battled
    assert not table.options("germany", "battle germany italy")  # a friend is there
    table("germany: battle germany western_europe usa")
    table.expect("piece uk army western_europe", "no piece usa army western_europe")


def test_7_8_titos_partisans_recruit_without_an_axis_army() -> None:
    table = Table("base", "active ussr", "homes", "hand ussr su_titos_partisans#1")
    table("ussr: play su_titos_partisans#1")
    while table.rule != "7.3":
        table.default() if not table.options("ussr", "choose") else table("ussr: choose 1")
    assert table.options("ussr", "recruit")


# -- 8


def test_8_2_a_status_played_now_can_replace_the_play_only_from_the_next_step() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "hand germany de_conscription#1",
        "deck-top germany de_plunder#1",
    )
    table("germany: play de_conscription#1")
    table.expect("on-table de_conscription#1")
    assert table.rule != "8.2" or table.state.active != "germany"
    while table.state.active != "germany" or table.rule != "8.2":
        table.finish_turn()
    assert "use de_conscription#1" in table.options("germany")


@pytest.mark.parametrize(
    ("scenario", "options", "cost"),
    [
        ("base", {"reallocate": "on"}, 4),
        ("total-war", {}, 3),
        ("base", {}, 0),
    ],
)
def test_8_3_reallocation_cost(scenario: str, options: dict[str, str], cost: int) -> None:
    hand = "su_mao_tse_tung#1 su_general_winter#1 su_leningrad#1 su_moscow#1 su_rasputitsa#1"
    table = Table(scenario, "active ussr", "homes", f"hand ussr {hand}", options=options)
    table.until("8.2", "ussr")
    assert ("reallocate" in table.options("ussr")) == bool(cost)
    if not cost:
        assert table.refused("ussr: reallocate") == ["8.3"]
        return
    table("ussr: reallocate")
    for _ in range(cost):
        assert table.rule == "9.4"
        table(f"ussr: {table.options('ussr')[0]}")
    assert table.rule == "8.3"
    found = {line.split()[1].partition("#")[0] for line in table.options("ussr", "take")}
    assert found <= {
        "su_build_army",
        "su_build_navy",
        "su_land_battle",
        "su_sea_battle",
        "su_tw_build_army",
        "su_tw_land_battle",
    }
    table("ussr: take su_build_navy#1")
    table.expect("held su_build_navy#1", f"hand ussr {5 - cost + 1}", f"discards ussr {cost}")
    assert "Build Navy" in " ".join(QMG.log_sentence(QMG.redact(one, None)) for one in table.events)
    assert table.rule == "8.2"
    assert "reallocate" not in table.options("ussr")
    assert table.refused("ussr: reallocate") == ["8.3"]


def test_8_3_without_a_wanted_card_the_cost_stays_discarded() -> None:
    basic = [f"su_build_army#{n}" for n in range(1, 9)] + ["su_build_navy#1"]
    basic += [f"su_land_battle#{n}" for n in range(1, 7)] + ["su_sea_battle#1", "su_sea_battle#2"]
    table = Table(
        "base",
        "active ussr",
        "homes",
        f"discard-unseen ussr {' '.join(basic)}",
        "hand ussr su_leningrad su_moscow su_rasputitsa su_stalingrad",
        options={"reallocate": "on"},
    )
    table("ussr: reallocate")
    while table.rule != "8.2":
        table.default()
    table.expect("hand ussr 0", f"discards ussr {len(basic) + 4}")
    assert table.options("ussr") == ["discard-top"]


def test_18_19_reallocation_before_another_use_at_the_beginning_of_the_play_step() -> None:
    """The card found pays for Cavalry Corps, which could not be paid before."""
    table = Table(
        "total-war",
        "active ussr",
        "homes",
        "piece ussr army russia",
        "hand ussr su_tw_cavalry_corps su_leningrad su_moscow su_rasputitsa",
    )
    assert table.trigger.kind == "play_step_begin"
    assert table.options("ussr") == ["reallocate", "pass"]
    table("ussr: reallocate")
    for card in ("su_leningrad", "su_moscow", "su_rasputitsa"):
        if table.rule == "9.4":
            table(f"ussr: discard {card}#1")
    table("ussr: take su_build_army#1")
    while table.asked != ("ussr",):
        table.default()
    assert table.trigger.kind == "play_step_begin"
    assert table.options("ussr") == ["use su_tw_cavalry_corps#1", "pass"]


def test_8_5_hands_are_not_drawn_above_seven_and_an_empty_deck_is_allowed() -> None:
    nine = " ".join(f"su_build_army#{n}" for n in range(1, 9)) + " su_leningrad su_moscow"
    table = Table("base", "active ussr", "homes", f"hand ussr {nine}")
    table("ussr: drop su_leningrad#1")
    table.finish_turn()
    table.expect("hand ussr 9")
    table = Table("base", "active ussr", "homes", "hand ussr su_leningrad", "no-deck ussr")
    table("ussr: drop su_leningrad#1")
    table.finish_turn()
    table.expect("hand ussr 0", "vp allies 2")


# -- 9


def test_9_2_played_cards_are_placed_by_type_15_3() -> None:
    """15.3: a Response goes face down, a Status face up, a Build Army card on the discard pile."""
    status = "uk_lord_linlithgow_declares_india_to_be_at_war#1"
    table = Table(
        "base",
        "active uk",
        "homes",
        f"hand uk uk_defensive_posture#1 {status} uk_build_army#1",
    )
    for number, card in enumerate(("uk_defensive_posture#1", status, "uk_build_army#1")):
        while table.state.active != "uk" or table.rule != "8.2":
            table.finish_turn()
        table(f"uk: play {card}")
        if number == 0:
            for role in AUDIENCES:
                told = [QMG.redact(event, role) for event in table.events[1:]]
                assert ("defensive" in str(told)) == (role == "uk")
    table(f"uk: {table.options('uk', 'recruit')[0]}")
    table.expect("laid uk_defensive_posture#1", f"on-table {status}")
    table.finish_turn()
    table.expect("top uk_build_army#1", "responses uk 1", "statuses uk 1", "hand uk 7")
    seen = QMG.project(table.state, None).countries["uk"]
    assert (seen.hand, seen.responses, seen.discard_top) == (7, 1, "uk_build_army#1")


# -- 12


@pytest.mark.parametrize(
    ("axis", "allies", "winner"),
    [(40, 8, "axis"), (8, 40, "allies"), (37, 8, None), (-25, 5, "allies"), (20, 40, None)],
)
def test_12_4_a_lead_of_30_wins_at_the_end_of_a_round(
    axis: int, allies: int, winner: str | None
) -> None:
    """The points of the USA in the last turn of the round count: 2 for its Home."""
    table = Table("base", "active usa", "homes", f"vp axis {axis}", f"vp allies {allies - 2}")
    table.finish_turn()
    outcome = QMG.outcome(table.state)
    assert table.vp() == (axis, allies)
    assert (outcome.winner if outcome else None) == winner
    if winner:
        assert table.asked == ()
