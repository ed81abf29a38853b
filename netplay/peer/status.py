"""Defines the status and the events that a peer reports to the screen."""

from enum import Enum
from pathlib import Path
from typing import TypeAlias

import msgspec

from engine.kernel.ids import Role
from netplay.wire.messages import OpenOffer
from saves.disk_trouble import Trouble
from saves.records import Record


class ConnectionState(Enum):
    """The state of the connection to the host."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    WAITING = "waiting"
    """The match has not begun. The reason says what is missing."""
    LOST = "lost"
    """The connection was lost. The peer reconnects automatically."""
    STOPPED = "stopped"
    """The connection has ended permanently. The reason says why."""
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
    """True if other seats have been silent for so long that the match may be stopped."""
    disk: Trouble = ""
    """The problem with the host's disk; empty if there is none."""
    mode: str = ""
    """Description of a match's mode before the match has begun."""
    stopped_openings: str = ""
    """A sentence about earlier matches with this host that stopped after the deal; empty if there are none."""


class RecordsReceived(msgspec.Struct, frozen=True, kw_only=True):
    """Records were added to the copy, whose state already includes all of them."""

    records: tuple[Record, ...]
    is_silent: bool
    """True if the peer is still catching up, so that the records should not be animated."""


class StatusChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The status has changed."""

    status: Status


class Chatted(msgspec.Struct, frozen=True, kw_only=True):
    """A chat line was received. Its text is already sanitised."""

    role: str
    text: str


class OfferChanged(msgspec.Struct, frozen=True, kw_only=True):
    """An offer was made, answered by a seat, or closed (None)."""

    offer: OpenOffer | None


class ViewsDiffered(msgspec.Struct, frozen=True, kw_only=True):
    """The host and the peer had different views. The peer has returned to an earlier record and is catching up."""

    seq: int
    agreed_seq: int
    report_path: Path | None
    """Path of the divergence report; None if it could not be saved."""


class FullRecordReceived(msgspec.Struct, frozen=True, kw_only=True):
    """The game is over, and the full record has been received."""

    path: Path
    difference: str
    """How the full record differs from the records that this seat received; empty if it does not."""
    fault: str = ""
    """A phrase that names the evidence files if the revealed secrets prove foul play; empty if they do not."""


PeerEvent: TypeAlias = (
    RecordsReceived | StatusChanged | Chatted | OfferChanged | ViewsDiffered | FullRecordReceived
)
