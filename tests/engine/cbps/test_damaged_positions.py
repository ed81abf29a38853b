"""Damaged positions are either refused with a sentence or playable."""

from random import Random

import pytest
from msgspec.structs import replace

from engine.cbps import frames as f
from engine.cbps.position_checks.checks import check_position
from engine.cbps.ruleset import CBPS
from engine.kernel.errors import PositionError
from tests.engine.cbps.battle import battle
from tests.engine.cbps.random_games import SCENARIOS, game
from tests.engine.damage import check_damaged
from tests.sizes import sampled, sized

FAR = sized(4, 15)
"""Number of commands to play from an accepted position."""


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 2))
def test_damaged_positions_are_refused_or_playable(scenario: str) -> None:
    refused, played = check_damaged(
        "cbps",
        [CBPS.to_position(step.state) for step in game(scenario)[:: sized(6, 3, 1)]],
        Random(f"damaged {scenario}"),
        sized(3, 6, 20),
        FAR,
        ("", "nonsense"),
        ("frames", "turn", "outcome"),
    )
    assert refused
    assert played


TURN, PHASE = f.TurnFrame(step="phase"), f.PhaseFrame(segment=3)
WRONG = {
    "lies-nowhere": ((PHASE,), "frames.0", "cannot be here"),
    "lies-wrong": ((TURN, f.OperationsFrame()), "frames.1", "cannot be here"),
    "no-mission": (
        (TURN, PHASE, f.StrikesFrame(), f.ContactFrame(mission="strike-8", targets=())),
        "frames.3.mission",
        "'strike-8'",
    ),
    "no-search": ((TURN, PHASE, f.SearchFlightFrame(left=("search-9",))), "frames.2.left", "'search-9'"),
    "no-unit": (
        (TURN, PHASE, f.SafeReturnFrame(left=(("hornet-f9", "hornet", 1),))),
        "frames.2.left",
        "'hornet-f9'",
    ),
    "no-carrier": (
        (TURN, PHASE, f.OperationsFrame(landings=(("hornet-f1", "iowa", 1),))),
        "frames.2.landings",
        "'iowa'",
    ),
    "no-seat": ((TURN, PHASE, f.AirMovementFrame(done=("us-2",))), "frames.2.done", "'us-2'"),
    "no-chits": ((TURN, PHASE, f.ActivationFrame(left=-1)), "frames.2.left", "chits"),
    "no-segment": ((TURN, f.PhaseFrame(segment=42)), "frames.1.segment", "segments"),
}  # fmt: skip


@pytest.mark.parametrize(("frames", "path", "words"), WRONG.values(), ids=WRONG.keys())
def test_an_impossible_frame_is_reported_with_its_path(
    frames: tuple[f.FrameBase, ...], path: str, words: str
) -> None:
    position = replace(CBPS.to_position(battle("6")), frames=frames)
    with pytest.raises(PositionError) as caught:
        check_position(position)
    assert path in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("field", "name", "change", "path"),
    [
        ("ships", "hornet", {"group": "58.9"}, "ships.hornet.group"),
        ("ships", "hornet", {"hex": "9999"}, "ships.hornet.hex"),
        ("groups", "58.1", {"commander": "us-4"}, "groups.58.1.commander"),
        ("missions", "intercept-1", {"cap": "58.9"}, "missions.intercept-1.cap"),
        ("missions", "intercept-1", {"groups": ("58.9",)}, "missions.intercept-1.groups"),
    ],
)
def test_an_unknown_name_is_reported_with_its_path(
    field: str, name: str, change: dict[str, object], path: str
) -> None:
    position = CBPS.to_position(battle("6"))
    parts = getattr(position, field)
    changed = {**parts, name: replace(parts[name], **change)}
    with pytest.raises(PositionError) as caught:
        check_position(replace(position, **{field: changed}))
    assert path in str(caught.value)
