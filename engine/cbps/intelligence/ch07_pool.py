"""Random draws of ships for forces: carriers, screens and surface forces (7.39, 7.42-7.44)."""

from engine.cbps.charts.results import CarrierCount, SurfaceCode, battleship_count
from engine.cbps.data.scenarios_file import ShipPool
from engine.cbps.events.chance import Modifier
from engine.cbps.forces.ch13_index import ships_in_play
from engine.cbps.intelligence.ch07_fleet import is_reserved_for_fleet
from engine.cbps.rulings import ONE_POOL
from engine.cbps.run import Run
from engine.cbps.state import State


def is_kido_butai_free(state: State) -> bool:
    """Return whether the Kido Butai can still appear, with all its carriers undrawn (Scenario 9)."""
    if not state.game_data.scenarios[state.scenario].kido_butai:
        return False
    if any(force.is_kido_butai for force in state.forces.values()):
        return False
    return all(ship not in state.hulls for ship in state.game_data.kido_butai.carriers)


def ship_pools(state: State, kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the undrawn ships of one type in one or two pools. The first is used up first (7.43, OP-27).

    If the Additional option is on, Historical and Additional ships form one pool. If it is off, Additional ships are
    drawn when no Historical ones are left.
    """
    setup = state.game_data.scenarios[state.scenario].japan
    line = ships_in_play(state)
    if line not in setup.ships:
        ships = state.game_data.japanese_ships_of_type(kind)
        historical_ships = [
            tuple(pool_ship.id for pool_ship in ships if pool_ship.ship_class == "historical")
        ]
    else:
        historical_ships = [_pool_of_type(setup.ships[line], kind)]
        if line == "additional" and ONE_POOL.uses_alternative(state.options):
            historical_ships = [_pool_of_type(setup.ships["historical"], kind)]
        if line != "scenario_9" and "additional" in setup.ships:
            additional_ships = _pool_of_type(setup.ships["additional"], kind)
            historical_ships.append(
                tuple(ship for ship in additional_ships if ship not in historical_ships[0])
            )
    return tuple(
        tuple(ship for ship in pool if _is_available(state, ship)) for pool in historical_ships
    )


def _pool_of_type(pool: ShipPool, kind: str) -> tuple[str, ...]:
    return {"CV": pool.cv, "CVL": pool.cvl, "BB": pool.bb}[kind]


def _is_available(state: State, ship: str) -> bool:
    """Return whether a ship has not been drawn and is not reserved for a particular force."""
    if ship in state.hulls or is_reserved_for_fleet(state, ship):
        return False
    is_kept = any(force.is_kido_butai for force in state.forces.values())
    return not (is_kept and ship in state.game_data.kido_butai.carriers)


def draw_carriers(run: Run, name: str, carrier_count: CarrierCount) -> tuple[str, ...]:
    """Draw a force's carriers. If one type runs out, draw the other type instead (7.42, 7.43)."""
    drawn_carriers: list[str] = []
    for kind, other_kind, count in (
        ("CV", "CVL", carrier_count.cv),
        ("CVL", "CV", carrier_count.cvl),
    ):
        for _ in range(count):
            tiers = zip(ship_pools(run.state, kind), ship_pools(run.state, other_kind), strict=True)
            for pool in (pool for tier in tiers for pool in tier):
                if undrawn_ships := [ship for ship in pool if ship not in drawn_carriers]:
                    drawn_carriers.append(run.pick(undrawn_ships, "7.42", name))
                    break
    return tuple(drawn_carriers)


def draw_screen(run: Run, name: str, carriers: int) -> tuple[str, ...]:
    """Draw the screen of a level-4 carrier force (7.44)."""
    charts = run.state.game_data.charts
    if run.state.forces[name].is_kido_butai:
        code = run.state.game_data.kido_butai.screen  # OP-59
        run.record_result(charts.screen_generation, name, code, column="Kido Butai")
        return draw_surface(run, name, code)
    entry = charts.screen_generation.look_up(carriers)
    run.record_result(charts.screen_generation, name, entry.result, column=entry.key)
    screen = entry.result
    modifiers = (Modifier(id="screen", drm=screen.drm),) if screen.drm else ()
    chart = charts.l2_to_l3_surface
    return draw_surface(run, name, run.roll_on_column(chart, screen.column, name, modifiers))


def draw_surface(run: Run, name: str, code: SurfaceCode) -> tuple[str, ...]:
    """Draw the units named by a surface chart result, omitting unavailable units (7.39)."""
    if code == "DD":
        return _draw_ships(run, name, _available_forces(run.state, "DD"), 1)
    if code in ("CA2+", "CA2-"):
        return _draw_one_of_two(run, name, is_larger=code == "CA2+")
    drawn_ships: tuple[str, ...] = ()
    for pool in ship_pools(run.state, "BB"):
        drawn_ships += _draw_ships(run, name, pool, battleship_count(code) - len(drawn_ships))
    return drawn_ships + draw_cruisers(run, name, 1)


def draw_cruisers(run: Run, name: str, count: int) -> tuple[str, ...]:
    """Draw a number of Cruiser Forces at random."""
    return _draw_ships(run, name, _available_forces(run.state, "CA"), count)


def _available_forces(state: State, kind: str) -> tuple[str, ...]:
    return tuple(
        ship.id
        for ship in state.game_data.japanese_ships_of_type(kind)
        if ship.id not in state.hulls
    )


def _draw_ships(run: Run, name: str, pool: tuple[str, ...], count: int) -> tuple[str, ...]:
    undrawn_ships = list(pool)
    drawn_ships: list[str] = []
    while undrawn_ships and len(drawn_ships) < count:
        drawn_ship = run.pick(undrawn_ships, "7.39", name)
        undrawn_ships.remove(drawn_ship)
        drawn_ships.append(drawn_ship)
    return tuple(drawn_ships)


def _draw_one_of_two(run: Run, name: str, *, is_larger: bool) -> tuple[str, ...]:
    """Draw two Cruiser Forces and keep the larger or smaller one, or the first if they are equal (7.39, OP-26)."""
    cruisers = draw_cruisers(run, name, 2)
    sizes = [run.state.game_data.japanese_ships[ship].size for ship in cruisers]
    if not cruisers:
        return ()
    return (cruisers[sizes.index(max(sizes) if is_larger else min(sizes))],)
