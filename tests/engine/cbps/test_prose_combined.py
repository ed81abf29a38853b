"""The log of one command: related events become one sentence."""

import pytest

from engine.cbps.events import air, chance, fleet, japan, search, turns
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.combined import log_sentences
from engine.cbps.ruleset import CBPS

ZONE = chance.ChartRead(
    chart="japanese_arrival_zone", about="A", die=8, modifiers=(), result="III", is_assumed=True
)
HEX = chance.DieRolled(rule="7.14", about="A", die=9)
ARRIVED = japan.ForceArrived(force="A", hex="2017")
FADED = japan.Detected(force="A", detection="L", why="activation")
MOVED = japan.ForceMoved(force="A", hex="1219", heading="SW", why="mission")
CHIT = turns.ChitDrawn(chit="A")
FOUND = chance.ChartRead(chart="air_search", about="A", die=7, modifiers=(), result="S")
SECOND = chance.ChartRead(chart="second_hex_fuel", about="strike-3", die=5, result="2")
FLOWN = air.MissionMoved(mission="strike-3", hex="1109")
LAUNCHED = search.SearchLaunched(
    search="search-1",
    kind_of="standard",
    origin="1108",
    group="58.1",
    bearing=270,
    radius="1118",
    commander="us",
)


def paid(points: int, why: str, mission: str = "strike-3") -> air.FuelSpent:
    return air.FuelSpent(mission=mission, points=points, why=why)


def sailed(group: str, hex: str = "1209") -> fleet.GroupMoved:
    return fleet.GroupMoved(group=group, hex=hex, heading="SW")


def off(unit: str, at: str) -> air.UnitMoved:
    return air.UnitMoved(unit=unit, place="search", at=at, why="launch")


MOVES = "Force A moves SW to 1219, on its mission."
FADES = "Force A is located, no longer spotted (8.14), and moves SW to 1219, on its mission."
ZONE_AND_HEX = "Japanese Arrival (zone) (7.12-7.14), die 8: III (assumed); die for the hex 9."
START = "Search 1 starts from 1108 on 270 degrees, up to 10 hexes, with Hornet B1."
SPENT = "Fuel for the second hex moved in one segment (4.432) for Strike 3, die 5: 2 fuel."
CASES = {
    "phase": (
        (turns.PhaseBegan(phase=2), turns.MissionDieSet(die=4)),
        ["Phase 2, mission movement die 4 (7.221)."],
    ),
    "arrival": ((ZONE, HEX, ARRIVED), [f"Force A arrives in 2017 (7.1): {ZONE_AND_HEX}"]),
    "arrival-without-dice": ((ARRIVED,), ["Force A arrives in 2017 (7.1)."]),
    "chit-of-who-moves": ((CHIT, MOVED), [MOVES]),
    "fading": ((CHIT, FADED, MOVED), [FADES]),
    "chit-of-another": (
        (turns.ChitDrawn(chit="B"), MOVED),
        ["The chit is for Force B.", MOVES],
    ),
    "search-launched": ((LAUNCHED, off("hornet-b1", "search-1")), [START]),
    "search-result": (
        (search.SearchTried(search="search-1", force="A"), FOUND),
        ["Search 1 looks for Force A: Air Search (8.34-8.342), die 7: S."],
    ),
    "groups": (
        (sailed("58.1"), sailed("58.2"), sailed("58.7", "1210")),
        ["TG 58.1, TG 58.2 sail to 1209 (SW).", "TG 58.7 sails to 1210 (SW)."],
    ),
    "fuel": ((FLOWN, paid(1, "move")), ["Strike 3 flies to 1109, for 1 fuel."]),
    "fuel-of-another": (
        (FLOWN, paid(1, "move", "strike-4")),
        ["Strike 3 flies to 1109.", "Strike 4 spends 1 fuel for its move."],
    ),
    "second-hex": ((FLOWN, SECOND, paid(2, "second-hex")), ["Strike 3 flies to 1109.", SPENT]),
    "level-and-point": (
        (
            japan.LevelChanged(force="A", level=1, chit="Large"),
            japan.ForceFound(name="A", points=1),
        ),
        ["Force A reaches level 1: Large; 1 point."],
    ),
}


@pytest.mark.parametrize(("events", "lines"), CASES.values(), ids=CASES.keys())
def test_related_events_become_one_sentence(
    events: tuple[CbpsEvent, ...], lines: list[str]
) -> None:
    assert list(log_sentences(events)) == lines
    assert list(CBPS.log_sentences(events)) == lines


def test_bookkeeping_events_are_not_logged() -> None:
    assert list(log_sentences((turns.SegmentBegan(segment="operations"),))) == []


def test_4_451_a_modifier_shows_its_value_without_a_rule_number() -> None:
    read = chance.ChartRead(
        chart="safe_return",
        about="hornet-b1",
        die=3,
        modifiers=(chance.Modifier(id="fuel_critical_box", drm=4),),
        result="safe",
    )
    assert "die 3 +4 (Fuel Critical box 4) = 7: safe" in CBPS.log_sentence(read)
