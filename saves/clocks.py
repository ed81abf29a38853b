"""Clocks of a match: how much time each role has, and what is left after the records of a copy.

The host measures; its record says how long each role was asked before what came next. What is left follows from that
and from the header alone, so that every copy tells the same times.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role

Seconds = Annotated[int, msgspec.Meta(ge=0, le=366 * 86_400)]


class Clock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much time each role has."""

    per: Literal["decision", "game", "move"]
    """``decision``: the time begins anew with every command of anybody. ``game``: it lasts for the whole game.
    ``move``: each own command adds to it, up to the most; for play over days."""
    seconds: Annotated[int, msgspec.Meta(ge=1, le=366 * 86_400)]
    """What everybody begins with."""
    more: Seconds = 0
    """Added by each own command."""
    most: Seconds = 0
    """No own command brings it above this; 0 for no limit."""
    flag: Literal["told", "loses"] = "told"
    """What happens to whose time is up: it is told, or his side loses."""

    def after_command(self, left: int) -> int:
        """Return what is left of so many milliseconds after an own command."""
        left += self.more * 1000
        return min(left, self.most * 1000) if self.most else left


class Dials:
    """What is left for each role, in milliseconds."""

    def __init__(self, clock: Clock, roles: Sequence[Role]) -> None:
        """Give everybody the time to begin with."""
        self.clock = clock
        self.left: dict[Role, int] = dict.fromkeys(roles, clock.seconds * 1000)
        """Below 0 by how much the time is over."""
        self._before = dict(self.left)
        """What was left before the last event, without the time up to it."""
        self._last: Role | None = None
        """Who gave the command of the last event; None where it was none."""

    def spend(self, spent: Mapping[Role, int], *, until_last: bool = False) -> None:
        """Take milliseconds away that roles were asked.

        Args:
            spent: How long each was.
            until_last: Up to the last event; else up to now.
        """
        if until_last:
            self.left = dict(self._before)
        for role, milliseconds in spent.items():
            if role in self.left:  # a forged record may name another role; its verdict says so
                self.left[role] -= milliseconds
        if until_last:
            self._wind()

    def passed(self, giver: Role | None) -> None:
        """Take in an event that may end a time: a command of somebody, or another one."""
        self._before, self._last = dict(self.left), giver
        self._wind()

    def _wind(self) -> None:
        if self.clock.per == "decision":
            self.left = dict.fromkeys(self.left, self.clock.seconds * 1000)
        elif self._last is not None and self._last in self.left:
            self.left[self._last] = self.clock.after_command(self.left[self._last])


_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_TIME: Final = r"(\d{1,6})([smhd])"
_CLOCK: Final = re.compile(rf"{_TIME}(?:\+{_TIME})?(?:/{_TIME})?")
_SAVED: Final = "60m+30s/90m or 3d/10d"
SYNTAX: Final = "30s for each decision, 60m+30s for the game, 3d or 3d/10d for each move over days"


def parse_clock(text: str, flag: str = "told") -> Clock:
    """Return the clock that a player writes.

    ``30s`` (or minutes, hours) is for each decision. ``60m+30s`` is for the game, with 30 s more for each own command;
    ``60m+0s`` with nothing more. ``3d`` is three days for each move; of ``3d/10d`` what is left is saved up to ten.

    Raises:
        DataError: It is no clock.
    """
    found = _CLOCK.fullmatch("".join(text.split()).lower())
    if found is None or flag not in {"told", "loses"}:
        raise DataError("clock", "", f"'{text}' is no clock; write {SYNTAX}")
    first, more, most = (_seconds(*found.groups()[at : at + 2]) for at in (0, 2, 4))
    is_days = found.group(2) == "d"
    try:
        if more is not None:
            plain = {"per": "game", "seconds": first, "more": more, "most": most or 0}
        elif is_days:
            plain = {"per": "move", "seconds": first, "more": first, "most": most or first}
        elif most is None:
            plain = {"per": "decision", "seconds": first}
        else:
            raise DataError(
                "clock", "", f"'{text}' saves up time without a time to add; write {_SAVED}"
            )
        if most is not None and first is not None and most < first:
            raise DataError(
                "clock", "", f"the time saved up cannot be shorter than the first; write {_SAVED}"
            )
        return msgspec.convert({**plain, "flag": flag}, Clock)
    except msgspec.ValidationError as error:
        raise DataError("clock", "", f"'{text}' is too long or too short for a clock") from error


def parse_span(text: str) -> int:
    """Return the seconds of a time such as ``90s``, ``30m``, ``12h`` or ``3d``.

    Raises:
        DataError: It is no time.
    """
    found = re.fullmatch(_TIME, "".join(text.split()).lower())
    if found is None:
        raise DataError("time", "", f"'{text}' is no time; write 90s, 30m, 12h or 3d")
    return int(found[1]) * _UNITS[found[2]]


def _seconds(number: str | None, unit: str | None) -> int | None:
    return None if number is None or unit is None else int(number) * _UNITS[unit]


def clock_words(clock: Clock) -> str:
    """Return a clock in one sentence without its end."""
    first, more, most = (span(each) for each in (clock.seconds, clock.more, clock.most))
    match clock.per:
        case "decision":
            told = f"{first} for each decision"
        case "game":
            told = f"{first} for the game" + (
                f", {more} more for each command" if clock.more else ""
            )
        case "move":
            told = f"{first} for each move"
    if clock.most > clock.seconds:
        told += f", saved up to {most}"
    return told + ("; whoever runs out of time loses" if clock.flag == "loses" else "")


def clock_text(clock: Clock) -> str:
    """Return a clock as a player writes it."""
    first, more, most = (_written(each) for each in (clock.seconds, clock.more, clock.most))
    if clock.per == "game":
        return f"{first}+{more}" + (f"/{most}" if clock.most else "")
    return first + (f"/{most}" if clock.most > clock.seconds else "")


def _written(seconds: int) -> str:
    unit = next(unit for unit in "dhms" if seconds % _UNITS[unit] == 0) if seconds else "s"
    return f"{seconds // _UNITS[unit]}{unit}"


_WORDS: Final = {"d": ("day", "days"), "h": ("h", "h"), "m": ("min", "min"), "s": ("s", "s")}


def span(seconds: int) -> str:
    """Return a length of time in its largest whole unit."""
    written = _written(seconds)
    one, several = _WORDS[written[-1]]
    return f"{written[:-1]} {one if written[:-1] == '1' else several}"


def face(milliseconds: int) -> str:
    """Return what a clock shows: ``2d 03h``, ``1:02:03``, ``4:05``, with a minus where the time is over."""
    sign, seconds = ("-", -milliseconds // 1000) if milliseconds < 0 else ("", milliseconds // 1000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{sign}{days}d {hour:02}h"
    return f"{sign}{hours}:{minute:02}:{second:02}" if hours else f"{sign}{minutes}:{second:02}"
