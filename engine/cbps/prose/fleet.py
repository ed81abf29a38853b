"""Text of the log entries about US task groups and ships."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import fleet as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.names import display_name, display_names
from engine.kernel.sentences import count_noun

_HIT_BY: Final = {
    "raid": "in the raid",
    "fire": "by fire",
    "submarine": "by a submarine",
    "gunfire": "by gunfire",
}
_MARKERS: Final = {
    "leeward": "has a Leeward Move marker: one unit per phase",
    "station": "keeps station: one unit per carrier and phase",
    "": "no longer has a wind marker",
}


def _describe_group_moved(event: ev.GroupMoved) -> str:
    heading_text = f" ({event.heading})" if event.heading else ""
    return f"{display_name(event.group)} sails to {event.hex}{heading_text}."


def _describe_group_marked(event: ev.GroupMarked) -> str:
    return f"{display_name(event.group)} {_MARKERS[event.marker]} (17)."


def _describe_ship_detached(event: ev.ShipDetached) -> str:
    if event.escorts:
        return f"{display_name(event.ship)} stays with {display_name(event.escorts)} in {event.hex} (12.411)."
    return f"{display_name(event.ship)} joins {display_name(event.group)} (6.15)."


def _describe_ship_hit(event: ev.ShipHit) -> str:
    cause_text = _HIT_BY.get(event.why, "")
    return (
        f"{display_name(event.ship)} takes {count_noun(event.hits, 'hit')} {cause_text}".rstrip()
        + "."
    )


def _describe_fires_changed(event: ev.FiresChanged) -> str:
    if not event.levels:
        return f"{display_name(event.ship)} is no longer on fire."
    levels = ", ".join(map(str, event.levels))
    noun = "a fire" if len(event.levels) == 1 else "fires"
    return f"{display_name(event.ship)} has {noun} of level {levels}."


def _describe_ships_fired(event: ev.ShipsFired) -> str:
    verb = "fires" if len(event.ships) == 1 else "fire"
    return f"{display_names(event.ships)} {verb} at the raid overhead."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.GroupFormed: "{group} is formed in {hex}.",
    ev.GroupDetached: "{group} {is_detached:leaves|rejoins} TF 58.",
    ev.GroupOperates: "{carrier} operates for {group} in this phase (17.3).",
    ev.LightsSwitched: "{group} switches its lights {is_lit:on|off}.",
    ev.ShipSunk: "{ship} sinks.",
    ev.ShipCrippled: "{ship} lies crippled in {hex}.",
    ev.DeckInoperative: "The flight deck of {ship} is {is_inoperative:inoperative|repaired}.",
    ev.DeckCrashed: "The flight deck of {ship} is {is_crashed:fouled by a crash|clear again}.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.GroupMoved: _describe_group_moved,
    ev.GroupMarked: _describe_group_marked,
    ev.ShipDetached: _describe_ship_detached,
    ev.ShipHit: _describe_ship_hit,
    ev.FiresChanged: _describe_fires_changed,
    ev.ShipsFired: _describe_ships_fired,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
