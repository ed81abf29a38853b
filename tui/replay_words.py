"""What a replay says alike on screens and line by line."""

from engine.kernel.ids import Role
from play.replay_session import JUDGE, ReplaySession
from tui.presenter import Presenter


def seat_name(presenter: Presenter, seat: Role | None) -> str:
    """Return how a seat of a replay is called: a role, the spectator, or the judge, who sees everything."""
    return "Judge" if seat == JUDGE else presenter.role_name(seat)


def hand_lines(session: ReplaySession, presenter: Presenter) -> tuple[str, ...]:
    """Return the hand of the seat on the screen; the judge's are all hands."""
    if not session.is_judge:
        return presenter.hand_lines(session.view())
    lines: list[str] = []
    for role in session.roles():
        lines.append(presenter.role_name(role))
        lines += (f"  {line}" for line in presenter.hand_lines(session.view_from(role)))
    return tuple(lines)
