"""The counters of a hex as pieces of text, as many as fit."""

from collections.abc import Sequence

from tui.hexmap.elements import ARROWS, Counter, Emphasis
from tui.hexmap.pieces import Piece
from tui.marks import CHIP_TONES, OWNER_TONES, Zoom
from tui.tones import Tone


def _tone(counter: Counter) -> Tone:
    if counter.emphasis is Emphasis.ALERT:
        return Tone.ALERT
    tones = OWNER_TONES if counter.emphasis is Emphasis.QUIET else CHIP_TONES
    return tones[counter.owner]


def _text(counter: Counter, zoom: Zoom, width: int) -> str:
    """Return a counter with count and course, which are left out where they do not fit."""
    text = (counter.long if zoom is Zoom.DETAIL else "") or counter.text
    text = text[:width]
    for part in (f"x{counter.count}" if counter.count > 1 else "", ARROWS.get(counter.course, "")):
        if len(text) + len(part) <= width:
            text += part
    return text


def counter_pieces(
    counters: Sequence[Counter], room: int, width: int, zoom: Zoom
) -> tuple[Piece, ...]:
    """Return one piece per line; the last one tells how many more there are.

    Args:
        counters: The weightiest first.
        room: Lines, at least one.
        width: Cells of a line.
        zoom: Whether long texts are wanted.
    """
    pieces = [(_text(one, zoom, width), _tone(one)) for one in counters[:room]]
    more = len(counters) - room
    if more > 0:
        last, tail = counters[room - 1], f"+{more}"
        pieces[-1] = _text(last, zoom, max(width - len(tail), 0)) + tail, _tone(last)
    return tuple(pieces)


def brief_piece(counters: Sequence[Counter], width: int) -> Piece:
    """Return the first counter for the overview; ``+`` stands for further ones."""
    first = counters[0]
    text = (first.brief or first.text)[:width]
    if len(counters) > 1:
        return f"{text[: width - 1]}+", _tone(first)
    count = str(first.count) if first.count > 1 else ""
    for part in (count, ARROWS.get(first.course, "")):
        if len(text) + len(part) <= width:
            text += part
    return text, _tone(first)
