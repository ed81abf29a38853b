"""The page at the end of a game as plain text, for line-by-line play and for `flagplot show --summary`."""

from collections.abc import Sequence
from typing import Final

from play.game_summary import GameSummary, summarise
from play.session import Session
from tui.panels.end_page import end_page
from tui.panels.status_segments import row_text
from tui.presenter.decisive_battle import battle_finder
from tui.presenter.presenter import Presenter
from tui.terminal.sanitising import sanitise_line

_MAX_CELLS: Final = 2000
_SIZE: Final = (78, 40)
"""Width in cells, and the height that determines how much the page shows."""


def session_summary(session: Session, presenter: Presenter) -> GameSummary | None:
    """Return the summary of a finished game; None while the game continues, or if it has no score to explain."""
    game = session.finished_game() if session.ruleset.scoring is not None else None
    return None if game is None else summarise(game, battle_finder(presenter))


def summary_lines(summary: GameSummary, record: str = "") -> tuple[str, ...]:
    """Return the page as plain, sanitised text."""
    rows = end_page(summary, _SIZE, record=record, has_keys=False)
    return tuple(sanitise_line(row_text(row).rstrip(), _MAX_CELLS) for row in rows)


def end_lines(session: Session, presenter: Presenter) -> Sequence[str]:
    """Return the page for a session as plain text; empty while the game continues."""
    summary = session_summary(session, presenter)
    path = session.record_path
    return () if summary is None else summary_lines(summary, "" if path is None else str(path))
