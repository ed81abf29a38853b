"""Text pages about a game: the log and the current battle."""

from collections.abc import Sequence
from typing import Final

from engine.kernel.ruleset import View
from play.log_lines import LogLine
from play.session import Session
from tui.drawing.colour_roles import TextRole
from tui.presenter.presenter import Presenter
from tui.widgets.lines import TonedLine

_MAX_LATEST_LINES: Final = 30
"""Maximum number of log lines shown below the current battle."""


def toned_log_line(presenter: Presenter, view: View, line: LogLine) -> TonedLine:
    """Return a log sentence with its tone. Drafted sentences are marked."""
    if line.is_draft:
        return f"~ {line.text}", TextRole.PATH
    return line.text, presenter.log_tone(view, line.text)


def log_page(
    session: Session, presenter: Presenter, view: View, lines: Sequence[LogLine]
) -> Sequence[TonedLine]:
    """Return the log, newest line first, with a divider above the player's own last command."""
    session.negotiation.read_conversation()  # the log includes the chat, so mark the chat as read
    own_seq = session.records.last_own_seq()
    seen_count = sum(line.seq <= own_seq for line in lines)
    page = [toned_log_line(presenter, view, line) for line in lines]
    if 0 < seen_count < len(lines):
        page.insert(seen_count, ("-- above: since your last command --", TextRole.LABEL))
    return page[::-1]


def battle_page(presenter: Presenter, view: View, log: Sequence[LogLine]) -> Sequence[str]:
    """Return the current battle, followed by the end of the log."""
    lines = list(presenter.battle_lines(view)) or ["No battle is being fought."]
    latest_lines = [toned_log_line(presenter, view, line)[0] for line in log[-_MAX_LATEST_LINES:]]
    return [*lines, "", "What happened last, with dice and modifiers:", *latest_lines]
