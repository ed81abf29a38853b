"""Positions a place's text: the longest form of its name that fits, and as many pieces as fit below it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from tui.maps.areamap.geometry import CellRun, ChartLayout
from tui.maps.areamap.scene import Arm, Token

_MAX_USEFUL_SPARE: Final = 6
"""Maximum number of spare cells that count in a position's score. If this number is reached, the name is centred."""


class _NameSpace(NamedTuple):
    """The space to leave free around a name."""

    margin: int
    """Number of cells to leave free before the name."""
    tags: int
    """Number of cells to leave free after the name, for a star and a mark."""
    has_chips: bool = True
    """True if the line below the name must be wide enough for a piece."""


_ROOMY_SPACES: Final = (_NameSpace(1, 2), _NameSpace(1, 1))
_TIGHT_SPACES: Final = (
    _NameSpace(0, 1),
    _NameSpace(1, 0),
    _NameSpace(0, 0),
    _NameSpace(0, 0, has_chips=False),
)
_WIDE_RATIO: Final = 1.5
"""A map is narrow if its chart squares are less than this many cells wide (see `place_label`)."""
_CHIP_WIDTH: Final = 3
"""Width, in cells, of the smallest chip that still shows the piece's owner."""
_ARM_SYMBOLS: Final = {
    Arm.LAND: ("■", "□"),
    Arm.SEA: ("▲", "△"),
    Arm.AIR: ("◆", "◇"),
}
"""Symbols for each type of piece: in supply, then out of supply."""
_UNSUPPLIED_MARK: Final = "!"
_MORE_MARK: Final = "+"


class PlaceLabel(NamedTuple):
    """The text of a place."""

    lines: tuple[tuple[int, int, str], ...]
    """Column, line and text of each part of the name."""
    piece_runs: tuple[CellRun, ...]
    """Space for pieces, line by line."""

    @property
    def left_column(self) -> int:
        """The column where the name starts."""
        return self.lines[0][0]


def name_foldings(name: str, *, is_flat: bool = False) -> Iterator[tuple[str, ...]]:
    """Yield a name on one line, then on two lines of similar length, then with one word per line."""
    words = name.split(" ")
    yield (name,)
    if is_flat:
        return
    pairs = [(" ".join(words[:index]), " ".join(words[index:])) for index in range(1, len(words))]
    yield from sorted(pairs, key=lambda pair: max(map(len, pair)))
    yield tuple(words)


@lru_cache(1024)
def place_label(
    layout: ChartLayout, place: str, names: tuple[str, ...], *, is_flat: bool = False
) -> PlaceLabel:
    """Position a place's name and pieces.

    Args:
        layout: The chart, drawn at the current size.
        place: The place.
        names: Forms of the place's name in order of preference. A later form is used only if no earlier one fits.
        is_flat: Limit the name to one line. On a narrow map, only the last form of the name may be placed with less
            space around it.
    """
    lines = _widest_runs(layout.runs[place])
    is_narrow = is_flat and layout.width < _WIDE_RATIO * layout.chart.size[0]
    for index, name in enumerate(names):
        is_last = index == len(names) - 1
        for space in (
            _ROOMY_SPACES if is_narrow and not is_last else (*_ROOMY_SPACES, *_TIGHT_SPACES)
        ):
            for name_lines in name_foldings(name, is_flat=is_flat):
                label = _best_position(lines, name_lines, space)
                if label is not None:
                    return label
    first_line = lines[0]
    return PlaceLabel(
        ((first_line.start, first_line.y, names[-1][: first_line.width]),), tuple(lines[1:])
    )


def _widest_runs(runs: Sequence[CellRun]) -> list[CellRun]:
    """Return the widest run of a place on each line."""
    widest_runs: dict[int, CellRun] = {}
    for run in runs:
        if run.y not in widest_runs or run.width > widest_runs[run.y].width:
            widest_runs[run.y] = run
    return list(widest_runs.values())


def _best_position(
    lines: Sequence[CellRun], name_lines: tuple[str, ...], space: _NameSpace
) -> PlaceLabel | None:
    """Return the best position for a name with the required space around it; None if there is no such position."""
    # The tags follow the name's last line, so only this line needs room for them.
    widths = [*map(len, name_lines[:-1]), len(name_lines[-1]) + space.tags]
    candidates = []
    centre = (lines[0].y + lines[-1].y + 1) / 2
    for first_line in range(len(lines) - len(name_lines) + 1):
        name_runs = lines[first_line : first_line + len(name_lines)]
        left_column = max(run.start for run in name_runs)
        spare_cells = min(
            run.stop - left_column - width for run, width in zip(name_runs, widths, strict=True)
        )
        lower_lines = lines[first_line + len(name_lines) :]
        if spare_cells < space.margin or (
            space.has_chips and not _has_room_for_chip(lower_lines[:1], left_column)
        ):
            continue
        shift = spare_cells // 2 if spare_cells >= _MAX_USEFUL_SPARE else space.margin
        distance = abs(name_runs[0].y + (len(name_runs) + 1) / 2 - centre)
        candidates.append(
            (-min(spare_cells, _MAX_USEFUL_SPARE), distance, first_line, left_column + shift)
        )
    if not candidates:
        return None
    *_, first_line, x = min(candidates)
    texts = [(x, run.y, text) for run, text in zip(lines[first_line:], name_lines, strict=False)]
    return PlaceLabel(tuple(texts), tuple(lines[first_line + len(name_lines) :]))


def _has_room_for_chip(lines: Sequence[CellRun], left_column: int) -> bool:
    return any(run.start <= left_column <= run.stop - _CHIP_WIDTH for run in lines)


def _trim_left(runs: Sequence[CellRun], x: int) -> list[CellRun]:
    """Trim runs so that they do not start to the left of the name. Runs that end before the name are unchanged."""
    return [CellRun(run.y, max(run.start, x), run.stop) if run.stop > x else run for run in runs]


# -- pieces


def chip(token: Token, *, is_unicode: bool) -> str:
    """Return a piece as symbol and country: ``■GE``, or in ASCII ``A:ge``. A ``!`` marks a piece out of supply."""
    mark = "" if token.is_supplied else _UNSUPPLIED_MARK
    if is_unicode:
        return f"{_ARM_SYMBOLS[token.arm][not token.is_supplied]}{token.code}{mark}"
    return f"{token.arm.value}:{token.code.lower()}{mark}"


def _shared_chips(
    tokens: Sequence[Token], *, is_unicode: bool
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Return one chip per country, with the symbols of all its pieces: ``■◆UK``, or in ASCII ``AF:uk``."""
    groups: dict[tuple[str, bool], list[Token]] = {}
    for token in tokens:
        groups.setdefault((token.code, token.is_supplied), []).append(token)
    texts = []
    for first_unit, *other_units in groups.values():
        symbols = (
            _ARM_SYMBOLS[token.arm][not token.is_supplied] if is_unicode else token.arm.value
            for token in other_units
        )
        text = chip(first_unit, is_unicode=is_unicode)
        texts.append(f"{text[0]}{''.join(symbols)}{text[1:]}")
    return tuple(group[0] for group in groups.values()), tuple(texts)


def place_pieces(
    tokens: Sequence[Token], label: PlaceLabel, *, is_unicode: bool
) -> list[tuple[int, int, Token, str]]:
    """Return the column, line, piece and text of each chip, with one chip per piece or country, or single letters.

    A ``+`` stands for the pieces that do not fit.
    """
    if not label.piece_runs or not tokens:
        return []
    runs = _trim_left(label.piece_runs, label.left_column)
    chips = tuple(chip(token, is_unicode=is_unicode) for token in tokens)
    for is_in_list, texts in (
        (tuple(tokens), chips),
        _shared_chips(tokens, is_unicode=is_unicode),
    ):
        for lines, gap in ((runs, 1), (runs, 0), (label.piece_runs, 0)):
            positions = _lay_out_texts(is_in_list, texts, lines, gap)
            if positions is not None:
                return positions
    return _letter_positions(tokens, runs)


def _lay_out_texts(
    tokens: Sequence[Token], texts: Sequence[str], runs: Sequence[CellRun], gap: int
) -> list[tuple[int, int, Token, str]] | None:
    """Arrange strings in lines. Return None if they do not all fit."""
    positions = []
    lines = iter(runs)
    run = next(lines)
    x = run.start
    for token, text in zip(tokens, texts, strict=True):
        while x + len(text) > run.stop:
            next_run = next(lines, None)
            if next_run is None:
                return None
            run = next_run
            x = run.start
        positions.append((x, run.y, token, text))
        x += len(text) + gap
    return positions


def _letter_positions(
    tokens: Sequence[Token], runs: Sequence[CellRun]
) -> list[tuple[int, int, Token, str]]:
    """Arrange as many pieces as fit, each shown as a letter."""
    texts = [token.letter for token in tokens]
    positions = _lay_out_texts(tokens, texts, runs, 0)
    count = len(tokens)
    while positions is None and count > 1:
        count -= 1
        shortened_texts = [*texts[: count - 1], texts[count - 1] + _MORE_MARK]
        positions = _lay_out_texts(tokens[:count], shortened_texts, runs, 0)
    return positions or [(runs[0].start, runs[0].y, tokens[0], _MORE_MARK)]
