"""Activation, and HQs that leave and return (6.12-6.15, 6.3, 7.26, 13.74)."""

import pytest
from msgspec.structs import replace

from engine.eots.board import UNPLAYABLE, board
from engine.eots.ch06_supply.activation import (
    check_activation,
    check_return,
    check_withdraw,
    hqs_to_reposition,
    return_ports,
)
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch07_offensive.conclusion import reposition_hqs
from engine.eots.evolve import evolve
from engine.eots.flow import EotsRun
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.state import REMOVED, TURN_TRACK, BattleHex, State
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Rule
from tests.engine.eots.positions import in_offensive, position, start_of, state_1943, with_units
from tests.engine.eots.reached import path_hexes

BURMA = board().areas[AreaId("burma")].hexes
MALAYA = {
    "cw-hq-malaya": "2015",
    "us-air-avg": "2014",
    "cw-corps-3-ind": "2014",
    "us-ca-us-asia": "2015",
    "dutch-air": "2019",
}
ANZAC = {
    "us-hq-central-pacific": "5808",
    "joint-hq-anzac": "4828",
    "us-corps-x": "4828",
    "cw-corps-1-aus": "4828",
    "us-air-avg": "4828",
    "cw-corps-3-ind": "4828",
    "us-ca-us-asia": "4828",
    "dutch-air": "4828",
    "china-army-5": "4828",
}


def rules(state: State, hq: str, unit: str, *, reaction: bool = False) -> list[str]:
    return [refusal.rule for refusal in check_activation(state, UnitId(hq), UnitId(unit), reaction)]


@pytest.mark.parametrize(
    ("units", "hq", "unit", "may"),
    [
        pytest.param(MALAYA, "cw-hq-malaya", "us-air-avg", True, id="EX-6-2-malaya-us-air"),
        pytest.param(MALAYA, "cw-hq-malaya", "cw-corps-3-ind", True, id="EX-6-2-malaya-indian"),
        pytest.param(MALAYA, "cw-hq-malaya", "us-ca-us-asia", False, id="EX-6-2-malaya-us-ship"),
        pytest.param(MALAYA, "cw-hq-malaya", "dutch-air", False, id="EX-6-2-malaya-dutch"),
        pytest.param(ANZAC, "us-hq-central-pacific", "us-corps-x", True, id="EX-6-2-c-pac-us"),
        pytest.param(
            ANZAC, "us-hq-central-pacific", "china-army-5", True, id="EX-6-2-c-pac-chinese"
        ),
        pytest.param(
            ANZAC, "us-hq-central-pacific", "cw-corps-1-aus", False, id="EX-6-2-c-pac-australian"
        ),
        *(
            pytest.param(ANZAC, "joint-hq-anzac", unit, True, id=f"EX-6-2-anzac-{unit}")
            for unit in ANZAC
            if "hq" not in unit
        ),
        pytest.param(
            ANZAC, "joint-hq-anzac", "us-hq-central-pacific", False, id="6.12-no-hq-is-activated"
        ),
    ],
)
def test_6_12_classes(units: dict[str, str], hq: str, unit: str, may: bool) -> None:
    assert ("6.12" not in rules(position(units), hq, unit)) is may


def test_6_21_a_unit_must_be_in_supply() -> None:
    cut = position(
        {"us-hq-south-pacific-halsey": "4828", "us-corps-i": "3621"},
        japan=["3520", "3720", "3822", "3823", "4024"],
    )
    assert rules(cut, "us-hq-south-pacific-halsey", "us-corps-i") == ["6.21", "6.3"]


def test_6_3_off_the_map() -> None:
    assert rules(state_1943(), "us-hq-central-pacific", "us-cv-essex") == ["6.3"]


# -- the path (6.3, OP-24)


def path(state: State, hq: str, *, reaction: bool = False) -> set[str]:
    return {board().ids[i] for i in path_hexes(state, UnitId(hq), reaction=reaction)}


def test_6_3_length_is_counted_along_the_path() -> None:
    state = position({"us-hq-south-pacific-ghormley": "4828"})
    found = path(state, "us-hq-south-pacific-ghormley")
    assert found == {h for h in board().ids if board().distance(HexId("4828"), h) <= 7}


def test_op_24_a_detour_counts() -> None:
    """A carrier lengthens the straight path; the hexes behind it are reached later or not at all."""
    state = position({"us-hq-south-pacific-ghormley": "4828", "jp-cv-junyo": "4823"})
    state = in_offensive(state, Side.JAPAN, activated=["jp-cv-junyo"])
    found = path(state, "us-hq-south-pacific-ghormley")
    assert board().distance(HexId("4828"), HexId("4821")) == 7
    assert "4821" not in found
    assert "4824" not in found, "inside the zone"
    assert "4826" in found


def test_6_3_paths_cross_unplayable_hexsides_and_need_no_port() -> None:
    """From near Calcutta over the Kra: 1910-2011 is closed to everything except paths."""
    sides = dict(board().neighbours[board().index[HexId("1910")]])
    assert sides[board().index[HexId("2011")]] == UNPLAYABLE
    state = position({"jp-hq-south": "2110"})
    assert "1910" in path(state, "jp-hq-south")
    beach = position({"joint-hq-anzac": "4024"}, japan=["3822", "3823", "3720"])
    assert "3621" in path(beach, "joint-hq-anzac"), "sea to land on a beach"


@pytest.mark.parametrize(
    ("blocker", "open_"),
    [
        pytest.param({"jp-army-33": "2106"}, False, id="6.3-ground"),
        pytest.param({"jp-air-division-5": "2106"}, False, id="6.3-air"),
        pytest.param({"jp-hq-south-seas": "2106"}, False, id="OP-3-hq"),
        pytest.param({"jp-army-33": "2106", "cw-corps-15": "2106"}, True, id="6.3-not-alone"),
        pytest.param({}, True, id="6.3-nobody"),
    ],
)
def test_6_3_a_hex_of_the_enemy_alone_is_closed_over_land(
    blocker: dict[str, str], open_: bool
) -> None:
    state = position({"cw-hq-seac": "2008", **blocker}, allied=BURMA)
    assert ("2106" in path(state, "cw-hq-seac")) is open_


def test_7_26_reaction_paths_run_through_battle_hexes() -> None:
    state = position({"cw-hq-seac": "2008", "jp-army-33": "2106"}, allied=BURMA)
    state = in_offensive(state, Side.JAPAN, activated=["jp-army-33"])
    assert "2106" not in path(state, "cw-hq-seac", reaction=True)
    assert state.offensive is not None
    battles = {HexId("2106"): BattleHex()}
    declared = replace(state, offensive=replace(state.offensive, battles=battles))
    assert "2106" in path(declared, "cw-hq-seac", reaction=True)
    assert "2106" not in path(declared, "cw-hq-seac", reaction=False)


def test_op_6_the_tokyo_express_does_not_replace_the_path() -> None:
    units = {"jp-hq-combined-fleet-yamamoto": "3407", "jp-army-17": "4423", "us-cv-essex": "4424"}
    state = position(units, japan=["4423"], tokyo_express=HexId("4423"))
    assert supply(state).is_supplied(UnitId("jp-army-17"))
    assert rules(state, "jp-hq-combined-fleet-yamamoto", "jp-army-17") == ["6.3"]


# -- the China box (13.74-3)


@pytest.mark.parametrize(
    ("state", "broken"),
    [
        pytest.param(
            position({"cw-hq-seac": "2008", "us-air-14af": "china-box"}, allied=BURMA),
            [],
            id="13.74-3-by-kunming",
        ),
        pytest.param(
            position({"cw-hq-seac": "1805", "us-air-14af": "china-box"}, japan=["2008"], hump=True),
            [],
            id="13.74-3-by-the-hump",
        ),
        pytest.param(
            position(
                {"cw-hq-seac": "1805", "us-air-14af": "china-box"}, japan=["2008"], hump=False
            ),
            ["6.21"],
            id="13.74-3-out-of-supply",
        ),
        pytest.param(
            position({"us-hq-southwest-pacific": "3727", "us-air-14af": "china-box"}, allied=BURMA),
            ["6.3"],
            id="13.74-3-too-far",
        ),
    ],
)
def test_13_74_activation_in_the_box(state: State, broken: list[str]) -> None:
    hq = next(unit for unit, piece in state.units.items() if "-hq-" in unit and piece.is_on_map)
    assert rules(state, hq, "us-air-14af") == broken


# -- HQs that leave and return (6.13-6.15)


@pytest.mark.parametrize(
    ("side", "hq", "broken"),
    [
        pytest.param(Side.ALLIED, "joint-hq-anzac", [], id="6.13-own-hq"),
        pytest.param(Side.JAPAN, "joint-hq-anzac", ["6.13"], id="6.13-enemy-hq"),
        pytest.param(Side.ALLIED, "cw-hq-malaya", ["6.13"], id="6.13-not-on-the-map"),
        pytest.param(Side.ALLIED, "us-corps-x", ["6.13"], id="6.13-no-hq"),
        pytest.param(Side.ALLIED, "nobody", ["6.13"], id="6.13-unknown"),
    ],
)
def test_6_13_withdrawal(side: Side, hq: str, broken: list[str]) -> None:
    assert [r.rule for r in check_withdraw(state_1943(), side, UnitId(hq))] == broken


def test_ex_6_3_hqs_in_enemy_hexes_leave() -> None:
    state = position(
        {"cw-hq-malaya": "2015", "us-hq-southwest-pacific": "2813"}, japan=["2015", "2813"]
    )
    assert hqs_to_reposition(state) == ("cw-hq-malaya", "us-hq-southwest-pacific")
    assert hqs_to_reposition(state_1943()) == ()
    ledger = EotsRun(state, evolve, ScriptedDice())
    reposition_hqs(ledger, Rule("6.14"))
    assert ledger.state.units[UnitId("cw-hq-malaya")].at == REMOVED
    assert ledger.state.units[UnitId("us-hq-southwest-pacific")].at == TURN_TRACK
    assert ledger.state.arrivals[UnitId("us-hq-southwest-pacific")].turn == state.turn + 1


def waiting(hq: str = "us-hq-southwest-pacific", **units: str) -> State:
    return with_units(
        position({u.replace("_", "-"): at for u, at in units.items()}), {hq: ("turn-track", 0)}
    )


@pytest.mark.parametrize(
    ("state", "hq", "at", "broken"),
    [
        pytest.param(waiting(), "us-hq-southwest-pacific", "3727", [], id="6.15-townsville"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "5808", [], id="6.15-oahu"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "1805", [], id="6.15-calcutta"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "4828", ["6.15"], id="6.15-noumea"),
        pytest.param(waiting(), "us-hq-southwest-pacific", "3226", ["6.15"], id="6.15-airfield"),
        pytest.param(
            waiting(joint_hq_anzac="3727"),
            "us-hq-southwest-pacific",
            "3727",
            ["6.11"],
            id="6.11-occupied",
        ),
        pytest.param(waiting("jp-hq-south"), "jp-hq-south", "3407", [], id="6.15-kure"),
        pytest.param(waiting("jp-hq-south"), "jp-hq-south", "4017", ["6.15"], id="6.15-truk"),
        pytest.param(state_1943(), "joint-hq-anzac", "3727", ["6.15"], id="6.15-on-the-map"),
        pytest.param(state_1943(), "us-corps-x", "3727", ["6.15"], id="6.15-no-hq"),
    ],
)
def test_6_15_early_return(state: State, hq: str, at: str, broken: list[str]) -> None:
    assert [r.rule for r in check_return(state, UnitId(hq), at)] == broken


def test_6_15_the_hq_must_be_in_supply_there() -> None:
    lost = ["3307", "3407", "3506", "3507", "3607", "3705", "3706"]
    state = with_units(position({}, allied=lost), {"jp-hq-south": ("turn-track", 0)})
    assert return_ports(state, UnitId("jp-hq-south")) == ("3704",)
    cut = in_offensive(
        with_units(state, {"us-cv-essex": "3704", "us-corps-x": "3703"}),
        Side.ALLIED,
        activated=["us-cv-essex"],
    )
    assert return_ports(cut, UnitId("jp-hq-south")) == ("3704",), "a city is its own source"


def test_6_15_reinforcements_still_to_come_do_not_come_back() -> None:
    state = start_of("campaign-1941")
    assert state.units[UnitId("cw-hq-seac")].at == "turn-track"
    assert [r.rule for r in check_return(state, UnitId("cw-hq-seac"), "1805")] == ["6.15"]


def test_6_15_ports_in_order() -> None:
    ports = return_ports(waiting(), UnitId("us-hq-southwest-pacific"))
    assert ports == tuple(sorted(ports))
    assert {"1307", "1406", "1805", "2426", "3023", "3626", "3727", "5808"} <= set(ports)
