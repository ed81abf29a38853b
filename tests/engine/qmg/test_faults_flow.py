"""Faults of the course of the game, each with the play that brought it about."""

from tests.engine.qmg.table import Table


def test_11_1_a_target_that_vanishes_while_the_choice_is_open() -> None:
    """4.2: the USA withdraws the only Army from which its card could reach anybody; the card has no target then."""
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
    table.expect("deck japan 34")
