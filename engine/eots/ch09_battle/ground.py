"""The ground combat of a battle: combatants, modifiers, rolls (9.33, 9.4A)."""

from typing import Final

from engine.eots.board import board
from engine.eots.cards.modifiers import card_modifiers, has_special
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch08_movement.amphibious import COASTAL_GUNS, GUN_HEXES
from engine.eots.ch09_battle.participants import (
    adds_strength,
    fighters,
    intrinsic_count,
    is_landed,
    present_units,
)
from engine.eots.ch09_battle.strength import (
    GROUND,
    Volley,
    attack_strengths,
    hits_scored,
    total_strength,
)
from engine.eots.counters import counters
from engine.eots.events.battle import BattleModifier, GroundRolled
from engine.eots.frames import BattleFrame, HitsFrame
from engine.eots.ids import Side, Terrain
from engine.eots.rulings import INTRINSIC_PLUS_THREE
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Rule

RULE: Final = Rule("9.4")
SHORE_BOMBARDMENT: Final = 2
AIR_SUPERIORITY: Final = 2
CONTESTED_LANDING: Final = 3
ARMOUR: Final = 1
_TERRAIN_ROWS: Final = {Terrain.JUNGLE: "O3", Terrain.MIXED: "O4", Terrain.MOUNTAIN: "O5"}


def is_fought(state: State, frame: BattleFrame) -> bool:
    """Return whether ground units of both sides fight (9.32, 9.33)."""
    side = current_offensive(state).side
    if not fighters(state, frame, side) and not intrinsic_count(frame, side):
        return False
    return bool(fighters(state, frame, side.enemy)) or intrinsic_count(frame, side.enemy) > 0


def ground_modifiers(state: State, frame: BattleFrame, side: Side) -> tuple[BattleModifier, ...]:
    """Return the modifiers to a side's roll. A card's final modifier replaces all others (9.4-M)."""
    stated = card_modifiers(state, frame.hex, side, "ground")
    if stated.final is not None:
        card, value = stated.final
        return (BattleModifier(Rule(card), "G1", "event, replaces every other modifier", value),)
    own = (
        _offensive_rows(state, frame)
        if side is current_offensive(state).side
        else _reaction_rows(state, frame)
    )
    if side is Side.ALLIED and any(counters()[unit].armor for unit in fighters(state, frame, side)):
        own = (*own, BattleModifier(RULE, "B1", "British 7th Armoured Brigade", ARMOUR))
    events = tuple(
        BattleModifier(Rule(card), "B2" if card in _played_cards(state) else "B3", "event", value)
        for card, value in stated.rows
    )
    return (*own, *events)


def _played_cards(state: State) -> tuple[str, ...]:
    offensive = current_offensive(state)
    return (offensive.card, *offensive.reaction.events)


def _offensive_rows(state: State, frame: BattleFrame) -> tuple[BattleModifier, ...]:
    rows = []
    if has_shore_bombardment(state, frame):
        rows.append(BattleModifier(RULE, "O1", "shore bombardment", SHORE_BOMBARDMENT))
    if has_air_superiority(state, frame):
        rows.append(BattleModifier(RULE, "O2", "air superiority", AIR_SUPERIORITY))
    at = board().index[frame.hex]
    if board().terrain_drm[at]:
        terrain = board().terrain[at]
        rows.append(
            BattleModifier(RULE, _TERRAIN_ROWS[terrain], terrain.value, board().terrain_drm[at])
        )
    return tuple(rows)


def has_shore_bombardment(state: State, frame: BattleFrame) -> bool:
    """Return whether only the Offensive player has naval units in the hex (9.4 O1). J-2 excludes two hexes."""
    if frame.hex in GUN_HEXES and has_special(state, COASTAL_GUNS):
        return False
    sides = {
        counters()[unit].side
        for unit in units_at(state).get(frame.hex, ())
        if counters()[unit].is_naval
    }
    return sides == {current_offensive(state).side}


def has_air_superiority(state: State, frame: BattleFrame) -> bool:
    """Return whether air units or carriers have survived in the battle, all of them offensive (9.4 O2)."""
    side = current_offensive(state).side
    if any(counters()[unit].is_air_capable for unit in present_units(state, frame, side.enemy)):
        return False
    return any(
        counters()[unit].is_air_capable and adds_strength(state, frame.hex, unit)
        for unit in present_units(state, frame, side)
    )


def _reaction_rows(state: State, frame: BattleFrame) -> tuple[BattleModifier, ...]:
    """Return modifier R1 if a landing is contested. Intrinsic units also contest a landing (OPB-7)."""
    offensive = current_offensive(state)
    landed = any(is_landed(state, unit) for unit in fighters(state, frame, offensive.side))
    battle = offensive.battles.get(frame.hex)
    contested = (battle is not None and battle.contested_landing) or (
        frame.intrinsic > 0 and not INTRINSIC_PLUS_THREE.uses_alternative(state.options)
    )
    if not (landed and contested):
        return ()
    return (BattleModifier(RULE, "R1", "contested landing", CONTESTED_LANDING),)


def ground_volley(state: State, frame: BattleFrame, side: Side, face: int) -> Volley[GroundRolled]:
    """Return a side's roll and the hits to assign (9.4A)."""
    strengths = attack_strengths(
        state, frame.hex, fighters(state, frame, side), intrinsic_count(frame, side)
    )
    total = total_strength(state, strengths)
    modifiers = ground_modifiers(state, frame, side)
    modified = face + sum(modifier.value for modifier in modifiers)
    rating = GROUND.result(modified)
    rolled = GroundRolled(
        at=frame.hex,
        side=side,
        strengths=strengths,
        total=total,
        modifiers=modifiers,
        face=face,
        modified=modified,
        rating_quarters=rating,
        hits=hits_scored(total, rating),
    )
    hits = HitsFrame(
        hex=frame.hex,
        side=side,
        hits=rolled.hits,
        ground=True,
        targets=fighters(state, frame, side.enemy),
        intrinsic=intrinsic_count(frame, side.enemy),
    )
    return Volley(rolled, hits)
