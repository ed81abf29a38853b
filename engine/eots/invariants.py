"""Conditions that every position of an unredacted game must meet. Fuzz tests check them after each command."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.control import units_at
from engine.eots.counters import counters
from engine.eots.frames import (
    BombingFrame,
    CardPlayFrame,
    InitiativeFrame,
    OpeningFrame,
    ReinforcementFrame,
    ReplacementFrame,
    SwapCardFrame,
    TakeCardFrame,
    TurnFrame,
)
from engine.eots.ids import HexId
from engine.eots.position import Position, position_from_state
from engine.eots.position_december import december_problems
from engine.eots.position_rules import (
    card_problems,
    control_problems,
    track_problems,
    unit_problems,
)
from engine.eots.rulings import NAVAL_STACKING
from engine.eots.state import State
from engine.kernel.vocabulary import Problem, ReferenceChecker

STACK: Final = 3
"""Maximum number of air and ground units in a hex between card plays (8.34)."""
NAVAL_STACK: Final = 6
"""Maximum number of naval units in a hex between card plays (8.24, OP-10)."""
_STILL: Final = (
    TurnFrame,
    CardPlayFrame,
    ReinforcementFrame,
    ReplacementFrame,
    BombingFrame,
    TakeCardFrame,
    SwapCardFrame,
    InitiativeFrame,
    OpeningFrame,
)
"""If the stack contains only frames of these types, no unit is about to leave its hex."""
_BOUNDED: Final = ReferenceChecker({})
"""Checks that each number is within its field's bounds."""


def rule_problems(position: Position) -> Iterator[Problem]:
    """Yield problems with units, control, cards and markers that no position may have."""
    yield from unit_problems(position)
    yield from control_problems(position)
    yield from card_problems(position)
    yield from track_problems(position)
    yield from december_problems(position)


def violations(state: State) -> Iterator[str]:
    """Yield a sentence for every violated invariant."""
    numbered = {"tracks": state.tracks, "pools": state.pools} | {
        f"decks.{side}": deck for side, deck in state.decks.items()
    }
    problems = (_BOUNDED.problems(share, path) for path, share in numbered.items())
    for path, problem in chain(*problems, rule_problems(position_from_state(state))):
        yield f"{path}: {problem}"
    yield from stacking_violations(state)


def stacking_violations(state: State) -> Iterator[str]:
    """Yield problems with stacking between plays, and with hex control while no units are moving (8.24, 8.34, 6.5)."""
    is_between = all(isinstance(frame, CardPlayFrame | TurnFrame) for frame in state.frames[-1:])
    if state.offensive is None and state.frames and is_between:
        yield from _between_play_violations(state)
    if state.offensive is None and all(isinstance(frame, _STILL) for frame in state.frames):
        yield from _without_control(state)


def _without_control(state: State) -> Iterator[str]:
    """Yield each unit in an enemy-controlled land hex. It should have captured the hex or left it (6.5, 8.22, 8.32).

    When a hex changes hands, ships and aircraft leave it by the end of the same offensive or political phase. At other
    times, only Manchukuo changes hands, and no unit may enter Manchukuo (13.91).
    """
    for hex_id, units in units_at(state).items():
        if hex_id not in board().hexes:
            continue
        holder = state.control.get(HexId(hex_id))
        for unit in units:
            row = counters()[unit]
            if row.is_naval and holder is row.side.enemy:
                yield f"{unit} is in {hex_id}, which the other side controls (8.22)"
            elif holder is not row.side and not row.is_naval:
                yield f"{unit} is in {hex_id}, which the other side controls (6.5)"


def _between_play_violations(state: State) -> Iterator[str]:
    for hex_id, units in units_at(state).items():
        if hex_id not in board().hexes:
            continue
        rows = [counters()[unit] for unit in units]
        if len({row.side for row in rows}) > 1:
            yield f"units of both sides are in {hex_id}"
        groups = [row.air_stack_group or row.id for row in rows if row.is_air]
        land = len(set(groups)) + sum(row.is_ground for row in rows)
        if land > STACK:
            yield f"{land} air and ground units in {hex_id} (8.34)"
        if sum(row.is_naval for row in rows) > NAVAL_STACK and not NAVAL_STACKING.uses_alternative(
            state.options
        ):
            yield f"too many naval units in {hex_id} (8.24)"
        if sum(row.is_hq for row in rows) > 1:
            yield f"two HQs in {hex_id} (6.11)"
