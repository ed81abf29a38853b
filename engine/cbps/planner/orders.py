"""Probabilities for single commands: landings, damage dice, submarines (4.451, 5.61, 14.13, 14.16)."""

from fractions import Fraction

import msgspec

from engine.cbps.damage.ch12_hulls import crippling_hits, hull_level
from engine.cbps.decks.ch06_landing import landing_fuel, landing_light
from engine.cbps.events.chance import Modifier
from engine.cbps.frames import AimFrame, BoatsFrame
from engine.cbps.locations import is_lit, unit_hex
from engine.cbps.planner.chances import die_chances
from engine.cbps.planner.flight import landing_loss_chance
from engine.cbps.run import chart_modifier
from engine.cbps.state import State
from engine.cbps.strikes.ch05_attack import die_modifier
from engine.cbps.submarines.ch14_contact import contact_modifiers, is_lone
from engine.kernel.chances import mean, probability


def landing_loss(state: State, unit: str) -> Fraction:
    """Return the probability of losing a unit that lands now from a mission or search (4.451, 6.42)."""
    mission = state.units[unit].at
    hex = unit_hex(state, unit)
    fuel = landing_fuel(state, mission) if mission in state.missions else 1
    return landing_loss_chance(state, fuel, landing_light(state, unit), is_lit=is_lit(state, hex))


class Shot(msgspec.Struct, frozen=True, kw_only=True):
    """The expected effect of the next damage die on a ship."""

    ship: str
    hits: int
    """Number of hits that the ship already has."""
    level: str
    """Damage level of the ship. Empty if it is undamaged."""
    capacity: int
    crippled_at: int
    """Number of hits that cripples the ship, or its capacity if it has no damage levels."""
    expected: Fraction
    hit_chance: Fraction
    """Probability of at least one hit."""
    aimed: int
    """Number of dice already aimed at the ship."""


def next_shot(state: State, frame: AimFrame, ship: str) -> Shot:
    """Return the expected effect of the next damage die on a ship (5.61)."""
    row, hull = state.game_data.japanese_ships[ship], state.hulls[ship]
    charts = state.game_data.charts
    modifiers: list[Modifier] = [die_modifier(frame.dice[len(frame.ships)])]
    if row.is_carrier:
        effect = charts.surprise.effects[frame.surprise]
        modifiers.append(Modifier(id=f"surprise_{frame.surprise}", drm=effect.damage_drm))
    hits = die_chances(charts.air_attack_damage, modifiers)
    has_levels = row.is_carrier or row.type == "BB"
    return Shot(
        ship=ship,
        hits=hull.hits.total,
        level=hull_level(state, ship),
        capacity=row.damage_capacity,
        crippled_at=crippling_hits(row) if has_levels else row.damage_capacity,
        expected=mean(hits),
        hit_chance=probability(hits, lambda number: number > 0),
        aimed=frame.ships.count(ship),
    )


class BoatChances(msgspec.Struct, frozen=True, kw_only=True):
    """The probability that a submarine's contact or attack succeeds, with its modifiers."""

    chance: Fraction
    modifiers: tuple[Modifier, ...]


def boat_contact(state: State, frame: BoatsFrame, boat: str, target: str) -> BoatChances:
    """Return the probability that a submarine makes contact (14.13)."""
    modifiers = contact_modifiers(state, frame, boat, target)
    results = die_chances(state.game_data.charts.submarine_contact, modifiers)
    return BoatChances(
        chance=probability(results, lambda word: word == "contact"),
        modifiers=tuple(modifier for modifier in modifiers if modifier.drm),
    )


def submarine_hit_chance(state: State, target: str) -> BoatChances:
    """Return the probability that a submarine's attack scores at least one hit (14.16)."""
    charts = state.game_data.charts
    modifiers = (
        (chart_modifier(charts.us_submarine_attack, "crippled"),) if is_lone(state, target) else ()
    )
    single_hit_chance = probability(die_chances(charts.us_submarine_hits), lambda hits: hits != 0)
    chance_missed = Fraction(0)
    for rolls, share in die_chances(charts.us_submarine_attack, modifiers).items():
        chance_missed += share * (1 - single_hit_chance) ** max(rolls, 0)
    return BoatChances(chance=1 - chance_missed, modifiers=modifiers)
