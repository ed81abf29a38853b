"""Gunfire and torpedoes in surface combat: firing ships, targets and effects (21.21-21.26)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.cbps.clock import current_light
from engine.cbps.events.chance import Modifier
from engine.cbps.events.combat import ShipFired
from engine.cbps.frames import SurfaceCombatFrame
from engine.cbps.ids import D10
from engine.cbps.run import Run, chart_modifier
from engine.cbps.state import State
from engine.cbps.surface.ch21_sides import (
    CRUISER,
    DESTROYER,
    OTHER_SIDE,
    Side,
    heaviest_class,
    ships_in,
    target_rank,
    weight_class,
)

TORPEDOES: Final = "torpedo"
"""The heading of the torpedo column."""
_TARGET_TYPES: Final = {3: "BB", 2: "cruiser unit or CLAA", 1: "destroyer unit", 0: "CV/CVL"}
"""The names of target types in the chart, by weight class."""


def is_night(state: State) -> bool:
    """Return whether a combat is fought at night. Dusk counts as day (21.11)."""
    return current_light(state) == "night"


def firing_ships(state: State, frame: SurfaceCombatFrame, side: Side) -> tuple[str, ...]:
    """Return a side's ships that may fire in this round (21.21, 21.22)."""
    own, enemy = ships_in(state, side, frame.hex), ships_in(state, OTHER_SIDE[side], frame.hex)
    armed = tuple(ship for ship in own if weight_class(state, ship))
    if is_night(state):
        return () if frame.round == 1 and frame.surprised == side else armed
    own_class, enemy_class = heaviest_class(state, own), heaviest_class(state, enemy)
    # By day, only the heaviest class in the combat fires in round 1, on whichever side (21.22).
    if frame.round == 1:
        return tuple(
            ship for ship in armed if weight_class(state, ship) == max(own_class, enemy_class)
        )
    # In round 2, a side's heaviest class fires, and so do ships as heavy as the enemy's best.
    return tuple(ship for ship in armed if weight_class(state, ship) >= min(own_class, enemy_class))


def unmatched_ships(state: State, frame: SurfaceCombatFrame) -> tuple[str, ...]:
    """Return the US ships that may fire in this round but have no target yet (21.24)."""
    return tuple(ship for ship in firing_ships(state, frame, "us") if ship not in frame.targets)


# -- matching


def match_targets(
    run: Run,
    ships: Sequence[str],
    targets: Sequence[str],
    *,
    previous_targets: Sequence[str] = (),
    has_torpedo_lap: bool = False,
) -> dict[str, str]:
    """Match firing ships with targets by the Japanese procedure (21.23).

    Args:
        run: The command being carried out.
        ships: The ships that fire.
        targets: All of the other side's ships.
        previous_targets: Targets already chosen, repeated once for each attacker.
        has_torpedo_lap: True if destroyers start again from the heaviest target, as at night.
    """
    matched_targets: dict[str, str] = {}
    if not targets:
        return matched_targets
    state = run.state
    count = {target: previous_targets.count(target) for target in targets}
    for rank in (3, CRUISER, DESTROYER):
        if rank == DESTROYER and has_torpedo_lap:
            count = dict.fromkeys(targets, 0)
        for ship in _in_random_order(
            run, [ship for ship in ships if weight_class(state, ship) == rank]
        ):
            target = run.pick(_heaviest_free(state, count), "21.23", ship)
            matched_targets[ship] = target
            count[target] += 1
    return matched_targets


def _in_random_order(run: Run, ships: list[str]) -> Iterator[str]:
    remaining_ships = list(ships)
    while remaining_ships:
        ship = run.pick(remaining_ships, "21.23", "")
        remaining_ships.remove(ship)
        yield ship


def _heaviest_free(state: State, count: Mapping[str, int]) -> list[str]:
    """Return the heaviest of the targets that have the fewest attackers so far."""
    min_count = min(count.values())
    untargeted_forces = [target for target, number in count.items() if number == min_count]
    best_rank = max(target_rank(state, target) for target in untargeted_forces)
    return [target for target in untargeted_forces if target_rank(state, target) == best_rank]


# -- fire


def fire_all(
    run: Run, frame: SurfaceCombatFrame, targets_by_ship: Mapping[str, str]
) -> dict[str, int]:
    """Fire with every ship that has a target. Return the hits on each target, to be applied together (21.25, 21.26)."""
    hits: dict[str, int] = {}
    for ship, target in targets_by_ship.items():
        if target:
            hits[target] = hits.get(target, 0) + _fire_ship(run, frame, ship, target)
    return hits


def _fire_ship(run: Run, frame: SurfaceCombatFrame, ship: str, target: str) -> int:
    state = run.state
    weight = weight_class(state, ship)
    if is_night(state) and weight == DESTROYER:
        return _fire_torpedoes(run, frame, ship, target)  # 21.26
    result = _fire_guns(run, frame, ship, target)
    is_japanese = ship in state.game_data.japanese_ships
    if is_night(state) and frame.round == 1 and weight == CRUISER and is_japanese:
        result += _fire_torpedoes(run, frame, ship, target)  # 21.261
    return result


def _fire_guns(run: Run, frame: SurfaceCombatFrame, ship: str, target: str) -> int:
    """Fire guns, in the column for the attack value minus the defence value. Below 0, nothing hits (21.25)."""
    game_data = run.state.game_data
    run.add(ShipFired(ship=ship, target=target))
    chart = game_data.charts.surface_combat_fire
    row = game_data.us_ships.get(ship) or game_data.japanese_ships[ship]
    net = row.surface_attack - chart.defence(_TARGET_TYPES[weight_class(run.state, target)]).value
    if net < 0:
        return 0
    return run.roll_on_column(chart, net, target, _surprise_modifiers(run.state, frame, ship))


def _fire_torpedoes(run: Run, frame: SurfaceCombatFrame, ship: str, target: str) -> int:
    """Fire torpedoes, always in the same column (21.26)."""
    run.add(ShipFired(ship=ship, target=target, weapon="torpedoes"))
    chart = run.state.game_data.charts.surface_combat_fire
    modifiers = _surprise_modifiers(run.state, frame, ship)
    if ship in run.state.game_data.japanese_ships:
        modifiers = (*modifiers, chart_modifier(chart, "japanese_torpedo"))
    die = run.dice.roll(D10)
    cell = chart.torpedo_at(die + sum(modifier.drm for modifier in modifiers))
    run.record_result(
        chart, target, cell.result, die, modifiers, TORPEDOES, is_assumed=cell.is_assumed
    )
    return cell.result


def _surprise_modifiers(state: State, frame: SurfaceCombatFrame, ship: str) -> tuple[Modifier, ...]:
    """Return the first-round modifier for a ship whose side achieved surprise. Empty for all other ships (21.26)."""
    side: Side = "japan" if ship in state.game_data.japanese_ships else "us"
    if frame.round != 1 or frame.surprised != OTHER_SIDE[side]:
        return ()
    return (chart_modifier(state.game_data.charts.surface_combat_fire, "surprising_side"),)
