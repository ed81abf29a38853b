"""Finds the roles that win or lose a match together."""

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from saves.codec import AnyGame
from saves.headers import Header


def match_info(rules: AnyGame, header: Header) -> ScenarioInfo:
    """Return a match's roles and teams. If the scenario is unknown, each seat in the header is a role."""
    if header.scenario:
        try:
            return rules.scenario_info(header.scenario, header.options)
        except DataError:
            pass  # The current rules do not contain this scenario.
    return rules.scenario_info_for_roles([seat.role for seat in header.seats])


def find_side(info: ScenarioInfo, role: Role) -> Role | None:
    """Return a role's side, as named in outcomes; None if the match has no such role."""
    return next((side for side, roles in info.sides.items() if role in roles), None)
