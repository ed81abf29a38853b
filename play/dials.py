"""What the clocks of a match show now."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.kernel.ids import Role
from saves.clocks import face


class Dial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The clock of one role."""

    role: Role
    left_ms: int
    """Below 0 by how much the time is over."""
    runs: bool


def dial_words(
    dials: Sequence[Dial],
    titles: Mapping[str, str],
    mine: Sequence[Role] = (),
    *,
    few: bool = False,
) -> str:
    """Return clocks in a line, a star at each that runs; empty without clocks.

    Args:
        dials: All clocks.
        titles: What roles are called.
        mine: Roles of the player.
        few: Only the own ones and those that run.
    """
    shown = [dial for dial in dials if not few or dial.runs or dial.role in mine]
    return "  ".join(
        f"{titles.get(dial.role, dial.role.title())}{'*' if dial.runs else ''} {face(dial.left_ms)}"
        for dial in shown
    )
