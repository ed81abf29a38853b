"""Determines zones of influence and supply, each of which depends on the other (6.21, 6.4, OP-5)."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

import msgspec

from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets
from engine.eots.ch06_supply.network import (
    Network,
    NetworkKey,
    Profile,
    build_network,
    network_key,
    profile,
)
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch06_supply.projection import AirUnitLocations, Zoi, is_air_capable
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.deck_campaign import Special
from engine.eots.ids import PLAYERS, CardId, HexId, Side, UnitId
from engine.eots.state import State
from engine.kernel.memo import Memo

NO_ALLIED_ZOI: Final = "jp02_no_allied_zoi"
"""Card effect that suspends all Allied zones for the offensive, even the zones of carriers (J-2, CP-52)."""


class _Key(NamedTuple):
    """Everything except activation that determines zones and supply. Most events leave the key unchanged."""

    allied: NetworkKey
    """The Allied network key without enemy zones. `japan` is the Japanese network key without enemy zones."""
    japan: NetworkKey
    fliers: tuple[tuple[UnitId, HexId], ...]
    new_units: tuple[UnitId, ...]
    """Air-capable units that do not neutralise enemy zones yet (10.11-7)."""
    silent_sides: tuple[Side, ...]
    tokyo_express: HexId | None
    """Hex of the Tokyo Express; None if it is not on the map (6.23)."""


class Solution(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The zones and supply of a position, in the consistent combination that OP-5 defines."""

    key: _Key
    activated_units: frozenset[UnitId]
    """Activated air-capable units (6.0)."""
    occupancy: Occupancy
    zoi: Zoi
    networks: Mapping[Side, Network]
    frozen: frozenset[UnitId]
    """Units of the current offensive, which stay in supply until it ends (6.0)."""


_MEMO: Final = Memo[Solution](64)
_KEYS: Final = Memo[_Key](64)
_SOLUTION_CACHE: Final = Memo[tuple[Zoi, Mapping[Side, Network]]](32, by_value=True)


@cache
def sides_suspended_by(card: CardId) -> tuple[Side, ...]:
    """Return the sides whose zones an event suspends for its offensive (6.4)."""
    effects = cards()[card].effects
    suspends = any(isinstance(effect, Special) and effect.id == NO_ALLIED_ZOI for effect in effects)
    return (Side.ALLIED,) if suspends else ()


class _Squadrons(NamedTuple):
    """The air units and carriers of one side."""

    hexes_by_unit: dict[UnitId, HexId]
    hexes: Mapping[Profile, Bits]
    """Hexes of the units, by unit profile."""


@lru_cache(maxsize=256)
def _squadrons_by_side(
    bitsets: BoardBitsets, fliers: tuple[tuple[UnitId, HexId], ...]
) -> Mapping[Side, _Squadrons]:
    squadrons = {side: _Squadrons({}, {}) for side in PLAYERS}
    hexes: dict[Side, dict[Profile, Bits]] = {side: {} for side in PLAYERS}
    for unit, hex_id in fliers:
        side, unit_profile = counters()[unit].side, profile(unit)
        squadrons[side].hexes_by_unit[unit] = hex_id
        hexes[side][unit_profile] = hexes[side].get(unit_profile, 0) | bitsets.bit_by_id[hex_id]
    return {side: _Squadrons(squadrons[side].hexes_by_unit, hexes[side]) for side in PLAYERS}


class _Solver:
    """Finds the zones and supply of one position by the procedure in OP-5."""

    def __init__(self, state: State, key: _Key, activated_units: frozenset[UnitId]) -> None:
        self.state = state
        self.key = key
        self.activated_units = activated_units
        self.without_zones = {Side.ALLIED: key.allied, Side.JAPAN: key.japan}
        self.new_units = frozenset(key.new_units)
        self.fliers = _squadrons_by_side(key.allied.bitsets, key.fliers)
        self.networks: dict[tuple[Side, Bits], Network] = {}

    def zones(self, allied: AirUnitLocations, japan: AirUnitLocations) -> Zoi:
        """Return the zones that the given units of both sides project."""
        fliers = {Side.ALLIED: allied, Side.JAPAN: japan}
        return Zoi(self.key.allied.bitsets, fliers, self.new_units, self.key.silent_sides)

    def network(self, side: Side, zoi: Zoi) -> Network:
        """Return a side's supply network under the given zones."""
        enemy_zoi = zoi.open_zones[side.enemy]
        network = self.networks.get((side, enemy_zoi))
        if network is None:
            network = build_network(self.state, self.without_zones[side], enemy_zoi)
            self.networks[side, enemy_zoi] = network
        return network

    def supplied_fliers(self, side: Side, fliers: AirUnitLocations, zoi: Zoi) -> AirUnitLocations:
        """Return a side's air units and carriers that are in supply under the given zones."""
        supply = self.network(side, zoi)
        missing_hexes = {
            unit_profile: hexes & ~supply.area(unit_profile)
            for unit_profile, hexes in self.fliers[side].hexes.items()
            if not supply.supplies_everywhere(unit_profile, hexes)
        }
        if not missing_hexes:
            return fliers
        bit_by_id, activated_units = self.key.allied.bitsets.bit_by_id, self.activated_units
        express_hex = self.key.tokyo_express if side is Side.JAPAN else None
        return {
            unit: hex_id
            for unit, hex_id in fliers.items()
            if not missing_hexes.get(profile(unit), 0) & bit_by_id[hex_id]
            or unit in activated_units
            or hex_id == express_hex
        }

    def japan_against(
        self, allied: AirUnitLocations, japan: AirUnitLocations
    ) -> tuple[AirUnitLocations, Zoi]:
        """Return the largest set of Japanese units in supply, given the Allied units that project zones.

        Also return all zones.
        """
        while True:
            zoi = self.zones(allied, japan)
            supplied_units = self.supplied_fliers(Side.JAPAN, japan, zoi)
            # Units are only ever removed from the set, so an equal size means that nothing has
            # changed.
            if len(supplied_units) == len(japan):
                return japan, zoi
            japan = supplied_units

    def solve(self) -> tuple[Zoi, Mapping[Side, Network]]:
        """Remove units that are out of supply until both sides' zones and supply are consistent.

        The Allies take precedence (OP-5).
        """
        allied: AirUnitLocations = self.fliers[Side.ALLIED].hexes_by_unit
        japan: AirUnitLocations = self.fliers[Side.JAPAN].hexes_by_unit
        while True:
            # Start again with all Japanese units: fewer Allied zones may put more units in supply.
            _, zoi = self.japan_against(allied, japan)
            supplied_units = self.supplied_fliers(Side.ALLIED, allied, zoi)
            if len(supplied_units) == len(allied):
                return zoi, {side: self.network(side, zoi) for side in PLAYERS}
            allied = supplied_units


def _solution_key(state: State, silent_sides: tuple[Side, ...]) -> _Key:
    hex_occupancy = occupancy(state)
    return _Key(
        allied=network_key(state, hex_occupancy, Side.ALLIED),
        japan=network_key(state, hex_occupancy, Side.JAPAN),
        fliers=hex_occupancy.deployment.fliers,
        new_units=state.arrived_air,
        silent_sides=silent_sides,
        tokyo_express=state.tracks.tokyo_express,
    )


def _solution(state: State, key: _Key, frozen: frozenset[UnitId]) -> Solution:
    activated_units = frozenset(filter(is_air_capable, frozen))
    solution_before = _MEMO.latest_result(state)
    if solution_before is not None and _is_only_activation(solution_before, key, activated_units):
        zoi, networks = solution_before.zoi, solution_before.networks
    else:
        zoi, networks = _SOLUTION_CACHE.get(
            state, (key, activated_units), lambda: _Solver(state, key, activated_units).solve()
        )
    return Solution(
        key=key,
        activated_units=activated_units,
        occupancy=occupancy(state),
        zoi=zoi,
        networks=networks,
        frozen=frozen,
    )


def _is_only_activation(
    solution_before: Solution, key: _Key, activated_units: frozenset[UnitId]
) -> bool:
    """Return whether the only change is the activation of more units that were already in supply.

    Activated units keep projecting their zones (6.0), so the old solution is still valid. It is also still the largest:
    anything larger would have been valid before the activation too.
    """
    active_before = solution_before.activated_units
    return (
        active_before < activated_units
        and solution_before.key == key
        and (activated_units - active_before) <= solution_before.zoi.flier_hexes.keys()
    )


def solution(state: State) -> Solution:
    """Return a position's supply and zones. Results are cached by the identity of the relevant parts of the state."""
    cached_solution = _MEMO.result_for(state)
    if cached_solution is not None:
        return cached_solution
    offensive = state.offensive
    first_units: tuple[UnitId, ...] = ()
    second: tuple[UnitId, ...] = ()
    silent_sides: tuple[Side, ...] = ()
    if offensive is not None:
        first_units, second = offensive.activated, offensive.reaction.activated
        if offensive.event:
            silent_sides = sides_suspended_by(offensive.card)
    parts = (
        state.units,
        state.control,
        state.tracks,
        state.arrived_air,
        state.options,
        state.scenario,
        silent_sides,
    )

    def compute() -> Solution:
        key = _KEYS.get(state, parts, lambda: _solution_key(state, silent_sides))
        return _solution(state, key, frozenset((*first_units, *second)))

    return _MEMO.store(state, _MEMO.get(state, (*parts, first_units, second), compute))
