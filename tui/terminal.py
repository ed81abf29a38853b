"""What the terminal can show, told from its environment alone."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

_MONOCHROME_TERMS: Final = ("vt52", "vt100", "vt102", "vt125", "vt220", "vt320", "vt420")
_DUMB_TERMS: Final = ("", "dumb", "unknown", "emacs")
_COERCED: Final = "C.UTF-8"
"""What the interpreter itself writes into ``LC_CTYPE`` when the locale is plain C; it says nothing of the terminal."""
_ASCII_LOCALES: Final = (None, "", "C", "POSIX")
MIN_COLUMNS: Final = 80
MIN_ROWS: Final = 24
"""Below this size the screens show one sentence and wait."""


class PaletteName(StrEnum):
    """The palettes a player can choose."""

    COLOUR = "colour"
    COLOUR_BLIND = "colour-blind"
    MONOCHROME = "monochrome"


class Terminal(msgspec.Struct, frozen=True, kw_only=True):
    """Abilities of one terminal."""

    dumb: bool
    """It cannot place the cursor: only line-by-line play works."""
    colours: bool
    unicode: bool
    """Letters and lines beyond ASCII can be shown."""


def _is_unicode(environ: Mapping[str, str], term: str) -> bool:
    if term in _MONOCHROME_TERMS:
        return False
    if (
        not environ.get("LC_ALL")
        and environ.get("LC_CTYPE") == _COERCED
        and environ.get("LANG") in _ASCII_LOCALES
    ):
        return False
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environ.get(name, "")
        if value:
            return "utf-8" in value.lower() or "utf8" in value.lower()
    return False


def detect(environ: Mapping[str, str]) -> Terminal:
    """Return what the terminal of this environment can show.

    A set ``NO_COLOR`` means monochrome; no UTF-8 in ``LC_ALL``, ``LC_CTYPE`` or ``LANG`` means ASCII only.
    """
    term = environ.get("TERM", "").lower()
    return Terminal(
        dumb=term in _DUMB_TERMS,
        colours="NO_COLOR" not in environ and term not in _MONOCHROME_TERMS,
        unicode=_is_unicode(environ, term),
    )
