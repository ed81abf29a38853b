"""The procedure of a surface combat: avoidance, two rounds, withdrawal (21)."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine.cbps.damage.ch12_hulls import hull_level, ships_in_force, us_level_at
from engine.cbps.damage.ch12_us_damage import hit_us_ship
from engine.cbps.events.combat import AvoidanceRolled, CombatChosen, RoundBegan, SurfaceCombatBegan
from engine.cbps.forces.ch08_detection import set_detection
from engine.cbps.forces.ch12_hits import hit_hull, sink_hull
from engine.cbps.forces.ch19_retirement import retire
from engine.cbps.frames import SurfaceCombatFrame
from engine.cbps.ids import D10
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State
from engine.cbps.surface.ch21_gunfire import (
    fire_all,
    firing_ships,
    is_night,
    match_targets,
    unmatched_ships,
)
from engine.cbps.surface.ch21_retreat import retreat_sides
from engine.cbps.surface.ch21_sides import (
    BATTLESHIP,
    CRUISER,
    OTHER_SIDE,
    Side,
    battleship_count,
    forces_in,
    has_carrier,
    ships_in,
    weight_class,
)

_MAX_ROUNDS: Final = 2


# -- opening (steps 1 to 5)


def open_combat(run: Run, frame: SurfaceCombatFrame) -> None:
    """Promote the Japanese forces and determine whether they accept or avoid the combat (21.11, OP-55)."""
    run.add(SurfaceCombatBegan(hex=frame.hex, mover=frame.mover))
    origin = dict(frame.origin)
    for name in forces_in(run.state, frame.hex):
        # An earlier promotion may have removed this force.
        if name not in run.state.forces:
            continue
        is_real = not scenario_rules(run.state).has_levels or promote(
            run, name, 4, "surface_combat"
        )
        if is_real:
            set_detection(run, name, "S", "combat")
        elif name in origin:
            # The entry of a removed force is never read, but records contain it under an empty
            # name.
            origin[""] = origin.pop(name)
    absent_sides = tuple(side for side in OTHER_SIDE if not ships_in(run.state, side, frame.hex))
    if absent_sides:
        run.pop()
        retreat_sides(run, replace(frame, origin=origin), absent_sides)
        return
    is_accepted = _japan_accepts(run.state, frame.hex)
    run.add(CombatChosen(side="japan", is_accepted=is_accepted))
    run.replace_top(replace(frame, stage="accept", japan_accepts=is_accepted, origin=origin))


def _japan_accepts(state: State, hex: str) -> bool:
    """Return whether the Japanese side accepts: always at night, but by day only with enough battleships (21.11)."""
    if any(state.forces[force].is_carrier for force in forces_in(state, hex)):
        return False
    if is_night(state):
        return True
    own_battleships = battleship_count(state, ships_in(state, "japan", hex))
    return own_battleships > 0 and 2 * own_battleships >= battleship_count(
        state, ships_in(state, "us", hex)
    )


def resolve_choices(run: Run, frame: SurfaceCombatFrame, *, us_accepts: bool) -> None:
    """Once both sides have chosen, continue with retreat, avoidance or combat (21.1, 21.13, 21.14)."""
    run.add(CombatChosen(side="us", is_accepted=us_accepts))
    if not us_accepts and not frame.japan_accepts:
        run.pop()
        retreat_sides(run, frame, ("us", "japan"))
        return
    if not (us_accepts and frame.japan_accepts):
        avoider: Side = "japan" if us_accepts else "us"
        if _roll_avoidance(run, frame, avoider):
            run.pop()
            retreat_sides(run, frame, (avoider,))
            return
    _begin_round(run, replace(frame, round=1, surprised=_roll_surprise(run, frame.hex)))


def _roll_avoidance(run: Run, frame: SurfaceCombatFrame, avoider: Side) -> bool:
    """Roll for both sides, and return whether combat is avoided: the avoider's total must not be lower (21.14)."""
    die, against = run.dice.roll(D10), run.dice.roll(D10)
    with_carrier = has_carrier(run.state, ships_in(run.state, avoider, frame.hex))
    drm = run.state.game_data.charts.constants.value("avoidance_carrier_drm") if with_carrier else 0
    is_avoided = die + drm >= against
    run.add(AvoidanceRolled(side=avoider, die=die, drm=drm, against=against, is_avoided=is_avoided))
    return is_avoided


def _roll_surprise(run: Run, hex: str) -> str:
    """Roll for night surprise and return the surprised side, or an empty string if there is none (21.21)."""
    if not is_night(run.state):
        return ""
    result = run.roll_on_chart(run.state.game_data.charts.night_surface_surprise, hex)
    return {"us_surprises": "japan", "japanese_surprises": "us"}.get(result, "")


# -- rounds (step 6)


def _begin_round(run: Run, frame: SurfaceCombatFrame) -> None:
    run.add(RoundBegan(hex=frame.hex, round=frame.round))
    run.replace_top(replace(frame, stage="match", targets={}))


def fight_round(run: Run, frame: SurfaceCombatFrame) -> None:
    """Assign targets to ships that have none yet, fire, and apply all hits simultaneously (21.2)."""
    state = run.state
    us, japan = (ships_in(state, side, frame.hex) for side in ("us", "japan"))
    targeted_forces = tuple(target for target in frame.targets.values() if target)
    targets = {
        **frame.targets,
        **match_targets(
            run, unmatched_ships(state, frame), japan, previous_targets=targeted_forces
        ),  # D-21.24
    }
    matches = {ship: targets[ship] for ship in firing_ships(state, frame, "us")}
    matches |= match_targets(
        run, firing_ships(state, frame, "japan"), us, has_torpedo_lap=is_night(state)
    )
    # All targets are set before the first die (21.24), and all hits apply together (21.25).
    hits = fire_all(run, frame, matches)
    # The ships are listed before the hits, because sunk ships no longer belong to a force.
    heavy_ships_by_force = [_heavy_ships(state, force) for force in forces_in(state, frame.hex)]
    _apply_hits(run, hits)
    frame = replace(frame, origin=_hexes_of_remaining_forces(run.state, state, frame.origin))
    for ships in heavy_ships_by_force:
        _check_retirement(run, ships)
    hits_taken = {
        "us": sum(run.state.ships[ship].is_sunk for ship in us),
        "japan": sum(run.state.hulls[ship].fate == "sunk" for ship in japan),
    }
    frame = replace(
        frame,
        us_lost=frame.us_lost + hits_taken["us"],
        japan_lost=frame.japan_lost + hits_taken["japan"],
    )
    is_over = not all(ships_in(run.state, side, frame.hex) for side in ("us", "japan"))
    if frame.round < _MAX_ROUNDS and not is_over:
        _begin_round(run, replace(frame, round=frame.round + 1))
        return
    run.pop()
    _retreat_loser(run, frame)


def _hexes_of_remaining_forces(
    state: State, state_before: State, origin: Mapping[str, str]
) -> dict[str, str]:
    """Return the hex that each moving group or force left, by name. Forces removed by losses get an empty name."""
    hexes = {}
    for name, hex in origin.items():
        ships = ships_in_force(state_before, name)
        hexes[state.hulls[ships[0]].force if ships else name] = hex
    return hexes


def _apply_hits(run: Run, hits: Mapping[str, int]) -> None:
    """Apply the hits of a round. A ship that reaches its crippled level sinks (21.25)."""
    for ship, number in hits.items():
        if not number:
            continue
        if ship in run.state.ships:
            hits_now = run.state.ships[ship].hits + number
            is_fatal = us_level_at(run.state, ship, hits_now) == "crippled"
            hit_us_ship(run, ship, number, "gunfire", is_fatal=is_fatal)
        else:
            hit_hull(run, ship, number, is_permanent=True)
            if not run.state.hulls[ship].fate and hull_level(run.state, ship) == "crippled":
                sink_hull(run, ship)


def _heavy_ships(state: State, force: str) -> tuple[str, ...]:
    """Return the ships that make a force retire if any is lost: battleships or, if it has none, cruisers (21.28)."""
    ships = ships_in_force(state, force)
    for weight in (BATTLESHIP, CRUISER):
        if heaviest_ships := tuple(ship for ship in ships if weight_class(state, ship) == weight):
            return heaviest_ships
    return ()


def _check_retirement(run: Run, ships: tuple[str, ...]) -> None:
    """Retire a force for the rest of the game if it has lost one of these ships (21.28)."""
    state = run.state
    sunk_ships = [ship for ship in ships if state.hulls[ship].fate == "sunk"]
    if not sunk_ships:
        return
    name = state.hulls[sunk_ships[0]].force
    if name in state.forces and not state.forces[name].is_retiring:
        retire(run, name, "combat")


def _retreat_loser(run: Run, frame: SurfaceCombatFrame) -> None:
    """Retreat the side with more units sunk, or both sides if they lost equally (21.27)."""
    if frame.us_lost > frame.japan_lost:
        sides: tuple[Side, ...] = ("us",)
    elif frame.japan_lost > frame.us_lost:
        sides = ("japan",)
    else:
        sides = ("us", "japan")
    retreat_sides(run, frame, sides)
