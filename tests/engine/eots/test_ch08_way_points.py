"""A way point is an option only if a legal end of the move is still possible (8.21, 8.31, 8.45, 7.24)."""

import random

import pytest

from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch08_movement.air import FLY
from engine.eots.ch08_movement.amphibious import landing_ends
from engine.eots.ch08_movement.legs import LegCommand
from engine.eots.ch08_movement.naval import sail_ends
from engine.eots.ch08_movement.stack import can_halt
from engine.eots.commands import AssaultVia, FlyVia, SailVia
from engine.eots.flow import top_frame
from engine.eots.frames import MovementFrame, StackFrame
from engine.eots.ids import Side
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.dice import DraftDice
from tests.engine.eots.declarable import is_declarable
from tests.engine.eots.golden import GAMES, positions_in

QUESTIONS = 5
"""Number of stacks per game that are examined."""
WAY_POINTS = 4
"""Number of way points per stack that are tried, those among enemies first."""

Via = SailVia | FlyVia | AssaultVia


@pytest.mark.parametrize("name", GAMES)
def test_8_21_8_31_8_45_waypoints_leave_a_legal_end(name: str) -> None:
    chance = random.Random(name)
    for state in positions_in(name, StackFrame, QUESTIONS, chance):
        for way_point in _some(state, WAY_POINTS, chance):
            check_way_point(state, way_point)


def _some(state: State, most: int, chance: random.Random) -> list[Via]:
    (role,) = EOTS.active_roles(state)
    options = EOTS.decision(state, role).options
    listed = [option for option in options if isinstance(option, Via)]
    held = occupancy(state)
    enemies = [at for at in listed if held.bitsets.bit_by_id[at.to] & held.anyone[Side(role).enemy]]
    few = chance.sample(enemies, min(most // 2, len(enemies)))
    return few + chance.sample(listed, min(most - len(few), len(listed)))


def check_way_point(state: State, way_point: Via) -> None:
    """Move to the way point and check that a legal end remains and the possible ends stay the same."""
    (role,) = EOTS.active_roles(state)
    after = EOTS.fold(state, EOTS.decide(state, role, way_point, DraftDice()))
    frame = top_frame(after)
    if not isinstance(frame, StackFrame):  # ending there was the only option left
        assert not isinstance(frame, MovementFrame) or is_declarable(after), way_point
        return
    assert frame.at == way_point.to
    (role,) = EOTS.active_roles(after)
    onward = EOTS.decision(after, role).options
    assert can_halt(after, frame) or any(isinstance(leg, LegCommand) for leg in onward), way_point
    assert _ends(after, way_point) == _ends(state, way_point), way_point


def _ends(state: State, way_point: Via) -> tuple[Bits, ...]:
    frame = top_frame(state)
    assert isinstance(frame, StackFrame)
    if isinstance(way_point, SailVia):
        return (sail_ends(state, frame),)
    if isinstance(way_point, FlyVia):
        return (FLY.fields(state, frame),)
    return landing_ends(state, frame, is_organic=False), landing_ends(state, frame, is_organic=True)
