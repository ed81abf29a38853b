"""Defines clock readings, and formats them for display."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.kernel.ids import Role
from saves.clocks import format_remaining


class ClockReading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One role's clock."""

    role: Role
    left_ms: int
    """Time left in milliseconds; negative once the role has exceeded its time."""
    runs: bool


def format_clock_readings(
    readings: Sequence[ClockReading],
    titles: Mapping[str, str],
    own_roles: Sequence[Role] = (),
    *,
    is_brief: bool = False,
) -> str:
    """Format the clocks as one line, with a star for each running clock; empty if the match has no clocks.

    Args:
        readings: All clocks.
        titles: Display names of the roles.
        own_roles: The player's own roles.
        is_brief: Include only the player's own clocks and running clocks.
    """
    shown_readings = [
        clock_reading
        for clock_reading in readings
        if not is_brief or clock_reading.runs or clock_reading.role in own_roles
    ]
    return "  ".join(
        f"{titles.get(clock_reading.role, clock_reading.role.title())}{'*' if clock_reading.runs else ''} "
        f"{format_remaining(clock_reading.left_ms)}"
        for clock_reading in shown_readings
    )
