"""Foreign text made safe for a terminal, a log line and a record (robustness S1).

Foreign text may carry terminal commands, invisible or reordering characters and floods of accents. This module alone
decides what may stay; the screens add widths.
"""

import re
import unicodedata
from typing import Final

CHAT_LIMIT: Final = 300
"""Characters of one chat line after cleaning."""
NAME_LIMIT: Final = 32
"""Characters of a player's name after cleaning."""
REASON_LIMIT: Final = 200
"""Characters of an error sentence that came from another machine."""
RAW_FACTOR: Final = 8
"""Characters looked at per character kept; what lies behind is cut off unread."""
_MARKS_IN_A_ROW: Final = 2
"""Combining marks kept on one letter; no living orthography needs more."""

_SEQUENCE: Final = re.compile(
    r"(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # strings: OSC, DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"  # two-byte sequences, full reset among them
)
_BREAKS: Final = re.compile(r"\r\n|[\n\r\u2028\u2029\x0b\x0c\x85]")
_INVISIBLE_LETTERS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_BLANK_SYMBOLS: Final = frozenset("\u2800")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_MARKS: Final = frozenset({"Mn", "Me", "Mc"})


def clean(text: str, limit: int) -> str:
    """Return the text on one line, without anything that a terminal or a reader could obey.

    Terminal sequences and control, format, surrogate, private and unassigned characters go, direction overrides and
    zero widths among them; so do piled-up accents. White space shrinks to single blanks.

    Args:
        text: Anything, of any length.
        limit: Most characters to return.
    """
    return " ".join(visible(text[: limit * RAW_FACTOR], "").split())[:limit].rstrip()


def visible(text: str, marker: str) -> str:
    """Return the text on one line, with the marker for everything that is not plainly visible."""
    return " ".join(visible_lines(text, marker))


def visible_lines(text: str, marker: str) -> list[str]:
    """Return the text as lines, with the marker for everything that is not plainly visible.

    Args:
        text: Anything at all, lone surrogates included.
        marker: Stands for a terminal sequence as a whole, and for each hidden character; may be empty.
    """
    return [_letters(line, marker) for line in _BREAKS.split(_SEQUENCE.sub(marker, text))]


def _letters(line: str, marker: str) -> str:
    kept: list[str] = []
    marks = _MARKS_IN_A_ROW  # a mark needs a letter before it
    for letter in line:
        if " " <= letter <= "~":
            kept.append(letter)
            marks = 0
            continue
        category = unicodedata.category(letter)
        if category in _MARKS:
            marks += 1
            if marks <= _MARKS_IN_A_ROW:
                kept.append(letter)
            continue
        marks = 0
        if letter == "\t" or category == "Zs" or letter in _BLANK_SYMBOLS:
            kept.append(" ")
        elif category in _HIDDEN or letter in _INVISIBLE_LETTERS or _is_jamo_part(letter):
            kept.append(marker)
        else:
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def _is_jamo_part(letter: str) -> bool:
    """Return whether a letter has no width of its own and joins the one before it."""
    return "\u1160" <= letter <= "\u11ff" or "\ud7b0" <= letter <= "\ud7ff"
