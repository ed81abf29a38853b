"""The ground part: modifiers, strengths, rolls (9.4A, 9.4-M)."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.eots.ch06_supply.supply import supply
from engine.eots.ch09_battle.preview import preview_battle
from engine.eots.events.battle import IntrinsicLost
from engine.eots.frames import BattleFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import BattleHex, Moved
from tests.engine.eots.battlefield import field, fight, landing, march
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
OPEN, JUNGLE, MIXED, MOUNTAIN, ATOLL = "2812", "3520", "2813", "3823", "4415"
DEFENDER = "us-corps-sl"


def rows(
    units: dict[str, Place],
    off: Side,
    side: Side,
    at: str = OPEN,
    **more: Any,  # noqa: ANN401  # fields of a battlefield
) -> dict[str, int]:
    """Return the ground modifiers of a side by row in the current position."""
    fields: dict[str, Any] = {"allied": [at], **more}
    preview = preview_battle(field(units, off, at, **fields), HexId(at))
    roll = next(roll for roll in preview.ground if roll.side is side)
    return {m.row: m.value for m in roll.modifiers}


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        pytest.param(OPEN, {}, id="9.4-O6-open"),
        pytest.param(ATOLL, {}, id="9.4-O6-atoll"),
        pytest.param(JUNGLE, {"O3": -1}, id="9.4-O3-jungle"),
        pytest.param(MIXED, {"O4": -2}, id="9.4-O4-mixed-city"),
        pytest.param(MOUNTAIN, {"O5": -3}, id="9.4-O5-mountain"),
    ],
)
def test_terrain_modifies_only_the_offensive_side(at: str, expected: dict[str, int]) -> None:
    units: dict[str, Place] = {"jp-army-14": at, DEFENDER: at}
    assert rows(units, JAPAN, JAPAN, at) == expected
    assert rows(units, JAPAN, ALLIED, at) == {}


@pytest.mark.parametrize(
    ("units", "more", "expected"),
    [
        pytest.param({"jp-ca-aoba": OPEN}, {}, {"O1": 2}, id="9.4-O1-sole-ships"),
        pytest.param(
            {"jp-ca-aoba": OPEN, "us-dd-us-asia": OPEN}, {}, {}, id="9.4-O1-ships-of-both"
        ),
        pytest.param({"jp-cv-akagi": OPEN}, {}, {"O1": 2, "O2": 2}, id="9.4-O2-lone-carrier"),
        pytest.param(
            {"jp-air-division-1": "3012"},
            {"joined": {"jp-air-division-1": OPEN}},
            {"O2": 2},
            id="9.4-O2-from-outside",
        ),
        pytest.param({"jp-air-division-1": "3012"}, {}, {}, id="9.4-O2-not-in-this-battle"),
        pytest.param(
            {"jp-air-division-1": OPEN, "us-air-5af": OPEN}, {}, {}, id="9.4-O2-reaction-air-left"
        ),
        pytest.param(
            {"jp-air-division-1": OPEN}, {"idle": ["jp-air-division-1"]}, {}, id="9.4-O2-inactive"
        ),
    ],
)
def test_support_modifiers(
    units: dict[str, Place], more: dict[str, Any], expected: dict[str, int]
) -> None:
    forces: dict[str, Place] = {"jp-army-14": OPEN, DEFENDER: OPEN, **units}
    assert rows(forces, JAPAN, JAPAN, **more) == expected


@pytest.mark.parametrize(
    ("units", "more", "expected"),
    [
        pytest.param(
            {"jp-army-14": landing(OPEN, "2811")}, {"contested": True}, {"R1": 3}, id="9.4-R1"
        ),
        pytest.param({"jp-army-14": landing(OPEN, "2811")}, {}, {}, id="9.4-R1-vacant-before"),
        pytest.param(
            {"jp-army-14": march(OPEN, "2912")}, {"contested": True}, {}, id="OPB-7-overland"
        ),
    ],
)
def test_contested_landing_modifiers(
    units: dict[str, Moved], more: dict[str, Any], expected: dict[str, int]
) -> None:
    forces: dict[str, Place] = {"jp-army-14": OPEN, DEFENDER: OPEN}
    assert rows(forces, JAPAN, ALLIED, moved=units, **more) == expected
    assert rows(forces, JAPAN, JAPAN, moved=units, **more) == {}


def test_a_landing_in_reaction_is_not_contested() -> None:
    """9.13-3: no +3 and no halving for units that land in reaction."""
    moved = {"us-corps-i": landing(OPEN, "3013"), "jp-army-14": march(OPEN, "2912")}
    forces: dict[str, Place] = {"jp-army-14": OPEN, "us-corps-i": OPEN}
    assert rows(forces, JAPAN, ALLIED, moved=moved) == {}
    assert rows(forces, JAPAN, JAPAN, moved=moved) == {}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({}, {"R1": 3}, id="OPB-7-counts"),
        pytest.param({"intrinsic-plus-three": "does-not"}, {}, id="OPB-7-does-not"),
    ],
)
def test_intrinsic_units_contest_landings(
    options: dict[str, str], expected: dict[str, int]
) -> None:
    forces: dict[str, Place] = {"us-corps-i": "2709"}
    moved = {"us-corps-i": landing("2709", "2810")}
    more: dict[str, Any] = {"moved": moved, "options": options, "allied": (), "japan": ["2709"]}
    assert rows(forces, ALLIED, JAPAN, "2709", **more) == expected


@pytest.mark.parametrize(
    "off", [pytest.param(ALLIED, id="B1-off"), pytest.param(JAPAN, id="B1-rea")]
)
def test_seventh_armoured_brigade_modifies_only_its_own_side(off: Side) -> None:
    forces: dict[str, Place] = {"cw-brigade-7-armor": OPEN, "jp-army-14": OPEN}
    assert rows(forces, off, ALLIED)["B1"] == 1
    assert "B1" not in rows(forces, off, JAPAN)


@pytest.mark.parametrize(
    ("divisions", "total"),
    [
        pytest.param(0, 9, id="13.76-one"),
        pytest.param(5, 18, id="13.76-two"),
        pytest.param(12, 27, id="13.76-three"),
    ],
)
def test_intrinsic_units_have_strength_nine_each(divisions: int, total: int) -> None:
    state = field(
        {"us-corps-i": "2709"}, ALLIED, "2709", japan=["2709"], divisions_in_china=divisions
    )
    preview = preview_battle(state, HexId("2709"))
    assert preview.ground[1].total == total
    assert preview.intrinsic * 9 == total


def test_coastal_guns_prevent_shore_bombardment_at_manila_and_singapore() -> None:
    """J-2: no shore bombardment at Manila and Singapore (17.11)."""
    forces: dict[str, Place] = {"jp-ca-aoba": "2813", "jp-army-14": "2813", DEFENDER: "2813"}
    assert "O1" in rows(forces, JAPAN, JAPAN, "2813")
    assert "O1" not in rows(forces, JAPAN, JAPAN, "2813", card="J-2", event=True)
    there: dict[str, Place] = {"jp-ca-aoba": "2913", "jp-army-14": "2913", DEFENDER: "2913"}
    assert "O1" in rows(there, JAPAN, JAPAN, "2913", card="J-2", event=True)


def test_modifier_row_order_with_default_battle_hex() -> None:
    """The preview works before it is known whether a landing is contested."""
    state = field({"jp-army-14": OPEN, DEFENDER: OPEN}, JAPAN, battles={OPEN: BattleHex()})
    preview = preview_battle(state, HexId(OPEN))
    assert [roll.side for roll in preview.ground] == [JAPAN, ALLIED]
    assert preview.ground[0].hits == (9, 9, 9, 18, 18, 18, 18, 27, 27, 36)
    assert preview.air_naval == ()


def test_supply_does_not_affect_ground_strength() -> None:
    """9.14: an army behind enemy lines fights at full strength."""
    state = field({"jp-army-14": ATOLL, "us-corps-i": ATOLL}, ALLIED, ATOLL, japan=[ATOLL])
    assert not supply(state).is_supplied(UnitId("jp-army-14"))
    theirs = preview_battle(state, HexId(ATOLL)).ground[1]
    assert [(s.unit, s.attack) for s in theirs.strengths] == [("jp-army-14", 18)]


def test_intrinsic_units_return_for_the_next_battle() -> None:
    """OPB-30: if the hex did not change hands, eliminated intrinsic units return."""
    units: dict[str, Place] = {"us-corps-i": "2709"}
    moved = {"us-corps-i": march("2709", "2708")}
    state = field(units, ALLIED, "2709", japan=["2709"], moved=moved, divisions_in_china=12)
    done = fight(state, 5, 0)
    assert len(done.all(IntrinsicLost)) == 1
    assert preview_battle(done.state, HexId("2709")).intrinsic == 3


def test_preview_of_a_battle_in_progress_uses_its_frame() -> None:
    """The frame on the stack counts: two of three intrinsic units are lost, and the landing is excluded."""
    units: dict[str, Place] = {"us-corps-i": "2709", "us-corps-x": "2709"}
    moved = {"us-corps-i": march("2709", "2708"), "us-corps-x": landing("2709", "2810")}
    state = field(units, ALLIED, "2709", japan=["2709"], moved=moved, divisions_in_china=12)
    frame = BattleFrame(
        hex=HexId("2709"),
        begun=True,
        participants=(UnitId("us-corps-i"), UnitId("us-corps-x")),
        excluded=(UnitId("us-corps-x"),),
        intrinsic=1,
    )
    preview = preview_battle(replace(state, frames=(*state.frames, frame)), HexId("2709"))
    assert [roll.total for roll in preview.ground] == [22, 9]
