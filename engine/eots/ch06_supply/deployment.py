"""Where all units are, by place and as sets of hexes (0.4, 6.4).

Two successive positions usually differ by only one or two units, so each deployment is derived from the previous one.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import compress
from operator import is_not
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.eots.ch06_supply.bitsets import Bits, whole_map
from engine.eots.counters import counters
from engine.eots.ids import PLAYERS, HexId, Side, UnitId
from engine.eots.state import Piece, State
from engine.kernel.memo import Memo

MAX_CHANGES: Final = 8
"""If more than this many units have moved, rebuilding a deployment is faster than updating it."""

Units = Mapping[UnitId, Piece]
Places = Mapping[str, tuple[UnitId, ...]]


class Deployment(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Everything that depends only on where the units are."""

    units: Units
    places: Places
    """Units by place, sorted by id. The places are in no particular order."""
    armed: Mapping[Side, Bits]
    """Hexes with a ground unit, an air unit or an HQ (0.4)."""
    anyone: Mapping[Side, Bits]
    """Hexes with any unit, including naval units."""
    naval: Mapping[Side, Bits]
    """Hexes with ships."""
    ground: Mapping[Side, Bits]
    """Hexes with ground units. HQs do not count."""
    hqs: tuple[tuple[UnitId, HexId], ...]
    """HQs on the map, sorted by id."""
    fliers: tuple[tuple[UnitId, HexId], ...]
    """Air units and carriers on the map, sorted by id. Air units in the China box are excluded (6.4, OP-20)."""


_MEMO: Final = Memo[Deployment](64)


def deployment(state: State) -> Deployment:
    """Return a state's deployment. Results are cached."""
    deployment_before = _MEMO.latest_result(state)
    if deployment_before is not None and deployment_before.units is state.units:
        return deployment_before
    units = state.units
    return _MEMO.store(
        state, _MEMO.get(state, (units,), lambda: _deployment(units, deployment_before))
    )


@cache
def _fliers() -> tuple[UnitId, ...]:
    """Return all air units and carriers, sorted by id."""
    return tuple(unit for unit, counter in counters().items() if counter.is_air_capable)


@cache
def _hqs() -> tuple[UnitId, ...]:
    """Return all HQs, sorted by id."""
    return tuple(unit for unit, counter in counters().items() if counter.is_hq)


def _on_map(unit_ids: tuple[UnitId, ...], units: Units) -> tuple[tuple[UnitId, HexId], ...]:
    bit_by_id = whole_map().bit_by_id
    return tuple(
        (unit, HexId(piece.at))
        for unit in unit_ids
        if (piece := units.get(unit)) is not None and piece.at in bit_by_id
    )


def _deployment(units: Units, deployment_before: Deployment | None) -> Deployment:
    moved_units = (
        None if deployment_before is None else _moved_units(deployment_before.units, units)
    )
    if deployment_before is None or moved_units is None or len(moved_units) > MAX_CHANGES:
        return _build_deployment(units)
    return (
        _updated_deployment(deployment_before, units, moved_units)
        if moved_units
        else replace(deployment_before, units=units)
    )


def _build_deployment(units: Units) -> Deployment:
    units_by_place: dict[str, list[UnitId]] = {}
    for unit in sorted(units):
        units_by_place.setdefault(units[unit].at, []).append(unit)
    by_place = {place: tuple(units_there) for place, units_there in units_by_place.items()}
    return Deployment(
        units=units,
        places=by_place,
        **_hexes_by_kind(by_place, by_place, None),
        hqs=_on_map(_hqs(), units),
        fliers=_on_map(_fliers(), units),
    )


_KINDS: Final = ("armed", "anyone", "naval", "ground")
"""Names of the attributes of a deployment that are hex sets."""


@cache
def _unit_sets(unit: UnitId) -> tuple[Side, tuple[str, ...]]:
    """Return a unit's side and the names of the hex sets to which the unit adds its hex."""
    counter = counters()[unit]
    is_in = (not counter.is_naval, True, counter.is_naval, counter.is_ground)
    return counter.side, tuple(kind for kind, holds in zip(_KINDS, is_in, strict=True) if holds)


def _hexes_by_kind(
    by_place: Places, changed_places: Iterable[str], deployment_before: Deployment | None
) -> dict[str, dict[Side, Bits]]:
    """Return the hex sets by name. Only the places that changed are recomputed."""
    bit_by_id = whole_map().bit_by_id
    same_hexes = ~whole_map().from_hexes(changed_places)
    hexes = {
        kind: {
            side: 0
            if deployment_before is None
            else getattr(deployment_before, kind)[side] & same_hexes
            for side in PLAYERS
        }
        for kind in _KINDS
    }
    for place in changed_places:
        bit = bit_by_id.get(place)
        if bit is None:
            continue
        for unit in by_place.get(place, ()):
            side, kinds = _unit_sets(unit)
            for kind in kinds:
                hexes[kind][side] |= bit
    return hexes


def _moved_units(units_before: Units, units: Units) -> list[UnitId] | None:
    """Return the units whose place has changed; None if the positions do not list the same units in the same order."""
    # The comparison below walks both mappings in parallel, so their keys must be in the same order.
    if len(units_before) != len(units) or tuple(units_before) != tuple(units):
        return None
    # A changed piece is always a new object, so comparing identities is enough.
    changed_items = compress(units, map(is_not, units_before.values(), units.values()))
    return [unit for unit in changed_items if units_before[unit].at != units[unit].at]


def _updated_deployment(
    deployment_before: Deployment, units: Units, moved_units: list[UnitId]
) -> Deployment:
    """Return a copy of a deployment, updated for the units that have moved."""
    by_place = dict(deployment_before.places)
    touched_hexes = dict.fromkeys(units[unit].at for unit in moved_units)
    for unit in moved_units:
        origin = deployment_before.units[unit].at
        touched_hexes[origin] = None
        by_place[origin] = tuple(
            other_unit for other_unit in by_place[origin] if other_unit != unit
        )
        new_hex = units[unit].at
        by_place[new_hex] = tuple(sorted((*by_place.get(new_hex, ()), unit)))
    # The mapping lists only occupied places, so remove the places that are now empty.
    for place in touched_hexes:
        if not by_place[place]:
            del by_place[place]
    fliers = tuple([unit for unit in moved_units if counters()[unit].is_air_capable])
    hqs = tuple([unit for unit in moved_units if counters()[unit].is_hq])
    return Deployment(
        units=units,
        places=by_place,
        **_hexes_by_kind(by_place, touched_hexes, deployment_before),
        hqs=_updated_hexes(deployment_before.hqs, hqs, units),
        fliers=_updated_hexes(deployment_before.fliers, fliers, units),
    )


def _updated_hexes(
    hexes_before: tuple[tuple[UnitId, HexId], ...], moved_units: tuple[UnitId, ...], units: Units
) -> tuple[tuple[UnitId, HexId], ...]:
    """Update the hexes of on-map units after some of them have moved."""
    if not moved_units:
        return hexes_before
    unmoved_units = [(unit, at) for unit, at in hexes_before if unit not in moved_units]
    return tuple(sorted((*unmoved_units, *_on_map(moved_units, units))))
