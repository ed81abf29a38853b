"""The progress of the war (16.47) on the screen and in line mode: top line, tracks, goals."""

import pytest
from msgspec.structs import replace

from engine.eots.events import flow, tracks, units
from engine.eots.events.base import EotsEvent
from engine.eots.frames import Phase, TurnFrame
from engine.eots.ids import HexId, Side
from engine.eots.state import State
from engine.eots.view import EotsView, project_state
from engine.kernel.decision import Outcome
from engine.kernel.ids import Role, Rule
from play.event_history import SeenEvent
from tests.engine.eots.positions import start_of, with_control, with_frames, with_tracks
from tests.tui.eots.still import StillSession, still_view
from tui.eots.playback import turn_recap
from tui.eots.presenter import EotsPresenter
from tui.panels.goals import goal_rows
from tui.panels.status_segments import fit_segments, plain_text, row_text, status_bar_text

MISSED = tracks.PoliticalWillMoved(rule=Rule("16.47"), to=5)
PRESENTER = EotsPresenter(StillSession(still_view()).ruleset)
LAE, RABAUL, *_ = FIVE = ("3822", "4021", "4020", "3520", "3720")
HEADING = "Turn 5 | Offensives: Allies to play"


def at_war(
    taken: tuple[str, ...] = (), *, level: int = 4, phase: Phase = Phase.OFFENSIVES, turn: int = 5
) -> State:
    """Return 1943 in a turn in which the Allies have captured some hexes from Japan."""
    start = with_control(start_of("1943"), Side.JAPAN, FIVE)
    begun = replace(start, control_at_turn_start=start.control, turn=turn)
    state = with_control(begun, Side.ALLIED, taken)
    state = with_tracks(state, allied_asp=level, allied_asp_after_reinforcement=level)
    return with_frames(state, TurnFrame(phase=phase, entered=True))


def top_line(state: State, viewer: Side | None = Side.ALLIED) -> str:
    return status_bar_text(PRESENTER.status_segments(project_state(state, viewer), HEADING, ""))


def goal_lines(view: EotsView) -> str:
    return "\n".join(row_text(row) for row in goal_rows(PRESENTER.goals(view)))


@pytest.mark.parametrize("viewer", [*Side, None])
def test_16_47_status_bar_counts_progress_for_every_viewer(viewer: Side | None) -> None:
    assert "| PW 6 | PoW 0/4 |" in top_line(at_war(), viewer)
    assert "| PoW 2/4 |" in top_line(at_war(FIVE[:2]), viewer)
    assert "| PoW 5/4 met |" in top_line(at_war(FIVE), viewer)


def test_16_47_3_hex_retaken_by_japan_no_longer_counts() -> None:
    retaken = with_control(at_war(FIVE), Side.JAPAN, [LAE, RABAUL])
    assert "| PoW 3/4 |" in top_line(retaken)


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        pytest.param(at_war(phase=Phase.REINFORCEMENT, level=3), "PoW 0/3+", id="may-still-rise"),
        pytest.param(at_war(phase=Phase.REINFORCEMENT, level=8), "PoW 0/4 ", id="four-at-most"),
        pytest.param(at_war(FIVE[:3], phase=Phase.ATTRITION), "PoW 3/4 missed", id="judged"),
        pytest.param(at_war(turn=3), "", id="16.47-not-before-turn-4"),
        pytest.param(at_war(level=0), "", id="16.47-1-no-shipping-no-quota"),
    ],
)
def test_16_47_1_status_bar_by_segment_and_turn(state: State, shown: str) -> None:
    line = top_line(state)
    assert shown in line
    assert ("PoW" in line) is bool(shown)


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_16_47_progress_fits_the_status_bar(width: int) -> None:
    view = project_state(at_war(FIVE[:2]), Side.ALLIED)
    line = plain_text(fit_segments(PRESENTER.status_segments(view, HEADING, "* host"), width))
    assert ("Progress ●●○○ 2/4" if width == 160 else "2/4") in line


@pytest.mark.parametrize(
    ("state", "words"),
    [
        pytest.param(
            at_war((LAE, RABAUL)),
            (
                "○ Progress of the War: take 4 Japanese hexes with a city, port, airfield or resource,",
                "by the Political Will Segment (16.47)",
                "2 of 4 taken (Lae, Rabaul), 2 missing",
                "With fewer, Political Will falls by 1.",
            ),
            id="two-are-missing",
        ),
        pytest.param(
            at_war(FIVE),
            (
                "✓ Progress of the War",
                "5 of 4 taken",
                "Met. If Japan retakes 2, Political Will falls by 1.",
            ),
            id="16.47-3-met-until-japan-retakes-two",
        ),
        pytest.param(at_war(FIVE[:4]), ("Met. If Japan retakes 1,",), id="16.47-3-just-met"),
        pytest.param(
            at_war(phase=Phase.REINFORCEMENT, level=1),
            ("take at least 1 Japanese hex with",),
            id="16.47-1-may-still-rise",
        ),
        pytest.param(
            at_war(FIVE[:3], phase=Phase.ATTRITION),
            ("1 missing", "Too few: this cost 1 Political Will."),
            id="16.47-5-missed",
        ),
        pytest.param(at_war(FIVE, phase=Phase.ATTRITION), ("Met this turn.",), id="judged-as-met"),
        pytest.param(
            at_war(turn=3),
            ("From turn 4 on, the Allies must take Japanese hexes each turn",),
            id="16.47-not-before-turn-4",
        ),
    ],
)
def test_16_47_progress_is_listed_among_the_goals(state: State, words: tuple[str, ...]) -> None:
    pages = {goal_lines(project_state(state, viewer)) for viewer in (*Side, None)}
    (page,) = pages
    assert all(part in page for part in words)


def test_17_10_7_south_pacific_requires_two_hexes() -> None:
    state = replace(start_of("south-pacific"), turn=4)
    page = goal_lines(project_state(state, Side.ALLIED))
    assert "take 2 Japanese hexes" in page
    assert "(16.47, 17.10.7)" in page


def test_16_47_goals_of_a_finished_game_omit_progress() -> None:
    view = project_state(at_war(), Side.ALLIED)
    over = replace(
        view, outcome=Outcome(winner=None, level="", score=None, reason="Japan wins (16.3)")
    )
    assert "Progress" not in goal_lines(over)
    assert "PoW" not in status_bar_text(PRESENTER.status_segments(over, HEADING, ""))


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        pytest.param(FIVE[:2], "2 of 4 hexes this turn, 2 missing (16.47)", id="two-are-missing"),
        pytest.param(FIVE[:4], "4 of 4 hexes this turn, met (16.47)", id="met"),
    ],
)
def test_16_47_progress_is_on_the_tracks_page(taken: tuple[str, ...], words: str) -> None:
    pages = PRESENTER.pages(project_state(at_war(taken), Side.JAPAN))
    tracks = next(lines for key, _, lines in pages if key == "T")
    assert f"Progress of the War       {words}" in tracks


def facts(*events: EotsEvent) -> list[SeenEvent]:
    numbered = enumerate(events, start=1)
    return [
        SeenEvent(seq=1, number=number, role=Role("japan"), is_own=False, event=event)
        for number, event in numbered
    ]


def retakes(hex_: str) -> units.ControlChanged:
    return units.ControlChanged(rule=Rule("6.5"), hexes=(HexId(hex_),), side=Side.JAPAN)


@pytest.mark.parametrize(
    ("events", "words"),
    [
        pytest.param(
            (MISSED,), "the Allies took 3 of the 4 hexes that the turn required", id="missed"
        ),
        pytest.param(
            (retakes(LAE), retakes(RABAUL), MISSED),
            "the Allies took 1 of the 4 hexes that the turn required",
            id="16.47-3-japan-has-retaken-two",
        ),
        pytest.param(
            (flow.TurnBegan(turn=6), MISSED), "no progress of the war", id="an-earlier-turn"
        ),
    ],
)
def test_16_47_recap_shows_how_many_hexes_were_taken(
    events: tuple[EotsEvent, ...], words: str
) -> None:
    before = project_state(at_war(FIVE[:3]), Side.ALLIED)
    line = f"US Political Will falls from 6 to 5: {words} (16.47)"
    assert line in [one.text for one in turn_recap.news(facts(*events), before, before)]


def test_16_47_turn_report_shows_how_many_hexes_were_taken() -> None:
    before = project_state(at_war(FIVE[:3]), Side.ALLIED)
    segment = flow.FrameReplaced(frame=TurnFrame(phase=Phase.POLITICAL_WILL))
    report = turn_recap.turn_report(facts(retakes(LAE), segment, MISSED), before)
    assert (
        "US Political Will falls from 6 to 5: the Allies took 2 of the 4 hexes that the turn required (16.47)"
    ) in report
