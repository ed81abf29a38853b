"""The hexes where a stack may end its move without making step 3 impossible (7.24, 8.21).

Testing each hex separately would be slow. This module therefore computes the requirements of step 3 for the current
position once, as sets of hexes.
"""

from typing import Final

import msgspec

from engine.eots.board import board
from engine.eots.cards.activation_limits import battle_hex_places
from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets
from engine.eots.ch06_supply.control import units_at
from engine.eots.ch06_supply.occupancy import Occupancy, occupancy
from engine.eots.ch07_offensive.escort_carriers import is_limited
from engine.eots.ch07_offensive.feasibility import battle_range, is_allowed_battle
from engine.eots.ch08_movement.areas import area_bits, enterable_hexes
from engine.eots.ch08_movement.search import hexes_around, hexes_within
from engine.eots.ch17_south_pacific import TRUK, is_battle_barred
from engine.eots.counters import counters
from engine.eots.frames import StackFrame
from engine.eots.ids import AreaId, HexId, UnitId
from engine.eots.state import Offensive, State, current_offensive
from engine.kernel.memo import Memo

_CHINA_INTERIOR: Final = AreaId("china-interior")
NO_UNITS: Final[tuple[UnitId, ...]] = ()
"""Represents "no units are left out". Always the same object, so that caches can compare by identity."""


class DeclarationOutlook(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The battles and carrier tasks that step 3 allows, disregarding the moving stack."""

    bitsets: BoardBitsets
    enemy: Bits
    """Hexes with any Reaction unit, including intrinsic ones."""
    landings: Bits
    """Vacant enemy-controlled hexes where a unit has landed (8.21-4)."""
    battle_hexes: Bits
    """Hexes with Reaction units that would become battle hexes if the stack ended its move there."""
    targets: Bits
    """Hexes that carriers at sea may attack."""
    covering: tuple[tuple[int, int], ...]
    """Hex index and range of each carrier whose only possible task is to cover a landing."""
    landed: Bits
    """All hexes with a landed unit. Carriers that only support landings can fight only in these hexes (18.0)."""
    ranges: dict[tuple[int, bool], Bits]
    """Cached results of `sea_ends`, by its arguments."""

    def sea_ends(self, hexes: int, *, is_limited: bool) -> Bits:
        """Return the sea hexes where carriers may stop within range of a battle or a landing (8.21-2, 8.21-4).

        Args:
            hexes: The carriers' range.
            is_limited: True if the carriers only support landings (18.0).
        """
        end_hexes = self.ranges.get((hexes, is_limited))
        if end_hexes is None:
            targets = self.targets & self.landed if is_limited else self.targets
            end_hexes = hexes_around(
                self.bitsets, targets | self.landings, hexes
            ) & enterable_hexes(self.bitsets)
            self.ranges[hexes, is_limited] = end_hexes
        return end_hexes

    def keeps_cover(self, gained_spaces: Bits) -> bool:
        """Return whether carriers that must cover a landing can still do so once these hexes are captured (7.24)."""
        landings_left = self.landings & ~gained_spaces
        if landings_left == self.landings:
            return True
        return all(
            hexes_within(self.bitsets, hex_id, hexes) & landings_left
            for hex_id, hexes in self.covering
        )


_MEMO: Final = Memo[DeclarationOutlook](64)


def outlook(state: State, moving_units: tuple[UnitId, ...] = NO_UNITS) -> DeclarationOutlook:
    """Return what step 3 allows, disregarding the moving units. Results are cached."""
    offensive = current_offensive(state)
    key = (
        state.units,
        state.control,
        state.tracks,
        offensive.moved,
        offensive.activated,
        offensive.card,
        moving_units,
    )
    return _MEMO.get(state, key, lambda: _outlook(state, offensive, moving_units))


def outlook_for(state: State, frame: StackFrame) -> DeclarationOutlook:
    """Return what step 3 allows, not counting a moving stack.

    Leaving the stack out makes a difference only if it shares a hex with enemies or includes a carrier outside a
    friendly port (7.24). For all other stacks, the result is the same and is computed only once.
    """
    hex_occupancy = occupancy(state)
    side = frame.side
    quiet_hexes = ~hex_occupancy.anyone[side.enemy]
    if any(counters()[unit].carrier for unit in frame.units):
        quiet_hexes &= hex_occupancy.controlled[side] & hex_occupancy.bitsets.ports
    at_rest = bool(hex_occupancy.bitsets.bit_by_id.get(frame.at, 0) & quiet_hexes)
    return outlook(state, NO_UNITS if at_rest else frame.units)


def _stationary_hexes(
    state: State, hex_occupancy: Occupancy, offensive: Offensive, moving_units: tuple[UnitId, ...]
) -> Bits:
    """Return the hexes of the Offensive player's units that are not moving."""
    own_hexes = hex_occupancy.deployment.anyone[offensive.side]
    if moving_units:
        place = state.units[moving_units[0]].at
        units_there = units_at(state).get(place, ())
        if all(
            counters()[unit].side is not offensive.side or unit in moving_units
            for unit in units_there
        ):
            own_hexes &= ~hex_occupancy.bitsets.bit_by_id.get(place, 0)
    return own_hexes


def _allowed_battle_hexes(state: State, bitsets: BoardBitsets, hexes: Bits) -> Bits:
    """Of the given hexes, return those that the card and the scenario allow as battle hexes (5.31, 17.10.5F)."""
    if not battle_hex_places(state) and not is_battle_barred(
        state, current_offensive(state).side, TRUK
    ):
        return hexes
    return bitsets.from_hexes(
        hex_id for hex_id in bitsets.ids(hexes) if is_allowed_battle(state, hex_id)
    )


def landed_hexes(state: State, offensive: Offensive, hex_occupancy: Occupancy) -> Bits:
    """Return the hexes with a landed offensive unit (8.45)."""
    hexes = 0
    for unit, move in offensive.moved.items():
        if move.mode.is_landing and counters()[unit].side is offensive.side:
            hexes |= hex_occupancy.bitsets.bit_by_id.get(state.units[unit].at, 0)
    return hexes


def _carriers_at_sea(
    state: State,
    hex_occupancy: Occupancy,
    offensive: Offensive,
    forced_battles: Bits,
    moving_units: tuple[UnitId, ...],
) -> tuple[tuple[int, int, bool], ...]:
    """Return a tuple for each carrier at sea outside forced battle hexes (7.24).

    The tuple contains the carrier's hex index, its range, and whether it may only support landings.
    """
    harbours = hex_occupancy.controlled[offensive.side] & hex_occupancy.bitsets.ports
    carriers = []
    for unit in offensive.activated:
        counter, piece = counters()[unit], state.units[unit]
        if not counter.carrier or not piece.is_on_map or unit in moving_units:
            continue
        bit = hex_occupancy.bitsets.bit_by_id[piece.at]
        if not bit & (harbours | forced_battles):
            hexes = battle_range(counter, piece.steps)
            carriers.append((board().index[HexId(piece.at)], hexes, is_limited(state, unit)))
    return tuple(carriers)


def _outlook(
    state: State, offensive: Offensive, moving_units: tuple[UnitId, ...]
) -> DeclarationOutlook:
    hex_occupancy = occupancy(state)
    bitsets = hex_occupancy.bitsets
    side = offensive.side
    enemy = hex_occupancy.anyone[side.enemy]
    own_hexes = _stationary_hexes(state, hex_occupancy, offensive, moving_units)
    forced_hexes = own_hexes & enemy
    allowed_hexes = _allowed_battle_hexes(state, bitsets, enemy)
    strike = allowed_hexes & ~own_hexes & ~area_bits(bitsets, _CHINA_INTERIOR)  # 7.24
    landing_hexes = landed_hexes(state, offensive, hex_occupancy)
    landings = landing_hexes & ~enemy & ~hex_occupancy.controlled[side] & ~forced_hexes
    carriers_at_sea = _carriers_at_sea(state, hex_occupancy, offensive, forced_hexes, moving_units)
    uncovered_hexes = tuple(
        (hex_id, hexes)
        for hex_id, hexes, _ in carriers_at_sea
        if not hexes_within(bitsets, hex_id, hexes) & landings
    )
    covering_hexes = tuple(
        (hex_id, hexes)
        for hex_id, hexes, is_limited in carriers_at_sea
        if (hex_id, hexes) not in uncovered_hexes
        and not hexes_within(bitsets, hex_id, hexes)
        & (forced_hexes | strike)
        & (landing_hexes if is_limited else -1)
    )
    if offensive.event:
        battle_hexes, targets = allowed_hexes, forced_hexes | strike
    else:
        battle_hexes, targets = _one_battle(
            bitsets, forced_hexes, strike, allowed_hexes, uncovered_hexes
        )
        covering_hexes = tuple(
            (hex_id, hexes)
            for hex_id, hexes, _ in carriers_at_sea
            if (hex_id, hexes) not in uncovered_hexes
        )
    return DeclarationOutlook(
        bitsets=bitsets,
        enemy=enemy,
        landings=landings,
        battle_hexes=battle_hexes,
        targets=targets,
        covering=covering_hexes,
        landed=landing_hexes,
        ranges={},
    )


def _one_battle(
    bitsets: BoardBitsets,
    forced_battles: Bits,
    strike: Bits,
    allowed_hexes: Bits,
    uncovered_hexes: tuple[tuple[int, int], ...],
) -> tuple[Bits, Bits]:
    """Return the possible battle hexes and carrier targets of an OC, which allows only one battle (7.24)."""
    reach = -1
    for hex_id, hexes in uncovered_hexes:
        reach &= hexes_within(bitsets, hex_id, hexes)
    if forced_battles:
        return forced_battles & allowed_hexes, forced_battles
    if not strike & reach:  # a withdrawal may leave carriers without a battle (8.43)
        reach = -1
    return allowed_hexes & reach, strike & reach
