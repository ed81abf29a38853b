"""Positions a place's text: the longest form of its name that fits and, below it, as many pieces as fit."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tui.areamap.geometry import CellRun, ChartLayout
from tui.areamap.scene import Arm, Token
from tui.map_enums import Zoom

_BROAD: Final = 6
"""Minimum number of spare cells for a name to be centred."""


class _Room(NamedTuple):
    """The space to leave free around a name."""

    margin: int
    """Number of free cells before the name."""
    tags: int
    """Number of free cells after the name, for a star and a mark."""
    has_chips: bool = True
    """True if the line below the name must be wide enough for a piece."""


_ROOMY: Final = (_Room(1, 2), _Room(1, 1))
_TIGHT: Final = (_Room(0, 1), _Room(1, 0), _Room(0, 0), _Room(0, 0, has_chips=False))
_WIDE: Final = 1.5
"""Minimum map width, in cells per square, for a name to fill its place."""
_CHIP: Final = 3
"""Width, in cells, of the smallest chip that shows the owner of its piece."""
_SIGNS: Final = {
    Arm.LAND: ("■", "□"),
    Arm.SEA: ("▲", "△"),
    Arm.AIR: ("◆", "◇"),
}
"""Symbols of a piece in supply and out of supply."""
_UNSUPPLIED: Final = "!"
_MORE: Final = "+"


class PlaceLabel(NamedTuple):
    """The text of a place."""

    lines: tuple[tuple[int, int, str], ...]
    """Column, line and text of each part of the name."""
    below: tuple[CellRun, ...]
    """Space for pieces, line by line."""

    @property
    def left(self) -> int:
        """The first column of the name."""
        return self.lines[0][0]


def name_foldings(name: str, *, is_flat: bool = False) -> Iterator[tuple[str, ...]]:
    """Yield a name on one line, then on two lines of similar length, then with one word per line."""
    words = name.split(" ")
    yield (name,)
    if is_flat:
        return
    pairs = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    yield from sorted(pairs, key=lambda pair: max(map(len, pair)))
    yield tuple(words)


@lru_cache(1024)
def place_label(
    ground: ChartLayout, place: str, names: tuple[str, ...], *, is_flat: bool = False
) -> PlaceLabel:
    """Position a place's name and pieces.

    Args:
        ground: The chart, drawn at the current size.
        place: The place.
        names: Forms of the place's name in order of preference. A later form is used only if no earlier one fits.
        is_flat: Limit the name to one line. On a narrow map, only the last form may take the space kept for pieces.
    """
    lines = _widest_runs(ground.runs[place])
    is_narrow = is_flat and ground.width < _WIDE * ground.chart.size[0]
    for order, name in enumerate(names):
        is_last = order == len(names) - 1
        for room in _ROOMY if is_narrow and not is_last else (*_ROOMY, *_TIGHT):
            for form in name_foldings(name, is_flat=is_flat):
                found = _best_position(lines, form, room)
                if found is not None:
                    return found
    first = lines[0]
    return PlaceLabel(((first.start, first.y, names[-1][: first.width]),), tuple(lines[1:]))


def _widest_runs(runs: Sequence[CellRun]) -> list[CellRun]:
    """Return the widest run on each line."""
    found: dict[int, CellRun] = {}
    for run in runs:
        if run.y not in found or run.width > found[run.y].width:
            found[run.y] = run
    return list(found.values())


def _best_position(
    lines: Sequence[CellRun], form: tuple[str, ...], room: _Room
) -> PlaceLabel | None:
    """Return the best position for a name that leaves the required space; None if there is none."""
    needs = [*map(len, form[:-1]), len(form[-1]) + room.tags]
    found = []
    middle = (lines[0].y + lines[-1].y + 1) / 2
    for first in range(len(lines) - len(form) + 1):
        block = lines[first : first + len(form)]
        left = max(run.start for run in block)
        spare = min(run.stop - left - need for run, need in zip(block, needs, strict=True))
        below = lines[first + len(form) :]
        if spare < room.margin or (room.has_chips and not _has_room_for_chip(below[:1], left)):
            continue
        shift = spare // 2 if spare >= _BROAD else room.margin
        off = abs(block[0].y + (len(block) + 1) / 2 - middle)
        found.append((-min(spare, _BROAD), off, first, left + shift))
    if not found:
        return None
    *_, first, x = min(found)
    texts = [(x, run.y, text) for run, text in zip(lines[first:], form, strict=False)]
    return PlaceLabel(tuple(texts), tuple(lines[first + len(form) :]))


def _has_room_for_chip(lines: Sequence[CellRun], left: int) -> bool:
    return any(run.start <= left <= run.stop - _CHIP for run in lines)


def _trim_left(rooms: Sequence[CellRun], x: int) -> list[CellRun]:
    """Trim runs so that they do not start to the left of the name."""
    return [CellRun(run.y, max(run.start, x), run.stop) if run.stop > x else run for run in rooms]


# -- pieces


def chip(token: Token, *, is_unicode: bool) -> str:
    """Return a piece as symbol and country: ``■GE``, or in ASCII ``A:ge``. A ``!`` means that it is out of supply."""
    mark = "" if token.is_supplied else _UNSUPPLIED
    if is_unicode:
        return f"{_SIGNS[token.arm][not token.is_supplied]}{token.code}{mark}"
    return f"{token.arm.value}:{token.code.lower()}{mark}"


def _token_text(token: Token, width: int, *, is_unicode: bool) -> str:
    """Return a piece in words; empty if not even the shortest form fits."""
    sign = _SIGNS[token.arm][not token.is_supplied] if is_unicode else ""
    mark = "" if token.is_supplied else _UNSUPPLIED
    for words in token.words:
        text = f"{sign} {words}{mark}".strip() if is_unicode else f"{words}{mark}"
        if len(text) <= width:
            return text
    return ""


def place_pieces(
    tokens: Sequence[Token], found: PlaceLabel, zoom: Zoom, *, is_unicode: bool
) -> list[tuple[int, int, Token, str]]:
    """Return the column, line, piece and text of each piece: words at the detail zoom, and chips or letters otherwise.

    A ``+`` represents pieces that do not fit.
    """
    if not found.below or not tokens:
        return []
    rooms = _trim_left(found.below, found.left)
    if zoom is Zoom.DETAIL and len(tokens) <= len(rooms):
        texts = [
            _token_text(token, run.width, is_unicode=is_unicode)
            for token, run in zip(tokens, rooms, strict=False)
        ]
        if all(texts):
            return [
                (run.start, run.y, token, text)
                for run, token, text in zip(rooms, tokens, texts, strict=False)
            ]
    chips = [chip(token, is_unicode=is_unicode) for token in tokens]
    for lines, gap in ((rooms, 1), (rooms, 0), (found.below, 0)):
        laid = _lay_out_texts(tokens, chips, lines, gap)
        if laid is not None:
            return laid
    return _letter_positions(tokens, rooms)


def _lay_out_texts(
    tokens: Sequence[Token], texts: Sequence[str], rooms: Sequence[CellRun], gap: int
) -> list[tuple[int, int, Token, str]] | None:
    """Arrange texts in lines; return None if one of them does not fit."""
    found = []
    lines = iter(rooms)
    run = next(lines)
    x = run.start
    for token, text in zip(tokens, texts, strict=True):
        while x + len(text) > run.stop:
            following = next(lines, None)
            if following is None:
                return None
            run = following
            x = run.start
        found.append((x, run.y, token, text))
        x += len(text) + gap
    return found


def _letter_positions(
    tokens: Sequence[Token], rooms: Sequence[CellRun]
) -> list[tuple[int, int, Token, str]]:
    """Arrange as many pieces as fit, each as a letter."""
    texts = [token.letter for token in tokens]
    found = _lay_out_texts(tokens, texts, rooms, 0)
    kept = len(tokens)
    while found is None and kept > 1:
        kept -= 1
        shown = [*texts[: kept - 1], texts[kept - 1] + _MORE]
        found = _lay_out_texts(tokens[:kept], shown, rooms, 0)
    return found or [(rooms[0].start, rooms[0].y, tokens[0], _MORE)]
