"""Sanitises untrusted text for a terminal, a log line or a record (robustness requirement S1).

Untrusted text may contain terminal commands, invisible or reordering characters, and stacked accents. Only this module
decides which characters are allowed. The screens handle text widths.
"""

import re
import unicodedata
from typing import Final

CHAT_LIMIT: Final = 300
"""Maximum number of characters in a chat line after it has been sanitised."""
NAME_LIMIT: Final = 32
"""Maximum number of characters in a player's name after it has been sanitised."""
REASON_LIMIT: Final = 200
"""Maximum number of characters in an error message from another machine."""
INPUT_FACTOR: Final = 8
"""Maximum number of input characters to examine for each output character. Further input is discarded unread."""
_MAX_MARKS: Final = 2
"""Maximum number of combining marks per letter. No modern script needs more."""

_SEQUENCE: Final = re.compile(
    r"(?:\x1b[PX^_\]]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # Strings: OSC, DCS, SOS, PM, APC.
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"  # Two-byte sequences, including full reset.
)
_BREAKS: Final = re.compile(r"\r\n|[\n\r\u2028\u2029\x0b\x0c\x85]")
_INVISIBLE_LETTERS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_BLANK_SYMBOLS: Final = frozenset("\u2800")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_COMBINING_MARKS: Final = frozenset({"Mn", "Me", "Mc"})


def sanitise(text: str, limit: int) -> str:
    """Return the text as one line, without anything that could affect a terminal or mislead a reader.

    This removes terminal sequences, stacked accents, and control, format, surrogate, private-use and unassigned
    characters, including direction overrides and zero-width characters. Runs of white space
    become single spaces.

    Args:
        text: Any text, of any length.
        limit: Maximum number of characters to return.
    """
    return " ".join(visible(text[: limit * INPUT_FACTOR], "").split())[:limit].rstrip()


def visible(text: str, marker: str) -> str:
    """Return the text as one line, with everything that is not clearly visible replaced by the marker."""
    return " ".join(visible_lines(text, marker))


def visible_lines(text: str, marker: str) -> list[str]:
    """Split the text into lines, with everything that is not clearly visible replaced by the marker.

    Args:
        text: Any text, including lone surrogates.
        marker: The replacement for each terminal sequence and each hidden character; may be empty.
    """
    return [_visible_letters(line, marker) for line in _BREAKS.split(_SEQUENCE.sub(marker, text))]


def _visible_letters(line: str, marker: str) -> str:
    visible: list[str] = []
    marks_left = _MAX_MARKS  # drops marks that no letter precedes
    for letter in line:
        if " " <= letter <= "~":
            visible.append(letter)
            marks_left = 0
            continue
        category = unicodedata.category(letter)
        if category in _COMBINING_MARKS:
            marks_left += 1
            if marks_left <= _MAX_MARKS:
                visible.append(letter)
            continue
        marks_left = 0
        if letter == "\t" or category == "Zs" or letter in _BLANK_SYMBOLS:
            visible.append(" ")
        elif category in _HIDDEN or letter in _INVISIBLE_LETTERS or _is_jamo_part(letter):
            visible.append(marker)
        else:
            visible.append(letter)
    return unicodedata.normalize("NFC", "".join(visible))


def _is_jamo_part(letter: str) -> bool:
    """Return whether a character has no width of its own because it combines with the preceding letter."""
    return "\u1160" <= letter <= "\u11ff" or "\ud7b0" <= letter <= "\ud7ff"
