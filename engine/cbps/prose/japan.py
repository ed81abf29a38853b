"""Text of the log entries about Japanese forces, their displays and their commitment."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import japan as ev
from engine.cbps.events.base import CbpsEvent
from engine.cbps.ids import FALSE_CONTACT, GUAM
from engine.cbps.prose.names import box_name, display_name, display_names
from engine.kernel.sentences import count_noun

_MOVES: Final = {
    "mission": "on its mission",
    "direct": "straight for US ships",
    "away": "away from the US carriers",
    "contact": "to meet the enemy",
    "retire": "in retirement",
    "refuel": "towards its oiler",
    "relocate": "because its reported position was wrong",
    "retreat": "in retreat",
}
_REMOVAL_TEXTS: Final = {
    "false-contact": "was a false contact",
    "limit": "was nothing: the Commitment Limit has been reached (13.23)",
    "exit": "left the map from the invasion zone (7.23)",
    "retired": "has retired from the map (19.2)",
    "sunk": "has no ships left",
    "cripples": "leaves only crippled ships behind (12.41)",
}
_SHIPS_KNOWN: Final = 4
"""The level at which a surface force has ships instead of a chit."""
_SUNK_HITS: Final = 99
_RETIRES: Final = {"fuel": "20.5", "over": "20.8", "combat": "21.28"}
"""The rule to cite for each reason to retire. Retirement after losses cites the default, 19.1."""
_STAYS: Final = {
    "mission": "its mission leads it into US ships (7.24)",
    "direct": "every way to its goal is blocked (7.2)",
    "away": "no hex leads away from the US carriers (7.21)",
    "hold": "it is 9 hexes from the US carriers (7.21)",
    "contact": "it fights where it is (7.24)",
    "retire": "every way home is blocked (19.2)",
    "refuel": "it waits for fuel (20.5)",
}
"""Texts for the reasons why a force does not move."""
_FADES: Final = {
    "": "is no longer detected",
    "?": "is known only approximately (?)",
    "L": "is located, no longer spotted",
}
"""Texts for a force's new detection when it is activated."""
_DETECTED: Final = {
    "?": "is sighted approximately (?)",
    "L": "is located",
    "S": "is spotted",
}


def _describe_force_arrived(event: ev.ForceArrived) -> str:
    if event.partner:
        return (
            f"{display_name(event.force)} is revealed beside {display_name(event.partner)} (7.52)."
        )
    return f"{display_name(event.force)} arrives in {event.hex} (7.1)."


def _describe_force_moved(event: ev.ForceMoved) -> str:
    if event.heading is None and event.why != "relocate":
        return f"{display_name(event.force)} does not move: {_STAYS[event.why]}."
    manner_text = _MOVES.get(event.why, event.why)
    heading_text = f" {event.heading}" if event.heading else ""
    return f"{display_name(event.force)} moves{heading_text} to {event.hex}, {manner_text}."


def _describe_force_removed(event: ev.ForceRemoved) -> str:
    return f"{display_name(event.force)} {_REMOVAL_TEXTS.get(event.why, 'leaves play')}."


def _describe_level_changed(event: ev.LevelChanged) -> str:
    if event.chit == "surface":
        return f"{display_name(event.force)} is a surface force of level {event.level}."
    chit = f": {event.chit}" if event.level < _SHIPS_KNOWN else ""
    return f"{display_name(event.force)} reaches level {event.level}{chit}."


def _describe_chits_returned(event: ev.ChitsReturned) -> str:
    if event.is_to_cup:
        return "The level-1 cup was empty, so the chits set aside go back into it (7.35)."
    chits = "chit is" if len(event.chits) == 1 else "chits are"
    rule = "7.35" if FALSE_CONTACT in event.chits else "7.36"
    return f"The {display_names(event.chits)} {chits} set aside ({rule})."


def _describe_double_formed(event: ev.DoubleFormed) -> str:
    if event.partner:
        return f"{display_name(event.force)} and {display_name(event.partner)} are a double force (7.5)."
    return f"{display_name(event.force)} and its other half separate (19.4)."


def _describe_detected(event: ev.Detected) -> str:
    if event.why == "activation":
        return f"{display_name(event.force)} {_FADES[event.detection]} (8.14)."
    return f"{display_name(event.force)} {_DETECTED[event.detection]}."


def _describe_force_fuel(event: ev.ForceFuel) -> str:
    if event.is_try:
        success = "has refuelled" if event.fuel == "refuelled" else "has not refuelled yet"
        return f"{display_name(event.force)} {success} (20.61)."
    if event.fuel == "given-up":
        rule = "20.8" if event.is_over else "20.7"
        return f"{display_name(event.force)} gives up refuelling ({rule})."
    if event.queue:
        return f"{display_name(event.force)} lies at the oiler in {event.oiler}."
    if event.fuel == "refuelled":
        return f"{display_name(event.force)} has refuelled (20.61)."
    return f"{display_name(event.force)} makes for the oiler in {event.oiler} (20.5)."


def _describe_oilers_placed(event: ev.OilersPlaced) -> str:
    if not event.hexes:
        return "The oilers leave (20.8)."
    return f"The oilers lie in {display_names(event.hexes)} (20.3)."


def _describe_points_moved(event: ev.PointsMoved) -> str:
    owner, points = display_name(event.owner), count_noun(event.points, "point")
    if not event.source:
        verb = "comes" if event.points == 1 else "come"
        return f"{owner}: {points} {verb} to light in {box_name(event.to)}."
    return f"{owner}: {points} from {box_name(event.source)} to {box_name(event.to)}."


def _describe_boxes_shifted(event: ev.BoxesShifted) -> str:
    owner = event.owner if event.owner == GUAM else display_name(event.owner)
    suffix = "" if event.is_deck_operable else "; without a deck, points that came home are lost"
    return f"Air points of {owner} move up one box (9.12){suffix}."


def _describe_guam_changed(event: ev.GuamChanged) -> str:
    if event.base:
        return f"{event.base} sends reinforcements to Guam (16.12)."
    return f"Guam's Air Value is now {event.air_value} (11.21)."


def _describe_force_hit(event: ev.ForceHit) -> str:
    """Return the sentence for a submarine's hits on a force whose ships are unknown (14.162)."""
    if event.hits >= _SUNK_HITS:
        return f"A submarine has sunk a ship of {display_name(event.force)}, not yet identified (14.162)."
    return f"{display_name(event.force)} has taken {count_noun(event.hits, 'hit')} from a submarine (14.162)."


def _describe_commitment_set(event: ev.CommitmentSet) -> str:
    if event.without:
        return f"The Commitment Index stays {event.index} without {display_name(event.without)} (13.13)."
    return f"The Commitment Index is {event.index} (13.1)."


def _describe_hits_aged(event: ev.HitsAged) -> str:
    if event.is_end:
        return "At the end, all hits on Japanese ships are permanent (15.1)."
    return "The hits on Japanese ships age by one turn (12.21)."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    ev.ShipsDrawn: "{force} is made up of {ships}.",
    ev.AdvantageChanged: "{force} {has_advantage:has a|loses its} US Advantage marker (8.35).",
    ev.ButaiOpened: "{force} {is_open:has a Butai display|no longer has a Butai display} (9.1).",
    ev.HullLeft: "{ship} is crippled and alone in {hex} (12.41).",
    ev.HullExited: "{ship} leaves the map{is_vp_exit: from the invasion zone|}.",
    ev.LimitReached: "The Commitment Limit has been reached (13.23).",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    ev.ForceArrived: _describe_force_arrived,
    ev.ForceMoved: _describe_force_moved,
    ev.ForceRemoved: _describe_force_removed,
    ev.LevelChanged: _describe_level_changed,
    ev.ChitsReturned: _describe_chits_returned,
    ev.DoubleFormed: _describe_double_formed,
    ev.Detected: _describe_detected,
    ev.ForceFuel: _describe_force_fuel,
    ev.OilersPlaced: _describe_oilers_placed,
    ev.PointsMoved: _describe_points_moved,
    ev.BoxesShifted: _describe_boxes_shifted,
    ev.GuamChanged: _describe_guam_changed,
    ev.ForceHit: _describe_force_hit,
    ev.HitsAged: _describe_hits_aged,
    ev.CommitmentSet: _describe_commitment_set,
    ev.ForceRetires: lambda event: (
        f"{display_name(event.force)} begins to retire ({_RETIRES.get(event.why, '19.1')})."
    ),
    ev.ForceRenamed: lambda event: (
        f"{display_name(event.force)} is now {display_name(event.name)} (9.1)."
    ),
    ev.ForceFound: lambda event: (
        f"{_score_line_name(event.name)}: {count_noun(event.points, 'point')}."
    ),
}
"""Functions by event type, for events whose sentences cannot be written as a template."""


def _score_line_name(word: str) -> str:
    """Return the name of a force or false contact in a Scenario 4 score line."""
    kind, separator, number = word.rpartition("-")
    return (
        f"False contact {number}" if separator and kind == "false-contact" else display_name(word)
    )
