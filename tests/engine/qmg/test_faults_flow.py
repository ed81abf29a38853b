"""Bugs in the course of the game, each with the play that caused it."""

from tests.engine.qmg.table import Table


def test_11_1_a_target_may_be_withdrawn_during_the_choice() -> None:
    """4.2: the USA withdraws the only Army that gave its card a target, so the card has none."""
    table = Table(
        "base",
        "active usa",
        "piece usa army hawaii",
        "hand usa us_b_26_marauder#1",
    )
    table("usa: play us_b_26_marauder#1")
    assert (table.rule, table.options("usa")) == ("11.1", ["name japan"])
    table("usa: withdraw usa army hawaii")
    assert table.rule != "11.1"
    table.expect("deck japan +0")


def test_10_4_a_declared_bolster_cannot_pay_other_costs() -> None:
    """Germany declares a Bolster, and meanwhile Italy's Pact of Steel lets Germany discard its hand."""
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "hand germany de_plunder#1 de_build_army#1 de_tw_operation_weserubung#1",
        "hand italy it_tw_pact_of_steel#1",
        "hand uk uk_tw_bletchley_park#1 uk_build_army#1",
        "discard italy it_plunder#1 it_bravado#1",
    )
    table.until("8.2", "germany")
    table("germany: drop de_plunder#1")
    table.until_window("victory_step_begin", "germany")
    table("germany: use de_tw_operation_weserubung#1")
    assert (table.trigger.kind, table.asked) == ("bolster_use_declared", ("uk",))
    table.expect("hand germany 1", "no held de_tw_operation_weserubung#1")
    table("italy: use it_tw_pact_of_steel#1")
    while table.asked != ("germany",) or table.rule != "9.4":
        table.default()
    assert table.options("germany") == ["discard de_build_army#1", "done"]
    table("germany: discard de_build_army#1")
    table.until("7.3", "germany")
    table("germany: recruit germany army scandinavia")
    table.expect("discarded de_tw_operation_weserubung#1", "piece germany army scandinavia")
