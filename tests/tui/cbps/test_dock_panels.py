"""The area below the map: coloured reports, and everything in the air (4.43, 8.23, 10.2)."""

import pytest
from msgspec.structs import replace

from engine.cbps.ruleset import CBPS
from engine.cbps.state import Search, State
from tests.engine.cbps.battle import with_parts
from tests.tui.cbps.battles import US, index_of, states
from tests.tui.cbps.test_presenter import FLYING
from tests.tui.hostile import is_clean
from tui.cbps import flights
from tui.cbps.panels.dock_panels import air_rows, plan_line_tone, report_rows
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import plain_text


@pytest.mark.parametrize(
    ("line", "tone"),
    [
        ("Force C (Carrier, Located) raided TG 58.1 with 8 points: seen in 1111", TextRole.WARN),
        ("Raid 1-A on TG 58.1: 2 hits on Hornet", TextRole.BAD),
        ("Strike 1 on Force A (Located): contact, 2 CAP points shot down", TextRole.GOOD),
        ("Strike 1 on Force A (Located): contact, 2 US units lost", TextRole.BAD),
        ("Search 1 looked for Force C (undetected) in 1116: located", TextRole.GOOD),
        ("Search 1 looked for Force C (undetected) in 1116: nothing new", TextRole.DIM),
        ("Force C (undetected) stayed in 1116", TextRole.DIM),
        ("Force C (undetected) moved W from 1116 to 1117", TextRole.HEAD),
        ("    Random choice (7.21) for Butai 1: 1217, one of 2.", TextRole.DIM),
    ],
)
def test_report_lines_are_coloured_by_importance(line: str, tone: TextRole) -> None:
    assert report_rows([line]) == ((line, tone),)


def test_assumed_values_are_marked_and_explained_once() -> None:
    lines = ["    die 8: raid (assumed).", "    die 5: 3 (assumed).", "    die 2: 4."]
    texts = [text for text, _ in report_rows(lines)]
    assert texts[:3] == ["    die 8: raid*.", "    die 5: 3*.", "    die 2: 4."]
    assert texts[3].startswith("* ")
    assert len(texts) == 4


def texts(state: State) -> list[str]:
    return [plain_text(row) for row in air_rows(index_of(state))]


def test_everything_airborne_has_a_line() -> None:
    shown = "\n".join(" ".join(line.split()) for line in texts(FLYING))
    assert "Raid 1-A 6 points at 1113 for TG 58.1 there 0530/4" in shown
    assert "Strike 3 1 SB2C at 1112 fuel 9, home 0530/2" in shown
    assert "CAP 58.1 2 F6F" in shown
    assert "Force A 1117, level 2, 2-3 Carriers, located 9 hexes" in shown


def test_4_44_fuel_critical_mission_is_shown_as_a_warning() -> None:
    strike = replace(FLYING.missions["strike-3"], fuel=-1)
    rows = air_rows(index_of(with_parts(FLYING, missions={"strike-3": strike})))
    critical = next(row for row in rows if "CRITICAL 1" in plain_text(row))
    assert critical[-1][1] is TextRole.BAD


def test_8_23_searches_on_the_same_path_share_a_line() -> None:
    one = Search(
        kind="standard", origin="1108", group="58.1", bearing=270, radius="1118", hex="1114"
    )
    state = with_parts(FLYING, searches={"search-1": one, "search-2": one})
    shown = texts(state)
    assert sum("Search x2" in line and "270 at 1114" in line for line in shown) == 1


def test_12_1_damaged_carriers_are_listed() -> None:
    hurt = replace(FLYING.ships["hornet"], fires=(2,))
    shown = texts(with_parts(FLYING, ships={"hornet": hurt}))
    assert any("Hornet" in line and "FIRE 2" in line for line in shown)


def test_air_rows_are_clean_in_every_position() -> None:
    for state in states("6")[::20]:
        rows = air_rows(index_of(state))
        assert rows
        assert all(is_clean(plain_text(row)) for row in rows)


@pytest.mark.parametrize(
    ("line", "tone"),
    [
        ("Contact 70% (column 4-6 -2 approximate)", TextRole.GOOD),
        ("  Hits 1.3, 4 at most", TextRole.GOOD),
        ("  Lost 0.3 of 1 at most", TextRole.WARN),
        ("Lands Fuel Critical: 69%", TextRole.WARN),
        ("Home by: 0650 phase 2, by day", TextRole.HEAD),
        ("1 attacker, 1 escort", TextRole.PLAIN),
    ],
)
def test_plan_lines_are_coloured_by_importance(line: str, tone: TextRole) -> None:
    assert plan_line_tone(line) is tone


def test_flight_home_is_not_shown_when_the_scenario_ends_after_the_attack() -> None:
    """Scenario 2 ends after the attack."""
    first = states("2")[0]
    rows = [row for row in texts(first) if "Strike" in row]
    assert len(rows) == 3
    assert not any("home" in row for row in rows)
    lines = flights.mission_lines(index_of(first), "strike-1")
    assert not any("home by" in line or "lost on the way" in line for line in lines)
    assert CBPS.decision(first, US).prompt == "Give each strike its target, then begin"


def test_flight_not_home_before_the_end_shows_no_later_arrival() -> None:
    late = replace(FLYING, turn=11, phase=4)
    (row,) = (row for row in texts(late) if "Strike 3" in row)
    assert "after the end" not in row
