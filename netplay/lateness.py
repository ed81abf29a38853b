"""How late spectators are told what happens: so long afterwards, or so many turns."""

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from engine.kernel.errors import DataError
from saves.match import Match

_UNITS: Final = {"": 60.0, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_LATENESS: Final = re.compile(r"(\d{1,5}(?:\.\d{1,3})?)([smhd]?)")
_TURNS: Final = re.compile(r"(\d{1,3})(?:t|turns?)")
_LONGEST: Final = 366 * 86_400.0


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """How late they are told; not at all by default."""

    seconds: float = 0.0
    turns: int = 0
    """Turns of the game that must have begun since; where it is not 0, seconds do not count."""

    @property
    def amount(self) -> float:
        """Return how much the clock that counts must have gone on."""
        return self.turns or self.seconds


NOT_LATE: Final = Lateness()


def parse_lateness(text: str) -> Lateness:
    """Return the delay that a host writes: ``30`` or ``30m`` minutes, ``45s``, ``2h``, ``1d``, or ``2t`` turns.

    Raises:
        DataError: It is none.
    """
    words = "".join(text.split()).lower()
    turns = _TURNS.fullmatch(words)
    if turns is not None:
        return Lateness(turns=int(turns[1]))
    found = _LATENESS.fullmatch(words)
    if found is None:
        raise DataError(
            "delay", "", f"'{text}' is no delay; write 30m, 2h or 1d, or 2t for two turns"
        )
    seconds = float(found[1]) * _UNITS[found[2]]
    if seconds > _LONGEST:
        raise DataError("delay", "", f"'{text}' is longer than a year")
    return Lateness(seconds=seconds)


def clock_of(
    lateness: Lateness, match: Match[Any], now: Callable[[], float]
) -> Callable[[], float]:
    """Return the clock by which a delay is counted: the steady one, in seconds, or the turns of a match."""
    return turn_count(match) if lateness.turns else now


def turn_count(match: Match[Any]) -> Callable[[], float]:
    """Return what tells the number of the present turn, 0 for the one in which it was asked first.

    A turn that a takeback comes back to has its number again.
    """
    numbers: dict[str, int] = {}

    def count() -> float:
        return numbers.setdefault(match.ruleset.turn(match.state), len(numbers))

    return count
