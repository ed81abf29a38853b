"""The log of one command, with related events combined into one sentence."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from engine.cbps.events import air, chance, fleet, japan, search, turns
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.log import describe
from engine.cbps.prose.names import display_name

_LogLine = tuple[CbpsEvent, str]
"""The last event that a log entry covers, and the text of that entry."""
_Combiner = Callable[[list[_LogLine], CbpsEvent, str], str | None]
"""Combines an event with the sentences before it.

The function takes the sentences so far, the event and the event's own sentence. It removes the sentences to be combined
from the list and returns the combined sentence. If the event keeps its own sentence, it returns None.
"""


def log_sentences(events: Sequence[CbpsEvent]) -> Iterator[str]:
    """Yield the log sentences for the events of one command, in order."""
    lines: list[_LogLine] = []
    for event in events:
        text = describe(event)
        if not text:
            continue
        combiner = _COMBINERS.get(type(event))
        combined_text = combiner(lines, event, text) if combiner is not None else None
        lines.append((event, combined_text or text))
    yield from (text for _, text in lines)


def _last_event(lines: list[_LogLine]) -> CbpsEvent | None:
    return lines[-1][0] if lines else None


def _pop_sentence(lines: list[_LogLine]) -> str:
    """Remove the last sentence from the list, and return it without its full stop."""
    return lines.pop()[1].removesuffix(".")


def _combine_mission_die(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Append the die to the sentence about the phase: ``Phase 2, mission movement die 4 (7.221)``."""
    del text
    assert isinstance(event, turns.MissionDieSet)
    if not isinstance(_last_event(lines), turns.PhaseBegan):
        return None
    return f"{_pop_sentence(lines)}, mission movement die {event.die} (7.221)."


def _combine_arrival(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Append the rolls to an arrival: ``Force A arrives in 2017 (7.1): Japanese Arrival (zone), die 8: III``."""
    assert isinstance(event, japan.ForceArrived)
    reasons: list[str] = []
    while lines and getattr(lines[-1][0], "about", "") == event.force:
        rolled_text = lines[-1][0]
        # The combined sentence already has the force as its subject.
        words = _pop_sentence(lines).replace(f" for {display_name(event.force)}", "")
        if isinstance(rolled_text, chance.DieRolled):
            words = f"die for the hex {rolled_text.die}"
        reasons.insert(0, words)
    return f"{text.removesuffix('.')}: {'; '.join(reasons)}." if reasons else None


def _combine_force_move(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Join a detection and a move: ``Force D is located, no longer spotted (8.14), and moves SW to 1219``."""
    assert isinstance(event, japan.ForceMoved)
    detection_text, last_sentence = "", _last_event(lines)
    if (
        isinstance(last_sentence, japan.Detected)
        and last_sentence.force == event.force
        and last_sentence.why == "activation"
    ):
        detection_text = _pop_sentence(lines)
    last_sentence = _last_event(lines)
    if isinstance(last_sentence, turns.ChitDrawn) and last_sentence.chit == event.force:
        lines.pop()  # the sentence about the move already names the force
    subject = display_name(event.force)
    return f"{detection_text}, and {text.removeprefix(f'{subject} ')}" if detection_text else text


def _combine_take_off(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Append the units to a launch: ``Search 1 starts from 1108 on 240 degrees, up to 10 hexes, with Hornet B1``."""
    assert isinstance(event, air.UnitMoved)
    match _last_event(lines):
        case search.SearchLaunched(search=mission) if event.why == "launch" and mission == event.at:
            return f"{_pop_sentence(lines)}, with {display_name(event.unit)}."
        case air.MissionFormed(mission=mission) if event.why == "launch" and mission == event.at:
            return f"{_pop_sentence(lines)}: {text}"
        case _:
            return None


def _combine_fuel_spent(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Append the fuel cost to a move: ``Strike 3 flies to 1109, for 1 fuel``."""
    del text
    assert isinstance(event, air.FuelSpent)
    match _last_event(lines):
        case air.MissionMoved(mission=mission) if mission == event.mission:
            return f"{_pop_sentence(lines)}, for {event.points} fuel."
        case chance.ChartRead(about=subject) if (
            subject == event.mission and event.why == "second-hex"
        ):
            return f"{_pop_sentence(lines)} fuel."
        case _:
            return None


def _combine_chart_reading(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Append the die roll to a search's line: ``Search 1 looks for Force A: Air Search (8.34-8.342), die 7: S``."""
    assert isinstance(event, chance.ChartRead)
    match _last_event(lines):
        case search.SearchTried(force=force) if force == event.about:
            return f"{_pop_sentence(lines)}: {text.replace(f' for {display_name(force)}', '', 1)}"
        case _:
            return None


def _combine_points(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Append the points to a new level: ``Force A reaches level 1: Large; 1 point``."""
    assert isinstance(event, japan.ForceFound)
    match _last_event(lines):
        case japan.LevelChanged(force=force) if force == event.name:
            return f"{_pop_sentence(lines)}; {text.removeprefix(f'{display_name(force)}: ')}"
        case _:
            return None


def _combine_sailing(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Combine the moves of several groups: ``TG 58.1, TG 58.2 sail to 1209 (SW)``."""
    assert isinstance(event, fleet.GroupMoved)
    match _last_event(lines):
        case fleet.GroupMoved(hex=hex, heading=heading) if (hex, heading) == (
            event.hex,
            event.heading,
        ):
            destination_text = _pop_sentence(lines).partition(" sail")[0]
            return f"{destination_text}, {text.replace(' sails ', ' sail ', 1)}"
        case _:
            return None


def _combine_wrong_hex(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Return ``Wrong force! Strike 1 finds itself in 0926 (5.25)``, or None if the move is not a redirection."""
    assert isinstance(event, air.MissionMoved)
    is_tried = any(isinstance(event, air.AttemptMade) for event, _ in lines)
    if event.why != "wrong-target" or not is_tried:
        return None
    return f"Wrong force! {text.removesuffix('.')} (5.25)."


def _combine_wrong_force(lines: list[_LogLine], event: CbpsEvent, text: str) -> str | None:
    """Report a wrong force, as in ``Wrong force! Strike 1 has found Force B in 0926, not Force A (5.24)``."""
    assert isinstance(event, japan.Detected)
    tried_counter = next(
        (attempt for attempt, _ in reversed(lines) if isinstance(attempt, air.AttemptMade)), None
    )
    if event.why != "strike" or tried_counter is None or tried_counter.target == event.force:
        return None
    place_text = ""
    for line in tuple(lines):
        if isinstance(line[0], air.MissionMoved) and line[0].why == "wrong-target":
            place_text = f" in {line[0].hex}"
            lines.remove(line)
    sentence = (
        f"{display_name(tried_counter.mission)} has found {display_name(event.force)}{place_text}"
    )
    return f"Wrong force! {sentence}, not {display_name(tried_counter.target)} (5.24). {text}"


_COMBINERS: Final[dict[type[CbpsEvent], _Combiner]] = {
    turns.MissionDieSet: _combine_mission_die,
    japan.ForceArrived: _combine_arrival,
    japan.ForceMoved: _combine_force_move,
    japan.ForceFound: _combine_points,
    japan.Detected: _combine_wrong_force,
    air.MissionMoved: _combine_wrong_hex,
    fleet.GroupMoved: _combine_sailing,
    air.UnitMoved: _combine_take_off,
    air.FuelSpent: _combine_fuel_spent,
    chance.ChartRead: _combine_chart_reading,
}
"""The function that combines each kind of event with the sentences before it."""
