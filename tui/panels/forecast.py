"""The forecast page, for any game: sections of text, values and probability bars, in one or two columns.

A presenter supplies the sections. This module formats the sections for a given width, or as text for line-by-line play.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from rich.cells import cell_len
from typing_extensions import override

from engine.kernel.chances import Chances, percent
from tui.drawing.colour_roles import TextRole
from tui.maps.enums import OWNER_TONES, Owner
from tui.panels.overlay_pages import (
    Line,
    OverlayPage,
    TonedPiece,
    side_by_side,
    value_row,
    wrap_text,
)
from tui.panels.status_segments import proportional_bar

NOTHING_TO_FORECAST: Final = (
    "No forecast here: move the cursor to a possible target, or highlight an order."
)
_TWO_COLUMNS: Final = 60
"""Minimum width, in cells, for showing the two sides in adjacent columns."""
_MAX_BAR: Final = 24
_MIN_BAR: Final = 4
_PERCENT: Final = 5
"""Width of a percentage in cells, such as `` 100%``."""
_FULL_BAR: Final = 1000
"""Value that represents a full bar; bars are drawn in these units."""
_LIKELY_CHANCE: Final = Fraction(2, 3)
_DOUBTFUL_CHANCE: Final = Fraction(1, 3)
_NEARLY_CERTAIN_CHANCE: Final = Fraction(97, 100)
_MAX_NAME: Final = 30
_GAP: Final = 2


class Sentence(NamedTuple):
    """A sentence."""

    text: str
    tone: TextRole = TextRole.PLAIN


class NamedValue(NamedTuple):
    """A name, with its value aligned to the right."""

    name: str
    value: str
    tone: TextRole = TextRole.PLAIN


class Bar(NamedTuple):
    """A probability with a name, drawn as a bar."""

    name: str
    chance: Fraction
    tone: TextRole = TextRole.PLAIN


class SideHeading(NamedTuple):
    """The heading of one side's column."""

    name: str
    owner: Owner = Owner.NONE


ForecastItem = Sentence | NamedValue | Bar | SideHeading
ForecastCell = str | Bar
"""A table cell: text, or a bar, which is shown without its name."""


class ForecastSection(NamedTuple):
    """A part of the page with its own heading."""

    title: str = ""
    items: tuple[ForecastItem, ...] = ()
    """Items across the full width."""
    sides: tuple[tuple[ForecastItem, ...], ...] = ()
    """The two sides' items, shown above `items`; side by side if there is room."""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[ForecastCell, ...], ...] = ()
    """Rows of a table shown above `items`. Each row has one cell for each of the `heads`."""


class ForecastPage(OverlayPage, frozen=True, kw_only=True):
    """The forecast of a battle or another random outcome."""

    sections: tuple[ForecastSection, ...]

    @override
    def lines(self, width: int, height: int = 0) -> tuple[Line, ...]:
        """Return the lines of all sections, one below the other."""
        del height
        return tuple(line for section in self.sections for line in _section(section, width))

    def plain_lines(self, width: int) -> Iterator[str]:
        """Yield the title and the sections as plain text, for line-by-line play and screen readers."""
        yield self.title
        for section in self.sections:
            if section.title:
                yield f"{section.title}:"
            for side in section.sides:
                yield from _plain_lines(side, width)
            yield from (text for row in _plain_rows(section) for text in wrap_text(row, width))
            yield from _plain_lines(section.items, width)


def benefit_tone(chance: Fraction) -> TextRole:
    """Return the tone for the probability of a good outcome."""
    return (
        TextRole.GOOD
        if chance >= _LIKELY_CHANCE
        else TextRole.WARN
        if chance >= _DOUBTFUL_CHANCE
        else TextRole.BAD
    )


def risk_tone(chance: Fraction) -> TextRole:
    """Return the tone for the probability of a bad outcome."""
    return benefit_tone(1 - chance)


def count_bars(chances: Chances[int], tone: TextRole, max_bars: int = 6) -> tuple[Bar, ...]:
    """Return a bar for each possible number. If there are too many bars, group adjacent numbers and end with "or more".

    Args:
        chances: Probability of each number.
        tone: Tone of the bars. The bar for zero is dimmed.
        max_bars: Maximum number of bars.
    """
    sure_values = sorted(number for number, chance in chances.items() if chance)
    if len(sure_values) <= max_bars:
        return tuple(
            Bar(str(number), chances[number], tone if number else TextRole.DIM)
            for number in sure_values
        )
    lone_numbers = (
        sure_values[:1] if not sure_values[0] else []
    )  # players look for zero first, so it has its own bar
    other_values = sure_values[len(lone_numbers) :]
    usual_values = _rarely_exceeded(chances, sure_values)
    group_size = -(-(usual_values - other_values[0] + 1) // (max_bars - len(lone_numbers)))
    groups: dict[int, list[int]] = {}
    for number in other_values:
        groups.setdefault((min(number, usual_values) - other_values[0]) // group_size, []).append(
            number
        )
    bars = [Bar("0", chances[0], TextRole.DIM)] if lone_numbers else []
    last_value = max(groups)
    for place, group in groups.items():
        low, high = (
            other_values[0] + place * group_size,
            other_values[0] + (place + 1) * group_size - 1,
        )
        has_tail = place == last_value and group[-1] > high
        name = f"{low} or more" if has_tail else f"{low}-{high}" if group_size > 1 else str(low)
        bars.append(Bar(name, sum((chances[number] for number in group), Fraction(0)), tone))
    return tuple(bars)


def _rarely_exceeded(chances: Chances[int], sure_values: Sequence[int]) -> int:
    """Return the smallest number that a result almost never exceeds."""
    lower_chance = Fraction(0)
    for number in sure_values:
        lower_chance += chances[number]
        if lower_chance >= _NEARLY_CERTAIN_CHANCE:
            return number
    return sure_values[-1]


def titled_column(title: str, items: Iterable[ForecastItem]) -> tuple[ForecastItem, ...]:
    """Return the items below a title line."""
    return (Sentence(title), *items)


# -- formatting


def _section(section: ForecastSection, width: int) -> Iterator[Line]:
    if section.title:
        yield (TonedPiece(f"── {section.title} ".ljust(width, "─")[:width], TextRole.DIM),)
    if len(section.sides) > 1 and width >= _TWO_COLUMNS:
        room = (width - 1) // len(section.sides)
        left, right = ([*_lines(side, room - _GAP)] for side in section.sides)
        yield from side_by_side((left, right), room)
    else:
        for side in section.sides:
            yield from _lines(side, width)
    if section.rows and sum(_needs(section)) + _GAP * len(section.heads) <= width:
        yield from _table(section, width)
    elif section.rows:
        yield from (
            (TonedPiece(text),) for row in _plain_rows(section) for text in wrap_text(row, width)
        )
    yield from _lines(section.items, width)


def _lines(items: Sequence[ForecastItem], width: int) -> Iterator[Line]:
    names = [min(cell_len(bar.name), _MAX_NAME) for bar in items if isinstance(bar, Bar)]
    widest_name = max(names, default=0)
    for item in items:
        match item:
            case Sentence(text, tone):
                yield from ((TonedPiece(line, tone),) for line in wrap_text(text, width) or [""])
            case NamedValue(name, value, tone):
                yield from value_row(name, value, width, tone, is_lost=False)
            case SideHeading(name, owner):
                yield (TonedPiece(name[:width], OWNER_TONES[owner]),)
            case Bar(name):
                yield _bar(item, f"{name.ljust(widest_name)[:_MAX_NAME]} ", width)


def _bar(item: Bar, name: str, width: int) -> Line:
    room = width - cell_len(name) - _PERCENT
    bar_cells = _bar_pieces(item, min(room, _MAX_BAR)) if room >= _MIN_BAR else ()
    name = name[: width - _PERCENT]
    return (TonedPiece(name), *bar_cells, TonedPiece(f"{percent(item.chance)}%".rjust(_PERCENT)))


def _bar_pieces(item: Bar, cells: int) -> tuple[TonedPiece, ...]:
    chance = item.chance
    filled_width = _FULL_BAR * chance.numerator // chance.denominator
    return tuple(
        TonedPiece(text, tone)
        for text, tone in proportional_bar(filled_width, _FULL_BAR, item.tone, cells)
        if text
    )


def _table(section: ForecastSection, width: int) -> Iterator[Line]:
    """Yield the lines of a table. Text columns are as wide as their text, and the bars share the remaining width."""
    columns, needs = list(zip(*section.rows, strict=True)), _needs(section)
    has_bar = [any(isinstance(cell, Bar) for cell in titled_column) for titled_column in columns]
    slack = width - sum(needs) - _GAP * (len(needs) - 1)
    cells = min(max(slack // max(sum(has_bar), 1) - 1, 0), _MAX_BAR // 2)
    if cells < _MIN_BAR:
        cells = 0
    rooms = [
        max(need, cell_len(_word(titled_column[0])) + cells + 1) if bars and cells else need
        for need, bars, titled_column in zip(needs, has_bar, columns, strict=True)
    ]
    if any(section.heads):
        texts = (_padded(text, room) for text, room in zip(section.heads, rooms, strict=True))
        yield (TonedPiece((" " * _GAP).join(texts)[:width].rstrip(), TextRole.DIM),)
    for cells_of_row in section.rows:
        line: list[TonedPiece] = []
        for cell, room in zip(cells_of_row, rooms, strict=True):
            line += [TonedPiece(" " * _GAP)] if line else []
            line += _cell(cell, room, cells)
        yield tuple(line)


def _needs(section: ForecastSection) -> list[int]:
    """Return the widths of the table columns that contain no bars."""
    columns = zip(section.heads, *section.rows, strict=True)
    return [max(cell_len(_word(cell)) for cell in titled_column) for titled_column in columns]


def _word(cell: ForecastCell) -> str:
    return cell if isinstance(cell, str) else f"{percent(cell.chance)}%".rjust(_PERCENT - 1)


def _padded(text: str, room: int) -> str:
    return text + " " * max(room - cell_len(text), 0)


def _cell(cell: ForecastCell, room: int, cells: int) -> list[TonedPiece]:
    if isinstance(cell, str):
        return [TonedPiece(_padded(cell, room))]
    shown_pieces = [TonedPiece(_word(cell), cell.tone)]
    used_cells = cell_len(_word(cell))
    if cells:
        shown_pieces += [TonedPiece(" "), *_bar_pieces(cell, cells)]
        used_cells += cells + 1
    return [*shown_pieces, TonedPiece(" " * max(room - used_cells, 0))]


# -- plain text


def _plain_lines(items: Sequence[ForecastItem], width: int) -> Iterator[str]:
    for item in items:
        match item:
            case Sentence(text):
                yield from wrap_text(f"  {text}", width)
            case NamedValue(name, value):
                yield from wrap_text(f"  {name}: {value}" if value else f"  {name}", width)
            case SideHeading(name):
                yield f"  {name}"
            case Bar(name, chance):
                yield f"    {name}: {percent(chance)}%"


def _plain_rows(section: ForecastSection) -> Iterator[str]:
    for cells in section.rows:
        first_cell, *other_cells = zip(section.heads, cells, strict=True)
        values = (
            f"{head} {_word(cell).strip()}".strip() for head, cell in other_cells if _word(cell)
        )
        yield f"  {_word(first_cell[1])}: {', '.join(values)}"
