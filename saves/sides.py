"""Which roles of a match win and lose together."""

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from engine.kernel.ruleset import ScenarioInfo
from saves.codec import AnyGame
from saves.headers import Header


def info_of(rules: AnyGame, header: Header) -> ScenarioInfo:
    """Return the roles and teams of a match that has begun; a header that names nothing known has its seats."""
    if header.scenario:
        try:
            return rules.scenario_info(header.scenario, header.options)
        except DataError:
            pass  # of other rules than today's
    return rules.info_with([seat.role for seat in header.seats])


def side_of(info: ScenarioInfo, role: Role) -> Role | None:
    """Return the side that a role belongs to, as an outcome names it; None for no role of the match."""
    return next((side for side, roles in info.sides.items() if role in roles), None)
