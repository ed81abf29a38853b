"""The timetable of a course order: every phase with its light and fuel, and what the mission waits for."""

from typing import Any

import pytest
from msgspec.structs import replace

from engine.cbps.courses.forecast import course_forecast
from engine.cbps.courses.giving import orders_to
from engine.cbps.ruleset import CBPS
from engine.cbps.state import Raid, State
from engine.kernel.ids import Role
from tests.engine.cbps.battle import with_parts
from tests.engine.cbps.test_courses import flying
from tests.tui.cbps.battles import PRESENTER, index_of
from tests.tui.cbps.test_course_orders import ready
from tui.cbps.courses import course_timetables
from tui.panels.status_segments import row_text


def shown(state: State, line: str, width: int = 0) -> list[str]:
    if width:
        return [row_text(row) for row in course_timetables(index_of(state), (line,), width)]
    view = CBPS.project(state, Role("us"))
    return [row_text(row) for row in PRESENTER.course_rows(view, (line,))]


@pytest.mark.parametrize("width", [30, 58, 110])
@pytest.mark.parametrize("target", ["A", "1110", ""])
def test_every_phase_of_a_course_has_a_column_at_any_width(width: int, target: str) -> None:
    state = flying()
    order = orders_to(state, "strike-1", target)[0]
    forecast = course_forecast(state, order)
    assert forecast is not None
    rows = shown(state, order.text, width)
    assert all(len(row) <= width for row in (rows[1:] if width > 30 else rows[1:-1]))
    marks = [mark for row in rows if row.startswith(" phase") for mark in row.split()[1:]]
    fuels = [int(fuel) for row in rows if row.startswith(" fuel") for fuel in row.split()[1:]]
    letters = {"attack": "A", "turn": "T", "land": "L"}
    assert marks == [
        f"{letters.get(phase.act, '')}{number}" for number, phase in enumerate(forecast.phases, 1)
    ]
    assert fuels == [phase.least for phase in forecast.phases]
    assert f"L landing {forecast.latest.time}" in rows[-1]  # type: ignore[union-attr]  # it is home in time


def test_timetable_shows_light_and_the_missions_hex() -> None:
    state = replace(flying(), turn=10)
    (order, *_) = orders_to(state, "strike-1", "A")
    text = "\n".join(shown(state, order.text, 110))
    assert "now at 1108, fuel 15" in text
    assert "dusk" in text
    assert "night" in text


@pytest.mark.parametrize("width", [0, 58])
def test_waiting_mission_gives_its_reason(width: int) -> None:
    order = orders_to(flying(), "strike-1", "A")[0]
    lost = flying()
    lost = with_parts(lost, forces={"A": replace(lost.forces["A"], detection="")})
    assert "Waits for you: Force A is no longer detected." in "\n".join(
        shown(lost, order.text, width)
    )
    assert not any("Waits for you:" in row for row in shown(flying(), order.text, width))


def test_page_lists_what_would_stop_the_mission_and_when() -> None:
    state = flying()
    other: Any = replace(state.forces["A"], hex="1116", detection="")
    state = with_parts(state, forces={"B": other})
    order = orders_to(state, "strike-1", "A")[0]
    text = "\n".join(shown(state, order.text))
    assert "could fall below 1: 1 with the worst dice" in text
    assert "dusk begins 1850/2" in text
    assert "Force A is lost from sight: located in 1113 now" in text
    assert "Force B is 3 hexes from Force A" in text


def test_every_kind_of_order_is_near_the_top_of_the_list() -> None:
    state = ready(6)
    state = replace(state, has_searched=False)
    view = CBPS.project(state, Role("us"))
    lines = [line for line, _ in PRESENTER.course_entries(view, "1108", None, ())]
    top = lines[:6]
    assert [line.split()[0] for line in top[:3]] == ["cap-58.1"] * 3
    assert all("search" in line for line in top[3:])
    assert len(set(lines)) == len(lines)
    narrow = PRESENTER.course_entries(view, "1108", None, (lines[0],))
    assert narrow[2] == ("cancel cap-58.1", narrow[2][1]), "the order in force comes with its group"


def test_panel_lists_raids_first_and_keeps_searches_and_cap_short() -> None:
    state = replace(ready(6), has_searched=False)
    raid = Raid(origin="A", hex="1113", target="58.1", points=9)
    view = CBPS.project(with_parts(state, raids={"1-a": raid}), Role("us"))
    orders = ("cap-58.1 until 5 size 2", "hornet-t1 search 300 units hornet-t1")
    rows = [row_text(row) for row in PRESENTER.dock_rows(view, orders, 58)]
    assert rows[0].startswith(" Raid 1-A")
    assert rows[1].startswith("Search 300 and back (Hornet T1)")
    assert rows[2].split()[:2] == ["time", "0930"]
    assert rows[3].split()[-1] == "L1108"
    assert rows[4] == "CAP over TG 58.1 until 1210  0 of 2 in the box"
    assert max(map(len, rows)) <= 58
