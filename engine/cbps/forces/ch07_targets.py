"""US fleet positions as used by Japanese procedures (7.21, 12.45, 19.2)."""

from collections.abc import Iterable
from typing import Final

from engine.cbps.damage.ch12_hulls import us_level
from engine.cbps.locations import carriers_by_group, ships_by_group
from engine.cbps.run import Run
from engine.cbps.state import State, UsShip
from engine.kernel.memo import Memo


def group_hexes(state: State) -> dict[str, str]:
    """Return the hexes of the task groups that still have ships."""
    with_ships = ships_by_group(state)
    return {name: group.hex for name, group in state.groups.items() if name in with_ships}


def _escort_hexes(state: State) -> set[str]:
    return {ship.hex for ship in state.ships.values() if ship.escorts and not ship.is_sunk}


_ESCORT_HEXES: Final = Memo[set[str]]()


def occupied_hexes(state: State) -> set[str]:
    """Return the US-occupied hexes, which contain task groups or surface units left with crippled ships (7.2, 12.411).

    Hexes that contain only crippled ships (12.46), submarines or aircraft do not count.
    """
    return {
        *group_hexes(state).values(),
        *_ESCORT_HEXES.get(state, (state.ships,), lambda: _escort_hexes(state)),
    }


def carrier_distance(state: State, hex: str) -> int | None:
    """Return the distance to the nearest task group with a carrier, or None if no group has a carrier."""
    grid = state.game_data.map.grid
    groups = carriers_by_group(state)
    return min((grid.distance(hex, state.groups[group].hex) for group in groups), default=None)


def nearest_carriers(run: Run, hex: str, subject: str) -> str | None:
    """Return the nearest carrier group's hex, or None if no carriers are left.

    Ties are broken by the number of carriers, then at random.
    """
    state = run.state
    grid = state.game_data.map.grid
    ranks = {
        group: (grid.distance(hex, state.groups[group].hex), -carriers)
        for group, carriers in carriers_by_group(state).items()
    }
    min_rank = min(ranks.values(), default=None)
    best_groups = [state.groups[group].hex for group, rank in ranks.items() if rank == min_rank]
    return run.pick(tuple(dict.fromkeys(best_groups)), "7.21", subject) if best_groups else None


def nearest_hex(run: Run, hexes: Iterable[str], hex: str, subject: str) -> str:
    """Return the nearest of several hexes, breaking ties at random."""
    grid = run.state.game_data.map.grid
    unique = tuple(dict.fromkeys(hexes))
    min_distance = min(grid.distance(hex, candidate) for candidate in unique)
    return run.pick(
        [candidate for candidate in unique if grid.distance(hex, candidate) == min_distance],
        "7.21",
        subject,
    )


def _crippled_ships(state: State) -> tuple[UsShip, ...]:
    return tuple(
        ship
        for name, ship in state.ships.items()
        if ship.hits and not ship.escorts and us_level(state, name) == "crippled"
    )


_CRIPPLED_SHIPS: Final = Memo[tuple[UsShip, ...]]()


def crippled_hexes(state: State) -> tuple[str, ...]:
    """Return the hexes of crippled US ships, alone or still with their task groups (12.45)."""
    groups = state.groups
    crippled_ships = _CRIPPLED_SHIPS.get(state, (state.ships,), lambda: _crippled_ships(state))
    ship_hexes = (groups[ship.group].hex if ship.group else ship.hex for ship in crippled_ships)
    return tuple(dict.fromkeys(hex for hex in ship_hexes if hex))


def lone_us_ships(state: State, hex: str) -> tuple[str, ...]:
    """Return the crippled US ships that are alone in a hex (12.41)."""
    return tuple(
        name
        for name, ship in state.ships.items()
        if ship.hex == hex and not ship.group and not ship.escorts and not ship.is_sunk
    )
