"""Ground movement: costs, stops, areas, control, disengagement (8.41-8.43, 8.49, 6.5)."""

from collections.abc import Iterable, Mapping

import pytest

from engine.eots.commands import Disengage, March, Pick
from engine.eots.events.units import ControlChanged
from engine.eots.frames import DisengagementFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, State
from tests.engine.eots.moving import (
    DONE,
    HALT,
    Mover,
    assault,
    fly,
    march,
    moving,
    pick,
    sail,
    withdraw,
)
from tests.engine.eots.positions import Place, position

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
ARMY = "jp-army-15"


def land(
    units: Mapping[str, Place],
    *,
    japan: Iterable[str] = (),
    allied: Iterable[str] = (),
    marked: tuple[str, ...] = (),
    bridge: bool = False,
    options: Mapping[str, str] | None = None,
) -> State:
    """Return a position with ships in distant ports, so that the step stays open when no unit can march."""
    return position(
        {"jp-ca-aoba": "4017", "us-ca-us-asia": "5808", **units},
        japan=japan,
        allied=allied,
        options=options,
        no_transport_route=marked,
        kwai_bridge=bridge,
        japan_asp=7,
    )


def _march(
    units: Mapping[str, Place],
    ov: int,
    *,
    allied: Iterable[str] = (),
    marked: tuple[str, ...] = (),
    bridge: bool = False,
) -> Mover:
    state = land(units, allied=allied, marked=marked, bridge=bridge)
    return moving(state, JAPAN, [ARMY], ov=ov)(*pick(ARMY))


def test_route_costs_half() -> None:
    """EX-8-7, 8.42."""
    assert "2106" in _march({ARMY: "2008"}, 1).ends(March)


@pytest.mark.parametrize(
    ("ov", "enters"),
    [
        pytest.param(1, False, id="8.42-EX-8-7-ov-1"),
        pytest.param(2, False, id="8.42-EX-8-7-ov-2"),
        pytest.param(3, True, id="8.42-EX-8-7-ov-3"),
    ],
)
def test_enemy_denies_route_cost(ov: int, enters: bool) -> None:
    game = _march({ARMY: "2008", "cw-corps-15": "2106"}, ov)
    assert ("2106" in game.ends(March)) is enters
    if not enters:
        assert game.refusals(march("2106")) == ["8.42"]


def test_8_42_hq_denies_route_cost_and_stops() -> None:
    """OP-3: an HQ counts as a ground unit here."""
    game = _march({ARMY: "2008", "cw-hq-malaya": "2106"}, 2)
    assert "2106" not in game.ends(March)


def test_control_of_all_hexes_passed() -> None:
    """EX-8-8, 6.5: five hexes for 2.5 MP."""
    way = ["2110", "2011", "2012", "1912", "1913"]
    game = _march({ARMY: "2211"}, 3, allied=way)
    assert "1913" in game.ends(March)
    game(march("1913"), HALT)
    changed = [event for event in game.events if isinstance(event, ControlChanged)]
    assert sorted(h for event in changed for h in event.hexes) == sorted(way)
    assert all(event.side is JAPAN for event in changed)
    record = game.state.offensive
    assert record is not None
    moved = record.moved[UnitId(ARMY)]
    assert (moved.mode, moved.path, moved.entered_from) == (Mode.GROUND, tuple(way), "1912")


def test_8_42_goes_on_while_movement_is_left() -> None:
    game = _march({ARMY: "2211"}, 3)(march("2110"))
    assert HALT in game.options
    game(march("2011"), march("1913"), HALT)
    record = game.state.offensive
    assert record is not None
    assert record.moved[UnitId(ARMY)].path == ("2110", "2011", "2012", "1912", "1913")


def test_8_42_passes_enemy_ships_to_the_one_battle_of_an_oc() -> None:
    """8.11, 7.24: a stack next to ships alone may continue to enemies on land."""
    units: dict[str, Place] = {
        ARMY: "2211",
        "us-ca-northampton": "2011",
        "cw-division-1-burma": "2012",
    }
    state = position(units, allied=["2110", "2011", "2012", "1912", "1913"])
    game = moving(state, JAPAN, [ARMY], ov=3, event=False)(*pick(ARMY))
    assert {"2011", "2012"} <= set(game.ends(March))
    game(march("2011"))
    assert "2012" in game.ends(March)


def test_8_42_stops_at_enemies() -> None:
    units = {ARMY: "2211", "cw-division-1-burma": "2011"}
    game = _march(units, 3)
    ends = game.ends(March)
    assert "2011" in ends
    assert "2012" not in ends
    game(march("2011"))
    assert game.is_over


@pytest.mark.parametrize(
    "enemy",
    [
        pytest.param("us-air-avg", id="8.42-air-unit-stops"),
        pytest.param("cw-hq-malaya", id="8.42-hq-stops"),
    ],
)
def test_stops_at_any_land_based_enemy(enemy: str) -> None:
    game = _march({ARMY: "2211", enemy: "2110"}, 3)(march("2110"))
    assert not any(isinstance(event, ControlChanged) for event in game.events)


def test_8_42_enemy_ships_do_not_stop() -> None:
    units = {ARMY: "2211", "us-ca-us-asia": "2110"}
    game = _march(units, 3, allied=["2110"])
    assert {"2110", "2011"} <= set(game.ends(March))
    game(march("2011"))
    changed = [event for event in game.events if isinstance(event, ControlChanged)]
    assert "2110" in changed[0].hexes


def test_8_1_not_enough_movement() -> None:
    """8.42: there is no minimum move."""
    game = moving(land({"cw-corps-15": "2005"}), ALLIED, ["cw-corps-15"], ov=1)
    ends = game(*pick("cw-corps-15")).ends(March) if not game.is_over else []
    assert "2006" not in ends


@pytest.mark.parametrize(
    ("unit", "at", "to"),
    [
        pytest.param("jp-army-15", "2508", "2408", id="8.41A-13.71-china-interior-2408"),
        pytest.param("jp-army-15", "2508", "2507", id="8.41A-china-interior-2507"),
        pytest.param("jp-army-15", "1905", "1805", id="8.41B-13.61-continental-india"),
        pytest.param("jp-army-15", "2206", "2306", id="13.75-kunming-area"),
        pytest.param("jp-army-15", "3103", "3203", id="13.91-manchukuo"),
        pytest.param("us-corps-x", "2508", "2507", id="8.41D-allies-in-china"),
        pytest.param("china-army-5", "2108", "2109", id="8.41E-chinese-in-siam"),
        pytest.param("jp-army-15", "3701", "3801", id="8.41C-soviet-territory"),
    ],
)
def test_closed_areas(unit: str, at: str, to: str) -> None:
    side = JAPAN if unit.startswith("jp") else ALLIED
    game = moving(land({unit: at}), side, [unit, _IDLE[side]], ov=3)
    if Pick(unit=UnitId(unit)) in game.options:
        game(*pick(unit))
        assert to not in game.ends(March)
        assert "8.41" in game.refusals(march(to)) or "8.42" in game.refusals(march(to))
    else:
        assert game.refusals(Pick(unit=UnitId(unit))) == ["7.23"]


_IDLE = {JAPAN: "jp-ca-aoba", ALLIED: "us-ca-us-asia"}


@pytest.mark.parametrize(
    ("unit", "to"),
    [
        pytest.param("china-army-5", "2306", id="8.41E-chinese-to-kunming"),
        pytest.param("china-army-5", "2205", id="8.41E-chinese-to-india"),
        pytest.param("china-army-5", "2106", id="8.41E-chinese-in-burma"),
    ],
)
def test_chinese_areas(unit: str, to: str) -> None:
    game = moving(land({unit: "2206"}), ALLIED, [unit], ov=3)(*pick(unit))
    assert to in game.ends(March)


def test_13_77_no_transport_route() -> None:
    marked = _march({ARMY: "2106"}, 1, marked=("2205",))
    assert "2205" not in marked.ends(March)


@pytest.mark.parametrize(
    ("bridge", "enters"),
    [pytest.param(True, True, id="13.79-bridge"), pytest.param(False, False, id="13.79-none")],
)
def test_kwai_railway(bridge: bool, enters: bool) -> None:
    game = _march({ARMY: "2110"}, 2, bridge=bridge)
    assert ("2008" in game.ends(March)) is enters


def test_8_49_armour_enters_mountains_by_route_only() -> None:
    armour, infantry = "cw-brigade-7-armor", "cw-corps-15"
    state = land({armour: "2104", infantry: "2104"})
    walk = moving(state, ALLIED, [infantry], ov=3)(*pick(infantry))
    drive = moving(state, ALLIED, [armour], ov=3)(*pick(armour))
    together = moving(state, ALLIED, [armour, infantry], ov=3)(*pick(infantry, armour))
    assert "2004" in walk.ends(March)
    assert "2004" not in drive.ends(March)
    assert "2004" not in together.ends(March)
    railway = land({armour: "2014"}, allied=["2014"])
    assert "2013" in moving(railway, ALLIED, [armour], ov=1)(*pick(armour)).ends(March)


def test_7_24_march_into_a_second_battle() -> None:
    units = {ARMY: "2211", "jp-army-25": "2008", "cw-corps-15": "2106", "cw-corps-33": "2011"}
    state = land(units)
    oc = moving(state, JAPAN, [ARMY, "jp-army-25"], ov=3, event=False)
    oc(*pick(ARMY), march("2011"), *pick("jp-army-25"))
    assert "2106" not in oc.ends(March)
    assert oc.refusals(march("2106")) == ["7.24"]
    ec = moving(state, JAPAN, [ARMY, "jp-army-25"], ov=3, event=True)
    ec(*pick(ARMY), march("2011"), *pick("jp-army-25"))
    assert "2106" in ec.ends(March)


def test_two_battle_hexes() -> None:
    """EX-7-1: legal as an event, illegal as an operations card."""
    units = {
        "jp-army-38": "1913",
        "jp-air-flotilla-22": "2212",
        "jp-bb-kongo": "2311",
        "jp-ca-mogami": "2311",
        "cw-corps-3-ind": "2014",
        "cw-division-8-aus": "2015",
        "cw-air-ma": "2015",
        "cw-hq-malaya": "2015",
    }
    named = ["jp-army-38", "jp-air-flotilla-22", "jp-bb-kongo", "jp-ca-mogami"]
    state = land(units, allied=["2014", "2015"], japan=["2112", "1913"])
    ec = moving(state, JAPAN, named, ov=3, event=True, card="J-23")
    ec(*pick("jp-army-38"), march("2014"))
    while any(isinstance(frame, DisengagementFrame) for frame in ec.state.frames):
        ec(DONE)
    ec(*pick("jp-air-flotilla-22"), fly("2112"), HALT)
    ec(*pick("jp-bb-kongo", "jp-ca-mogami"), sail("2015"))
    oc = moving(state, JAPAN, named, ov=3, event=False)
    oc(*pick("jp-army-38"), march("2014"))
    oc(*pick("jp-bb-kongo", "jp-ca-mogami"))
    assert oc.refusals(sail("2015")) == ["7.24"]


# -- disengagement


def _entered(attacker: str, *defenders: str, units: Mapping[str, Place] | None = None) -> Mover:
    """Let an attacker march from 2110 into 2011, which some defenders hold."""
    placed = {attacker: "2110", **dict.fromkeys(defenders, "2011"), **(units or {})}
    state = land(placed, allied=["2011", "2012", "1912"])
    return moving(state, JAPAN, [attacker], ov=3)(*pick(attacker), march("2011"))


def test_stronger_defenders_may_leave() -> None:
    """EX-8-17, 8.43: 12 against 9."""
    defenders = ("cw-division-8-aus", "cw-division-1-burma")
    game = _entered("jp-army-14", *defenders)
    assert game.is_over, "18 against 12"
    reduced = _entered_reduced(*defenders)
    assert reduced.side is ALLIED
    options = {o.to for o in reduced.options if isinstance(o, Disengage)}
    assert "2110" not in options
    assert "2012" in options
    reduced(withdraw(defenders[0], "2012"), withdraw(defenders[1], "2012"))
    assert reduced.side is JAPAN
    assert reduced.state.control[HexId("2011")] is JAPAN
    assert reduced.ends(March)


def _entered_reduced(*defenders: str, units: Mapping[str, Place] | None = None) -> Mover:
    """Let a reduced army of attack 9 enter."""
    placed: dict[str, Place] = {"jp-army-14": ("2110", 1), **(units or {})}
    return _entered("jp-army-14", *defenders, units=placed)


def test_8_43_equal_strength_stays() -> None:
    """EX-8-17: equality fails."""
    game = _entered("jp-sn-1", "cw-corps-1-ind", units={"cw-corps-1-ind": ("2011", 1)})
    assert game.side is ALLIED
    equal = _entered("jp-ss-brigade", "cw-division-8-aus")
    assert equal.is_over


def test_8_43_staying_ends_the_march() -> None:
    game = _entered_reduced("cw-division-8-aus", "cw-division-1-burma")(DONE)
    assert game.is_over
    assert game.state.control[HexId("2011")] is ALLIED


def test_8_43_partial_withdrawal_still_stops() -> None:
    game = _entered_reduced("cw-division-8-aus", "cw-division-1-burma")
    game(withdraw("cw-division-8-aus", "2012"), DONE)
    assert game.is_over
    assert game.at("cw-division-1-burma") == "2011"


def test_8_43_hq_left_behind_stops() -> None:
    game = _entered_reduced("cw-corps-15", "cw-hq-malaya")
    game(withdraw("cw-corps-15", "2012"))
    assert game.is_over


@pytest.mark.parametrize(
    ("unit", "to", "rules"),
    [
        pytest.param("cw-corps-15", "2110", ["8.43", "8.43"], id="8.43-not-where-he-came-from"),
        pytest.param("cw-corps-15", "1912", ["8.43"], id="8.43-not-adjacent"),
        pytest.param("cw-corps-33", "2012", ["8.43"], id="8.43-not-there"),
    ],
)
def test_refused_withdrawals(unit: str, to: str, rules: list[str]) -> None:
    game = _entered_reduced("cw-corps-15")
    assert game.refusals(withdraw(unit, to)) == rules


def test_8_43_no_withdrawal_into_enemies() -> None:
    game = _entered_reduced("cw-corps-15", units={"jp-army-25": "2012"})
    assert withdraw("cw-corps-15", "2010") in game.options
    assert game.refusals(withdraw("cw-corps-15", "2012")) == ["8.43"]


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        pytest.param("yes", True, id="OP-14-landing"),
        pytest.param("ground-movement-only", False, id="OP-14-other-reading"),
    ],
)
def test_disengaging_from_a_landing(value: str, asked: bool) -> None:
    units = {"jp-sn-1": "2311", "us-corps-x": "2813"}
    state = land(units, allied=["2813"], japan=["2311"], options={"disengage-landing": value})
    game = moving(state, JAPAN, ["jp-sn-1"], ov=3)(*pick("jp-sn-1"), assault("2813"))
    if asked:
        assert game.side is ALLIED
        game(game.options[0])
        assert game.at("us-corps-x") != "2813"
        assert game.state.control[HexId("2813")] is ALLIED
    assert game.is_over
