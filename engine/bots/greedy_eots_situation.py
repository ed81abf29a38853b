"""Computes data for the greedy bot from a view: unit positions, hex values and threats."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

from engine.bots.greedy_eots_stakes import PROGRESS_VALUE, hex_values, unit_hexes
from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import (
    SOUTH_PACIFIC,
    Bits,
    BoardBitsets,
    south_pacific_map,
    union_steps,
    whole_map,
    within_distance,
)
from engine.eots.ch08_movement.search import distance_layers, sea_steps, union_layers
from engine.eots.ch16_victory.will import progress_of_war
from engine.eots.counters import Counter, counters, hq_can_command
from engine.eots.forecast.table import state_from_view
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.view import EotsView, UnitView

NO_FRONT_DISTANCE: Final = 99
"""Distance used if there is no front."""
GARRISON_ATTACK: Final = 12
"""Estimated attack and defence strength of a city's intrinsic units (13.76, 13.94)."""
THREATENED_HEXES: Final = 8
"""A friendly hex needs a garrison if the enemy is at most this many hexes away."""
DUTY_SHARE: Final = 3
"""Leaving a friendly hex without ground units costs the value of the hex, divided by this number."""
NEW_HEBRIDES: Final = AreaId("new-hebrides-sp")
LOW_WILL: Final = 2
"""Political Will up to this level counts as low. At 0, the Allies have lost (4.5)."""
PRIZE_VALUE: Final = 20
"""Bases are placed near targets of at least this value."""
ZOI_HEXES: Final = 2
"""Reach of a zone of influence, in hexes (6.4)."""
COVER_SHARE: Final = 3
MAX_COVER: Final = 25
"""Divisor and upper limit for the value of aircraft that keep enemy zones off friendly hexes."""
_NO_UNITS: Final[tuple[UnitView, ...]] = ()
_Places = Mapping[str, tuple[UnitView, ...]]


class EotsSituation(msgspec.Struct, frozen=True, kw_only=True):
    """A view's data, indexed from one side's point of view."""

    view: EotsView
    side: Side
    units: Mapping[UnitId, UnitView]
    own_at: _Places
    """Friendly units in play, by place."""
    enemy_at: _Places
    japan: frozenset[HexId]
    values: Mapping[HexId, int]
    """Value of each hex to the side controlling it."""
    targets: tuple[HexId, ...]
    """Enemy hexes with a positive value, in ascending order."""
    front: bytes
    """Distance from each hex to the nearest target, by hex index; 99 if there are no targets."""
    prize_front: bytes
    """Distance from each hex to the nearest valuable target, by hex index.

    If no target is valuable, this is the distance to the nearest target.
    """
    wants_progress: bool
    """True if the Allies still need hexes this turn for the progress of the war (16.47)."""
    bitsets: BoardBitsets
    unneutralised_zones: Bits
    """Unneutralised enemy zones (6.4)."""
    enemy_zones: Bits
    """All enemy zones, neutralised or not (6.4)."""
    supplied_hqs: tuple[tuple[Counter, Bits], ...]
    """Friendly HQs in supply, with the hexes that they can probably supply (6.21)."""
    enemy_air_strengths: tuple[tuple[HexId, int], ...]
    """Places and attack strengths of enemy aircraft and carriers."""

    @classmethod
    def from_view(cls, view: EotsView, side: Side) -> "EotsSituation":
        """Index a view's data for a side.

        Args:
            view: The side's view.
            side: The side.
        """
        japan = frozenset(view.japan_controls)
        own_at, enemy_at = (_units_by_place(view, owner) for owner in (side, side.enemy))
        worths = hex_values(view.scenario, view.tracks.surrendered)
        targets = _target_hexes(worths, japan, side)
        bitsets = south_pacific_map() if view.scenario == SOUTH_PACIFIC else whole_map()
        zones = view.zones.japan if side is Side.ALLIED else view.zones.allied
        unneutralised_hexes = bitsets.from_hexes(zones)
        return cls(
            view=view,
            side=side,
            units={unit.id: unit for unit in view.units},
            own_at=own_at,
            enemy_at=enemy_at,
            japan=japan,
            values=worths,
            targets=targets,
            front=_distances_to(targets),
            prize_front=_distances_to(
                tuple(hex_id for hex_id in targets if worths[hex_id] >= PRIZE_VALUE) or targets
            ),
            wants_progress=side is Side.ALLIED and _wants_progress(view),
            bitsets=bitsets,
            unneutralised_zones=unneutralised_hexes,
            enemy_zones=unneutralised_hexes | bitsets.from_hexes(view.zones.contested),
            supplied_hqs=_supplied_hqs(
                own_at, bitsets, unneutralised_hexes, bitsets.from_hexes(targets)
            ),
            enemy_air_strengths=tuple(
                (HexId(hex_id), attack_strength(unit))
                for hex_id, units in enemy_at.items()
                for unit in units
                if hex_id in board().index and counters()[unit.id].is_air_capable
            ),
        )

    def is_own(self, hex_id: HexId) -> bool:
        """Return whether the side controls a land hex."""
        return (hex_id in self.japan) is (self.side is Side.JAPAN)

    def is_in_enemy_zone(self, place: str) -> bool:
        """Return whether a hex is in an unneutralised enemy zone (6.4)."""
        return bool(self.bitsets.bit_by_id.get(place, 0) & self.unneutralised_zones)

    def enemy_units(self, place: str) -> tuple[UnitView, ...]:
        """Return the enemy units in a hex."""
        return self.enemy_at.get(place, _NO_UNITS)

    def friendly_units(self, place: str) -> tuple[UnitView, ...]:
        """Return the friendly units in a hex."""
        return self.own_at.get(place, _NO_UNITS)

    def has_garrison(self, place: str, *, except_unit: UnitId | None = None) -> bool:
        """Return whether a hex has a friendly ground unit other than ``except_unit``."""
        return any(
            counters()[unit.id].is_ground and unit.id != except_unit
            for unit in self.friendly_units(place)
        )

    def has_enemy_ground(self, place: str) -> bool:
        """Return whether a hex has an enemy ground unit."""
        return any(counters()[unit.id].is_ground for unit in self.enemy_units(place))

    def garrison(self, place: str) -> int:
        """Return the estimated strength of intrinsic Japanese units in an enemy city (13.76, 13.94)."""
        row = board().hexes.get(HexId(place))
        is_held = row is not None and row.city not in {None, "city"} and not self.is_own(row.id)
        return GARRISON_ATTACK if is_held and self.side is Side.ALLIED else 0

    def defence(self, place: str) -> int:
        """Return the attack strength of enemy ground units in a hex. It includes an estimate for intrinsic units."""
        ground = (unit for unit in self.enemy_units(place) if counters()[unit.id].is_ground)
        return sum(map(attack_strength, ground)) + self.garrison(place)

    def hex_value(self, hex_id: HexId) -> int:
        """Return a hex's value to the side that controls it. For an unimportant hex, return 0."""
        return self.values.get(hex_id, 0)

    def capture_value(self, hex_id: HexId) -> int:
        """Return the value of taking an enemy hex. For friendly and unimportant hexes, return 0."""
        value = 0 if self.is_own(hex_id) else self.hex_value(hex_id)
        return value + PROGRESS_VALUE if value and self.wants_progress else value

    def front_distance(self, place: str) -> int:
        """Return the distance to the nearest valuable enemy-controlled hex. For a place off the map, return 99."""
        hex_index = board().index.get(HexId(place))
        return NO_FRONT_DISTANCE if hex_index is None else self.front[hex_index]

    def prize_distance(self, place: str) -> int:
        """Return the distance to the nearest highly valuable enemy-controlled hex.

        For a place off the map, return 99.
        """
        hex_index = board().index.get(HexId(place))
        return NO_FRONT_DISTANCE if hex_index is None else self.prize_front[hex_index]

    def duty_cost(self, unit: UnitView) -> int:
        """Return the cost of moving a unit away.

        For a hex's last ground unit, the cost is a share of the hex's value.
        """
        hex_id = HexId(unit.at)
        if hex_id not in board().index or self.has_garrison(hex_id, except_unit=unit.id):
            return 0
        if hex_id in unit_hexes(self.view.scenario, self.side):
            return self.hex_value(hex_id)  # 17.10.7: a hex without a unit counts for the enemy
        if self.front_distance(hex_id) > THREATENED_HEXES:
            return 0
        return self.hex_value(hex_id) // DUTY_SHARE

    def cover_value(self, hex_index: int) -> int:
        """Return how much an aircraft in a hex helps to keep friendly hexes in supply (6.21, 6.4).

        The hex is given by index.
        """
        ids, bit_by_index = board().ids, self.bitsets.bit_by_index
        covered_value = (
            self.hex_value(ids[index])
            for index in board().within(hex_index, ZOI_HEXES)
            if bit_by_index[index] & self.enemy_zones and self.is_own(ids[index])
        )
        return min(sum(covered_value) // COVER_SHARE, MAX_COVER)

    def hqs(self) -> tuple[UnitView, ...]:
        """Return the friendly HQs on the map."""
        return tuple(
            unit
            for hex_id, units in self.own_at.items()
            for unit in units
            if hex_id in board().index and counters()[unit.id].is_hq
        )

    def is_in_hq_supply(self, place: str, unit: Counter, *, max_distance: int = 0) -> bool:
        """Return whether a hex is probably in supply from a friendly HQ that can command the unit (6.12, 6.21).

        Args:
            place: The hex, or a place off the map.
            unit: The unit.
            max_distance: Maximum distance, in hexes, from the supplied area to the hex.
        """
        area = self.bitsets.bit_by_id.get(place, 0)
        if max_distance and area:
            area = within_distance(self.bitsets, area, max_distance)
        return any(
            area & hexes_in_reach and hq_can_command(hq, unit)
            for hq, hexes_in_reach in self.supplied_hqs
        )


def _wants_progress(view: EotsView) -> bool:
    """Return whether the Allies should take more hexes this turn for the progress of the war (16.47).

    In the South Pacific scenario, Political Will matters only if it is low (17.10.7).
    """
    if view.scenario == SOUTH_PACIFIC and view.tracks.political_will > LOW_WILL:
        return False
    progress = progress_of_war(state_from_view(view))
    return progress is not None and progress.missing > 0


def _units_by_place(view: EotsView, side: Side) -> _Places:
    units_here: dict[str, list[UnitView]] = {}
    for unit in view.units:
        if unit.steps > 0 and counters()[unit.id].side is side:
            units_here.setdefault(unit.at, []).append(unit)
    return {hex_id: tuple(units) for hex_id, units in units_here.items()}


def _target_hexes(
    values: Mapping[HexId, int], japan: frozenset[HexId], side: Side
) -> tuple[HexId, ...]:
    land = board().hexes
    return tuple(
        hex_id
        for hex_id in values
        if land[hex_id].is_land and (hex_id in japan) is (side is Side.ALLIED)
    )


@lru_cache(maxsize=16)
def _distances_to(targets: tuple[HexId, ...]) -> bytes:
    """Return the distance from each hex, by hex index, to the nearest given hex.

    If no hexes are given, every distance is :data:`NO_FRONT_DISTANCE`.
    """
    rows = [board().distances(board().index[hex_id]) for hex_id in targets]
    return (
        # The first row is repeated, so that min() has two arguments even if there is only one
        # target.
        bytes(map(min, *rows, rows[0])) if rows else bytes([NO_FRONT_DISTANCE]) * len(board().ids)
    )


def _supplied_hqs(
    own_at: _Places, bitsets: BoardBitsets, unneutralised_hexes: Bits, enemy_held: Bits
) -> tuple[tuple[Counter, Bits], ...]:
    """Return the HQs in supply, each with the hexes in HQ range that no enemy zone cuts off (6.21)."""
    sea, land = sea_steps(bitsets), union_steps(bitsets.land, bitsets.both)
    passable_hexes = bitsets.everywhere & ~unneutralised_hexes
    # Enemy-held hexes block the way by land but not by sea.
    all_steps = union_steps(sea, tuple(steps & ~enemy_held for steps in land))
    supplied_list = []
    for hex_id, units in own_at.items():
        for unit in units:
            counter = counters()[unit.id]
            if counter.hq is not None and unit.supplied and hex_id in bitsets.bit_by_id:
                hexes_in_reach = union_layers(
                    distance_layers(
                        all_steps,
                        bitsets.bit_by_id[hex_id],
                        counter.hq.command_range,
                        passable_hexes,
                    )
                )
                if (
                    hex_id in bitsets.board.south_pacific.off_map_hexes
                    and bitsets is not whole_map()
                ):
                    hexes_in_reach = bitsets.from_hexes(
                        (hex_id, *board().areas[NEW_HEBRIDES].hexes)
                    )  # 17.10.5K
                supplied_list.append((counter, hexes_in_reach))
    return tuple(supplied_list)


def attack_strength(unit: UnitView) -> int:
    """Return a unit's attack strength with its current steps. For an HQ, return 0."""
    counter = counters()[unit.id]
    return 0 if counter.is_hq else counter.strength(max(unit.steps, 1)).attack


def step_costs(units: tuple[UnitView, ...]) -> tuple[int, ...]:
    """Return the number of hits needed to remove each of the units' steps (9.2F-1, 9.4B)."""
    return tuple(
        counters()[unit.id].strength(max(unit.steps, 1)).defense
        for unit in units
        for _ in range(unit.steps)
    )
