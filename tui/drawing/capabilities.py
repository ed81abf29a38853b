"""Detects the terminal's capabilities from environment variables, without querying the terminal."""

from collections.abc import Mapping
from enum import Enum, IntEnum, auto
from typing import Final

import msgspec

# DEC's video terminals, which support no colours and no Unicode.
_MONOCHROME_TERMS: Final = ("vt52", "vt100", "vt102", "vt125", "vt220", "vt320", "vt420")
_TRUE_COLOUR_VALUES: Final = ("truecolor", "24bit")
_TRUE_TERMS: Final = ("direct", "kitty", "alacritty", "foot", "ghostty", "wezterm")
_SSH_VARIABLES: Final = ("SSH_CONNECTION", "SSH_TTY")
_MULTIPLEXERS: Final = ("tmux", "screen")
_TITLED_TERMS: Final = (
    *_MULTIPLEXERS,
    "xterm",
    "rxvt",
    "foot",
    "alacritty",
    "kitty",
    "wezterm",
    "ghostty",
    "konsole",
    "gnome",
    "vte",
    "st-",
    "putty",
    "mintty",
)
_OSC_9_PROGRAMS: Final = ("iterm.app", "wezterm", "ghostty")
_OSC_9_TERMS: Final = ("kitty", "wezterm", "ghostty")
_OSC_777_TERMS: Final = ("foot", "rxvt-unicode")
_256_COLOURS: Final = "256color"
_DUMB_TERMS: Final = ("", "dumb", "unknown", "emacs")
_COERCED_LOCALE: Final = "C.UTF-8"
"""Python sets ``LC_CTYPE`` to this value if the locale is plain C (PEP 538), so it does not describe the terminal."""
_ASCII_LOCALES: Final = (None, "", "C", "POSIX")
MIN_COLUMNS: Final = 80
MIN_ROWS: Final = 24
"""Minimum number of rows. On a smaller terminal, a notice covers the screens."""


class Depth(IntEnum):
    """The colour depth of a terminal."""

    NONE = 0
    SIXTEEN = 1
    MANY = 2
    """256 fixed colours."""
    TRUE = 3


class Notification(Enum):
    """The escape sequence that makes a terminal show a desktop notification."""

    NONE = auto()
    OSC_9 = auto()
    OSC_777 = auto()


class Terminal(msgspec.Struct, frozen=True, kw_only=True):
    """The capabilities of a terminal."""

    dumb: bool
    """True if the terminal cannot position the cursor. Only line-by-line play then works."""
    depth: Depth
    unicode: bool
    """True if the terminal can show characters beyond ASCII."""
    has_title: bool = False
    """True if programs can set the window title."""
    notification: Notification = Notification.NONE
    is_remote: bool = False
    """True if the terminal is connected over SSH. Output should then be kept small."""


def _is_unicode(environ: Mapping[str, str], term: str) -> bool:
    if term in _MONOCHROME_TERMS:
        return False
    if (
        not environ.get("LC_ALL")
        and environ.get("LC_CTYPE") == _COERCED_LOCALE
        and environ.get("LANG") in _ASCII_LOCALES
    ):
        return False
    # POSIX defines this order of precedence: the first variable that is set decides.
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environ.get(name, "")
        if value:
            return "utf-8" in value.lower() or "utf8" in value.lower()
    return False


def _depth(environ: Mapping[str, str], term: str) -> Depth:
    if environ.get("NO_COLOR") or term in _MONOCHROME_TERMS:
        return Depth.NONE
    if environ.get("COLORTERM", "").lower() in _TRUE_COLOUR_VALUES or any(
        name in term for name in _TRUE_TERMS
    ):
        return Depth.TRUE
    return Depth.MANY if _256_COLOURS in term else Depth.SIXTEEN


def _has_title(term: str) -> bool:
    return term.startswith(_TITLED_TERMS) and term not in _MONOCHROME_TERMS


def _notification(environ: Mapping[str, str], term: str) -> Notification:
    """Guess from a terminal's name which notification sequence it supports.

    Multiplexers do not forward such sequences.
    """
    if term.startswith(_MULTIPLEXERS):
        return Notification.NONE
    program = environ.get("TERM_PROGRAM", "").lower()
    if program in _OSC_9_PROGRAMS or any(name in term for name in _OSC_9_TERMS):
        return Notification.OSC_9
    if term.startswith(_OSC_777_TERMS) or environ.get("VTE_VERSION"):
        return Notification.OSC_777
    return Notification.NONE


def detect_terminal(environ: Mapping[str, str]) -> Terminal:
    """Detect the terminal's capabilities from environment variables.

    ``NO_COLOR`` means monochrome. If it is not set, ``COLORTERM`` and ``TERM`` determine the colours. If the first of
    ``LC_ALL``, ``LC_CTYPE`` and ``LANG`` that is set does not name UTF-8, only ASCII is used.
    """
    term = environ.get("TERM", "").lower()
    return Terminal(
        dumb=term in _DUMB_TERMS,
        depth=_depth(environ, term),
        unicode=_is_unicode(environ, term),
        has_title=_has_title(term),
        notification=_notification(environ, term),
        is_remote=any(environ.get(name) for name in _SSH_VARIABLES),
    )
