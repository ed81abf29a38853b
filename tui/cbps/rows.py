"""A hex and the log with their tones: losses, charts read, what each side does."""

from typing import Final

from tui.logtone import log_tones
from tui.ribbon import Row
from tui.tones import Tone

_FAMILIES: Final = (
    (
        r"\blost\b|\bsunk\b|is no more|shot down|destroyed|\bhits?\b|\bfires?\b|[Cc]rash|inoperative",
        Tone.BAD,
    ),
    (r"^The turn|^Phase |:$", Tone.HEAD),
    (r"\bdie \d|\bdie for\b", Tone.WARN),
    (r"\bVP\b|can meet", Tone.GOOD),
    (r"^\s*(Forces? |Raid |The chit|Guam|Japanese|alone:|oiler)", Tone.SHADE_TWO),
    (r"^\s*(TG |TF |Strike |Intercept |CAP |Search |US |Submarine)", Tone.SHADE_ONE),
    (r"^zone ", Tone.DIM),
)

log_tone: Final = log_tones(_FAMILIES)
"""Losses, headings, charts with their dice, points, what a side does."""


def toned(lines: tuple[str, ...]) -> tuple[Row, ...]:
    """Return lines about a hex with their tones; the first is its title."""
    return (*lines[:1], *((line, log_tone(line)) for line in lines[1:]))
