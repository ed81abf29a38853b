"""Legal places for reinforcements and returning units (10.11, 11.0, 13.74)."""

from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.network import (
    KUNMING,
    BurmaRoad,
    Network,
    Profile,
    can_command,
    profile,
)
from engine.eots.ch06_supply.paths import path_area
from engine.eots.ch06_supply.solution import solution
from engine.eots.ch06_supply.stacking import has_room
from engine.eots.ch06_supply.supply import supply_at, supplying_hexes
from engine.eots.counters import Counter, counters
from engine.eots.ids import CHINA_BOX, AreaId, Category, Nationality, NationId, Side, UnitId
from engine.eots.rulings import HQ_ARRIVAL_PORT
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule
from engine.kernel.memo import Memo

CHINA: Final = NationId("china")
_CLOSED_AREAS: Final = (AreaId("manchukuo"), AreaId("soviet-territory"))
"""Areas that no unit may enter (8.41C, 13.91)."""
_MEMO: Final = Memo[Bits](128)


@cache
def _closed_hexes(bitsets: BoardBitsets) -> Bits:
    return bitsets.from_hexes(
        hex_id for area in _CLOSED_AREAS for hex_id in board().areas[area].hexes
    )


def _arrival_bases(state: State, counter: Counter) -> Bits:
    """Return the friendly bases where a unit of this kind may arrive (10.11-1 to 3, 10.11-9)."""
    hex_occupancy = solution(state).occupancy
    bitsets = hex_occupancy.bitsets
    if counter.nationality is Nationality.CHINA:
        return bitsets.bit_by_id[KUNMING]
    base_hexes = bitsets.airfields if counter.is_air else bitsets.ports
    return base_hexes & hex_occupancy.controlled[counter.side] & ~_closed_hexes(bitsets)


def _hq_range_hexes(state: State, unit: UnitId, network: Network) -> Bits:
    """Return the hexes that activation paths reach from an HQ that may activate the unit (10.11-1, 10.11-5)."""
    bitsets, hexes = network.key.bitsets, 0
    for hq, hex_id in network.key.hqs:
        if hq in network.supplied_hqs and can_command(
            counters()[hq].activation_nation, profile(unit)
        ):
            # 10.11: an HQ that arrived in this segment supplies only its own hex.
            is_own_hq = hq in state.arrived_hqs
            hexes |= (
                bitsets.bit_by_id[hex_id] if is_own_hq else path_area(state, hq, is_reaction=False)
            )
    return hexes


def _network(state: State, side: Side) -> Network:
    arrived_hqs = frozenset(hq for hq in state.arrived_hqs if counters()[hq].side is side)
    return supply_at(state, side, arrived_hqs)


def _supplied_hexes(state: State, unit: UnitId) -> Bits:
    """Return the hexes that are in supply for the unit's arrival under 10.11."""
    counter = counters()[unit]
    network = _network(state, counter.side)
    if counter.is_hq:
        hexes = network.eligible_ports
        if not HQ_ARRIVAL_PORT.uses_alternative(state.options):  # OPB-37
            hexes |= network.home_line
        return hexes
    if counter.nationality is Nationality.CHINA:
        return network.kunming  # 11.34: Kunming is a supply source, so no HQ is needed
    return network.area(profile(unit)) & _hq_range_hexes(state, unit, network)


def _legal_hexes(state: State, unit: UnitId) -> Bits:
    """Return the hexes that satisfy 10.11, apart from its stacking rule.

    The result depends only on the kind of unit.
    """
    counter = counters()[unit]
    enemy_zoi = solution(state).zoi.open_zones[counter.side.enemy]
    return _arrival_bases(state, counter) & _supplied_hexes(state, unit) & ~enemy_zoi


def _cached_legal_hexes(state: State, unit: UnitId) -> Bits:
    counter = counters()[unit]
    kind = counter.category if counter.is_hq else _placement_kind(profile(unit), counter.category)
    key = (solution(state), state.arrived_hqs, state.options, kind, counter.side)
    return _MEMO.get(state, key, lambda: _legal_hexes(state, unit))


@cache
def _placement_kind(unit_profile: Profile, category: Category) -> tuple[Profile, Category]:
    """Return one shared object for all units that may go to the same hexes, so that caches can compare identities."""
    return unit_profile, category


def placement_refusals(state: State, unit: UnitId, place: str) -> Iterator[Refusal]:
    """Yield every reason why a new or returning unit may not be placed at the given place (10.11, 11.0-3, 13.74-5)."""
    if place == CHINA_BOX:
        yield from box_refusals(state, unit)
    else:
        yield from _hex_refusals(state, unit, place, by_event=False)


def event_hex_refusals(state: State, unit: UnitId, place: str) -> Iterator[Refusal]:
    """Yield every reason why a unit placed by an event may not go to a hex.

    Of 10.11, only points 3, 4 and 8 apply. An air or ground unit must be in supply, but needs no activation path from
    an HQ (CP-01).
    """
    return _hex_refusals(state, unit, place, by_event=not counters()[unit].is_hq)


def _hex_refusals(state: State, unit: UnitId, place: str, *, by_event: bool) -> Iterator[Refusal]:
    counter, hex_occupancy = counters()[unit], solution(state).occupancy
    bit = hex_occupancy.bitsets.bit_by_id.get(place, 0)
    if not bit & _arrival_bases(state, counter):
        yield Refusal(_base_rule(counter), _base_text(counter, place))
        return
    if by_event:
        if not supplying_hexes(state, unit, bit):
            yield Refusal(Rule("5.33"), f"{unit} would be out of supply in {place}")
    elif not bit & _supplied_hexes(state, unit):
        yield Refusal(Rule("10.11"), _served_text(counter, place))
    if bit & solution(state).zoi.open_zones[counter.side.enemy]:
        yield Refusal(Rule("10.11"), f"{place} is in an unneutralised enemy zone of influence")
    if not has_room(state, unit, place):
        yield Refusal(_stacking_rule(counter), f"{place} has no room for {unit}")


def _base_rule(counter: Counter) -> Rule:
    return Rule("11.34") if counter.nationality is Nationality.CHINA else Rule("10.11")


def _base_text(counter: Counter, place: str) -> str:
    if counter.nationality is Nationality.CHINA:
        return f"Chinese units can arrive only at Kunming {KUNMING}"
    kind = "airfield" if counter.is_air else "port"
    return f"{place} is not a {kind} under your control that {counter.id} may enter"


def _served_text(counter: Counter, place: str) -> str:
    if counter.nationality is Nationality.CHINA:
        return f"{place} is not currently a supply source"
    if counter.is_hq:
        return (
            f"{place} is not a supply-eligible port, and {counter.id} would be out of supply there"
        )
    return f"no HQ that commands {counter.id} can supply and activate it in {place}"


def _stacking_rule(counter: Counter) -> Rule:
    if counter.is_hq:
        return Rule("6.11")
    return Rule("8.24") if counter.is_naval else Rule("8.34" if counter.is_air else "8.48")


def box_refusals(state: State, unit: UnitId) -> Iterator[Refusal]:
    """Yield every reason why a unit may not be placed in the China box (13.74)."""
    counter = counters()[unit]
    if counter.side is not Side.ALLIED or not counter.is_air:
        yield Refusal(Rule("13.74"), f"{unit} is not an Allied air unit")
    if CHINA in state.tracks.surrendered:
        yield Refusal(Rule("13.74"), "China has surrendered")
    if solution(state).networks[Side.ALLIED].burma_road is not BurmaRoad.OPEN:
        yield Refusal(Rule("13.74"), "the Burma Road is closed")
    if not has_room(state, unit, CHINA_BOX):
        yield Refusal(
            Rule("13.74"), "the China box can hold two air units, at most one of them a B29"
        )


def placement_hexes(state: State, unit: UnitId) -> tuple[str, ...]:
    """Return every legal place for a reinforcement or returning unit: hexes in ascending order, then the China box."""
    bitsets, units_by_place = solution(state).occupancy.bitsets, units_at(state)
    hexes: list[str] = [
        hex_id
        for hex_id in bitsets.ids(_cached_legal_hexes(state, unit))
        if hex_id not in units_by_place or has_room(state, unit, hex_id)
    ]
    if not any(box_refusals(state, unit)):
        hexes.append(CHINA_BOX)
    return tuple(hexes)
