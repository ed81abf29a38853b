"""A game that this program holds: one or more people at this keyboard, bots in the other seats."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engine.kernel.decision import Decision
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, View
from saves.match import Match
from saves.records import Record
from tui.session import Session, SessionError


class Player(Protocol):
    """A bot: it sees what a person in its seat sees."""

    def choose(self, view: View, decision: Decision[Any]) -> Command:
        """Return one of the options."""
        ...


class LocalSession(Session):
    """The judge's match with a screen."""

    def __init__(
        self, match: Match[Any], bots: Mapping[Role, Player], role: Role | None = None
    ) -> None:
        """Show a match.

        Args:
            match: The game; it is closed with the session.
            bots: Players of the seats that no person has.
            role: The seat to show first; None shows the first person who is asked, or watches when there are only bots.
        """
        self.match = match
        self.bots = dict(bots)
        self.people = tuple(seat for seat in match.ruleset.roles(match.state) if seat not in bots)
        first = role if role is not None else self._first_person(match)
        super().__init__(match.ruleset, first)

    def _first_person(self, match: Match[Any]) -> Role | None:
        asked = [seat for seat in match.ruleset.asked(match.state) if seat in self.people]
        return next(iter([*asked, *self.people]), None)

    @property
    def seq(self) -> int:
        """Return the number of the last record."""
        return self.match.seq

    @property
    def title(self) -> str:
        """Return scenario and players."""
        seats = ", ".join(f"{seat.role}: {seat.player}" for seat in self.match.header.seats)
        return f"{self.ruleset.title}, {self.match.header.scenario or 'own position'} ({seats})"

    def _state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        return self.match.state

    def _records(self, after: int) -> Sequence[Record]:
        return tuple(self.match.redacted(self._role, after))

    async def _send(self, command: Command) -> None:
        if self._role is None:
            raise SessionError("a spectator gives no commands")
        self.match.submit(self._role, command, self.match.seq)
        self._end()

    def _end(self) -> None:
        """Show the secret once the game is over, so that the record can be checked."""
        if self.outcome() is not None and not self.match.is_revealed:
            self.match.reveal()

    async def advance(self) -> bool:
        """Let one bot answer, after what else waits was done; returns False when no bot is asked.

        Bots answer in milliseconds and share the rules' memories with the screen, so they get no thread.
        """
        role = next((seat for seat in self.waiting_for() if seat in self.bots), None)
        if role is None or self._draft is not None:
            return False
        await asyncio.sleep(0)
        state = self.match.state
        view, decision = self.ruleset.project(state, role), self.ruleset.decision(state, role)
        self.match.submit(role, self.bots[role].choose(view, decision), self.match.seq)
        self._end()
        return True

    def next_person(self) -> Role | None:
        """Return who should sit down at this keyboard now, None when whoever sits there is right."""
        asked = [seat for seat in self.waiting_for() if seat in self.people]
        return None if not asked or self._role in asked or self._draft is not None else asked[0]

    def sit_down(self, role: Role) -> None:
        """Show another person's seat; the draft of the one before is forgotten."""
        if role not in self.people:
            raise SessionError(f"{role} is not played at this keyboard")
        self._draft = None
        self._role = role

    async def take_back(self) -> str:
        """Set the game back to before the last command of the seat on screen.

        At one keyboard everybody consents; the takeback stays in the record.
        """
        for record in reversed(self._records_that_count()):
            if record.kind == "command" and record.role == self._role:
                self._draft = None
                self.match.takeback(record.seq - 1, record.role)
                return "Taken back; it stays in the record."
        raise SessionError("there is no command to take back")

    def _records_that_count(self) -> list[Record]:
        counted: list[Record] = []
        seq = self.match.seq
        while seq >= 0:
            record = self.match.records[seq]
            if record.takeback_to is not None:
                seq = record.takeback_to
                continue
            counted.append(record)
            seq -= 1
        return counted[::-1]

    async def close(self) -> None:
        """Let go of the record file."""
        self.match.close()
