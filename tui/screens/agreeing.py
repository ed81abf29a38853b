"""Communication between players: chat, offers, and answers to offers."""

from typing import Final

from textual import work
from textual.binding import Binding

from engine.kernel.errors import FlagplotError
from engine.kernel.ruleset import Command
from play.offers import LINES, QUESTIONS, Matter, matter_in
from play.session import Session
from tui.presenter import Presenter
from tui.screens.chat import ChatDialog
from tui.screens.going_on import GoingOnScreen
from tui.screens.prompt import ChoiceDialog, ConfirmDialog

_LONGEST_LINE: Final = 280
_NAMES: Final = {
    Matter.RESIGNATION: "Resign the match",
    Matter.DRAW: "Offer a draw",
    Matter.ADJOURNMENT: "Offer to adjourn the match",
    Matter.RESUMPTION: "Resume the match",
    Matter.STOP: "Stop the match, which nobody wins",
}


class AgreeingScreen(GoingOnScreen):
    """A screen on which players can chat and negotiate."""

    BINDINGS = [
        Binding("y", "say", "Say to the table", show=False),
        Binding("ctrl+z", "take_back", "Take back your last command", show=False),
        Binding("X", "propose", "Resign, offer a draw, adjourn, resume or stop", show=False),
    ]

    def __init__(self, session: Session, presenter: Presenter) -> None:
        """Create the screen without an open offer."""
        super().__init__(session, presenter)
        self._answering = False

    def hear_offer(self) -> None:
        """Ask the player about another seat's offer, unless a question is already open."""
        question = self.session.offer_question()
        if question and not self._answering:
            self.consent(question)

    @work
    async def consent(self, question: str) -> None:
        """Ask whether the player agrees to another seat's offer, and send the answer."""
        self._answering = True
        try:
            agree = await self.app.push_screen_wait(ConfirmDialog(question))
            if self.session.offer_question() == question:
                await self.session.answer_offer(agree=bool(agree))
            else:
                self.tell("What you were asked is not proposed any more.")
        except FlagplotError as error:
            self.tell(str(error))
        finally:
            self._answering = False
        if self.session.offer_question() != question:
            self.hear_offer()  # another offer arrived while the question was open

    @work
    async def action_say(self) -> None:
        """Ask for a chat message and send it to the others."""
        if not self.session.can_talk:
            self.tell("Nobody else is at this table.")
            return
        text = await self.app.push_screen_wait(
            ChatDialog(self.session.conversation(), _LONGEST_LINE)
        )
        if text:
            try:
                await self.session.say(text)
            except FlagplotError as error:
                self.tell(str(error))

    @work
    async def action_take_back(self) -> None:
        """Take back the player's last command, if the others agree."""
        await self._propose(Matter.TAKEBACK)

    @work
    async def action_propose(self) -> None:
        """Let the player choose an offer to make."""
        matters = self.session.matters()
        if not matters:
            self.tell("Nothing can be proposed here.")
            return
        typed = {matter: line for line, matter in LINES.items()}
        entries = [(matter, f"{_NAMES[matter]}   :{typed[matter]}") for matter in matters]
        chosen = await self.app.push_screen_wait(ChoiceDialog("With the others", entries))
        if chosen:
            await self._propose(Matter(chosen))

    @work
    async def propose(self, matter: Matter) -> None:
        """Make an offer, once the player has confirmed it."""
        await self._propose(matter)

    async def _propose(self, matter: Matter) -> None:
        if await self.app.push_screen_wait(ConfirmDialog(QUESTIONS[matter])):
            try:
                answer = await self.session.propose(matter)
            except FlagplotError as error:
                answer = str(error)
            self.ask()
            self.tell(answer)

    @work
    async def action_command(self) -> None:
        """Ask for a command in the notation or an offer, and carry it out."""
        from tui.screens.lookup import CommandDialog

        line = await self.app.push_screen_wait(CommandDialog(self._complete))
        if not line:
            return
        if (matter := matter_in(line)) is not None:
            self.propose(matter)
            return
        try:
            command: Command = self.session.parse(line)
        except FlagplotError as error:
            self.warn("Not a command", str(error))
            return
        self.make_sure(command, is_typed=True)

    def _complete(self, prefix: str) -> tuple[str, ...]:
        """Return the completions of a typed line: commands, then offers."""
        session = self.session
        commands = session.ruleset.notation.complete(prefix, session.offered())
        matters = session.matters() if prefix.strip() else ()
        wanted = " ".join(prefix.lower().split())
        lines = (line for line, matter in LINES.items() if matter in matters)
        return (*commands, *(line for line in lines if line.startswith(wanted)))
