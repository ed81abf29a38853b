"""Of every commitment in step 3 and step 8: what is offered is exactly what no rule refuses (7.24, 7.26)."""

import random

import pytest

from engine.eots.board import board
from engine.eots.ch07_offensive.declaration import DeclarationHandler
from engine.eots.commands import Cover, EotsCommand, Join
from engine.eots.flow import top
from engine.eots.frames import DeclarationFrame
from engine.eots.state import current
from tests.engine.eots.golden import GAMES, positions_in

QUESTIONS = 4
"""Declarations of a game that are looked at."""
STRANGERS = 30
"""Other commitments that are tried."""


@pytest.mark.parametrize("name", GAMES)
def test_7_24_7_26_commitments_are_offered_that_no_rule_refuses(name: str) -> None:
    chance = random.Random(name)
    handler = DeclarationHandler()
    for state in positions_in(name, DeclarationFrame, QUESTIONS, chance):
        frame = top(state)
        assert isinstance(frame, DeclarationFrame)
        side = frame.side
        offered = set(handler.options(state, frame, side))
        offensive = current(state)
        units = [*offensive.activated, *offensive.reaction.activated, *sorted(state.units)[:9]]
        hexes = [*board().index, *sorted(offensive.battles)]
        tried: list[EotsCommand] = sorted(offered, key=repr)[:STRANGERS]
        for _ in range(STRANGERS):
            unit, at = chance.choice(units), chance.choice(hexes)
            tried += [Join(unit=unit, at=at), Cover(unit=unit, at=at)]
        for order in tried:
            refused = list(handler.why_not(state, frame, side, order))
            assert handler.is_option(state, frame, side, order) is (order in offered), order
            assert (not refused) is (order in offered), (order, refused)
