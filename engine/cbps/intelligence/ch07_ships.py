"""Consequences of revealing a force's ships: earlier hits are assigned and Scenario 4 points scored (14.162, 7.4)."""

from typing import Final

from engine.cbps.damage.ch12_hulls import ships_in_force
from engine.cbps.damage.ch15_victory import FALSE_CONTACTS
from engine.cbps.data.scenarios_file import Points
from engine.cbps.events.japan import ForceFound, ForceHitsVoid, HullHit
from engine.cbps.force_ids import counter_of
from engine.cbps.forces.ch12_hits import hit_hull
from engine.cbps.rulings import VOID_HITS
from engine.cbps.run import Run
from engine.cbps.state import Force

HEAVIEST_FIRST: Final = ("CV", "CVL", "BB", "CA", "DD")


def assign_submarine_hits(run: Run, name: str) -> None:
    """Assign a force's earlier submarine hits to one of its ships (14.162, OP-62).

    A carrier force assigns them to a random carrier, a CV if it has one. A surface force assigns them to a random unit
    of the heaviest class. On a carrier, the age of the hits does not change. The force may become a surface force or
    leave play.
    """
    hits = run.state.forces[name].hits
    ships = ships_in_force(run.state, name)
    if not hits.total or not ships:
        return
    game_data = run.state.game_data.japanese_ships
    heaviest_index = min(HEAVIEST_FIRST.index(game_data[ship].type) for ship in ships)
    heaviest_ships = [
        ship for ship in ships if game_data[ship].type == HEAVIEST_FIRST[heaviest_index]
    ]
    ship = run.pick(heaviest_ships, "14.162", name)
    run.add(ForceHitsVoid(force=name))
    if not game_data[ship].is_carrier:
        if not VOID_HITS.uses_alternative(run.state.options):
            hit_hull(run, ship, hits.total, is_permanent=True)
    else:
        if hits.previous:
            run.add(HullHit(ship=ship, hits=0, previous=hits.previous))
        hit_hull(run, ship, hits.permanent, is_permanent=True)
        hit_hull(run, ship, hits.current)


def score_force(run: Run, name: str, carriers: tuple[int, int] = (0, 0)) -> None:
    """Record the points for the level that a force has reached, if the scenario scores levels (Scenario 4, 7.4).

    Args:
        run: The command being carried out.
        name: The force, or an empty string for a false contact.
        carriers: Numbers of CVs and CVLs in a level-4 force. They are scored but not placed.
    """
    point_values = run.state.game_data.scenarios[run.state.scenario].victory.points
    if "false_contact" not in point_values:
        return
    if not name:
        number = 1 + sum(contact.startswith(FALSE_CONTACTS) for contact in run.state.found)
        run.add(ForceFound(name=f"{FALSE_CONTACTS}{number}", points=point_values["false_contact"]))
        return
    points = point_values[_scoring_entry(run.state.forces[name])]
    if any(carriers):
        points += (
            carriers[0] * point_values["level_4_per_cv"]
            + carriers[1] * point_values["level_4_per_cvl"]
        )
    counter = counter_of(run.state, name)
    if run.state.found.get(counter, 0) != points:
        run.add(ForceFound(name=counter, points=points))


def _scoring_entry(force: Force) -> Points:
    """Return the entry in the scoring table for a force's level and type."""
    if force.level == 1:
        return "level_1"
    if force.level == 2:  # noqa: PLR2004  # scores are listed by level
        return "level_2_carrier" if force.is_carrier else "level_2_surface"
    if force.level == 3:  # noqa: PLR2004  # as above
        return "level_3_carrier" if force.is_carrier else "level_3_surface"
    return "level_4_carrier"
