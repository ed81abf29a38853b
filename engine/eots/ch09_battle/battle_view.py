"""The forces in a battle at one moment: the surviving units, and the units that fight (9.1, 9.13, 9.2A, 9.4A)."""

import msgspec

from engine.eots.ch06_supply.control import intrinsic_units
from engine.eots.ch09_battle.participants import (
    adds_strength,
    is_air_naval,
    is_alive,
    is_landed,
    participants,
)
from engine.eots.counters import counters
from engine.eots.frames import BattleFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import State, current_offensive
from engine.kernel.memo import lazy


class BattleForce(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One side's units in a battle, as of a given state. All lists of units are sorted by id."""

    state: State
    frame: BattleFrame
    side: Side

    @lazy
    def present(self) -> tuple[UnitId, ...]:
        """Surviving participants, including escorts and other units that can only be hit."""
        return tuple(
            unit
            for unit in self.frame.participants
            if counters()[unit].side is self.side and is_alive(self.state, unit)
        )

    @lazy
    def air_naval(self) -> tuple[UnitId, ...]:
        """Surviving air and naval units."""
        return tuple(unit for unit in self.present if is_air_naval(unit))

    @lazy
    def shooters(self) -> tuple[UnitId, ...]:
        """Surviving air and naval units that add strength (9.2A)."""
        battle_hex = self.frame.hex
        return tuple(unit for unit in self.air_naval if adds_strength(self.state, battle_hex, unit))

    @lazy
    def fighters(self) -> tuple[UnitId, ...]:
        """Surviving ground units that fight in the ground combat (9.13, 9.4A)."""
        return tuple(
            unit
            for unit in self.present
            if counters()[unit].is_ground and unit not in self.frame.excluded
        )

    @lazy
    def overland(self) -> tuple[UnitId, ...]:
        """Fighting ground units that did not land from the sea (8.45-8.47)."""
        return tuple(unit for unit in self.fighters if not is_landed(self.state, unit))

    @property
    def intrinsic(self) -> int:
        """Return the number of surviving intrinsic units. Only Japan has intrinsic units (13.76, 13.94)."""
        return self.frame.intrinsic if self.side is Side.JAPAN else 0

    @property
    def has_ground_units(self) -> bool:
        """Return whether fighting ground units or intrinsic units are left (9.33)."""
        return bool(self.fighters) or self.intrinsic > 0

    @property
    def has_aircraft(self) -> bool:
        """Return whether an air unit or a carrier survives (9.3-3, 9.4 O2)."""
        return any(counters()[unit].is_air_capable for unit in self.present)


class BattleView(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A battle as of a given state.

    Recording an event replaces the state and makes a view outdated. Functions that record events must therefore call
    :func:`current_battle` again whenever they need a view.
    """

    state: State
    frame: BattleFrame

    @property
    def hex(self) -> HexId:
        """Return the battle hex."""
        return self.frame.hex

    @lazy
    def attacker(self) -> BattleForce:
        """The Offensive player's force."""
        return BattleForce(self.state, self.frame, current_offensive(self.state).side)

    @lazy
    def defender(self) -> BattleForce:
        """The Reaction player's force."""
        return BattleForce(self.state, self.frame, self.attacker.side.enemy)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Return both sides, the Offensive player's first."""
        return self.attacker.side, self.defender.side

    def force(self, side: Side) -> BattleForce:
        """Return a side's force."""
        return self.attacker if side is self.attacker.side else self.defender


def current_battle(state: State) -> BattleView:
    """Return the battle in progress. Its frame must be on top of the frame stack."""
    frame = state.frames[-1]
    assert isinstance(frame, BattleFrame)
    return BattleView(state, frame)


def opening_frame(
    state: State, hex_id: HexId, excluded_units: tuple[UnitId, ...] = ()
) -> BattleFrame:
    """Return the frame that a battle would have before any roll if the battle began now (9.1).

    Args:
        state: A position with an offensive.
        hex_id: The battle hex.
        excluded_units: Ground units that do not take part (8.45B).
    """
    units = tuple(unit for unit in participants(state, hex_id) if unit not in excluded_units)
    return BattleFrame(
        hex=hex_id,
        begun=True,
        participants=units,
        places=tuple(state.units[unit].at for unit in units),
        intrinsic=intrinsic_units(state, hex_id),
        excluded=excluded_units,
    )
