"""What the Reaction player can do about a battle: intelligence, HQs, and units in reach (7.25, 7.26)."""

from collections.abc import Iterator
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch07_offensive.activation import (
    activatable_units,
    activation_limit,
    service_under_rivalry,
)
from engine.eots.ch07_offensive.intelligence import (
    CONDITION_SETTING_CLASSES,
    can_roll,
    intelligence_modifier,
    is_success,
)
from engine.eots.ch07_offensive.reaction_cards import can_answer, reaction_hqs
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.ch09_battle.strength import attack_strength
from engine.eots.counters import counters
from engine.eots.forecast.table import with_changes
from engine.eots.ids import D10, HexId, Service, Side, UnitId
from engine.eots.state import Condition, State, current_offensive


class Intelligence(msgspec.Struct, frozen=True, kw_only=True):
    """The Reaction player's chance of changing the intelligence condition with a roll (7.25C-E)."""

    target: int | None
    """Highest modified roll that succeeds, or None if no roll can be made."""
    modifier: int
    chance: Fraction
    cards: int
    """Number of cards in the Reaction player's hand."""
    could_play: bool
    """True if, going by public information, the opponent may hold a card that changes the condition."""


class Reactor(msgspec.Struct, frozen=True):
    """A unit that could take part in a battle."""

    unit: UnitId
    at: str
    hexes: int
    """Distance to the battle in hexes; 0 for a unit in the China box."""
    attack: int
    """Attack strength that the unit would add. Air units at extended range add half their strength."""


class Reactors(msgspec.Struct, frozen=True):
    """The units that one HQ could send."""

    hq: UnitId
    at: str
    limit: int
    """Number of units that the HQ may activate."""
    units: tuple[Reactor, ...]
    """Units within reach of the battle, strongest first."""
    sent: tuple[Reactor, ...]
    """The strongest units that the HQ may activate together. Under rivalry, all belong to one service (14)."""

    @property
    def max_strength(self) -> int:
        """Return the maximum attack strength that the units can add to the air-naval combat."""
        return sum(
            attacker.attack for attacker in self.sent if not counters()[attacker.unit].is_ground
        )


def by_service(state: State, side: Side, units: tuple[Reactor, ...]) -> list[tuple[Reactor, ...]]:
    """Return the groups that may be activated together (14.1C, 14.2A).

    Without rivalry, all units form one group. Under rivalry, there is one group per service.
    """
    if not state.tracks.has_rivalry(side):
        return [units]
    return [
        tuple(
            unit
            for unit in units
            if service_under_rivalry(state, side, unit.unit) in {None, service}
        )
        for service in Service
    ]


def strength(units: tuple[Reactor, ...]) -> int:
    """Return the total attack strength that the units would add."""
    return sum(unit.attack for unit in units)


def success(modifier: int, target: int) -> Fraction:
    """Return the probability that an intelligence roll succeeds (7.25D, E)."""
    faces = D10.faces
    return Fraction(sum(is_success(face, modifier, target) for face in faces), len(faces))


def intelligence(state: State) -> Intelligence | None:
    """Return the chances of the intelligence roll, or None if the condition can no longer change (7.25)."""
    offensive = current_offensive(state)
    side = offensive.side.enemy
    if offensive.condition is not Condition.SURPRISE or offensive.locked:
        return None
    rolls = can_roll(state)
    can_set_condition = can_answer(state, side, CONDITION_SETTING_CLASSES)
    if not rolls and not can_set_condition:
        return None
    modifier = intelligence_modifier(state, side)
    target = offensive.iv if rolls else None
    return Intelligence(
        target=target,
        modifier=modifier,
        chance=Fraction(0) if target is None else success(modifier, target),
        cards=len(state.decks[side].hand),
        could_play=can_set_condition,
    )


def reactors(state: State, hex_id: HexId, *, with_troops: bool) -> tuple[Reactors, ...]:
    """Return the units that each of the Reaction player's HQs could send to a battle, strongest group first (7.26).

    Units in battle hexes are excluded.

    Args:
        state: A position with an offensive and a battle in the hex.
        hex_id: The battle hex.
        with_troops: True to include ground units. They matter only if there is ground combat.
    """
    offensive = current_offensive(state)
    side, reaction_hq = offensive.side.enemy, offensive.reaction.hq
    hqs = reaction_hqs(state, side, None) if reaction_hq is None else (reaction_hq,)
    met_state = with_changes(state, offensive=replace(offensive, condition=Condition.INTERCEPT))
    single_battle_state = with_only_battle(met_state, hex_id)
    groups = []
    for hq in hqs:
        able_units = (
            reactor(state, unit, hex_id)
            for unit in _activatable_units(met_state, side, hq)
            if state.units[unit].at not in offensive.battles
            and (with_troops or not counters()[unit].is_ground)
            and can_react(single_battle_state, unit)
        )
        units = tuple(
            sorted(able_units, key=lambda group: (-group.attack, group.hexes, group.unit))
        )
        limit = activation_limit(met_state, side, hq, ())
        units_by_group = [group_units[:limit] for group_units in by_service(met_state, side, units)]
        sent_units = max(units_by_group, key=strength)
        groups.append(Reactors(hq, state.units[hq].at, limit, units, sent_units))
    return tuple(
        sorted(
            (group for group in groups if group.units),
            key=lambda group: (-group.max_strength, group.hq),
        )
    )


def _activatable_units(state: State, side: Side, hq: UnitId) -> Iterator[UnitId]:
    """Yield the units that an HQ could activate in reaction (7.26)."""
    reaction = replace(current_offensive(state).reaction, hq=hq)
    hq_state = with_changes(state, offensive=replace(current_offensive(state), reaction=reaction))
    return activatable_units(hq_state, side)


def with_only_battle(state: State, hex_id: HexId) -> State:
    """Return the position with only this battle, for finding the units that could join it."""
    offensive = current_offensive(state)
    return with_changes(
        state, offensive=replace(offensive, battles={hex_id: offensive.battles[hex_id]})
    )


def reactor(state: State, unit: UnitId, hex_id: HexId) -> Reactor:
    """Return a unit with its location, its distance and the strength that it would add to a battle."""
    piece = state.units[unit]
    if piece.at not in board().index:  # the China box
        return Reactor(unit, piece.at, 0, counters()[unit].strength(piece.steps).attack)
    attack = attack_strength(state, hex_id, unit).attack
    return Reactor(unit, piece.at, board().distance(HexId(piece.at), hex_id), attack)
