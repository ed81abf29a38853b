"""A game as the screens see it, whoever holds it: this program, a host on the network, or a file.

A session shows one seat's view, takes that seat's commands through a draft, and tells what happened in
words. Screens never touch a state.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from engine.kernel.decision import Decision, Outcome
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Refusal, Role
from engine.kernel.ruleset import Command, Event, View
from engine.registry import AnyRuleset
from saves.records import Record, events_of, redact_record
from tui.draft import Draft


class SessionError(FlagplotError):
    """This session cannot do what was asked, such as a command in a replay."""


class Given(StrEnum):
    """What became of a command."""

    DRAFTED = "drafted"
    """Tried; it can be undone."""
    SENT = "sent"
    """Done, together with everything tried before it."""


class LogLine(msgspec.Struct, frozen=True):
    """One sentence of the log."""

    seq: int
    """Record it belongs to."""
    text: str
    is_draft: bool = False


class Session(ABC):
    """One game followed from one seat."""

    can_play = True
    """False where commands are never taken."""
    is_copy = False
    """True where the state is a seat's copy, in which hidden things are blank."""

    def __init__(self, ruleset: AnyRuleset, role: Role | None) -> None:
        """Follow a game; role None watches."""
        self.ruleset = ruleset
        self._role = role
        self._tries: Draft | None = None

    @property
    def _draft(self) -> Draft | None:
        """Return the draft, moved onto the present state when others have moved meanwhile."""
        if self._tries is not None and self._tries.base is not self._state():
            self._tries = self._tries.onto(self._state())
        if self._tries is not None and not self._tries.commands:
            self._tries = None
        return self._tries

    @_draft.setter
    def _draft(self, draft: Draft | None) -> None:
        self._tries = draft

    # -- what differs from session to session

    @property
    @abstractmethod
    def seq(self) -> int:
        """Return the number of the last record."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Return what to call this game: scenario, players; foreign parts are not cleaned."""

    @abstractmethod
    def _state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        """Return the real state as far as this program may know it."""

    @abstractmethod
    def _records(self, after: int) -> Sequence[Record]:
        """Return the records after a number, as this seat may see them."""

    @abstractmethod
    async def _send(self, command: Command) -> None:
        """Have a command judged for good.

        Raises:
            FlagplotError: Refused, or not delivered.
        """

    async def close(self) -> None:
        """Forget the draft; sessions that hold files or connections let go of them."""
        self._draft = None

    def listen(self, changed: Callable[[], None]) -> None:
        """Call back whenever something comes in from outside; nothing does here."""
        del changed

    # -- talking to the others

    can_talk = False
    """True where lines can be said to other people."""

    async def say(self, text: str) -> None:
        """Say a line to everybody at the table.

        Raises:
            FlagplotError: Nobody hears it, or it was not delivered.
        """
        raise SessionError(f"nobody else is at this table to hear: {text}")

    async def take_back(self) -> str:
        """Set the game back to before the own last command, or ask the others whether it may be.

        Returns:
            One sentence about what came of it.
        """
        raise SessionError("commands are not taken back here")

    def takeback_question(self) -> str:
        """Return what another seat wants taken back, empty when nobody asks this seat."""
        return ""

    async def answer_takeback(self, *, agree: bool) -> None:
        """Answer another seat's wish.

        Raises:
            FlagplotError: No takeback is open.
        """
        raise SessionError(f"no takeback is open ({'yes' if agree else 'no'})")

    def status(self) -> str:
        """Return the state of the connection in a few words; empty when there is none."""
        return ""

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

    def roles(self) -> tuple[Role, ...]:
        """Return all roles of the game."""
        return self.ruleset.roles(self._state())

    def waiting_for(self) -> tuple[Role, ...]:
        """Return who must decide in the real game."""
        return self.ruleset.asked(self._state())

    def outcome(self) -> Outcome | None:
        """Return how the game ended, None while it goes on."""
        return self.ruleset.outcome(self._state())

    def decision(self) -> Decision[Any] | None:
        """Return the seat's open question, the draft included; None when it has none."""
        state = self._shown
        if self._role is None or not self.can_play or self._role not in self.ruleset.asked(state):
            return None
        return self.ruleset.decision(state, self._role)

    def parse(self, line: str) -> Command:
        """Return the command that a line names; an option is found in any case of letters.

        Raises:
            NotationError: The line cannot be read.
        """
        notation, decision = self.ruleset.notation, self.decision()
        wanted = " ".join(line.split()).lower()
        for option in decision.options if decision is not None else ():
            if notation.line(option).lower() == wanted:
                found: Command = option
                return found
        command: Command = notation.parse(line)
        return command

    def refusals(self, command: Command) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now; empty when it is legal."""
        decision = self.decision()
        if decision is None or self._role is None:
            return ()
        if command in decision.options:
            return ()
        reasons = self.ruleset.why_not(self._shown, self._role, command)
        return reasons or (Refusal(decision.rule, "this is not among the choices of this step"),)

    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the sentences of the records after a number, then those of the draft."""
        for record in self._records(after):
            yield from self._lines(record)
        for step in self.drafted_steps():
            for text in self._words(step):
                yield LogLine(self.seq, text, is_draft=True)

    def _lines(self, record: Record) -> Iterator[LogLine]:
        if record.takeback_to is not None:
            yield LogLine(record.seq, f"Taken back to record {record.takeback_to}")
        for event in events_of(self.ruleset, record):
            text = self.ruleset.describe(event)
            if text:
                yield LogLine(record.seq, text)

    def _words(self, events: tuple[Event, ...]) -> Iterator[str]:
        for event in events:
            text = self.ruleset.describe(self.ruleset.redact(event, self._role))
            if text:
                yield text

    # -- what is done

    @property
    def drafted(self) -> tuple[Command, ...]:
        """Return the commands tried but not committed."""
        return self._draft.commands if self._draft is not None else ()

    def drafted_steps(self) -> tuple[tuple[Event, ...], ...]:
        """Return the events of each tried command."""
        steps = self._draft.steps if self._draft is not None else ()
        return tuple(step.events for step in steps)

    async def give(self, command: Command) -> Given:
        """Try a command in the draft; where chance would be revealed, commit the draft and do it.

        Raises:
            FlagplotError: Refused by the rules or by the host; the draft stays as it was.
        """
        if self._role is None or not self.can_play:
            raise SessionError("commands are not taken here")
        draft = self._draft or Draft(self.ruleset, self._role, self._state(), is_copy=self.is_copy)
        if not draft.is_open:
            raise SessionError("the draft is complete: commit it or undo")
        if draft.attempt(command):
            self._draft = draft
            return Given.DRAFTED
        await self.commit()
        await self._send(command)
        return Given.SENT

    def undo(self) -> Command | None:
        """Take back the last tried command; None when nothing is tried."""
        return self._draft.undo() if self._draft is not None else None

    async def commit(self) -> int:
        """Do all tried commands for good; return how many.

        Raises:
            FlagplotError: One was not taken; those before it are done, the rest is forgotten.
        """
        commands, self._draft = self.drafted, None
        for command in commands:
            await self._send(command)
        return len(commands)

    async def advance(self) -> bool:
        """Let others who live in this program move once; returns False when none of them is asked."""
        return False

    def redacted(self, records: Sequence[Record]) -> tuple[Record, ...]:
        """Return full records as this seat may see them."""
        return tuple(redact_record(self.ruleset, record, self._role) for record in records)
