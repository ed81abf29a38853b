"""Previews of both sides' rolls in a battle, for the battle board (9.2, 9.4)."""

from typing import Final

import msgspec

from engine.eots.ch09_battle import air_naval, ground
from engine.eots.ch09_battle.battle_view import BattleView, opening_frame
from engine.eots.ch09_battle.strength import AIR_NAVAL, GROUND, hits_scored
from engine.eots.events.battle import BattleModifier, CombatRoll, UnitStrength
from engine.eots.frames import BattleFrame
from engine.eots.ids import D10, HexId, Side, UnitId
from engine.eots.state import Condition, State, current_offensive
from engine.kernel.memo import Memo
from engine.kernel.tables import DieTable

_MEMO: Final = Memo["tuple[BattlePreview, ...]"](32)


class RollPreview(msgspec.Struct, frozen=True, kw_only=True):
    """A preview of one side's roll in the current position."""

    side: Side
    strengths: tuple[UnitStrength, ...]
    total: int
    modifiers: tuple[BattleModifier, ...]
    modifier: int
    """Sum of the modifiers to the roll."""
    hits: tuple[int, ...]
    """Number of hits for each die face from 0 to 9."""
    critical_faces: tuple[int, ...] = ()
    """Die faces that score a critical hit."""


class BattlePreview(msgspec.Struct, frozen=True, kw_only=True):
    """A preview of a battle. The ground combat rolls assume that the air-naval combat causes no losses."""

    at: HexId
    offensive: Side
    condition: Condition
    participants: tuple[UnitId, ...]
    targets_only: tuple[UnitId, ...]
    """Air and naval units that add no strength but can be hit (9.12, OPB-34)."""
    intrinsic: int
    """Number of Japan's intrinsic units in the hex (13.76, 13.94)."""
    order: tuple[tuple[Side, ...], ...]
    """Order of the air-naval rolls. Sides in the same group roll simultaneously (9.2C-E)."""
    air_naval: tuple[RollPreview, ...]
    """The air-naval rolls, at most one per side, the Offensive player's first."""
    ground: tuple[RollPreview, ...]
    """One roll for each side; empty unless both sides have ground units that would fight."""


def previews(state: State) -> tuple[BattlePreview, ...]:
    """Return previews of all unresolved battles, sorted by hex. The result is cached (9.2, 9.4)."""
    offensive = state.offensive
    if offensive is None or not offensive.battles:
        return ()
    battle = next((frame for frame in state.frames if isinstance(frame, BattleFrame)), None)
    key = (state.units, state.control, state.tracks, offensive, battle, state.options, state.turn)
    return _MEMO.get(
        state,
        key,
        lambda: tuple(
            preview_battle(state, hex_id)
            for hex_id, battle in sorted(offensive.battles.items())
            if not battle.resolved
        ),
    )


def preview_battle(state: State, hex_id: HexId) -> BattlePreview:
    """Return both sides' totals, modifiers and hits in the battle at a hex, as they would be now (9.2, 9.4)."""
    battle = _battle_at(state, hex_id)
    forces = battle.attacker, battle.defender
    return BattlePreview(
        at=hex_id,
        offensive=battle.attacker.side,
        condition=current_offensive(state).condition,
        participants=battle.frame.participants,
        targets_only=tuple(
            sorted(
                unit for force in forces for unit in force.air_naval if unit not in force.shooters
            )
        ),
        intrinsic=battle.frame.intrinsic,
        order=air_naval.roll_order(battle),
        air_naval=tuple(
            preview_air_naval_roll(battle, side)
            for side in battle.sides
            if air_naval.is_rolling(battle, side)
        ),
        ground=tuple(preview_ground_roll(battle, side) for side in battle.sides)
        if ground.is_fought(battle)
        else (),
    )


def _battle_at(state: State, hex_id: HexId) -> BattleView:
    """Return the battle in a hex. If it has not begun, return the battle that would begin now."""
    for frame in state.frames:
        if isinstance(frame, BattleFrame) and frame.hex == hex_id and frame.begun:
            return BattleView(state, frame)
    return BattleView(state, opening_frame(state, hex_id))


def preview_air_naval_roll(battle: BattleView, side: Side) -> RollPreview:
    """Return the result for each die face as if a side made its air-naval roll now (9.2)."""
    first_roll = air_naval.air_naval_volley(battle, side, 0).rolled
    critical = tuple(
        face
        for face in D10.faces
        if air_naval.is_critical(battle, side, face, face + first_roll.modified)
    )
    return _build_preview(first_roll, AIR_NAVAL, critical)


def preview_ground_roll(battle: BattleView, side: Side) -> RollPreview:
    """Return the result for each die face as if a side made its ground combat roll now (9.4)."""
    return _build_preview(ground.ground_volley(battle, side, 0).rolled, GROUND, ())


def _build_preview(
    first_roll: CombatRoll, rating: DieTable[int], critical: tuple[int, ...]
) -> RollPreview:
    """Build a preview from the result of a roll of 0, for which the modified value is just the sum of the modifiers."""
    return RollPreview(
        side=first_roll.side,
        strengths=first_roll.strengths,
        total=first_roll.total,
        modifiers=first_roll.modifiers,
        modifier=first_roll.modified,
        hits=tuple(
            hits_scored(first_roll.total, rating.result(face + first_roll.modified))
            for face in D10.faces
        ),
        critical_faces=critical,
    )
