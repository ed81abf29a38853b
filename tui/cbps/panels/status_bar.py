"""The status bar (day and time, phase, light, wind, points, cup) and the segments of a phase."""

from typing import Final

from engine.cbps.clock import day_and_time
from engine.cbps.damage.ch15_victory import victory_level
from engine.cbps.planner.moments import PHASES
from engine.cbps.prose.turns import segment_name
from tui.cbps.index import Index
from tui.cbps.panels.page_texts import cup_text
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import StatusSegment, Steps, Toned, status_segment

_LIGHT_SYMBOLS: Final = {"day": "☀", "dusk": "◐", "night": "☾"}
_SEGMENT_NAMES: Final = {
    "japanese-air-movement": "Japanese air",
    "activation": "activation",
    "us-air-movement": "US air",
    "search": "search",
    "operations": "operations",
    "intercept": "intercept",
    "japanese-attack": "Japanese attack",
    "us-attack": "US attack",
    "end-of-phase": "end",
}


def status_segments(index: Index, status: str) -> tuple[StatusSegment, ...]:
    """Return status segments for the day, turn, phase, light, points, commitment, wind, cup and connection."""
    view = index.view
    level = victory_level(index.table, view.victory_points)
    # The numbers are ranks: on a narrow screen, the segments with the highest ranks are omitted
    # first.
    parts = [
        status_segment(f"{view.day} {view.time}", TextRole.HEAD, 0),
        status_segment(f"phase {view.phase} of {PHASES}", TextRole.DIM, 1, f"phase {view.phase}"),
        StatusSegment(
            _clock_segments(index), 5, ((f"{index.light_marks()} {view.light}", TextRole.KEY),)
        ),
        status_segment(segment_name(view.segment) or "Set-up", TextRole.DIM, 8),
        status_segment(f"VP {view.victory_points}", TextRole.GOOD, 1),
        status_segment(
            _commitment_text(index), TextRole.WARN if view.limit_reached else TextRole.PLAIN, 2
        ),
        status_segment(f"wind {view.wind}", TextRole.DIM, 3),
        status_segment(status, TextRole.DIM, 4),
    ]
    if view.cup:
        chits = cup_text(index)
        parts.append(
            StatusSegment(
                (("cup ", TextRole.DIM), (chits, TextRole.HEAD)),
                6,
                ((f"cup {len(view.cup)}: {_short_cup(chits)}", TextRole.DIM),),
            )
        )
    if view.is_over:
        parts.append(status_segment(level, TextRole.HEAD, 2))
    return tuple(parts)


def _short_cup(text: str) -> str:
    """Return the chits left in the cup in short form, such as ``ABF, US Move, 2 No Op``."""
    chits = text.split(", ")
    letters = "".join(chit for chit in chits if len(chit) == 1)
    return ", ".join([*([letters] if letters else []), *(chit for chit in chits if len(chit) > 1)])


def _commitment_text(index: Index) -> str:
    view = index.view
    if not view.limit:
        return ""
    mark = "!" if view.limit_reached else ""
    return f"CI {view.commitment}/{view.threshold}/{view.limit}{mark}"


def _clock_segments(index: Index) -> tuple[Toned, ...]:
    """Return the light in each turn of the day, with the current turn in brackets (6.41)."""
    table = index.table
    current_day, current_time = day_and_time(table)
    track = table.game_data.charts.turn_track
    pieces: list[Toned] = []
    for day, time in table.game_data.scenarios[table.scenario].turns:
        if day != current_day:
            continue
        light = index.view.light if time == current_time else track.turn(time).light[-1]
        symbol = _LIGHT_SYMBOLS[light]
        tone = TextRole.DIM if light == "night" else TextRole.KEY
        pieces.append((f"[{symbol}]", TextRole.HEAD) if time == current_time else (symbol, tone))
    return (*pieces, (f" {index.view.light}", TextRole.DIM))


def steps(index: Index) -> Steps | None:
    """Return the segments of the phase (3.1); None if no segment is in progress."""
    view = index.view
    if view.segment not in _SEGMENT_NAMES:
        return None
    names = tuple(_SEGMENT_NAMES)
    title = f"{view.time} PHASE {view.phase} OF {PHASES}"
    return Steps(title, tuple(_SEGMENT_NAMES.values()), names.index(view.segment))
