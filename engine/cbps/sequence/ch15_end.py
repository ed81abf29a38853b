"""The end of a scenario: aircraft in flight and crippled ships, then the score (15.1, common end of game)."""

from typing import Final

from engine.cbps.air.ch04_fuel import NO_MARKER, end_if_empty, lose_unit
from engine.cbps.damage.ch12_hulls import is_hull_crippled
from engine.cbps.damage.ch12_us_damage import sink_us_ship
from engine.cbps.damage.ch15_victory import scenario_outcome, score_lines
from engine.cbps.decks.ch06_decks import is_open
from engine.cbps.decks.ch06_landing import is_safe_return_needed, landing_fuel, roll_safe_return
from engine.cbps.enemy.ch07_movement import exit_map
from engine.cbps.events.air import UnitMoved
from engine.cbps.events.japan import HitsAged, HullSunk
from engine.cbps.events.raids import RaidEnded
from engine.cbps.events.search import SearchEnded
from engine.cbps.events.turns import GameEnded, PointsCounted
from engine.cbps.forces.ch07_forces import is_surface
from engine.cbps.forces.ch07_targets import group_hexes
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.locations import carriers_in, mission_hex
from engine.cbps.raids.ch10_flight import send_raid_home
from engine.cbps.rulings import CRIPPLE_RULE, FLANK_RULE, SURFACE_COMBAT, is_on
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State

_ONE_DAY_SCENARIOS: Final = ("6", "7")
"""Scenarios that use the one-day flank rule."""
_TOP_LEVEL: Final = 4


def score_scenario(run: Run) -> None:
    """End the scenario: land aircraft, make hits permanent, roll for crippled ships, and score (15.1)."""
    if scenario_rules(run.state).flies_home:
        _land_air_units(run)
        _send_raids_home(run)
    if scenario_rules(run.state).has_turn_end:
        # At the end, every Japanese hit counts (OP-53).
        run.add(HitsAged(is_end=True))
        _reveal_hit_forces(run)
        _apply_flank_rule(run)
        _roll_for_cripples(run)
    for line in score_lines(run.state):
        if line.points:
            run.add(PointsCounted(what=line.label, points=line.points))
    run.add(GameEnded(outcome=scenario_outcome(run.state)))


def _land_air_units(run: Run) -> None:
    """Land air units in their hexes, ignoring deck limits. Units with no working flight deck there are lost."""
    for unit, unit_state in tuple(run.state.units.items()):
        if unit_state.place not in {"mission", "search"}:
            continue
        state = run.state
        hex_id, fuel = _hex_and_fuel(state, unit)
        if not any(is_open(state, carrier) for carrier in carriers_in(state, hex_id)):
            lose_unit(run, unit, "no-room")
        elif is_safe_return_needed(state, unit, hex_id, fuel) and not roll_safe_return(
            run, unit, hex_id, fuel
        ):
            lose_unit(run, unit, "landing")
        else:
            run.add(UnitMoved(unit=unit, place="gone", why="home"))
            if unit_state.place == "mission":
                end_if_empty(run, unit_state.at)
    for search in tuple(run.state.searches):
        run.add(SearchEnded(search=search))


def _send_raids_home(run: Run) -> None:
    """Send home the raids on the map. Raids whose force is gone or has no carriers are lost (10.33)."""
    for raid in tuple(run.state.raids):
        send_raid_home(run, raid)
        if raid in run.state.raids:  # the raid is still on its way to Guam
            run.add(RaidEnded(raid=raid, why="over"))


def _hex_and_fuel(state: State, unit: str) -> tuple[str, int]:
    """Return the hex and the fuel of a unit in the air. Searches and CAP have no fuel marker."""
    unit_state = state.units[unit]
    if unit_state.place == "search":
        return state.searches[unit_state.at].hex, NO_MARKER
    return mission_hex(state, unit_state.at), landing_fuel(state, unit_state.at)


def _reveal_hit_forces(run: Run) -> None:
    for force in tuple(run.state.forces):
        # Hits on an unknown force score only when they belong to ships.
        if force in run.state.forces and run.state.forces[force].hits.total:
            promote(run, force, _TOP_LEVEL, "exit")


def _apply_flank_rule(run: Run) -> None:
    """Remove the forces in the invasion zone from the map as having exited (one-day flank rule)."""
    if run.state.scenario not in _ONE_DAY_SCENARIOS or not is_on(run.state, FLANK_RULE):
        return
    for force in tuple(run.state.forces):
        force_state = run.state.forces.get(force)
        if force_state is not None and force_state.hex in run.state.game_data.map.invasion_zone:
            exit_map(run, force)


def _roll_for_cripples(run: Run) -> None:
    """Roll for the loss of each lone crippled ship that has an enemy in range (Scenario 6 special rule 1)."""
    state = run.state
    if not is_on(state, CRIPPLE_RULE) or is_on(state, SURFACE_COMBAT):
        return
    rule = state.game_data.common.crippled_substitute_rule
    grid = state.game_data.map.grid
    groups = tuple(group_hexes(state).values())
    surface = [force.hex for force in state.forces.values() if is_surface(force)]
    for name, hull in state.hulls.items():
        if hull.hex and not hull.fate and is_hull_crippled(state, name) and groups:
            distance = min(grid.distance(hull.hex, group_hex) for group_hex in groups)
            for chance in rule.japanese:
                if distance <= chance.within_hexes:
                    if run.d10("21.0", name) <= chance.sunk_up_to:
                        run.add(HullSunk(ship=name))
                    break
    for name, ship in state.ships.items():
        if ship.hex and not ship.escorts and not ship.is_sunk and surface:
            distance = min(grid.distance(ship.hex, group_hex) for group_hex in surface)
            for chance in rule.us:
                if distance <= chance.within_hexes:
                    if run.d10("21.0", name) <= chance.sunk_up_to:
                        sink_us_ship(run, name)
                    break
