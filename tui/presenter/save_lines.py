"""Describes a saved game in words: its progress, the opponents, and whose move it is or how it ended."""

from play.save_summary import SaveSummary
from tui.presenter.presenter import Presenter


def summary_lines(summary: SaveSummary, presenter: Presenter) -> tuple[str, ...]:
    """Summarise a saved game: title, progress, side to move and opponents."""
    title = ", ".join(part for part in (summary.rules.title, summary.scenario) if part)
    if not summary.record_count:
        return title, summary.heading
    lines = [title, summary.heading.replace(" | ", ", ")]
    status = status_text(summary, presenter)
    if status:
        lines.append(status)
    if summary.outcome is not None and summary.early_ending:
        lines.append(summary.early_ending)
    if summary.bots:
        lines.append(f"Against {', '.join(summary.bots)}")
    return tuple(lines)


def status_text(summary: SaveSummary, presenter: Presenter) -> str:
    """Return text about whose move it is or how the game ended; empty if nobody is to move."""
    if summary.outcome is not None:
        return outcome_text(summary, presenter)
    if summary.is_adjourned:
        return "Adjourned"
    if not summary.roles_to_move:
        return ""
    if summary.is_own_move:
        return "Your move"
    roles = [role for role in summary.roles_to_move if role in summary.people]
    names = map(presenter.role_phrase, roles or summary.roles_to_move)
    return f"To move: {', '.join(names)}"


def outcome_text(summary: SaveSummary, presenter: Presenter) -> str:
    """Describe the result of a finished game."""
    outcome = summary.outcome
    assert outcome is not None
    level = f" ({outcome.level})" if outcome.level else ""
    if outcome.is_lost:
        return f"Lost{level}"
    winner = (
        "a draw" if outcome.winner is None else f"won by {presenter.role_phrase(outcome.winner)}"
    )
    return f"Over: {winner}{level}"


def opponents_text(summary: SaveSummary, presenter: Presenter) -> str:
    """Name the bots, or all people if several play. Empty if one person plays alone."""
    names = {
        summary.players[role]: presenter.role_name(role)
        if summary.players[role] == role
        else summary.players[role]
        for role in summary.people
    }
    people = tuple(names.values()) if len(names) > 1 else ()
    return ", ".join((*people, *summary.bots))
