"""Player names for use in sentences: the country or side, and the person or bot that plays this role."""

from engine.kernel.ids import Role
from play.bots import BOT_PLAYER_PREFIX, bot_name
from play.game_summary import verdict_sentence
from play.session import Session
from tui.presenter.presenter import Presenter
from tui.terminal.sanitising import sanitise_line

_MAX_NAME_LENGTH = 24


def role_with_player(session: Session, presenter: Presenter, role: Role) -> str:
    """Return a role's name for use in a sentence. The player's name is included if it adds information."""
    who = presenter.role_phrase(role)
    player = session.players.get(role, "")
    if is_bot(session, role):
        level = sanitise_line(bot_name(player), _MAX_NAME_LENGTH)
        return f"{who} ({level} bot)" if level else f"{who} (bot)"
    return (
        f"{who} ({sanitise_line(player, _MAX_NAME_LENGTH)})" if player and player != role else who
    )


def waiting_text(session: Session, presenter: Presenter, seconds: int = 0, post: str = "P") -> str:
    """Return text about the players that the game is waiting for, or about the problem that blocks it.

    If the game is waiting only for bots, include the thinking time.

    Args:
        session: The game.
        presenter: The game's presenter.
        seconds: Time for which the game has been waiting, in seconds.
        post: The key or word that writes a move file.
    """
    blocking_problem = session.blocking_problem()
    if blocking_problem:
        return (
            f"{blocking_problem[:1].upper()}{blocking_problem[1:]}: no commands are accepted now."
        )
    waiting_roles = session.waiting_for()
    names = ", ".join(role_with_player(session, presenter, role) for role in waiting_roles)
    step = session.next_step(post)
    if seconds and not step and all(is_bot(session, role) for role in waiting_roles):
        return f"Thinking: {names} {seconds} s"
    return f"Waiting for {names}. {step}" if step else f"Waiting for {names}."


def is_bot(session: Session, role: Role) -> bool:
    """Return whether a role is played by a bot."""
    return session.players.get(role, "").startswith(BOT_PLAYER_PREFIX)


def winner_text(session: Session, presenter: Presenter) -> str:
    """Return text about how the game ended; empty while the game continues."""
    outcome = session.outcome()
    if outcome is None:
        return ""
    if session.ruleset.scoring is None:
        if outcome.is_lost:
            return f"The game is lost. {outcome.reason}"
        winner = "nobody" if outcome.winner is None else presenter.role_phrase(outcome.winner)
        is_told = not outcome.level or outcome.level in outcome.reason
        level = "" if is_told else f" ({outcome.level})"
        return f"The game is over. Winner: {winner}{level}. {outcome.reason}"
    return verdict_sentence(*session.verdict())
