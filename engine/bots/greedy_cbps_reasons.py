"""Explains the greedy Carrier Battle bot's commands, each in one sentence based on public information."""

from typing import Final

from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps import commands as orders
from engine.cbps.prose.names import display_name
from engine.cbps.search_area import in_search_area
from engine.kernel.sentences import count_noun, pluralise

SEARCH_REASON_HEXES: Final = 12
"""Maximum distance, in hexes, to a force that is given as the reason for a search."""


def reason(now: CbpsSituation, targets: TargetAnalysis, order: orders.CbpsCommand) -> str:
    """Return the reason for choosing a command, or an empty string if there is none."""
    match order:
        case orders.Launch(mission=mission) if mission not in now.view.missions:
            return _launch_reason(now, targets, order)
        case orders.Deploy(mission=mission):
            return _meeting_reason(now, now.mission_hex(mission), "CAP goes to meet")
        case orders.Fly(mission=mission):
            return _turning_back_reason(now, targets, mission)
        case orders.SearchOut(bearing=bearing):
            return _search_reason(now, bearing)
        case orders.Sail(hex=hex_id):
            return _closing_reason(now, targets, hex_id)
        case orders.Torpedo(boat=boat):
            target = now.view.boats[boat].shadowing or getattr(now.view.frames[-1], "contact", "")
            return f"{display_name(boat)} attacks {display_name(target)}." if target else ""
        case orders.LightUp():
            return "Lights on: many come home in the dark."
        case _:
            return ""


def _launch_reason(now: CbpsSituation, targets: TargetAnalysis, order: orders.Launch) -> str:
    if order.mission.startswith("intercept"):
        return _meeting_reason(now, now.task_force_hex, "Fighters go up against")
    goals = targets.launch_targets(now.endurance(order.unit))
    if not goals:
        return ""
    away = pluralise(now.distance(now.task_force_hex, targets.target_hex(goals[0])), "hex", "hexes")
    return f"{display_name(order.mission)} goes for {display_name(goals[0])}, {away} away."


def _meeting_reason(now: CbpsSituation, hex_id: str, words: str) -> str:
    if not now.raids:
        return ""
    raid = now.raids[0]
    out = now.distance(hex_id, now.view.raids[raid].hex)
    if not out:
        return f"{words} {display_name(raid)} over the ships."
    return f"{words} {display_name(raid)}, {pluralise(out, 'hex', 'hexes')} away."


def _turning_back_reason(now: CbpsSituation, targets: TargetAnalysis, mission: str) -> str:
    held = now.view.missions[mission]
    is_open = held.kind == "strike" and not held.is_flipped and not held.is_fresh
    if not is_open or targets.mission_target(mission) or not now.attackers(mission):
        return ""
    return f"{display_name(mission)} turns back: it sees nothing in reach that is worth an attack."


def _search_reason(now: CbpsSituation, bearing: int) -> str:
    there = sum(
        now.distance(now.task_force_hex, force.hex) <= SEARCH_REASON_HEXES
        and in_search_area(now.grid, now.task_force_hex, bearing, force.hex)
        for force in now.view.forces.values()
    )
    lie = "lies" if there == 1 else "lie"
    return f"Searches on {bearing} degrees: {count_noun(there, 'force')} {lie} that way."


def _closing_reason(now: CbpsSituation, targets: TargetAnalysis, hex_id: str) -> str:
    known = targets.known_carriers() or targets.detected()
    near = {name: now.distance(hex_id, where) for name, where in known.items()}
    closer = {
        name: out
        for name, out in near.items()
        if out < now.distance(now.task_force_hex, known[name])
    }
    if not closer:
        return "TF 58 goes west to meet the enemy." if not known else ""
    nearest = min(closer, key=lambda name: (closer[name], name))
    return (
        f"TF 58 closes on {display_name(nearest)}, to {pluralise(closer[nearest], 'hex', 'hexes')}."
    )
