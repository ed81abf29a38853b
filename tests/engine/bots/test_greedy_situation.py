"""What the greedy player derives from a view, compared with a simple count over the whole map."""

import pytest
from msgspec.structs import replace

from engine.bots.greedy_eots_situation import NO_FRONT_DISTANCE, EotsSituation
from engine.eots.board import board
from engine.eots.ids import HexId, Side
from engine.eots.view import project_state
from tests.engine.eots.positions import state_1943, with_control, with_tracks


@pytest.mark.parametrize("side", list(Side))
def test_targets_are_enemy_hexes_with_a_capture_value(side: Side) -> None:
    now = EotsSituation.from_view(project_state(state_1943(), side), side)
    wanted = [at for at in board().ids if board().hexes[at].is_land and now.capture_value(at) > 0]
    assert list(now.targets) == wanted
    assert wanted
    assert not any(now.is_own(at) for at in wanted)


@pytest.mark.parametrize("side", list(Side))
def test_front_distance_is_measured_to_the_nearest_target(side: Side) -> None:
    now = EotsSituation.from_view(project_state(state_1943(), side), side)
    for at in board().ids[::37]:
        wanted = min(board().distance(at, target) for target in now.targets)
        assert now.front_distance(at) == wanted
    assert now.front_distance("china-box") == NO_FRONT_DISTANCE


def test_own_and_plain_hexes_have_no_capture_value() -> None:
    now = EotsSituation.from_view(project_state(state_1943(), Side.ALLIED), Side.ALLIED)
    assert now.capture_value(HexId("5808")) == 0  # Oahu
    rabaul = HexId("4021")
    assert not now.is_own(rabaul)
    row = board().hexes[rabaul]
    assert row.port
    assert now.capture_value(rabaul) > 0


@pytest.mark.parametrize(
    ("taken", "is_wanted"),
    [
        pytest.param("3822", False, id="16.47-2-location"),
        pytest.param("1406", True, id="13.63-continental-india"),
    ],
)
def test_progress_of_the_war_follows_the_rules(taken: str, is_wanted: bool) -> None:
    state = with_tracks(state_1943(), allied_asp_after_reinforcement=1)
    before = with_control(state, Side.JAPAN, (taken,)).control
    after = with_control(replace(state, control_at_turn_start=before), Side.ALLIED, (taken,))
    now = EotsSituation.from_view(project_state(after, Side.ALLIED), Side.ALLIED)
    assert now.wants_progress is is_wanted
