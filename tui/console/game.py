"""Line-by-line play of a whole game without repainting, for dumb terminals, screen readers and scripts."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.numerals import is_count
from engine.kernel.ruleset import Command, View
from play.choices import Choice, OptionState
from play.controller import GameController
from play.log_lines import collapse_repeats
from play.offers import OfferKind, parse_offer
from play.saved_draft import restored_draft_notice
from play.session import Session, StatusItem
from tui.console.reports import PlainReports
from tui.panels.status_segments import status_bar_text
from tui.presenter.end_lines import end_lines
from tui.presenter.player_labels import waiting_text, winner_text
from tui.presenter.presenter import Presenter
from tui.terminal.sanitising import sanitise_line
from tui.text.fuzzy import filter_choices

_MAX_LINES: Final = 40
"""Maximum number of options printed at once. The player can search for further options."""
_HELP_TEXT: Final = """\
NUMBER      take this choice, or open the list below it; for a selected line (x),
            clear it
LINE        give a command, such as: done
/ WORDS     show the choices that contain these words
b           go back to the list above
?           show the choices again
undo        take back the last planned command
wait        continue until something happens (in some games)
commit      carry out your plan
back        take back your last committed command
resign      lose the match for your side
offer draw, offer adjournment
            ask the other players; resume continues an adjourned match
stop match  end a match without a winner when other players do not answer
agree       accept another player's offer; refuse declines it
why LINE    list the rules against a command
hand        {hand}
log         repeat the last log lines; log 50 shows more
since       summarise what has happened since your move
battle      show the current battle, or the last one
forecast X  forecast a battle or an attack in a place
{hex} describe a place on the map
{map} show the map around it
find NAME   {find}
page T      {page}; page lists the others
goals       how to win, and what you still need
roster      list every unit; roster WORDS those that match; roster by STATE sorts
calendar    list reinforcements and other arrivals
clock       show the clocks; a star marks the ones that are running
note {noted}
            write a private note about a place; without a place, about the game;
            - as the text deletes it; notes lists them all
rules N.N   show a paragraph of the rules
verbs       list every command
seat ROLE   look at another of your roles; seat lists them
auto        standing orders, which answer for you: auto pass, auto use LINE,
            auto never LINE, auto forget LINE, auto off, auto on;
            auto lists the current ones. In Carrier Battle: auto course strike-1
            to a (or: to home), auto course search 300, auto course cap 58.1
            until 1210, auto cancel strike-1
say TEXT    send a message to all players
post        write the move file, in a match by mail or chat
save        show where the game is saved (every command is saved at once)
quit        leave; you can resume the game later"""

_ANSWER_SECONDS: Final = 5.0
"""Seconds to wait for the host's reply before reporting the delay and reading input again."""
_NO_ANSWER: Final = "The host has not answered yet. Type quit to leave."
_HELP_COLUMN: Final = 11
"""Width of the command column in the help text."""

T = TypeVar("T")
LineReader = Callable[[str], Awaitable[str]]
"""Prints a prompt and returns the next line. Raises EOFError at the end of the input."""
LineWriter = Callable[[str], None]


class PlainGame:
    """Plays one seat of a game line by line."""

    def __init__(
        self,
        session: Session,
        presenter: Presenter,
        read: LineReader,
        write: LineWriter,
        path: str = "",
    ) -> None:
        """Create the game without showing a question.

        Args:
            session: The game.
            presenter: Converts the game to text.
            read: Reads the next line.
            write: Prints a line, which is sanitised first.
            path: Path of the saved game, which ``save`` prints.
        """
        self._session = session
        self._presenter = presenter
        self._reports = PlainReports(session, presenter)
        self._controller = GameController(session, presenter, self, takes_only_option=False)
        self._is_open = False
        """True while the player has yet to answer the question printed last."""
        self._confirmed_command: Command | None = None
        """The command that the player was asked to confirm by repeating it; None if no confirmation is pending."""
        self._read = read
        self._write = write
        self._path = path
        self._printed_line_count = 0
        """Number of log lines printed so far."""
        self._choices: tuple[Choice, ...] = ()
        self._parent_lists: list[tuple[Choice, ...]] = []
        self._has_left = False
        self._announced_role: Role | None = None
        """The role most recently announced as the player's own; None before the first announcement."""
        self._printed_heading = ""
        """The last printed heading."""
        self._question_seq = -1
        """Number of the last record when the question was printed."""
        self._printed_alerts: tuple[StatusItem, ...] = ()
        """The last printed match alerts."""
        self._printed_offer: int | None = None
        """Number of the last printed offer from another seat; None if no offer is open."""
        self._confirmed_offer: OfferKind | None = None
        """The offer that the player was asked to confirm by repeating it; None if no confirmation is pending."""
        self._printed_draft_lines = 0
        """Number of log lines in the draft when the last command was given."""
        self._blocking_problem = ""
        """The last reported reason why commands are refused; empty if they are accepted."""
        self._pending_line: asyncio.Task[str] | None = None
        self._change_event = asyncio.Event()

    async def run(self) -> None:
        """Play until the game is over or the player leaves."""
        self._session.on_change(self._change_event.set)
        self.show_message(self._session.title)
        self.show_message("Type help for the commands.")
        for line in self._session.briefing().splitlines():
            self.show_message(line)
        if notice := restored_draft_notice(self._session.drafts.restored_count):
            self.show_message(notice)
        try:
            await self._play()
        finally:
            if self._pending_line is not None:
                self._pending_line.cancel()

    async def _play(self) -> None:
        while not self._has_left:
            await self.let_others_move()
            self._print_log()
            if not await self._print_introduction():
                continue
            if self._session.outcome() is not None:
                self.show_message(winner_text(self._session, self._presenter))
                for line in end_lines(self._session, self._presenter):
                    self.show_message(line)
                return
            await self._controller.change_seat()
            if not self._show_question():
                return
            while self._is_open and not self._has_left:
                await self._handle_line()

    async def _print_introduction(self) -> bool:
        """Print the text that precedes the question.

        Return False to restart the loop without asking a question. Subclasses override this.
        """
        return True

    # -- printing

    def show_message(self, sentence: str) -> None:
        """Print a sentence as one sanitised line."""
        self._write(sanitise_line(sentence, 2000))

    def _print_log(self, *, may_continue: bool = False) -> None:
        """Print the new log lines.

        If other players may continue, hold back repeated lines at the end, which may grow.
        """
        lines = [line for line in self._session.log() if not line.is_draft]
        end = len(lines)
        while (
            may_continue
            and end > self._printed_line_count
            and lines[end - 1].text == lines[-1].text
        ):
            end -= 1
        for line in collapse_repeats(lines[self._printed_line_count : end]):
            self.show_message(f"  {line.text}")
        self._printed_line_count = end
        self._session.negotiation.read_conversation()  # the log includes the chat
        for sentence in self._reports.recap.report():
            self.show_message(sentence)

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        """Ask the next player to take the keyboard, before that player's hand is printed."""
        self._reports.recap.switch_person()
        if not needs_cover:
            return
        self._printed_line_count = 0
        await self._read_line(
            f"{self._presenter.role_name(role)}, take the keyboard and press Enter: "
        )
        self._printed_line_count = len([line for line in self._session.log() if not line.is_draft])

    def _show_question(self) -> bool:
        """Print the heading, the question and its options. Return False if nothing more can happen in this game."""
        session = self._session
        self._is_open = True
        self._question_seq = session.seq
        self._confirmed_command = None
        self._choices = ()
        self._parent_lists.clear()
        self._controller.update()
        view = self._controller.view
        self.show_message("")
        roles = session.people if session.ruleset.is_open else session.own_roles
        if len(roles) > 1 and session.role != self._announced_role:
            self._announced_role = session.role
            self.show_message(f"You play {self._presenter.role_name(session.role)} now.")
        self._printed_alerts = self._alert_items()
        parts = self._presenter.status_segments(view, session.heading(), session.status())
        self.show_message(status_bar_text(parts))
        if session.heading() != self._printed_heading:
            self._printed_heading = session.heading()
            for line in self._presenter.brief(view):
                self.show_message(line)
        for line in self._presenter.battle_lines(view):
            self.show_message(line)
        if clock := session.clock():
            self.show_message(f"Clock: {clock}")
        decision = session.decision()
        if session.is_adjourned and session.command_resumes:
            self.show_message("The match is adjourned. The next command resumes it.")
        if decision is not None:
            self.show_message(f"{self._presenter.prompt(decision)} ({decision.rule})")
            self._set_list(self._controller.question.lines)
            return True
        if session.is_adjourned and not session.command_resumes:
            self.show_message("The match is adjourned. Type resume to continue.")
            return session.can_play or session.negotiation.has_chat
        if session.draft.commands:
            self.show_message(
                "Your plan is complete. commit carries it out, undo takes back the last step."
            )
            return True
        waiting_roles = session.waiting_for()
        self.show_message(waiting_text(session, self._presenter, post="post"))
        own_waiting_role = next(
            (role for role in waiting_roles if role in session.own_roles and role != session.role),
            None,
        )
        if own_waiting_role is not None:
            self.show_message(
                f"This is your own decision: type 'seat {own_waiting_role}' to see it."
            )
        self._set_list(self._controller.question.lines)
        is_at_table = session.can_play and session.role is not None
        return bool(session.waiting_for()) and (is_at_table or session.negotiation.has_chat)

    def _set_list(self, lines: tuple[Choice, ...]) -> None:
        self._choices = lines
        headings: tuple[str, ...] = ()
        for number, choice in enumerate(lines[:_MAX_LINES], start=1):
            if any(choice.headings) and choice.headings != headings:
                self.show_message(
                    f"      {', '.join(heading for heading in choice.headings if heading)}"
                )
            headings = choice.headings
            count_text = f"  [{choice.count} below]" if choice.is_heading else ""
            mark = f"{choice.state} " if choice.state else " "
            self.show_message(f"{number:>4} {mark}{choice.title}{count_text}")
        if len(lines) > _MAX_LINES:
            self.show_message(
                f"      and {len(lines) - _MAX_LINES} more; / WORDS finds choices by name"
            )

    # -- input

    async def _read_line(self, prompt: str) -> str | None:
        """Return the next line, or None if another player acts before the line is complete."""
        self._print_offer()
        if self._pending_line is None:
            self._pending_line = asyncio.ensure_future(self._read(prompt))
        while not self._pending_line.done():
            change = asyncio.create_task(self._change_event.wait())
            await asyncio.wait([self._pending_line, change], return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
            self._change_event.clear()
            self._print_offer()
            # The line being typed is kept: the next call waits for the same task.
            if not self._pending_line.done() and self._session.seq != self._question_seq:
                return None
            self._print_alerts()
            if self._session.negotiation.unread_count:
                self._print_unread()
            self._print_blocking_change()
        task, self._pending_line = self._pending_line, None
        try:
            return sanitise_line(task.result().strip(), 2000)
        except (EOFError, asyncio.CancelledError):
            self._has_left = True
            return ""

    def _print_alerts(self) -> None:
        """Print the match alerts that have changed or ended since the question was shown."""
        previous_alerts, self._printed_alerts = self._printed_alerts, self._alert_items()
        texts = {item.text for item in self._printed_alerts}
        if texts == {item.text for item in previous_alerts}:
            return
        current_texts = {item.cleared_text for item in self._printed_alerts}
        cleared_alerts = [
            item.cleared_text
            for item in previous_alerts
            if item.cleared_text and item.cleared_text not in current_texts
        ]
        current_alerts = [
            ": ".join(filter(None, (item.text, item.detail))) for item in self._printed_alerts
        ]
        notices = [*dict.fromkeys(cleared_alerts), *current_alerts]
        if notices:
            self.show_message(f"  ({' | '.join(notices)})")

    def _alert_items(self) -> tuple[StatusItem, ...]:
        return tuple(item for item in self._session.status_items() if item.is_alert)

    def _print_blocking_change(self) -> None:
        """Print the log when the host stops or resumes accepting commands, because the log gives the reason."""
        blocking_problem = self._session.blocking_problem()
        if blocking_problem != self._blocking_problem:
            self._blocking_problem = blocking_problem
            self._print_log()

    def _print_unread(self) -> None:
        """Print new chat messages, and count them as printed so that the log does not repeat them."""
        count = self._session.negotiation.unread_count
        for line in self._session.negotiation.read_conversation()[-count:]:
            self.show_message(f"  {line}")
        self._printed_line_count = len([line for line in self._session.log() if not line.is_draft])

    async def _handle_line(self) -> None:
        """Read and carry out one line."""
        line = await self._read_line("> ")
        if line is None or self._session.seq != self._question_seq:
            self._is_open = False  # the question may have changed while the line was read
            return
        word, _, argument = line.partition(" ")
        argument = argument.strip()
        if not word or await self._handle_offer_line(line.lower()):
            return
        if is_count(word):
            await self._take_number(int(word))
            return
        if self._answer_word(word.lower(), argument) or await self._handle_chat_word(
            word.lower(), argument
        ):
            return
        match word.lower():
            case "?":
                self._show_question()
            case "b":
                if self._parent_lists:
                    self._set_list(self._parent_lists.pop())
            # Some games also have a ``commit`` command, but it takes arguments.
            case "commit" | "c" if not (argument and self._is_verb(word)):
                await self._controller.commit()
            case "wait" if not argument and self._presenter.can_wait:
                await self._auto_advance()
            case "undo" | "u":
                self._undo()
            case "auto" if not self._is_verb(word):
                await self._change_orders(argument)
            case "seat" if not self._is_verb(word):
                self._switch_role(argument)
            case "done" if not argument:
                await self._controller.finish()
            case _ if word.startswith("/"):
                self._filter_list(line[1:])
            case _:
                await self._handle_notation(line)

    def _answer_word(self, word: str, argument: str) -> bool:
        """Handle a word that does not change the game. Return False for any other word."""
        # The word becomes part of a method name below.
        if not word.isalpha():
            return False
        is_command = bool(argument) and self._is_offered(word)
        lines = None if is_command else self._reports.answer(word, argument)
        if lines is not None:
            for line in lines:
                self.show_message(line)
            return True
        if argument and self._is_verb(word):
            return False
        action = getattr(self, f"_do_{word}", None)
        if action is not None:
            action()
        return action is not None

    def _is_offered(self, word: str) -> bool:
        """Return whether a word begins a command that is offered now. Such a command takes precedence over a report."""
        verb = self._session.ruleset.notation.verb
        return any(verb(command) == word for command in self._session.offered_commands())

    def _is_verb(self, word: str) -> bool:
        """Return whether a word is a verb of the game's commands."""
        return any(verb.word == word.lower() for verb in self._session.ruleset.notation.verbs())

    async def _take_number(self, number: int) -> None:
        if not 1 <= number <= len(self._choices):
            self.show_message(f"There is no choice {number}.")
            return
        choice = self._choices[number - 1]
        if choice.is_heading:
            self._parent_lists.append(self._choices)
            self.show_message(f"{choice.title} (b: back)")
            self._set_list(choice.children)
        elif choice.state is OptionState.TICKED:
            # The command is already in the draft, so choosing its line takes it back.
            await self._controller.choose(choice)
        else:
            await self._draft_or_refuse(choice.command)

    async def _handle_notation(self, line: str) -> None:
        try:
            command = self._session.parse(line)
        except FlagplotError as error:
            self.show_message(f"{error}. Type help for a list of commands.")
        else:
            await self._draft_or_refuse(command)

    async def _draft_or_refuse(self, command: Command) -> None:
        """Draft or send a command. If the rules forbid the command, print the reasons instead."""
        refusals = self._session.refusals(command)
        for refusal in refusals:
            self.show_message(f"Not now. {refusal}")
        if not refusals:
            await self._controller.give(command, is_typed=True)

    def _draft_lines(self) -> list[str]:
        return [line.text for line in self._session.log(self._session.seq) if line.is_draft]

    # -- the controller's frontend

    def show_question(self) -> None:
        """Print the question again before the next line is read."""
        self._is_open = False

    def game_changed(self) -> None:
        """Let the other players move and print the question again before the next line is read."""
        self._is_open = False

    def show_move(self, problem: str) -> None:
        """Print the events of the move, and any problem that occurred during the move."""
        self._print_log(may_continue=True)
        if problem:
            self.show_message(problem)

    async def let_others_move(self) -> None:
        """Let the bots in this program move."""
        await self._controller.run_others()

    def warn(self, title: str, text: str) -> None:
        """Print an error message."""
        del title
        self.show_message(text)

    def report_progress(self, sentence: str) -> None:
        """Print nothing, because the log already shows the progress."""

    def report_draft(self, command: Command, message: str) -> None:
        """Print a drafted command and its effects."""
        del command
        self._parent_lists.clear()
        self.show_message(message)
        for text in self._draft_lines()[self._printed_draft_lines :]:
            self.show_message(f"  {text}")

    def report_unticked(
        self, view: View, undone_commands: Sequence[Command], lost_commands: Sequence[Command]
    ) -> None:
        """Print the commands that were taken back, and the commands that are no longer possible as a result."""
        view = self._session.view()
        for command in undone_commands:
            self.show_message(f"Undone: {self._presenter.label(view, command)}")
        for command in lost_commands:
            self.show_message(f"Not possible without it: {self._presenter.label(view, command)}")

    async def confirm(self, question: str, subject: Command | OfferKind | None) -> bool:
        """Ask the player to repeat a command or offer, and return True once the player has done so."""
        if subject is None or subject is OfferKind.TAKEBACK:
            return True
        if isinstance(subject, OfferKind):
            is_sure = subject is self._confirmed_offer
            self._confirmed_offer = None if is_sure else subject
        else:
            is_sure = subject == self._confirmed_command
            self._confirmed_command = None if is_sure else subject
        if not is_sure:
            self.show_message(f"{question} Repeat the command to confirm.")
        return is_sure

    def prepare_send(self) -> None:
        """Restart the recap of other players' moves, because the player is about to move.

        Automatic answers do not count as moves.
        """
        self._confirmed_command = None
        self._printed_draft_lines = len(self._draft_lines())
        if not self._controller.is_advancing:
            self._reports.recap.restart()

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        """Wait for a request's result and return it; None if the player leaves first.

        If the host is offline, its reply may take long, so input is still read in the meantime.

        Raises:
            FlagplotError: The command was refused.
        """
        task = asyncio.ensure_future(request)
        try:
            await asyncio.wait([task], timeout=_ANSWER_SECONDS)
            if not task.done():
                self.show_message(_NO_ANSWER)
            while not task.done():
                if self._pending_line is None:
                    self._pending_line = asyncio.ensure_future(self._read("> "))
                change = asyncio.create_task(self._change_event.wait())
                pending_changes = [task, self._pending_line, change]
                await asyncio.wait(pending_changes, return_when=asyncio.FIRST_COMPLETED)
                change.cancel()
                self._change_event.clear()
                self._print_alerts()
                if (
                    self._pending_line.done()
                    and not task.done()
                    and not self._handle_while_waiting()
                ):
                    return None
            return task.result()
        finally:
            # If the player leaves first, nothing else would wait for the request.
            task.cancel()

    def _handle_while_waiting(self) -> bool:
        """Handle a line typed while a request is pending. Return False if the player leaves."""
        assert self._pending_line is not None, "a line must have been typed"
        typed_line, self._pending_line = self._pending_line, None
        try:
            word = typed_line.result().strip().lower()
        except (EOFError, asyncio.CancelledError):
            word = "quit"
        if word in {"quit", "q"}:
            self._has_left = True
            return False
        self.show_message(_NO_ANSWER)
        return True

    async def _auto_advance(self) -> None:
        """Answer routine questions automatically until the player must choose or an event interrupts."""
        progress = await self._controller.auto_advance()
        if stop_text := self._controller.stop_text():
            self.show_message(stop_text)
        if progress.answers or progress.commits:
            self._is_open = False
        elif not self._has_left:
            self.show_message("You have to choose something here.")

    def _undo(self) -> None:
        if self._controller.undo_course():
            self.show_message("The order is as it was before.")
            return
        command = self._controller.undo()
        if command is None:
            self.show_message("Nothing to undo.")
        else:
            label = self._presenter.label(self._session.view(), command)
            self.show_message(f"Undone: {label}")

    # -- offers and chat

    def _print_offer(self) -> None:
        """Print another seat's offer, unless it has already been printed."""
        number = self._session.negotiation.offer_number
        if number is not None and number != self._printed_offer:
            question = self._session.negotiation.offer_question()
            self.show_message(f"{question} Type agree or refuse.")
        self._printed_offer = number

    async def _handle_offer_line(self, line: str) -> bool:
        """Handle a line about offers. Return False for any other line."""
        if line in {"agree", "refuse"} and self._printed_offer is not None:
            await self._controller.answer_offer(self._printed_offer, agree=line == "agree")
            return True
        offer = OfferKind.TAKEBACK if line == "back" else parse_offer(line)
        if offer is None or offer is OfferKind.TAKEBACK:
            self._confirmed_offer = None
        if offer is not None:
            await self._controller.propose(offer)
        return offer is not None

    async def _handle_chat_word(self, word: str, argument: str) -> bool:
        """Handle a word about chat or move files. Return False for any other word."""
        if word == "say" and argument and not self._is_verb(word):
            await self._controller.say(argument)
        elif word == "post" and not argument and self._session.is_by_mail:
            await self._write_move_file()
        else:
            return False
        return True

    async def _write_move_file(self) -> None:
        """Write the move file that the other players need, and print its path."""
        if self._session.draft.commands:
            self.show_message("Commit your plan first, or undo it.")
            return
        try:
            message = await self._session.write_move_file()
        except FlagplotError as error:
            message = str(error)
        for line in message.splitlines():
            self.show_message(line)

    async def _change_orders(self, text: str) -> None:
        """Change the standing orders, and print the resulting list."""
        word, _, text_rest = text.partition(" ")
        if word == "course" and text_rest and self._session.ruleset.course_help:
            if title := await self._controller.give_course(text_rest):
                self.show_message(f"{title}. wait goes on until something needs you.")
            return
        if word == "cancel" and text_rest:
            self._cancel_course(text_rest)
            return
        try:
            descriptions = self._controller.change_orders(text)
        except FlagplotError as error:
            self.show_message(str(error))
            return
        for line in descriptions:
            self.show_message(f"  {line}")

    def _cancel_course(self, subject: str) -> None:
        try:
            is_found = self._controller.cancel_course(subject)
        except FlagplotError as error:
            self.show_message(str(error))
            return
        text = (
            "Order cancelled. It waits for your commands."
            if is_found
            else "There is no such order."
        )
        self.show_message(text)

    def _switch_role(self, name: str) -> None:
        """Switch to another of the player's roles. If no role is named, list the player's roles."""
        session = self._session
        if not name:
            self.show_message(
                f"You play {', '.join(session.own_roles) or 'no role'} and see the view of {session.role}."
            )
            return
        try:
            session.view_as(Role(name.lower()))
        except FlagplotError as error:
            self.show_message(str(error))
            return
        self._show_question()
        self._answer_word("hand", "")

    def _filter_list(self, query: str) -> None:
        all_choices = self._parent_lists[0] if self._parent_lists else self._choices
        if not all_choices or not query.strip():
            return
        matches = filter_choices(all_choices, query)
        self._parent_lists.append(self._choices)
        self.show_message("" if matches else "No choice contains these words.")
        self._set_list(matches)

    # -- methods for words about the program; `_answer_word` looks them up by name

    def _do_help(self) -> None:
        presenter = self._presenter
        place = presenter.home(self._session.view()) or presenter.place_noun.upper()
        text = _HELP_TEXT.format(
            hand=presenter.hand_help,
            hex=f"hex {place}".ljust(_HELP_COLUMN),
            map=f"map {place}".ljust(_HELP_COLUMN),
            find=presenter.find_help,
            noted=f"{place} TEXT",
            page=dict(presenter.page_names).get("T", "the first page").lower(),
        )
        for line in text.splitlines():
            self._write(line)

    def _do_clock(self) -> None:
        self.show_message(self._session.clock() or "This match has no clock.")

    def _do_quit(self) -> None:
        self._has_left = True

    def _do_save(self) -> None:
        self.show_message(
            f"Every command is saved at once in {self._path}."
            if self._path
            else "This game is not saved."
        )
