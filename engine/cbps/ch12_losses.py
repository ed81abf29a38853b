"""Consequences for a force when its ships are crippled or sunk (9.13, 19.1)."""

from engine.cbps.ch07_levels import remove_force
from engine.cbps.ch09_lost import lose_carriers
from engine.cbps.ch12_hulls import ships_of
from engine.cbps.ch19_retirement import check_retirement
from engine.cbps.run import Run


def force_hurt(run: Run, force: str) -> str:
    """Check whether a force retires, becomes a surface force, or leaves play with its last ship.

    Returns:
        The present name of the force; empty if it has left play.
    """
    if not ships_of(run.state, force):
        remove_force(run, force, "sunk")
        return ""
    check_retirement(run, force)  # 19.1 comes before 9.13
    return lose_carriers(run, force)
