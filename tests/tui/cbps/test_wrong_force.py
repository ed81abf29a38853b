"""A strike that finds another force than the one it was sent against (5.24-5.26)."""

import pytest

from engine.cbps.commands import Attack
from engine.cbps.prose.combined import log_sentences
from engine.cbps.prose.report import reports
from engine.cbps.run import Run
from engine.cbps.state import State
from engine.cbps.view import CbpsView, project_state
from engine.kernel.ids import Role
from play.event_history import SeenEvent
from tests.engine.cbps.battle import given
from tests.engine.cbps.test_ch05_strikes import FAR, far
from tui.cbps.playback.playback_steps import playback_steps
from tui.panels.overlay_pages import BattleBoard

ATTACK = Attack(mission="strike-1", target="X")


def _struck(state: State, *dice: int) -> tuple[CbpsView, Run, CbpsView]:
    run = given(state, ATTACK, *dice)
    return project_state(state, "us"), run, project_state(run.state, "us")


@pytest.mark.parametrize(
    ("hex", "detection", "die"), [("1120", "", 4), (FAR, "L", 5), ("1119", "S", 4)]
)
def test_5_24_board_and_report_name_the_force_actually_fought(
    hex: str, detection: str, die: int
) -> None:
    before, run, after = _struck(far(("Y", hex, detection)), die, 1, 1, 1)  # type: ignore[arg-type]  # words of 8.11
    facts = [
        SeenEvent(seq=1, number=n, role=Role("us"), is_own=True, event=event)
        for n, event in enumerate(run.events, start=1)
    ]
    boards = [
        one.page
        for one in playback_steps(facts, before, after)
        if isinstance(one.page, BattleBoard)
    ]
    sights = [
        one.visible_places[0]
        for one in playback_steps(facts, before, after)
        if one.page is not None
    ]
    assert {*sights} == {hex}
    assert boards[-1].title.startswith("Strike 1 on Force Y (")
    assert boards[-1].title.endswith("the wrong force: not Force X")
    assert boards[-1].sides[1].fighters[0].name.startswith("Force Y")
    heading = next(
        one.heading for one in reports(run.events, before, after) if one.kind == "strike"
    )
    assert heading.startswith("Wrong force! Strike 1 has found Force Y (")


def test_5_25_log_reports_the_wrong_force() -> None:
    _, run, _ = _struck(far(("Y", "1120", "")), 4, 1, 1, 1)
    lines = list(log_sentences(run.events))
    assert (
        "Wrong force! Strike 1 has found Force Y in 1120, not Force X (5.24). Force Y is spotted."
        in lines
    )
    assert not any("finds itself" in line for line in lines)


def test_5_21_right_force_is_named_as_usual() -> None:
    before, run, after = _struck(far(("Y", "1125", "")), 10, 1, 1, 1)
    assert not any("rong force" in line for line in log_sentences(run.events))
    heading = next(
        one.heading for one in reports(run.events, before, after) if one.kind == "strike"
    )
    assert heading.startswith("Strike 1 on Force X (")
