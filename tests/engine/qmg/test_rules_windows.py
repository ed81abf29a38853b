"""Timing: polls, alternation, passes, nesting (10, P10), Economic Warfare (11), straits and supply examples (15)."""

import pytest

from engine.qmg.events import TargetDiscards
from engine.qmg.frames import WindowFrame
from tests.engine.qmg.table import Table


def polled(table: Table, kind: str) -> list[str]:
    """Pass in the open window and return the countries asked."""
    asked = []
    while table.rule == "10.4" and table.trigger.kind == kind:
        asked.append(table.asked[0])
        table.default()
    return asked


def test_10_1_the_team_that_did_not_cause_the_event_is_asked_first() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "piece italy army ukraine",
        "response ussr su_rasputitsa",
        "response uk uk_enigma_code_cracked",
        "status germany de_bias_for_action#1",
        "hand germany de_build_army#1",
    )
    table("germany: play de_build_army#1", "germany: build germany army russia")
    assert (table.trigger.kind, table.trigger.cause) == ("built", "axis")
    assert polled(table, "built") == ["ussr", "germany"]


def test_10_1_teams_alternate_and_a_pass_is_not_final() -> None:
    """18.7: Germany passes first and still answers later, because the window stays open."""
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "response ussr su_rasputitsa su_stalingrad",
        "status germany de_bias_for_action#1 de_synthetic_fuel#1",
        "hand germany de_build_army#1",
    )
    table("germany: play de_build_army#1", "germany: build germany army russia")
    assert table.asked == ("ussr",)
    table("ussr: pass")
    assert table.options("germany") == [
        "use de_bias_for_action#1",
        "use de_synthetic_fuel#1",
        "pass",
    ]
    table("germany: use de_bias_for_action#1", "germany: done")
    assert (table.asked, table.trigger.kind) == (("ussr",), "built")
    table("ussr: pass")
    assert table.options("germany") == ["use de_synthetic_fuel#1", "pass"]  # 18.6: once per event
    assert table.refused("germany: use de_bias_for_action#1") == ["10.1"]
    table("germany: use de_synthetic_fuel#1", "germany: done")
    assert table.asked == ("ussr",)
    table("ussr: use su_rasputitsa#1", "ussr: eliminate germany army russia")
    table.expect("no piece germany army russia")


def test_10_4_the_space_remains_valid_after_its_piece_is_removed() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "response ussr su_rasputitsa",
        "status germany de_bias_for_action#1",
        "hand germany de_build_army#1",
    )
    table("germany: play de_build_army#1", "germany: build germany army russia")
    table("ussr: use su_rasputitsa#1", "ussr: eliminate germany army russia")
    while table.asked != ("germany",) or "use de_bias_for_action#1" not in table.options("germany"):
        table.default()
    table("germany: use de_bias_for_action#1")
    assert "battle germany moscow ussr" in table.options("germany")
    assert not table.options("germany", "battle germany siberia")  # no adjacent space is supplied


@pytest.mark.series("P10")
def test_p10_reactions_can_be_nested_three_deep() -> None:
    """Blitzkrieg answers the battle, Rasputitsa its build, Romanian Reinforcements the elimination."""
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "response ussr su_rasputitsa",
        "response italy it_romanian_reinforcements",
        "status germany de_blitzkrieg#1 de_dive_bombers#1",
        "hand germany de_land_battle#1",
    )
    table("germany: play de_land_battle#1", "germany: battle germany moscow ussr")
    table.until_window("battle", "germany")
    table("germany: use de_blitzkrieg#1", "germany: build germany army moscow")
    assert (table.trigger.kind, table.asked) == ("built", ("ussr",))
    table("ussr: use su_rasputitsa#1", "ussr: eliminate germany army moscow")
    assert (table.trigger.kind, table.asked) == ("removed", ("italy",))
    windows = [frame for frame in table.state.frames if isinstance(frame, WindowFrame)]
    kinds = [window.trigger.kind for window in windows]
    assert kinds == ["battle", "built", "removed"]
    table("italy: use it_romanian_reinforcements#1", "italy: recruit italy army moscow")
    while table.trigger.kind != "battle":
        table.default()
    assert table.asked == ("germany",)  # the first trigger continues
    assert table.options("germany") == ["use de_dive_bombers#1", "pass"]


def test_10_4_a_cancelled_use_is_free_and_blocked_18_9() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "status germany de_conscription#1",
        "hand uk uk_tw_keep_calm_and_carry_on uk_build_army#1",
        "hand germany de_plunder#1",
    )
    table.until("8.2", "germany")
    table("germany: use de_conscription#1")
    assert (table.trigger.kind, table.asked) == ("status_use_declared", ("uk",))
    table("uk: use uk_tw_keep_calm_and_carry_on#1")
    while table.rule != "8.2":
        table.default()
    table.expect("deck germany +0", "discards germany 0", "on-table de_conscription#1")
    assert table.asked == ("germany",)  # 18.31: the Play step is not used up
    assert table.options("germany", "use") == []
    assert "10.4" in table.refused("germany: use de_conscription#1")


def test_17_2_enigma_code_cracked_is_used_after_the_effect() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "status germany de_conscription#1",
        "response uk uk_enigma_code_cracked",
    )
    table("germany: use de_conscription#1")
    table(f"germany: {table.options('germany', 'build')[0]}")
    assert (table.trigger.kind, table.asked) == ("status_used", ("uk",))
    table("uk: use uk_enigma_code_cracked#1")
    table.expect("no on-table de_conscription#1", "top de_conscription#1", "discards germany 3")


def test_10_1_once_per_turn_resets_each_turn_18_26() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "piece germany army ukraine",
        "status germany de_bias_for_action#1",
        "hand germany de_guns_and_butter#1 de_build_army#1",
    )
    table("germany: play de_build_army#1", "germany: build germany army russia")
    table("germany: use de_bias_for_action#1")
    assert f"de_bias_for_action#1:{0}" in table.state.turn.used
    table.finish_turn()
    assert table.state.turn.used == ()


# -- 11


SHIPPING = "de_submarines_prey_on_unprotected_shipping#1"


def blockade(*lines: str) -> Table:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "hand germany de_submarines_prey_on_unprotected_shipping#1",
        *lines,
    )
    table.until("8.2", "germany")
    table("germany: play de_submarines_prey_on_unprotected_shipping#1")
    return table


def test_11_3_wolf_packs_with_unprotected_shipping() -> None:
    table = blockade("status germany de_wolf_packs", "piece germany army scandinavia")
    assert table.trigger.kind == "ew_played"
    table("germany: use de_wolf_packs#1")
    while "TargetDiscards" not in table.kinds():
        table.default()
    assert TargetDiscards(country="uk", amount=8, card=SHIPPING) in table.events
    table.expect("discards uk 8", "deck uk -8")


def test_11_2_a_reduction_lowers_the_discards_but_not_the_points() -> None:
    table = Table(
        "base",
        "active usa",
        "homes",
        "piece usa army western_europe",
        "status usa us_flying_fortresses",
        "status germany de_jet_fighters",
        "hand usa us_b_26_marauder#1",
    )
    table("usa: play us_b_26_marauder#1")
    if table.rule == "11.1":
        table("usa: name germany")
    table("usa: use us_flying_fortresses#1")
    assert (table.trigger.kind, table.asked) == ("ew_targeted", ("germany",))
    table("germany: use de_jet_fighters#1")
    table.expect("discards germany 3")


def test_18_10_a_boost_does_not_apply_to_zero() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "status germany de_wolf_packs",
        "hand germany de_submarines_enforce_blockade#1",
    )
    table("germany: play de_submarines_enforce_blockade#1")
    while table.rule == "10.4":
        used = table.options("germany", "use") if table.asked == ("germany",) else []
        table(f"germany: {used[0]}") if used else table.default()
    table.expect("discards uk 0")


def test_17_3_asw_tactics_ignores_the_whole_text() -> None:
    table = Table(
        "base",
        "active germany",
        "homes",
        "response uk uk_asw_tactics",
        "hand germany de_submarines_prey_on_unprotected_shipping#1",
    )
    table("germany: play de_submarines_prey_on_unprotected_shipping#1")
    assert (table.trigger.kind, table.asked) == ("ew_played", ("uk",))
    table("uk: use uk_asw_tactics#1")
    table.expect("discards uk 1", "top uk_asw_tactics#1", "deck uk +0")
    table.expect("top de_submarines_prey_on_unprotected_shipping#1", "vp axis 2")  # only 12.1


# -- 15


def test_15_1_gibraltar_is_open_only_to_the_axis() -> None:
    lines = (
        "homes",
        "piece germany army north_africa",
        "piece germany navy mediterranean",
        "piece italy navy mediterranean",
        "piece uk navy north_sea",
        "hand uk uk_sea_battle#1",
        "hand italy it_sea_battle#1",
    )
    table = Table("base", "active uk", *lines)
    table("uk: play uk_sea_battle#1")
    assert not table.options("uk", "battle uk mediterranean")
    table = Table("base", "active italy", *lines)
    table("italy: play it_sea_battle#1")
    assert "battle italy north_sea uk" in table.options("italy")


def test_15_2_building_a_navy_requires_a_port() -> None:
    lines = (
        "active usa",
        "homes",
        "piece usa navy east_pacific",
        "piece usa army western_us",
        "piece uk army australia",
        "piece uk navy south_china_sea",
        "hand usa us_build_navy#1",
    )
    for more, possible in (
        ((), False),
        (("piece usa army hawaii",), True),
        (("piece uk army new_guinea",), True),
        (("piece uk army philippines",), True),
    ):
        table = Table("base", *lines, *more)
        table("usa: play us_build_navy#1")
        assert ("build usa navy central_pacific" in table.options("usa")) == possible
