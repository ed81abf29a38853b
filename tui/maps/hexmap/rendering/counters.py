"""Formats as many of a hex's counters as fit, in short form."""

from collections.abc import Sequence
from typing import Final

from tui.drawing.colour_roles import FULL_CELL_ROLES, TextRole
from tui.maps.enums import CHIP_TONES, OWNER_TONES, Owner, Zoom
from tui.maps.hexmap.elements import ARROWS, Emphasis, MapCounter
from tui.maps.pieces import Piece

REDUCED_MARK: Final = "·"
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


def _counter_text(counter: MapCounter, zoom: Zoom, width: int, *, has_backgrounds: bool) -> str:
    """Return a counter's text, followed by its dot if it is reduced, its count and its course, as far as they fit."""
    text = (counter.long if zoom is Zoom.DETAIL else "") or counter.text
    if not has_backgrounds:
        text = counter.mark + text
    text = text[:width]
    for suffix in (
        REDUCED_MARK if counter.is_reduced else "",
        f"x{counter.count}" if counter.count > 1 else "",
        ARROWS.get(counter.course, ""),
    ):
        if len(text) + len(suffix) <= width:
            text += suffix
    return text


def _chip_piece(text: str, counter: MapCounter, width: int) -> Piece:
    """Return a counter's text in its colours. If there is room, add a blank on either side."""
    tone = _TONES[counter.emphasis][counter.owner]
    if tone in FULL_CELL_ROLES and len(text) + 2 <= width:
        text = f" {text} "
    return text, tone


def counter_pieces(
    counters: Sequence[MapCounter],
    max_lines: int,
    width: int,
    zoom: Zoom,
    *,
    has_backgrounds: bool = False,
) -> tuple[Piece, ...]:
    """Return one piece per line. The last piece may be the number of omitted counters or the last counter's note.

    Args:
        counters: The counters, most important first.
        max_lines: Number of available lines, at least one.
        width: Width of a line in cells.
        zoom: Zoom level of the map. The detail zoom uses the long texts.
        has_backgrounds: True if colours show the owner; False if a letter does.
    """
    texts = [
        _counter_text(counter, zoom, width, has_backgrounds=has_backgrounds)
        for counter in counters[:max_lines]
    ]
    surplus = len(counters) - max_lines
    if surplus > 0 and zoom is Zoom.DETAIL and max_lines > 1:
        # Use a separate line, because "+2" would hide part of a counter's values.
        texts[-1] = f"and {surplus + 1} more"[:width]
    elif surplus > 0:
        suffix = next(
            (text for text in (f"+{surplus}", "+") if len(texts[-1] + text) <= width),
            f"+{surplus}",
        )
        space = max(width - len(suffix), 0)
        texts[-1] = (
            _counter_text(counters[max_lines - 1], zoom, space, has_backgrounds=has_backgrounds)
            + suffix
        )
    if zoom is Zoom.DETAIL:  # centred counters line up only if they are equally wide
        widest_text = max(map(len, texts), default=0)
        texts = [text.ljust(widest_text) for text in texts]
    pieces = [
        _chip_piece(text, counter, width) for text, counter in zip(texts, counters, strict=False)
    ]
    if surplus < 0 and counters and zoom is Zoom.OPERATIONAL:
        pieces.append((counters[-1].note_below[:width], OWNER_TONES[counters[-1].owner]))
    return tuple(piece for piece in pieces if piece[0])


def brief_piece(
    counters: Sequence[MapCounter], width: int, *, has_backgrounds: bool = False
) -> Piece:
    """Return the first counter for the overview. A ``+`` means that there are more counters."""
    first_counter = counters[0]
    tone = _TONES[first_counter.emphasis][first_counter.owner]
    brief = first_counter.brief or first_counter.text
    text = f"{first_counter.icon if has_backgrounds else first_counter.mark}{brief}"[:width]
    if len(counters) > 1:
        return f"{text[: width - 1]}+", tone
    count = str(first_counter.count) if first_counter.count > 1 else ""
    for suffix in (count, ARROWS.get(first_counter.course, "")):
        if len(text) + len(suffix) <= width:
            text += suffix
    return text, tone
