"""How a host holds its matches: the same for all its processes."""

import msgspec

from netplay.lateness import NOT_LATE, Lateness
from netplay.pace import WINDOW_SECONDS
from play.thinking import SECONDS


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How matches are held, by all processes of a host alike."""

    window_seconds: float = WINDOW_SECONDS
    """How long every seat holds back the answer of a response window."""
    bot_pause: float = 0.0
    """Seconds that a bot waits before each command."""
    bot_seconds: float = SECONDS
    """How long a bot that looks ahead may think about an answer."""
    lateness: Lateness = NOT_LATE
    """How late spectators are told what was kept; the end of a match tells them everything."""
    remind: tuple[str, ...] = ()
    """Command that calls a player who is away to his turn, by its words; empty calls nobody."""
