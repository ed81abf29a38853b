"""Ground movement: costs, stops, areas, control, disengagement (8.41-8.43, 8.49, 6.5)."""

from collections.abc import Iterable, Mapping

import pytest

from engine.eots.commands import March
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from tests.engine.eots.moving import (
    Mover,
    assault,
    march,
    moving,
    pick,
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


@pytest.mark.parametrize(
    ("ov", "enters"),
    [
        pytest.param(1, False, id="8.42-EX-8-7-ov-1"),
        pytest.param(2, False, id="8.42-EX-8-7-ov-2"),
        pytest.param(3, True, id="8.42-EX-8-7-ov-3"),
    ],
)
def test_enemy_units_deny_the_reduced_route_cost(ov: int, enters: bool) -> None:
    game = _march({ARMY: "2008", "cw-corps-15": "2106"}, ov)
    assert ("2106" in game.ends(March)) is enters
    if not enters:
        assert game.refusals(march("2106")) == ["8.42"]


@pytest.mark.parametrize(
    ("bridge", "enters"),
    [pytest.param(True, True, id="13.79-bridge"), pytest.param(False, False, id="13.79-none")],
)
def test_march_along_the_kwai_railway_requires_the_bridge(bridge: bool, enters: bool) -> None:
    game = _march({ARMY: "2110"}, 2, bridge=bridge)
    assert ("2008" in game.ends(March)) is enters


def test_7_24_a_march_into_a_second_battle_requires_an_event() -> None:
    units = {ARMY: "2211", "jp-army-25": "2008", "cw-corps-15": "2106", "cw-corps-33": "2011"}
    state = land(units)
    oc = moving(state, JAPAN, [ARMY, "jp-army-25"], ov=3, event=False)
    oc(*pick(ARMY), march("2011"), *pick("jp-army-25"))
    assert "2106" not in oc.ends(March)
    assert oc.refusals(march("2106")) == ["7.24"]
    ec = moving(state, JAPAN, [ARMY, "jp-army-25"], ov=3, event=True)
    ec(*pick(ARMY), march("2011"), *pick("jp-army-25"))
    assert "2106" in ec.ends(March)


# -- disengagement


def _entered(attacker: str, *defenders: str, units: Mapping[str, Place] | None = None) -> Mover:
    """Let an attacker march from 2110 into 2011, which some defenders hold."""
    placed = {attacker: "2110", **dict.fromkeys(defenders, "2011"), **(units or {})}
    state = land(placed, allied=["2011", "2012", "1912"])
    return moving(state, JAPAN, [attacker], ov=3)(*pick(attacker), march("2011"))


def _entered_reduced(*defenders: str, units: Mapping[str, Place] | None = None) -> Mover:
    """Let a reduced army of attack 9 enter."""
    placed: dict[str, Place] = {"jp-army-14": ("2110", 1), **(units or {})}
    return _entered("jp-army-14", *defenders, units=placed)


@pytest.mark.parametrize(
    ("unit", "to", "rules"),
    [
        pytest.param("cw-corps-15", "2110", ["8.43", "8.43"], id="8.43-not-where-he-came-from"),
        pytest.param("cw-corps-15", "1912", ["8.43"], id="8.43-not-adjacent"),
        pytest.param("cw-corps-33", "2012", ["8.43"], id="8.43-not-there"),
    ],
)
def test_illegal_withdrawals_are_refused(unit: str, to: str, rules: list[str]) -> None:
    game = _entered_reduced("cw-corps-15")
    assert game.refusals(withdraw(unit, to)) == rules


@pytest.mark.parametrize(
    ("value", "asked"),
    [
        pytest.param("yes", True, id="OP-14-landing"),
        pytest.param("ground-movement-only", False, id="OP-14-other-reading"),
    ],
)
def test_disengaging_from_a_landing_follows_the_ruling(value: str, asked: bool) -> None:
    units = {"jp-sn-1": "2311", "us-corps-x": "2813"}
    state = land(units, allied=["2813"], japan=["2311"], options={"disengage-landing": value})
    game = moving(state, JAPAN, ["jp-sn-1"], ov=3)(*pick("jp-sn-1"), assault("2813"))
    if asked:
        assert game.side is ALLIED
        game(game.options[0])
        assert game.at("us-corps-x") != "2813"
        assert game.state.control[HexId("2813")] is ALLIED
    assert game.is_over
