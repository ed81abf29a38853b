"""Ships taking part in a surface combat, and their weight classes (21.16, 21.22, OP-73)."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from engine.cbps.damage.ch12_hulls import hull_level, ships_in_force, us_level
from engine.cbps.state import State

Side = Literal["us", "japan"]
OTHER_SIDE: Final[Mapping[Side, Side]] = {"us": "japan", "japan": "us"}
_OUT_OF_ACTION: Final = ("crippled", "sunk")

_WEIGHT_CLASSES: Final[Mapping[str, int]] = {
    "BB": 3,
    **dict.fromkeys(("CA", "CruDiv", "CLAA"), 2),
    **dict.fromkeys(("DD", "DesDiv", "Desron"), 1),
}
"""Weight classes of the ship types that fire. Carriers never fire (21.22)."""
BATTLESHIP: Final = 3
CRUISER: Final = 2
DESTROYER: Final = 1
_CARRIER_RANK: Final = 2
"""The target rank of carriers, after battleships and before cruisers (OP-55)."""


def us_hex(state: State, ship: str) -> str:
    """Return the hex of a US ship, in its group or alone, or an empty string if it is sunk."""
    ship_state = state.ships[ship]
    return state.groups[ship_state.group].hex if ship_state.group else ship_state.hex


def us_ships_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the uncrippled US ships in a hex, from all groups and escorts (21.16, OP-73)."""
    return tuple(
        ship
        for ship, ship_state in state.ships.items()
        if not ship_state.is_sunk
        and us_hex(state, ship) == hex
        and us_level(state, ship) not in _OUT_OF_ACTION
    )


def forces_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the Japanese forces in a hex."""
    return tuple(name for name, force in state.forces.items() if force.hex == hex)


def japanese_ships_in(state: State, hex: str) -> tuple[str, ...]:
    """Return the uncrippled Japanese ships in a hex, from all forces (21.16, OP-73)."""
    return tuple(
        ship
        for force in forces_in(state, hex)
        for ship in ships_in_force(state, force)
        if hull_level(state, ship) not in _OUT_OF_ACTION
    )


def ships_in(state: State, side: Side, hex: str) -> tuple[str, ...]:
    """Return the ships of one side that take part in a combat in a hex."""
    return us_ships_in(state, hex) if side == "us" else japanese_ships_in(state, hex)


def ship_type(state: State, ship: str) -> str:
    """Return the type of a US or Japanese ship."""
    game_data = state.game_data
    row = game_data.us_ships.get(ship) or game_data.japanese_ships[ship]
    return row.type


def weight_class(state: State, ship: str) -> int:
    """Return a ship's weight class, or 0 for carriers, which never fire (21.22)."""
    return _WEIGHT_CLASSES.get(ship_type(state, ship), 0)


def target_rank(state: State, ship: str) -> int:
    """Return a ship's target rank. BBs rank highest, then carriers, cruisers and destroyers (21.22, 21.23)."""
    rank = 2 * weight_class(state, ship)
    return rank or 2 * _CARRIER_RANK + 1


def heaviest_class(state: State, ships: Iterable[str]) -> int:
    """Return the heaviest weight class among the given ships, or 0 if none of them can fire."""
    return max((weight_class(state, ship) for ship in ships), default=0)


def has_carrier(state: State, ships: Iterable[str]) -> bool:
    """Return whether any of the given ships is a carrier (OP-73)."""
    return any(ship_type(state, ship) in {"CV", "CVL"} for ship in ships)


def battleship_count(state: State, ships: Iterable[str]) -> int:
    """Return the number of battleships among the given ships (21.11)."""
    return sum(ship_type(state, ship) == "BB" for ship in ships)
