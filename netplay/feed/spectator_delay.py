"""Defines and measures the spectator delay, in seconds or in turns."""

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from engine.kernel.errors import DataError
from saves.match import Match

_UNITS: Final = {"": 60.0, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_DURATION: Final = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)([smhd]?)")
_TURNS: Final = re.compile(r"(\d{1,3})(?:t|turns?)")
_MAX_SECONDS: Final = 366 * 86_400.0


class SpectatorDelay(msgspec.Struct, frozen=True, kw_only=True):
    """The delay before spectators see a record. By default, there is no delay."""

    seconds: float = 0.0
    turns: int = 0
    """Delay in game turns. If it is not 0, ``seconds`` is ignored."""

    @property
    def amount(self) -> float:
        """Return the delay: in turns if ``turns`` is set, otherwise in seconds."""
        return self.turns or self.seconds


NO_DELAY: Final = SpectatorDelay()


def parse_delay(text: str) -> SpectatorDelay:
    """Parse a delay: ``30`` or ``30m`` for minutes, ``45s``, ``2h``, ``1d``, or ``2t`` for turns.

    Raises:
        DataError: The text is not a delay, or the delay is longer than a year.
    """
    normalised = "".join(text.split()).lower()
    turns = _TURNS.fullmatch(normalised)
    if turns is not None:
        return SpectatorDelay(turns=int(turns[1]))
    duration = _DURATION.fullmatch(normalised)
    if duration is None:
        raise DataError(
            "delay", "", f"'{text}' is not a delay; write 30m, 2h or 1d, or 2t for two turns"
        )
    seconds = float(duration[1]) * _UNITS[duration[2]]
    if seconds > _MAX_SECONDS:
        raise DataError("delay", "", f"'{text}' is longer than a year")
    return SpectatorDelay(seconds=seconds)


def delay_clock(
    delay: SpectatorDelay, match: Match[Any], now: Callable[[], float]
) -> Callable[[], float]:
    """Return the clock that measures the delay, which counts either seconds or the match's turns."""
    return turn_count(match) if delay.turns else now


def turn_count(match: Match[Any]) -> Callable[[], float]:
    """Return a function that counts the match's turns from 0 and returns the number of the current turn.

    A turn that is repeated after a takeback keeps its number.
    """
    turn_numbers: dict[str, int] = {}

    def current_number() -> float:
        return turn_numbers.setdefault(match.ruleset.turn_name(match.state), len(turn_numbers))

    return current_number
