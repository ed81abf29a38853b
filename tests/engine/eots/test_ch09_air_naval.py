"""The air-naval part: modifiers, order of rolls, totals, winner (9.2A-E, 9.3)."""

import pytest

from engine.eots.ch09_battle.preview import preview_battle
from engine.eots.events.battle import (
    AirNavalDecided,
    AirNavalRolled,
    BattleBegan,
    GroundRolled,
)
from engine.eots.ids import HexId, Side
from engine.eots.state import Condition, Moved
from tests.engine.eots.battlefield import field, fight, landing, march
from tests.engine.eots.positions import Place

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
AT = HexId("2812")
FLEETS = {"us-cv-essex": "2812", "jp-ca-aoba": "2812"}
CW_AND_JAPAN = {"cw-bb-warspite": "2812", "jp-ca-aoba": "2812"}


@pytest.mark.parametrize(
    ("off", "side", "units", "condition", "turn", "rows"),
    [
        pytest.param(JAPAN, ALLIED, FLEETS, Condition.AMBUSH, 2, {"N1": 4}, id="9.2-N1-allied"),
        pytest.param(JAPAN, JAPAN, FLEETS, Condition.AMBUSH, 2, {}, id="9.2-N1-not-japan"),
        pytest.param(ALLIED, ALLIED, FLEETS, Condition.SURPRISE, 2, {"N2": 3}, id="9.2-N2-off"),
        pytest.param(JAPAN, ALLIED, FLEETS, Condition.SURPRISE, 2, {}, id="9.2-N2-not-rea"),
        pytest.param(JAPAN, ALLIED, FLEETS, Condition.INTERCEPT, 4, {}, id="9.2-N3-turn-4"),
        pytest.param(JAPAN, ALLIED, FLEETS, Condition.INTERCEPT, 5, {"N3": 1}, id="9.2-N3-turn-5"),
        pytest.param(ALLIED, ALLIED, FLEETS, Condition.INTERCEPT, 7, {"N3": 1}, id="9.2-N3-turn-7"),
        pytest.param(ALLIED, ALLIED, FLEETS, Condition.INTERCEPT, 8, {"N4": 3}, id="9.2-N4-turn-8"),
        pytest.param(ALLIED, JAPAN, FLEETS, Condition.INTERCEPT, 8, {}, id="9.2-N4-not-japan"),
        pytest.param(
            ALLIED, ALLIED, CW_AND_JAPAN, Condition.INTERCEPT, 8, {}, id="9.2-N4-needs-us-air"
        ),
        pytest.param(
            ALLIED,
            ALLIED,
            FLEETS,
            Condition.SURPRISE,
            12,
            {"N2": 3, "N4": 3},
            id="OPB-3-cumulative",
        ),
    ],
)
def test_air_naval_modifiers(
    off: Side,
    side: Side,
    units: dict[str, Place],
    condition: Condition,
    turn: int,
    rows: dict[str, int],
) -> None:
    preview = preview_battle(field(units, off, condition=condition, turn=turn), AT)
    roll = next(roll for roll in preview.air_naval if roll.side is side)
    assert {m.row: m.value for m in roll.modifiers} == rows
    assert roll.modifier == sum(rows.values())


@pytest.mark.parametrize(
    ("options", "attacks", "total"),
    [
        pytest.param({}, [5, 3], 8, id="OPB-2-per-unit"),
        pytest.param({"er-halving": "on-the-sum"}, [9, 5], 7, id="OPB-2-on-the-sum"),
    ],
)
def test_air_naval_strength_is_halved_at_extended_range(
    options: dict[str, str], attacks: list[int], total: int
) -> None:
    """9.2A-3: strengths of 9 and 5 at extended range."""
    units: dict[str, Place] = {
        "us-air-14af": "3112",
        "us-air-5af": ("3112", 1),
        "jp-army-14": "2812",
    }
    joined = dict.fromkeys(("us-air-14af", "us-air-5af"), "2812")
    roll = preview_battle(field(units, ALLIED, joined=joined, options=options), AT).air_naval[0]
    assert [s.attack for s in roll.strengths] == attacks
    assert all(s.is_extended for s in roll.strengths)
    assert roll.total == total


def test_no_air_naval_combat_without_air_naval_units() -> None:
    """9.34: as if the Offensive player had won."""
    units: dict[str, Place] = {"jp-army-14": "2812", "us-corps-sl": "2812"}
    done = fight(field(units, JAPAN, moved={"jp-army-14": landing("2812", "2811")}), 0, 0)
    assert not done.all(AirNavalRolled)
    assert not done.all(AirNavalDecided)
    assert len(done.all(GroundRolled)) == 2


def test_inactive_offensive_units_alone_cause_no_air_naval_combat() -> None:
    """9.34, OPB-34: a target without strength causes no combat."""
    units: dict[str, Place] = {"jp-army-14": "2812", "us-corps-sl": "2812", "jp-ca-aoba": "2812"}
    moved: dict[str, Moved] = {"jp-army-14": march("2812", "2912")}
    done = fight(field(units, JAPAN, idle=["jp-ca-aoba"], moved=moved), 0, 0)
    assert not done.all(AirNavalRolled)
    assert "jp-ca-aoba" in done.first(BattleBegan).units


@pytest.mark.parametrize(
    ("units", "joined", "faces", "winner", "rule"),
    [
        pytest.param(
            {"us-bb-missouri": "2812", "jp-ca-aoba": "2812"},
            {},
            (0, 0),
            ALLIED,
            "9.3",
            id="9.3-higher-total",
        ),
        pytest.param(
            {"us-bb-missouri": ("2812", 1), "us-ca-baltimore": ("2812", 1), "jp-ca-aoba": "2812"},
            {},
            (0, 0),
            JAPAN,
            "9.3",
            id="9.3-tie-is-the-reaction-players",
        ),
        pytest.param(
            {"us-ca-us-asia": ("2812", 1), "jp-ca-takao": ("2812", 1)},
            {},
            (9, 6),
            ALLIED,
            "9.31",
            id="9.31-nobody-left",
        ),
        pytest.param(
            {"us-bb-missouri": "2812", "jp-air-division-8": ("3012", 1), "jp-army-14": "2812"},
            {"jp-air-division-8": "2812"},
            (0, 0),
            JAPAN,
            "9.3-3",
            id="9.3-3-air-against-none",
        ),
    ],
)
def test_air_naval_winner(
    units: dict[str, Place], joined: dict[str, str], faces: tuple[int, ...], winner: Side, rule: str
) -> None:
    done = fight(field(units, ALLIED, joined=joined), *faces)
    decided = done.first(AirNavalDecided)
    assert (decided.winner, decided.rule) == (winner, rule)
