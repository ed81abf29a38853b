"""The current readings of a match's clocks."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.kernel.ids import Role
from saves.clocks import format_remaining


class ClockReading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One role's clock."""

    role: Role
    left_ms: int
    """Time left, in milliseconds; negative once the player has exceeded the limit."""
    runs: bool


def format_clock_readings(
    readings: Sequence[ClockReading],
    titles: Mapping[str, str],
    mine: Sequence[Role] = (),
    *,
    few: bool = False,
) -> str:
    """Format the clocks as one line, marking running clocks with a star; empty if there are no clocks.

    Args:
        readings: All clocks.
        titles: Display names of the roles.
        mine: The player's own roles.
        few: Include only the player's own clocks and running clocks.
    """
    shown = [dial for dial in readings if not few or dial.runs or dial.role in mine]
    return "  ".join(
        f"{titles.get(dial.role, dial.role.title())}{'*' if dial.runs else ''} {format_remaining(dial.left_ms)}"
        for dial in shown
    )
