"""Computes the match clocks: the time control, and each role's remaining time after a copy's last record.

Only the host measures time. Its records contain the time that each role spent on decisions. The time left is computed
from those records and the header, so every copy shows the same clocks.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role

Seconds = Annotated[int, msgspec.Meta(ge=0, le=366 * 86_400)]


class Clock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match's time control."""

    per: Literal["decision", "game", "move"]
    """``decision``: the time resets after every command, no matter who gave it.

    ``game``: each role has one time budget for the whole game. ``move``: each of the player's own commands adds time,
    up to ``most``. This mode is meant for games that last several days.
    """
    seconds: Annotated[int, msgspec.Meta(ge=1, le=366 * 86_400)]
    """Every role's initial time."""
    more: Seconds = 0
    """Time added after each of the player's own commands."""
    most: Seconds = 0
    """Cap on the time a player can save up, in seconds; 0 means no cap."""
    flag: Literal["told", "loses"] = "told"
    """What happens when a role runs out of time.

    With ``told``, the timeout is only reported. With ``loses``, the role's side loses.
    """

    def after_command(self, left: int) -> int:
        """Add the increment for one command to the remaining milliseconds, and cap the result."""
        left += self.more * 1000
        return min(left, self.most * 1000) if self.most else left


class PlayerClocks:
    """Each role's remaining time, in milliseconds."""

    def __init__(self, clock: Clock, roles: Sequence[Role]) -> None:
        """Give every role the initial time."""
        self.clock = clock
        self.left: dict[Role, int] = dict.fromkeys(roles, clock.seconds * 1000)
        """Remaining milliseconds by role; negative once a role has exceeded its time."""
        self._left_before = dict(self.left)
        """Each role's remaining time before the last event's increment or reset."""
        self._last_giver: Role | None = None
        """The role that gave the last event's command; None if the event was not a command."""

    def deduct(self, spent: Mapping[Role, int], *, until_last: bool = False) -> None:
        """Deduct the time that roles spent on decisions.

        Args:
            spent: Milliseconds per role.
            until_last: True if the roles spent the time before the last event, False if they spent it afterwards.
        """
        # Deduct the time from the clocks as they were before the last event, then add that event's
        # increment and apply the cap again.
        if until_last:
            self.left = dict(self._left_before)
        for role, milliseconds in spent.items():
            if (
                role in self.left
            ):  # A forged record may name unknown roles. Verification reports them.
                self.left[role] -= milliseconds
        if until_last:
            self._add_time()

    def end_turn(self, giver: Role | None) -> None:
        """Apply the time control after an event that can end a turn.

        ``giver`` is the role that gave the command; None if the event was not a command.
        """
        self._left_before, self._last_giver = dict(self.left), giver
        self._add_time()

    def _add_time(self) -> None:
        if self.clock.per == "decision":
            self.left = dict.fromkeys(self.left, self.clock.seconds * 1000)
        elif self._last_giver is not None and self._last_giver in self.left:
            self.left[self._last_giver] = self.clock.after_command(self.left[self._last_giver])


_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION_PATTERN: Final = r"(\d{1,6})([smhd])"
_CLOCK_PATTERN: Final = re.compile(
    rf"{_DURATION_PATTERN}(?:\+{_DURATION_PATTERN})?(?:/{_DURATION_PATTERN})?"
)
_MAXIMUM_EXAMPLE: Final = "60m+30s/90m or 3d/10d"
SYNTAX: Final = "30s per decision, 60m+30s for the whole game, or 3d or 3d/10d per move"


def parse_clock(text: str, flag: str = "told") -> Clock:
    """Parse a clock setting as typed by a player.

    ``30s`` gives 30 seconds per decision. ``60m+30s`` gives an hour for the whole game, plus 30 seconds after each of
    the player's own commands; ``60m+0s`` adds nothing. ``3d`` gives three days per move, and ``3d/10d`` lets a player
    save up to ten days.

    Raises:
        DataError: The text is not a valid clock setting.
    """
    match = _CLOCK_PATTERN.fullmatch("".join(text.split()).lower())
    if match is None or flag not in {"told", "loses"}:
        raise DataError("clock", "", f"'{text}' is not a clock; write {SYNTAX}")
    initial, increment, maximum = (
        _seconds(*match.groups()[group : group + 2]) for group in (0, 2, 4)
    )
    is_days = match.group(2) == "d"
    try:
        if increment is not None:
            fields = {"per": "game", "seconds": initial, "more": increment, "most": maximum or 0}
        elif is_days:
            fields = {
                "per": "move",
                "seconds": initial,
                "more": initial,
                "most": maximum or initial,
            }
        elif maximum is None:
            fields = {"per": "decision", "seconds": initial}
        else:
            raise DataError(
                "clock", "", f"'{text}' has a maximum but adds no time; write {_MAXIMUM_EXAMPLE}"
            )
        if maximum is not None and initial is not None and maximum < initial:
            raise DataError(
                "clock",
                "",
                f"the maximum cannot be shorter than the initial time; write {_MAXIMUM_EXAMPLE}",
            )
        return msgspec.convert({**fields, "flag": flag}, Clock)
    except msgspec.ValidationError as error:
        raise DataError("clock", "", f"'{text}' is too long or too short for a clock") from error


def parse_duration(text: str) -> int:
    """Convert a duration such as ``90s``, ``30m``, ``12h`` or ``3d`` to seconds.

    Raises:
        DataError: The text is not a duration.
    """
    match = re.fullmatch(_DURATION_PATTERN, "".join(text.split()).lower())
    if match is None:
        raise DataError("time", "", f"'{text}' is not a duration; write 90s, 30m, 12h or 3d")
    return int(match[1]) * _UNITS[match[2]]


def _seconds(number: str | None, unit: str | None) -> int | None:
    return None if number is None or unit is None else int(number) * _UNITS[unit]


def describe_clock(clock: Clock) -> str:
    """Describe a time control for the player, without a trailing full stop."""
    initial, increment, maximum = (
        format_duration(seconds) for seconds in (clock.seconds, clock.more, clock.most)
    )
    match clock.per:
        case "decision":
            words = f"{initial} for each decision"
        case "game":
            words = f"{initial} for the game" + (
                f", {increment} more for each command" if clock.more else ""
            )
        case "move":
            words = f"{initial} for each move"
    if clock.most > clock.seconds:
        words += f", saving up to {maximum}"
    return words + ("; whoever runs out of time loses" if clock.flag == "loses" else "")


def _format_seconds(seconds: int) -> str:
    # Zero is a multiple of every unit and would otherwise be shown in days.
    unit = next(unit for unit in "dhms" if seconds % _UNITS[unit] == 0) if seconds else "s"
    return f"{seconds // _UNITS[unit]}{unit}"


_UNIT_NAMES: Final = {"d": ("day", "days"), "h": ("h", "h"), "m": ("min", "min"), "s": ("s", "s")}


def format_duration(seconds: int) -> str:
    """Format a duration in its largest whole unit, such as ``3 days``."""
    compact = _format_seconds(seconds)
    singular, plural = _UNIT_NAMES[compact[-1]]
    return f"{compact[:-1]} {singular if compact[:-1] == '1' else plural}"


def format_remaining(milliseconds: int) -> str:
    """Format remaining time for display: ``2d 03h``, ``1:02:03`` or ``4:05``. A negative time has a minus sign."""
    sign, seconds = ("-", -milliseconds // 1000) if milliseconds < 0 else ("", milliseconds // 1000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{sign}{days}d {hour:02}h"
    return f"{sign}{hours}:{minute:02}:{second:02}" if hours else f"{sign}{minutes}:{second:02}"
