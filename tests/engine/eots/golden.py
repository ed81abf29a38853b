"""Random samples of positions in the golden games, for testing properties that must hold throughout a game."""

import random
from collections.abc import Iterator
from typing import Final

from engine.eots.flow import top_frame
from engine.eots.frames import FrameBase
from engine.eots.ruleset import EOTS
from engine.eots.state import State
from tests.golden_games.corpus import pins, positions, read
from tests.sizes import sampled

GAMES: Final = sampled(sorted(name for name in pins() if name.startswith("eots-")), 7)


def positions_in(name: str, kind: type[FrameBase], most: int, chance: random.Random) -> list[State]:
    """Return at most the given number of positions in a golden game whose question belongs to a kind of frame."""
    found = list(_positions_in(name, kind))
    return chance.sample(found, min(most, len(found)))


def _positions_in(name: str, kind: type[FrameBase]) -> Iterator[State]:
    _, records = read(name)
    for _, state in positions(EOTS, records):
        if state.outcome is None and state.frames and isinstance(top_frame(state), kind):
            yield state
