"""Placement, movement and return of raids. Raids never merge or exchange points (10.2, 10.22, 10.3)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.clock import current_light, turn_label
from engine.cbps.data.scenarios_file import RaidSetup
from engine.cbps.events.chance import Modifier
from engine.cbps.events.japan import PointsMoved
from engine.cbps.events.raids import (
    PointsDestroyed,
    RaidEnded,
    RaidMoved,
    RaidPlaced,
    RaidReduced,
    RaidSplit,
    RaidTurned,
)
from engine.cbps.force_ids import counter_of
from engine.cbps.forces.ch07_forces import is_surface
from engine.cbps.ids import GUAM, JapaneseBox, RaidKind
from engine.cbps.locations import (
    carrier_groups,
    carriers_in_group,
    nearest_carrier_groups,
    sea_map,
    ship_hex,
)
from engine.cbps.rulings import LOST_TARGET, SHORT_WARNING
from engine.cbps.run import Run, chart_modifier
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import Raid, State

_OFF_MAP: Final = "off"


def raid_box(slot: str) -> JapaneseBox:
    """Return the raid box for a slot of a display (9.12)."""
    return "raid-b" if slot == "b" else "raid-a"


# -- destinations


def goal_hex(state: State, raid: str) -> str:
    """Return a raid's destination hex, or an empty string if its target no longer exists (10.23)."""
    return target_hex(state, state.raids[raid].target)


def target_hex(state: State, target: str) -> str:
    """Return the hex of a task group, a crippled ship or Guam, or an empty string if the target no longer exists."""
    if target == GUAM:
        return state.game_data.map.guam
    if target in state.ships:
        return ship_hex(state, target)
    return state.groups[target].hex if target in state.groups else ""


def is_at_goal(state: State, raid: str) -> bool:
    """Return whether a raid has reached its destination hex."""
    return state.raids[raid].hex == goal_hex(state, raid)


def has_own_box(state: State, raid: Raid) -> bool:
    """Return whether the points of a raid are in a raid box of its force or of Guam."""
    return bool(raid.slot) and (raid.origin == GUAM or raid.origin in state.forces)


def raid_target(run: Run, subject: str, start_hex: str, max_range: int) -> str:
    """Return the target of a possible raid: a carrier group or lone crippled carrier, or an empty string for none.

    The nearest carrier group is chosen, with ties broken by the number of carriers, then at random. If no such group
    is within 12 hexes, lone crippled carriers may be targets, unless Japanese surface forces are near them (10.1B,
    12.44).
    """
    state = run.state
    sea, constants = sea_map(state), state.game_data.charts.constants
    nearest_groups = nearest_carrier_groups(state, start_hex)
    if nearest_groups:
        distance = sea.distance(start_hex, state.groups[nearest_groups[0]].hex)
        if distance <= max_range:
            max_carriers = max(len(carriers_in_group(state, group)) for group in nearest_groups)
            best_groups = [
                group
                for group in nearest_groups
                if len(carriers_in_group(state, group)) == max_carriers
            ]
            return run.pick(best_groups, "10.1", subject)
        if distance <= constants.value("crippled_target_no_tg_hexes"):
            return ""
    max_distance = constants.value("crippled_target_surface_force_hexes")
    surface = [force.hex for force in state.forces.values() if is_surface(force)]
    targets = [
        (sea.distance(start_hex, ship.hex), name)
        for name, ship in state.ships.items()
        if ship.hex
        and not ship.is_sunk
        and state.game_data.us_ships[name].is_carrier
        and sea.distance(start_hex, ship.hex) <= max_range
        and all(sea.distance(ship.hex, hex) > max_distance for hex in surface)
    ]
    if not targets:
        return ""
    min_rank = min(targets)[0]
    return run.pick([name for hexes, name in targets if hexes == min_rank], "12.44", subject)


# -- placement


def intercept_distance(run: Run, subject: str) -> int:
    """Roll for the distance between a raid and its target when radar detects it (10.21)."""
    chart = run.state.game_data.charts.intercept_range
    return run.roll_on_chart(chart, subject, _range_modifiers(run.state))


def _range_modifiers(state: State) -> Iterator[Modifier]:
    chart = state.game_data.charts.intercept_range
    if current_light(state) == "dusk":
        yield chart_modifier(chart, "dusk")
    uses_short_warning = SHORT_WARNING.value(state.options)
    if scenario_rules(state).has_full_rules and uses_short_warning != _OFF_MAP:
        yield Modifier(id="variant_24_2", drm=-int(uses_short_warning))


def detection_hex(run: Run, subject: str, start_hex: str, target: str, distance: int) -> str:
    """Return the hex at a distance from the target on the line from the start, or the start hex if that is nearer.

    Of two tied hexes, one without US air missions is preferred. If that does not break the tie, the choice is random
    (10.21).
    """
    line = sea_map(run.state).line(start_hex, target)
    options = line[max(len(line) - 1 - distance, 0)]
    flown_over = {mission.hex for mission in run.state.missions.values()}
    clear = [hex for hex in options if hex not in flown_over]
    return run.pick(clear or options, "10.21", subject)


def new_raid_id(state: State, origin: str, slot: str) -> str:
    """Return an id for a new raid, such as ``1-a`` or ``raid-Guam``, unique among the raids in play."""
    if not slot or origin == GUAM:
        return f"raid-{origin.partition('/')[0].replace(' ', '-')}"
    counter = counter_of(state, origin)
    for letter in (slot, *"cdefghijklmnopqrstuvwxyz"):
        if (raid_id := f"{counter}-{letter}") not in state.raids:
            return raid_id
    raise AssertionError("too many raids", origin)


def place_raid(
    run: Run,
    *,
    origin: str,
    slot: str,
    start_hex: str,
    target: str,
    waves: tuple[int, ...],
    kind: RaidKind = "raid",
    is_land: bool = False,
) -> None:
    """Place the one or two raids sent by a force or base (10.21, 10.24).

    Args:
        run: The command being carried out.
        origin: A force, ``Guam`` or a base.
        slot: The waves' raid boxes, one letter each. Empty for raids without a display.
        start_hex: The hex of the origin.
        target: A task group, a crippled ship or ``Guam``.
        waves: Points of the first wave and, if there is one, of the second.
        kind: The kind of raid.
        is_land: True if the points are land points (11.11).
    """
    goal = target_hex(run.state, target)
    hexes_between_waves = run.state.game_data.charts.constants.value("second_wave_gap_hexes")
    first_id = new_raid_id(run.state, origin, slot[:1])
    distance = intercept_distance(run, first_id)
    for number, points in enumerate(waves):
        name = new_raid_id(run.state, origin, slot[number : number + 1])
        run.add(
            RaidPlaced(
                raid=name,
                origin=origin,
                slot=slot[number : number + 1],
                hex=detection_hex(
                    run, name, start_hex, goal, distance + number * hexes_between_waves
                ),
                target=target,
                points=points,
                kind_of=kind,
                is_land=is_land,
                line_from=start_hex,
            )
        )


# -- movement


def move_raids(run: Run) -> None:
    """Move every raid that was not placed in this phase two hexes straight toward its target (10.23, 10.231)."""
    for name, raid in run.state.raids.items():
        if not raid.is_new:
            move_raid(run, name)


def move_raid(run: Run, name: str) -> None:
    """Retarget a raid if its target is lost, then move it two hexes straight toward the target (10.23, OP-38)."""
    _retarget(run, name)
    if name in run.state.raids:
        _fly(run, name)


def _retarget(run: Run, name: str) -> None:
    """Give a raid a new target if its target is gone or has no carriers, or send it home if none is left (OP-38)."""
    state = run.state
    raid = state.raids[name]
    if raid.target == GUAM:
        return
    if raid.target in state.ships:
        if ship_hex(state, raid.target):
            return
    elif raid.target in carrier_groups(state):
        return
    nearest_groups = nearest_carrier_groups(state, raid.hex)
    if nearest_groups and not LOST_TARGET.uses_alternative(state.options):
        run.add(RaidTurned(raid=name, target=run.pick(nearest_groups, "10.23", name)))
    else:
        send_raid_home(run, name)


def _fly(run: Run, name: str) -> None:
    sea = sea_map(run.state)
    raid = run.state.raids[name]
    goal = goal_hex(run.state, name)
    hex, hexes_passed = raid.hex, []
    for _ in range(run.state.game_data.charts.constants.value("raid_move_hexes_per_segment")):
        if hex != goal:
            hex = run.pick(sea.steps_toward(hex, goal, raid.line_from or None), "10.23", name)
            hexes_passed.append(hex)
    if hexes_passed:
        run.add(RaidMoved(raid=name, hexes=tuple(hexes_passed)))


# -- points and the return


def split_raid(run: Run, raid: str) -> None:
    """Divide a raid into fighters and attackers. This happens only once per raid (10.13)."""
    raid_state = run.state.raids[raid]
    if raid_state.is_split:
        return
    chart = run.state.game_data.charts.japanese_escort_fighters
    fighters = min(raid_state.points, run.roll_on_column(chart, raid_state.points, raid))
    run.add(RaidSplit(raid=raid, fighters=fighters, attackers=raid_state.points - fighters))


def reduce_raid(run: Run, raid: str, *, fighters: int = 0, attackers: int = 0, cause: str) -> None:
    """Move a raid's destroyed points to its origin's LOST box, and end the raid if it is empty (4.55, 5.51).

    Reinforcements, scheduled raids, and raids whose force has left play have no LOST box (16.2).
    """
    points = fighters + attackers
    if not points:
        return
    raid_state = run.state.raids[raid]
    run.add(RaidReduced(raid=raid, fighters=fighters, attackers=attackers, why=cause))
    _lose_points(run, raid_state, points)
    if not run.state.raids[raid].points:
        run.add(RaidEnded(raid=raid, why="destroyed"))


def _lose_points(run: Run, raid: Raid, points: int) -> None:
    if has_own_box(run.state, raid):
        source = raid_box(raid.slot)
        run.add(PointsMoved(owner=raid.origin, points=points, source=source, to="lost"))
    elif raid.is_land or scenario_rules(run.state).has_own_raids:
        run.add(PointsDestroyed(destroyed=points))
    else:
        run.add(PointsDestroyed(naval=points))


def send_raid_home(run: Run, name: str) -> None:
    """Send a raid home, either to its force's return track or back to Guam on the map (10.31, 11.28).

    Scheduled raids end here. The points are lost if their force has left play or has no carriers left (9.13, 10.33).
    """
    state = run.state
    raid = state.raids[name]
    if raid.origin == GUAM:
        run.add(RaidTurned(raid=name, target=GUAM, is_home=True, line_from=raid.hex))
        return
    if has_own_box(state, raid) and state.forces[raid.origin].is_butai:
        distance = sea_map(state).distance(
            state.forces[raid.origin].hex, goal_hex(state, name) or raid.hex
        )
        box = state.game_data.charts.butai_tracks.return_box(distance).lower()
        source = raid_box(raid.slot)
        run.add(PointsMoved(owner=raid.origin, points=raid.points, source=source, to=box))
        run.add(RaidEnded(raid=name, why="returns"))
    elif scenario_rules(state).has_own_raids:
        run.add(RaidEnded(raid=name, why="over"))
    else:
        _lose_points(run, raid, raid.points)
        run.add(RaidEnded(raid=name, why="homeless"))


# -- scheduled raids (Scenarios 1 and 3)


def place_scheduled_raids(run: Run) -> None:
    """Place the raids scheduled for this phase (Scenarios 1 and 3)."""
    state = run.state
    for setup in state.game_data.scenarios[state.scenario].japan.raids:
        appearance = setup.appears
        is_due = (appearance.turn, appearance.phase) == (turn_label(state), state.phase)
        if is_due and nearest_carrier_groups(
            state, appearance.line_from
        ):  # no raid if there is nothing left to attack
            _place_scheduled(run, setup)


def _place_scheduled(run: Run, setup: RaidSetup) -> None:
    appearance = setup.appears
    hexes_between_waves = run.state.game_data.charts.constants.value("second_wave_gap_hexes")
    name = f"raid-{setup.id.removeprefix('Raid ').partition(' ')[0]}"
    if setup.id.endswith("second wave"):
        name = f"{name}-b"
    elif setup.id.endswith("first wave") or len(setup.strength) > 1:
        name = f"{name}-a"
    hex, distance = appearance.hex, 0
    if hex is None:
        distance = intercept_distance(run, name)
    for number, points in enumerate(setup.strength):
        wave = name if not number else f"{name[:-1]}b"
        place = hex or detection_hex(
            run,
            wave,
            appearance.line_to,
            appearance.line_from,
            distance + number * hexes_between_waves,
        )
        run.add(
            RaidPlaced(
                raid=wave,
                origin=wave,
                hex=place,
                target=nearest_carrier_groups(run.state, appearance.line_from)[0],
                points=points,
                line_from=appearance.line_to,
            )
        )
