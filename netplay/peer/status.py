"""Defines a peer's status and events, and reports them to listeners."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from engine.kernel.ids import Role
from netplay.wire.messages import ChatLine, OpenOffer
from netplay.wire.sanitising import CHAT_LIMIT, NAME_LIMIT, sanitise
from play.clock_readings import ClockReading
from saves.disk_trouble import Trouble
from saves.records import Record

_MAX_REASON: Final = 2_000
_MAX_CHAT_LINES: Final = 200
"""Maximum number of chat lines stored to detect repeats, which is more than a host repeats."""


class ConnectionState(Enum):
    """The state of the connection to the host."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    WAITING = "waiting"
    """The match has not begun. The reason says what is missing."""
    LOST = "lost"
    """The connection was lost. The peer reconnects automatically."""
    STOPPED = "stopped"
    """The connection has ended permanently. The reason explains why."""
    CLOSED = "closed"
    """The player has left."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The status of the connection and the match."""

    link: ConnectionState = ConnectionState.CONNECTING
    reason: str = ""
    """A phrase that explains why the connection is waiting, lost or stopped; otherwise empty."""
    latency_ms: int | None = None
    """Round-trip time to the host; None before the first measurement."""
    present: tuple[Role, ...] = ()
    absent: tuple[Role, ...] = ()
    """The seats that are not connected."""
    spectators: int = 0
    waiting_for: tuple[Role, ...] = ()
    """Seats whose contribution to the randomness or the deal is overdue."""
    may_stop: bool = False
    """True if the host has reported on this connection that others have been silent for so long that the match may be
    stopped.
    """
    disk: Trouble = ""
    """The problem with the host's disk; empty if there is none."""
    mode: str = ""
    """Description of the mode of a match that has not begun; otherwise empty."""
    stopped_openings: str = ""
    """A sentence about earlier matches with this host that stopped after the deal; empty if there are none."""


class RecordsReceived(msgspec.Struct, frozen=True, kw_only=True):
    """Records were added to the copy. The copy's state already includes all of them."""

    records: tuple[Record, ...]
    is_silent: bool
    """True if the peer is still catching up. In that case, the records should not be animated."""


class StatusChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The status has changed."""

    status: Status


class Chatted(msgspec.Struct, frozen=True, kw_only=True):
    """A chat line was received. The text is already sanitised."""

    role: str
    text: str


class OfferChanged(msgspec.Struct, frozen=True, kw_only=True):
    """An offer was made, answered by a seat, or closed. If it was closed, ``offer`` is None."""

    offer: OpenOffer | None


class ViewsDiffered(msgspec.Struct, frozen=True, kw_only=True):
    """The host and the peer had different views of the game.

    The peer has returned to an earlier record and is catching up.
    """

    seq: int
    agreed_seq: int
    report_path: Path | None
    """Path of the divergence report; None if it could not be saved."""


class FullRecordReceived(msgspec.Struct, frozen=True, kw_only=True):
    """The game is over, and the secrets were checked, or the full record was received or could not be obtained."""

    path: Path
    difference: str = ""
    """How the full record differs from the records that this seat received; empty if there is no difference."""
    fault: str = ""
    """A phrase that names the evidence files if the revealed secrets prove foul play; empty if they do not."""
    failure: str = ""
    """Why the full record could not be obtained or saved; empty if it was saved."""


PeerEvent: TypeAlias = (
    RecordsReceived | StatusChanged | Chatted | OfferChanged | ViewsDiffered | FullRecordReceived
)


class StatusReporter:
    """Stores a peer's status, and notifies event listeners and tasks that are waiting for a change."""

    def __init__(self) -> None:
        """Create a reporter with no listeners."""
        self.status = Status()
        self.offer: OpenOffer | None = None
        """The offer that is open now; None if there is none."""
        self.first_offer_at: float | None = None
        """The ``time.monotonic`` time of the first offer since the last record; None if there was no offer."""
        self.clock_readings: tuple[ClockReading, ...] = ()
        """The most recent clock readings from the host."""
        self.clock_readings_at = 0.0
        """The ``time.monotonic`` time at which the clock readings were received."""
        self._listeners: list[Callable[[PeerEvent], None]] = []
        self._changed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Return whether the connection has ended permanently."""
        return self.status.link in {ConnectionState.STOPPED, ConnectionState.CLOSED}

    def listen(self, listener: Callable[[PeerEvent], None]) -> Callable[[], None]:
        """Subscribe a listener to all future events, and return a function that unsubscribes the listener."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition on the copy or the connection is met."""
        while not condition():
            await self._changed.wait()

    def wake(self) -> None:
        """Wake all waiters so that they recheck their conditions."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def notify(self, event: PeerEvent) -> None:
        """Pass an event to all listeners, and wake all waiters."""
        for listener in tuple(self._listeners):
            listener(event)
        self.wake()

    def set_link(self, link: ConnectionState, reason: str) -> None:
        """Set the connection state. Unless the state is waiting, lost or stopped, the reason must be empty.

        The reason is sanitised, because it may quote the host or another seat.
        """
        is_connected = link is ConnectionState.CONNECTED
        latency = self.status.latency_ms if is_connected else None
        self.set_status(
            msgspec.structs.replace(
                self.status,
                link=link,
                reason=sanitise(reason, _MAX_REASON),
                latency_ms=latency,
                may_stop=self.status.may_stop and is_connected,
                disk=self.status.disk if is_connected else "",
            )
        )

    def set_status(self, status: Status) -> None:
        """Set the status, and notify the listeners if it has changed."""
        if status != self.status:
            self.status = status
            self.notify(StatusChanged(status=status))


class RecentChat:
    """The chat lines received recently, used to distinguish new lines from repeats."""

    def __init__(self) -> None:
        """Create an empty store."""
        self.last_number = 0
        """Number of the last line received on this connection."""
        self._lines: dict[int, tuple[str, str]] = {}
        """Role and text of recent lines, by number. A restarted host numbers its lines from 1 again."""

    def new_lines(self, lines: Iterable[ChatLine]) -> Iterator[Chatted]:
        """Store the given lines, and yield the lines that have not been received before."""
        for line in lines:
            self.last_number = max(self.last_number, line.number)
            if self._lines.get(line.number) != (line.role, line.text):
                self._lines[line.number] = line.role, line.text
                if len(self._lines) > _MAX_CHAT_LINES:
                    del self._lines[next(iter(self._lines))]
                yield Chatted(
                    role=sanitise(line.role, NAME_LIMIT), text=sanitise(line.text, CHAT_LIMIT)
                )
