"""Colours for hex descriptions and log sentences, for example by side, loss or die roll."""

from collections.abc import Iterator
from typing import Final

from engine.eots.counters import counters
from engine.eots.ids import Side
from engine.eots.view import UnitView
from tui.drawing.colour_roles import TextRole
from tui.eots.index import Index
from tui.eots.panels.page_texts import hex_lines
from tui.eots.texts import SIDE_LETTERS, place_name, printed_values, short_name
from tui.panels.status_segments import Row
from tui.text.log_style import log_tones

_CHIPS: Final = {
    Side.ALLIED: (TextRole.CHIP_ONE, TextRole.CHIP_ONE_ACTIVE, TextRole.HOLLOW_ONE),
    Side.JAPAN: (TextRole.CHIP_TWO, TextRole.CHIP_TWO_ACTIVE, TextRole.HOLLOW_TWO),
}
_NAME_WIDTH: Final = 16
"""Width of the name column, in cells. A fixed width keeps the values aligned."""

log_tone: Final = log_tones(
    (
        (
            r"is eliminated|loses? a step|is lost|are lost|surrenders|must retreat|Strength lost",
            TextRole.BAD,
        ),
        (r"\brolls?\b|\bdie\b|\bdice\b", TextRole.WARN),
        (r"^Turn \d+|^Scenario|:$", TextRole.HEAD),
        (r"^Battle|wins? the|is the battle", TextRole.TARGET),
        (r"^(The Allies|The Allied)", TextRole.SHADE_ONE),
        (r"^(Japan|The Japanese)", TextRole.SHADE_TWO),
    )
)
"""Returns the tone of a log sentence, such as a loss, a die roll, a heading, a battle or a side's action."""


def hex_rows(index: Index, hex_id: str) -> tuple[Row, ...]:
    """Describe a hex: its name, a row for each unit with the letter and colour of its side, and the terrain."""
    lines = hex_lines(index, hex_id)
    stacks = index.stacks.get(hex_id, ())
    unit_line_count = sum(1 + len(stack.units) for stack in stacks)
    description = lines[: len(lines) - unit_line_count]
    title, *details = description
    units = (_unit_row(unit, stack.side) for stack in stacks for unit in stack.units)
    if title != place_name(hex_id):  # an unnamed hex: the panel's title already shows its number
        title = title.removeprefix(f"{hex_id} ")
    return (title, *units, *((line, TextRole.DIM) for line in details))


def _unit_row(unit: UnitView, side: Side) -> Row:
    usual, active_role, hollow_role = _CHIPS[side]
    tone = hollow_role if not unit.supplied else active_role if unit.activated else usual
    row = counters()[unit.id]
    return (
        (f" {SIDE_LETTERS[side]} {short_name(unit.id):<{_NAME_WIDTH}}", tone),
        (f" {printed_values(row, unit.steps)}", TextRole.PLAIN),
        (" ".join(("", *_unit_notes(unit))), TextRole.WARN),
    )


def _unit_notes(unit: UnitView) -> Iterator[str]:
    if counters()[unit.id].max_steps > 1 and unit.steps == 1:
        yield "reduced"
    if not unit.supplied:
        yield "unsupplied"
    if unit.moved is not None:
        yield "moved"  # only activated units move
    elif unit.activated:
        yield "activated"
