"""The rules that each scenario uses (appendix C)."""

from typing import Final

import msgspec

from engine.cbps.ids import Segment
from engine.cbps.state import Battle

ALL_SEGMENTS: Final[tuple[Segment, ...]] = (
    "japanese-air-movement",
    "activation",
    "us-air-movement",
    "search",
    "operations",
    "intercept",
    "japanese-attack",
    "us-attack",
    "end-of-phase",
)
"""The segments of an Action Phase, starting with Scenario 5 (3.1)."""


class ScenarioRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules in force in a scenario."""

    segments: tuple[Segment, ...] = ALL_SEGMENTS
    has_turn_end: bool = True
    """True if the scenario has a Turn End Phase, in which hits age, fires spread and submarines attack (3.1)."""
    is_free_setup: bool = True
    """True if the player places the air units."""
    flies_home: bool = True
    """True if aircraft in the air at the end land or are lost (common end of game, with an exception in Scenario 2)."""
    has_servicing: bool = True
    """True if units are serviced and can fly again. Otherwise, each unit flies at most one mission (4.16)."""
    has_strikes: bool = True
    """True if strikes can be launched (4.2)."""
    has_intercepts: bool = True
    """True if intercept missions can be launched (4.3)."""
    has_own_raids: bool = False
    """True if raids follow the scenario's schedule (Scenarios 1 and 3)."""
    has_raid_attack: bool = True
    """True if raids attack (5.7). If False, as in Scenario 1, raids that reach TF 58 are removed instead."""
    has_levels: bool = True
    """True if the scenario uses intelligence levels 0 to 4, arrivals and the activation cup (7.3)."""
    has_us_move: bool = True
    has_raids: bool = True
    """True if the raid procedure is used (10)."""
    is_fixed_strength: bool = False
    """True if Known Air Strength and CAP are given, and the steps marked 6+ are skipped (Scenario 5, 10.1)."""
    fights_strikes: bool = True
    """True if strikes that make contact continue with combat. False in Scenario 4."""
    has_full_rules: bool = True
    """True from Scenario 6 on: sections 11 to 15 (Guam, submarines, commitment, fires, optional rules) are in force."""


_RULES_BY_SCENARIO: Final = {
    "1": ScenarioRules(
        segments=(
            *("japanese-air-movement", "us-air-movement", "operations", "intercept"),
            *("japanese-attack", "end-of-phase"),
        ),
        has_turn_end=False,
        is_free_setup=False,
        has_servicing=False,
        has_strikes=False,
        has_own_raids=True,
        has_raid_attack=False,
        has_levels=False,
        has_us_move=False,
        has_raids=False,
        has_full_rules=False,
    ),
    "2": ScenarioRules(
        segments=("us-attack",),
        has_turn_end=False,
        is_free_setup=False,
        flies_home=False,
        has_servicing=False,
        has_levels=False,
        has_us_move=False,
        has_raids=False,
        is_fixed_strength=True,
        has_full_rules=False,
    ),
    "3": ScenarioRules(
        segments=(
            *("japanese-air-movement", "us-air-movement", "operations", "intercept"),
            *("japanese-attack", "end-of-phase"),
        ),
        has_turn_end=False,
        has_strikes=False,
        has_own_raids=True,
        has_levels=False,
        has_us_move=False,
        has_raids=False,
        has_full_rules=False,
    ),
    "4": ScenarioRules(
        segments=("activation", "us-air-movement", "search", "operations", "us-attack"),
        has_turn_end=False,
        has_intercepts=False,
        has_us_move=False,
        has_raids=False,
        fights_strikes=False,
        has_full_rules=False,
    ),
    "5": ScenarioRules(is_fixed_strength=True, has_full_rules=False),
}
_FULL_RULES: Final = ScenarioRules()
GHOST_SCENARIO: Final = "9"
"""The scenario with the ghost ships and with special values for raids and victory (5.61, 10.1B, 15.1)."""


def scenario_rules(battle: Battle) -> ScenarioRules:
    """Return the rules in force in the battle's scenario."""
    return _RULES_BY_SCENARIO.get(battle.scenario, _FULL_RULES)
