"""Text of the log entries about raids."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import raids as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import GUAM
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun


def _describe_raid_placed(event: ev.RaidPlaced) -> str:
    """Return the sentence for a new raid on radar."""
    points = count_noun(event.points, "land point" if event.is_land else "point")
    seen_text = f"{display_name(event.raid)} of {points} appears in hex {event.hex}"
    if event.is_taking_off:
        return f"{seen_text}, with US fighters overhead (11.27)."
    match event.kind_of:
        case "reinforcement":
            return f"{seen_text}: reinforcements from {event.origin} for Guam (16.21)."
        case _:
            return f"{seen_text}, bound for {display_name(event.target)} (10.21)."


def _describe_raid_called_off(event: ev.RaidCalledOff) -> str:
    if event.why == "unproved":
        return (
            f"{display_name(event.force)} turns out to have no carriers and sends no raid; what was revealed"
            " is undone (10.1C)."
        )
    return f"{display_name(event.force)} sends no raid: its losses leave no points for one (10.1F)."


def _describe_raid_moved(event: ev.RaidMoved) -> str:
    *hexes_passed, last_hex = event.hexes
    route_text = f" over {' and '.join(hexes_passed)}" if hexes_passed else ""
    return f"{display_name(event.raid)} flies{route_text} to hex {last_hex}."


def _describe_raid_turned(event: ev.RaidTurned) -> str:
    if event.kind_of == "shuttle":
        return f"{display_name(event.raid)} flies on to Guam (23.2)."
    if event.target == GUAM:
        return f"{display_name(event.raid)} flies home to Guam (11.28)."
    return f"{display_name(event.raid)} turns to {display_name(event.target)}, which has carriers (10.23)."


def _describe_raid_split(event: ev.RaidSplit) -> str:
    fighters = count_noun(event.fighters, "fighter point")
    attackers = count_noun(event.attackers, "attacker point")
    return f"{display_name(event.raid)} has {fighters} and {attackers}."


def _describe_raid_reduced(event: ev.RaidReduced) -> str:
    """Return the sentence for a raid's losses and their cause."""
    parts = [
        count_noun(points, kind)
        for points, kind in ((event.fighters, "escort"), (event.attackers, "attacker"))
        if points
    ]
    cause_text = "to flak" if event.why == "flak" else "to US fighters"
    return f"{display_name(event.raid)} loses {' and '.join(parts)} {cause_text}."


def _describe_raid_ended(event: ev.RaidEnded) -> str:
    return f"{display_name(event.raid)} {_ENDS[event.why]}."


_ENDS: Final = {
    "returns": "flies home",
    "destroyed": "is no more",
    "homeless": "finds no flight deck to return to and is lost (10.33)",
    "landed": "lands on Guam",
    "over": "is over",
}


def _describe_points_destroyed(event: ev.PointsDestroyed) -> str:
    if event.through:
        return f"{count_noun(event.through, 'point')} got through to TF 58."
    return ""


def _describe_raid_aborted(event: ev.RaidAborted) -> str:
    verb_text = "turns away and does" if event.points == 1 else "turn away and do"
    return (
        f"{count_noun(event.points, 'point')} of {display_name(event.raid)} {verb_text} not attack."
    )


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.RaidPlaced: _describe_raid_placed,
    ev.RaidCalledOff: _describe_raid_called_off,
    ev.RaidMoved: _describe_raid_moved,
    ev.RaidTurned: _describe_raid_turned,
    ev.RaidSplit: _describe_raid_split,
    ev.RaidReduced: _describe_raid_reduced,
    ev.RaidAborted: _describe_raid_aborted,
    ev.RaidEnded: _describe_raid_ended,
    ev.PointsDestroyed: _describe_points_destroyed,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
