"""The forecast of a battle, compared with its actual result (6, 10.4, 12.1)."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg.board_analysis import board_analysis
from engine.qmg.ch10_answers import can_respond
from engine.qmg.commands import Build
from engine.qmg.events import PieceRemoved
from engine.qmg.forecast import PieceId, forecast_command, forecast_loss, state_from_view
from engine.qmg.ids import ARMY, FORCES, MEMBERS, NAVY, TEAM_BY_FORCE, other_team
from engine.qmg.ruleset import QMG
from engine.qmg.run import action_trigger
from engine.qmg.state import Shield, State
from tests.engine.qmg.random_games import SCENARIOS, game
from tests.engine.qmg.table import Table
from tests.engine.qmg.test_leaks import resampled
from tests.engine.random_games import derived

Loss = tuple[State, Role, PieceId, str]


def losses(scenario: str) -> Iterator[Loss]:
    """Yield every eighth piece in positions of a random game, seen by the country that moves, with an enemy force."""
    for step in (one for one in game(scenario) if one.state.active):
        pieces = [
            (force, kind, space)
            for force in FORCES
            for kind in (ARMY, NAVY)
            for space in getattr(QMG.project(step.state, None).pieces.get(force), kind, ())
        ]
        for piece in pieces[::8]:
            yield step.state, step.role, piece, MEMBERS[other_team(TEAM_BY_FORCE[piece[0]])][0]


def hungry(state: State) -> set[PieceId]:
    now = board_analysis(state)
    return {(force, *piece) for force in FORCES for piece in now.unsupplied_pieces(force)}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_9_3_hidden_cards_do_not_affect_the_forecast(scenario: str) -> None:
    dice = derived(f"forecast {scenario}")
    answered = 0
    for state, role, piece, by in losses(scenario):
        other = resampled(state, role, None, dice)
        found = forecast_loss(QMG.project(state, role), piece, by)
        assert forecast_loss(QMG.project(other, role), piece, by) == found
        answered += bool(found.answers)
    assert answered


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_6_12_1_a_removal_changes_supply_and_points_as_forecast(scenario: str) -> None:
    cut = scored = 0
    for state, role, piece, by in losses(scenario):
        force, kind, space = piece
        told = forecast_loss(QMG.project(state, role), piece, by)
        gone = PieceRemoved(force=force, piece=kind, space=space, why="battle")
        then = QMG.evolve(state, gone)
        assert set(told.newly_unsupplied) == hungry(then) - hungry(state)
        assert set(told.newly_supplied) == hungry(state) - hungry(then) - {piece}
        before, after = QMG.project(state, None).points, QMG.project(then, None).points
        for name, now, later in told.points:
            assert now in {0, before[name]}  # none with an enemy Army in the Home (12.2)
            assert later in {0, after[name]}
        cut += bool(told.newly_unsupplied)
        scored += bool(told.points)
    assert cut
    assert scored


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_10_5_a_protected_piece_is_forecast_to_stay(scenario: str) -> None:
    protected = 0
    for state, role, piece, by in losses(scenario):
        force, kind, space = piece
        shield = Shield(force=force, piece=kind, space=space)
        shielded = replace(state, turn=replace(state.turn, shields=(shield,)))
        view = QMG.project(shielded, role)
        assert view.protected == (piece,)
        assert forecast_loss(view, piece, by).is_protected
        assert not forecast_loss(QMG.project(state, role), piece, by).is_protected
        protected += 1
    assert protected


def test_10_5_each_piece_protected_by_one_card_is_forecast_to_stay() -> None:
    table = Table(
        "total-war",
        "active germany",
        "homes",
        "piece ussr army siberia kazakhstan ukraine",
        "piece germany army russia",
        "hand germany de_land_battle#1 de_sea_battle#1",
        "response ussr su_tw_endless_expanses",
    )
    table.until("8.2", "germany")
    table("ussr: use su_tw_endless_expanses#1")
    view = QMG.project(table.state, Role("germany"))
    assert set(view.protected) == {("ussr", ARMY, "siberia"), ("ussr", ARMY, "kazakhstan")}
    for space in ("siberia", "kazakhstan", "ukraine"):
        change = forecast_loss(view, ("ussr", ARMY, space), "germany")
        assert change.is_protected == (space != "ukraine")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_10_4_all_countries_that_may_respond_are_forecast(scenario: str) -> None:
    for state, role, piece, by in losses(scenario):
        owner, kind, space = piece
        event = action_trigger("battled", by, space=space, piece=kind, owner=owner)
        told = {one.country for one in forecast_loss(QMG.project(state, role), piece, by).answers}
        asked = {
            one for one in FORCES if one != role and can_respond(table(state, role), one, event, ())
        }
        assert asked <= told


def table(state: State, role: Role) -> State:
    return state_from_view(QMG.project(state, role))


def test_12_1_an_army_entering_a_supply_space_scores() -> None:
    opened = Table("base")
    order = Build(force="germany", piece=ARMY, space="western_europe")
    change = forecast_command(QMG.project(opened.state, Role("germany")), order)
    assert change is not None
    assert change.added == ("germany", ARMY, "western_europe")
    assert change.points == (("germany", 2, 4),)
    assert not change.newly_unsupplied


def test_a_table_built_from_a_view_gives_the_same_view() -> None:
    for step in game(SCENARIOS[0]):
        view = QMG.project(step.state, step.role)
        again = QMG.project(state_from_view(view), step.role)
        for name in ("pieces", "unsupplied", "points", "straits", "own", "active", "round"):
            assert getattr(again, name) == getattr(view, name), name
