"""Data types for the lines around a map: the status bar, the sequence of play, and the cards in a hand."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
from rich.cells import cell_len

from tui.drawing.colour_roles import TextRole

Toned = tuple[str, TextRole]
"""Text and its tone."""
Row = str | Toned | tuple[Toned, ...]
"""A line of a panel: plain text, text in one tone, or pieces in several tones."""
OPTIONAL_RANK: Final = 7
_GAP: Final = 2
_BAR_CELLS: Final = 10


class StatusSegment(NamedTuple):
    """One segment of the status bar. It is shown whole or not at all."""

    pieces: tuple[Toned, ...]
    rank: int = 1
    """Drop order. Segments with the highest rank are dropped first. Segments of rank 0 are never dropped.

    Segments of rank `OPTIONAL_RANK` or higher are optional. They are dropped before any other segment is shortened.
    """
    short_pieces: tuple[Toned, ...] = ()
    """Short form, used when space is tight; empty if the segment has no short form."""
    is_last: bool = False
    """True if the segment is at the right end of the line."""


_FittedSegment = tuple[StatusSegment, tuple[Toned, ...]]
"""A segment, with its long or short form as displayed."""


class Steps(NamedTuple):
    """The current position in the sequence of play."""

    title: str
    """Title of the sequence, such as ``ALLIED OFFENSIVE step 1 of 14``."""
    names: tuple[str, ...]
    current_index: int
    """Index of the current step in `names`; -1 before the first step."""


class CardFace(msgspec.Struct, frozen=True, kw_only=True):
    """A card in a hand, as shown on the screen."""

    id: str
    title: str
    kind: str
    """Kind of card, in words."""
    text: str = ""
    left: str = ""
    """Text at the left of the card's top line, such as the card's number."""
    right: str = ""
    """Text at the right of the card's top line, such as the card's value."""
    tone: TextRole = TextRole.CARD_OTHER
    """Colour of the card's top line."""
    details: str = ""
    """Further text for the page that shows the whole hand."""
    count: int = 1
    """Number of copies of the card in the hand."""
    is_aside: bool = False
    """True if the card has been set aside. It is then not part of the hand."""


def status_segment(
    text: str, tone: TextRole = TextRole.PLAIN, rank: int = 1, short_text: str = ""
) -> StatusSegment:
    """Create a status bar segment in a single tone."""
    return StatusSegment(((text, tone),), rank, ((short_text, tone),) if short_text else ())


def proportional_bar(
    value: int, max_value: int, tone: TextRole, cells: int = _BAR_CELLS
) -> tuple[Toned, ...]:
    """Return a bar that is filled in proportion to a value between 0 and `max_value`."""
    filled_cells = min(max(round(value * cells / max(max_value, 1)), 0), cells)
    return (("▮" * filled_cells, tone), ("▯" * (cells - filled_cells), TextRole.DIM))


def dot_row(count: int, max_value: int, tone: TextRole) -> tuple[Toned, ...]:
    """Return `count` filled dots, then hollow dots for lost items, so that there are `max_value` dots."""
    return (("●" * count, tone), ("○" * max(max_value - count, 0), TextRole.DIM))


def plain_text(pieces: Sequence[Toned]) -> str:
    """Return the text of the pieces, without their tones."""
    return "".join(text for text, _ in pieces)


def row_text(row: Row) -> str:
    """Return a panel line as plain text, for line-by-line play."""
    if isinstance(row, str):
        return row
    return (row[0] if isinstance(row[0], str) else plain_text(row)).rstrip()


def status_bar_text(parts: Sequence[StatusSegment]) -> str:
    """Return the status bar as plain text for line-by-line play, using short forms where they exist."""
    row_text = (plain_text(segment.short_pieces or segment.pieces).strip() for segment in parts)
    return " | ".join(text for text in row_text if text)


def fit_segments(parts: Sequence[StatusSegment], width: int) -> list[Toned]:
    """Fit the status bar into a line. Segments are shortened or dropped, but never truncated.

    First, as many segments as fit are added in their short forms, lowest rank first. The added segments are then
    expanded as far as space allows. Optional segments fill the remaining space.
    """
    segments = [segment for segment in parts if plain_text(segment.pieces)]
    by_rank = sorted(range(len(segments)), key=lambda index: segments[index].rank)
    chosen: dict[int, tuple[Toned, ...]] = {}

    def add_if_fits(index: int, pieces: tuple[Toned, ...]) -> None:
        candidate = chosen | {index: pieces}
        if not segments[index].rank or _width(candidate.values()) <= width:
            chosen[index] = pieces

    for index in by_rank:
        if segments[index].rank < OPTIONAL_RANK:
            add_if_fits(index, segments[index].short_pieces or segments[index].pieces)
    for index in by_rank:
        if index in chosen:
            candidate = chosen | {index: segments[index].pieces}
            if _width(candidate.values()) <= width:
                chosen[index] = segments[index].pieces
        elif segments[index].rank >= OPTIONAL_RANK:
            add_if_fits(index, segments[index].pieces)
    return _join_segments([(segments[index], chosen[index]) for index in sorted(chosen)], width)


def _width(forms: Iterable[tuple[Toned, ...]]) -> int:
    cells = [cell_len(plain_text(form)) for form in forms]
    return sum(cells) + _GAP * max(len(cells) - 1, 0)


def _join_segments(fitted_segments: Sequence[_FittedSegment], width: int) -> list[Toned]:
    """Join the segments. Segments marked `is_last` are moved to the right end."""
    line: list[Toned] = []
    spare_cells = max(width - _width(pieces for _, pieces in fitted_segments), 0)
    for is_last in (False, True):
        for segment, pieces in fitted_segments:
            if segment.is_last is is_last:
                gap = (_GAP if line else 0) + (spare_cells if is_last else 0)
                spare_cells = 0 if is_last else spare_cells
                line += [(" " * gap, TextRole.PLAIN), *pieces] if gap else pieces
    return line


def step_line(steps: Steps, width: int) -> tuple[Toned, ...]:
    """Return the steps in a row. Names far from the current step are dropped until the row fits."""
    for distance in range(3 * len(steps.names), -1, -1):
        line = _step_symbols(steps, distance)
        if cell_len(plain_text(line)) <= width:
            break
    return line


def _step_symbols(steps: Steps, distance: int) -> tuple[Toned, ...]:
    """Return the current step, the next few steps and some earlier steps by name, and the number of all others."""
    pieces: list[Toned] = []
    before, after = distance // 3, distance - distance // 3
    first_symbol, end = (
        max(steps.current_index - before, 0),
        max(steps.current_index + after + 1, 0),
    )
    if first_symbol:
        pieces.append((f"✓{first_symbol} ", TextRole.DIM))
    for index, name in enumerate(steps.names[first_symbol:end], first_symbol):
        offset = index - steps.current_index
        symbol = "●" if not offset else "✓" if offset < 0 else "○"
        tone = TextRole.STEP if not offset else TextRole.DIM if offset < 0 else TextRole.PLAIN
        pieces.append((f"{symbol} {name} ", tone))
    if end < len(steps.names):
        pieces.append((f"+{len(steps.names) - end}", TextRole.DIM))
    elif pieces:
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return tuple(pieces)
