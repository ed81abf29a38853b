"""The examples of play (15) and the answers of the FAQ (16)."""

from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table, moved

# -- 15


def test_15_2_a_navy_cannot_be_built_without_a_port_7_2() -> None:
    """Without an Army on the coast of the Central Pacific no Navy may be built there."""
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


def test_15_3_layout_of_the_table_example() -> None:
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


def test_16_6_the_first_part_of_a_card_may_be_skipped() -> None:
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
    assert table.rule == "7.2"  # no recruit is possible, but the build still happens
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


def test_16_7_a_status_placed_on_the_table_is_not_played() -> None:
    """It has no CARD_PLAYED and no use. Only the deck is shuffled (A.2)."""
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


def test_16_11_the_battling_country_chooses_whose_piece_is_removed() -> None:
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
