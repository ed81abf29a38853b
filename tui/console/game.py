"""Line-by-line play of a whole game without repainting, for dumb terminals, screen readers and scripts."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, TypeVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from play.choices import Choice, OptionState
from play.controller import GameController
from play.loglines import collapse_repeats
from play.offers import OfferKind, matter_in
from play.saved_draft import back_words
from play.session import Session, StatusItem
from tui.console.reports import PlainReading
from tui.fuzzy import found_in
from tui.player_labels import waiting_words, winner_words
from tui.presenter import Presenter
from tui.status_bar import ribbon_text
from tui.terminal.sanitising import clean

_MOST_LINES: Final = 40
"""Maximum number of options printed at once; the rest can be searched."""
_HELP: Final = """\
NUMBER      take a choice, or open the list below it; the number of a ticked one (x)
            takes it back
LINE        a command in the notation, such as: done
/ WORDS     choices with these words
b           back to the list above
?           the choices again
undo        forget the last tried command
wait        go on until something happens, where the game knows how
commit      do what was tried
back        take back the last own command of the record
resign      give the match up for your side; offer draw and offer adjournment ask
            the others, resume goes on after an adjournment; stop match ends a
            match without a winner when others no longer answer
agree       to what another seat proposes; refuse does not
why LINE    the rules against a command
hand        {hand}
log         the last sentences again; log 50 more of them
since       what happened since your move
battle      the battle that is fought, or the last one
forecast X  what a battle or attack in a place would come to
{hex} what is in a place of the map
{map} the map around it
find NAME   {find}
page T      {page}; page alone names the others
goals       what wins, and what is missing
roster      every unit; roster WORDS those with these words; by STATE in front sorts
calendar    what comes when
clock       the time that is left, with a star where it runs
note {noted}
            keeps a note for you alone; without a place a line about the game;
            - instead of TEXT takes it away; notes tells them all
rules 8.45  a paragraph of the rules
verbs       every command of the notation
seat ROLE   look at another of your roles; seat alone names them
auto        answers in windows without being asked: auto pass, auto use LINE,
            auto never LINE, auto forget LINE, auto off, auto on;
            alone it tells what holds
say TEXT    a line to the table
post        write the move file, where the others are reached by files
save        where the game is kept (each command is safe at once)
quit        leave; the game can be resumed"""

_ANSWER_SECONDS: Final = 5.0
"""Seconds to wait for the host's answer before reporting the delay and reading input again."""
_NO_ANSWER: Final = "The host has not answered yet; quit leaves."
_HELP_COLUMN: Final = 11
"""Width of the command column in the help text."""

T = TypeVar("T")
Read = Callable[[str], Awaitable[str]]
"""Prints a prompt and returns the next line; raises EOFError at the end of the input."""
Write = Callable[[str], None]


class PlainGame:
    """One seat of a game, played line by line."""

    def __init__(
        self, session: Session, presenter: Presenter, read: Read, write: Write, place: str = ""
    ) -> None:
        """Create the game with no question shown yet.

        Args:
            session: The game.
            presenter: Texts of the game.
            read: Reads the next line.
            write: Prints a line, which is sanitised first.
            place: Path of the saved game, for the answer to ``save``.
        """
        self._session = session
        self._presenter = presenter
        self._reading = PlainReading(session, presenter)
        self._controller = GameController(session, presenter, self, gives_obvious=False)
        self._is_open = False
        """True while the last printed question is still current."""
        self._doubted: Command | None = None
        """The command that the player was asked to confirm by repeating it; None if there is none."""
        self._read = read
        self._write = write
        self._place = place
        self._told = 0
        """Number of log lines printed so far."""
        self._list: tuple[Choice, ...] = ()
        self._above: list[tuple[Choice, ...]] = []
        self._left = False
        self._seat: Role | None = None
        """The role that the player was last told to play."""
        self._heading = ""
        """Heading of the situation that was printed last."""
        self._seq = -1
        """Number of the last record at the time the question was shown."""
        self._alerts: tuple[StatusItem, ...] = ()
        """The match alerts that were printed last."""
        self._offered = ""
        """The last printed offer of another seat."""
        self._doubted_matter: OfferKind | None = None
        """The offer that the player was asked to confirm by repeating it; None if there is none."""
        self._drafted = 0
        """Number of draft lines before the last command was given."""
        self._hindrance = ""
        """The last known reason why commands are refused."""
        self._pending: asyncio.Task[str] | None = None
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Play until the game is over or the player leaves."""
        self._session.listen(self._changed.set)
        self.tell(self._session.title)
        self.tell("Type help for the commands.")
        for line in self._session.briefing().splitlines():
            self.tell(line)
        if left := back_words(self._session.tries_back):
            self.tell(left)
        try:
            await self._play()
        finally:
            if self._pending is not None:
                self._pending.cancel()

    async def _play(self) -> None:
        while not self._left:
            await self.others_move()
            self._news()
            if not await self._before_question():
                continue
            if self._session.outcome() is not None:
                self.tell(winner_words(self._session, self._presenter))
                return
            await self._controller.change_seat()
            if not self._show_question():
                return
            while self._is_open and not self._left:
                await self._line()

    async def _before_question(self) -> bool:
        """Print what precedes the question; return False to start over. Subclasses override this."""
        return True

    # -- printing

    def tell(self, sentence: str) -> None:
        """Print a line."""
        self._write(clean(sentence, 2000))

    def _news(self) -> None:
        lines = [line for line in self._session.log() if not line.is_draft]
        for line in collapse_repeats(lines[self._told :]):
            self.tell(f"  {line.text}")
        self._told = len(lines)
        self._session.conversation()  # marks the chat as read, because the log includes it
        for told in self._reading.account.report():
            self.tell(told)

    async def seat_changed(self, role: Role, *, needs_cover: bool) -> None:
        """Change seats at a shared keyboard without revealing the other player's hand."""
        self._reading.account.change()
        if not needs_cover:
            return
        self._told = 0
        await self._ask(f"{self._presenter.role_name(role)} to the keyboard, then Enter: ")
        self._told = len([line for line in self._session.log() if not line.is_draft])

    def _show_question(self) -> bool:
        """Print the heading, the question and its options; return False if nothing more can happen here."""
        session = self._session
        self._is_open = True
        self._seq = session.seq
        self._doubted = None
        self._list = ()
        self._above.clear()
        self._controller.update()
        view = self._controller.view
        self.tell("")
        shared = session.people if session.ruleset.is_open else session.mine
        if len(shared) > 1 and session.role != self._seat:
            self._seat = session.role
            self.tell(f"You play {self._presenter.role_name(session.role)} now.")
        self._alerts = self._alert_items()
        parts = self._presenter.ribbon(view, session.heading(), session.status())
        self.tell(ribbon_text(parts))
        if session.heading() != self._heading:
            self._heading = session.heading()
            for line in self._presenter.brief(view):
                self.tell(line)
        for line in self._presenter.battle_lines(view):
            self.tell(line)
        if clock := session.clock():
            self.tell(f"Clock: {clock}")
        decision = session.decision()
        if session.is_adjourned and session.command_resumes:
            self.tell("The match is adjourned; the next command goes on.")
        if decision is not None:
            self.tell(f"{self._presenter.prompt(decision)} ({decision.rule})")
            self._set_list(self._controller.question.lines)
            return True
        if session.is_adjourned and not session.command_resumes:
            self.tell("The match is adjourned: resume goes on.")
            return session.can_play or session.can_talk
        if session.drafted:
            self.tell(
                "Your plan is complete: commit carries it out, undo takes back the last step."
            )
            return True
        waiting = session.waiting_for()
        self.tell(waiting_words(session, self._presenter, post="post"))
        own = next(
            (role for role in waiting if role in session.mine and role != session.role), None
        )
        if own is not None:
            self.tell(f"It is your own question: 'seat {own}' goes there.")
        self._set_list(self._controller.question.lines)
        is_at_table = session.can_play and session.role is not None
        return bool(session.waiting_for()) and (is_at_table or session.can_talk)

    def _set_list(self, lines: tuple[Choice, ...]) -> None:
        self._list = lines
        over: tuple[str, ...] = ()
        for number, choice in enumerate(lines[:_MOST_LINES], start=1):
            if any(choice.over) and choice.over != over:
                self.tell(f"      {', '.join(words for words in choice.over if words)}")
            over = choice.over
            more = f"  [{choice.count} below]" if choice.is_heading else ""
            self.tell(f"{number:>4} {choice.standing or ' '}{choice.title}{more}")
        if len(lines) > _MOST_LINES:
            self.tell(f"      and {len(lines) - _MOST_LINES} more; / WORDS finds choices by name")

    # -- input

    async def _ask(self, prompt: str) -> str | None:
        """Return the next line, or None if another player acts first."""
        self._hear_offer()
        if self._pending is None:
            self._pending = asyncio.ensure_future(self._read(prompt))
        while not self._pending.done():
            bell = asyncio.create_task(self._changed.wait())
            await asyncio.wait([self._pending, bell], return_when=asyncio.FIRST_COMPLETED)
            bell.cancel()
            self._changed.clear()
            self._hear_offer()
            if not self._pending.done() and self._session.seq != self._seq:
                return None
            self._say_alerts()
            if self._session.unread:
                self._say_unread()
            self._hear_hindrance()
        task, self._pending = self._pending, None
        try:
            return clean(task.result().strip(), 2000)
        except (EOFError, asyncio.CancelledError):
            self._left = True
            return ""

    def _say_alerts(self) -> None:
        """Print the match alerts that have changed since the question was shown, including those that have ended."""
        before, self._alerts = self._alerts, self._alert_items()
        texts = {item.text for item in self._alerts}
        if texts == {item.text for item in before}:
            return
        still = {item.over for item in self._alerts}
        over = [item.over for item in before if item.over and item.over not in still]
        now = [": ".join(filter(None, (item.text, item.detail))) for item in self._alerts]
        told = [*dict.fromkeys(over), *now]
        if told:
            self.tell(f"  ({' | '.join(told)})")

    def _alert_items(self) -> tuple[StatusItem, ...]:
        return tuple(item for item in self._session.status_items() if item.is_alert)

    def _hear_hindrance(self) -> None:
        """Print the log as soon as the host stops or resumes taking commands, because the log records that."""
        hindrance = self._session.hindrance()
        if hindrance != self._hindrance:
            self._hindrance = hindrance
            self._news()

    def _say_unread(self) -> None:
        """Print new chat messages, and skip them in the log."""
        count = self._session.unread
        for line in self._session.conversation()[-count:]:
            self.tell(f"  {line}")
        self._told = len([line for line in self._session.log() if not line.is_draft])

    async def _line(self) -> None:
        """Read and carry out one line."""
        line = await self._ask("> ")
        if line is None or self._session.seq != self._seq:
            self._is_open = False  # the question may have changed meanwhile
            return
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if not word or await self._with_others(line.lower()):
            return
        if word.isdecimal():
            await self._take(int(word))
            return
        if self._tell(word.lower(), rest) or await self._turn_to_others(word.lower(), rest):
            return
        match word.lower():
            case "?":
                self._show_question()
            case "b":
                if self._above:
                    self._set_list(self._above.pop())
            case "commit" | "c" if not (rest and self._is_verb(word)):
                await self._controller.commit()
            case "wait" if not rest and self._presenter.can_wait:
                await self._wait()
            case "undo" | "u":
                self._undo()
            case "auto" if not self._is_verb(word):
                self._order(rest)
            case "seat" if not self._is_verb(word):
                self._look(rest)
            case _ if word.startswith("/"):
                self._filter(line[1:])
            case _:
                await self._notation(line)

    def _tell(self, word: str, rest: str) -> bool:
        """Answer a word that does not change the game; return False for any other word."""
        if not word.isalpha():
            return False
        is_command = bool(rest) and self._is_offered(word)
        lines = None if is_command else self._reading.answer(word, rest)
        if lines is not None:
            for line in lines:
                self.tell(line)
            return True
        if rest and self._is_verb(word):
            return False
        answer = getattr(self, f"_do_{word}", None)
        if answer is not None:
            answer()
        return answer is not None

    def _is_offered(self, word: str) -> bool:
        """Return whether a word begins a command that can be given now. Such a command takes precedence over a page."""
        verb = self._session.ruleset.notation.verb
        return any(verb(one) == word for one in self._session.offered())

    def _is_verb(self, word: str) -> bool:
        """Return whether a word is a verb of the game's commands."""
        return any(verb.word == word.lower() for verb in self._session.ruleset.notation.verbs())

    async def _take(self, number: int) -> None:
        if not 1 <= number <= len(self._list):
            self.tell(f"There is no choice {number}.")
            return
        choice = self._list[number - 1]
        if choice.is_heading:
            self._above.append(self._list)
            self.tell(f"{choice.title} (b: back)")
            self._set_list(choice.below)
        elif choice.standing is OptionState.TICKED:
            await self._controller.choose(choice)
        else:
            await self._give(choice.command)

    async def _notation(self, line: str) -> None:
        try:
            command = self._session.parse(line)
        except FlagplotError as error:
            self.tell(f"{error}. Type help for help.")
        else:
            await self._give(command)

    async def _give(self, command: Command) -> None:
        """Draft or send a command; if the rules forbid it, print them instead."""
        refusals = self._session.refusals(command)
        for refusal in refusals:
            self.tell(f"Not now. {refusal}")
        if not refusals:
            await self._controller.give(command, is_typed=True)

    def _draft_lines(self) -> list[str]:
        return [line.text for line in self._session.log(self._session.seq) if line.is_draft]

    # -- the controller's frontend

    def show_question(self) -> None:
        """Have the question printed again before the next line is read."""
        self._is_open = False

    def game_changed(self) -> None:
        """Have the other players move and the question printed again before the next line is read."""
        self._is_open = False

    def other_moved(self, complaint: str) -> None:
        """Print the events of the move."""
        self._news()
        if complaint:
            self.tell(complaint)

    async def others_move(self) -> None:
        """Let the bots in this program move."""
        await self._controller.run_others()

    def warn(self, title: str, text: str) -> None:
        """Print an expected error."""
        del title
        self.tell(text)

    def report_progress(self, sentence: str) -> None:
        """Print nothing, because the log follows anyway."""

    def report_draft(self, command: Command, words: str) -> None:
        """Print a drafted command and its effects."""
        del command
        self._above.clear()
        self.tell(words)
        for text in self._draft_lines()[self._drafted :]:
            self.tell(f"  {text}")

    def report_unticked(
        self, view: View, undone: Sequence[Command], lost: Sequence[Command]
    ) -> None:
        """Print the commands that were taken back."""
        view = self._session.view()
        for command in undone:
            self.tell(f"Undone: {self._presenter.label(view, command)}")
        for command in lost:
            self.tell(f"Not possible without it: {self._presenter.label(view, command)}")

    async def confirm(self, question: str, about: Command | OfferKind | None) -> bool:
        """Return True once the player has repeated a command or an offer. Commits and takebacks are not confirmed."""
        if about is None or about is OfferKind.TAKEBACK:
            return True
        if isinstance(about, OfferKind):
            is_sure = about is self._doubted_matter
            self._doubted_matter = None if is_sure else about
        else:
            is_sure = about == self._doubted
            self._doubted = None if is_sure else about
        if not is_sure:
            self.tell(f"{question} Give it once more to do it.")
        return is_sure

    def before_send(self) -> None:
        """Mark the start of the events since the player's own move. Automatic answers do not count as moves."""
        self._doubted = None
        self._drafted = len(self._draft_lines())
        if not self._controller.is_going_on:
            self._reading.account.move()

    async def deliver(self, request: Coroutine[Any, Any, T]) -> T | None:
        """Return the result of a request; None if the player leaves before the host has answered.

        A host that is offline answers only after it has reconnected, so the player's input is read in the meantime.

        Raises:
            FlagplotError: The command was refused.
        """
        task = asyncio.ensure_future(request)
        try:
            await asyncio.wait([task], timeout=_ANSWER_SECONDS)
            if not task.done():
                self.tell(_NO_ANSWER)
            while not task.done():
                if self._pending is None:
                    self._pending = asyncio.ensure_future(self._read("> "))
                bell = asyncio.create_task(self._changed.wait())
                waiting = [task, self._pending, bell]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                bell.cancel()
                self._changed.clear()
                self._say_alerts()
                if self._pending.done() and not task.done() and not self._stays_waiting():
                    return None
            return task.result()
        finally:
            task.cancel()

    def _stays_waiting(self) -> bool:
        """Handle a line typed while a request awaits its answer; return False if the player leaves."""
        assert self._pending is not None, "a line was typed"
        typed, self._pending = self._pending, None
        try:
            word = typed.result().strip().lower()
        except (EOFError, asyncio.CancelledError):
            word = "quit"
        if word in {"quit", "q"}:
            self._left = True
            return False
        self.tell(_NO_ANSWER)
        return True

    async def _wait(self) -> None:
        """Answer routine questions automatically until the player must choose or something happens."""
        progress = await self._controller.go_on()
        if progress.answers or progress.commits:
            self._is_open = False
        elif not self._left:
            self.tell("There is something to choose here.")

    def _undo(self) -> None:
        command = self._controller.undo()
        if command is None:
            self.tell("Nothing to undo.")
        else:
            self.tell(f"Undone: {self._session.ruleset.notation.line(command)}")

    # -- offers and chat

    def _hear_offer(self) -> None:
        """Print another seat's offer once."""
        question = self._session.offer_question()
        if question and question != self._offered:
            self.tell(f"{question} Type agree or refuse.")
        self._offered = question

    async def _with_others(self, line: str) -> bool:
        """Handle a line about offers; return False for any other line."""
        if line in {"agree", "refuse"} and self._offered:
            await self._controller.answer_offer(self._offered, agree=line == "agree")
            return True
        matter = OfferKind.TAKEBACK if line == "back" else matter_in(line)
        if matter is None or matter is OfferKind.TAKEBACK:
            self._doubted_matter = None
        if matter is not None:
            await self._controller.propose(matter)
        return matter is not None

    async def _turn_to_others(self, word: str, rest: str) -> bool:
        """Handle a word for chat or move files; return False for any other word."""
        if word == "say" and rest and not self._is_verb(word):
            await self._controller.say(rest)
        elif word == "post" and not rest and self._session.by_files:
            await self._post()
        else:
            return False
        return True

    async def _post(self) -> None:
        """Write the move file that the other players need, and print its path."""
        if self._session.drafted:
            self.tell("Commit what was tried first, or undo it.")
            return
        try:
            told = await self._session.post()
        except FlagplotError as error:
            told = str(error)
        for line in told.splitlines():
            self.tell(line)

    def _order(self, text: str) -> None:
        """Change the standing orders, and print the active ones."""
        try:
            told = self._controller.order(text)
        except FlagplotError as error:
            self.tell(str(error))
            return
        for line in told:
            self.tell(f"  {line}")

    def _look(self, name: str) -> None:
        """Switch to another role of the player, or list their roles."""
        session = self._session
        if not name:
            self.tell(f"You play {', '.join(session.mine) or 'nobody'}; shown is {session.role}.")
            return
        try:
            session.look(Role(name.lower()))
        except FlagplotError as error:
            self.tell(str(error))
            return
        self._show_question()
        self._tell("hand", "")

    def _filter(self, words: str) -> None:
        everything = self._above[0] if self._above else self._list
        if not everything or not words.strip():
            return
        hits = found_in(everything, words)
        self._above.append(self._list)
        self.tell("" if hits else "No choice has these words.")
        self._set_list(hits)

    # -- words about the program, which `_tell` finds by name

    def _do_help(self) -> None:
        presenter = self._presenter
        place = presenter.home(self._session.view()) or presenter.place_word.upper()
        words = _HELP.format(
            hand=presenter.hand_help,
            hex=f"hex {place}".ljust(_HELP_COLUMN),
            map=f"map {place}".ljust(_HELP_COLUMN),
            find=presenter.find_help,
            noted=f"{place} TEXT",
            page=dict(presenter.page_names).get("T", "the first page").lower(),
        )
        for line in words.splitlines():
            self._write(line)

    def _do_clock(self) -> None:
        self.tell(self._session.clock() or "Nobody measures the time.")

    def _do_quit(self) -> None:
        self._left = True

    def _do_save(self) -> None:
        self.tell(
            f"Every command is safe at once in {self._place}."
            if self._place
            else "This game is not kept."
        )
