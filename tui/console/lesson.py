"""A guided lesson in line-by-line play: prints each card before its question and waits for Enter."""

from typing import Final

from play.lesson import Kind
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
_OVER: Final = "This was the lesson."


class PlainLesson(PlainGame):
    """A lesson in line-by-line play."""

    def __init__(
        self, session: LessonSession, presenter: Presenter, read: Read, write: Write, place: str
    ) -> None:
        """Create the lesson with the arguments of :class:`~tui.console.game.PlainGame`."""
        super().__init__(session, presenter, read, write, place)
        self._taught = session
        self._told_text = ""
        session.words = lambda command: presenter.label(session.view(), command)
        session.has_keys = False
        session.key_of = lambda action: f"'{_WORDS.get(action, action)}'"

    async def _before_question(self) -> bool:
        """Print the lesson's cards up to the next question; return False if the learner has none now."""
        taught = self._taught
        while (step := taught.step) is not None and not self._left:
            if step.kind is Kind.PRESS and step.action not in _WORDS:
                taught.pass_over()
                continue
            self._tell_card()
            if step.kind in {Kind.GIVE, Kind.COMMIT}:
                return step.kind is Kind.COMMIT or step.role == taught.lesson.learner
            await self._goes_on()
            if step.kind is Kind.TELL:
                taught.go_on()
                return False
        if not self._left:
            self._tell_card()
            self.tell(_OVER)
            self._left = True
        return False

    def _show_question(self) -> bool:
        """Print the question, followed by what the lesson expects."""
        goes_on = super()._show_question()
        self.tell(f"-> {self._taught.instruction()}")
        return goes_on

    def _tell_card(self) -> None:
        """Print the card with its instruction, once."""
        taught = self._taught
        text = taught.filled(taught.text)
        if text != self._told_text:
            self._told_text = text
            number, total = taught.count
            self.tell("")
            self.tell(f"[{number}/{total}] {text}")

    async def _goes_on(self) -> None:
        """Answer words until the reader continues, leaves or types the expected word."""
        taught = self._taught
        while not self._left:
            step = taught.step
            if step is not None and step.kind is Kind.PRESS:
                self.tell(f"-> Type {taught.key_of(step.action)}.")
            line = await self._ask(_PROMPT)
            word, _, rest = (line or "").partition(" ")
            if not word:
                taught.pass_over()
                return
            self._tell(word.lower(), rest.strip())
            if taught.did(word.lower()):
                return
