"""China: offensives, the front, the collapse (13.71-13.74)."""

import pytest

from engine.eots.board import board
from engine.eots.ch06_supply.supply import BurmaRoad, burma_road
from engine.eots.ch13_nations.china import (
    china_air_modifier,
    china_offensive_refusals,
    conduct_china_offensive,
    move_front,
)
from engine.eots.events.tracks import ChinaOffensiveTried, DieRolled
from engine.eots.ids import CHINA_BOX, AreaId, NationId, UnitId
from engine.eots.state import REMOVED, TURN_TRACK, ChinaFront, State
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Rule
from tests.engine.eots.politics import book, of_kind
from tests.engine.eots.positions import Place, position, with_tracks
from tests.engine.eots.strategic import rolling

CHINA = NationId("china")
SEAC = {"cw-hq-seac": "1805"}
ALLIED_BURMA = ("2008", "2106", "2206", "2305", "2007", "2107")
"""Allied control of these opens the Burma Road to Rangoon (13.78A)."""


def front(
    box: ChinaFront,
    divisions: int = 12,
    units: dict[str, Place] | None = None,
    *,
    road: str = "closed",
    **tracks: object,
) -> State:
    """Return a position with a China front, and the Burma Road open, closed with the Hump, or closed."""
    hump = road == "hump"
    state = position(
        {**SEAC, **(units or {})}, allied=ALLIED_BURMA if road == "open" else (), hump=hump
    )
    return with_tracks(state, **{"china_front": box, "divisions_in_china": divisions, **tracks})


def offensive(state: State, face: int) -> State:
    """Return the state after a China offensive with a rolled face."""
    ledger = book(state)
    conduct_china_offensive(rolling(ledger, ScriptedDice(face)))
    assert len(of_kind(ledger, DieRolled)) == len(of_kind(ledger, ChinaOffensiveTried)) == 1
    return ledger.state


@pytest.mark.parametrize(
    ("road", "status"),
    [
        pytest.param("open", BurmaRoad.OPEN, id="13.78A-open"),
        pytest.param("hump", BurmaRoad.CLOSED_HUMP, id="13.78D-hump"),
        pytest.param("closed", BurmaRoad.CLOSED, id="13.78C-closed"),
    ],
)
def test_positions_have_the_expected_road_status(road: str, status: BurmaRoad) -> None:
    assert burma_road(front(ChinaFront.STABLE_FRONT, road=road)) is status


@pytest.mark.parametrize(
    ("units", "road", "modifier"),
    [
        pytest.param({}, "hump", 0, id="13.72B-empty-box"),
        pytest.param({"us-air-14af": CHINA_BOX}, "hump", 1, id="13.72B-air-unit"),
        pytest.param({"us-lrb-14af": CHINA_BOX}, "hump", 1, id="13.72B-14af-lrb"),
        pytest.param(
            {"us-air-14af": CHINA_BOX, "us-lrb-14af": CHINA_BOX}, "hump", 2, id="13.72B-cumulative"
        ),
        pytest.param({"us-lrb-10af": CHINA_BOX}, "hump", 0, id="13.72B-other-lrb-does-not-count"),
        pytest.param({"us-b29-20bc": CHINA_BOX}, "hump", 0, id="13.72B-b29-does-not-count"),
        pytest.param(
            {"us-air-14af": CHINA_BOX}, "closed", 0, id="13.74-4-unsupplied-gives-nothing"
        ),
        pytest.param({"us-air-14af": CHINA_BOX}, "open", 1, id="13.74-2-open-road-supplies"),
    ],
)
def test_china_air_modifier(units: dict[str, Place], road: str, modifier: int) -> None:
    assert china_air_modifier(front(ChinaFront.STABLE_FRONT, units=units, road=road)) == modifier


ONE_AIR: dict[str, Place] = {"us-air-14af": CHINA_BOX}
TWO_AIR: dict[str, Place] = {"us-air-14af": CHINA_BOX, "us-lrb-14af": CHINA_BOX}


@pytest.mark.parametrize(
    ("before", "face", "after"),
    [
        pytest.param(
            front(ChinaFront.MAJOR_BREAKTHROUGH, 11, ONE_AIR, road="open"),
            2,
            ChinaFront.THREAT_TO_CHUNGKING,
            id="EX13-2-die-2-succeeds",
        ),
        pytest.param(
            front(ChinaFront.MAJOR_BREAKTHROUGH, 11, ONE_AIR, road="open"),
            3,
            ChinaFront.UNSTABLE_FRONT,
            id="EX13-2-die-3-fails-one-box-back",
        ),
        pytest.param(
            front(ChinaFront.UNSTABLE_FRONT, 5, TWO_AIR, road="open"),
            9,
            ChinaFront.UNSTABLE_FRONT,
            id="EX13-3-never-into-stable-front",
        ),
        pytest.param(
            front(ChinaFront.STABLE_FRONT, 5, TWO_AIR, road="open"),
            9,
            ChinaFront.STABLE_FRONT,
            id="13.72-3-stable-front-does-not-move",
        ),
        pytest.param(
            front(ChinaFront.STABLE_FRONT),
            9,
            ChinaFront.UNSTABLE_FRONT,
            id="EX13-4-twelve-divisions-always-succeed",
        ),
        pytest.param(
            front(ChinaFront.MAJOR_BREAKTHROUGH, 4),
            5,
            ChinaFront.MAJOR_BREAKTHROUGH,
            id="13.72-3-failure-without-air-moves-nothing",
        ),
    ],
)
def test_china_offensive_roll_moves_the_front(before: State, face: int, after: ChinaFront) -> None:
    state = offensive(before, face)
    assert state.tracks.china_front is after
    assert state.tracks.china_offensive_turn == state.turn


@pytest.mark.parametrize(
    ("box", "delta", "stable", "after"),
    [
        pytest.param(ChinaFront.UNSTABLE_FRONT, 1, False, ChinaFront.UNSTABLE_FRONT, id="A-49"),
        pytest.param(ChinaFront.UNSTABLE_FRONT, 2, True, ChinaFront.STABLE_FRONT, id="A-79"),
        pytest.param(
            ChinaFront.MAJOR_BREAKTHROUGH, 2, False, ChinaFront.UNSTABLE_FRONT, id="13.72-5-cap"
        ),
        pytest.param(ChinaFront.STABLE_FRONT, 2, True, ChinaFront.STABLE_FRONT, id="13.72-top"),
        pytest.param(ChinaFront.STABLE_FRONT, -1, False, ChinaFront.UNSTABLE_FRONT, id="J-26"),
        pytest.param(
            ChinaFront.CHUNGKING_FALLS, -2, False, ChinaFront.GOVERNMENT_COLLAPSED, id="13.72-end"
        ),
    ],
)
def test_events_move_the_china_front(
    box: ChinaFront, delta: int, stable: bool, after: ChinaFront
) -> None:
    ledger = book(front(box))
    move_front(ledger, delta, Rule("test"), may_enter_stable=stable)
    assert ledger.state.tracks.china_front is after


class TestCollapse:
    """China surrenders at once (13.73)."""

    @pytest.fixture
    def after(self) -> State:
        units: dict[str, Place] = {
            "us-air-14af": (CHINA_BOX, 1),
            "us-b29-20bc": CHINA_BOX,
            "china-army-5": "2205",
            "china-army-6": ("eliminated", 0),
        }
        ledger = book(front(ChinaFront.CHUNGKING_FALLS, units=units, road="hump", political_will=6))
        move_front(ledger, -1, Rule("J-26"), may_enter_stable=False)
        return ledger.state

    def test_china_has_surrendered(self, after: State) -> None:
        assert CHINA in after.tracks.surrendered

    def test_political_will_drops(self, after: State) -> None:
        assert after.tracks.political_will == 4  # 16.41

    def test_air_units_return_next_turn(self, after: State) -> None:
        for unit, steps, delayable in (("us-air-14af", 1, True), ("us-b29-20bc", 2, False)):
            assert after.units[UnitId(unit)].at == TURN_TRACK
            arrival = after.arrivals[UnitId(unit)]
            assert (arrival.turn, arrival.steps) == (after.turn + 1, steps)
            assert arrival.delayable is delayable  # 10.23

    def test_chinese_units_are_removed(self, after: State) -> None:
        for unit in ("china-army-5", "china-army-6", "china-army-66"):
            assert after.units[UnitId(unit)].at == REMOVED

    def test_front_never_moves_again(self, after: State) -> None:
        ledger = book(after)
        move_front(ledger, 2, Rule("A-79"), may_enter_stable=True)
        move_front(ledger, -1, Rule("J-26"), may_enter_stable=False)
        assert ledger.events == ()

    def test_further_china_offensives_are_refused(self, after: State) -> None:
        assert [refusal.rule for refusal in china_offensive_refusals(after)] == ["13.73"]


CHINESE_PORTS = board().areas[AreaId("china-coast")].ports
KOREAN_PORTS = board().areas[AreaId("korea-ports")].ports


@pytest.mark.parametrize(
    ("state", "broken"),
    [
        pytest.param(front(ChinaFront.STABLE_FRONT), [], id="13.72-legal"),
        pytest.param(
            position(china_offensive_turn=5, scenario_id="1943"), ["13.72"], id="13.72-same-turn"
        ),
        pytest.param(
            position(china_offensive_turn=4, scenario_id="1943"), ["13.72"], id="13.72-turn-before"
        ),
        pytest.param(
            position(china_offensive_turn=3, scenario_id="1943"), [], id="13.72-two-turns-before"
        ),
        pytest.param(
            position(allied=(*CHINESE_PORTS, *KOREAN_PORTS)), ["13.71"], id="13.71-5-all-ports-lost"
        ),
        pytest.param(position(allied=CHINESE_PORTS), [], id="13.71-5-korea-left"),
        pytest.param(
            position(allied=(*CHINESE_PORTS[1:], *KOREAN_PORTS)), [], id="13.71-5-one-port-left"
        ),
        pytest.param(
            position(allied=(*CHINESE_PORTS, *KOREAN_PORTS), options={"hainan": "china"}),
            [],
            id="OPB-19-hainan-left",
        ),
        pytest.param(
            position(surrendered=(CHINA,), china_offensive_turn=4),
            ["13.73", "13.72"],
            id="13.73-surrendered",
        ),
    ],
)
def test_illegal_china_offensives_are_refused(state: State, broken: list[str]) -> None:
    assert [refusal.rule for refusal in china_offensive_refusals(state)] == broken
