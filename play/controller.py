"""Plays one seat for a screen or the console: chooses, drafts, commits and undoes commands, waits, and negotiates.

The controller needs no terminal. A `Frontend` shows the question and messages, and asks the player to confirm.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.choices import Choice, Consequence, OptionState
from play.offers import CONFIRMATION_QUESTIONS, OFFERS_BY_LINE, OfferKind, parse_offer
from play.questions import Question, build_question, undo_commands
from play.session import CommandResult, Session
from play.texts import GameTexts

_COMMIT_CHOICE: Final = Choice("Commit: carry out the plan", is_commit=True)
"""Listed first once the plan is complete, so that an extra key press cannot choose anything else."""
_MAX_REASONS: Final = 2
"""Maximum number of reasons given for a step that cannot end yet."""
T = TypeVar("T")


class Frontend(Protocol):
    """The methods that a screen or the console must provide for the controller."""

    def show_question(self) -> None:
        """Show the current question."""

    def game_changed(self) -> None:
        """Show the question after a change in the game, then let the other players in this program move."""

    def show_move(self, problem: str) -> None:
        """Show another player's move in this program, and any problem that occurred during the move."""

    async def let_others_move(self) -> None:
        """Let the other players in this program move until a person has to decide."""

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        """Show another role. If `needs_cover` is True, hide the game until the next person is at the keyboard."""

    def show_message(self, sentence: str) -> None:
        """Show a message."""

    def warn(self, title: str, text: str) -> None:
        """Show why an action is not possible."""

    def report_progress(self, sentence: str) -> None:
        """Report the progress of a commit."""

    def report_draft(self, command: Command, text: str) -> None:
        """Report a drafted command."""

    def report_unticked(
        self, view: View, undone_commands: Sequence[Command], lost_commands: Sequence[Command]
    ) -> None:
        """Report the commands removed from the draft and the commands lost as a result.

        Describe both using `view`, the player's view before the removal.
        """

    async def confirm(self, question: str, subject: Command | OfferKind | None) -> bool:
        """Ask the player to confirm a command, an offer or, if `subject` is None, a commit. Return whether they do."""

    def prepare_send(self) -> None:
        """Prepare the display for sending a command."""

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        """Await a request and return its result, or None if the player leaves while waiting."""


class AutoAdvanceResult(NamedTuple):
    """The result of :meth:`GameController.auto_advance`: the actions it took, and the reason why it stopped."""

    answers: int
    """Number of decisions answered."""
    commits: int
    """Number of drafts committed."""
    news: str
    """A sentence about the event that interrupted the automatic answers; empty if there was none."""
    is_refused: bool = False
    """True if an answer or commit was refused. The refusal has already been reported."""


class GameController:
    """Turns the player's choices into commands, and reports the results to a frontend."""

    def __init__(
        self,
        session: Session,
        texts: GameTexts,
        frontend: Frontend,
        *,
        takes_only_option: bool = True,
    ) -> None:
        """Create a controller. Call `update` before the first question can be shown.

        Args:
            session: The game.
            texts: Texts of the game.
            frontend: Shows the game.
            takes_only_option: After each of the player's commands, also draft the next answer if only one answer is
                sensible.
        """
        self.session = session
        self._texts = texts
        self._frontend = frontend
        self._takes_only_option = takes_only_option
        self.view: View = session.view()
        """The player's view at the last update."""
        self.question = Question(None, (), ())
        self.is_sending = False
        """True while a command is being sent."""
        self.is_advancing = False
        """True while decisions are being answered automatically."""
        self._noticed_draft_size = 0
        """Size of the draft at the latest `closed_step_notice`. The notice is not shown twice in a row."""
        self._last_commit_question = ""
        """The latest result of `GameTexts.commit_question`. The same question is not asked twice in a row."""

    # -- the question

    def update(self) -> bool:
        """Update the view and the question. Return True if only the ticks in the question have changed."""
        question_before = self.question
        self.view = self.session.view()
        self.question = build_question(self.session, self._texts, self.view)
        return self.question.key == question_before.key and bool(question_before.lines)

    @property
    def is_complete(self) -> bool:
        """True if the plan is complete, that is, commands have been drafted and nothing is left to choose."""
        session = self.session
        is_open = self.question.decision is not None or session.is_adjourned
        return bool(session.draft.commands) and not is_open

    @property
    def lines(self) -> tuple[Choice, ...]:
        """The question's lines. If the draft is complete, the first line commits it."""
        return (_COMMIT_CHOICE, *self.question.lines) if self.is_complete else self.question.lines

    def is_safe(self, line: Choice) -> bool:
        """Return whether a line can be chosen by mistake without harm: the choice can be undone and costs nothing.

        If the question has only one answer, that answer is safe, because the player cannot continue without it.
        """
        if line.is_commit or line.is_heading or line.state is not OptionState.OPEN:
            return True
        texts, command, decision = self._texts, line.command, self.question.decision
        if decision is None or command not in decision.options:  # an any-time command
            return False
        if len(decision.options) == 1 or not decision.draft:
            return True
        tick = texts.tick(self.view, command)
        # A cost counts as a loss if the player may decline it.
        is_cost = tick is not None and tick.is_cost and bool(self.ending_commands())
        consequence = self._consequence(command, self.session.offered_commands())
        if is_cost or line.loss or consequence.loss or consequence.question:
            return False
        return not self.session.draft.commits_at_once(command)

    def ending_commands(self) -> tuple[Command, ...]:
        """Return the commands on offer that end the step."""
        return self._texts.step_ends(self.view, self.session.offered_commands())

    async def finish(self) -> None:
        """End the step, or commit a complete plan.

        Ask before a loss. If neither is possible, show the reason. If the last command has already ended its step, show
        a notice first, because the player may have meant that step.
        """
        texts, ending_commands = self._texts, self.ending_commands()
        decision = self.question.decision
        draft = self.session.draft.commands
        if draft and len(draft) != self._noticed_draft_size:
            notice = texts.closed_step_notice(self.view, draft[-1])
            if notice:
                self._noticed_draft_size = len(draft)
                self._frontend.show_message(notice)
                return
        if len(ending_commands) == 1:
            (command,) = ending_commands
            offered_commands = self.session.offered_commands()
            consequence = self._consequence(command, offered_commands)
            # `give` asks the command's own question.
            if consequence.loss and not consequence.question:
                question = (
                    f"{texts.label(self.view, command)}: {consequence.loss}. Continue anyway?"
                )
                if not await self._frontend.confirm(question, command):
                    return
            await self.give(command)
        elif self.is_complete:
            await self.commit()
        elif decision is not None:
            step_end = texts.step_end(self.view)
            refusals = () if step_end is None else self.session.refusals(step_end)
            reasons = "; ".join(map(str, refusals[:_MAX_REASONS]))
            self._frontend.show_message(
                f"Not yet. {reasons}." if reasons else f"Not finished: {texts.prompt(decision)}."
            )

    def completions(self, prefix: str) -> tuple[str, ...]:
        """Return the possible completions of a typed line: commands first, then offers."""
        session = self.session
        commands = session.ruleset.notation.complete(prefix, session.offered_commands())
        offers = session.available_offers() if prefix.strip() else ()
        typed_text = " ".join(prefix.lower().split())
        lines = (line for line, offer in OFFERS_BY_LINE.items() if offer in offers)
        return (*commands, *(line for line in lines if line.startswith(typed_text)))

    # -- choosing

    async def choose(self, line: Choice) -> None:
        """Handle the choice of a line: give its command, untick it, or explain why it is unavailable."""
        match line.state:
            case OptionState.TICKED:
                self.untick([line.command])
            case OptionState.BARRED:
                refusals = self.session.refusals(line.command)
                reason = f" {refusals[0]}" if refusals else ""
                self._frontend.show_message(f"Not possible with the current selection.{reason}")
            case OptionState.OPEN:
                await self.give(line.command)
            case OptionState.READ_ONLY:
                pass

    async def choose_place(self, place: str, lines: Sequence[Choice]) -> tuple[Command, ...]:
        """Tick or untick a place's lines, or give the place's only command.

        If the place has several commands, return the commands instead.
        """
        texts, name = self._texts, self._texts.place_name(place)

        def is_there(command: Command) -> bool:
            return place in texts.places(self.view, command)

        if place_lines := [line for line in lines if line.group and is_there(line.command)]:
            await self._tick_or_untick(place_lines, name)
            return ()
        commands = texts.likeliest_commands(
            [command for command in open_commands(lines) if is_there(command)]
        )
        if len(commands) > 1:
            return commands
        if commands:
            await self.give(commands[0])
        else:
            self._frontend.show_message(f"Nothing to choose in {name}; w explains why.")
        return ()

    async def choose_card(self, card: str, lines: Sequence[Choice]) -> tuple[Command, ...]:
        """Tick or untick a card, or give the card's only command.

        If the card has several commands, return the commands instead.
        """
        card_of = self._texts.card_id
        card_lines = [
            line for line in lines if line.command is not None and card_of(line.command) == card
        ]
        if ticks := [line for line in card_lines if line.group and not line.is_any_time]:
            first_open = next((line for line in ticks if line.state is OptionState.OPEN), ticks[0])
            await self.choose(first_open)
            return ()
        card_commands = tuple(
            command for command in open_commands(lines) if card_of(command) == card
        )
        if len(card_commands) > 1:
            return card_commands
        if card_commands:
            await self.give(card_commands[0])
        else:
            self._frontend.show_message("This card cannot be used now.")
        return ()

    async def _tick_or_untick(self, lines: Sequence[Choice], name: str) -> None:
        """Tick every line that is open. If none is, untick the ticked lines."""
        unticked_commands = [line.command for line in lines if line.state is OptionState.OPEN]
        ticked_commands = [line.command for line in lines if line.state is OptionState.TICKED]
        if unticked_commands:
            await self.give_all(unticked_commands)
        elif ticked_commands:
            self.untick(ticked_commands)
        else:
            self._frontend.show_message(f"Nothing more to select in {name}; w explains why.")

    async def tick_all(self, lines: Sequence[Choice], highlighted: Choice | None) -> None:
        """Tick the highlighted line's group at its place. If all lines there are ticked, tick the whole group.

        For a heading, tick everything below it.
        """
        if highlighted is not None and highlighted.is_heading:
            lower_items = [
                command
                for command in highlighted.commands()
                if self._texts.tick(self.view, command) is not None
            ]
            if lower_items:
                await self.give_all(lower_items, reports_skipped=False)
                return
        ticks = [line for line in open_lines(lines) if line.group]
        if highlighted is None or not highlighted.group:
            highlighted = ticks[0] if ticks else None
        group_lines = [
            line for line in ticks if highlighted is not None and line.group == highlighted.group
        ]
        place_lines = [
            line
            for line in group_lines
            if highlighted is not None and line.headings == highlighted.headings
        ]
        if group_lines:
            await self.give_all([line.command for line in place_lines or group_lines])
        else:
            self._frontend.show_message("There is nothing to select.")

    async def enter(self, line: str) -> None:
        """Carry out a typed line: a command in the notation, or an offer."""
        if (offer := parse_offer(line)) is not None:
            await self.propose(offer)
            return
        try:
            command = self.session.parse(line)
        except FlagplotError as error:
            self._frontend.warn("Not a command", str(error))
            return
        await self.give(command, is_typed=True)

    # -- the draft

    async def give(self, command: Command, *, is_typed: bool = False) -> None:
        """Draft or send a command. If the command is easily given by mistake, ask for confirmation first.

        A choice that is no longer offered is ignored, because the player may have pressed the key for the previous
        question. A typed command, in contrast, is refused.
        """
        session = self.session
        if not is_typed and command not in session.offered_commands():
            return
        if objection := session.objection(command):
            self._frontend.warn("Not now", objection)
            return
        if session.prepare_end(command):
            self.view = session.view()
        # Check the objection first, so that the player is not asked to confirm a command that would
        # be refused.
        question = self._consequence(command, session.offered_commands()).question
        if not question or await self._frontend.confirm(question, command):
            await self._give(command, is_typed=is_typed)
        else:
            session.draft.drop_preparation()
            self.view = session.view()

    def _consequence(self, command: Command, offered_commands: Sequence[Any]) -> Consequence:
        """Return what a command gives up, or why it may be a mistake."""
        decision = self.question.decision
        default = None if decision is None else decision.default
        return self._texts.consequence(self.view, command, offered_commands, default)

    async def _give(self, command: Command, *, is_typed: bool = False) -> None:
        session, texts, offered_commands = (
            self.session,
            self._texts,
            self.session.offered_commands(),
        )
        # The options may have changed while the player was reading the confirmation question.
        if not is_typed and command not in offered_commands:
            return
        # Build the message before giving the command, because the command changes the view and the
        # options.
        message = texts.draft_message(self.view, command, offered_commands)
        result = await self._send("Not now", partial(session.give, command))
        if result is CommandResult.SENT:
            self._frontend.game_changed()
            await self._repeat(command, offered_commands)
        elif result is CommandResult.DRAFTED:
            self._frontend.show_question()
            self._frontend.report_draft(command, message)
            self._report_draft_news(len(session.draft.entries) - 1)
            decision = self.question.decision
            options = decision.options if decision is not None else ()
            if self._takes_only_option:
                follow_up = texts.only_follow_up(self.view, command, options)
                if follow_up is not None:
                    await self._give(follow_up)

    async def _repeat(self, command: Command, offered_commands: Sequence[Command]) -> None:
        """Answer the following decisions if the player's last command implies the answers."""
        session, texts, role = self.session, self._texts, self.session.role
        if not (isinstance(command, texts.repeating_commands) and session.repeats_answers):
            return
        answers: list[Command] = []
        while True:
            # The frontend first answers decisions with only one possible answer.
            await self._frontend.let_others_move()
            decision = session.decision()
            if decision is None or session.role != role or self.is_sending:
                break
            answer = texts.repeated_answer(
                session.view(), command, offered_commands, decision.options
            )
            if answer is None:
                break
            # This command is not reported to the frontend, because it belongs to the player's last
            # command.
            self.is_sending = True
            if await self._await_request("Not now", session.give(answer)) is None:
                break
            answers.append(answer)
        if answers:
            self._frontend.game_changed()
            if message := texts.repeat_message(answers):
                self._frontend.show_message(message)

    async def give_all(self, commands: Sequence[Command], *, reports_skipped: bool = True) -> None:
        """Draft commands one after another. Skip commands that are no longer offered."""
        session, given_count, result = self.session, 0, None
        drafted_count = len(session.draft.entries)
        for command in commands:
            if command not in session.offered_commands():
                continue
            result = await self._send("Not now", partial(session.give, command))
            given_count += result is not None
            # After a refusal or a commit, the remaining commands do not answer the open question.
            if result is not CommandResult.DRAFTED:
                break
        skipped_count = len(commands) - given_count if reports_skipped else 0
        skipped_text = (
            f", {skipped_count} cannot be"
            if skipped_count and result is CommandResult.DRAFTED
            else ""
        )
        if result is CommandResult.SENT:
            self._frontend.game_changed()
        else:
            self._frontend.show_question()
        self._frontend.show_message(f"{given_count} ticked{skipped_text}.")
        self._report_draft_news(drafted_count)

    def _report_draft_news(self, first: int) -> None:
        """Report the side effects of the drafted commands from the given entry on."""
        events = [event for entry in self.session.draft.entries[first:] for event in entry.events]
        if news := self._texts.draft_news(events):
            self._frontend.show_message(news)

    def untick(self, commands: Sequence[Command]) -> None:
        """Untick commands, wherever they are in the draft."""
        view = self.view
        undone_commands, lost_commands = undo_commands(self.session, commands)
        self._frontend.show_question()
        self._frontend.report_unticked(view, undone_commands, lost_commands)

    async def give_course(self, text: str) -> str:
        """Give a course order. If it may cause a loss, ask for confirmation first.

        Return the order's name, or an empty text if no order was given.
        """
        question = self._texts.course_question(self.view, text)
        if question and not await self._frontend.confirm(question, None):
            return ""
        try:
            course = await self.session.give_course(text)
        except FlagplotError as error:
            self._frontend.warn("Not ordered", str(error))
            return ""
        self._frontend.game_changed()
        return self._texts.course_title(self.view, course)

    def cancel_course(self, subject: str) -> bool:
        """Cancel the course order for a piece. Return False if there is none.

        Raises:
            FlagplotError: The change cannot be saved.
        """
        is_found = self.session.cancel_course(subject)
        self._frontend.game_changed()
        return is_found

    def undo_course(self) -> bool:
        """Undo the last change of course orders, unless more has been drafted since. Return False if there is none."""
        try:
            is_undone = self.session.undo_course()
        except FlagplotError as error:
            self._frontend.show_message(str(error))
            return True
        if is_undone:
            self._frontend.show_question()
        return is_undone

    def stop_text(self) -> str:
        """Return the reasons why course orders now need the player's attention; empty if none does."""
        return " ".join(reason for _, reason in self.session.course_stops())

    def undo(self) -> Command | None:
        """Undo the last drafted command and return it, or return None if the draft is empty."""
        command = self.session.draft.undo()
        if command is not None:
            self._frontend.show_question()
        return command

    async def commit(self) -> None:
        """Carry out the draft. If it would leave something unfinished, ask for confirmation first."""
        session = self.session
        if not session.draft.commands:
            self._frontend.show_message("Nothing planned yet.")
            return
        question = self._question_before_commit()
        if question and not await self._frontend.confirm(question, None):
            return
        if not self._reserve_connection():
            return
        self._frontend.report_progress("Sending your plan.")
        # Always show the game again, because even a refused commit may have carried out part of the
        # plan.
        if await self._await_request("Not taken", session.commit()) is not None:
            self._frontend.report_progress("Committed.")
        self._frontend.game_changed()

    def _question_before_commit(self) -> str:
        texts = self._texts
        if self.session.decision() and (question := texts.unfinished_question(self.view)):
            return question
        question, previous_question = texts.commit_question(self.view), self._last_commit_question
        self._last_commit_question = question
        return "" if question == previous_question else question

    # -- sending

    def _reserve_connection(self) -> bool:
        """Mark the connection as in use. Return False if an earlier command is still being sent."""
        if self.is_sending:
            self._frontend.show_message("Still sending; waiting for the host's answer.")
            return False
        self.is_sending = True
        self._frontend.prepare_send()
        return True

    async def _await_request(self, title: str, request: Coroutine[Any, Any, T]) -> T | None:
        """Await a request, release the connection, and return the result.

        If the request is refused, report the refusal and return None.
        """
        try:
            return await self._frontend.deliver(request)
        except FlagplotError as error:
            self._frontend.warn(title, str(error))
            return None
        finally:
            self.is_sending = False

    async def _send(self, title: str, request: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        """Send the player's choice and return the result. If it is refused, report that and return None."""
        # Keys pressed while decisions are answered automatically were meant for an earlier
        # decision.
        if self.is_advancing:
            self._frontend.show_message(
                "The game is advancing automatically; choose when it stops."
            )
            return None
        return await self._await_request(title, request()) if self._reserve_connection() else None

    # -- waiting, and other players in this program

    async def auto_advance(self) -> AutoAdvanceResult:
        """Answer routine questions and commit complete drafts until the player must choose or an event interrupts."""
        self.is_advancing = True
        try:
            return await self._auto_advance()
        finally:
            self.is_advancing = False

    async def _auto_advance(self) -> AutoAdvanceResult:
        session, texts = self.session, self._texts
        answers, commits, news, last_seq = 0, 0, "", session.seq
        while not news:
            answer = self._routine_answer()
            decision = session.decision()
            # A draft that answers all open decisions is committed, because other players move only
            # after the commit.
            if answer is None and (decision is not None or not session.draft.commands):
                break
            # _send() cannot be used here, because it rejects all choices while the game is
            # advancing.
            if not self._reserve_connection():
                return AutoAdvanceResult(answers, commits, news, is_refused=True)
            request = session.commit() if answer is None else session.give(answer)
            if await self._await_request("Not now", request) is None:
                return AutoAdvanceResult(answers, commits, news, is_refused=True)
            answers += answer is not None
            commits += answer is None
            await self._frontend.let_others_move()
            await session.settle()
            events, last_seq = session.records.events(last_seq), session.seq
            news = texts.interruption(events, has_courses=bool(session.orders.courses))
        return AutoAdvanceResult(answers, commits, news)

    def _routine_answer(self) -> Command | None:
        """Return the answer to the open decision while the player waits; None if the player must choose.

        If the answer ends the step, first draft the commands that course orders give before the step ends.
        """
        session = self.session
        if session.decision() is None:
            return None
        is_prepared = any(session.prepare_end(command) for command in self.ending_commands())
        decision = session.decision()
        answer = (
            None
            if decision is None
            else self._texts.automatic_answer_while_waiting(session.view(), decision)
        )
        if is_prepared and (answer is None or answer not in self.ending_commands()):
            session.draft.drop_preparation()
        return answer

    async def run_others(self) -> None:
        """Let this program's bots and standing orders move until a person has to decide.

        Raises:
            FlagplotError: The game cannot continue here, for example because the disk is full.
        """
        while await self.session.advance():
            self._frontend.show_move(self.session.pop_problem())
            # Let the frontend process input between bot moves.
            await asyncio.sleep(0)

    async def change_seat(self) -> bool:
        """Switch to the role that has to decide now. Return False if that role is already shown."""
        session = self.session
        role = session.next_role_to_show()
        if role is None:
            return False
        is_same = role in session.own_roles
        session.switch_role(role)
        await self._frontend.seat_changed(
            role, needs_cover=not (is_same or session.ruleset.is_open)
        )
        return True

    def next_role(self) -> Role | None:
        """Switch to the player's next role and return it. Return None if the player has only one role."""
        session = self.session
        own_roles = session.own_roles
        if len(own_roles) <= 1 or session.role is None:
            return None
        role = own_roles[(own_roles.index(session.role) + 1) % len(own_roles)]
        session.view_as(role)
        self._frontend.show_question()
        return role

    def change_orders(self, text: str) -> tuple[str, ...]:
        """Change the standing orders if the text is not empty. Return the active orders in words.

        Raises:
            FlagplotError: The text is not an order, or the order cannot be saved.
        """
        descriptions = self.session.orders.change(text)
        if text:
            self._frontend.game_changed()
        return descriptions

    # -- the other players

    async def propose(self, offer: OfferKind) -> None:
        """Ask the player for confirmation, then make an offer to the other players."""
        if not await self._frontend.confirm(CONFIRMATION_QUESTIONS[offer], offer):
            return
        try:
            answer = await self._frontend.deliver(self.session.negotiation.propose(offer))
        except FlagplotError as error:
            self._frontend.show_message(str(error))
            return
        self._frontend.show_question()
        if answer:
            self._frontend.show_message(answer)

    async def answer_offer(self, number: int | None, *, agree: bool) -> None:
        """Answer an offer, provided that it is still the offer that was shown to the player.

        Args:
            number: :attr:`Negotiation.offer_number` when the offer was shown. The words of the question may be the same
                for two offers, although the position has changed.
            agree: True to agree.
        """
        if number is None or self.session.negotiation.offer_number != number:
            self._frontend.show_message("That proposal is no longer open.")
            return
        await self._report_failure(self.session.negotiation.answer_offer(agree=agree))

    async def say(self, text: str) -> None:
        """Send a chat message to the other players."""
        await self._report_failure(self.session.negotiation.say(text))

    async def _report_failure(self, request: Coroutine[Any, Any, None]) -> None:
        try:
            await self._frontend.deliver(request)
        except FlagplotError as error:
            self._frontend.show_message(str(error))


def open_lines(lines: Sequence[Choice]) -> tuple[Choice, ...]:
    """Return the lines that can be chosen or ticked now, except any-time commands."""
    return tuple(line for line in lines if not line.is_any_time and line.state is OptionState.OPEN)


def open_commands(lines: Sequence[Choice]) -> tuple[Command, ...]:
    """Return the commands of the open lines, including those in sublists."""
    return tuple(command for line in open_lines(lines) for command in line.commands())
