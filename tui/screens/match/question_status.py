"""Text around the prompt: the note below the list, and the text shown in place of a decision."""

import time
from typing import Final

from engine.kernel.ids import Role
from play.controller import GameController
from tui.presenter.player_labels import waiting_text, winner_text
from tui.presenter.presenter import Presenter

_MIN_SHOWN_WAIT_SECONDS: Final = 2
"""Seconds before the screen shows that a bot is thinking."""


class QuestionStatus:
    """Formats the text around the list of choices."""

    def __init__(self, controller: GameController, presenter: Presenter) -> None:
        """Create the formatter for one table screen."""
        self._controller = controller
        self._session = controller.session
        self._presenter = presenter
        self._waiting_since: tuple[tuple[Role, ...], float] = (), 0.0
        """The roles that the game is waiting for, and when the wait began, in seconds of the monotonic clock."""

    def restart(self) -> None:
        """Restart the measurement of waiting time. Called when the player gives a command."""
        self._waiting_since = (), 0.0

    def note(self) -> str:
        """Return the note below the list: the draft's size, and connection problems that may not fit in the header."""
        session = self._session
        draft_size, status, alerts = session.draft.size, session.status(), session.alerts()
        lines = [f"u undo {draft_size}   c commit"] if draft_size else []
        is_blocked = any("waits for" in alert for alert in alerts) or bool(
            session.blocking_problem()
        )
        if self._controller.is_sending and session.negotiation.has_chat and not is_blocked:
            lines.append("sending, waiting for the host")
        if status and (alerts or not status.startswith("* host")):
            lines.append(status)
        return "\n".join(lines)

    def text(self) -> str:
        """Return the text to show if there is no question, for example a sentence about who has to decide."""
        session = self._session
        if session.outcome() is not None:
            return winner_text(session, self._presenter)
        if session.is_adjourned:
            if session.command_resumes:
                return "The match is adjourned. The next command resumes it."
            return "The match is adjourned. Press X to resume it."
        if session.draft.commands:
            return self._presenter.plan_complete_text(self._controller.view)
        waiting_roles, current_time = session.waiting_for(), time.monotonic()
        if waiting_roles != self._waiting_since[0]:
            self._waiting_since = waiting_roles, current_time
        seconds = int(current_time - self._waiting_since[1])
        return waiting_text(
            session, self._presenter, seconds if seconds >= _MIN_SHOWN_WAIT_SECONDS else 0
        )
