"""Plausible set-ups for battles that have not been declared, with the units that could take part (7.2)."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch05_cards.playing import NAVAL_BASE
from engine.eots.ch06_supply.control import controls, intrinsic_units, units_at
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ch07_offensive.activation import (
    activatable_units,
    activation_limit,
    hq_options,
)
from engine.eots.ch07_offensive.feasibility import can_join
from engine.eots.ch08_movement import ground
from engine.eots.ch08_movement.fleet import probe_frame
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.forecast.reaction import Reactor, by_service, reactor, strength, with_only_battle
from engine.eots.forecast.table import offensive_step, with_changes
from engine.eots.frames import Purpose
from engine.eots.ids import CardId, HexId, Side, UnitId
from engine.eots.state import (
    HIDDEN,
    BattleHex,
    Condition,
    Mode,
    Moved,
    Offensive,
    OffensiveSnapshot,
    State,
    current_offensive,
)

USUAL_VALUE: Final = 3
"""Operations value assumed for an unknown card."""
ACTIVATION_STEP: Final = 1
LAST_PLANNING_STEP: Final = 3
"""The last step of 7.2 in which battles are declared."""


class Planned(msgspec.Struct, frozen=True):
    """A battle with the units that the forecast assumes."""

    state: State
    """The position with the battle declared and all assumed participants in it."""
    joining: tuple[Reactor, ...] = ()
    """The Offensive player's units that are assumed to take part but are not committed yet, strongest first."""
    spare: tuple[Reactor, ...] = ()
    """Other units that could take part if the HQ could activate more units."""
    card: CardId = CardId("")
    """The card that is assumed to be played. Empty if an offensive is in progress or no card is known."""
    hq: UnitId | None = None
    limit: int = 0
    """How many units the HQ may activate with the card or, in an offensive in progress, how many more."""


def is_battle_possible(state: State, side: Side, hex_id: HexId) -> bool:
    """Return whether a hex contains enemy units or intrinsic units that a side can fight (7.24)."""
    row = board().hexes.get(hex_id)
    if row is None:
        return False
    enemies = any(counters()[unit].side is not side for unit in units_at(state).get(hex_id, ()))
    return enemies or (controls(state, side.enemy, hex_id) and intrinsic_units(state, hex_id) > 0)


def with_all_joined(state: State, hex_id: HexId) -> Planned:
    """Return a battle with every activated unit that could still join it or move to its hex (7.22, 7.24).

    Args:
        state: A position with an offensive that has not reached reaction.
        hex_id: The battle hex. The battle need not be declared.
    """
    open_battle = with_declared_battle(state, hex_id)
    single_battle_state = with_only_battle(open_battle, hex_id)
    side = current_offensive(state).side
    moves = current_offensive(state).moved
    joining_units = tuple(
        unit
        for unit in current_offensive(state).activated
        if state.units[unit].at != hex_id
        and unit not in current_offensive(state).joined
        and unit not in current_offensive(state).covers
        and (
            can_join(open_battle, unit, hex_id)
            or (unit not in moves and can_react(single_battle_state, unit))
        )
    )
    return Planned(
        _with_units(open_battle, side, joining_units, hex_id),
        reactors_from(open_battle, joining_units, hex_id),
    )


def with_more_units(state: State, hex_id: HexId) -> Planned:
    """Return a battle with every activated unit that could join, plus units that the HQ may still activate (7.21)."""
    plan, hq = with_all_joined(state, hex_id), current_offensive(state).hq
    if hq is None or offensive_step(state) != ACTIVATION_STEP:
        return plan
    fuller_plans = _plan_by_hq(plan.state, current_offensive(state).side, hq, hex_id)
    return msgspec.structs.replace(
        fuller_plans,
        joining=_strongest_first((*plan.joining, *fuller_plans.joining)),
        limit=len(fuller_plans.joining),
    )


def assume_battle(state: State, side: Side, hex_id: HexId) -> Planned | None:
    """Return a battle in an assumed offensive, or None if the side has no unit to send.

    Of the cards that the viewer knows in the side's hand, the one with the highest operations value is used. Of the
    HQs, the one with the best attack is used.

    Args:
        state: A position without an offensive.
        side: The Offensive player.
        hex_id: The battle hex.
    """
    with_battle = with_declared_battle(opened_offensive(state, side), hex_id)
    plans = [_plan_by_hq(with_battle, side, hq, hex_id) for hq in hq_options(with_battle, side)]
    possible_plans = [plan for plan in plans if plan.joining]
    if not possible_plans:
        return None
    best_plan = max(possible_plans, key=lambda plan: _reactor_value(plan.joining))
    return msgspec.structs.replace(best_plan, card=current_offensive(with_battle).card)


def opened_offensive(state: State, side: Side) -> State:
    """Start an assumed offensive.

    It uses the known card in hand with the highest operations value. If no card is known, it uses a typical value.
    """
    known_cards = [name for name in state.decks[side].hand if name != HIDDEN]
    card = max(known_cards, key=lambda name: (cards()[name].ov, name), default=None)
    row = None if card is None else cards()[card]
    value = USUAL_VALUE if row is None else row.ov
    offensive = Offensive(
        side=side,
        card=card or CardId(""),
        event=False,
        ov=value,
        lv=None,
        iv=None if row is None else row.oc_intel,
        special_iv=None if row is None else row.oc_intel,
        naval_move=NAVAL_BASE * value,
        before=OffensiveSnapshot(
            units=state.units,
            control=state.control,
            arrivals=state.arrivals,
            tracks=state.tracks,
        ),
    )
    return with_changes(state, offensive=offensive)


def with_declared_battle(state: State, hex_id: HexId, *, is_special: bool = False) -> State:
    """Return the position with a declared battle. Units that move into enemy ZOI for it count as detected (7.25E)."""
    offensive = current_offensive(state)
    is_watched = zoi(state).covers(offensive.side.enemy, board().index[hex_id])
    battles = {hex_id: BattleHex(special=is_special), **offensive.battles}
    touches_zoi = offensive.touched_zoi or is_watched
    return with_changes(
        state, offensive=replace(offensive, battles=battles, touched_zoi=touches_zoi)
    )


def _plan_by_hq(state: State, side: Side, hq: UnitId, hex_id: HexId) -> Planned:
    """Return the battle with the best group of units that one HQ can send.

    Ground units are chosen first, then ships and aircraft.
    """
    offensive = current_offensive(state)
    hq_state = with_changes(state, offensive=replace(offensive, hq=hq))
    limit = activation_limit(hq_state, side, hq, ()) - len(offensive.activated)
    fleet, troops = _units_in_reach(hq_state, side, hex_id) if limit > 0 else ((), ())
    has_enemies = _has_ground(state, side.enemy, hex_id)
    choices = [
        _choose_reactors(group, limit, has_enemies=has_enemies)
        for group in by_service(hq_state, side, (*troops, *fleet))
    ]
    best_group = max(choices, key=_reactor_value)
    spare_units = tuple(unit for unit in (*fleet, *troops) if unit not in best_group)
    units = tuple(unit.unit for unit in best_group)
    planned_state = _with_units(_with_activated_units(hq_state, units), side, units, hex_id)
    return Planned(
        planned_state,
        _strongest_first(best_group),
        _strongest_first(spare_units),
        hq=hq,
        limit=limit,
    )


def _choose_reactors(
    units: tuple[Reactor, ...], limit: int, *, has_enemies: bool
) -> tuple[Reactor, ...]:
    """Choose units up to the limit.

    At most half of them are ground units, or just one if no enemy ground unit is in the hex.
    """
    troops = tuple(unit for unit in units if counters()[unit.unit].is_ground)
    fleet = tuple(unit for unit in units if unit not in troops)
    army = troops[: max(limit // 2, 1) if has_enemies else 1] if limit > 0 else ()
    return (*army, *fleet[: max(limit - len(army), 0)])


def _reactor_value(units: tuple[Reactor, ...]) -> tuple[bool, int]:
    """Return a key for comparing attacks. An attack with ground units ranks higher, because it could take the hex."""
    return any(counters()[unit.unit].is_ground for unit in units), strength(units)


def _with_activated_units(state: State, units: tuple[UnitId, ...]) -> State:
    offensive = current_offensive(state)
    activated_units = (*offensive.activated, *units)
    return with_changes(state, offensive=replace(offensive, activated=activated_units))


def _units_in_reach(
    state: State, side: Side, hex_id: HexId
) -> tuple[tuple[Reactor, ...], tuple[Reactor, ...]]:
    """Return two lists of units that could take part: air and naval units, and ground units.

    Both are in order of strength, strongest first.
    """
    units = tuple(activatable_units(state, side))
    single_battle_state = with_only_battle(state, hex_id)
    fleet = tuple(
        unit
        for unit in units
        if not counters()[unit].is_ground and can_react(single_battle_state, unit)
    )
    with_fleet = _with_activated_units(single_battle_state, fleet)
    troops = tuple(
        unit for unit in units if counters()[unit].is_ground and can_react(with_fleet, unit)
    )
    return reactors_from(state, fleet, hex_id), reactors_from(state, troops, hex_id)


def reactors_from(state: State, units: Iterable[UnitId], hex_id: HexId) -> tuple[Reactor, ...]:
    """Return the units with their distances and the strengths that they would add, strongest first."""
    return _strongest_first(reactor(state, unit, hex_id) for unit in units)


def _strongest_first(reactors: Iterable[Reactor]) -> tuple[Reactor, ...]:
    return tuple(
        sorted(reactors, key=lambda reactor: (-reactor.attack, reactor.hexes, reactor.unit))
    )


def _has_ground(state: State, side: Side, hex_id: HexId) -> bool:
    units_here = units_at(state).get(hex_id, ())
    is_held = any(
        counters()[unit].side is side and counters()[unit].is_ground for unit in units_here
    )
    return is_held or (controls(state, side, hex_id) and intrinsic_units(state, hex_id) > 0)


def with_reinforcements(
    state: State, side: Side, units: tuple[UnitId, ...], hex_id: HexId
) -> State:
    """Return the position with the battle intercepted and joined by these units of the Reaction player (7.26)."""
    offensive = current_offensive(state)
    reaction = replace(offensive.reaction, activated=(*offensive.reaction.activated, *units))
    reinforced = with_changes(
        state,
        offensive=replace(offensive, condition=Condition.INTERCEPT, reaction=reaction),
    )
    return _with_units(reinforced, side, units, hex_id)


def _with_units(state: State, side: Side, units: Iterable[UnitId], hex_id: HexId) -> State:
    """Return the position with more units in the battle.

    Aircraft and carriers join it from their hexes. Other units move to the battle hex.
    """
    offensive, pieces = current_offensive(state), dict(state.units)
    joined_hexes, moves = dict(offensive.joined), dict(offensive.moved)
    has_landed = False
    for unit in units:
        counter, place = counters()[unit], pieces[unit].at
        if counter.is_air_capable and place in board().index:
            joined_hexes[unit] = hex_id
            continue
        pieces[unit] = replace(pieces[unit], at=hex_id)
        if counter.is_ground and side is offensive.side:
            unit_frame = probe_frame(side, Purpose.REACTION, (unit,), place)
            is_march = bool(ground.MARCH.named_hexes(state, unit_frame))
            has_landed |= not is_march
            mode = Mode.GROUND if is_march else Mode.ASP
            moves[unit] = Moved(mode=mode, origin=place, path=(hex_id,), entered_from=place)
    battle = offensive.battles[hex_id]
    is_contested = battle.contested_landing or (
        has_landed and _has_ground(state, side.enemy, hex_id)
    )
    battles = {**offensive.battles, hex_id: replace(battle, contested_landing=is_contested)}
    new_offensive = replace(offensive, joined=joined_hexes, moved=moves, battles=battles)
    return with_changes(state, units=pieces, offensive=new_offensive)
