"""Text for replays, both on screens and line by line."""

from engine.kernel.ids import Role
from play.replay_session import FULL_VIEW, ReplaySession
from tui.presenter.presenter import Presenter


def seat_name(presenter: Presenter, seat: Role | None) -> str:
    """Return the name of a seat in a replay: a role, the spectator, or the all-seeing judge."""
    return "Judge" if seat == FULL_VIEW else presenter.role_name(seat)


def spoiler_question(session: ReplaySession, presenter: Presenter, seat: Role | None) -> str:
    """Return the question to ask before showing a seat of a running game; empty if this would reveal no secrets."""
    if not session.spoils_game(seat):
        return ""
    hidden_text = (
        "what is hidden from all players"
        if seat is None or seat == FULL_VIEW
        else f"what only {presenter.role_phrase(seat)} may see"
    )
    return f"This game is still being played. Look at {hidden_text}?"


def hand_lines(session: ReplaySession, presenter: Presenter) -> tuple[str, ...]:
    """Return the hand of the seat on display. For the judge, return all hands."""
    if not session.is_full_view:
        return presenter.hand_lines(session.view())
    lines: list[str] = []
    for role in session.roles():
        lines.append(presenter.role_name(role))
        lines += (f"  {line}" for line in presenter.hand_lines(session.view_from(role)))
    return tuple(lines)
