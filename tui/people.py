"""Who is who in a sentence: the country or side, and the name of whoever plays it."""

from engine.kernel.ids import Role
from play.bots import PREFIX
from play.session import Session
from tui.clean import clean
from tui.presenter import Presenter

_LONGEST_NAME = 24


def named(session: Session, presenter: Presenter, role: Role) -> str:
    """Return a role as a sentence names it, with its player where the name says more than the role."""
    who = presenter.who(role)
    player = session.players.get(role, "")
    if player.startswith(PREFIX):
        return f"{who} (bot)"
    return f"{who} ({clean(player, _LONGEST_NAME)})" if player and player != role else who


def waiting_words(session: Session, presenter: Presenter) -> str:
    """Return for whom the game waits."""
    waiting = [named(session, presenter, role) for role in session.waiting_for()]
    return f"Waiting for {', '.join(waiting)}."


def winner_words(session: Session, presenter: Presenter) -> str:
    """Return how the game ended; empty while it goes on."""
    outcome = session.outcome()
    if outcome is None:
        return ""
    if outcome.is_lost:
        return f"The game is over, and lost. {outcome.reason}"
    winner = "nobody" if outcome.winner is None else presenter.who(outcome.winner)
    is_told = not outcome.level or outcome.level in outcome.reason
    level = "" if is_told else f" ({outcome.level})"
    return f"The game is over. Winner: {winner}{level}. {outcome.reason}"
