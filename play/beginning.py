"""How a match begins: where, and with which roles."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset


class Beginning(NamedTuple):
    """What follows from a choice of scenario, switches, position and data."""

    info: ScenarioInfo
    """Roles, teams and usual seats of the match."""
    position: msgspec.Struct
    scenario: str
    """Empty for a position of the players' own, which holds its switches."""
    options: Mapping[str, str]


def beginning(
    rules: AnyRuleset,
    scenario: str,
    options: Mapping[str, str],
    own: msgspec.Struct | None = None,
    data: bytes = b"",
) -> Beginning:
    """Return how a match begins.

    Args:
        rules: The game.
        scenario: Id of the scenario.
        options: Switches that were set.
        own: A checked position of the players' own; scenario and switches then do not count.
        data: An overlay of the players' own over the data of the game; empty for none.

    Raises:
        DataError: Unknown scenario, option or value, or the game does not take these data.
    """
    if own is None:
        info = rules.scenario_info(scenario, options)
        position = rules.position(scenario, options)
        return Beginning(info, _laid_over(rules, position, data), scenario, options)
    position = _laid_over(rules, own, data)
    return Beginning(rules.info_with(rules.roles_at(position)), position, "", {})


def _laid_over(rules: AnyRuleset, position: msgspec.Struct, data: bytes) -> msgspec.Struct:
    found: msgspec.Struct = rules.with_data(position, data) if data else position
    return found
