"""Defines a game as screens see it. The game may run in this program or on a host, or it may be replayed from a file.

A session shows one seat's view, accepts that seat's commands through a draft, and describes events in words. Screens
never access a state directly.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from engine.kernel.decision import Decision, Outcome
from engine.kernel.ids import Refusal, Role
from engine.kernel.ruleset import Command, Event, View
from engine.registry import AnyRuleset, AnyState
from engine.scripts.lines import without_copies
from play.clock_readings import ClockReading, format_clock_readings
from play.draft import Draft
from play.drafts import Drafts
from play.game_summary import FinishedGame, describe_outcome
from play.log_lines import LogLine
from play.negotiation import Negotiation, SessionError
from play.notes import Notebook
from play.offers import OfferKind
from play.order_books import OrderBooks
from play.record_reader import RecordReader
from saves.records import Record
from saves.redaction import redact_record
from saves.terms import Terms


class CommandResult(StrEnum):
    """The outcome of giving a command."""

    DRAFTED = "drafted"
    """The command was added to the draft and can still be undone."""
    SENT = "sent"
    """The command was carried out, after all commands drafted before it."""


class StatusItem(NamedTuple):
    """One part of the connection status."""

    text: str
    is_alert: bool = False
    """True if the item must stay visible, because it reports a problem with the match."""
    short_text: str = ""
    """A shorter text for tight spaces; empty if there is no shorter text."""
    detail: str = ""
    """A longer text for line-by-line play: the reason and the remedy."""
    cleared_text: str = ""
    """Message for line-by-line play once the status no longer applies."""


class OrderChange(NamedTuple):
    """A change to course orders that can be undone."""

    seq: int
    """Number of the last record at the time of the change."""
    courses_before: tuple[str, ...]
    """The course orders before the change."""
    count_before: int
    """Number of drafted commands before the change."""
    count_after: int
    """Number of drafted commands after the change, including any commands that begin the order."""


class Session(ABC):
    """One game, followed from one seat."""

    can_play = True
    """False if this kind of session never accepts commands."""
    _is_committing = False
    """True while the drafted commands are being sent."""
    _is_closed = False
    """True once the player has left the game."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        role: Role | None,
        drafts: Drafts,
        negotiation: Negotiation,
        records: RecordReader,
        orders: OrderBooks,
    ) -> None:
        """Follow a game from the seat of a role, or as a spectator if the role is None."""
        self.ruleset = ruleset
        self._role = role
        self.drafts = drafts
        """The drafts of the people at this screen."""
        self.negotiation = negotiation
        """The player's chat and offers."""
        self.records = records
        """The game's records, as the person at the screen sees them."""
        self.orders = orders
        """The standing orders of the people at this screen."""
        self._order_changes: list[OrderChange] = []
        """The course orders given since the last record, oldest first. They can be undone."""
        self._waiting_when_chosen: tuple[Role, ...] = ()
        """The roles that had to decide when the player last chose a role to view; empty if no role was chosen."""

    @property
    def draft(self) -> Draft:
        """Return the draft of the role on display."""
        return self.drafts.draft_of(self._role, self._state())

    # -- methods that differ between kinds of sessions

    @property
    @abstractmethod
    def seq(self) -> int:
        """Return the number of the last record."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Return this game's display name: the scenario and the players. Text from other people is not sanitised."""

    @property
    def mode(self) -> str:
        """Return the name of the network mode; empty for a game in this program."""
        return ""

    def briefing(self) -> str:
        """Return notes to read before the first move, one paragraph per line; empty if there are none."""
        return ""

    @abstractmethod
    def _state(self) -> AnyState:
        """Return the state of the actual game, or the part of it that this program may know."""

    @abstractmethod
    async def _send(self, command: Command) -> None:
        """Submit a command to be carried out.

        Raises:
            FlagplotError: The command was refused or not delivered.
        """

    def set_bot_seconds(self, seconds: float) -> None:
        """Set the time limit per decision, in seconds, for this program's look-ahead bots."""
        del seconds

    def blocking_problem(self) -> str:
        """Return why commands are not possible, such as a full disk on the host; empty if they are possible."""
        return ""

    def pop_problem(self) -> str:
        """Return the problems that have occurred in the background since the last call."""
        return ""

    async def close(self) -> None:
        """Leave the game: save drafts next to the record, and close files and connections."""
        if not self._is_closed:
            self._is_closed = True
            self.drafts.save(self.own_roles, self.seq)
        self.drafts.clear()

    def on_change(self, callback: Callable[[], None]) -> None:
        """Register a function to call when the game changes from outside. This base class never calls it."""
        del callback

    # -- status of the match

    def _terms(self) -> Terms | None:
        """Return the players' agreements about the match, or None if this session does not support agreements."""
        return None

    def waiting_for(self) -> tuple[Role, ...]:
        """Return the roles that have to decide in the actual game. Drafts are ignored."""
        terms, state = self._terms(), self._state()
        if terms is None or (self.is_adjourned and self.command_resumes):
            return self.ruleset.active_roles(state)
        return terms.asked(state)

    def outcome(self) -> Outcome | None:
        """Return how the match ended, by its rules or by agreement; None while the match continues."""
        terms, state = self._terms(), self._state()
        return self.ruleset.outcome(state) if terms is None else terms.outcome(state)

    @property
    def record_path(self) -> Path | None:
        """Return the path of this seat's copy of the record; None if the copy is only in memory."""
        return None

    def verdict(self) -> tuple[str, str]:
        """Return the verdict of a finished game and its explanation."""
        outcome = self.outcome()
        assert outcome is not None, "the game must be over"
        return describe_outcome(self.ruleset, outcome, self._state())

    def finished_game(self) -> FinishedGame | None:
        """Return the records of the finished game for a summary; None while the match continues."""
        outcome = self.outcome()
        if outcome is None:
            return None
        return FinishedGame(
            rules=self.ruleset,
            records=self.records.records_after(-1),
            cursor=self.records.event_cursor,
            outcome=outcome,
            role=self.role,
            project=self.project,
        )

    @property
    def command_resumes(self) -> bool:
        """Return whether a command ends an adjournment, as in a match with signed messages."""
        return False

    @property
    def is_adjourned(self) -> bool:
        """Return whether the match is adjourned."""
        terms = self._terms()
        return terms is not None and bool(terms.adjourned) and terms.ending is None

    def _accepts_commands(self) -> bool:
        """Return whether legal commands are accepted.

        An ending or adjournment by agreement can prevent commands.
        """
        terms = self._terms()
        allows_commands = (
            terms is None or terms.is_in_play or (self.is_adjourned and self.command_resumes)
        )
        return self.can_play and allows_commands

    def available_offers(self) -> tuple[OfferKind, ...]:
        """Return the offers that can be made now, except takebacks."""
        if not self.negotiation.can_propose or self.outcome() is not None:
            return ()
        if self.is_adjourned and self.command_resumes:
            return OfferKind.RESIGNATION, OfferKind.DRAW
        if self.is_adjourned:
            return OfferKind.RESUMPTION, OfferKind.RESIGNATION, OfferKind.DRAW
        offers = (OfferKind.RESIGNATION, OfferKind.DRAW, OfferKind.ADJOURNMENT)
        return (*offers, OfferKind.STOP) if self.negotiation.can_stop else offers

    def clock_readings(self) -> tuple[ClockReading, ...]:
        """Return the current clock readings; empty if the match has no clocks."""
        return ()

    def clock(self, *, is_brief: bool = False) -> str:
        """Return the clock readings on one line; empty if the match has no clocks.

        Args:
            is_brief: Include only this player's own clocks and running clocks.
        """
        readings = self.clock_readings()
        return (
            format_clock_readings(
                readings, self.ruleset.role_titles, self.own_roles, is_brief=is_brief
            )
            if readings
            else ""
        )

    # -- players reached only by move files

    is_by_mail = False
    """True if the other players can be reached only through files that a person must send."""

    def next_step(self, post: str) -> str:
        """Return an instruction for a player who has no decision to make; empty if there is nothing to do.

        Args:
            post: The word that the player types to write the move file.
        """
        del post
        return ""

    async def write_move_file(self) -> str:
        """Write the file to send to the other players and return its path.

        Raises:
            FlagplotError: No player needs a move file, or writing failed.
        """
        raise SessionError("no player in this game needs a move file")

    def status_items(self) -> tuple[StatusItem, ...]:
        """Return the connection status in short parts; empty if the session has no connection."""
        return ()

    def status(self) -> str:
        """Return the connection status on one line; empty if the session has no connection."""
        return " | ".join(item.text for item in self.status_items())

    def alerts(self) -> tuple[str, ...]:
        """Return the texts of status items that report a problem, such as a lost connection or an absent player."""
        return tuple(item.text for item in self.status_items() if item.is_alert)

    # -- the people at this screen

    @property
    def players(self) -> Mapping[Role, str]:
        """Return the known names of the players by role. Names from other people are not sanitised."""
        return {}

    @property
    def own_roles(self) -> tuple[Role, ...]:
        """Return the roles of the person at the screen, in the game's own order."""
        return () if self._role is None else (self._role,)

    @property
    def people(self) -> tuple[Role, ...]:
        """Return all roles played at this screen, including those of other people who share it."""
        return self.own_roles

    def next_role_to_show(self) -> Role | None:
        """Return the role that should be shown next because it has to decide; None if no change is needed."""
        waiting_roles = self._roles_awaiting_a_person()
        is_current = not waiting_roles or self._role in waiting_roles or self.draft.entries
        return (
            None if is_current or waiting_roles == self._waiting_when_chosen else waiting_roles[0]
        )

    def _roles_awaiting_a_person(self) -> tuple[Role, ...]:
        """Return the roles played here whose decisions a person must make."""
        return tuple(
            role
            for role in self.waiting_for()
            if role in self.people and self._automatic_answer(role) is None
        )

    def switch_role(self, role: Role) -> None:
        """Show another role that is played here. If the role belongs to another person, discard all drafts.

        Raises:
            SessionError: The role is not played here.
        """
        if role not in self.people:
            raise SessionError(f"{role} is not played at this keyboard")
        if role not in self.own_roles:
            self.drafts.clear()
        self._waiting_when_chosen = ()
        self._role = role

    def view_as(self, role: Role) -> None:
        """Show another of the same person's roles, and keep that role on display until other roles have to decide.

        Raises:
            SessionError: The role belongs to someone else.
        """
        if role not in self.own_roles:
            raise SessionError(f"you play {', '.join(self.own_roles) or 'no role'}, not {role}")
        self.switch_role(role)
        self._waiting_when_chosen = self._roles_awaiting_a_person()

    @property
    def notes(self) -> Notebook | None:
        """Return the private notes of the person at the screen; None if this session keeps no notes."""
        return None

    # -- automatic answers

    @property
    def repeats_answers(self) -> bool:
        """Return whether an answer may be repeated automatically for the following decisions of the same kind."""
        return self.orders.shown_book.orders.by_itself

    def _automatic_answer(self, role: Role) -> Command | None:
        """Return the automatic answer to a role's open window; None if the player must answer."""
        return self._standing_answer(self._state(), role)

    def _standing_answer(self, state: AnyState, role: Role) -> Command | None:
        """Return the standing orders' answer to a role's open window in a state; None if the player must answer."""
        return self.orders.answer(state, role) if self._accepts_commands() else None

    # -- course orders

    async def give_course(self, text: str) -> str:
        """Give a course order, and draft the commands that begin it. Return the order in full.

        Raises:
            FlagplotError: The text is not an order, the piece cannot carry it out, or the order cannot be saved.
        """
        if self._role is None or not self._accepts_commands():
            raise SessionError("commands are not accepted here")
        draft, courses_before = self.draft, self.orders.courses
        count = len(draft.entries)
        course = self.orders.give_course(draft.state, self._role, text)
        if draft.is_open:
            self._begin_course(draft, self._role, course)
            # Orders that answer the draft's own decision become part of the draft. Without a draft,
            # `advance` gives their commands.
            if draft.entries:
                self._answer_windows(draft, self._role)
                self.drafts.set(draft)
        self._order_changes.append(
            OrderChange(self.seq, courses_before, count, len(self.draft.entries))
        )
        return course

    def _begin_course(self, draft: Draft, role: Role, course: str) -> None:
        """Draft the commands that begin a new course order in the open decision."""
        opening = self.ruleset.course_opening(draft.state, role, course)
        while opening is not None and draft.attempt(opening):
            self.drafts.set(draft)
            if not draft.is_open or role not in self.ruleset.active_roles(draft.state):
                return
            opening = self.ruleset.course_opening(draft.state, role, course)

    def cancel_course(self, subject: str) -> bool:
        """Cancel the course order for a piece. Return False if there is none.

        Raises:
            FlagplotError: The change cannot be saved.
        """
        count, courses_before = len(self.draft.entries), self.orders.courses
        is_found = self.orders.cancel_course(subject)
        if is_found:
            self._order_changes.append(OrderChange(self.seq, courses_before, count, count))
        return is_found

    def undo_course(self) -> bool:
        """Undo the last change of course orders with its drafted commands, unless more has been drafted since.

        Return False if there is nothing to undo.

        Raises:
            FlagplotError: The change cannot be saved.
        """
        self._order_changes = [
            order_change for order_change in self._order_changes if order_change.seq == self.seq
        ]
        draft = self.draft
        if not self._order_changes or len(draft.entries) != self._order_changes[-1].count_after:
            return False
        change = self._order_changes.pop()
        while len(draft.entries) > change.count_before:
            draft.undo()
        self.orders.shown_book.set_courses(change.courses_before)
        return True

    def course_stops(self) -> tuple[tuple[str, str], ...]:
        """Return the course orders that now need the player's attention, each with the reason in words."""
        draft = self.draft
        if self._role is None or not self._accepts_commands() or not draft.is_open:
            return ()
        return self.orders.stops(draft.state, self._role)

    def prepare_end(self, command: Command) -> bool:
        """Draft the commands that course orders give before a step ends. Return True if there were any.

        If the player then does not end the step, `Draft.drop_preparation` undoes it.
        """
        draft, role = self.draft, self._role
        if role is None or not draft.is_open or self.ruleset.notation.verb(command) != "done":
            return False
        count = len(draft.entries)
        while (closing := self.orders.closing_command(draft.state, role)) is not None:
            if not draft.attempt(closing, is_preparation=True):
                break
            self.drafts.set(draft)
        return len(draft.entries) > count

    def _forget_finished_courses(self) -> None:
        """Drop the course orders of pieces that have left play."""
        # During a commit, the rest of the draft may still bring a piece into play.
        if not self._is_committing:
            self.orders.forget_finished(self._state(), self.draft.state)

    # -- contents of the screen

    @property
    def role(self) -> Role | None:
        """Return the seat on display; None for a spectator."""
        return self._role

    def view(self) -> View:
        """Return the seat's view of the game, including its draft."""
        view: View = self.ruleset.project(self.draft.state, self._role)
        return view

    def heading(self) -> str:
        """Return the turn and phase that follow the drafted commands."""
        return self.ruleset.heading(self.draft.state)

    def public_view(self) -> View:
        """Return a spectator's view of the game. Drafts are ignored."""
        view: View = self.ruleset.project(self._state(), None)
        return view

    def public_heading(self) -> str:
        """Return the current turn and phase of the actual game. Drafts are ignored."""
        return self.ruleset.heading(self._state())

    def roles(self) -> tuple[Role, ...]:
        """Return all roles of the game."""
        return self.ruleset.roles(self._state())

    def decision(self) -> Decision[Any] | None:
        """Return the seat's open decision after its draft; None if the seat has no decision.

        A window that a standing order answers does not count.
        """
        draft = self.draft
        state = draft.state
        if self._role is None or not self._accepts_commands() or not draft.is_open:
            return None
        answer = (
            self._standing_answer(state, self._role)
            if draft.entries
            else self._automatic_answer(self._role)
        )
        return None if answer is not None else self.ruleset.decision(state, self._role)

    def free_actions(self) -> tuple[Command, ...]:
        """Return the any-time commands that the seat may give now, even if it has no decision to make."""
        state = self.draft.state
        if (
            self._role is None
            or not self._accepts_commands()
            or not self.ruleset.active_roles(state)
        ):
            return ()
        return self.ruleset.free_actions(state, self._role)

    def offered_commands(self) -> tuple[Command, ...]:
        """Return every command that the seat may give now: the options of its decision, then the any-time commands."""
        decision = self.decision()
        options = decision.options if decision is not None else ()
        return tuple(dict.fromkeys((*options, *self.free_actions())))

    def parse(self, line: str) -> Command:
        """Parse a line into a command. Options match regardless of case, and cards' copy numbers can be omitted.

        Raises:
            NotationError: The line cannot be read.
        """
        notation = self.ruleset.notation
        typed_text = " ".join(line.split()).lower()
        lines = {option: notation.line(option).lower() for option in self.offered_commands()}
        for normalise in (str, without_copies):
            for option, offered_option in lines.items():
                if normalise(offered_option) == typed_text:
                    return option
        command: Command = notation.parse(line)
        return command

    def refusals(self, command: Command) -> tuple[Refusal, ...]:
        """Return the rules that forbid a command now; empty if the command is legal."""
        decision = self.decision()
        if self._role is None or command in self.offered_commands():
            return ()
        state = self.draft.state
        reasons = (
            self.ruleset.why_not(state, self._role, command)
            if self.ruleset.active_roles(state)
            else ()
        )
        if reasons or decision is None:
            return reasons
        return (Refusal(decision.rule, "this is not one of the choices at this step"),)

    def objection(self, command: Command) -> str:
        """Return why a legal command is not accepted here now; empty if it is accepted."""
        del command
        return ""

    def log(self, start_seq: int = -1) -> Iterator[LogLine]:
        """Yield the log lines of the records after a given record, then the log lines of the draft."""
        for record in self.records.records_after(start_seq):
            yield from self.records.log_lines(record)
        for entry in self.draft.entries:
            for text in self._log_sentences(entry.events):
                yield LogLine(self.seq, text, is_draft=True)

    def known_view(self) -> View:
        """Return the seat's view of the actual game, without its draft."""
        return self.project(self._state())

    def project(self, state: AnyState) -> View:
        """Return the view of a state from the seat on display."""
        view: View = self.ruleset.project(state, self._role)
        return view

    def _log_sentences(self, events: tuple[Event, ...]) -> Iterator[str]:
        return self.ruleset.log_sentences(self.ruleset.redact_all(events, self._role))

    # -- actions

    async def give(self, command: Command) -> CommandResult:
        """Try a command in the draft. If its result is random or hidden, commit the draft and carry out the command.

        Any-time commands are drafted too. But if the seat has no open decision, the draft is committed and the any-time
        command is carried out immediately.

        Raises:
            FlagplotError: The rules or the host refused the command. If the draft was committed first, it remains
                committed.
        """
        if self._role is None or not self.can_play:
            raise SessionError("commands are not accepted here")
        if self._is_free_action(command):
            await self.commit()
            await self._send(command)
            return CommandResult.SENT
        draft = self.draft
        if not draft.is_open:
            raise SessionError("your plan is complete: commit it or undo a step")
        if draft.attempt(command):
            self._answer_windows(draft, self._role)
            self.drafts.set(draft)
            return CommandResult.DRAFTED
        await self.commit()
        await self._send(command)
        return CommandResult.SENT

    def _answer_windows(self, draft: Draft, role: Role) -> None:
        """Draft standing-order answers to windows that the last command has opened for the same role."""
        # A held answer does not change the state, so nothing can be drafted after it.
        while draft.is_open and (answer := self._standing_answer(draft.state, role)) is not None:
            if not draft.attempt(answer, is_automatic=True):
                return

    def _is_free_action(self, command: Command) -> bool:
        """Return whether a command is an any-time command that the seat gives while it has no decision to make."""
        return self.decision() is None and command in self.free_actions()

    def undo_entry(self, number: int) -> tuple[Command, ...]:
        """Undo the drafted command with this index. Return the later commands that become impossible."""
        draft, role = self.draft, self._role
        if role is None or not draft.entries:
            return ()
        remaining_draft, lost_entries = draft.without(number)
        self._answer_windows(remaining_draft, role)
        self.drafts.set(remaining_draft)
        return lost_entries

    async def commit(self) -> int:
        """Permanently carry out all drafted commands. Return their number.

        Raises:
            FlagplotError: A command was refused. Earlier commands have been carried out, and the rest of the draft is
                discarded.
        """
        entries = self.draft.entries
        # Discard the draft first, so that none of its commands remain if one fails.
        self.drafts.discard(self._role)
        self._is_committing = True
        try:
            for entry in entries:
                if entry.is_automatic:
                    await self._send_standing_answer(entry.command)
                else:
                    await self._send(entry.command)
        finally:
            self._is_committing = False
            self._forget_finished_courses()
        return len(entries)

    async def _send_standing_answer(self, command: Command) -> None:
        """Submit a standing order's answer.

        Sessions in which another component submits these answers override this method to wait for it.
        """
        await self._send(command)

    async def advance(self) -> bool:
        """Let another player in this program, such as a bot, make one move. Return False if none can move now."""
        return False

    async def settle(self) -> None:
        """Wait until the standing orders have no answer left to give.

        Most sessions give these answers in :meth:`advance`.
        """
        await asyncio.sleep(0)

    def redacted_records(self, records: Sequence[Record]) -> tuple[Record, ...]:
        """Redact full records to the data that this seat may see."""
        return tuple(redact_record(self.ruleset, record, self._role) for record in records)
