"""The page at the end of a game, as plain lines: verdict, score, sources of points, and the decisive battle."""

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len

from engine.kernel.ids import Role
from play.game_summary import DecisiveBattle, GameSummary, ScoreSource
from tui.drawing.colour_roles import TextRole
from tui.panels.score_chart import ChartMark, band_range, score_chart, unnamed_bands
from tui.panels.status_segments import Row, Toned, plain_text

MAX_MARKS: Final = 9
"""Number of sources of points that have a digit key, which shows the source in the record."""
_TWO_COLUMNS: Final = 76
_THREE_COLUMNS: Final = 140
_GAP: Final = 2
_CHART_ROWS: Final = range(8, 29)
"""Possible heights of the chart, in lines."""
_BADGE_CELLS: Final = 6
_MAX_BATTLE_LINES: Final = 3
"""Maximum number of sentences about the decisive battle."""
_MAX_UNITS: Final = 6
"""Maximum number of units named on each side of the decisive battle."""
_MIN_SHOWN: Final = 3
"""Number of sources of points that are always shown."""

_BRIEF_HEIGHT: Final = 30
"""If the page is less than this many lines high, sources of points are listed without their turn."""


def marked_sources(summary: GameSummary) -> tuple[ScoreSource, ...]:
    """Return the sources that have a digit key: the largest ones, in the order of the record.

    A source whose points never changed during the game has no key, because the record contains no change to show.
    """
    sources = [source for source in (*summary.earned, *summary.lost) if source.seq > 0]
    largest = sorted(sources, key=lambda source: -abs(source.points))[:MAX_MARKS]
    return tuple(sorted(largest, key=lambda source: source.seq))


def end_page(
    summary: GameSummary, size: tuple[int, int], *, record: str = "", has_keys: bool = True
) -> tuple[Row, ...]:
    """Return the page as lines.

    Args:
        summary: The finished game.
        size: Width in cells, and the height up to which the chart and the lists grow.
        record: Where the record is stored; empty if it is not stored.
        has_keys: True to name the keys that jump into the record.
    """
    width, height = size
    top = list(_verdict(summary, width))
    bottom = [*_bottom(summary, width, height, has_keys=has_keys)]
    if record:
        lines = textwrap.wrap(f"Record: {record}", width)
        bottom += [("", TextRole.PLAIN), *((line, TextRole.DIM) for line in lines)]
    rows: list[Row] = [*top]
    if summary.scale is not None and summary.samples:
        room = height - len(top) - len(bottom) - 3
        rows += _chart(summary, (width, max(min(room, _CHART_ROWS[-1]), _CHART_ROWS[0])))
    return (*rows, *bottom)


def _tone_of(summary: GameSummary, side: Role | None) -> TextRole:
    if side is None or not summary.sides:
        return TextRole.HEAD
    return TextRole.SIDE_ONE if side == summary.sides[0].id else TextRole.SIDE_TWO


def _verdict(summary: GameSummary, width: int) -> Iterator[Row]:
    headline, tone = summary.headline.upper(), _tone_of(summary, summary.winner)
    detail = f"{summary.detail[:1].upper()}{summary.detail[1:]}".rstrip(".")
    detail = f"{detail}." if detail else ""
    first, *others = textwrap.wrap(detail, max(width - cell_len(headline) - 3, 20)) or [""]
    if cell_len(headline) + 23 > width:
        yield headline, tone
        yield from ((line, TextRole.PLAIN) for line in textwrap.wrap(detail, width))
    else:
        yield (headline, tone), (f"   {first}", TextRole.PLAIN)
        yield from ((line, TextRole.PLAIN) for line in textwrap.wrap(" ".join(others), width))
    if summary.margin:
        yield from ((line, TextRole.WARN) for line in textwrap.wrap(summary.margin, width))


def _chart(summary: GameSummary, size: tuple[int, int]) -> Iterator[Row]:
    scale = summary.scale
    assert scale is not None, "only a game with a score has a chart"
    width, _ = size
    favoured = next((side.name for side in summary.sides if side.id == scale.high), "")
    title = f"{scale.title} after each {scale.step}"
    remark = "" if len(scale.curves) > 1 else f"more is better for {favoured}"
    if cell_len(f"{title}   {remark}") <= width:
        yield (title, TextRole.HEAD), (f"   {remark}", TextRole.DIM)
    else:
        yield from ((line, TextRole.HEAD) for line in textwrap.wrap(title, width))
        yield from ((line, TextRole.DIM) for line in textwrap.wrap(remark, width))
    earned = set(summary.earned)
    marks = [
        ChartMark(
            source.seq, str(number), TextRole.CARD_LIT if source in earned else TextRole.CHIP_TWO
        )
        for number, source in enumerate(marked_sources(summary), start=1)
    ]
    yield from score_chart(scale, summary.sides, summary.samples, marks, size)
    bands = unnamed_bands(scale, summary.samples, size)
    text = "; ".join(f"{band.text}: {band_range(band)}" for band in bands)
    yield from ((line, TextRole.DIM) for line in textwrap.wrap(text, width))


def _bottom(summary: GameSummary, width: int, height: int, *, has_keys: bool) -> tuple[Row, ...]:
    """Return the lists of sources and the decisive battle, side by side if the width allows."""
    marked = marked_sources(summary) if has_keys else ()
    count = 3 if width >= _THREE_COLUMNS else 2 if width >= _TWO_COLUMNS else 1
    column = (width - _GAP * (count - 1)) // count
    shown = max((height - 18) // 2, _MIN_SHOWN)
    lists = (
        [
            tuple(
                _sources(
                    (title, _total(summary, sources)),
                    tone,
                    sources,
                    marked,
                    column,
                    shown,
                    is_brief=height < _BRIEF_HEIGHT,
                )
            )
            for title, tone, sources in (
                (f"What helped {_viewer_name(summary)}", TextRole.GOOD, summary.earned),
                (f"What hurt {_viewer_name(summary)}", TextRole.BAD, summary.lost),
            )
        ]
        if summary.scale is not None
        else []
    )
    battle_width = column if count == 3 else width  # noqa: PLR2004  (three columns)
    battle = tuple(_battle(summary, battle_width, has_keys=has_keys))
    if not lists:
        return battle
    if count == 1:
        return (*lists[0], *lists[1], *battle)
    if count == 2:  # noqa: PLR2004  (two columns)
        return (*_side_by_side(lists, column), *battle)
    return _side_by_side([*lists, battle], column)


def _viewer_name(summary: GameSummary) -> str:
    return next((side.name for side in summary.sides if side.id == summary.viewer), "both sides")


def _side_by_side(columns: Sequence[Sequence[Row]], width: int) -> tuple[Row, ...]:
    rows: list[Row] = []
    for line in zip_longest(*columns, fillvalue=""):
        pieces: list[Toned] = []
        for number, row in enumerate(line):
            if number:
                pieces.append((" " * _GAP, TextRole.PLAIN))
            row_pieces = _pieces(row)
            pieces += row_pieces
            padding = width - cell_len(plain_text(row_pieces))
            pieces.append((" " * max(padding, 0), TextRole.PLAIN))
        rows.append(tuple(piece for piece in pieces if piece[0]))
    return tuple(rows)


def _pieces(row: Row) -> tuple[Toned, ...]:
    if isinstance(row, str):
        return ((row, TextRole.PLAIN),)
    if row and isinstance(row[0], str):
        text, tone = row
        return ((text, tone),)
    return row


def _heading(text: str, right: str, tone: TextRole, width: int) -> Row:
    right = right if cell_len(text) + cell_len(right) + 3 <= width else ""
    rule = width - cell_len(text) - cell_len(right) - 2
    return (
        (f"{text} ", tone),
        ("─" * max(rule, 1), TextRole.GRID),
        (f" {right}" if right else "", TextRole.DIM),
    )


def _total(summary: GameSummary, sources: Sequence[ScoreSource]) -> str:
    """Return the sum of a list's points; empty without sources.

    If each side has its own score, points that the other side lost help as much as own points.
    """
    if not sources:
        return ""
    if summary.scale is not None and len(summary.scale.curves) > 1:
        return f"{sum(abs(source.points) for source in sources)} points"
    return f"{sum(source.points for source in sources):+d}"


def _sources(
    heading: tuple[str, str],
    tone: TextRole,
    sources: Sequence[ScoreSource],
    marked: Sequence[ScoreSource],
    width: int,
    shown: int,
    *,
    is_brief: bool,
) -> Iterator[Row]:
    yield _heading(*heading, tone, width)
    if not sources:
        yield "nothing", TextRole.DIM
    badge = TextRole.CARD_LIT if tone is TextRole.GOOD else TextRole.CHIP_TWO
    text_width = width - _BADGE_CELLS
    for source in sources[:shown]:
        when = source.turn if source.seq else "from the start"
        place = source.rule if is_brief else f"{when}, {source.rule}"
        lines = textwrap.wrap(f"{source.text} ({place})", text_width - 2)
        key = str(marked.index(source) + 1) if source in marked else " "
        for number, line in enumerate(lines):
            head = f"{source.points:>+4} " if not number else ""
            yield (
                (head or " " * 5, badge if head else TextRole.PLAIN),
                (f" {key if not number else ' '} ", TextRole.KEY),
                (line, TextRole.PLAIN),
            )
    rest = sources[shown:]
    if rest:
        points = sum(source.points for source in rest)
        yield (
            (f"{points:>+4} ", TextRole.DIM),
            (f"   {len(rest)} more", TextRole.DIM),
        )


def _battle(summary: GameSummary, width: int, *, has_keys: bool) -> Iterator[Row]:
    battle = summary.battle
    if battle is None:
        return
    key = "Enter watches it" if has_keys else f"record {battle.seq}"
    yield _heading("The battle that decided it", key, TextRole.WARN, width)
    swing = f", worth {battle.swing}" if battle.swing else ""
    title = f"{battle.title}, {battle.turn}{swing}"
    yield from ((line, TextRole.HEAD) for line in textwrap.wrap(title, width))
    yield from _battle_sides(battle, width)
    for sentence in battle.sentences[-_MAX_BATTLE_LINES:]:
        yield from textwrap.wrap(sentence, width)


def _battle_sides(battle: DecisiveBattle, width: int) -> Iterator[Row]:
    for (name, units), tone in zip(
        battle.sides, (TextRole.SIDE_ONE, TextRole.SIDE_TWO), strict=False
    ):
        named = ", ".join(units[:_MAX_UNITS])
        more = f", {len(units) - _MAX_UNITS} more" if len(units) > _MAX_UNITS else ""
        text = f"{name}: {named}{more}" if units else name
        yield from ((line, tone) for line in textwrap.wrap(text, width))
