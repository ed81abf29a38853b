"""Line-by-line play of a whole game, without repainting: for dumb terminals, screen readers and scripts."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from play.choices import Choice, Standing
from play.loglines import folded
from play.offers import QUESTIONS, Matter, matter_in
from play.session import CommandResult, Session, StatusItem
from play.tries import back_words
from tui.asking import forget, found_in, question_of
from tui.clean import clean
from tui.people import waiting_words, winner_words
from tui.plain_reading import PlainReading
from tui.presenter import Presenter
from tui.ribbon import ribbon_text

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
"""How long to wait for the host's answer before reporting the delay and reading input again."""
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
        """Prepare to play.

        Args:
            session: The game.
            presenter: Texts of the game.
            read: Reads the next line.
            write: Prints a line, which is sanitised first.
            place: Where the game is saved, for the answer to ``save``.
        """
        self._session = session
        self._presenter = presenter
        self._reading = PlainReading(session, presenter)
        self._doubted: Any = None
        """A command for which the player was asked to confirm once."""
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
        """Heading under which the situation was last printed."""
        self._seq = -1
        """Number of the last record when the question was shown."""
        self._alerts: tuple[StatusItem, ...] = ()
        """The match alerts printed last."""
        self._offered = ""
        """The offer of another seat, as printed."""
        self._doubted_matter: Matter | None = None
        """The offer that the player was asked to confirm once."""
        self._hindrance = ""
        """The last known reason why no command can be given."""
        self._pending: asyncio.Task[str] | None = None
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Play until the game is over or the player leaves."""
        self._session.listen(self._changed.set)
        self._say(self._session.title)
        self._say("Type help for the commands.")
        for line in self._session.briefing().splitlines():
            self._say(line)
        if left := back_words(self._session.tries_back):
            self._say(left)
        try:
            await self._play()
        finally:
            if self._pending is not None:
                self._pending.cancel()

    async def _play(self) -> None:
        while not self._left:
            await self._others()
            self._news()
            if not await self._before_question():
                continue
            if self._session.outcome() is not None:
                self._over()
                return
            await self._hand_over()
            if not self._show_question():
                return
            stay = True
            while stay and not self._left:
                stay = await self._line()

    async def _before_question(self) -> bool:
        """Print whatever precedes the question; return False to start over. Derived classes implement this."""
        return True

    # -- printing

    def _say(self, text: str) -> None:
        self._write(clean(text, 2000))

    def _news(self) -> None:
        lines = [line for line in self._session.log() if not line.is_draft]
        for line in folded(lines[self._told :]):
            self._say(f"  {line.text}")
        self._told = len(lines)
        self._session.conversation()  # marks the chat as read, since it is part of the log
        for told in self._reading.account.report():
            self._say(told)

    def _over(self) -> None:
        self._say(winner_words(self._session, self._presenter))

    async def _hand_over(self) -> None:
        """Change seats at a shared keyboard, without showing the other player's hand."""
        role = self._session.next_person()
        if role is None:
            return
        is_same = role in self._session.mine
        self._session.sit_down(role)
        self._reading.account.change()
        if is_same or self._session.ruleset.is_open:
            return
        self._told = 0
        await self._ask(f"{self._presenter.role_name(role)} to the keyboard, then Enter: ")
        self._told = len([line for line in self._session.log() if not line.is_draft])

    def _show_question(self) -> bool:
        """Print the heading, the question and its options; return False if nothing can follow."""
        session = self._session
        self._seq = session.seq
        self._doubted = None
        self._list = ()
        self._above.clear()
        view = session.view()
        self._say("")
        shared = session.people if session.ruleset.is_open else session.mine
        if len(shared) > 1 and session.role != self._seat:
            self._seat = session.role
            self._say(f"You play {self._presenter.role_name(session.role)} now.")
        self._alerts = self._alert_items()
        parts = self._presenter.ribbon(view, session.heading(), session.status())
        self._say(ribbon_text(parts))
        if session.heading() != self._heading:
            self._heading = session.heading()
            for line in self._presenter.brief(view):
                self._say(line)
        for line in self._presenter.battle_lines(view):
            self._say(line)
        if clock := session.clock():
            self._say(f"Clock: {clock}")
        decision = session.decision()
        if session.is_adjourned and session.command_resumes:
            self._say("The match is adjourned; the next command goes on.")
        if decision is not None:
            self._say(f"{self._presenter.prompt(decision)} ({decision.rule})")
            self._set_list(self._choices())
            return True
        if session.is_adjourned and not session.command_resumes:
            self._say("The match is adjourned: resume goes on.")
            return session.can_play or session.can_talk
        if session.drafted:
            self._say(
                "Your plan is complete: commit carries it out, undo takes back the last step."
            )
            return True
        waiting = session.waiting_for()
        self._say(waiting_words(session, self._presenter, post="post"))
        own = next(
            (role for role in waiting if role in session.mine and role != session.role), None
        )
        if own is not None:
            self._say(f"It is your own question: 'seat {own}' goes there.")
        self._set_list(self._choices())
        is_at_table = session.can_play and session.role is not None
        return bool(session.waiting_for()) and (is_at_table or session.can_talk)

    def _choices(self) -> tuple[Choice, ...]:
        session = self._session
        return question_of(session, self._presenter, session.view()).lines

    def _set_list(self, lines: tuple[Choice, ...]) -> None:
        self._list = lines
        over: tuple[str, ...] = ()
        for number, choice in enumerate(lines[:_MOST_LINES], start=1):
            if any(choice.over) and choice.over != over:
                self._say(f"      {', '.join(words for words in choice.over if words)}")
            over = choice.over
            more = f"  [{choice.count} below]" if choice.is_heading else ""
            self._say(f"{number:>4} {choice.standing or ' '}{choice.title}{more}")
        if len(lines) > _MOST_LINES:
            self._say(f"      and {len(lines) - _MOST_LINES} more; / WORDS finds choices by name")

    # -- input

    async def _ask(self, prompt: str) -> str | None:
        """Return the next line, or None if something arrived from another player first."""
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
        """Print the match alerts that changed since the question was shown, including those that are over."""
        before, self._alerts = self._alerts, self._alert_items()
        texts = {item.text for item in self._alerts}
        if texts == {item.text for item in before}:
            return
        still = {item.over for item in self._alerts}
        over = [item.over for item in before if item.over and item.over not in still]
        now = [": ".join(filter(None, (item.text, item.detail))) for item in self._alerts]
        told = [*dict.fromkeys(over), *now]
        if told:
            self._say(f"  ({' | '.join(told)})")

    def _alert_items(self) -> tuple[StatusItem, ...]:
        return tuple(item for item in self._session.status_items() if item.is_alert)

    def _hear_hindrance(self) -> None:
        """Print the log as soon as the host starts or stops refusing commands, because the log records it."""
        hindrance = self._session.hindrance()
        if hindrance != self._hindrance:
            self._hindrance = hindrance
            self._news()

    def _say_unread(self) -> None:
        """Print what others have said meanwhile, and skip it in the log."""
        count = self._session.unread
        for line in self._session.conversation()[-count:]:
            self._say(f"  {line}")
        self._told = len([line for line in self._session.log() if not line.is_draft])

    async def _line(self) -> bool:
        """Read and carry out one line; return True if the question stays open."""
        line = await self._ask("> ")
        if line is None or self._session.seq != self._seq:
            return False  # the question may have changed
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if not word:
            return True
        if (stays := await self._with_others(line.lower())) is not None:
            return stays
        if word.isdecimal():
            return await self._take(int(word))
        if self._tell(word.lower(), rest) or await self._turn_to_others(word.lower(), rest):
            return True
        match word.lower():
            case "?":
                self._show_question()
            case "b":
                if self._above:
                    self._set_list(self._above.pop())
            case "commit" | "c" if not (rest and self._is_verb(word)):
                return not await self._commit()
            case "wait" if not rest and self._presenter.can_wait:
                return not await self._wait()
            case "undo" | "u":
                return not self._undo()
            case "auto" if not self._is_verb(word):
                return not self._order(rest)
            case "seat" if not self._is_verb(word):
                self._look(rest)
            case _ if word.startswith("/"):
                self._filter(line[1:])
            case _:
                return await self._notation(line)
        return True

    def _tell(self, word: str, rest: str) -> bool:
        """Answer a word that changes nothing in the game; return False for any other word."""
        if not word.isalpha():
            return False
        is_command = bool(rest) and self._is_offered(word)
        lines = None if is_command else self._reading.answer(word, rest)
        if lines is not None:
            for line in lines:
                self._say(line)
            return True
        if rest and self._is_verb(word):
            return False
        answer = getattr(self, f"_do_{word}", None)
        if answer is not None:
            answer()
        return answer is not None

    def _is_offered(self, word: str) -> bool:
        """Return whether a word begins a command that can be given now; such a command takes precedence over a page."""
        verb = self._session.ruleset.notation.verb
        return any(verb(one) == word for one in self._session.offered())

    def _is_verb(self, word: str) -> bool:
        """Return whether a word of this mode is also the verb of a game command."""
        return any(verb.word == word.lower() for verb in self._session.ruleset.notation.verbs())

    async def _take(self, number: int) -> bool:
        if not 1 <= number <= len(self._list):
            self._say(f"There is no choice {number}.")
            return True
        choice = self._list[number - 1]
        if choice.is_heading:
            self._above.append(self._list)
            self._say(f"{choice.title} (b: back)")
            self._set_list(choice.below)
            return True
        if choice.standing is Standing.TICKED:
            return not self._untick(choice)
        return await self._give(choice.command)

    def _untick(self, choice: Choice) -> bool:
        """Untick an option; return whether anything was taken back."""
        undone, lost = forget(self._session, [choice.command])
        view = self._session.view()
        for command in undone:
            self._say(f"Undone: {self._presenter.label(view, command)}")
        for command in lost:
            self._say(f"Not possible without it: {self._presenter.label(view, command)}")
        return bool(undone)

    async def _notation(self, line: str) -> bool:
        try:
            command = self._session.parse(line)
        except FlagplotError as error:
            self._say(f"{error}. Type help for help.")
            return True
        return await self._give(command)

    async def _give(self, command: Any) -> bool:  # noqa: ANN401  (commands of any game)
        """Draft or send a command; return True if it was not accepted."""
        refusals = self._session.refusals(command)
        if refusals:
            for refusal in refusals:
                self._say(f"Not now. {refusal}")
            return True
        if objection := self._objection(command):
            self._say(objection)
            return True
        offered = self._session.offered()
        question = self._presenter.warning(self._session.view(), command, offered)
        if question and command != self._doubted:
            self._doubted = command
            self._say(f"{question} Give it once more to do it.")
            return True
        self._doubted = None
        told = len(self._draft_lines())
        self._reading.account.move()
        try:
            result = await self._answered(self._session.give(command))
        except FlagplotError as error:
            self._say(str(error))
            return True
        self._above.clear()
        if result is CommandResult.DRAFTED:
            self._say(f"Tried: {self._session.ruleset.notation.line(command)}")
            for text in self._draft_lines()[told:]:
                self._say(f"  {text}")
        return False

    def _objection(self, command: Any) -> str:  # noqa: ANN401  (commands of any game)
        """Return why a legal command is refused; empty if it is accepted. Derived classes implement this."""
        del command
        return ""

    def _draft_lines(self) -> list[str]:
        return [line.text for line in self._session.log(self._session.seq) if line.is_draft]

    async def _others(self) -> None:
        """Let the bots in this program move."""
        while await self._session.advance():
            self._news()
            if complaint := self._session.complaint():
                self._say(complaint)
            await asyncio.sleep(0)

    async def _commit(self) -> bool:
        if not self._session.drafted:
            self._say("Nothing planned yet.")
            return False
        self._reading.account.move()
        try:
            await self._answered(self._session.commit())
        except FlagplotError as error:
            self._say(str(error))
        return True

    async def _answered(self, given: Coroutine[Any, Any, T]) -> T | None:
        """Wait for the result of a command; None if the player leaves before the host has answered.

        A lost host only answers after it has reconnected, so the player's input is read in the meantime.

        Raises:
            FlagplotError: The command was refused.
        """
        task = asyncio.ensure_future(given)
        try:
            await asyncio.wait([task], timeout=_ANSWER_SECONDS)
            if not task.done():
                self._say(_NO_ANSWER)
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
        """Handle a line typed while a command awaits its answer; return False if the player leaves."""
        assert self._pending is not None, "a line was typed"
        typed, self._pending = self._pending, None
        try:
            word = typed.result().strip().lower()
        except (EOFError, asyncio.CancelledError):
            word = "quit"
        if word in {"quit", "q"}:
            self._left = True
            return False
        self._say(_NO_ANSWER)
        return True

    async def _wait(self) -> bool:
        """Answer quiet questions until the player must choose or something happens; False if none was answered."""
        session, is_given, news, since = self._session, False, "", self._session.seq
        while not news:
            decision = session.decision()
            answer = None if decision is None else self._presenter.waiting(session.view(), decision)
            if answer is None and (decision is not None or not session.drafted):
                break
            try:
                await self._answered(session.commit() if answer is None else session.give(answer))
            except FlagplotError as error:
                self._say(str(error))
                break
            is_given = True
            if self._left:
                break
            await self._others()
            news, since = self._presenter.interruption(session.events(since)), session.seq
        if not is_given:
            self._say("There is something to choose here.")
        return is_given

    def _undo(self) -> bool:
        command = self._session.undo()
        self._say(
            "Nothing to undo."
            if command is None
            else f"Undone: {self._session.ruleset.notation.line(command)}"
        )
        return command is not None

    # -- offers and chat

    def _hear_offer(self) -> None:
        """Print another seat's offer, once."""
        question = self._session.offer_question()
        if question and question != self._offered:
            self._say(f"{question} Type agree or refuse.")
        self._offered = question

    async def _with_others(self, line: str) -> bool | None:
        """Handle a line about offers; None for any other line, True if the question stays open."""
        if line in {"agree", "refuse"} and self._offered:
            await self._answer_offer(agree=line == "agree")
            return True
        if line == "back":
            return not await self._do_propose(Matter.TAKEBACK)
        matter = matter_in(line)
        if matter is None:
            self._doubted_matter = None
            return None
        return not await self._propose(matter)

    async def _answer_offer(self, *, agree: bool) -> None:
        if self._session.offer_question() != self._offered:
            self._say("What you were asked is not proposed any more.")
            self._hear_offer()
            return
        try:
            await self._answered(self._session.answer_offer(agree=agree))
        except FlagplotError as error:
            self._say(str(error))

    async def _propose(self, matter: Matter) -> bool:
        """Make an offer after the player has typed it twice; return True if it was made."""
        if self._doubted_matter is not matter:
            self._doubted_matter = matter
            self._say(f"{QUESTIONS[matter]} Give it once more to do it.")
            return False
        return await self._do_propose(matter)

    async def _do_propose(self, matter: Matter) -> bool:
        self._doubted_matter = None
        try:
            told = await self._answered(self._session.propose(matter))
        except FlagplotError as error:
            self._say(str(error))
            return False
        if told:
            self._say(told)
        return True

    async def _turn_to_others(self, word: str, rest: str) -> bool:
        """Handle chat and move files; return False for any other word."""
        if word == "say" and rest and not self._is_verb(word):
            await self._talk(rest)
        elif word == "post" and not rest and self._session.by_files:
            await self._post()
        else:
            return False
        return True

    async def _talk(self, text: str) -> None:
        try:
            await self._answered(self._session.say(text))
        except FlagplotError as error:
            self._say(str(error))

    async def _post(self) -> None:
        """Write the move file that the other players need, and print its path."""
        if self._session.drafted:
            self._say("Commit what was tried first, or undo it.")
            return
        try:
            told = await self._session.post()
        except FlagplotError as error:
            told = str(error)
        for line in told.splitlines():
            self._say(line)

    def _order(self, text: str) -> bool:
        """Take a standing order; return True if there was one."""
        try:
            told = self._session.order(text)
        except FlagplotError as error:
            self._say(str(error))
            return False
        for line in told:
            self._say(f"  {line}")
        return bool(text)

    def _look(self, name: str) -> None:
        """Switch to another role of the player, or list their roles."""
        session = self._session
        if not name:
            self._say(f"You play {', '.join(session.mine) or 'nobody'}; shown is {session.role}.")
            return
        try:
            session.look(Role(name.lower()))
        except FlagplotError as error:
            self._say(str(error))
            return
        self._show_question()
        self._tell("hand", "")

    def _filter(self, words: str) -> None:
        everything = self._above[0] if self._above else self._list
        if not everything or not words.strip():
            return
        hits = found_in(everything, words)
        self._above.append(self._list)
        self._say("" if hits else "No choice has these words.")
        self._set_list(hits)

    # -- words about the program; called by name from `_tell`

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
        self._say(self._session.clock() or "Nobody measures the time.")

    def _do_quit(self) -> None:
        self._left = True

    def _do_save(self) -> None:
        self._say(
            f"Every command is safe at once in {self._place}."
            if self._place
            else "This game is not kept."
        )
