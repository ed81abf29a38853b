"""Where the words of a place stand: its name as long as there is room, and as much of its pieces as fits below it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tui.areamap.geometry import Ground, Run
from tui.areamap.scene import Arm, Token
from tui.marks import Zoom
from tui.tones import Tone

Text = tuple[str, Tone]
_BROAD: Final = 6
"""A place with so many more cells than its name needs has the name in its middle."""


class _Room(NamedTuple):
    """What a name leaves free."""

    margin: int
    """Cells before it."""
    tags: int
    """Cells behind it, for a star and a mark."""
    has_chips: bool = True
    """A line below it, wide enough for a piece."""


_ROOMY: Final = (_Room(1, 2), _Room(1, 1))
_TIGHT: Final = (_Room(0, 1), _Room(1, 0), _Room(0, 0), _Room(0, 0, has_chips=False))
_WIDE: Final = 1.5
"""Cells per square from which names may fill their place."""
_CHIP: Final = 3
"""Cells of the smallest chip that tells whose piece it is."""
_SIGNS: Final = {
    Arm.LAND: ("■", "□"),
    Arm.SEA: ("▲", "△"),
    Arm.AIR: ("◆", "◇"),
}
"""Of a piece in supply and of one out of supply."""
_UNSUPPLIED: Final = "!"
_MORE: Final = "+"


class Label(NamedTuple):
    """The words of a place."""

    lines: tuple[tuple[int, int, str], ...]
    """Column, line and text of the name."""
    below: tuple[Run, ...]
    """Room for pieces, by lines."""

    @property
    def left(self) -> int:
        """Return the first column of the name."""
        return self.lines[0][0]


def foldings(name: str, *, is_flat: bool = False) -> Iterator[tuple[str, ...]]:
    """Yield a name in one line, in two, in three; the broken ones as even as words allow."""
    words = name.split(" ")
    yield (name,)
    if is_flat:
        return
    pairs = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    yield from sorted(pairs, key=lambda pair: max(map(len, pair)))
    yield tuple(words)


@lru_cache(1024)
def label(ground: Ground, place: str, names: tuple[str, ...], *, is_flat: bool = False) -> Label:
    """Return where name and pieces stand.

    Args:
        ground: The chart in its size.
        place: The place.
        names: Its name, the best first; those after it stand where it does not fit.
        is_flat: A name takes one line; on a narrow map, all but the last one only where they leave some room.
    """
    lines = _widest(ground.runs[place])
    is_narrow = is_flat and ground.width < _WIDE * ground.chart.size[0]
    for order, name in enumerate(names):
        is_last = order == len(names) - 1
        for room in _ROOMY if is_narrow and not is_last else (*_ROOMY, *_TIGHT):
            for form in foldings(name, is_flat=is_flat):
                found = _best(lines, form, room)
                if found is not None:
                    return found
    first = lines[0]
    return Label(((first.start, first.y, names[-1][: first.width]),), tuple(lines[1:]))


def _widest(runs: Sequence[Run]) -> list[Run]:
    """Return the widest run of each line."""
    found: dict[int, Run] = {}
    for run in runs:
        if run.y not in found or run.width > found[run.y].width:
            found[run.y] = run
    return list(found.values())


def _best(lines: Sequence[Run], form: tuple[str, ...], room: _Room) -> Label | None:
    """Return the best place for a name with room for pieces below it; None when there is none."""
    needs = [*map(len, form[:-1]), len(form[-1]) + room.tags]
    found = []
    middle = (lines[0].y + lines[-1].y + 1) / 2
    for first in range(len(lines) - len(form) + 1):
        block = lines[first : first + len(form)]
        left = max(run.start for run in block)
        spare = min(run.stop - left - need for run, need in zip(block, needs, strict=True))
        below = lines[first + len(form) :]
        if spare < room.margin or (room.has_chips and not _holds_chip(below[:1], left)):
            continue
        shift = spare // 2 if spare >= _BROAD else room.margin
        off = abs(block[0].y + (len(block) + 1) / 2 - middle)
        found.append((-min(spare, _BROAD), off, first, left + shift))
    if not found:
        return None
    *_, first, x = min(found)
    texts = [(x, run.y, text) for run, text in zip(lines[first:], form, strict=False)]
    return Label(tuple(texts), tuple(lines[first + len(form) :]))


def _holds_chip(lines: Sequence[Run], left: int) -> bool:
    return any(run.start <= left <= run.stop - _CHIP for run in lines)


def _from(rooms: Sequence[Run], x: int) -> list[Run]:
    """Return the parts of lines that begin below a name."""
    return [Run(run.y, max(run.start, x), run.stop) if run.stop > x else run for run in rooms]


# -- pieces


def chip(token: Token, *, is_unicode: bool) -> str:
    """Return a piece as sign and country: ``■GE``, in ASCII ``A:ge``; ``!`` when it is out of supply."""
    mark = "" if token.is_supplied else _UNSUPPLIED
    if is_unicode:
        return f"{_SIGNS[token.arm][not token.is_supplied]}{token.code}{mark}"
    return f"{token.arm.value}:{token.code.lower()}{mark}"


def _in_words(token: Token, width: int, *, is_unicode: bool) -> str:
    """Return a piece in words; empty when not even the shortest ones fit."""
    sign = _SIGNS[token.arm][not token.is_supplied] if is_unicode else ""
    mark = "" if token.is_supplied else _UNSUPPLIED
    for words in token.words:
        text = f"{sign} {words}{mark}".strip() if is_unicode else f"{words}{mark}"
        if len(text) <= width:
            return text
    return ""


def pieces(
    tokens: Sequence[Token], found: Label, zoom: Zoom, *, is_unicode: bool
) -> list[tuple[int, int, Token, str]]:
    """Return column, line and text of each piece: in words at the detail zoom, as chips, or by letters.

    ``+`` stands for those without room.
    """
    if not found.below or not tokens:
        return []
    rooms = _from(found.below, found.left)
    if zoom is Zoom.DETAIL and len(tokens) <= len(rooms):
        texts = [
            _in_words(token, run.width, is_unicode=is_unicode)
            for token, run in zip(tokens, rooms, strict=False)
        ]
        if all(texts):
            return [
                (run.start, run.y, token, text)
                for run, token, text in zip(rooms, tokens, texts, strict=False)
            ]
    chips = [chip(token, is_unicode=is_unicode) for token in tokens]
    for lines, gap in ((rooms, 1), (rooms, 0), (found.below, 0)):
        laid = _laid(tokens, chips, lines, gap)
        if laid is not None:
            return laid
    return _letters(tokens, rooms)


def _laid(
    tokens: Sequence[Token], texts: Sequence[str], rooms: Sequence[Run], gap: int
) -> list[tuple[int, int, Token, str]] | None:
    """Return texts in lines, None when one of them has no room."""
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


def _letters(tokens: Sequence[Token], rooms: Sequence[Run]) -> list[tuple[int, int, Token, str]]:
    """Return pieces by their letters, as many as fit."""
    texts = [token.letter for token in tokens]
    found = _laid(tokens, texts, rooms, 0)
    kept = len(tokens)
    while found is None and kept > 1:
        kept -= 1
        shown = [*texts[: kept - 1], texts[kept - 1] + _MORE]
        found = _laid(tokens[:kept], shown, rooms, 0)
    return found or [(rooms[0].start, rooms[0].y, tokens[0], _MORE)]
