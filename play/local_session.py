"""Runs a game in this program, with people at the keyboard and bots in the other seats."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from typing_extensions import override

from engine.bots.player import Player, last_reason
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from play.bot_process import BotProcess
from play.bots import BOT_PLAYER_PREFIX
from play.drafts import Drafts
from play.local_negotiation import LocalNegotiation, reveal_if_over
from play.local_record_reader import LocalRecordReader
from play.negotiation import SessionError
from play.notes import NOTES_SUFFIX, Notebook
from play.order_books import OrderBooks
from play.saved_draft import DRAFT_SUFFIX
from play.seating import group_into_seats
from play.session import Session
from play.standing_orders import ORDERS_SUFFIX, OrderBook
from play.titles import match_briefing, match_title
from saves.match import Match
from saves.teams import match_info
from saves.terms import Terms


class LocalSession(Session):
    """A session for a full match that this program runs itself."""

    _negotiation_type = LocalNegotiation
    _orders_type = OrderBooks

    def __init__(
        self,
        match: Match[Any],
        bots: Mapping[Role, Player],
        role: Role | None = None,
        path: Path | None = None,
    ) -> None:
        """Open a session on a match.

        Args:
            match: The game. It is closed together with the session.
            bots: The bots, by role.
            role: The seat to show first. None shows the first person who must decide. If there are only bots, None
                shows the spectator view.
            path: The record file. Standing orders, notes and drafts are stored next to it. If the path is None, they
                are kept in memory.
        """
        self.match = match
        self._path = path
        self.bots = dict(bots)
        players = {seat.role: seat.player for seat in match.header.seats}
        all_seats = group_into_seats(match_info(match.ruleset, match.header), players)
        person_seats = (
            tuple(seat_role for seat_role in seat if seat_role not in bots) for seat in all_seats
        )
        self._person_seats = tuple(seat for seat in person_seats if seat)
        self._bot_process = BotProcess()
        self._held_choice: tuple[int, Role, Command] | None = None
        """A bot's choice that must wait because the player has a draft: record number, role and command.

        None if no choice is waiting.
        """
        order_books = {
            seat: OrderBook(_seat_file(path, seat[0], ORDERS_SUFFIX)) for seat in self._person_seats
        }
        self._notebooks = {
            seat: Notebook(_seat_file(path, seat[0], NOTES_SUFFIX)) for seat in self._person_seats
        }
        shown_role = role if role is not None else self._first_role_to_show(match)
        drafts = Drafts(match.ruleset, lambda role: _seat_file(path, role, DRAFT_SUFFIX))
        negotiation = self._negotiation_type(
            match, self.bots, drafts, lambda: self._role, lambda: self.own_roles
        )
        records = LocalRecordReader(match, lambda: self._role, lambda: self.own_roles)
        spectator_orders = OrderBook()
        orders = self._orders_type(
            match.ruleset,
            lambda: self._role,
            self._state,
            lambda role: order_books.get(self._roles_of_person(role), spectator_orders),
        )
        super().__init__(match.ruleset, shown_role, drafts, negotiation, records, orders)
        for own_role in self.own_roles:
            drafts.restore(own_role, match.state, self.seq)

    def _first_role_to_show(self, match: Match[Any]) -> Role | None:
        waiting_roles = [
            seat for seat in match.ruleset.active_roles(match.state) if seat in self.people
        ]
        return next(iter([*waiting_roles, *self.people]), None)

    @property
    @override
    def record_path(self) -> Path | None:
        return self._path

    @property
    @override
    def players(self) -> Mapping[Role, str]:
        """Return the players named in the record. A bot that replaces a person has the bot prefix as its name."""
        seats = self.match.header.seats
        return {
            seat.role: seat.player
            if seat.role not in self.bots or seat.player.startswith(BOT_PLAYER_PREFIX)
            else BOT_PLAYER_PREFIX
            for seat in seats
        }

    @property
    @override
    def people(self) -> tuple[Role, ...]:
        roles = self.match.ruleset.roles(self.match.state)
        return tuple(role for role in roles if role not in self.bots)

    @property
    @override
    def own_roles(self) -> tuple[Role, ...]:
        """Return the roles played by the person at the keyboard."""
        return self._roles_of_person(self._role)

    def _roles_of_person(self, role: Role | None) -> tuple[Role, ...]:
        role_tuple = () if role is None else (role,)
        return next((seat for seat in self._person_seats if role in seat), role_tuple)

    @property
    @override
    def notes(self) -> Notebook | None:
        return self._notebooks.get(self.own_roles)

    @property
    @override
    def seq(self) -> int:
        return self.match.seq

    @property
    @override
    def title(self) -> str:
        return match_title(self.ruleset, self.match.header)

    @override
    def briefing(self) -> str:
        return match_briefing(self.ruleset, self.match.header, self.seq)

    @override
    def _state(self) -> Any:
        return self.match.state

    @override
    async def _send(self, command: Command) -> None:
        if self._role is None:
            raise SessionError("a spectator cannot give commands")
        self.submit(self._role, command)

    def submit(self, role: Role, command: Command) -> None:
        """Permanently carry out any role's command. If this ends the game, reveal its secret for verification.

        Raises:
            IllegalCommandError: The rules refuse the command.
            StorageError: Writing to disk failed. The message states what was saved.
        """
        self.match.submit(role, command, self.match.seq)
        self.drafts.rebase_all(self._state())
        self._forget_finished_courses()
        reveal_if_over(self.match)

    @override
    async def advance(self) -> bool:
        """Let one bot or one standing order answer. Return False if neither can answer now.

        Most bots run in this thread, because they answer within milliseconds and share the rules' caches with the
        screen. Bots that look ahead run in a separate process. Standing orders answer immediately, because opponents
        cannot measure response times here.
        """
        # Bots wait until the player commits, because a move would change the state on which the
        # player's draft is based.
        if self.draft.entries:
            return False
        for role in self.waiting_for():
            command = self._automatic_answer(role)
            if role in self.bots or command is not None:
                await asyncio.sleep(0)
                if command is None:
                    return await self._move_bot(role)
                self.submit(role, command)
                return True
        return False

    async def _move_bot(self, role: Role) -> bool:
        """Let a bot move. If the player has a draft, keep the bot's choice for later and return False."""
        seq = self.match.seq
        if self._held_choice is None or self._held_choice[:2] != (seq, role):
            name = self.match.header.match_id
            command = await self._bot_process.choose(
                self.ruleset, self.match.state, role, self.bots[role], name
            )
            if self._is_closed:
                return False
            # The match changed during the search, so the bot's answer is out of date.
            if self.match.seq != seq:
                return True
            self._held_choice = seq, role, command
        if self.draft.entries:
            return False
        command, self._held_choice = self._held_choice[2], None
        self._remark(role)
        self.submit(role, command)
        return True

    @override
    def set_bot_seconds(self, seconds: float) -> None:
        self._bot_process.seconds = seconds

    @override
    def pop_problem(self) -> str:
        return self._bot_process.pop_problem()

    def _remark(self, role: Role) -> None:
        """If a bot gives a reason for its latest choice, add the reason to the record."""
        reason = last_reason(self.bots[role])
        if reason:
            self.match.remark(reason, role)

    @override
    def _automatic_answer(self, role: Role) -> Command | None:
        return None if role in self.bots else super()._automatic_answer(role)

    @override
    def _terms(self) -> Terms:
        return self.match.terms

    @override
    async def close(self) -> None:
        """Close the record file and stop the bots."""
        await super().close()
        self._bot_process.close()
        self.match.close()


def _seat_file(record: Path | None, role: Role, suffix: str) -> Path | None:
    """Return the path of a seat's file next to the record, or None if the game has no record file."""
    return None if record is None else record.with_name(f"{record.name}.{role}{suffix}")
