"""A commander's or spectator's view, which shows everything because the game has no hidden information (0)."""

from engine.cbps.clock import current_light, day_and_time
from engine.cbps.damage.ch15_victory import net_points
from engine.cbps.force_ids import with_counters
from engine.cbps.forces.ch13_index import commitment_limit, commitment_threshold
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.seats import commanders
from engine.cbps.state import Battle, State
from engine.kernel.ruleset import View
from engine.kernel.structs import shared_fields


class CbpsView(View, Battle, frozen=True, kw_only=True):
    """The battle as seen by one seat."""

    role: str
    """The seat, or empty for a spectator."""
    roles: tuple[str, ...]
    """All seats in the match."""
    day: str
    time: str
    """The label of the turn, such as ``0810``."""
    light: str
    threshold: int
    limit: int
    """The limit of the Commitment Index, or 0 if the scenario has none."""
    victory_points: int
    """Net victory points if the scenario ended now (15.1)."""
    is_over: bool


def project_state(state: State, role: str | None) -> CbpsView:
    """Build the view of a seat, or of a spectator if the role is None."""
    day, time = day_and_time(state)
    has_commitment = scenario_rules(state).has_full_rules
    return CbpsView(
        **shared_fields(with_counters(state), CbpsView),
        role=role or "",
        roles=commanders(state),
        day=day,
        time=time,
        light=current_light(state),
        threshold=commitment_threshold(state) if has_commitment else 0,
        limit=commitment_limit(state) if has_commitment else 0,
        victory_points=net_points(state),
        is_over=state.outcome is not None,
    )
