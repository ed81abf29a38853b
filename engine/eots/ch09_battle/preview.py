"""Previews of both sides' rolls in a battle, for the battle board (9.2, 9.4)."""

from typing import Final

import msgspec

from engine.eots.ch06_supply.control import intrinsic_units
from engine.eots.ch09_battle import air_naval, ground
from engine.eots.ch09_battle.participants import (
    adds_strength,
    is_air_naval,
    participants,
    present_units,
)
from engine.eots.ch09_battle.strength import AIR_NAVAL, GROUND, hits_scored
from engine.eots.events.battle import BattleModifier, CombatRoll, UnitStrength
from engine.eots.frames import BattleFrame
from engine.eots.ids import D10, HexId, Side, UnitId
from engine.eots.state import Condition, State, current_offensive
from engine.kernel.memo import IdentityMemo
from engine.kernel.tables import DieTable

_MEMO: Final = IdentityMemo["tuple[BattlePreview, ...]"](32)


class RollPreview(msgspec.Struct, frozen=True, kw_only=True):
    """A preview of one side's roll in the current position."""

    side: Side
    strengths: tuple[UnitStrength, ...]
    total: int
    modifiers: tuple[BattleModifier, ...]
    modifier: int
    """Sum of the modifiers."""
    hits: tuple[int, ...]
    """Hits for each die face from 0 to 9."""
    critical_faces: tuple[int, ...] = ()
    """Faces that score a critical hit."""


class BattlePreview(msgspec.Struct, frozen=True, kw_only=True):
    """A battle before any rolls. The ground combat assumes no losses in the air-naval combat."""

    at: HexId
    offensive: Side
    condition: Condition
    participants: tuple[UnitId, ...]
    targets_only: tuple[UnitId, ...]
    """Air and naval units that add no strength but can be hit (9.12, OPB-34)."""
    intrinsic: int
    """Japan's intrinsic units in the hex (13.76, 13.94)."""
    order: tuple[tuple[Side, ...], ...]
    """Order of the air-naval rolls. Sides in the same group roll simultaneously (9.2C-E)."""
    air_naval: tuple[RollPreview, ...]
    """At most one roll per side, starting with the Offensive player's."""
    ground: tuple[RollPreview, ...]
    """Two rolls if both sides have ground units that would fight, otherwise none."""


def previews(state: State) -> tuple[BattlePreview, ...]:
    """Return previews of all unresolved battles, sorted by hex; cached (9.2, 9.4)."""
    offensive = state.offensive
    if offensive is None or not offensive.battles:
        return ()
    battle = next((frame for frame in state.frames if isinstance(frame, BattleFrame)), None)
    key = (state.units, state.control, state.tracks, offensive, battle, state.options, state.turn)
    return _MEMO.get(
        state,
        key,
        lambda: tuple(
            preview_battle(state, at)
            for at, battle in sorted(offensive.battles.items())
            if not battle.resolved
        ),
    )


def preview_battle(state: State, at: HexId) -> BattlePreview:
    """Return both sides' totals, modifiers and hits for a battle hex in the current position (9.2, 9.4)."""
    frame = _frame(state, at)
    offensive = current_offensive(state)
    sides = (offensive.side, offensive.side.enemy)
    present = tuple(unit for side in sides for unit in present_units(state, frame, side))
    return BattlePreview(
        at=at,
        offensive=offensive.side,
        condition=offensive.condition,
        participants=frame.participants,
        targets_only=tuple(
            unit
            for unit in sorted(present)
            if is_air_naval(unit) and not adds_strength(state, at, unit)
        ),
        intrinsic=frame.intrinsic,
        order=air_naval.roll_order(state),
        air_naval=tuple(
            preview_air_naval_roll(state, frame, side)
            for side in sides
            if air_naval.is_rolling(state, frame, side)
        ),
        ground=tuple(preview_ground_roll(state, frame, side) for side in sides)
        if ground.is_fought(state, frame)
        else (),
    )


def _frame(state: State, at: HexId) -> BattleFrame:
    """Return the battle's frame if it is in progress, otherwise the frame with which it would begin."""
    for frame in state.frames:
        if isinstance(frame, BattleFrame) and frame.hex == at and frame.begun:
            return frame
    units = participants(state, at)
    return BattleFrame(
        hex=at,
        begun=True,
        participants=units,
        places=tuple(state.units[unit].at for unit in units),
        intrinsic=intrinsic_units(state, at),
    )


def preview_air_naval_roll(state: State, frame: BattleFrame, side: Side) -> RollPreview:
    """Return the result of each die face for a side's air-naval roll made now (9.2)."""
    first = air_naval.air_naval_volley(state, frame, side, 0).rolled
    critical = tuple(
        face
        for face in D10.faces
        if air_naval.is_critical(state, frame, side, face, face + first.modified)
    )
    return _build_preview(first, AIR_NAVAL, critical)


def preview_ground_roll(state: State, frame: BattleFrame, side: Side) -> RollPreview:
    """Return the result for each die face in the ground combat (9.4)."""
    return _build_preview(ground.ground_volley(state, frame, side, 0).rolled, GROUND, ())


def _build_preview(
    first: CombatRoll, rating: DieTable[int], critical: tuple[int, ...]
) -> RollPreview:
    """Build a preview from the result of a roll of 0, whose modified value is the sum of the modifiers."""
    return RollPreview(
        side=first.side,
        strengths=first.strengths,
        total=first.total,
        modifiers=first.modifiers,
        modifier=first.modified,
        hits=tuple(
            hits_scored(first.total, rating.result(face + first.modified)) for face in D10.faces
        ),
        critical_faces=critical,
    )
