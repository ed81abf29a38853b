"""Guided lessons in line-by-line play. Prints each card before its question and waits for Enter."""

from typing import Final

from typing_extensions import override

from play.lesson import LessonStepKind
from play.lesson_session import LessonSession
from tui.console.game import PlainGame, Read, Write
from tui.presenter import Presenter

_WORDS: Final = {
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
"""What to type for each screen action; steps with any other action are skipped."""
_PROMPT: Final = "[Enter] "
_OVER: Final = "The lesson is complete."


class PlainLesson(PlainGame):
    """A lesson in line-by-line play."""

    def __init__(
        self, session: LessonSession, presenter: Presenter, read: Read, write: Write, place: str
    ) -> None:
        """Create the lesson; the arguments are those of :class:`~tui.console.game.PlainGame`."""
        super().__init__(session, presenter, read, write, place)
        self._lesson = session
        self._printed_text = ""
        session.format_command = lambda command: presenter.label(session.view(), command)
        session.has_keys = False
        session.key_of = lambda action: f"'{_WORDS.get(action, action)}'"

    @override
    async def _print_introduction(self) -> bool:
        """Print the lesson's cards up to the next question; return False if the learner has no question now."""
        taught = self._lesson
        while (step := taught.step) is not None and not self._has_left:
            if step.kind is LessonStepKind.PRESS and step.action not in _WORDS:
                taught.skip_action()
                continue
            self._print_card()
            if step.kind in {LessonStepKind.GIVE, LessonStepKind.COMMIT}:
                return step.kind is LessonStepKind.COMMIT or step.role == taught.lesson.learner
            await self._wait_for_reader()
            if step.kind is LessonStepKind.TELL:
                taught.mark_read()
                return False
        if not self._has_left:
            self._print_card()
            self.show_message(_OVER)
            self._has_left = True
        return False

    @override
    def _show_question(self) -> bool:
        """Print the question, followed by what the lesson expects."""
        goes_on = super()._show_question()
        self.show_message(f"-> {self._lesson.instruction()}")
        return goes_on

    def _print_card(self) -> None:
        """Print the card and its instruction, but only once."""
        taught = self._lesson
        text = taught.with_key_names(taught.text)
        if text != self._printed_text:
            self._printed_text = text
            number, total = taught.card_position
            self.show_message("")
            self.show_message(f"[{number}/{total}] {text}")

    async def _wait_for_reader(self) -> None:
        """Answer words until the reader continues, leaves or types the expected word."""
        taught = self._lesson
        while not self._has_left:
            step = taught.step
            if step is not None and step.kind is LessonStepKind.PRESS:
                self.show_message(f"-> Type {taught.key_of(step.action)}.")
            line = await self._read_line(_PROMPT)
            word, _, rest = (line or "").partition(" ")
            if not word:
                taught.skip_action()
                return
            self._answer_word(word.lower(), rest.strip())
            if taught.record_action(word.lower()):
                return
