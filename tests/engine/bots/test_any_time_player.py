"""Which bots are offered commands that they were not asked for (QMG 4.2, 10.6)."""

import pytest

from engine.bots.player import uses_any_time
from engine.bots.registry import create_bot
from engine.kernel.dice import DerivedDice


@pytest.mark.parametrize(
    ("name", "game", "expected"),
    [
        pytest.param("random", "qmg", False, id="chance-would-take-pieces-off"),
        pytest.param("greedy", "qmg", True, id="weighs-them"),
        pytest.param("greedy", "eots", False, id="a-game-without-them"),
    ],
)
def test_only_supporting_bots_are_offered_any_time_commands(
    name: str, game: str, expected: bool
) -> None:
    assert uses_any_time(create_bot(name, game, DerivedDice(bytes(32), 0))) is expected
