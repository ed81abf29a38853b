"""Hits on Japanese ships, and the consequences for their force (9.13, 12.2, 12.5, 19.1)."""

from collections.abc import Iterator

from engine.cbps.damage.ch12_hulls import hull_level, ships_in_force
from engine.cbps.events.japan import HitsAged, HullHit, HullSunk
from engine.cbps.forces.ch07_forces import remove_force
from engine.cbps.forces.ch09_lost import become_surface_force
from engine.cbps.forces.ch19_retirement import check_retirement
from engine.cbps.rulings import BATTLESHIP_HITS
from engine.cbps.run import Run
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State


def hit_hull(run: Run, ship: str, hits: int, *, is_permanent: bool = False) -> None:
    """Apply hits to a Japanese ship, with all their consequences (12.2, 12.5, 19.1, 9.13).

    Hits on carriers age, but hits on other ships are immediately permanent (12.21, OP-42). In Scenarios 2 and 5, all
    hits are immediately permanent.
    """
    if hits <= 0 or run.state.hulls[ship].fate:
        return
    state = run.state
    row = state.game_data.japanese_ships[ship]
    is_aging = row.is_carrier or (
        row.type == "BB" and BATTLESHIP_HITS.uses_alternative(state.options)
    )
    is_immediate = is_permanent or not is_aging or scenario_rules(state).is_fixed_strength
    level_before = hull_level(state, ship)
    run.add(HullHit(ship=ship, hits=hits, is_permanent=is_immediate))
    level_after = hull_level(run.state, ship)
    if level_after == "sunk":
        sink_hull(run, ship)
    elif level_after == "crippled" != level_before:
        _apply_ship_loss(run, ship)


def sink_hull(run: Run, ship: str) -> None:
    """Sink a Japanese ship, with all the consequences (12.27, 19.1, 9.13)."""
    was_alone = bool(run.state.hulls[ship].hex)
    run.add(HullSunk(ship=ship))
    if not was_alone:
        _apply_ship_loss(run, ship)


def _apply_ship_loss(run: Run, ship: str) -> None:
    """Apply the consequences of a lost ship to its force, which may retire, change type or leave play (19.1, 9.13)."""
    hull = run.state.hulls[ship]
    if hull.force not in run.state.forces or hull.hex:
        return
    if not ships_in_force(run.state, hull.force):
        remove_force(run, hull.force, "sunk")
        return
    check_retirement(run, hull.force)  # 19.1 is applied before 9.13.
    become_surface_force(run, hull.force)


def age_hits(run: Run) -> None:
    """Age all hits by one turn, and sink carriers whose permanent hits reach their capacity (12.21, 12.27)."""
    hulls, forces = run.state.hulls.values(), run.state.forces.values()
    hits = (*(hull.hits for hull in hulls), *(force.hits for force in forces))
    if not any(ship_hits.current or ship_hits.previous for ship_hits in hits):
        return
    run.add(HitsAged())
    for ship in tuple(_sinking_ships(run.state)):
        if not run.state.hulls[ship].fate:
            sink_hull(run, ship)


def _sinking_ships(state: State) -> Iterator[str]:
    for ship, hull in state.hulls.items():
        if not hull.fate and hull_level(state, ship) == "sunk":
            yield ship
