"""Cards that cancel an activation, as if the unit had never moved (5.32E, CP-08)."""

from collections.abc import Iterator

from typing_extensions import override

from engine.eots.cards.asking import current_step, deciding_side, end_step
from engine.eots.cards.conditions import is_in_areas, matches_filter
from engine.eots.ch06_supply.control import controls
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.zoi import zoi
from engine.eots.ch13_nations.india import is_north_lost
from engine.eots.commands import Deactivate
from engine.eots.counters import counters
from engine.eots.deck_offensive import DeactivateUnit
from engine.eots.events.offensive import ActivationTakenBack
from engine.eots.events.tracks import NorthIndiaLost
from engine.eots.flow import DecisionHandler, EotsRun, ExactNaming
from engine.eots.frames import EventFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Mode, State, current_offensive
from engine.kernel.ids import Refusal, Rule


def _legal_targets(state: State, frame: EventFrame, _side: Side) -> tuple[UnitId, ...]:
    """Return the units whose activation the card may cancel, sorted by id."""
    step, offensive = current_step(frame, DeactivateUnit), current_offensive(state)
    return tuple(
        unit
        for unit in sorted(offensive.activated)
        if matches_filter(state, step.filter, unit)
        and state.units[unit].is_on_map
        and is_in_areas(step.where.activated_in, offensive.origins[unit])
    )


def _target_refusals(
    state: State, frame: EventFrame, side: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Refuse a unit that the card cannot affect."""
    if unit not in _legal_targets(state, frame, side):
        yield Refusal(Rule("5.32E"), f"{frame.card} cannot cancel the activation of {unit}")


def _undo_activation(run: EotsRun, frame: EventFrame, _side: Side, unit: UnitId) -> None:
    """Return the unit to its starting hex and undo the effects of its move."""
    state, offensive = run.state, current_offensive(run.state)
    points = _landing_points(state, unit)
    asp_used = state.tracks.japan_asp_used - offensive.before.tracks.japan_asp_used
    # Shipping points beyond those used from the track were provided by a card.
    own_points = min(points, asp_used)
    run.add(
        ActivationTakenBack(
            rule=Rule(frame.card),
            unit=unit,
            at=offensive.origins[unit],
            hexes=_hexes_captured_alone(state, unit),
            points=own_points,
            lent=points - own_points,
            battles=_sole_landing_hexes(state, unit),
            touched_zoi=offensive.touched_zoi and _is_another_unit_detected(state, unit),
        )
    )
    # Undoing a capture is not the relief of Northern India, so the India marker does not move.
    if is_north_lost(run.state) is not run.state.tracks.north_india_lost:
        run.add(NorthIndiaLost(lost=is_north_lost(run.state)))
    end_step(run, frame)


def _landing_points(state: State, unit: UnitId) -> int:
    """Return the shipping points that a unit's landing cost (8.45A)."""
    move = current_offensive(state).moved.get(unit)
    if move is None or move.mode is not Mode.ASP:
        return 0
    return counters()[unit].asp_cost(state.units[unit].steps) or 0


def _hexes_captured_alone(state: State, unit: UnitId) -> tuple[HexId, ...]:
    """Return the hexes that this ground unit captured and that no other ground unit passed through (6.5)."""
    offensive = current_offensive(state)
    side, move_record = offensive.side, offensive.moved.get(unit)
    other_units = {
        hex_id
        for other_unit, move in offensive.moved.items()
        if other_unit != unit
        and other_unit in offensive.activated
        and counters()[other_unit].is_ground
        for hex_id in move.path
    }
    return tuple(
        hex_id
        for hex_id in sorted(() if move_record is None else move_record.path)
        if hex_id not in other_units
        and offensive.before.control.get(hex_id) is side.enemy
        and controls(state, side, hex_id)
    )


def _sole_landing_hexes(state: State, unit: UnitId) -> tuple[HexId, ...]:
    """Return the unit's special reaction battle hex, or an empty tuple if another unit landed there (7.27)."""
    offensive, hex_id = current_offensive(state), HexId(state.units[unit].at)
    battle = offensive.battles.get(hex_id)
    if battle is None or not battle.special:
        return ()
    has_landed = any(
        other_unit != unit and move.mode.is_landing and state.units[other_unit].at == hex_id
        for other_unit, move in offensive.moved.items()
        if other_unit in offensive.activated
    )
    return () if has_landed else (hex_id,)


def _is_another_unit_detected(state: State, unit: UnitId) -> bool:
    """Return whether another offensive unit started in or entered enemy zones (7.25E)."""
    offensive, hex_occupancy = current_offensive(state), occupancy(state)
    zones = zoi(state).exerted[offensive.side.enemy]
    return any(
        hex_occupancy.bitsets.bit_by_id.get(hex_id, 0) & zones
        for other_unit, move in offensive.moved.items()
        if other_unit != unit and other_unit in offensive.activated
        for hex_id in (move.origin, *move.path)
    )


class DeactivationPart(DecisionHandler[EventFrame]):
    """Asks the owner of a card to name the unit to deactivate (5.32E)."""

    frame = EventFrame
    rule = Rule("5.32E")
    question = "{frame.card}: which unit's activation is cancelled?"
    wrong_kind_text = "first name the unit whose activation {frame.card} cancels"
    actions = (ExactNaming(Deactivate, _legal_targets, _target_refusals, _undo_activation),)

    @override
    def active_roles(self, state: State, frame: EventFrame) -> tuple[Side, ...]:
        """Return the card's owner if there is more than one legal target; otherwise nothing has to be decided."""
        side = deciding_side(frame)
        return (side,) if len(_legal_targets(state, frame, side)) > 1 else ()

    @override
    def step(self, run: EotsRun, frame: EventFrame) -> None:
        """If there is only one legal target, deactivate it. If there is none, end the step."""
        side = deciding_side(frame)
        units = _legal_targets(run.state, frame, side)
        if units:
            _undo_activation(run, frame, side, units[0])
        else:
            end_step(run, frame)
