"""Colours for hex details and log lines: losses, dice, points, and the actions of each side."""

from typing import Final

from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import Row
from tui.text.log_style import log_tones

_LINE_PATTERNS: Final = (
    (
        r"\blost\b|\bsunk\b|is no more|shot down|destroyed|\bhits?\b|\bfires?\b|[Cc]rash|inoperative",
        TextRole.BAD,
    ),
    (r"^The turn|^Phase |:$", TextRole.HEAD),
    (r"\bdie \d|\bdie for\b", TextRole.WARN),
    (r"\bVP\b|can meet", TextRole.GOOD),
    (r"^\s*(Forces? |Raid |The chit|Guam|Japanese|alone:|oiler)", TextRole.SHADE_TWO),
    (r"^\s*(TG |TF |Strike |Intercept |CAP |Search |US |Submarine)", TextRole.SHADE_ONE),
    (r"^zone ", TextRole.DIM),
)

log_tone: Final = log_tones(_LINE_PATTERNS)
"""Returns the tone of a log sentence: for a loss, a heading, dice, points, or the side that acts."""


def hex_rows(lines: tuple[str, ...]) -> tuple[Row, ...]:
    """Add tones to the lines that describe a hex. The first line is the title."""
    return (*lines[:1], *((line, log_tone(line)) for line in lines[1:]))
