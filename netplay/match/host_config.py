"""Defines the host settings that apply to all matches."""

import msgspec

from netplay.feed.spectator_delay import NO_DELAY, SpectatorDelay
from netplay.wire.answer_delay import WINDOW_SECONDS
from play.bot_process import DEFAULT_SECONDS


class HostConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that all processes of a host share."""

    window_seconds: float = WINDOW_SECONDS
    """Minimum delay in seconds before the answer to a response window is sent."""
    bot_pause: float = 0.0
    """Delay in seconds before each bot command."""
    bot_seconds: float = DEFAULT_SECONDS
    """Maximum time in seconds that a bot with lookahead may spend on one decision."""
    lateness: SpectatorDelay = NO_DELAY
    """The spectator delay. Spectators see everything when a match ends."""
    remind: tuple[str, ...] = ()
    """Command, split into words, that reminds absent players of their turn; empty for no reminders."""
