"""Automatic waiting: quiet questions are answered for the player until something happens."""

from contextlib import suppress

from textual import work
from textual.binding import Binding
from textual.worker import WorkerCancelled

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import Command
from play.session import CommandResult, Session
from tui.presenter import Presenter
from tui.screens.choosing import ChoosingScreen


class GoingOnScreen(ChoosingScreen):
    """A screen on which a player can wait."""

    BINDINGS = [Binding("G", "go_on", "Go on until something happens", show=False)]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen; nothing is being answered yet."""
        super().__init__(session, presenter)
        self._is_waiting = False
        """Whether questions are being answered automatically."""
        self._seen: tuple[str, ...] = ()
        """What the player saw since their own last command."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the key for waiting in games that cannot tell which questions are quiet."""
        if action == "go_on" and not self.presenter.can_wait:
            return False
        return super().check_action(action, parameters)

    async def _try(self, command: Command) -> CommandResult | None:
        """Give a command, unless questions are being answered automatically.

        Keys pressed meanwhile were meant for another question.
        """
        if self._is_waiting:
            self.tell("Still going on; choose when it stops.")
            return None
        return await super()._try(command)

    def action_go_on(self) -> None:
        """Start waiting, unless this is already happening."""
        if not self._is_waiting:
            self._is_waiting = True
            self.go_on()

    @work
    async def go_on(self) -> None:
        """Answer quiet questions until the player must choose or something happens."""
        if self.director is not None:
            self.director.hold()
        try:
            await self._go_on()
        finally:
            self._is_waiting = False
            if self.director is not None:
                self.director.release()

    async def _go_on(self) -> None:
        given, news, since = 0, "", self.session.seq
        seen: tuple[str, ...] = ()
        while not news:
            decision = self.session.decision()
            if decision is None and not self.session.drafted:
                break
            answer = self.presenter.waiting(self._view, decision) if decision is not None else None
            if decision is not None and answer is None:
                break
            if not self.may_send() or not await self._answered(answer):
                return
            given += answer is not None
            self._seen = ()
            others = self.others()
            if others is not None:
                with suppress(WorkerCancelled):  # a newer run has updated the screen meanwhile
                    await others.wait()
            self.ask()
            seen = (*self._seen, *seen)
            news = self.presenter.interruption(self.session.events(since))
            since = self.session.seq
        if seen:
            self._seen = seen
            self.ask()
        self._tell_stop(news, given)

    async def _answered(self, answer: Command | None) -> bool:
        """Give an answer, or commit the draft for None; return whether it was accepted."""
        try:
            if answer is not None:
                await self.session.give(answer)
            else:
                await self.session.commit()
        except FlagplotError as error:
            self.warn("Not now", str(error))
            return False
        finally:
            self._sending = False
        return True

    def _tell_stop(self, news: str, given: int) -> None:
        """Report why the waiting has stopped."""
        decision = self.session.decision()
        if news:
            self.tell(news)
        elif decision is None:
            self.tell(self._standing())
        else:
            self.tell(
                f"Stopped: {decision.prompt}"
                if given
                else "G waits for you here: choose, or press D for done."
            )
