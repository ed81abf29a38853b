"""An index of a player's view, for finding units, stacks and the owners of hexes."""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.ch16_victory.will import ProgressOfWar, progress_of_war
from engine.eots.counters import counters
from engine.eots.forecast.table import state_from_view
from engine.eots.ids import Category, HexId, Side, UnitId
from engine.eots.view import EotsView, UnitView

_CATEGORY_ORDER = {Category.HQ: 0, Category.NAVAL: 1, Category.AIR: 2, Category.GROUND: 3}
CHINA_BOX = "china-box"
_FRONT_RANGE: Final = 4
"""Steps are counted if they are at most this many hexes from the centre of the front."""
_TOKYO: Final = HexId("3407")
"""The default centre of the front, used if no unit is in a named hex."""


class Stack(msgspec.Struct, frozen=True):
    """The units of one side in one place: headquarters first, then ships, aircraft and ground units."""

    side: Side
    units: tuple[UnitView, ...]

    def count(self, category: Category) -> int:
        """Return the number of units in a category."""
        return sum(1 for unit in self.units if counters()[unit.id].category is category)


class Index(msgspec.Struct, frozen=True, eq=False):
    """Finds units, stacks and hex owners in one view."""

    view: EotsView
    units: Mapping[UnitId, UnitView]
    stacks: Mapping[str, tuple[Stack, ...]]
    """The stacks in each place, Allies first."""
    japanese_hexes: frozenset[HexId]
    """Land hexes under Japanese control."""
    progress: ProgressOfWar | None
    """How many of this turn's required hexes the Allies have taken; None if no hexes are required (16.47)."""

    def owner(self, place: str) -> Side | None:
        """Return the side that controls a land hex; None if the hex is at sea or off the map."""
        hex_row = board().hexes.get(HexId(place))
        if hex_row is None or hex_row.is_sea:
            return None
        return Side.JAPAN if place in self.japanese_hexes else Side.ALLIED

    def place_of(self, unit: UnitId) -> str:
        """Return a unit's place."""
        return self.units[unit].at


def _attack_strength(unit: UnitView) -> int:
    row = counters()[unit.id]
    return 0 if row.is_hq or not unit.steps else row.strength(unit.steps).attack


def _stacks_by_side(units: list[UnitView]) -> tuple[Stack, ...]:
    stacks = []
    for side in Side:
        own_units = [unit for unit in units if counters()[unit.id].side is side]
        own_units.sort(
            key=lambda unit: (
                _CATEGORY_ORDER[counters()[unit.id].category],
                -_attack_strength(unit),
                unit.id,
            )
        )
        if own_units:
            stacks.append(Stack(side, tuple(own_units)))
    return tuple(stacks)


def build_index(view: EotsView) -> Index:
    """Build the index of a view."""
    units_by_place: dict[str, list[UnitView]] = {}
    for unit in view.units:
        units_by_place.setdefault(unit.at, []).append(unit)
    return Index(
        view=view,
        units={unit.id: unit for unit in view.units},
        stacks={hex_id: _stacks_by_side(units) for hex_id, units in units_by_place.items()},
        japanese_hexes=frozenset(view.japan_controls),
        progress=progress_of_war(state_from_view(view)),
    )


def front_hex(index: Index) -> HexId:
    """Return the centre of the front: the named hex around which the weaker side has the most steps."""
    geography = board()
    steps_by_hex = {
        HexId(hex_id): {
            stack.side: sum(unit.steps for unit in stack.units if not counters()[unit.id].is_hq)
            for stack in stacks
        }
        for hex_id, stacks in index.stacks.items()
        if HexId(hex_id) in geography.hexes
    }

    def steps_near(hex_id: HexId, side: Side) -> int:
        return sum(
            steps.get(side, 0)
            for near_hex, steps in steps_by_hex.items()
            if geography.distance(hex_id, near_hex) <= _FRONT_RANGE
        )

    named_hexes = [hex_id for hex_id in sorted(steps_by_hex) if geography.hexes[hex_id].name] or [
        _TOKYO
    ]
    return max(
        named_hexes,
        key=lambda hex_id: sorted(steps_near(hex_id, side) for side in Side),
    )


class Indexer:
    """Caches the index of the latest view."""

    def __init__(self) -> None:
        self._last_index: Index | None = None

    def get(self, view: EotsView) -> Index:
        """Return the index of a view."""
        if self._last_index is None or self._last_index.view is not view:
            self._last_index = build_index(view)
        return self._last_index
