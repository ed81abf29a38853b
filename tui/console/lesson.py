"""Guided lessons in line-by-line play. Each card is printed before its question, and Enter continues."""

from typing import Final

from typing_extensions import override

from play.lesson import LessonStepKind
from play.lesson_session import LessonSession
from tui.console.game import LineReader, LineWriter, PlainGame
from tui.presenter.presenter import Presenter

_ACTION_WORDS: Final = {
    "commit": "commit",
    "undo": "undo",
    "hand": "hand",
    "log": "log",
    "battle": "battle",
    "forecast": "forecast",
    "again": "since",
    "goals": "goals",
    "roster": "roster",
    "lesson_on": "Enter",
    "done": "done",
    "why": "why LINE",
}
"""The word to type for each screen action. Lesson steps with any other action are skipped."""
_PROMPT: Final = "[Enter] "
_COMPLETE_TEXT: Final = "The lesson is complete."
_PLAY_ON_TEXT: Final = "-> Type 'play' to play on from here, or press Enter to leave."


class PlainLesson(PlainGame):
    """A lesson in line-by-line play."""

    def __init__(
        self,
        session: LessonSession,
        presenter: Presenter,
        read: LineReader,
        write: LineWriter,
        path: str,
    ) -> None:
        """Create the lesson. The arguments are the same as for :class:`~tui.console.game.PlainGame`."""
        super().__init__(session, presenter, read, write, path)
        self._lesson = session
        self._printed_text = ""
        self.plays_on = False
        """True if the learner wants to continue the game after the lesson."""
        session.format_command = lambda command: presenter.label(session.view(), command)
        session.has_keys = False
        session.key_of = lambda action: f"'{_ACTION_WORDS.get(action, action)}'"

    @override
    async def _print_introduction(self) -> bool:
        """Print the lesson's cards up to the next question. Return False if the learner has no question now."""
        lesson = self._lesson
        while (step := lesson.step) is not None and not self._has_left:
            if step.kind is LessonStepKind.PRESS and step.action not in _ACTION_WORDS:
                lesson.skip_action()
                continue
            self._print_card()
            if step.kind in {LessonStepKind.GIVE, LessonStepKind.COMMIT}:
                return step.kind is LessonStepKind.COMMIT or step.role == lesson.lesson.learner
            await self._wait_for_learner()
            if step.kind is LessonStepKind.TELL:
                lesson.mark_read()
                return False
        if not self._has_left:
            self._print_card()
            self.show_message(_COMPLETE_TEXT)
            if lesson.outcome() is None:
                self.show_message(_PLAY_ON_TEXT)
                line = await self._read_line(_PROMPT)
                self.plays_on = (line or "").strip().lower() == "play"
            self._has_left = True
        return False

    @override
    def _show_question(self) -> bool:
        """Print the question, followed by the lesson's instruction."""
        can_continue = super()._show_question()
        self.show_message(f"-> {self._lesson.instruction()}")
        return can_continue

    def _print_card(self) -> None:
        """Print the card, unless it has already been printed."""
        lesson = self._lesson
        text = lesson.with_key_names(lesson.text)
        if text != self._printed_text:
            self._printed_text = text
            number, total = lesson.card_position
            self.show_message("")
            self.show_message(f"[{number}/{total}] {text}")

    async def _wait_for_learner(self) -> None:
        """Handle words until the learner continues, leaves or types the expected word."""
        lesson = self._lesson
        while not self._has_left:
            step = lesson.step
            if step is not None and step.kind is LessonStepKind.PRESS:
                self.show_message(f"-> Type {lesson.key_of(step.action)}.")
            line = await self._read_line(_PROMPT)
            word, _, argument = (line or "").partition(" ")
            if not word:
                lesson.skip_action()
                return
            self._answer_word(word.lower(), argument.strip())
            if lesson.record_action(word.lower()):
                return
