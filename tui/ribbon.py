"""What stands in the frame around a map: the ribbon along the top, the steps of a sequence, cards of a hand."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
from rich.cells import cell_len

from tui.tones import Tone

Toned = tuple[str, Tone]
"""A text and what it stands for."""
Row = str | Toned | tuple[Toned, ...]
"""A line of a panel: plain, in one tone, or in several."""
EXTRA: Final = 7
_GAP: Final = 2
_BAR: Final = 10


class Part(NamedTuple):
    """One part of the ribbon; it is shown whole or not at all."""

    pieces: tuple[Toned, ...]
    rank: int = 1
    """0 restricts the choice and is never left out; the highest is left out first, and what merely adorns
    (`EXTRA` and above) before anything else is shown in short."""
    short: tuple[Toned, ...] = ()
    """Stands in its place where the line is short; empty for no shorter form."""
    is_last: bool = False
    """Stands at the right end of the line."""


_Kept = tuple[Part, tuple[Toned, ...]]
"""A part, and which of its forms is shown."""


class Steps(NamedTuple):
    """Where the game is in its sequence."""

    title: str
    """What has these steps, such as ``ALLIED OFFENSIVE step 1 of 14``."""
    names: tuple[str, ...]
    now: int
    """Place of the present step among the names; -1 before the first one."""


class CardFace(msgspec.Struct, frozen=True, kw_only=True):
    """One card of a hand as it lies on the table."""

    id: str
    title: str
    kind: str
    """What sort of card it is, in words."""
    text: str = ""
    left: str = ""
    """In the head: what it is called by, such as its number."""
    right: str = ""
    """In the head: its value."""
    tone: Tone = Tone.CARD_OTHER
    """Colour of the head."""
    count: int = 1
    """Copies of it in the hand."""
    is_aside: bool = False
    """Whether it is laid aside and no card of the hand."""


def part(text: str, tone: Tone = Tone.PLAIN, rank: int = 1, short: str = "") -> Part:
    """Return a part of the ribbon in one tone."""
    return Part(((text, tone),), rank, ((short, tone),) if short else ())


def bar(value: int, most: int, tone: Tone, cells: int = _BAR) -> tuple[Toned, ...]:
    """Return a filled bar for a value between 0 and the most."""
    full = min(max(round(value * cells / max(most, 1)), 0), cells)
    return (("▮" * full, tone), ("▯" * (cells - full), Tone.DIM))


def dots(have: int, most: int, tone: Tone) -> tuple[Toned, ...]:
    """Return a dot for each of a few things, hollow for those that are gone."""
    return (("●" * have, tone), ("○" * max(most - have, 0), Tone.DIM))


def text_of(pieces: Sequence[Toned]) -> str:
    """Return the letters alone."""
    return "".join(text for text, _ in pieces)


def said(row: Row) -> str:
    """Return a line of a panel for play by lines."""
    if isinstance(row, str):
        return row
    return (row[0] if isinstance(row[0], str) else text_of(row)).rstrip()


def ribbon_text(parts: Sequence[Part]) -> str:
    """Return a ribbon for play by lines: the shorter form of each part where there is one, without signs."""
    said = (text_of(one.short or one.pieces).strip() for one in parts)
    return " | ".join(text for text in said if text)


def fitted(parts: Sequence[Part], width: int) -> list[Toned]:
    """Return a ribbon for a line: what does not fit is shown in short or not at all, and nothing is cut in its middle.

    As many parts as fit in short are taken, the lowest rank first; then they become long again as far as there is
    room, and what merely adorns fills the rest.
    """
    known = [one for one in parts if text_of(one.pieces)]
    by_rank = sorted(range(len(known)), key=lambda place: known[place].rank)
    shown: dict[int, tuple[Toned, ...]] = {}

    def take(place: int, form: tuple[Toned, ...]) -> None:
        tried = shown | {place: form}
        if not known[place].rank or _width(tried.values()) <= width:
            shown[place] = form

    for place in by_rank:
        if known[place].rank < EXTRA:
            take(place, known[place].short or known[place].pieces)
    for place in by_rank:
        if place in shown:
            tried = shown | {place: known[place].pieces}
            if _width(tried.values()) <= width:
                shown[place] = known[place].pieces
        elif known[place].rank >= EXTRA:
            take(place, known[place].pieces)
    return _joined([(known[place], shown[place]) for place in sorted(shown)], width)


def _width(forms: Iterable[tuple[Toned, ...]]) -> int:
    cells = [cell_len(text_of(form)) for form in forms]
    return sum(cells) + _GAP * max(len(cells) - 1, 0)


def _joined(kept: Sequence[_Kept], width: int) -> list[Toned]:
    """Return the parts in a row, those of the right end pushed there."""
    line: list[Toned] = []
    slack = max(width - _width(shown for _, shown in kept), 0)
    for is_last in (False, True):
        for one, shown in kept:
            if one.is_last is is_last:
                gap = (_GAP if line else 0) + (slack if is_last else 0)
                slack = 0 if is_last else slack
                line += [(" " * gap, Tone.PLAIN), *shown] if gap else shown
    return line


def step_line(steps: Steps, width: int) -> tuple[Toned, ...]:
    """Return the steps in a row: done, the present one, those to come; names far from the present one are left out."""
    for far in range(3 * len(steps.names), -1, -1):
        line = _step_signs(steps, far)
        if cell_len(text_of(line)) <= width:
            break
    return line


def _step_signs(steps: Steps, far: int) -> tuple[Toned, ...]:
    """Return the steps with names for the present one, those after it and the few before it that are near."""
    pieces: list[Toned] = []
    before, after = far // 3, far - far // 3
    for place, name in enumerate(steps.names):
        away = place - steps.now
        sign = "●" if not away else "✓" if away < 0 else "○"
        words = f"{sign} {name}" if -before <= away <= after else sign
        tone = Tone.STEP if not away else Tone.DIM if away < 0 else Tone.PLAIN
        pieces.append((f" {words}" if pieces else words, tone))
    return tuple(pieces)
