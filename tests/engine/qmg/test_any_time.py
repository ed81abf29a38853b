"""Removal of a country's own pieces, and cards for any time, in every country's turn (4.2, 10.6, 13.4)."""

from engine.kernel.ids import Role
from engine.qmg.events import PieceRemoved, SupplyGranted
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table


def test_4_2_any_country_takes_own_pieces_off_in_any_turn() -> None:
    table = Table(
        "base", "active germany", "homes", "piece usa army india", "hand germany de_plunder#1"
    )
    assert table.asked == ("germany",)
    assert table.free("usa") == ["withdraw usa army eastern_us", "withdraw usa army india"]
    before = QMG.decision(table.state, Role("germany"))
    table("usa: withdraw usa army india")
    table.expect("no piece usa army india")
    assert QMG.decision(table.state, Role("germany")) == before
    assert table.refused("usa: withdraw usa army india") == ["4.2"]
    assert table.refused("usa: withdraw uk army united_kingdom") == ["4.2"]
    assert "4.2" in str(table.refused("usa: withdraw germany army germany"))


def test_4_2_the_uk_handles_france_and_the_usa_china() -> None:
    table = Table("total-war", "active germany", "homes")
    assert "withdraw france army western_europe" in table.free("uk")
    assert "withdraw china army china" in table.free("usa")
    assert "withdraw france army western_europe" not in table.free("usa")
    table("uk: withdraw france army western_europe", "usa: withdraw china army china")
    assert table.spaces("france", "army") == table.spaces("china", "army") == set()


def test_4_2_the_air_force_left_alone_is_repositioned_13_4() -> None:
    lines = ("active germany", "homes", "piece ussr army ukraine", "piece ussr air ukraine")
    table = Table("total-war", *lines)
    table("ussr: withdraw ussr army ukraine")
    table.expect("piece ussr air moscow", "no piece ussr air ukraine")
    table = Table("total-war", *lines, "piece ussr army russia")
    table("ussr: withdraw ussr army ukraine")
    assert (table.asked, table.rule) == (("ussr",), "13.4")
    assert table.options("ussr") == ["reposition ussr russia", "reposition ussr moscow"]
    assert table.free("usa") == []  # within a step (9.6)
    assert table.refused("usa: withdraw usa army eastern_us") == ["9.6"]
    table("ussr: reposition ussr russia")
    table.expect("piece ussr air russia")
    table = Table(
        "total-war", "active germany", "piece ussr army ukraine", "piece ussr air ukraine"
    )
    table("ussr: withdraw ussr army ukraine")
    assert table.spaces("ussr", "air") == set()


def test_18_8_an_own_removal_sets_off_cards_on_removals() -> None:
    table = Table(
        "base",
        "active uk",
        "homes",
        "piece italy army balkans",
        "response italy it_german_reinforcements_counterattack",
    )
    table("italy: withdraw italy army balkans")
    assert (table.trigger.kind, table.trigger.why, table.asked) == ("removed", "own", ("italy",))
    table("italy: use it_german_reinforcements_counterattack#1")
    table("italy: recruit germany army balkans")
    table.expect("piece germany army balkans", "no piece italy army balkans")
    assert (table.state.active, table.rule) == ("uk", "8.2")


def test_4_2_not_during_the_set_up_or_a_discard() -> None:
    table = Table("base")
    assert all(not table.free(role) for role in QMG.roles(table.state))
    table = Table(
        "base",
        "active ussr",
        "homes",
        "piece germany army ukraine",
        "hand ussr su_land_battle#1 su_moscow su_leningrad su_rasputitsa",
        "status ussr su_frontal_assault",
    )
    table("ussr: play su_land_battle#1", "ussr: battle ussr ukraine germany")
    assert table.free("uk")
    table("ussr: use su_frontal_assault#1")
    assert table.rule == "9.4"
    assert table.free("uk") == []


def test_4_2_a_target_withdrawn_from_its_battle() -> None:
    """18.25: this includes a protected piece. The battle has taken place whatever happens to its target."""
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "response ussr su_moscow",
        "hand germany de_land_battle#1",
        "status germany de_blitzkrieg",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    assert table.trigger.kind == "about_to_be_removed"
    table("ussr: use su_moscow#1")
    table.expect("protected ussr army moscow")
    assert (table.asked, table.trigger.kind) == (("germany",), "battle")
    table("ussr: withdraw ussr army moscow", "germany: use de_blitzkrieg#1")
    table("germany: build germany army moscow")
    table.expect("piece germany army moscow")


def test_10_6_maginot_line_in_the_turn_of_germany() -> None:
    cards = " ".join(f"uk_build_army#{number}" for number in range(1, 6))
    table = Table(
        "total-war",
        "active germany",
        "homes",
        f"hand uk uk_tw_maginot_line {cards}",
        "hand germany de_land_battle#1",
    )
    table.until("8.2", "germany")
    assert "use uk_tw_maginot_line#1" in table.free("uk")
    table("uk: use uk_tw_maginot_line#1")
    for number in range(1, 5):
        while table.rule != "9.4":
            table.default()
        table(f"uk: discard uk_build_army#{number}")
    assert (table.asked, table.rule) == (("germany",), "8.2")
    table.expect("protected france army western_europe", "hand uk 1", "top uk_tw_maginot_line#1")
    table("germany: play de_land_battle#1", "germany: battle germany western_europe france")
    table.finish_turn()
    table.expect("piece france army western_europe", "no protected france army western_europe")


def test_10_6_endless_expanses_answers_a_battle_and_lasts_the_turn() -> None:
    table = Table(
        "total-war",
        "active japan",
        "piece japan army japan mongolia vladivostok",
        "piece japan navy east_china_sea",
        "piece ussr army siberia moscow",
        "response ussr su_tw_endless_expanses",
        "hand japan jp_land_battle#1",
    )
    table.until("8.2", "japan")
    table("japan: play jp_land_battle#1", "japan: battle japan siberia ussr")
    table.until_window("about_to_be_removed", "ussr")
    assert "use su_tw_endless_expanses#1" in table.options("ussr")
    table("ussr: use su_tw_endless_expanses#1")
    assert table.free("ussr", "use") == []
    assert "PieceProtected" in table.kinds()
    table.expect("piece ussr army siberia", "top su_tw_endless_expanses#1")


def test_10_6_truk_in_the_own_turn_only() -> None:
    lines = ("homes", "piece japan navy central_pacific", "response japan jp_truk")
    table = Table("base", "active uk", *lines)
    assert table.free("japan", "use") == []
    assert table.refused("japan: use jp_truk#1") == ["10.4"]
    table = Table("base", "active japan", *lines, "hand japan jp_build_army#1")
    table.expect("no supplied japan navy central_pacific")
    table("japan: use jp_truk#1")
    table.expect("supplied japan navy central_pacific", "top jp_truk#1")
    assert any(isinstance(event, SupplyGranted) for event in table.events)
    table.finish_turn()
    table.expect("piece japan navy central_pacific", "no supplied japan navy central_pacific")


def test_10_6_truk_at_the_beginning_of_the_supply_step() -> None:
    table = Table(
        "base",
        "active japan",
        "homes",
        "piece japan navy central_pacific",
        "response japan jp_truk",
        "hand japan jp_build_army#1",
    )
    table.until("8.2", "japan")
    table("japan: drop jp_build_army#1")
    assert (table.trigger.kind, table.asked) == ("supply_step_begin", ("japan",))
    table("japan: use jp_truk#1")
    table.finish_turn()
    assert not [event for event in table.events if isinstance(event, PieceRemoved)]


def test_10_6_pact_of_steel_in_the_turn_of_an_enemy() -> None:
    table = Table("total-war", "active ussr", "homes", "hand italy it_tw_pact_of_steel")
    table.until("8.2", "ussr")
    assert "use it_tw_pact_of_steel#1" in table.free("italy")
    assert table.refused("germany: use it_tw_pact_of_steel#1") == ["9.7"]
    table("italy: use it_tw_pact_of_steel#1")
    while table.asked != ("ussr",) or table.rule != "8.2":
        table.default()
    table.expect("top it_tw_pact_of_steel#1")
