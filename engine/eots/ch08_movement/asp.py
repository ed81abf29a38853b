"""Amphibious shipping points: how many are left, and spending them (8.45A, 10.3, 14.2B, CP-21)."""

from engine.eots.cards.activation_limits import is_asp_forbidden, temporary_asp
from engine.eots.counters import counters
from engine.eots.events.offensive import AspSpent, LentAspSpent
from engine.eots.flow import EotsRun
from engine.eots.ids import Side, UnitId
from engine.eots.rulings import TEMPORARY_ASP
from engine.eots.state import State, Tracks, current_offensive

REACTION_POINTS = 1
"""Maximum number of points that a side may spend in reaction (8.45A)."""


def _asp_used(tracks: Tracks, side: Side) -> int:
    return tracks.japan_asp_used if side is Side.JAPAN else tracks.allied_asp_used


def usable_level(state: State, side: Side) -> int:
    """Return the points that a side may use per turn. Rivalry halves Japan's points, rounding up (10.3, 14.2B)."""
    tracks = state.tracks
    if side is Side.ALLIED:
        return tracks.allied_asp
    return -(-tracks.japan_asp // 2) if tracks.japan_rivalry else tracks.japan_asp


def _asp_spent(state: State, side: Side) -> int:
    offensive = current_offensive(state)
    return offensive.asp_spent if side is offensive.side else offensive.reaction.asp_spent


def _temporary_asp_left(state: State, side: Side) -> int:
    """Return how many temporary points are left. They are added after halving and spent first (CP-21)."""
    # The turn's count excludes temporary points, so the difference is the number of temporary
    # points spent.
    own_asp = _asp_used(state.tracks, side) - _asp_used(
        current_offensive(state).before.tracks, side
    )
    return max(0, _temporary_asp(state, side) - (_asp_spent(state, side) - own_asp))


def _temporary_asp(state: State, side: Side) -> int:
    """Return this offensive's temporary points. Under the alternative reading, rivalry halves them too (CP-21)."""
    lent_points, tracks = temporary_asp(state, side), state.tracks
    if (
        side is Side.ALLIED
        or not tracks.japan_rivalry
        or not TEMPORARY_ASP.uses_alternative(state.options)
    ):
        return lent_points
    return -(-(tracks.japan_asp + lent_points) // 2) - usable_level(state, side)


def asp_left(state: State, side: Side) -> int:
    """Return how many points a side may still spend in the current offensive (8.45A, 10.3)."""
    if is_asp_forbidden(state, side):
        return 0
    asp_remaining = max(
        0, usable_level(state, side) - _asp_used(state.tracks, side)
    ) + _temporary_asp_left(state, side)
    if side is current_offensive(state).side:
        return asp_remaining
    return min(asp_remaining, REACTION_POINTS - _asp_spent(state, side))


def asp_cost(state: State, units: tuple[UnitId, ...]) -> int | None:
    """Return the points that an assault by these ground units costs; None if a unit cannot assault (8.45A)."""
    total = 0
    for unit in units:
        cost = counters()[unit].asp_cost(state.units[unit].steps)
        if cost is None:
            return None
        total += cost
    return total


def spend_asp(run: EotsRun, side: Side, points: int) -> None:
    """Record that points are spent, temporary points first (8.45A, CP-21)."""
    lent_points = min(points, _temporary_asp_left(run.state, side))
    if lent_points:
        run.add(LentAspSpent(side=side, points=lent_points))
    if points > lent_points:
        run.add(AspSpent(side=side, points=points - lent_points))
