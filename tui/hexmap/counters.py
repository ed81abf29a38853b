"""Formats as many of a hex's counters as fit, as short texts."""

from collections.abc import Sequence
from typing import Final

from tui.drawing.colour_roles import FULL_CELL_ROLES, TextRole
from tui.hexmap.elements import ARROWS, Emphasis, MapCounter
from tui.hexmap.pieces import Piece
from tui.map_enums import CHIP_TONES, OWNER_TONES, Owner, Zoom

REDUCED: Final = "·"
_TONES: Final = {
    Emphasis.QUIET: OWNER_TONES,
    Emphasis.NORMAL: CHIP_TONES,
    Emphasis.ACTIVE: {
        Owner.NONE: TextRole.CHIP_NEUTRAL,
        Owner.ONE: TextRole.CHIP_ONE_ACTIVE,
        Owner.TWO: TextRole.CHIP_TWO_ACTIVE,
    },
    Emphasis.HOLLOW: {
        Owner.NONE: TextRole.PLAIN,
        Owner.ONE: TextRole.HOLLOW_ONE,
        Owner.TWO: TextRole.HOLLOW_TWO,
    },
    Emphasis.ALERT: dict.fromkeys(Owner, TextRole.ALERT),
    Emphasis.FLIGHT: CHIP_TONES | {Owner.ONE: TextRole.CHIP_FLIGHT},
}


def _text(counter: MapCounter, zoom: Zoom, width: int, *, has_backgrounds: bool) -> str:
    """Return a counter's text, followed by its reduced mark, count and course if they fit."""
    text = (counter.long if zoom is Zoom.DETAIL else "") or counter.text
    if not has_backgrounds:
        text = counter.mark + text
    text = text[:width]
    for part in (
        REDUCED if counter.is_reduced else "",
        f"x{counter.count}" if counter.count > 1 else "",
        ARROWS.get(counter.course, ""),
    ):
        if len(text) + len(part) <= width:
            text += part
    return text


def _chip(text: str, counter: MapCounter, width: int) -> Piece:
    """Return a text in its counter's colours, with a margin if there is room."""
    tone = _TONES[counter.emphasis][counter.owner]
    if tone in FULL_CELL_ROLES and len(text) + 2 <= width:
        text = f" {text} "
    return text, tone


def counter_pieces(
    counters: Sequence[MapCounter],
    room: int,
    width: int,
    zoom: Zoom,
    *,
    has_backgrounds: bool = False,
) -> tuple[Piece, ...]:
    """Return one piece per line. The last one ends with the number of omitted counters or is the last counter's note.

    Args:
        counters: The counters, most important first.
        room: Number of lines, at least one.
        width: Width of a line in cells.
        zoom: Zoom level of the map. The detail zoom uses the long texts.
        has_backgrounds: True if colours show the owner; otherwise a letter shows it.
    """
    texts = [_text(one, zoom, width, has_backgrounds=has_backgrounds) for one in counters[:room]]
    more = len(counters) - room
    if more > 0 and zoom is Zoom.DETAIL and room > 1:  # do not cut the values to make room for "+2"
        texts[-1] = f"and {more + 1} more"[:width]
    elif more > 0:
        tail = next((one for one in (f"+{more}", "+") if len(texts[-1] + one) <= width), f"+{more}")
        space = max(width - len(tail), 0)
        texts[-1] = _text(counters[room - 1], zoom, space, has_backgrounds=has_backgrounds) + tail
    if zoom is Zoom.DETAIL:  # align the counters in one column
        widest = max(map(len, texts), default=0)
        texts = [text.ljust(widest) for text in texts]
    pieces = [_chip(text, one, width) for text, one in zip(texts, counters, strict=False)]
    if more < 0 and counters and zoom is Zoom.OPERATIONAL:
        pieces.append((counters[-1].below[:width], OWNER_TONES[counters[-1].owner]))
    return tuple(piece for piece in pieces if piece[0])


def brief_piece(
    counters: Sequence[MapCounter], width: int, *, has_backgrounds: bool = False
) -> Piece:
    """Return the first counter for the overview. A ``+`` means that there are more."""
    first = counters[0]
    tone = _TONES[first.emphasis][first.owner]
    brief = first.brief or first.text
    text = f"{first.icon if has_backgrounds else first.mark}{brief}"[:width]
    if len(counters) > 1:
        return f"{text[: width - 1]}+", tone
    count = str(first.count) if first.count > 1 else ""
    for part in (count, ARROWS.get(first.course, "")):
        if len(text) + len(part) <= width:
            text += part
    return text, tone
