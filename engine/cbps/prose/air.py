"""Text of the log entries about US air units and missions."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import air as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun

_MOVE_TEMPLATES: Final = {
    "launch": "{unit} takes off with {at}.",
    "raise": "{unit} is raised to the flight deck of {at}.",
    "service": "{unit} is serviced aboard {at}.",
    "store": "{unit} goes back to the hangar of {at}.",
    "land": "{unit} lands on {at}.",
    "split": "{unit} leaves its mission and flies as {at}.",
    "divert": "{unit} is sent to {at}.",
    "wait": "{unit} stays in the air with {at}.",
    "leave": "{unit} has flown its mission and will not fly again.",
    "home": "{unit} is home.",
}
_SETUP_TEMPLATES: Final = {
    "ready": "{unit} is ready on {at}.",
    "servicing": "{unit} is being serviced aboard {at}.",
    "hangar": "{unit} is in the hangar of {at}.",
    "mission": "{unit} flies with {at}.",
}
_LOSS_TEXTS: Final = {
    "combat": "is shot down",
    "flak": "is shot down by anti-aircraft fire",
    "fuel": "runs out of fuel and is lost",
    "landing": "is lost on landing",
    "no-room": "finds no open deck in its hex and is lost",
    "overboard": "is pushed overboard",
    "damage": "is destroyed aboard",
    "sunk": "goes down with its carrier",
}
_FUEL_REASONS: Final = {
    "move": "for its move",
    "wait": "for waiting",
    "second-hex": "for the second hex",
    "combat": "for the combat",
    "contact": "for the second attempt",
    "attack": "for the attack",
}


def _describe_unit_moved(event: ev.UnitMoved) -> str:
    if event.why == "lower":
        place_text = "the hangar" if event.place == "hangar" else "servicing"
        return f"{display_name(event.unit)} is lowered to {place_text} aboard {display_name(event.at)}."
    sentence = (
        _SETUP_TEMPLATES.get(event.place, "")
        if event.why == "setup"
        else _MOVE_TEMPLATES.get(event.why, "")
    )
    return sentence.format(unit=display_name(event.unit), at=display_name(event.at))


def _describe_unit_lost(event: ev.UnitLost) -> str:
    return f"{display_name(event.unit)} {_LOSS_TEXTS.get(event.why, 'is lost')}."


def _describe_mission_formed(event: ev.MissionFormed) -> str:
    mission = display_name(event.mission)
    if event.parent:
        return f"{mission} is split from {display_name(event.parent)} (4.37)."
    if event.cap:
        return f"{mission} is formed as CAP of {display_name(event.cap)}."
    return f"{mission} is formed in {event.hex} with fuel {event.fuel}."


def _describe_mission_moved(event: ev.MissionMoved) -> str:
    mission = display_name(event.mission)
    if event.why == "launch":
        return f"{mission} flies on to {event.hex} right after its launch (4.42)."
    if event.why == "wrong-target":
        return f"{mission} finds itself in {event.hex}."
    return f"{mission} flies to {event.hex}."


def _describe_fuel_spent(event: ev.FuelSpent) -> str:
    return (
        f"{display_name(event.mission)} spends {event.points} fuel {_FUEL_REASONS.get(event.why, '')}".rstrip()
        + "."
    )


def _describe_attempt_made(event: ev.AttemptMade) -> str:
    return f"{display_name(event.mission)} tries to make contact with {display_name(event.target)}."


def _describe_cap_deployed(event: ev.CapDeployed) -> str:
    fuel = count_noun(event.fuel, "point")
    return f"{display_name(event.mission)}, previously CAP, goes on the map in {event.hex} with {fuel} of fuel."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.UnitAborted: "{unit} breaks off and takes no part in the attack.",
    ev.MissionJoined: "{mission} has fuel {fuel} with the units from {group}.",
    ev.MissionFlipped: "{mission} has no contact attempts left.",
    ev.MissionFought: "{mission} fights {against}.",
    ev.MissionEnded: "{mission} is over.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.UnitMoved: _describe_unit_moved,
    ev.UnitLost: _describe_unit_lost,
    ev.MissionFormed: _describe_mission_formed,
    ev.MissionMoved: _describe_mission_moved,
    ev.FuelSpent: _describe_fuel_spent,
    ev.AttemptMade: _describe_attempt_made,
    ev.CapDeployed: _describe_cap_deployed,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
