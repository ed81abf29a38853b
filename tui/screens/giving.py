"""Giving commands: drafting, ticking, undoing and committing."""

from collections.abc import Sequence
from typing import Final

from textual import work
from textual.worker import Worker

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import Command
from play.choices import Choice, Standing
from play.questions import Question, forget
from play.session import CommandResult, Session
from tui.presenter import Presenter
from tui.screens.playback import PlaybackTable
from tui.screens.prompt import SureDialog

_NO_QUESTION: Final = Question(None, (), ())


class GivingScreen(PlaybackTable):
    """A screen on which commands are given."""

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen without a question."""
        super().__init__(session, presenter)
        self.question = _NO_QUESTION
        self._sending = False
        self._warned = ""
        """The question asked before the last commit (Presenter.before_commit)."""

    def ask(self) -> None:
        """Refresh the screen and show the open question; derived screens implement this."""

    def others(self) -> Worker[None] | None:
        """Run the bots in this program; derived screens implement this."""
        return None

    def _take_line(self, line: Choice) -> None:
        match line.standing:
            case Standing.TICKED:
                self.untick([line.command])
            case Standing.BARRED:
                self.bar(line.command)
            case Standing.OPEN:
                self.do(line.command)

    def bar(self, command: Command) -> None:
        """Explain why a line can no longer be ticked."""
        refusals = self.session.refusals(command)
        why = f" {refusals[0]}" if refusals else ""
        self.tell(f"Not with what is ticked.{why}")

    def do(self, command: Command) -> None:
        """Carry out a command from the list or a board, if it is still offered."""
        if command in self.session.offered():
            self.make_sure(command)

    def objects_to(self, command: Command) -> bool:
        """Refuse a legal command and report why, if this screen does not allow it; return whether it was refused.

        Derived screens implement this.
        """
        del command
        return False

    @work
    async def make_sure(self, command: Command, *, is_typed: bool = False) -> None:
        """Give a command, asking first if it is easily given by mistake.

        Args:
            command: The command.
            is_typed: The command was typed rather than chosen, so a refusal is reported.
        """
        if self.objects_to(command):
            return
        question = self.presenter.warning(self._view, command, self.session.offered())
        if question:
            is_sure = await self.app.push_screen_wait(SureDialog(question))
            if not is_sure:
                return
        self.give(command, is_typed=is_typed)

    @work
    async def give(self, command: Command, *, is_typed: bool = False) -> None:
        """Draft or send a command; ignore a choice that is no longer offered, because keys were pressed quickly."""
        if not is_typed and command not in self.session.offered():
            return
        words = self.presenter.tried(self._view, command, self.session.offered())
        result = await self._try(command)
        if result is CommandResult.DRAFTED:
            self.ask()
            decision = self.question.decision
            options = decision.options if decision is not None else ()
            obvious = self.presenter.obvious(self._view, command, options)
            if obvious is not None:
                self.give(obvious)
            self.tell(self.with_hint(words))
        elif result is CommandResult.SENT:
            self.ask()
            self.others()

    def with_hint(self, words: str) -> str:
        """Return the message after a draft, with a hint if needed; derived screens add one."""
        return words

    async def _try(self, command: Command) -> CommandResult | None:
        """Give a command; report a failure to the player and return None."""
        if not self.may_send():
            return None
        try:
            return await self.session.give(command)
        except FlagplotError as error:
            self.warn("Not now", str(error))
            return None
        finally:
            self._sending = False

    @work
    async def give_all(self, commands: Sequence[Command]) -> None:
        """Draft commands one after another, skipping those that are no longer offered."""
        given, result = 0, None
        for command in commands:
            if command not in self.session.offered():
                continue
            result = await self._try(command)
            if result is None:
                break
            given += 1
            if result is CommandResult.SENT:
                break
        self.ask()
        left = len(commands) - given
        more = f", {left} cannot be" if left and result is CommandResult.DRAFTED else ""
        self.tell(f"{given} ticked{more}.")
        if result is CommandResult.SENT:
            self.others()

    def untick(self, commands: Sequence[Command]) -> None:
        """Untick commands, wherever they are in the draft."""
        view = self._view
        undone, lost = forget(self.session, commands)
        self.ask()
        words = "; ".join(self.presenter.label(view, one) for one in (*undone, *lost))
        why = f" {len(lost)} of them not possible without the rest." if lost else ""
        self.tell(f"Undone: {words}.{why}")

    def may_send(self) -> bool:
        """Reserve the connection for sending; refuse while an earlier command is still on its way."""
        if self._sending:
            self.tell("Still sending; the answer of the host is awaited.")
            return False
        self._sending = True
        self.log_is_read()
        self.mark_answer()
        return True

    @work
    async def action_commit(self) -> None:
        """Commit the draft."""
        if not self.session.drafted:
            self.tell("Nothing planned yet.")
            return
        question = self.presenter.unfinished(self._view) if self.session.decision() else ""
        if not question:
            question = self.presenter.before_commit(self._view)
            self._warned, question = question, "" if question == self._warned else question
        if question and not await self.app.push_screen_wait(SureDialog(question)):
            return
        if not self.may_send():
            return
        self.tell("Sending what was tried.")
        try:
            await self.session.commit()
            self.tell("Committed.")
        except FlagplotError as error:
            self.warn("Not taken", str(error))
        finally:
            self._sending = False
        self.ask()
        self.others()

    def action_undo(self) -> None:
        """Take back the last drafted command."""
        command = self.session.undo()
        if command is None:
            self.tell("Nothing to undo; ctrl+z takes back what is committed.")
            return
        self.ask()
        self.tell(f"Undone: {self.presenter.label(self._view, command)}")
