"""The historical fleet: three forces that represent the real ones (scenario variants 6H and 8H)."""

from collections.abc import Mapping

from engine.cbps.charts.results import CarrierCount
from engine.cbps.data.scenarios_file import FleetForce
from engine.cbps.game_data import GameData
from engine.cbps.rulings import HISTORICAL_FLEET, is_on
from engine.cbps.state import Battle, Force, State


def historical_fleet(game_data: GameData, battle: Battle) -> tuple[FleetForce, ...]:
    """Return the forces of the historical fleet. Empty if the option is off or the scenario has no such fleet."""
    if not is_on(battle, HISTORICAL_FLEET):
        return ()
    variants = game_data.scenarios[battle.scenario].variants
    return next((variant.fleet for variant in variants if variant.fleet), ())


def initial_fleet_forces(game_data: GameData, battle: Battle) -> Mapping[str, Force]:
    """Return the fleet's forces as placed at set-up: at level 0, with the scenario's first letters as counters."""
    letters = game_data.scenarios[battle.scenario].japan.letters
    return {
        letter: Force(hex=force.hex, historical=str(number))
        for number, (letter, force) in enumerate(
            zip(letters, historical_fleet(game_data, battle), strict=False), start=1
        )
    }


def historical_force(state: State, force: Force) -> FleetForce | None:
    """Return the historical force that a force represents, or None if it represents none."""
    return (
        historical_fleet(state.game_data, state)[int(force.historical) - 1]
        if force.historical
        else None
    )


def historical_carrier_count(state: State, part: FleetForce) -> CarrierCount:
    """Return the number of carriers of each type in a historical force."""
    types = [state.game_data.japanese_ships[ship].type for ship in part.carriers]
    return CarrierCount(types.count("CV"), types.count("CVL"))


def historical_level_2_chit(state: State, part: FleetForce) -> str:
    """Return the level-2 chit for a historical force: the first one that matches its number of carriers."""
    count = historical_carrier_count(state, part)
    sizes = ("1-2 Carriers", "1-2 Carriers", "2-3 Carriers", "3-4 Carriers", "4+ Carriers")
    return sizes[min(count.cv + count.cvl, len(sizes)) - 1]


def is_all_fleet(state: State) -> bool:
    """Return whether only the historical fleet can have carrier forces."""
    return bool(historical_fleet(state.game_data, state))


def is_reserved_for_fleet(state: State, ship: str) -> bool:
    """Return whether a ship belongs to the historical fleet and so cannot be drawn for another force."""
    return any(
        ship in (*fleet_force.carriers, *fleet_force.screen)
        for fleet_force in historical_fleet(state.game_data, state)
    )
