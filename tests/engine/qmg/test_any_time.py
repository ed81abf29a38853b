"""Removal of a country's own pieces, and cards for any time, in every country's turn (4.2, 10.6, 13.4)."""

from engine.qmg.events import PieceRemoved
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table


def test_4_2_the_uk_controls_france_and_the_usa_controls_china() -> None:
    table = Table("total-war", "active germany", "homes")
    assert "withdraw france army western_europe" in table.free("uk")
    assert "withdraw china army china" in table.free("usa")
    assert "withdraw france army western_europe" not in table.free("usa")
    table("uk: withdraw france army western_europe", "usa: withdraw china army china")
    assert table.spaces("france", "army") == table.spaces("china", "army") == set()


def test_4_2_an_air_force_left_alone_is_repositioned_by_13_4() -> None:
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


def test_18_8_removing_own_pieces_triggers_cards_on_removals() -> None:
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


def test_4_2_no_removal_during_set_up_or_a_discard() -> None:
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


def test_4_2_a_battle_counts_even_if_its_target_is_withdrawn() -> None:
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


def test_10_6_truk_can_be_used_at_the_beginning_of_the_supply_step() -> None:
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
