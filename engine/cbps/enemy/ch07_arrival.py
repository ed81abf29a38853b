"""Arrival of Japanese forces (7.1)."""

from collections.abc import Sequence
from typing import Final

from engine.cbps.charts.results import ArrivalZone
from engine.cbps.events.japan import ForceArrived
from engine.cbps.force_ids import arriving_force
from engine.cbps.forces.ch07_forces import free_letters
from engine.cbps.forces.ch07_targets import carrier_distance
from engine.cbps.forces.ch20_refuelling import place_oilers
from engine.cbps.ids import D10
from engine.cbps.rulings import ARRIVAL_ALARM
from engine.cbps.run import Run
from engine.cbps.state import State

NEAR_CARRIER_HEXES: Final = 6
"""An arriving force rolls again if it is at most this many hexes from US carriers (7.15)."""
_FEW_COUNTERS: Final = 2
"""Only one force arrives if at most this many counters are unused."""


def place_arrivals(run: Run) -> None:
    """Place the oilers, then a third of the unused counters, in letter order (7.1, 7.11, 13.24, 20.2)."""
    place_oilers(run)
    if run.state.limit_reached:
        return
    letters = free_letters(run.state)
    count = min(len(letters), 1) if len(letters) <= _FEW_COUNTERS else len(letters) // 3
    used_hexes: list[str] = []
    for letter in letters[:count]:
        hex = _arrival_hex(run, arriving_force(run.state, letter), used_hexes)
        used_hexes.append(hex)
        run.add(ForceArrived(force=letter, hex=hex))


def _arrival_hex(run: Run, force: str, used_hexes: Sequence[str]) -> str:
    """Return a force's arrival hex (7.12-7.15)."""
    zone = _roll_zone(run, force)
    hex = _pick_hex(run, force, zone, used_hexes)
    while _is_near_carriers(run.state, hex):
        old_hex = hex
        match run.roll_on_chart(run.state.game_data.charts.arrival_near_us_carriers, force):
            case "other_zone" if len(_possible_zones(run.state)) > 1:
                zone = _roll_other_zone(run, force, zone)
                hex = _pick_hex(run, force, zone, used_hexes)
            case "original_hex":
                return hex
            case _:
                hex = _pick_hex(run, force, zone, used_hexes, excluded_hex=hex)
        if hex == old_hex or not ARRIVAL_ALARM.uses_alternative(
            run.state.options
        ):  # OP-20: the new hex is not checked again
            return hex
    return hex


def _is_near_carriers(state: State, hex: str) -> bool:
    distance = carrier_distance(state, hex)
    return distance is not None and distance <= NEAR_CARRIER_HEXES


def _roll_other_zone(run: Run, force: str, zone: ArrivalZone) -> ArrivalZone:
    """Roll for the arrival zone until it differs from the current one (7.15)."""
    other_zone = zone
    while other_zone == zone:
        other_zone = _roll_zone(run, force)
    return other_zone


def _roll_zone(run: Run, force: str) -> ArrivalZone:
    """Roll for the arrival zone, using the scenario's own table if it has one (7.12)."""
    chart = run.state.game_data.charts.japanese_arrival_zone
    arrival_data = run.state.game_data.scenarios[run.state.scenario].japan.arrival
    if arrival_data is None:
        return run.roll_on_chart(chart, force)
    die = run.dice.roll(D10)
    zone = next(share.zone for share in arrival_data.zones if share.lo <= die <= share.hi)
    run.record_result(chart, force, zone, die, column=f"Scenario {run.state.scenario}")
    return zone


def _possible_zones(state: State) -> set[ArrivalZone]:
    """Return the possible results of the zone roll."""
    arrival_data = state.game_data.scenarios[state.scenario].japan.arrival
    if arrival_data is None:
        return {cell.result for cell in state.game_data.charts.japanese_arrival_zone.cells}
    return {share.zone for share in arrival_data.zones}


def _pick_hex(
    run: Run, force: str, zone: ArrivalZone, used_hexes: Sequence[str], excluded_hex: str = ""
) -> str:
    """Roll for an arrival hex in a zone. If it is taken, pick another one at random (7.14, OP-20)."""
    arrival = run.state.game_data.map.arrival
    hex = arrival[zone][run.d10("7.14", force) - 1]
    if hex not in used_hexes and hex != excluded_hex:
        return hex
    taken_hexes = {force.hex for force in run.state.forces.values()} | set(used_hexes)
    for arrival_hex in (zone, *arrival):
        if free_hexes := [
            arrival_option
            for arrival_option in arrival[arrival_hex]
            if arrival_option not in taken_hexes and arrival_option != excluded_hex
        ]:
            return run.pick(free_hexes, "7.14", force)
    return hex
