"""Text of the log entries about die rolls and chart results."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import chance as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.game_data import standard_game_data
from engine.cbps.prose.names import display_name

_HEX_ID_LENGTH: Final = 4
"""The number of digits in a hex id."""


def _subject_name(word: str) -> str:
    """Return the subject of a roll as text, such as ``hex 1108`` or ``Strike 3``."""
    return f"hex {word}" if len(word) == _HEX_ID_LENGTH and word.isdigit() else display_name(word)


def _describe_chart_read(event: ev.ChartRead) -> str:
    """Return a sentence that names the chart, subject, column, die, modifiers and result."""
    chart = getattr(standard_game_data().charts, event.chart)
    suffix = f" for {_subject_name(event.about)}" if event.about else ""
    column = f", column {event.column.replace('_', ' ')}" if event.column else ""
    die = ""
    if event.die:
        drms = "".join(
            f" {modifier.drm:+d} ({modifier_text(event.chart, modifier)})"
            for modifier in event.modifiers
        )
        total = event.die + sum(modifier.drm for modifier in event.modifiers)
        die = f", die {event.die}{drms}{f' = {total}' if drms else ''}"
    assumed_suffix = " (assumed)" if event.is_assumed else ""
    result = event.result.replace("_", " ")
    return f"{chart.title} ({chart.rule}){suffix}{column}{die}: {result}{assumed_suffix}."


def modifier_text(chart: str, modifier: ev.Modifier) -> str:
    """Return a text that explains a modifier, or its id as words if the chart does not define it."""
    if (chart, modifier.id) in _SHORT_TEXTS:
        return _SHORT_TEXTS[chart, modifier.id].format(value=abs(modifier.drm))
    try:
        condition: str = getattr(standard_game_data().charts, chart).modifier(modifier.id).when
    except KeyError:
        return modifier.id.replace("_", " ")
    return condition


_SHORT_TEXTS: Final = {
    ("l1_to_l2", "known_air_strength"): "Known Air Strength",
    ("l2_to_l3_surface", "screen"): "number of carriers",
    ("l2_to_l3_carrier", "scenario_9"): "Scenario 9",
    ("l3_to_l4", "scenario_9"): "Scenario 9",
    ("air_raid_generation", "scenario_9"): "Scenario 9",
    ("air_attack_damage", "die_modifier"): "this die",
    ("air_search", "fighter"): "fighters search",
    ("air_search", "night"): "night phase",
    ("intercept_range", "variant_24_2"): "harder game, 24.2",
    ("safe_return", "fuel_critical_box"): "Fuel Critical box {value}",
    ("safe_return", "cannot_pay_landing"): "landing point not paid",
    ("safe_return", "dusk"): "dusk without lights",
    ("safe_return", "night"): "night without lights",
    ("us_air_to_air", "guam_takeoff"): "raid takes off from Guam below the fighters",
    ("japanese_submarine_attack", "screen"): "surface units beside the cripple, 1 each",
    ("land_reinforcement_strength", "june19_result"): "the base sent reinforcements on 19 June",
}
"""Short texts for modifiers whose chart text is too long for a log. ``{value}`` is the size of the modifier."""


def _describe_chosen(event: ev.Chosen) -> str:
    suffix = f" for {_subject_name(event.about)}" if event.about else ""
    return f"Random choice ({event.rule}){suffix}: {display_name(event.one)}, one of {event.among}."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.DieRolled: "Die roll for {about} ({rule}): {die}.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.ChartRead: _describe_chart_read,
    ev.Chosen: _describe_chosen,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
