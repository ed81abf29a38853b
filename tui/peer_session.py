"""A seat of a game that a host on the network holds, or a spectator's place."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from engine.kernel.ruleset import Command
from netplay.peer import Peer
from netplay.status import Chatted, Link, PeerEvent, ViewsDiffered
from saves.records import Record
from tui.session import LogLine, Session, SessionError

_SLOW_STEP_MS: Final = 50
"""Latency is told in steps, so that the header stays still."""
_KEPT_LINES: Final = 200


class PeerSession(Session):
    """A peer with a screen; it is ready once the host has sent the game."""

    can_talk = True
    is_copy = True

    def __init__(self, peer: Peer) -> None:
        """Show a started peer that holds a game; role None watches."""
        super().__init__(peer.ruleset, peer.role)
        self.peer = peer
        self.can_play = peer.role is not None
        self._heard: list[LogLine] = []
        self._changed: Callable[[], None] | None = None
        self._stop = peer.listen(self._hear)

    @property
    def seq(self) -> int:
        """Return the number of the last record held."""
        return self.peer.seq

    @property
    def title(self) -> str:
        """Return scenario and players."""
        header = self.peer.header
        if header is None:
            return self.ruleset.title
        seats = ", ".join(f"{seat.role}: {seat.player}" for seat in header.seats)
        return f"{self.ruleset.title}, {header.scenario or 'own position'} ({seats})"

    def _state(self) -> Any:  # noqa: ANN401  (a state is opaque here)
        return self.peer.state

    def _records(self, after: int) -> Sequence[Record]:
        return tuple(self.peer.copy.record(seq) for seq in range(after + 1, self.peer.seq + 1))

    async def _send(self, command: Command) -> None:
        await self.peer.submit(command)

    def status(self) -> str:
        """Return how the connection stands and who is away."""
        status = self.peer.status
        parts = []
        match status.link:
            case Link.CONNECTED:
                slow = (status.latency_ms or 0) // _SLOW_STEP_MS * _SLOW_STEP_MS
                parts.append(f"* host {slow} ms" if slow else "* host")
            case Link.CONNECTING:
                parts.append("connecting")
            case Link.LOST:
                parts.append("HOST LOST, trying again")
            case Link.STOPPED | Link.CLOSED:
                parts.append(status.reason or "closed")
        if status.absent:
            parts.append(f"away: {', '.join(status.absent)}")
        return " | ".join(parts)

    def listen(self, changed: Callable[[], None]) -> None:
        """Call back when records, chat, presence or takebacks come in."""
        self._changed = changed

    def _hear(self, event: PeerEvent) -> None:
        match event:
            case Chatted(role=role, text=text):
                self._heard.append(LogLine(self.seq, f"{self._speaker(role)}: {text}"))
                del self._heard[:-_KEPT_LINES]
            case ViewsDiffered(seq=seq):
                self._draft = None
                self._heard.append(
                    LogLine(self.seq, f"(views differed after record {seq}; fetched again)")
                )
            case _:
                pass
        if self._changed is not None:
            self._changed()

    def _speaker(self, role: str) -> str:
        """Return who said something: the player's name, with the role when they differ."""
        seats = self.peer.header.seats if self.peer.header is not None else ()
        name = next((seat.player for seat in seats if seat.role == role), "")
        return f"{name} ({role})" if name and name != role else role or "table"

    def log(self, after: int = -1) -> Iterator[LogLine]:
        """Yield the sentences of the game with what was said between them."""
        lines = list(super().log(after))
        told = [line for line in lines if not line.is_draft]
        yield from sorted([*told, *self._heard], key=lambda line: line.seq)
        yield from (line for line in lines if line.is_draft)

    async def say(self, text: str) -> None:
        """Say a line to everybody at the table."""
        await self.peer.say(text)

    async def take_back(self) -> str:
        """Ask the others whether the own last command may be taken back."""
        for seq in range(self.seq, 0, -1):
            record = self.peer.copy.record(seq)
            if record.kind == "command" and record.role == self.role:
                self._draft = None
                await self.peer.ask_takeback(seq - 1)
                return "The others are asked."
        raise SessionError("there is no command to take back")

    def takeback_question(self) -> str:
        """Return what another seat wants taken back."""
        ask = self.peer.takeback
        if ask is None or self.role is None or self.role not in ask.waiting_for:
            return ""
        return f"{ask.role} asks to go back to record {ask.to_seq} (now {self.seq}). Agree?"

    async def answer_takeback(self, *, agree: bool) -> None:
        """Answer another seat's wish."""
        await self.peer.answer_takeback(agree=agree)

    async def close(self) -> None:
        """Leave the table; the seat stays taken for whoever holds the invite."""
        await super().close()
        self._stop()
        await self.peer.close()
