"""Events that carry units by sea to a port: an evacuation (J-35) and a change of base for the fleet (J-77).

See CP-34 and CP-43.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.board import board
from engine.eots.cards.asking import current_step, deciding_side, end_step, event_card
from engine.eots.cards.conditions import is_place
from engine.eots.cards.hexes import NamingHex
from engine.eots.ch06_supply.bitsets import Bits
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import occupancy
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch06_supply.supply import supply
from engine.eots.ch06_supply.zoi import zoi, zoi_without_units
from engine.eots.ch08_movement.areas import coastal_hexes
from engine.eots.ch08_movement.fleet import naval_hexes, place_bit
from engine.eots.ch08_movement.naval import NAVAL_BASE, STRATEGIC_FACTOR
from engine.eots.ch08_movement.search import (
    distance_layers,
    open_sea,
    sea_steps,
    troop_sea,
    union_layers,
)
from engine.eots.commands import ChooseHex, Done, EotsCommand, Evacuate, Redeploy
from engine.eots.counters import counters
from engine.eots.deck import cards, event_rule, selects_hq
from engine.eots.deck_campaign import EvacuateStep, RedeployStep
from engine.eots.deck_steps import Step
from engine.eots.events.units import UnitPlaced
from engine.eots.flow import Action, EotsRun, Handler, Naming, PlainAction
from engine.eots.frames import EventFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo
from engine.kernel.sentences import count_noun

_END: Final[PlainAction[EventFrame, Done]] = PlainAction(
    Done, lambda run, frame, _: end_step(run, frame)
)
_PORTS: Final = Memo[Bits](256)
_COASTS: Final = Memo[tuple[HexId, ...]](8)
_BASES: Final = Memo[tuple[HexId, ...]](8)


def _place_unit(run: EotsRun, frame: EventFrame, unit: UnitId, hex_id: HexId) -> None:
    steps = run.state.units[unit].steps
    run.add(UnitPlaced(rule=Rule(frame.card), unit=unit, at=hex_id, steps=steps))


# -- J-35: ground units near a coast


def _passengers(state: State, side: Side, hex_id: HexId) -> tuple[UnitId, ...]:
    """Return a side's ground units in a hex and its neighbours, sorted by hex and then by id."""
    adjacent_ids = [
        board().ids[neighbour] for neighbour, _ in board().neighbours[board().index[hex_id]]
    ]
    return tuple(
        unit
        for origin in (hex_id, *sorted(adjacent_ids))
        for unit in units_at(state).get(origin, ())
        if counters()[unit].side is side and counters()[unit].is_ground
    )


def _ports_from(state: State, frame: EventFrame, unit: UnitId, hex_id: HexId) -> Bits:
    """Return the ports to which a unit can be carried from a coastal hex (8.44, CP-34).

    Stacking limits are ignored. Results are cached.
    """
    key = (state.units, state.control, state.tracks, frame.card, unit, hex_id)
    return _PORTS.get(state, key, lambda: _find_ports(state, frame, unit, hex_id))


def _find_ports(state: State, frame: EventFrame, unit: UnitId, hex_id: HexId) -> Bits:
    hex_occupancy, side = occupancy(state), deciding_side(frame)
    bitsets = hex_occupancy.bitsets
    shore = coastal_hexes(bitsets) & hex_occupancy.controlled[side]
    unit_hex = place_bit(hex_occupancy, state.units[unit].at)
    start_bit = unit_hex & shore or place_bit(
        hex_occupancy, hex_id
    )  # inland units embark in the named hex
    water = troop_sea(bitsets) & ~naval_hexes(state, side.enemy)  # 8.11
    if not start_bit & water:
        return 0
    factor = STRATEGIC_FACTOR if unit_hex & bitsets.ports & hex_occupancy.controlled[side] else 1
    max_ports = factor * NAVAL_BASE * cards()[frame.card].ov
    ports = (
        bitsets.ports
        & hex_occupancy.controlled[side]
        & ~hex_occupancy.anyone[side.enemy]
        & ~start_bit
    )
    return ports & union_layers(distance_layers(sea_steps(bitsets), start_bit, max_ports, water))


def evacuations(state: State, frame: EventFrame) -> Iterator[Evacuate]:
    """Yield a command for every unit in or next to the coastal hex and every port it can be evacuated to (CP-34)."""
    if not frame.hexes or frame.used >= current_step(frame, EvacuateStep).max_units:
        return
    for unit in _passengers(state, deciding_side(frame), frame.hexes[0]):
        ports = _ports_from(state, frame, unit, frame.hexes[0])
        for hex_id in occupancy(state).bitsets.ids(ports):
            if (len(frame.hexes) == 1 or hex_id == frame.hexes[1]) and has_room(
                state, unit, hex_id
            ):
                yield Evacuate(unit=unit, to=hex_id)


def _evacuation_coasts(state: State, frame: EventFrame, _role: Side) -> tuple[HexId, ...]:
    """Return the friendly coastal hexes from which a ground unit can be evacuated, in hex order. Results are cached."""
    key = (state.units, state.control, state.tracks, frame)
    return _COASTS.get(state, key, lambda: _find_coasts(state, frame))


def _find_coasts(state: State, frame: EventFrame) -> tuple[HexId, ...]:
    if frame.hexes:
        return ()
    hex_occupancy, side = occupancy(state), deciding_side(frame)
    own_coasts = (
        hex_occupancy.deployment.anyone[side]
        & hex_occupancy.controlled[side]
        & coastal_hexes(hex_occupancy.bitsets)
    )
    return tuple(
        hex_id
        for hex_id in hex_occupancy.bitsets.ids(own_coasts)
        if next(evacuations(state, replace(frame, hexes=(hex_id,))), None) is not None
    )


def _coast_refusals(
    state: State, frame: EventFrame, role: Side, hex_id: HexId
) -> Iterator[Refusal]:
    """Refuse a hex unless it is a coastal hex from which a unit can be evacuated (CP-34)."""
    if hex_id not in _evacuation_coasts(state, frame, role):
        yield Refusal(
            event_rule(event_card(frame)),
            f"{hex_id} is not a friendly coastal hex with a unit of yours from which ground units reach a port",
        )


class Evacuating(Action[EventFrame, Evacuate]):
    """Evacuates a ground unit to a port. All later units must go to the same port as the first (CP-34)."""

    kind = Evacuate

    @override
    def candidates(self, state: State, frame: EventFrame, role: Side) -> Iterator[Evacuate]:
        """Yield the possible evacuations, ordered by starting hex, unit and port."""
        return evacuations(state, frame)

    @override
    def refusals(
        self, state: State, frame: EventFrame, role: Side, command: Evacuate
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit may not go to the port (8.44, 8.48, CP-34)."""
        rule, unit, destination = event_rule(event_card(frame)), command.unit, command.to
        if not frame.hexes:
            yield Refusal(rule, "name the coastal hex first")
            return
        if unit not in _passengers(state, role, frame.hexes[0]):
            yield Refusal(
                rule, f"{unit} is not a ground unit in {frame.hexes[0]} or an adjacent hex"
            )
            return
        if len(frame.hexes) > 1 and destination != frame.hexes[1]:
            yield Refusal(rule, f"all units must go to {frame.hexes[1]}")
        if not place_bit(occupancy(state), destination) & _ports_from(
            state, frame, unit, frame.hexes[0]
        ):
            yield Refusal(
                Rule("8.44"),
                f"{destination} is not a friendly port within reach and free of enemy units",
            )
        if not has_room(state, unit, destination):
            yield Refusal(Rule("8.48"), f"{destination} has no room for {unit}")

    @override
    def apply(self, run: EotsRun, frame: EventFrame, role: Side, command: Evacuate) -> None:
        _place_unit(run, frame, command.unit, command.to)
        hexes = (frame.hexes[0], command.to)
        run.replace_top(replace(frame, used=frame.used + 1, hexes=hexes))


def _choose_coast(run: EotsRun, frame: EventFrame, _role: Side, hex_id: HexId) -> None:
    run.replace_top(replace(frame, hexes=(hex_id,)))


class EvacuationPart(NamingHex):
    """Japan names a coastal hex, then the units to evacuate from it. All of them go to the same port (J-35)."""

    wrong_kind_text = "finish the evacuation for {frame.card} first"
    actions = (
        Naming(ChooseHex, _evacuation_coasts, _coast_refusals, _choose_coast),
        Evacuating(),
        _END,
    )

    @override
    def prompt(self, state: State, frame: EventFrame, role: Side) -> str:
        """Return the prompt: name the coastal hex, or the units to evacuate, with the number of units left."""
        if not frame.hexes:
            return f"{frame.card}: from which coastal hex should units be evacuated?"
        units_left = current_step(frame, EvacuateStep).max_units - frame.used
        return f"{frame.card}: evacuate units from {frame.hexes[0]} and adjacent hexes: {units_left} left"

    @override
    def default(
        self, state: State, frame: EventFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        """Evacuate as many unsupplied units as possible to the nearest port.

        If all units are in supply, evacuate none.
        """

        def unsupplied_count(hex_id: HexId) -> int:
            units = _passengers(state, role, hex_id)
            return sum(not supply(state).is_supplied(unit) for unit in units)

        hexes = [option for option in options if isinstance(option, ChooseHex)]
        best_retreat = max(hexes, key=lambda option: unsupplied_count(option.at), default=None)
        if best_retreat is not None and unsupplied_count(best_retreat.at):
            return best_retreat
        moves = (
            option
            for option in options
            if isinstance(option, Evacuate) and not supply(state).is_supplied(option.unit)
        )
        return min(
            moves,
            key=lambda option: board().distance(frame.hexes[0], option.to),
            default=options[-1],
        )


# -- J-77: the fleet


def _redeployable_fleet(state: State, frame: EventFrame) -> tuple[UnitId, ...]:
    """Return the units on the map that may still move, sorted by id: the HQ and, within the card's limit, ships."""
    step = current_step(frame, RedeployStep)
    return tuple(
        unit
        for unit, piece in sorted(state.units.items())
        if piece.is_on_map
        and (
            selects_hq(step.hq, counters()[unit])
            or (frame.used < step.max_units and step.filter.matches(counters()[unit]))
        )
    )


def _is_in_reach(state: State, side: Side, unit: UnitId, destination: HexId) -> bool:
    """Return whether a unit can sail to a hex without entering unneutralised enemy zones (CP-43).

    The unit's own zone does not neutralise any.
    """
    hex_occupancy = occupancy(state)
    steps, water = sea_steps(hex_occupancy.bitsets), open_sea(hex_occupancy.bitsets)
    allowed_hexes = water & ~zoi_without_units(state, (unit,)).open_zones[side.enemy]
    start, goal = (
        place_bit(hex_occupancy, state.units[unit].at),
        place_bit(hex_occupancy, destination),
    )
    return (
        # CP-43 does not limit the distance. No route is longer than the number of hexes on the map.
        bool(
            goal
            & union_layers(
                distance_layers(
                    steps, start, len(hex_occupancy.bitsets.bit_by_index), allowed_hexes
                )
            )
        )
        and start != goal
    )


def redeployments(state: State, frame: EventFrame) -> Iterator[Redeploy]:
    """Yield a command for every unit that can go to the named port (CP-43)."""
    for unit in _redeployable_fleet(state, frame) if frame.hexes else ():
        if has_room(state, unit, frame.hexes[0]) and _is_in_reach(
            state, deciding_side(frame), unit, frame.hexes[0]
        ):
            yield Redeploy(unit=unit)


def _redeployment_ports(state: State, frame: EventFrame, _role: Side) -> tuple[HexId, ...]:
    """Return the ports near a resource to which a unit can go, in hex order (CP-43). Results are cached."""
    key = (state.units, state.control, state.tracks, frame)
    return _BASES.get(state, key, lambda: _find_bases(state, frame))


def _find_bases(state: State, frame: EventFrame) -> tuple[HexId, ...]:
    if frame.hexes:
        return ()
    hex_occupancy, side = occupancy(state), deciding_side(frame)
    ports = (
        hex_occupancy.bitsets.ports
        & hex_occupancy.controlled[side]
        & ~zoi(state).open_zones[side.enemy]
    )
    return tuple(
        hex_id
        for hex_id in hex_occupancy.bitsets.ids(ports)
        if is_place(state, current_step(frame, RedeployStep).to, hex_id, side)
        and next(redeployments(state, replace(frame, hexes=(hex_id,))), None) is not None
    )


def _base_refusals(state: State, frame: EventFrame, role: Side, hex_id: HexId) -> Iterator[Refusal]:
    """Yield the reasons why the fleet cannot go to a port (CP-43)."""
    rule = event_rule(event_card(frame))
    if not is_place(state, current_step(frame, RedeployStep).to, hex_id, role):
        yield Refusal(rule, f"{hex_id} is not one of your ports within 3 hexes of a resource hex")
    elif place_bit(occupancy(state), hex_id) & zoi(state).open_zones[role.enemy]:
        yield Refusal(rule, f"{hex_id} is in unneutralised enemy ZOI")
    elif hex_id not in _redeployment_ports(state, frame, role):
        yield Refusal(rule, f"no unit can go to {hex_id}")


def _redeploy_refusals(
    state: State, frame: EventFrame, role: Side, unit: UnitId
) -> Iterator[Refusal]:
    """Yield the reasons why a unit cannot go to the port (6.11, 8.24, CP-43)."""
    rule = event_rule(event_card(frame))
    if not frame.hexes:
        yield Refusal(rule, "name the port first")
    elif unit not in _redeployable_fleet(state, frame):
        yield Refusal(
            rule, f"{unit} is neither the Combined Fleet HQ nor one of up to four ships on the map"
        )
    else:
        target_hex = frame.hexes[0]
        if not has_room(state, unit, target_hex):
            limit = Rule("6.11") if counters()[unit].is_hq else Rule("8.24")
            yield Refusal(limit, f"{target_hex} has no room for {unit}")
        if not _is_in_reach(state, role, unit, target_hex):
            yield Refusal(
                rule, f"{unit} cannot reach {target_hex} without entering unneutralised enemy ZOI"
            )


def _redeploy(run: EotsRun, frame: EventFrame, _role: Side, unit: UnitId) -> None:
    _place_unit(run, frame, unit, frame.hexes[0])
    run.replace_top(replace(frame, used=frame.used + counters()[unit].is_naval))


_REDEPLOYING: Final = Naming(
    Redeploy,
    lambda state, frame, _: _redeployable_fleet(state, frame) if frame.hexes else (),
    _redeploy_refusals,
    _redeploy,
)


class RedeploymentPart(NamingHex):
    """Japan names a port, then the HQ and the ships that move there (J-77)."""

    wrong_kind_text = "finish moving the fleet for {frame.card} first"
    actions = (
        Naming(ChooseHex, _redeployment_ports, _base_refusals, _choose_coast),
        _REDEPLOYING,
        _END,
    )

    @override
    def prompt(self, state: State, frame: EventFrame, role: Side) -> str:
        """Return the prompt: name the port, or the units to move, with the number of ships left."""
        if not frame.hexes:
            return f"{frame.card}: to which port near a resource should the fleet go?"
        units_left = current_step(frame, RedeployStep).max_units - frame.used
        return f"{frame.card}: move the HQ and ships to {frame.hexes[0]}: {count_noun(units_left, 'ship')} left"

    @override
    def default(
        self, state: State, frame: EventFrame, role: Side, options: tuple[EotsCommand, ...]
    ) -> EotsCommand:
        return options[-1]


PARTS: Final[Mapping[type[Step], Handler[EventFrame]]] = {
    EvacuateStep: EvacuationPart(),
    RedeployStep: RedeploymentPart(),
}
"""Handlers of the steps in this module."""
