"""Explains the greedy Carrier Battle bot's commands. Each reason is one sentence based on public information."""

from typing import Final

from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders
from engine.cbps.prose.names import display_name
from engine.cbps.search_area import is_in_search_area
from engine.kernel.sentences import count_noun, pluralise

SEARCH_REASON_HEXES: Final = 12
"""Maximum distance, in hexes, to a force that can explain a search."""


def reason(situation: CbpsSituation, targets: TargetAnalysis, order: orders.CbpsCommand) -> str:
    """Return the reason for choosing a command, or an empty string if the bot has no reason to give."""
    match order:
        case orders.Launch(mission=mission) if mission not in situation.view.missions:
            return _launch_reason(situation, targets, order)
        case orders.Deploy(mission=mission):
            return _meeting_reason(situation, situation.mission_hex(mission), "CAP goes to meet")
        case orders.Fly(mission=mission):
            return _turning_back_reason(situation, targets, mission)
        case orders.SearchOut(bearing=bearing):
            return _search_reason(situation, bearing)
        case orders.Sail(hex=hex_id):
            return _closing_reason(situation, targets, hex_id)
        case orders.Torpedo(boat=boat):
            target = situation.view.boats[boat].shadowing or getattr(
                situation.view.frames[-1], "contact", ""
            )
            return f"{display_name(boat)} attacks {display_name(target)}." if target else ""
        case orders.LightUp():
            return "Lights on: many aircraft return in the dark."
        case _:
            return ""


def _launch_reason(situation: CbpsSituation, targets: TargetAnalysis, order: orders.Launch) -> str:
    if order.mission.startswith("intercept"):
        return _meeting_reason(situation, situation.task_force_hex, "Fighters go up against")
    goals = targets.launch_targets(situation.endurance(order.unit))
    if not goals:
        return ""
    distance_text = pluralise(
        situation.distance(situation.task_force_hex, targets.target_hex(goals[0])), "hex", "hexes"
    )
    return f"{display_name(order.mission)} goes for {display_name(goals[0])}, {distance_text} away."


def _meeting_reason(situation: CbpsSituation, hex_id: str, purpose: str) -> str:
    if not situation.raids:
        return ""
    raid = situation.raids[0]
    distance = situation.distance(hex_id, situation.view.raids[raid].hex)
    if not distance:
        return f"{purpose} {display_name(raid)} over the ships."
    return f"{purpose} {display_name(raid)}, {pluralise(distance, 'hex', 'hexes')} away."


def _turning_back_reason(situation: CbpsSituation, targets: TargetAnalysis, mission: str) -> str:
    mission_view = situation.view.missions[mission]
    is_open = (
        mission_view.kind == "strike" and not mission_view.is_flipped and not mission_view.is_fresh
    )
    if not is_open or targets.mission_target(mission) or not situation.attackers(mission):
        return ""
    return f"{display_name(mission)} turns back: no target within reach is worth an attack."


def _search_reason(situation: CbpsSituation, bearing: int) -> str:
    hidden_forces = sum(
        situation.distance(situation.task_force_hex, force.hex) <= SEARCH_REASON_HEXES
        and is_in_search_area(situation.grid, situation.task_force_hex, bearing, force.hex)
        for force in situation.view.forces.values()
    )
    verb = "lies" if hidden_forces == 1 else "lie"
    return f"Searches on {bearing} degrees: {count_noun(hidden_forces, 'force')} {verb} that way."


def _closing_reason(situation: CbpsSituation, targets: TargetAnalysis, hex_id: str) -> str:
    targets_known = targets.known_carriers() or targets.detected()
    distances = {
        name: situation.distance(hex_id, target_hex) for name, target_hex in targets_known.items()
    }
    distances_after = {
        name: distance
        for name, distance in distances.items()
        if distance < situation.distance(situation.task_force_hex, targets_known[name])
    }
    if not distances_after:
        return "TF 58 goes west to meet the enemy." if not targets_known else ""
    nearest_name = min(distances_after, key=lambda name: (distances_after[name], name))
    distance_text = pluralise(distances_after[nearest_name], "hex", "hexes")
    return f"TF 58 closes on {display_name(nearest_name)}, to {distance_text}."
