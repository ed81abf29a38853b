"""Plays one seat for a screen or the console: chooses, drafts, commits and undoes commands, waits, and negotiates.

The controller needs no terminal. A `Frontend` shows the question and the messages, and asks the player to confirm.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.choices import Choice, OptionState
from play.offers import LINES, QUESTIONS, OfferKind, matter_in
from play.questions import Question, forget, question_of
from play.session import CommandResult, Session
from play.texts import GameTexts

_COMMIT: Final = Choice("Commit: carry out the plan", is_commit=True)
"""Listed first once the plan is complete, so that pressing the choice key once too often chooses nothing else."""
T = TypeVar("T")


class Frontend(Protocol):
    """The screen or the console, from the controller's point of view."""

    def show_question(self) -> None:
        """Show the current question."""

    def game_changed(self) -> None:
        """Show the question, then let the other players in this program move."""

    def other_moved(self, complaint: str) -> None:
        """Show the move of another player in this program, and any problem that occurred meanwhile."""

    async def others_move(self) -> None:
        """Let the other players in this program move until a person has to decide."""

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        """Show another role; with `needs_cover`, hide it until the next person is at the keyboard."""

    def tell(self, sentence: str) -> None:
        """Show a message."""

    def warn(self, title: str, text: str) -> None:
        """Show an expected error."""

    def report_progress(self, sentence: str) -> None:
        """Report the progress of a commit."""

    def report_draft(self, command: Command, words: str) -> None:
        """Report a drafted command."""

    def report_unticked(
        self, view: View, undone: Sequence[Command], lost: Sequence[Command]
    ) -> None:
        """Report commands removed from the draft and those lost with them, using the earlier `view` for the texts."""

    async def confirm(self, question: str, about: Command | OfferKind | None) -> bool:
        """Ask the player to confirm a command or an offer; None stands for a commit."""

    def before_send(self) -> None:
        """Prepare for sending a command."""

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        """Await a request and return its result; None if the player leaves first."""


class Progress(NamedTuple):
    """The result of answering questions automatically."""

    answers: int
    """Number of questions answered."""
    commits: int
    """Number of drafts committed."""
    news: str
    """The event that ended the waiting; empty if the player must choose or there is nothing left to do."""
    is_refused: bool = False
    """True if an answer was refused; the refusal has already been reported."""


class GameController:
    """Turns the player's choices into commands, and reports the results to a frontend."""

    def __init__(
        self, session: Session, texts: GameTexts, frontend: Frontend, *, gives_obvious: bool = True
    ) -> None:
        """Start with no question; `update` finds the first one.

        Args:
            session: The game.
            texts: Texts of the game.
            frontend: Shows the game.
            gives_obvious: After each command by the player, also draft any answer that is the only sensible one.
        """
        self.session = session
        self._texts = texts
        self._frontend = frontend
        self._gives_obvious = gives_obvious
        self.view: View = session.view()
        """The player's view at the last update."""
        self.question = Question(None, (), ())
        self.is_sending = False
        """True while a command is being sent."""
        self.is_going_on = False
        """True while questions are being answered automatically."""
        self._confirmed = ""
        """The question asked before the last commit (`GameTexts.before_commit`)."""

    # -- the question

    def update(self) -> bool:
        """Update the question. Return True if it is the same question, possibly with more or fewer lines ticked."""
        before = self.question
        self.view = self.session.view()
        self.question = question_of(self.session, self._texts, self.view)
        return self.question.mark == before.mark and bool(before.lines)

    @property
    def is_complete(self) -> bool:
        """True if the draft leaves nothing to choose."""
        session = self.session
        is_open = self.question.decision is not None or session.is_adjourned
        return bool(session.drafted) and not is_open

    @property
    def lines(self) -> tuple[Choice, ...]:
        """The lines of the question; when the draft is complete, the first one commits it."""
        return (_COMMIT, *self.question.lines) if self.is_complete else self.question.lines

    def ends(self) -> tuple[Command, ...]:
        """Return the offered commands that end the step."""
        verb = self._texts.ruleset.notation.verb
        return tuple(one for one in self.session.offered() if verb(one) == "done")

    def completions(self, prefix: str) -> tuple[str, ...]:
        """Return the completions of a typed line: commands, then offers."""
        session = self.session
        commands = session.ruleset.notation.complete(prefix, session.offered())
        matters = session.matters() if prefix.strip() else ()
        wanted = " ".join(prefix.lower().split())
        lines = (line for line, matter in LINES.items() if matter in matters)
        return (*commands, *(line for line in lines if line.startswith(wanted)))

    # -- choosing

    async def choose(self, line: Choice) -> None:
        """Act on a line of the question: give its command, untick it, or explain why it is unavailable."""
        match line.standing:
            case OptionState.TICKED:
                self.untick([line.command])
            case OptionState.BARRED:
                refusals = self.session.refusals(line.command)
                why = f" {refusals[0]}" if refusals else ""
                self._frontend.tell(f"Not possible with the ticked items.{why}")
            case OptionState.OPEN:
                await self.give(line.command)
            case OptionState.TOLD:
                pass

    async def choose_place(self, place: str, lines: Sequence[Choice]) -> tuple[Command, ...]:
        """Tick or untick the lines of a place, or give its only command. If there are several, return them instead."""
        texts, name = self._texts, self._texts.place_name(place)

        def is_there(command: Command) -> bool:
            return place in texts.places(self.view, command)

        if own := [line for line in lines if line.group and is_there(line.command)]:
            await self._tick_or_untick(own, name)
            return ()
        here = texts.plainest([one for one in offered_in(lines) if is_there(one)])
        if len(here) > 1:
            return here
        if here:
            await self.give(here[0])
        else:
            self._frontend.tell(f"Nothing to choose in {name}; w explains why.")
        return ()

    async def choose_card(self, card: str, lines: Sequence[Choice]) -> tuple[Command, ...]:
        """Tick or untick a card, or give its only command. If there are several, return them instead."""
        card_of = self._texts.card_of
        own = [line for line in lines if line.command is not None and card_of(line.command) == card]
        if ticks := [line for line in own if line.group and not line.is_aside]:
            first = next((line for line in ticks if line.standing is OptionState.OPEN), ticks[0])
            await self.choose(first)
            return ()
        offered = tuple(one for one in offered_in(lines) if card_of(one) == card)
        if len(offered) > 1:
            return offered
        if offered:
            await self.give(offered[0])
        else:
            self._frontend.tell("This card cannot be used now.")
        return ()

    async def _tick_or_untick(self, lines: Sequence[Choice], name: str) -> None:
        """Tick every open line; if none is open, untick the ticked ones."""
        are_open = [line.command for line in lines if line.standing is OptionState.OPEN]
        ticked = [line.command for line in lines if line.standing is OptionState.TICKED]
        if are_open:
            await self.give_all(are_open)
        elif ticked:
            self.untick(ticked)
        else:
            self._frontend.tell(f"Nothing more to tick in {name}; w explains why.")

    async def tick_all(self, lines: Sequence[Choice], looked: Choice | None) -> None:
        """Tick the highlighted line's group at its place or, if nothing is open there, the whole group."""
        ticks = [line for line in open_lines(lines) if line.group]
        if looked is None or not looked.group:
            looked = ticks[0] if ticks else None
        kind = [line for line in ticks if looked is not None and line.group == looked.group]
        here = [line for line in kind if looked is not None and line.over == looked.over]
        if kind:
            await self.give_all([line.command for line in here or kind])
        else:
            self._frontend.tell("There is nothing to tick.")

    async def enter(self, line: str) -> None:
        """Carry out a typed line: a command in the notation, or an offer."""
        if (matter := matter_in(line)) is not None:
            await self.propose(matter)
            return
        try:
            command = self.session.parse(line)
        except FlagplotError as error:
            self._frontend.warn("Not a command", str(error))
            return
        await self.give(command, is_typed=True)

    # -- the draft

    async def give(self, command: Command, *, is_typed: bool = False) -> None:
        """Draft or send a command, asking first if it is easily given by mistake.

        A choice that is no longer offered is ignored, because the key press may have been meant for the previous
        question. A typed command is refused instead.
        """
        session = self.session
        if not is_typed and command not in session.offered():
            return
        if objection := session.objection(command):
            self._frontend.warn("Not now", objection)
            return
        question = self._texts.warning(self.view, command, session.offered())
        if not question or await self._frontend.confirm(question, command):
            await self._give(command, is_typed=is_typed)

    async def _give(self, command: Command, *, is_typed: bool = False) -> None:
        session, texts, offered = self.session, self._texts, self.session.offered()
        if not is_typed and command not in offered:
            return
        words = texts.tried(self.view, command, offered)
        result = await self._send("Not now", partial(session.give, command))
        if result is CommandResult.SENT:
            self._frontend.game_changed()
        elif result is CommandResult.DRAFTED:
            self._frontend.show_question()
            self._frontend.report_draft(command, words)
            decision = self.question.decision
            options = decision.options if decision is not None else ()
            if self._gives_obvious:
                obvious = texts.obvious(self.view, command, options)
                if obvious is not None:
                    await self._give(obvious)

    async def give_all(self, commands: Sequence[Command]) -> None:
        """Draft commands one after another, skipping those that are no longer offered."""
        session, given, result = self.session, 0, None
        for command in commands:
            if command not in session.offered():
                continue
            result = await self._send("Not now", partial(session.give, command))
            given += result is not None
            if result is not CommandResult.DRAFTED:
                break
        left = len(commands) - given
        more = f", {left} cannot be" if left and result is CommandResult.DRAFTED else ""
        if result is CommandResult.SENT:
            self._frontend.game_changed()
        else:
            self._frontend.show_question()
        self._frontend.tell(f"{given} ticked{more}.")

    def untick(self, commands: Sequence[Command]) -> None:
        """Untick commands, wherever they are in the draft."""
        view = self.view
        undone, lost = forget(self.session, commands)
        self._frontend.show_question()
        self._frontend.report_unticked(view, undone, lost)

    def undo(self) -> Command | None:
        """Take back and return the last drafted command; None if there is none."""
        command = self.session.undo()
        if command is not None:
            self._frontend.show_question()
        return command

    async def commit(self) -> None:
        """Carry out the draft, asking first if something would be left unfinished."""
        session = self.session
        if not session.drafted:
            self._frontend.tell("Nothing planned yet.")
            return
        question = self._question_before_commit()
        if question and not await self._frontend.confirm(question, None):
            return
        if not self._may_send():
            return
        self._frontend.report_progress("Sending your plan.")
        if await self._sent("Not taken", session.commit()) is not None:
            self._frontend.report_progress("Committed.")
        self._frontend.game_changed()

    def _question_before_commit(self) -> str:
        texts = self._texts
        if self.session.decision() and (question := texts.unfinished(self.view)):
            return question
        question, before = texts.before_commit(self.view), self._confirmed
        self._confirmed = question
        return "" if question == before else question

    # -- sending

    def _may_send(self) -> bool:
        """Reserve the connection; return False if an earlier command is still being sent."""
        if self.is_sending:
            self._frontend.tell("Still sending; waiting for the host's answer.")
            return False
        self.is_sending = True
        self._frontend.before_send()
        return True

    async def _sent(self, title: str, request: Coroutine[Any, Any, T]) -> T | None:
        """Await a request and release the connection. If it is refused, report that and return None."""
        try:
            return await self._frontend.deliver(request)
        except FlagplotError as error:
            self._frontend.warn(title, str(error))
            return None
        finally:
            self.is_sending = False

    async def _send(self, title: str, request: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        """Send what the player chose. If it is refused, report that and return None."""
        # keys pressed while questions are answered automatically were meant for an earlier question
        if self.is_going_on:
            self._frontend.tell("The game is still moving; choose when it stops.")
            return None
        return await self._sent(title, request()) if self._may_send() else None

    # -- waiting, and other players in this program

    async def go_on(self) -> Progress:
        """Answer routine questions automatically until the player must choose or something happens."""
        self.is_going_on = True
        try:
            return await self._go_on()
        finally:
            self.is_going_on = False

    async def _go_on(self) -> Progress:
        session, texts = self.session, self._texts
        answers, commits, news, since = 0, 0, "", session.seq
        while not news:
            decision = session.decision()
            answer = None if decision is None else texts.waiting(session.view(), decision)
            if answer is None and (decision is not None or not session.drafted):
                break
            if not self._may_send():
                return Progress(answers, commits, news, is_refused=True)
            request = session.commit() if answer is None else session.give(answer)
            if await self._sent("Not now", request) is None:
                return Progress(answers, commits, news, is_refused=True)
            answers += answer is not None
            commits += answer is None
            await self._frontend.others_move()
            news, since = texts.interruption(session.events(since)), session.seq
        return Progress(answers, commits, news)

    async def run_others(self) -> None:
        """Let the bots and standing orders in this program move until a person has to decide.

        Raises:
            FlagplotError: The game cannot continue here, for example because the disk is full.
        """
        while await self.session.advance():
            self._frontend.other_moved(self.session.complaint())
            # let the frontend handle input between bot moves
            await asyncio.sleep(0)

    async def change_seat(self) -> bool:
        """Show the role that has to decide now; return False if it is already shown."""
        session = self.session
        role = session.next_person()
        if role is None:
            return False
        is_same = role in session.mine
        session.sit_down(role)
        await self._frontend.seat_changed(
            role, needs_cover=not (is_same or session.ruleset.is_open)
        )
        return True

    def next_role(self) -> Role | None:
        """Show the player's next role and return it; None if they play only one."""
        session = self.session
        mine = session.mine
        if len(mine) <= 1 or session.role is None:
            return None
        role = mine[(mine.index(session.role) + 1) % len(mine)]
        session.look(role)
        self._frontend.show_question()
        return role

    def order(self, text: str) -> tuple[str, ...]:
        """Apply a change to the standing orders, unless the text is empty, and return the active orders in words.

        Raises:
            FlagplotError: The text is not an order, or the order cannot be saved.
        """
        told = self.session.order(text)
        if text:
            self._frontend.game_changed()
        return told

    # -- the other players

    async def propose(self, matter: OfferKind) -> None:
        """Make an offer to the other players once the player has confirmed it."""
        if not await self._frontend.confirm(QUESTIONS[matter], matter):
            return
        try:
            answer = await self._frontend.deliver(self.session.propose(matter))
        except FlagplotError as error:
            self._frontend.tell(str(error))
            return
        self._frontend.show_question()
        if answer:
            self._frontend.tell(answer)

    async def answer_offer(self, question: str, *, agree: bool) -> None:
        """Answer an offer if it is still the one that the player was asked about."""
        if self.session.offer_question() != question:
            self._frontend.tell("That proposal is no longer open.")
            return
        await self._tell_failure(self.session.answer_offer(agree=agree))

    async def say(self, text: str) -> None:
        """Send a chat message to the other players."""
        await self._tell_failure(self.session.say(text))

    async def _tell_failure(self, request: Coroutine[Any, Any, None]) -> None:
        try:
            await self._frontend.deliver(request)
        except FlagplotError as error:
            self._frontend.tell(str(error))


def open_lines(lines: Sequence[Choice]) -> tuple[Choice, ...]:
    """Return the lines that can be chosen or ticked now, except the any-time commands."""
    return tuple(line for line in lines if not line.is_aside and line.standing is OptionState.OPEN)


def offered_in(lines: Sequence[Choice]) -> tuple[Command, ...]:
    """Return the commands at and below the open lines."""
    return tuple(command for line in open_lines(lines) for command in line.commands())
