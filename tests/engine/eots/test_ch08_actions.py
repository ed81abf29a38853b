"""Every kind of movement order: the options are exactly the orders that no rule refuses (7.23, 8.2-8.4)."""

import random
from collections.abc import Iterator

import pytest

from engine.eots.board import board
from engine.eots.ch08_movement.fleet import activated_units, probe_frame
from engine.eots.ch08_movement.legs import Leg, LegCommand, leg_command
from engine.eots.ch08_movement.moves import PICKING
from engine.eots.ch08_movement.stack import JOINING_STACK, LEGS
from engine.eots.commands import Enlist, Pick
from engine.eots.flow import top_frame
from engine.eots.frames import MovementFrame, StackFrame
from engine.eots.ids import CHINA_BOX
from engine.eots.state import State
from tests.engine.eots.golden import GAMES, positions_in
from tests.sizes import sampled

QUESTIONS = 4
"""Number of stacks per game that are examined."""
PLACES = 24
"""Number of random places tried for every kind of leg. Up to half as many options are tried, too."""


def check_leg(leg: Leg, state: State, frame: StackFrame, chance: random.Random) -> int:
    """Return the number of options. Some of them, and all other orders, must agree with the refusals."""
    offered = set(leg.options(state, frame, frame.side))
    assert leg.is_open(state, frame, frame.side) is bool(offered)
    places = [*board().index, CHINA_BOX]
    tried: list[LegCommand] = [leg_command(leg.kind, at) for at in chance.sample(places, PLACES)]
    some = sorted(offered, key=lambda order: order.to)
    tried += chance.sample(some, min(PLACES // 2, len(some)))
    for order in tried:
        refused = list(leg.refusals(state, frame, frame.side, order))
        assert leg.is_legal(state, frame, frame.side, order) is (order in offered)
        assert (not refused) is (order in offered), (order, refused, frame)
    return len(offered)


def _stacks(state: State, frame: StackFrame) -> Iterator[StackFrame]:
    """Yield the stack as it is, with only its first unit, and with all units that may join."""
    yield frame
    if frame.mode is None:
        yield probe_frame(frame.side, frame.purpose, frame.units[:1], frame.at)
        joining = tuple(each.unit for each in JOINING_STACK.options(state, frame, frame.side))
        yield probe_frame(frame.side, frame.purpose, (*frame.units, *joining), frame.at)


@pytest.mark.parametrize("name", sampled(GAMES, 2))
def test_7_23_8_4_offered_legs_are_the_legal_ones(name: str) -> None:
    chance = random.Random(name)
    for state in positions_in(name, StackFrame, QUESTIONS, chance):
        frame = top_frame(state)
        assert isinstance(frame, StackFrame)
        for stack in _stacks(state, frame):
            for leg in LEGS:
                check_leg(leg, state, stack, chance)
            offered = set(JOINING_STACK.options(state, stack, stack.side))
            for unit in activated_units(state, stack.side):
                order = Enlist(unit=unit)
                assert JOINING_STACK.is_legal(state, stack, stack.side, order) is (order in offered)


@pytest.mark.parametrize("name", sampled(GAMES, 3))
def test_7_21_7_23_offered_picks_are_the_legal_ones(name: str) -> None:
    chance = random.Random(name)
    for state in positions_in(name, MovementFrame, QUESTIONS, chance):
        frame = top_frame(state)
        assert isinstance(frame, MovementFrame)
        offered = set(PICKING.options(state, frame, frame.side))
        assert PICKING.is_open(state, frame, frame.side) is bool(offered)
        for unit in chance.sample(sorted(state.units), PLACES):
            order = Pick(unit=unit)
            assert PICKING.is_legal(state, frame, frame.side, order) is (order in offered)


def test_8_2_8_4_every_leg_type_has_its_own_order() -> None:
    assert {leg.kind for leg in LEGS} == set(LegCommand.__args__)
    assert len(LEGS) == len(LegCommand.__args__)
