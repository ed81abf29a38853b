"""Ground combat: combatants, modifiers and rolls (9.33, 9.4A)."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.cards.modifiers import card_modifiers, has_special
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch08_movement.amphibious import COASTAL_GUNS, GUN_HEXES
from engine.eots.ch09_battle.battle_view import BattleView
from engine.eots.ch09_battle.strength import (
    GROUND,
    Volley,
    attack_strengths,
    hits_scored,
    total_strength,
)
from engine.eots.counters import counters
from engine.eots.events.battle import BattleModifier, GroundRolled
from engine.eots.frames import HitsFrame
from engine.eots.ids import D10, Side, Terrain
from engine.eots.rulings import INTRINSIC_PLUS_THREE
from engine.eots.state import State, current_offensive
from engine.kernel.dice import Dice
from engine.kernel.ids import Rule

RULE: Final = Rule("9.4")
SHORE_BOMBARDMENT: Final = 2
AIR_SUPERIORITY: Final = 2
CONTESTED_LANDING: Final = 3
ARMOUR: Final = 1
_TERRAIN_ROWS: Final = {Terrain.JUNGLE: "O3", Terrain.MIXED: "O4", Terrain.MOUNTAIN: "O5"}


def is_fought(battle: BattleView) -> bool:
    """Return whether ground units of both sides fight (9.32, 9.33)."""
    return battle.attacker.has_ground_units and battle.defender.has_ground_units


def ground_modifiers(battle: BattleView, side: Side) -> tuple[BattleModifier, ...]:
    """Return the modifiers to a side's roll. A card's final modifier replaces all others (9.4-M)."""
    stated_modifiers = card_modifiers(battle.state, battle.hex, side, "ground")
    if stated_modifiers.final is not None:
        card, value = stated_modifiers.final
        return (BattleModifier(Rule(card), "G1", "event, replaces every other modifier", value),)
    own_rows = _offensive_rows(battle) if side is battle.attacker.side else _reaction_rows(battle)
    if side is Side.ALLIED and any(counters()[unit].armor for unit in battle.force(side).fighters):
        own_rows = (*own_rows, BattleModifier(RULE, "B1", "British 7th Armoured Brigade", ARMOUR))
    cards_played = _played_cards(battle.state)
    events = tuple(
        BattleModifier(Rule(card), "B2" if card in cards_played else "B3", "event", value)
        for card, value in stated_modifiers.rows
    )
    return (*own_rows, *events)


def _played_cards(state: State) -> tuple[str, ...]:
    offensive = current_offensive(state)
    return (offensive.card, *offensive.reaction.events)


def _offensive_rows(battle: BattleView) -> tuple[BattleModifier, ...]:
    rows = []
    if has_shore_bombardment(battle):
        rows.append(BattleModifier(RULE, "O1", "shore bombardment", SHORE_BOMBARDMENT))
    if has_air_superiority(battle):
        rows.append(BattleModifier(RULE, "O2", "air superiority", AIR_SUPERIORITY))
    hex_index = board().index[battle.hex]
    if board().terrain_drm[hex_index]:
        terrain = board().terrain[hex_index]
        rows.append(
            BattleModifier(
                RULE, _TERRAIN_ROWS[terrain], terrain.value, board().terrain_drm[hex_index]
            )
        )
    return tuple(rows)


def has_shore_bombardment(battle: BattleView) -> bool:
    """Return whether only the Offensive player has naval units in the hex (9.4 O1).

    Always false in the two hexes where J-2 rules this modifier out.
    """
    if battle.hex in GUN_HEXES and has_special(battle.state, COASTAL_GUNS):
        return False
    sides = {
        counters()[unit].side
        for unit in units_at(battle.state).get(battle.hex, ())
        if counters()[unit].is_naval
    }
    return sides == {battle.attacker.side}


def has_air_superiority(battle: BattleView) -> bool:
    """Return whether the Offensive player has air units or carriers left, and the Reaction player has none (9.4 O2)."""
    return not battle.defender.has_aircraft and any(
        counters()[unit].is_air_capable for unit in battle.attacker.shooters
    )


def _reaction_rows(battle: BattleView) -> tuple[BattleModifier, ...]:
    """Return modifier R1 if a landing is contested. By default, intrinsic units also contest a landing (OPB-7)."""
    has_landed = battle.attacker.overland != battle.attacker.fighters
    declared_battle = current_offensive(battle.state).battles.get(battle.hex)
    is_contested = (declared_battle is not None and declared_battle.contested_landing) or (
        battle.frame.intrinsic > 0
        and not INTRINSIC_PLUS_THREE.uses_alternative(battle.state.options)
    )
    if not (has_landed and is_contested):
        return ()
    return (BattleModifier(RULE, "R1", "contested landing", CONTESTED_LANDING),)


def ground_volleys(battle: BattleView, dice: Dice) -> Iterator[Volley]:
    """Yield both sides' rolls.

    Each die is rolled only when its result is requested, but the rolls count as simultaneous (9.4A).
    """
    for side in battle.sides:
        yield ground_volley(battle, side, dice.roll(D10))


def ground_volley(battle: BattleView, side: Side, face: int) -> Volley:
    """Return a side's roll and the hits to assign (9.4A)."""
    force, enemy = battle.force(side), battle.force(side.enemy)
    strengths = attack_strengths(battle, force.fighters, force.intrinsic)
    total = total_strength(battle.state, strengths)
    modifiers = ground_modifiers(battle, side)
    modified_face = face + sum(modifier.value for modifier in modifiers)
    rating = GROUND.result(modified_face)
    roll_event = GroundRolled(
        at=battle.hex,
        side=side,
        strengths=strengths,
        total=total,
        modifiers=modifiers,
        face=face,
        modified=modified_face,
        rating_quarters=rating,
        hits=hits_scored(total, rating),
    )
    hits = HitsFrame(
        hex=battle.hex,
        side=side,
        hits=roll_event.hits,
        ground=True,
        targets=enemy.fighters,
        intrinsic=enemy.intrinsic,
    )
    return Volley(roll_event, hits)
