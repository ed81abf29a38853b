"""The scenarios as listed in menus (appendix C)."""

from collections.abc import Mapping
from functools import cache

from msgspec.structs import replace

from engine.cbps.briefings import briefing, victory_levels
from engine.cbps.data.scenarios_file import Scenario
from engine.cbps.game_data import standard_game_data
from engine.cbps.seats import US, staff_seats
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import ScenarioInfo

_SUMMARIES = {
    "1": "Lesson 1: fighters meet the first raids; 8 phases, 20 minutes",
    "2": "Lesson 2: one evening strike on the Mobile Fleet; 10 minutes",
    "3": "Lesson 3: flight decks under raids; 4 turns, 45 minutes",
    "4": "Lesson 4: searches and what they find; 8 turns, an hour",
    "5": "Lesson 5: a whole day, 20 June; 13 turns, 2 hours",
    "6": "19 June, all rules; 12 turns, 3 hours",
    "7": "What if TF 58 had closed in the night? 12 turns, 3 hours",
    "8": "Both days, 30 turns, an afternoon",
    "9": "Both fleets at full strength, 30 turns, an afternoon",
}
_GOAL_TEXTS = {
    "1": "Stop two raids short of Task Force 58",
    "2": "Hit the carriers of the Mobile Fleet at sunset",
    "3": "Keep fighters over the fleet and have bombers ready at the end",
    "4": "Find out which Japanese forces are where",
    "5": "Find the carriers, sink some and bring your planes home",
    "6": "Guard Saipan, sink carriers and shoot down planes",
    "7": "Guard Saipan, sink carriers and shoot down planes",
    "8": "Guard Saipan, beat the raids, then catch the fleet before it is gone",
    "9": "Beat the Mobile Fleet at its full strength and keep your carriers",
}
_LEVEL_SENTENCES = {
    "US win": "The US wins with {} points or more.",
    "good": "A good result takes {} points.",
}
"""Sentences for victory levels whose names do not fit the standard sentence."""


@cache
def scenario_infos() -> tuple[ScenarioInfo, ...]:
    """Return the nine scenarios in the recommended learning order."""
    return tuple(
        ScenarioInfo(
            id=number,
            name=scenario.title,
            rule=Rule("15.0"),
            summary=_SUMMARIES[number],
            goal=_goal_text(scenario),
            roles=(Role(US),),
            teams={Role(US): (Role(US),)},
            briefing=briefing(number),
        )
        for number, scenario in standard_game_data().scenarios.items()
    )


def _goal_text(scenario: Scenario) -> str:
    """Return the player's task and the points needed for the second-best victory level (15.1)."""
    level, min_score = victory_levels(scenario)[1]
    sentence = _LEVEL_SENTENCES.get(level, f"A {level} takes {{}} points.")
    return f"{_GOAL_TEXTS[str(scenario.id)]}. {sentence.format(min_score)}"


def with_staff(info: ScenarioInfo, options: Mapping[str, str]) -> ScenarioInfo:
    """Return a scenario with a seat for each of its commanders. One player may take several seats."""
    roles = tuple(Role(role) for role in staff_seats(options))
    halves = (roles[::2], roles[1::2])
    seatings = (
        ((roles,),) if len(roles) == 1 else ((roles,), halves, tuple((role,) for role in roles))
    )
    return replace(
        info, roles=roles, teams={Role(US): roles}, seatings=tuple(dict.fromkeys(seatings))
    )
