"""Checks a position's frames. They must nest as in a game and refer to units that are present (4, 7.2)."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.frames import (
    BattleFrame,
    BattlesFrame,
    BombingFrame,
    CardPlayFrame,
    DeclarationFrame,
    DisengagementFrame,
    EmergencyFrame,
    EvacuationFrame,
    EventFrame,
    ExchangeFrame,
    Frame,
    FrameBase,
    HitsFrame,
    InitiativeFrame,
    KamikazeFrame,
    LossFrame,
    MovementFrame,
    OffensiveFrame,
    OpeningFrame,
    OrderedReactionFrame,
    Phase,
    ReinforcementFrame,
    ReplacementFrame,
    RetreatFrame,
    StackFrame,
    StackingFrame,
    SwapCardFrame,
    TakeCardFrame,
    TurnFrame,
)
from engine.eots.ids import UnitId
from engine.eots.position import Position
from engine.eots.state import DELAY_BOX, TURN_TRACK
from engine.kernel.vocabulary import Problem

Kinds = frozenset[type[FrameBase]]

IN_PHASE: Final[dict[Phase, Kinds]] = {
    Phase.REINFORCEMENT: frozenset({ReinforcementFrame}),
    Phase.REPLACEMENT: frozenset({ReplacementFrame}),
    Phase.STRATEGIC_WARFARE: frozenset({BombingFrame}),
    Phase.DEAL: frozenset({TakeCardFrame, SwapCardFrame}),
    Phase.INITIATIVE: frozenset({InitiativeFrame}),
    Phase.OFFENSIVES: frozenset({CardPlayFrame}),
    Phase.NATIONAL_STATUS: frozenset({StackingFrame, EmergencyFrame, EvacuationFrame}),
    Phase.POLITICAL_WILL: frozenset(),
    Phase.ATTRITION: frozenset(),
    Phase.END_OF_TURN: frozenset(),
}
"""For each segment, the types of frames that may be directly inside the turn's frame."""
_STEPS: Final[Kinds] = frozenset(
    {
        MovementFrame,
        DisengagementFrame,
        DeclarationFrame,
        OrderedReactionFrame,
        BattlesFrame,
        EmergencyFrame,
        StackingFrame,
        RetreatFrame,
        LossFrame,
        KamikazeFrame,
        EventFrame,
    }
)
INNER_FRAME_KINDS: Final[dict[type[FrameBase], Kinds]] = {
    CardPlayFrame: frozenset({OffensiveFrame, StackingFrame, OpeningFrame, EventFrame, LossFrame}),
    OffensiveFrame: _STEPS,
    MovementFrame: frozenset({StackFrame, DisengagementFrame, EventFrame}),
    StackFrame: frozenset({DisengagementFrame}),
    KamikazeFrame: frozenset({LossFrame}),
    OpeningFrame: frozenset({EventFrame}),
    EventFrame: frozenset({LossFrame, ExchangeFrame}),
    BattlesFrame: frozenset({BattleFrame}),
    BattleFrame: frozenset({HitsFrame}),
    ReinforcementFrame: frozenset({ReinforcementFrame}),
    ReplacementFrame: frozenset({ReplacementFrame}),
    StackingFrame: frozenset({StackingFrame, EmergencyFrame, EvacuationFrame}),
    EmergencyFrame: frozenset({EvacuationFrame}),
    DisengagementFrame: frozenset({DisengagementFrame}),
}
"""Types of frames that may be directly inside each type of frame. A type without an entry cannot contain any frames."""
LAST_STEP: Final = 15
_MODES: Final = (None, "ground", "air", "naval", "landing")
"""Possible modes of a stack. None is the mode before the stack's first leg."""


def frame_problems(position: Position) -> Iterator[Problem]:
    """Yield the reasons why no game can reach the point that the frames describe."""
    frames = position.frames
    if not frames:
        yield "frames", "there are no frames; at least the turn's frame is needed"
        return
    if not isinstance(frames[0], TurnFrame):
        yield "frames[0]", "the outermost frame must be the turn's"
        return
    for index, (outer_frame, inner_frame) in enumerate(pairwise(frames), start=1):
        if type(inner_frame) not in _allowed_kinds(outer_frame):
            yield (
                f"frames[{index}]",
                f"'{_frame_tag(inner_frame)}' cannot be inside '{_frame_tag(outer_frame)}'",
            )
        elif (
            isinstance(inner_frame, HitsFrame)
            and isinstance(outer_frame, BattleFrame)
            and (inner_frame.fallen > outer_frame.intrinsic)
        ):
            problem = f"{inner_frame.fallen} intrinsic units were lost, but the battle has {outer_frame.intrinsic}"
            yield f"frames[{index}].fallen", f"{problem} (13.76)"
        elif isinstance(outer_frame, TurnFrame) and not outer_frame.entered:
            yield (
                "frames[0].entered",
                "the segment has frames of its own, so it must have been entered",
            )
    in_offensive = any(isinstance(frame, OffensiveFrame) for frame in frames)
    if position.offensive is None and in_offensive and _needs_record(frames):
        yield "offensive", "the frames are inside an offensive, but there is none"
    if position.offensive is not None and not in_offensive:
        yield "offensive", "there is an offensive, but no frame is inside it"
    for index, frame in enumerate(frames):
        yield from _content_problems(position, frame, f"frames[{index}]")


def _frame_tag(frame: Frame) -> str:
    return str(type(frame).__struct_config__.tag)


def _allowed_kinds(outer_frame: Frame) -> Kinds:
    if isinstance(outer_frame, TurnFrame):
        return IN_PHASE[outer_frame.phase]
    return INNER_FRAME_KINDS.get(type(outer_frame), frozenset())


def _needs_record(frames: tuple[Frame, ...]) -> bool:
    """Return whether the frames require the record of an offensive. In the last step, it may already be gone (7.28)."""
    return any(isinstance(frame, OffensiveFrame) and frame.step < LAST_STEP for frame in frames)


def _content_problems(position: Position, frame: Frame, path: str) -> Iterator[Problem]:
    """Yield problems with the contents of one frame."""
    match frame:
        case ReinforcementFrame():
            yield from _waiting_unit_problems(position, frame, path)
        case BombingFrame(waiting=waiting_units):
            strangers = [unit for unit in waiting_units if not counters()[unit].b29]
            yield from _unit_problems(f"{path}.waiting", strangers, "is not a B29 (12.3)")
        case StackFrame():
            yield from _stack_problems(position, frame, path)
        case MovementFrame(side=side, halted=halted):
            strangers = [unit for unit in halted if counters()[unit].side is not side]
            yield from _unit_problems(f"{path}.halted", strangers, "belongs to the other side")
        case BattleFrame():
            yield from _battle_problems(position, frame, path)
        case EventFrame(card=card, waiting=waiting_units):
            last_effect = len(cards()[card].effects) - 1
            if max(waiting_units, default=0) > last_effect:
                yield f"{path}.waiting", f"the steps of {card} are numbered 0 to {last_effect}"
        case HitsFrame(targets=targets) | LossFrame(targets=targets):
            yield from _combatant_problems(targets, f"{path}.targets")
        case _:
            yield from _off_map_problems(position, _moving_units(frame), path)


def _battle_problems(position: Position, frame: BattleFrame, path: str) -> Iterator[Problem]:
    """Yield problems with a battle in progress (9.0)."""
    if position.offensive is not None and frame.hex not in position.offensive.battles:
        yield f"{path}.hex", f"{frame.hex} is not a battle hex of the offensive"
    if len(frame.places) != len(frame.participants):
        yield f"{path}.places", "each participant needs exactly one place"
    yield from _combatant_problems(frame.participants, f"{path}.participants")
    for index, hits in enumerate(frame.hits):
        yield from _content_problems(position, hits, f"{path}.hits[{index}]")
        if hits.hex != frame.hex:
            yield f"{path}.hits[{index}].hex", f"{hits.hex} is not the hex of the battle"


def _combatant_problems(units: tuple[UnitId, ...], path: str) -> Iterator[Problem]:
    yield from _unit_problems(
        path, [unit_id for unit_id in units if counters()[unit_id].is_hq], "has no strength (OPB-6)"
    )


def _unit_problems(path: str, units: Iterable[UnitId], problem: str) -> Iterator[Problem]:
    for unit in units:
        yield path, f"{unit} {problem}"


def _moving_units(frame: Frame) -> tuple[UnitId, ...]:
    """Return the units that a frame is about to move out of their hexes."""
    if isinstance(frame, (EmergencyFrame, RetreatFrame, EvacuationFrame, OpeningFrame)):
        return frame.waiting
    return frame.may_leave if isinstance(frame, DisengagementFrame) else ()


def _places_by_unit(position: Position) -> dict[UnitId, str]:
    return {setup.unit: setup.at for setup in position.units}


def _waiting_unit_problems(
    position: Position, frame: ReinforcementFrame, path: str
) -> Iterator[Problem]:
    places = _places_by_unit(position)
    for unit in frame.waiting:
        if counters()[unit].side is not frame.side:
            yield f"{path}.waiting", f"{unit} belongs to the other side"
        elif places[unit] not in {TURN_TRACK, DELAY_BOX}:
            yield f"{path}.waiting", f"{unit} in {places[unit]} is not waiting to arrive (10.1)"


def _stack_problems(position: Position, frame: StackFrame, path: str) -> Iterator[Problem]:
    places = _places_by_unit(position)
    if frame.mode not in _MODES:
        mode_names = ", ".join(filter(None, _MODES))
        yield f"{path}.mode", f"'{frame.mode}' is not one of {mode_names} (8.1)"
    if not frame.units:
        yield f"{path}.units", "no unit moves"
    for unit in frame.units:
        if counters()[unit].side is not frame.side:
            yield f"{path}.units", f"{unit} belongs to the other side"
        elif places[unit] != frame.at:
            yield f"{path}.units", f"{unit} is in {places[unit]}, not with the stack in {frame.at}"


def _off_map_problems(
    position: Position, units: tuple[UnitId, ...], path: str
) -> Iterator[Problem]:
    places = _places_by_unit(position)
    for unit in units:
        if not places[unit].isdigit():
            yield path, f"{unit} in {places[unit]} is not on the map"
