"""The host form's clock fields: the kind of clock, the time limit, and the effect of running out of time."""

from collections.abc import Mapping
from typing import Final

from engine.kernel.errors import DataError
from saves.clocks import Clock, format_duration, parse_clock
from tui.screens.forms.form import Field

CLOCK: Final = "clock"
FLAG: Final = "flag"
_NO_CLOCK: Final = ""
_TIME_PREFIX: Final = "time:"
"""Prefix of the time-limit field ids. The rest of the id is the kind of clock."""
_SUGGESTED_TIMES: Final = {
    "decision": ("30s", "1m", "2m", "5m"),
    "game": ("30m+30s", "60m+30s", "90m+1m", "3h+0s"),
    "move": ("1d", "3d", "3d/10d", "7d"),
}
"""Suggested time limits, by kind of clock."""
_DEFAULT_TIMES: Final = {"decision": "2m", "game": "60m+30s", "move": "3d"}
_TIME_PROMPTS: Final = {
    "decision": "Time for each decision, such as 45s or 3m",
    "game": "Time for the game, such as 2h, or 45m+10s with 10 s more for each command",
    "move": "Days for each move, such as 2d, or 2d/6d to save up to six",
}
_HELPS: Final = (
    "The match has no clock.",
    "The time starts again with every command.",
    "Each role has this much time for the whole game, plus a little for each command.",
    "For matches that last for days: a number of days per move. Unused time can be saved.",
)


def clock_fields() -> tuple[Field, ...]:
    """Return all clock fields. :func:`hidden_clocks` returns the ids of the fields to hide."""
    times = (
        Field(
            id=f"{_TIME_PREFIX}{kind}",
            label="Time",
            values=values,
            value_labels=tuple(_clock_text(parse_clock(value)) for value in values),
            value=_DEFAULT_TIMES[kind],
            is_open=True,
            question=_TIME_PROMPTS[kind],
            help="Left and Right step through common times. Press Enter to type your own.",
        )
        for kind, values in _SUGGESTED_TIMES.items()
    )
    return (
        Field(
            id=CLOCK,
            label="Clock",
            values=(_NO_CLOCK, *_SUGGESTED_TIMES),
            value_labels=("none", "for each decision", "for the game", "for each move, over days"),
            helps=_HELPS,
        ),
        *times,
        Field(
            id=FLAG,
            label="At zero",
            values=("told", "loses"),
            value_labels=("announce it", "side loses"),
            value="told",
            helps=(
                "The program announces whose time is up, and the game continues.",
                "A side that runs out of time loses.",
            ),
        ),
    )


def clock_rows(values: Mapping[str, str]) -> set[str]:
    """Return the ids of all clock fields."""
    return {row for row in values if row in {CLOCK, FLAG} or row.startswith(_TIME_PREFIX)}


def hidden_clocks(values: Mapping[str, str]) -> set[str]:
    """Return the ids of the clock fields that do not apply to the chosen kind of clock."""
    kind = values[CLOCK]
    hidden_roles = {
        f"{_TIME_PREFIX}{clock_kind}" for clock_kind in _SUGGESTED_TIMES if clock_kind != kind
    }
    return hidden_roles if kind else hidden_roles | {FLAG}


def read_clock(values: Mapping[str, str]) -> Clock | None:
    """Return the clock chosen in a form; None for no clock.

    Raises:
        DataError: The time limit that the player typed is invalid for this kind of clock.
    """
    kind = values.get(CLOCK, _NO_CLOCK)
    return _parse_time(kind, values[f"{_TIME_PREFIX}{kind}"], values[FLAG]) if kind else None


def time_problem(row: str, text: str) -> str:
    """Return why a typed time limit is invalid; empty if it is valid, or for fields other than time limits."""
    if not row.startswith(_TIME_PREFIX):
        return ""
    try:
        _parse_time(row.removeprefix(_TIME_PREFIX), text, "told")
    except DataError as error:
        return error.problem
    return ""


def _parse_time(kind: str, text: str, flag: str) -> Clock:
    """Parse the time limit typed for a kind of clock. A per-game clock may omit the increment.

    Raises:
        DataError: The text is not a valid time limit for this kind of clock.
    """
    clock = parse_clock(text, flag)
    if kind == "game" and "/" not in text and clock.per != kind:
        clock = parse_clock(f"{text}+0s", flag)
    if clock.per != kind:
        raise DataError("clock", "", f"'{text}' is not a valid time. {_TIME_PROMPTS[kind]}")
    return clock


def _clock_text(clock: Clock) -> str:
    """Return a clock's time limits as text."""
    words = format_duration(clock.seconds)
    if clock.per == "game" and clock.more:
        words += f", {format_duration(clock.more)} more for each command"
    return (
        f"{words}, saving up to {format_duration(clock.most)}"
        if clock.most > clock.seconds
        else words
    )
