"""A game as the screens see it, whoever holds it: this program, a host on the network, or a file.

A session shows one seat's view, takes that seat's commands through a draft, and tells what happened in
words. Screens never touch a state.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from engine.kernel.decision import Decision
from engine.kernel.ids import Refusal, Role
from engine.kernel.ruleset import Command, Event, View
from engine.registry import AnyRuleset
from engine.scripts.lines import without_copies
from play.agreeing import Agreeing, SessionError
from play.draft import Draft, Step
from play.loglines import LogLine
from play.notes import NoteBook
from play.standing_orders import OrderBook
from play.tries import keep_tries, try_again
from saves.records import Record
from saves.redaction import redact_record


class CommandResult(StrEnum):
    """What became of a command."""

    DRAFTED = "drafted"
    """Tried; it can be undone."""
    SENT = "sent"
    """Done, together with everything tried before it."""


class StatusItem(NamedTuple):
    """One part of the state of the connection, in a few words."""

    text: str
    is_alert: bool = False
    """Whether it hinders the match, so that it must stay in sight."""
    short: str = ""
    """For a line in which a long text has no room."""
    detail: str = ""
    """Why, and what to do; for play by lines."""
    over: str = ""
    """What play by lines says when it no longer holds."""


class Session(Agreeing):
    """One game followed from one seat."""

    tries_back = 0
    """Tries that were kept when the game was left, and are there again."""
    _is_closed = False
    """The game was left."""

    def __init__(self, ruleset: AnyRuleset, role: Role | None) -> None:
        """Follow a game; role None watches."""
        self.ruleset = ruleset
        self._role = role
        self._tries: dict[Role | None, Draft] = {}
        """What was tried by each role of whoever sits here."""
        self._book = OrderBook()
        self._looked: tuple[Role, ...] = ()
        """Roles that were asked when the player chose which one to look at."""

    @property
    def _draft(self) -> Draft | None:
        """Return what the role on the screen has tried; None when that is nothing."""
        return self._tries.get(self._role)

    def _keep(self, role: Role | None, draft: Draft) -> None:
        """Keep what a role has tried, unless that is nothing."""
        if draft.commands:
            self._tries[role] = draft
        else:
            self._tries.pop(role, None)

    def _rebase(self, role: Role | None, state: Any) -> None:  # noqa: ANN401  (a state is opaque here)
        """Move what a role has tried onto the state that it sees now, as far as that is possible there."""
        draft = self._tries.get(role)
        if draft is not None and draft.base is not state:
            self._keep(role, draft.onto(state))

    def _tries_file(self, role: Role) -> Path | None:
        """Return where the tries of a role are kept while the program does not run; None keeps none."""
        del role
        return None

    def _keep_tries(self) -> None:
        """Keep what was tried and not committed for when the game is opened again."""
        for role in self.mine:
            if (path := self._tries_file(role)) is not None:
                keep_tries(path, self.ruleset, self.seq, self._tries.get(role))

    def _try_again(self, role: Role, state: Any) -> None:  # noqa: ANN401  (a state is opaque here)
        """Try what a role had tried when the game was left."""
        if self.can_play and (path := self._tries_file(role)) is not None:
            draft = Draft(self.ruleset, role, state)
            try_again(path, self.ruleset, self.seq, draft)
            self._keep(role, draft)
            self.tries_back += sum(not step.by_itself for step in draft.steps)

    # -- what differs from session to session

    @property
    @abstractmethod
    def seq(self) -> int:
        """Return the number of the last record."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Return what to call this game: scenario, players; foreign parts are not cleaned."""

    @property
    def mode(self) -> str:
        """Return what the mode of a match on a network is called; empty where nobody else's program takes part."""
        return ""

    def briefing(self) -> str:
        """Return what to know before the first move, a paragraph a line; empty behind it or where nothing is said."""
        return ""

    @abstractmethod
    def _state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        """Return the real state as far as this program may know it."""

    @abstractmethod
    async def _send(self, command: Command) -> None:
        """Have a command judged for good.

        Raises:
            FlagplotError: Refused, or not delivered.
        """

    def think_for(self, seconds: float) -> None:
        """Let bots at this keyboard that look ahead take so many seconds for an answer."""
        del seconds

    def hindrance(self) -> str:
        """Return why nobody can give a command now, such as a full disk of the host; empty where everybody can."""
        return ""

    def complaint(self) -> str:
        """Return what went wrong in the background since it was asked for last; mostly nothing."""
        return ""

    async def close(self) -> None:
        """Leave the game: what was tried is kept beside its record; files and connections are let go of."""
        if not self._is_closed:
            self._is_closed = True
            self._keep_tries()
        self._tries.clear()

    def listen(self, changed: Callable[[], None]) -> None:
        """Call back whenever something comes in from outside; nothing does here."""
        del changed

    # -- others who are reached by files alone

    by_files = False
    """True where the others are reached by files that somebody has to send."""

    def next_step(self, post: str) -> str:
        """Return what is to be done where nothing is asked; empty where the others answer by themselves.

        Args:
            post: What a player types to write what is to be sent.
        """
        del post
        return ""

    async def post(self) -> str:
        """Write what is to be sent to the others and return where it lies.

        Raises:
            FlagplotError: Nobody lacks anything, or the disk refused.
        """
        raise SessionError("the others at this table need no files")

    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the state of the connection in parts of a few words; none when there is no connection."""
        return ()

    def status(self) -> str:
        """Return the state of the connection in one line; empty when there is none."""
        return " | ".join(item.text for item in self.status_items())

    def alerts(self) -> tuple[str, ...]:
        """Return what hinders the match now: a lost host, players who are away or hold it up."""
        return tuple(item.text for item in self.status_items() if item.is_alert)

    # -- who sits here

    @property
    def players(self) -> Mapping[Role, str]:
        """Return the name of whoever plays each role, as far as known; foreign names are not cleaned."""
        return {}

    @property
    def mine(self) -> tuple[Role, ...]:
        """Return the roles of the person on the screen, in the order of the game."""
        return () if self._role is None else (self._role,)

    @property
    def people(self) -> tuple[Role, ...]:
        """Return all roles that are played on this screen, by one person or several."""
        return self.mine

    def next_person(self) -> Role | None:
        """Return which role should be shown now because it is asked; None when the one shown is right."""
        asked = self._asked_here()
        is_right = not asked or self._role in asked or self._draft is not None
        return None if is_right or asked == self._looked else asked[0]

    def _asked_here(self) -> tuple[Role, ...]:
        """Return the roles played here that need an answer by hand."""
        return tuple(
            role
            for role in self.waiting_for()
            if role in self.people and self._by_itself(role) is None
        )

    def sit_down(self, role: Role) -> None:
        """Show another role that is played here; the drafts of another person are forgotten.

        Raises:
            SessionError: It is not played here.
        """
        if role not in self.people:
            raise SessionError(f"{role} is not played at this keyboard")
        if role not in self.mine:
            self._tries.clear()
        self._looked = ()
        self._role = role

    def look(self, role: Role) -> None:
        """Show another role of the same person, and stay there until somebody else is asked.

        Raises:
            SessionError: It is not this person's.
        """
        if role not in self.mine:
            raise SessionError(f"you play {', '.join(self.mine) or 'nobody'}, not {role}")
        self.sit_down(role)
        self._looked = self._asked_here()

    @property
    def notes(self) -> NoteBook | None:
        """Return the private notes of the person on the screen; None where none are kept."""
        return None

    # -- answers without being asked

    @property
    def book(self) -> OrderBook:
        """Return the standing orders of the person on the screen."""
        return self._book if self._role is None else self._orders_of(self._role)

    def _orders_of(self, role: Role) -> OrderBook:
        """Return the standing orders of the person who plays a role."""
        del role
        return self._book

    def order(self, text: str) -> tuple[str, ...]:
        """Take a standing order, or none when the text is empty; return the orders that hold in words.

        Raises:
            FlagplotError: It is not an order, or cannot be kept.
        """
        turn = self.ruleset.turn(self._state())
        if text:
            self.book.change(text, turn)
        return self.book.orders.told(turn)

    def _by_itself(self, role: Role) -> Command | None:
        """Return what answers the open window of a role without its player; None when he must."""
        return self._ordered(self._state(), role)

    def _ordered(self, state: Any, role: Role) -> Command | None:  # noqa: ANN401  (a state is opaque here)
        """Return what the standing orders answer to a role's window in a state; None when they do not."""
        if not self._goes_on() or role not in self.ruleset.asked(state):
            return None
        question = self.ruleset.decision(state, role)
        if not question.may_be_ordered:
            return None
        orders = self._orders_of(role).orders
        return orders.answer(question, self.ruleset.notation, self.ruleset.turn(state))

    # -- what is shown

    @property
    def role(self) -> Role | None:
        """Return the seat on the screen; None for a spectator."""
        return self._role

    @property
    def _shown(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        return self._draft.state if self._draft is not None else self._state()

    def view(self) -> View:
        """Return what the seat sees, the draft included."""
        view: View = self.ruleset.project(self._shown, self._role)
        return view

    def heading(self) -> str:
        """Return where the game stands."""
        return self.ruleset.heading(self._shown)

    def open_view(self) -> View:
        """Return what anybody who watches may see of the real game."""
        view: View = self.ruleset.project(self._state(), None)
        return view

    def open_heading(self) -> str:
        """Return where the real game stands."""
        return self.ruleset.heading(self._state())

    def roles(self) -> tuple[Role, ...]:
        """Return all roles of the game."""
        return self.ruleset.roles(self._state())

    def decision(self) -> Decision[Any] | None:
        """Return the seat's open question, the draft included; None when it has none.

        A window that a standing order answers is no question to the player.
        """
        state = self._shown
        if self._role is None or not self._goes_on():
            return None
        if self._role not in self.ruleset.asked(state):
            return None
        draft = self._draft
        if draft is not None and not draft.is_open:
            return None
        by_itself = (
            self._by_itself(self._role) if draft is None else self._ordered(state, self._role)
        )
        return None if by_itself is not None else self.ruleset.decision(state, self._role)

    def any_time(self) -> tuple[Command, ...]:
        """Return what the seat may give now although nobody asks it."""
        state = self._shown
        if self._role is None or not self._goes_on() or not self.ruleset.asked(state):
            return ()
        return self.ruleset.any_time(state, self._role)

    def offered(self) -> tuple[Command, ...]:
        """Return everything that the seat may give now: the options of its question, then those for any time."""
        decision = self.decision()
        options = decision.options if decision is not None else ()
        return tuple(dict.fromkeys((*options, *self.any_time())))

    def parse(self, line: str) -> Command:
        """Return the command that a line names; an option is found in any case, a card without the number of its copy.

        Raises:
            NotationError: The line cannot be read.
        """
        notation = self.ruleset.notation
        wanted = " ".join(line.split()).lower()
        lines = {option: notation.line(option).lower() for option in self.offered()}
        for plain in (str, without_copies):
            for option, offered in lines.items():
                if plain(offered) == wanted:
                    return option
        command: Command = notation.parse(line)
        return command

    def refusals(self, command: Command) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now; empty when it is legal."""
        decision = self.decision()
        if self._role is None or command in self.offered():
            return ()
        state = self._shown
        reasons = (
            self.ruleset.why_not(state, self._role, command) if self.ruleset.asked(state) else ()
        )
        if reasons or decision is None:
            return reasons
        return (Refusal(decision.rule, "this is not among the choices of this step"),)

    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the sentences of the records after a number, then those of the draft."""
        for record in self._records(after):
            yield from self._lines(record, self._known_events(record))
        for step in self.drafted_steps():
            for text in self._words(step):
                yield LogLine(self.seq, text, is_draft=True)

    def known_view(self) -> View:
        """Return what the seat sees of the real game, without what it has tried."""
        return self.view_of(self._state())

    def view_of(self, state: Any) -> View:  # noqa: ANN401  (a state is opaque here)
        """Return what the seat on the screen sees of a state."""
        view: View = self.ruleset.project(state, self._role)
        return view

    def _words(self, events: tuple[Event, ...]) -> Iterator[str]:
        return self.ruleset.told(self.ruleset.redacted(events, self._role))

    # -- what is done

    @property
    def drafted(self) -> tuple[Command, ...]:
        """Return the commands tried but not committed."""
        return tuple(step.command for step in self._steps())

    @property
    def tries(self) -> int:
        """Return how many of these the player gave."""
        return sum(not step.by_itself for step in self._steps())

    def drafted_steps(self) -> tuple[tuple[Event, ...], ...]:
        """Return the events of each tried command."""
        return tuple(step.events for step in self._steps())

    def _steps(self) -> tuple[Step, ...]:
        draft = self._draft
        return draft.steps if draft is not None else ()

    async def give(self, command: Command) -> CommandResult:
        """Try a command in the draft; where chance would be revealed, commit the draft and do it.

        What may be given at any time is tried like the answers to a question; while none is open it is done at once,
        after what was tried before it.

        Raises:
            FlagplotError: Refused by the rules or by the host; the draft stays as it was.
        """
        if self._role is None or not self.can_play:
            raise SessionError("commands are not taken here")
        if self._is_unasked(command):
            await self.commit()
            await self._send(command)
            return CommandResult.SENT
        draft = self._draft or Draft(self.ruleset, self._role, self._state())
        if not draft.is_open:
            raise SessionError("the draft is complete: commit it or undo")
        if draft.attempt(command):
            self._go_on(draft, self._role)
            self._keep(self._role, draft)
            return CommandResult.DRAFTED
        await self.commit()
        await self._send(command)
        return CommandResult.SENT

    def _go_on(self, draft: Draft, role: Role) -> None:
        """Try what standing orders answer to the windows that a try has opened for the same role."""
        answer = self._ordered(draft.state, role)
        while answer is not None and draft.attempt(answer, by_itself=True):
            answer = self._ordered(draft.state, role)

    def _is_unasked(self, command: Command) -> bool:
        """Return whether a command is one for any time, given while the seat has no question to answer."""
        return self.decision() is None and command in self.any_time()

    def undo(self) -> Command | None:
        """Take back the last tried command; None when nothing is tried."""
        draft = self._draft
        if draft is None:
            return None
        undone = draft.undo()
        self._keep(self._role, draft)
        return undone

    def forget(self, number: int) -> tuple[Command, ...]:
        """Take back one tried command, counted from 0; return later ones that are no longer possible without it."""
        draft = self._draft
        if draft is None or self._role is None:
            return ()
        kept, lost = draft.without(number)
        self._go_on(kept, self._role)
        self._keep(self._role, kept)
        return lost

    def asked_before(self, number: int) -> Decision[Any] | None:
        """Return the question that a tried command answers, counted from 0."""
        draft = self._draft
        if draft is None or self._role is None:
            return None
        state = draft.state_before(number)
        is_asked = self._role in self.ruleset.asked(state)
        return self.ruleset.decision(state, self._role) if is_asked else None

    def after(self, command: Command) -> tuple[View, Decision[Any]] | None:
        """Return what the seat would see and be asked after a command; None where that is not known or nothing."""
        if self._role is None:
            return None
        trial = Draft(self.ruleset, self._role, self._shown)
        if not (trial.attempt(command) and trial.is_open):
            return None
        view: View = self.ruleset.project(trial.state, self._role)
        return view, self.ruleset.decision(trial.state, self._role)

    def is_final(self, command: Command) -> bool:
        """Return whether an offered command commits at once, since chance or something hidden follows it."""
        if self._role is None:
            return False
        return not Draft(self.ruleset, self._role, self._shown).attempt(command)

    def view_before(self, number: int) -> View:
        """Return what the seat saw when a tried command was given, counted from 0."""
        state = self._shown if self._draft is None else self._draft.state_before(number)
        view: View = self.ruleset.project(state, self._role)
        return view

    async def commit(self) -> int:
        """Do all tried commands for good; return how many.

        Raises:
            FlagplotError: One was not taken; those before it are done, the rest is forgotten.
        """
        steps = self._steps()
        self._tries.pop(self._role, None)
        for step in steps:
            if step.by_itself:
                await self._send_ordered(step.command)
            else:
                await self._send(step.command)
        return len(steps)

    async def _send_ordered(self, command: Command) -> None:
        """Have an answer of the standing orders judged, unless whoever carries them out does it."""
        await self._send(command)

    async def advance(self) -> bool:
        """Let others who live in this program move once; returns False when none of them is asked."""
        return False

    def redacted(self, records: Sequence[Record]) -> tuple[Record, ...]:
        """Return full records as this seat may see them."""
        return tuple(redact_record(self.ruleset, record, self._role) for record in records)
