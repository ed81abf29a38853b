"""Colours in space descriptions and log sentences, for example for countries, losses and points."""

from typing import Final

from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row
from tui.qmg.index import Index
from tui.qmg.panels.page_texts import space_lines
from tui.qmg.panels.status_bar import COUNTRY_CHIPS
from tui.text.log_style import log_tones

log_tone: Final = log_tones(
    (
        (r"is eliminated|is removed|and removed|is out of supply|loses?\b", TextRole.BAD),
        (r"^Round \d+|:$|'s turn|^The turn", TextRole.HEAD),
        (r"\bVP\b|victory point", TextRole.GOOD),
        (r"^(Germany|Italy|Japan|The Axis)\b", TextRole.SHADE_TWO),
        (r"^(The UK|The USSR|The USA|The Allies|France|China)\b", TextRole.SHADE_ONE),
    )
)
"""Returns the tone of a log sentence, such as a loss, a heading, points, or a side's action."""


def space_rows(index: Index, name: str) -> tuple[Row, ...]:
    """Describe a space, with one row per piece in its country's colour."""
    if name not in SPACE:
        return space_lines(index, name)
    first_line, *lines = space_lines(index, name)
    pieces = index.pieces(name)
    rows: list[Row] = [(first_line, TextRole.DIM)]
    for piece in pieces:
        tone = COUNTRY_CHIPS.get(piece.force, TextRole.CHIP_NEUTRAL)
        note = "" if piece.is_supplied else " out of supply"
        rows.append(((f" {say.piece_name(piece.force, piece.kind)} ", tone), (note, TextRole.WARN)))
    return (*rows, *((line, TextRole.PLAIN) for line in lines[len(pieces) or 1 :]))
