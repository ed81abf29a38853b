"""Sentences about rolls and chart reads."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.book import standard_book
from engine.cbps.events import chance as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.names import name

_HEX: Final = 4
"""Digits of a hex."""


def _place(word: str) -> str:
    """Return what a roll is about, a hex as such."""
    return f"hex {word}" if len(word) == _HEX and word.isdigit() else name(word)


def _read(event: ev.ChartRead) -> str:
    """Return chart, about what, die with its modifiers, column and result."""
    chart = getattr(standard_book().charts, event.chart)
    about = f" for {_place(event.about)}" if event.about else ""
    column = f", column {event.column.replace('_', ' ')}" if event.column else ""
    die = ""
    if event.die:
        drms = "".join(f" {one.drm:+d} ({_reason(event.chart, one.id)})" for one in event.modifiers)
        total = event.die + sum(one.drm for one in event.modifiers)
        die = f", die {event.die}{drms}{f' = {total}' if drms else ''}"
    assumed = " (assumed)" if event.is_assumed else ""
    result = event.result.replace("_", " ")
    return f"{chart.title} ({chart.rule}){about}{column}{die}: {result}{assumed}."


def _reason(chart: str, modifier: str) -> str:
    """Return the words of a modifier, its id where the chart has none of that name."""
    if (chart, modifier) in _SHORT:
        return _SHORT[chart, modifier]
    try:
        found: str = getattr(standard_book().charts, chart).modifier(modifier).when
    except KeyError:
        return modifier.replace("_", " ")
    return found


_SHORT: Final = {
    ("l1_to_l2", "known_air_strength"): "Known Air Strength",
    ("l2_to_l3_surface", "screen"): "number of carriers",
    ("air_attack_damage", "die_modifier"): "this die",
}
"""Modifiers that the charts explain at greater length than a log can bear."""


def _chosen(event: ev.Chosen) -> str:
    about = f" for {_place(event.about)}" if event.about else ""
    return f"Chance ({event.rule}){about}: {name(event.one)}, one of {event.among}."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.DieRolled: "A die for {about} ({rule}): {die}.",
}
"""Templates over the fields."""
WRITTEN: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.ChartRead: _read,
    ev.Chosen: _chosen,
}
"""Sentences that need more than a template."""
