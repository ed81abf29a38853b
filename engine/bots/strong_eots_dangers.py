"""Finds endangered friendly hexes, and the cost of losing each of them (8.42, 8.45, 17).

A hex is endangered if enemy troops could enter it while it is unguarded.

Only public information is used: the positions of enemy troops, the HQs that could command those troops, and the troops'
range at sea.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_eots_cards import activatable_units
from engine.bots.greedy_eots_reach import march_destinations, may_enter
from engine.bots.greedy_eots_situation import EotsSituation
from engine.bots.greedy_eots_stakes import PROGRESS_VALUE, base_value
from engine.eots.board import board
from engine.eots.ch16_victory.counting import ports_near
from engine.eots.ch16_victory.score import conditions
from engine.eots.counters import counters
from engine.eots.ids import HexId, Side
from engine.eots.victory_terms import PortInRange

NAVAL_MOVE: Final = 15
MARCH_HALVES: Final = 6
"""Movement allowance provided by a card with operations value 3, in half movement points (8.1)."""
DECISIVE_WEIGHT: Final = 2
"""Weight of a hex's contribution to victory relative to its general value."""
RETAKE_VALUE: Final = 2 * PROGRESS_VALUE
"""Bonus for a hex that stops counting for the progress of the war if it is retaken (16.47-3)."""
LIKELY_HEXES: Final = 30
"""The danger to a hex falls linearly with its distance from the enemy, and is zero at this many hexes."""
HEXES_PER_LOSS: Final = 3
"""Number of unguarded endangered hexes for each hex that is expected to be lost."""

Dangers = Mapping[HexId, int]
"""The cost of losing each endangered hex, highest cost first."""


def hex_dangers(situation: EotsSituation) -> Dangers:
    """Return the friendly hexes that enemy troops can reach, guarded or not, with the cost of losing each.

    The result is empty for the Allies, who win by attacking.
    """
    if situation.side is Side.ALLIED:
        return {}
    enemy = EotsSituation.from_view(situation.view, situation.side.enemy)
    decided_ports = _decided_ports(situation)
    dangers = {
        hex_id: _loss_value(situation, hex_id, is_decided=hex_id in decided_ports)
        * (LIKELY_HEXES - distance)
        // LIKELY_HEXES
        for hex_id, distance in _reachable_targets(enemy).items()
        if not enemy.garrison(hex_id)
    }
    return dict(sorted(dangers.items(), key=lambda row: (-row[1], row[0])))


def _reachable_targets(enemy: EotsSituation) -> Mapping[HexId, int]:
    """Return the targets that the enemy's troops can reach, with their distances. Zones of influence are ignored."""
    targets: dict[HexId, int] = {}
    for unit in activatable_units(enemy, *enemy.hqs()):
        counter = counters()[unit.id]
        if not counter.is_ground or unit.at not in board().index:
            continue
        targets.update(
            (at, 1)
            for at in march_destinations(enemy, unit, MARCH_HALVES)
            if enemy.capture_value(at)
        )
        if counter.ground is None or not counter.ground.amphibious_assault:
            continue
        row = board().sea_distances(board().index[HexId(unit.at)])
        for hex_id in enemy.targets:
            distance = row[board().index[hex_id]]
            if distance <= NAVAL_MOVE and may_enter(counter, hex_id):
                targets[hex_id] = min(distance, targets.get(hex_id, distance))
    return targets


def _loss_value(situation: EotsSituation, hex_id: HexId, *, is_decided: bool) -> int:
    base = base_value(hex_id)
    deciding_value = 0 if is_decided else situation.hex_value(hex_id) - base
    return DECISIVE_WEIGHT * deciding_value + base // 2 + PROGRESS_VALUE


def _decided_ports(situation: EotsSituation) -> frozenset[HexId]:
    """Return the ports that no longer matter. The enemy needs one port of each group and already has one."""
    ports: set[HexId] = set()
    for term in conditions(situation.view.scenario):
        if isinstance(term, PortInRange) and term.side is situation.side.enemy:
            ports_in_range = ports_near(term.of, term.range)
            if not all(map(situation.is_own, ports_in_range)):
                ports.update(ports_in_range)
    return frozenset(ports)


def with_retakes(situation: EotsSituation) -> EotsSituation:
    """Return the situation with some hex values raised for Japan (16.47, 17.38).

    These are the hexes that Japan has lost this turn and the decisive ports.
    """
    if situation.side is not Side.JAPAN:
        return situation
    lost_hexes = {
        at: RETAKE_VALUE
        for at in situation.view.japan_at_turn_start
        if at in situation.values and not situation.is_own(at)
    }
    for hex_id in _decided_ports(situation):
        if not situation.is_own(hex_id):
            lost_hexes[hex_id] = lost_hexes.get(hex_id, 0) + situation.hex_value(hex_id)
    return replace(
        situation,
        values={
            **situation.values,
            **{at: situation.hex_value(at) + lost_hexes[at] for at in lost_hexes},
        },
    )
