"""The optional rule of US escort carriers (18.0): they support landings only (7.24, 7.26)."""

from collections.abc import Mapping

import pytest

from engine.eots.ch08_movement.reaction import can_react
from engine.eots.ids import Side, UnitId
from engine.eots.state import State
from tests.engine.eots.moving import with_battles
from tests.engine.eots.positions import Place, in_offensive, position
from tests.engine.eots.table import Table, to_play

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
CVE = "us-cve-sangamon"
UNITS: Mapping[str, Place] = {
    "us-hq-central-pacific": "5808",
    CVE: "4825",
    "us-cv-essex": "4825",
    "us-corps-xi": "4825",
    "us-marine-1-division": "4825",
    "jp-army-17": "4423",
    "jp-hq-south-seas": "4017",
}


def playing(rule: str) -> State:
    return position(
        UNITS,
        japan=("4423", "4017"),
        options={"us-cve-amphibious-support": rule},
        us_rivalry=False,
        allied_asp=6,
    )


def moved_out(rule: str, *activated: str) -> Table:
    table = Table(to_play(playing(rule), ALLIED, allied="A-37 A-13"))("event A-37")
    for unit in activated:
        table(f"activate {unit}")
    return table("done")


@pytest.mark.parametrize(
    ("rule", "ends"),
    [
        pytest.param("off", ["sail 4423", "sail 4425"], id="18.0-off"),
        pytest.param("on", [], id="18.0-on-no-landing"),
    ],
)
def test_a_cve_without_a_landing_cannot_end_near_the_battle(rule: str, ends: list[str]) -> None:
    """18.0-1, 8.21-1, 8.21-2: it may end neither in the battle hex nor within range of it."""
    table = moved_out(rule, CVE)(f"pick {CVE}")
    assert table.offers("sail ")  # to other ports at least
    offered = [line for line in ("sail 4423", "sail 4425") if line in table.lines]
    assert offered == ends


def test_a_cve_in_port_cannot_join_a_battle_without_a_landing() -> None:
    """18.0-1, 7.24: other carriers may."""
    near = position(
        {**UNITS, CVE: "4424", "us-cv-essex": "4424"},
        japan=("4423", "4017"),
        options={"us-cve-amphibious-support": "on"},
        us_rivalry=False,
    )
    table = Table(to_play(near, ALLIED, allied="A-37 A-13"))("event A-37")
    table(f"activate {CVE}", "activate us-cv-essex", "done")
    table("done")
    assert table.offers("battle-with") == ["battle-with us-cv-essex 4423"]
    assert "18.0" in table.refusals("allied", f"battle-with {CVE} 4423")


def test_a_cve_supports_a_landing() -> None:
    """18.0-1: it may be in the same stack or follow the landing."""
    stack = moved_out("on", CVE, "us-marine-1-division")
    stack("pick us-marine-1-division", f"with {CVE}", "assault 4423")
    assert "4423" in stack.until("7.25").offensive.battles
    later = moved_out("on", CVE, "us-cv-essex", "us-marine-1-division")
    later("pick us-marine-1-division", "with us-cv-essex", "assault 4423")
    later(f"pick {CVE}", "sail 4425")
    assert later.lines == [f"battle-with {CVE} 4423"]


@pytest.mark.parametrize(
    ("rule", "there", "reacts"),
    [
        pytest.param("off", "4825", True, id="18.0-off-reaction"),
        pytest.param("on", "4825", False, id="18.0-2-no-cve-in-the-hex"),
        pytest.param("on", "4423", True, id="18.0-2-it-was-there"),
    ],
)
def test_a_cve_reacts_only_if_already_in_the_battle_hex(
    rule: str, there: str, reacts: bool
) -> None:
    units: dict[str, Place] = {
        "us-hq-central-pacific": "5808",
        CVE: there,
        "us-cv-essex": "4825",
        "us-corps-xi": "4423",
        "jp-air-flotilla-24": "4222",
        "jp-hq-south-seas": "4017",
    }
    state = position(units, japan=("4222", "4017"), options={"us-cve-amphibious-support": rule})
    begun = in_offensive(state, JAPAN, activated=["jp-air-flotilla-24"], step=8)
    answering = with_battles(begun, ["4423"])
    assert can_react(answering, UnitId(CVE)) is reacts
    assert can_react(answering, UnitId("us-cv-essex"))
