"""The status-bar segments that every game has: whose move it is, alerts, clocks and network mode."""

from typing import Final

from rich.cells import cell_len

from play.session import Session
from tui.drawing.colour_roles import TextRole
from tui.panels.status_segments import OPTIONAL_RANK, StatusSegment, status_segment
from tui.presenter.presenter import Presenter

_LONG_ALERT: Final = 24
"""Maximum width, in cells, of alerts that are not abbreviated if space is tight."""
PLAYBACK: Final = status_segment(" PLAYBACK ", TextRole.CARD_LIT, 4)
"""Segment shown during a playback in place of the player to move."""


def move_segment(session: Session, presenter: Presenter) -> tuple[StatusSegment, ...]:
    """Return segments that name the players to move, or the reason why nobody can move; empty if no move is due."""
    if not session.can_play or session.outcome() is not None:
        return ()
    blocking_problem = session.blocking_problem()
    if blocking_problem:
        return (
            status_segment(
                f"{blocking_problem[:1].upper()}{blocking_problem[1:]}", TextRole.ALERT, 4
            ),
        )
    waiting_roles = session.waiting_for()
    if session.role is not None and session.role in waiting_roles:
        return (status_segment(" YOUR MOVE ", TextRole.CARD_LIT, 1 if session.alerts() else 4),)
    names = " and ".join(presenter.role_phrase(role) for role in waiting_roles)
    return (
        (status_segment(f"{names[:1].upper()}{names[1:]} to move", TextRole.DIM, 6),)
        if names
        else ()
    )


def alert_segments(session: Session) -> tuple[StatusSegment, ...]:
    """Return segments for alerts, such as an absent player. Long alerts are abbreviated if space is tight."""
    return tuple(
        status_segment(
            item.text,
            TextRole.WARN,
            1,
            item.short_text if cell_len(item.text) > _LONG_ALERT else "",
        )
        for item in session.status_items()
        if item.is_alert
    )


def clock_segment(session: Session) -> tuple[StatusSegment, ...]:
    """Return a segment with the clocks. If space is tight, only running clocks and the player's own are shown."""
    clock = session.clock()
    return (status_segment(clock, TextRole.HEAD, 1, session.clock(is_brief=True)),) if clock else ()


def mode_segment(session: Session) -> tuple[StatusSegment, ...]:
    """Return a segment with the network mode, shown only if there is room; empty for a local match."""
    mode = session.mode
    return (status_segment(f"mode {mode}", TextRole.DIM, OPTIONAL_RANK),) if mode else ()


def connection(session: Session) -> str:
    """Return the connection status without its alerts; empty if there is no connection."""
    return " | ".join(item.text for item in session.status_items() if not item.is_alert)
