"""The goals page: the winning conditions of every side and game, with the present count, in words."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from engine.cbps.game_data import standard_game_data
from engine.cbps.ruleset import CBPS
from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView
from tests.engine.cbps.battle import battle
from tests.tui.hostile import is_clean
from tests.tui.plans import SCENARIOS, position
from tui.cbps.panels.goals import SCORE_TEXTS
from tui.panels.goals import Goals, GoalState, goal_rows
from tui.panels.status_segments import row_text
from tui.presenter.presenter import Presenter, load_presenter
from tui.qmg.presenter import QmgPresenter
from tui.terminal.output_filter import to_ascii


@pytest.mark.parametrize(("game", "scenario", "role"), SCENARIOS)
def test_goals_of_all_sides_are_shown_without_internal_names(
    game: str, scenario: str, role: str
) -> None:
    presenter, view = position(game, scenario, role)
    goals = presenter.goals(view)
    assert len(goals.parties) > 1
    assert all(party.aims for party in goals.parties)
    lines = [row_text(row) for row in goal_rows(goals)]
    assert all(is_clean(line) and "_" not in line for line in lines)
    assert all(to_ascii(line).isascii() for line in lines)
    assert all(aim.rule for party in goals.parties for aim in party.aims)
    missing = [
        count.missing for party in goals.parties for aim in party.aims for count in aim.counts
    ]
    assert any(missing), "somebody has not won yet"


@pytest.mark.parametrize(("game", "scenario", "role"), SCENARIOS)
def test_exactly_one_level_matches_the_score(game: str, scenario: str, role: str) -> None:
    presenter, view = position(game, scenario, role)
    levels = [
        aim
        for party in presenter.goals(view).parties
        for aim in party.aims
        if "points" in aim.text and "victory:" in aim.text
    ] or [aim for party in presenter.goals(view).parties for aim in party.aims if game == "cbps"]
    assert not levels or sum(aim.state is GoalState.MET for aim in levels) == 1


def qmg(axis: int, allies: int) -> Goals:
    _, view = position("qmg", "base", "germany")
    assert isinstance(view, QmgView)
    return QmgPresenter(QMG).goals(replace(view, axis_vp=axis, allies_vp=allies))


@pytest.mark.parametrize(
    ("axis", "allies", "words"),
    [
        pytest.param(
            40, 40, "Allies 40, Axis 40, 1 point missing", id="12.5-equal-points-go-to-the-axis"
        ),
        pytest.param(71, 42, "29 ahead, 1 missing", id="12.4-a-point-short-of-the-lead"),
        pytest.param(40, 50, "10 behind, 40 missing", id="12.4-behind"),
    ],
)
def test_12_points_of_both_teams_are_compared(axis: int, allies: int, words: str) -> None:
    assert words in "\n".join(row_text(row) for row in goal_rows(qmg(axis, allies)))


def test_12_4_a_lead_of_30_is_met() -> None:
    lead = qmg(72, 42).parties[0].aims[0]
    assert (lead.state, lead.counts[0].missing) == (GoalState.MET, "")


def test_15_1_every_entry_of_the_score_charts_has_a_text() -> None:
    charts = standard_game_data().charts
    rows = (*charts.vp_awards.values, *charts.vp_deductions.values)
    assert {row.id for row in rows} == SCORE_TEXTS.keys()


def test_game_without_goals_has_no_goal_rows() -> None:
    _, view = position("qmg", "base", "germany")
    assert goal_rows(Presenter(QMG).goals(view)) == ()


@pytest.mark.parametrize(("axis", "allies"), [(0, 0), (129, 100), (100, 129)])
def test_the_goals_fit_the_column_of_a_large_screen(axis: int, allies: int) -> None:
    goals = replace(qmg(axis, allies), sources=(), notes=())
    assert max(cell_len(row_text(row)) for row in goal_rows(goals)) < 48


@pytest.mark.parametrize("scenario", list(standard_game_data().scenarios))
def test_every_goal_of_carrier_battle_fits_on_one_line_of_a_small_screen(scenario: str) -> None:
    view = CBPS.project(battle(scenario), Role("us"))
    lines = [row_text(row) for row in goal_rows(load_presenter(CBPS).goals(view))]
    assert max(map(len, lines)) <= 76
    assert "What counts:" in lines
