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

    def sea_ends(self, hexes: int, *, limited: bool) -> Bits:
        """Return the sea hexes where carriers may stop within range of a battle or a landing (8.21-2, 8.21-4).

        Args:
            hexes: The carriers' range.
            limited: True if the carriers only support landings (18.0).
        """
        ends = self.ranges.get((hexes, limited))
        if ends is None:
            targets = self.targets & self.landed if limited else self.targets
            ends = hexes_around(self.bitsets, targets | self.landings, hexes) & enterable_hexes(
                self.bitsets
            )
            self.ranges[hexes, limited] = ends
        return ends

    def keeps_cover(self, gained: Bits) -> bool:
        """Return whether carriers that must cover a landing can still do so once these hexes are captured (7.24)."""
        landings_left = self.landings & ~gained
        if landings_left == self.landings:
            return True
        return all(
            hexes_within(self.bitsets, at, hexes) & landings_left for at, hexes in self.covering
        )


_MEMO: Final = Memo[DeclarationOutlook](64)


def outlook(state: State, moving: tuple[UnitId, ...] = NO_UNITS) -> DeclarationOutlook:
    """Return what step 3 allows, disregarding the moving units. Results are cached."""
    offensive = current_offensive(state)
    key = (
        state.units,
        state.control,
        state.tracks,
        offensive.moved,
        offensive.activated,
        offensive.card,
        moving,
    )
    return _MEMO.get(state, key, lambda: _outlook(state, offensive, moving))


def outlook_for(state: State, frame: StackFrame) -> DeclarationOutlook:
    """Return what step 3 allows, not counting a moving stack.

    Leaving the stack out makes a difference only if it shares a hex with enemies or includes a carrier outside a
    friendly port (7.24). For all other stacks, the result is the same and is computed only once.
    """
    occupied = occupancy(state)
    side = frame.side
    quiet = ~occupied.anyone[side.enemy]
    if any(counters()[unit].carrier for unit in frame.units):
        quiet &= occupied.controlled[side] & occupied.bitsets.ports
    at_rest = bool(occupied.bitsets.bit_by_id.get(frame.at, 0) & quiet)
    return outlook(state, NO_UNITS if at_rest else frame.units)


def _stationary_hexes(
    state: State, occupied: Occupancy, offensive: Offensive, moving: tuple[UnitId, ...]
) -> Bits:
    """Return the hexes of the Offensive player's units that are not moving."""
    own = occupied.deployment.anyone[offensive.side]
    if moving:
        place = state.units[moving[0]].at
        units_there = units_at(state).get(place, ())
        if all(
            counters()[unit].side is not offensive.side or unit in moving for unit in units_there
        ):
            own &= ~occupied.bitsets.bit_by_id.get(place, 0)
    return own


def _allowed_battle_hexes(state: State, bitsets: BoardBitsets, hexes: Bits) -> Bits:
    """Of the given hexes, return those that the card and the scenario allow as battle hexes (5.31, 17.10.5F)."""
    if not battle_hex_places(state) and not is_battle_barred(
        state, current_offensive(state).side, TRUK
    ):
        return hexes
    return bitsets.from_hexes(at for at in bitsets.ids(hexes) if is_allowed_battle(state, at))


def landed_hexes(state: State, offensive: Offensive, occupied: Occupancy) -> Bits:
    """Return the hexes with a landed offensive unit (8.45)."""
    hexes = 0
    for unit, move in offensive.moved.items():
        if move.mode.is_landing and counters()[unit].side is offensive.side:
            hexes |= occupied.bitsets.bit_by_id.get(state.units[unit].at, 0)
    return hexes


def _carriers_at_sea(
    state: State,
    occupied: Occupancy,
    offensive: Offensive,
    forced_battles: Bits,
    moving: tuple[UnitId, ...],
) -> tuple[tuple[int, int, bool], ...]:
    """Return a tuple for each carrier at sea outside forced battle hexes (7.24).

    The tuple contains the carrier's hex index, its range, and whether it may only support landings.
    """
    harbours = occupied.controlled[offensive.side] & occupied.bitsets.ports
    carriers = []
    for unit in offensive.activated:
        counter, piece = counters()[unit], state.units[unit]
        if not counter.carrier or not piece.is_on_map or unit in moving:
            continue
        bit = occupied.bitsets.bit_by_id[piece.at]
        if not bit & (harbours | forced_battles):
            hexes = battle_range(counter, piece.steps)
            carriers.append((board().index[HexId(piece.at)], hexes, is_limited(state, unit)))
    return tuple(carriers)


def _outlook(state: State, offensive: Offensive, moving: tuple[UnitId, ...]) -> DeclarationOutlook:
    occupied = occupancy(state)
    bitsets = occupied.bitsets
    side = offensive.side
    enemy = occupied.anyone[side.enemy]
    own = _stationary_hexes(state, occupied, offensive, moving)
    forced = own & enemy
    allowed = _allowed_battle_hexes(state, bitsets, enemy)
    strike = allowed & ~own & ~area_bits(bitsets, _CHINA_INTERIOR)  # 7.24
    landed = landed_hexes(state, offensive, occupied)
    landings = landed & ~enemy & ~occupied.controlled[side] & ~forced
    carriers_at_sea = _carriers_at_sea(state, occupied, offensive, forced, moving)
    uncovered = tuple(
        (at, hexes)
        for at, hexes, _ in carriers_at_sea
        if not hexes_within(bitsets, at, hexes) & landings
    )
    covering = tuple(
        (at, hexes)
        for at, hexes, limited in carriers_at_sea
        if (at, hexes) not in uncovered
        and not hexes_within(bitsets, at, hexes) & (forced | strike) & (landed if limited else -1)
    )
    if offensive.event:
        battle_hexes, targets = allowed, forced | strike
    else:
        battle_hexes, targets = _one_battle(bitsets, forced, strike, allowed, uncovered)
        covering = tuple(
            (at, hexes) for at, hexes, _ in carriers_at_sea if (at, hexes) not in uncovered
        )
    return DeclarationOutlook(
        bitsets=bitsets,
        enemy=enemy,
        landings=landings,
        battle_hexes=battle_hexes,
        targets=targets,
        covering=covering,
        landed=landed,
        ranges={},
    )


def _one_battle(
    bitsets: BoardBitsets,
    forced_battles: Bits,
    strike: Bits,
    allowed_hexes: Bits,
    uncovered: tuple[tuple[int, int], ...],
) -> tuple[Bits, Bits]:
    """Return the possible battle hexes and carrier targets of an OC, which allows only one battle (7.24)."""
    reach = -1
    for at, hexes in uncovered:
        reach &= hexes_within(bitsets, at, hexes)
    if forced_battles:
        return forced_battles & allowed_hexes, forced_battles
    if not strike & reach:  # a withdrawal may leave carriers without a battle (8.43)
        reach = -1
    return allowed_hexes & reach, strike & reach
