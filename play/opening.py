"""Determines a match's starting position and roles."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from engine.kernel.ruleset import ScenarioInfo
from engine.registry import AnyRuleset


class MatchStart(NamedTuple):
    """The starting position and roles of a match."""

    info: ScenarioInfo
    """The match's roles, teams and usual seating."""
    position: msgspec.Struct
    scenario: str
    """Id of the scenario. Empty for a custom position, which contains its own options."""
    options: Mapping[str, str]


def resolve_match_start(
    rules: AnyRuleset,
    scenario: str,
    options: Mapping[str, str],
    custom_position: msgspec.Struct | None = None,
    data: bytes = b"",
) -> MatchStart:
    """Return the starting position and roles of a new match.

    Args:
        rules: The game.
        scenario: Id of the scenario.
        options: The options that were chosen.
        custom_position: A verified custom position, which overrides the scenario and the options.
        data: Custom data from the players, which overrides the game's data; empty if there is no custom data.

    Raises:
        DataError: The scenario, an option or its value is unknown, or the game does not accept the data.
    """
    if custom_position is None:
        info = rules.scenario_info(scenario, options)
        position = rules.position(scenario, options)
        return MatchStart(info, _with_overlay(rules, position, data), scenario, options)
    position = _with_overlay(rules, custom_position, data)
    return MatchStart(rules.scenario_info_for_roles(rules.roles_at(position)), position, "", {})


def _with_overlay(rules: AnyRuleset, position: msgspec.Struct, data: bytes) -> msgspec.Struct:
    overlaid: msgspec.Struct = rules.with_data(position, data) if data else position
    return overlaid
