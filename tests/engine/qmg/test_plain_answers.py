"""Questions that a client may answer without its player, because the answer makes no difference (8.3, 10.4, 13.3)."""

from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from tests.engine.qmg.table import Table, air_step


def by_itself(table: Table, country: str) -> str:
    """Return the line that needs no player; empty if the player must be asked."""
    command = QMG.decision(table.state, Role(country)).automatic_answer
    return "" if command is None else QMG.notation.line(command)


def play_step_window(*hand: str) -> Table:
    cards = " ".join(("de_build_army", "de_land_battle", "de_plunder", *hand))
    table = Table("total-war", "active germany", "homes", f"hand germany {cards}")
    table.until_window("play_step_begin", "germany")
    return table


def test_8_3_reallocation_alone_waits_for_the_play_step() -> None:
    table = play_step_window()
    assert table.options("germany") == ["reallocate", "pass"]
    assert by_itself(table, "germany") == "pass"
    table("germany: pass")
    table.until("8.2", "germany")
    assert "reallocate" in table.options("germany")


def test_18_19_reallocation_beside_a_usable_card_requires_the_player() -> None:
    table = play_step_window("de_tw_cloud_cover")
    assert table.options("germany") == ["use de_tw_cloud_cover#1", "reallocate", "pass"]
    assert by_itself(table, "germany") == ""


def test_13_3_an_air_step_without_options_is_skipped() -> None:
    hand = "hand germany de_plunder de_build_army"
    table = air_step("piece germany army ukraine", hand)
    assert (table.options("germany"), by_itself(table, "germany")) == (["done"], "done")
    table = air_step("piece germany army ukraine", f"{hand} de_tw_air_power", drop="de_plunder#1")
    assert table.options("germany", "deploy")
    assert by_itself(table, "germany") == ""


def rasputitsa(build: str) -> Table:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "hand germany de_build_army de_plunder",
        "response ussr su_rasputitsa",
    )
    table("germany: play de_build_army#1", f"germany: build germany army {build}")
    return table


def test_10_4_a_use_with_one_choice_is_resolved_automatically() -> None:
    table = rasputitsa("russia")
    assert by_itself(table, "ussr") == ""
    table("ussr: use su_rasputitsa#1")
    assert table.options("ussr") == ["eliminate germany army russia", "done"]
    assert by_itself(table, "ussr") == "eliminate germany army russia"


def test_10_4_a_use_with_several_choices_or_steps_requires_the_player() -> None:
    table = Table(
        "base",
        "active ussr",
        "homes",
        "response ussr su_defense_of_the_motherland",
        "hand ussr su_build_army su_mao_tse_tung",
    )
    table("ussr: use su_defense_of_the_motherland#1")
    assert len(table.options("ussr", "recruit")) > 1
    assert by_itself(table, "ussr") == ""


def test_8_2_effects_of_a_played_card_always_require_the_player() -> None:
    table = Table("base", "active germany", "homes", "hand germany de_build_navy de_plunder")
    table("germany: play de_build_navy#1")
    assert by_itself(table, "germany") == ""
