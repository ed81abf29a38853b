"""What a peer tells its screen: how the connection stands, and what has just happened."""

from enum import Enum
from pathlib import Path
from typing import TypeAlias

import msgspec

from engine.kernel.ids import Role
from netplay.messages import OpenOffer
from saves.disk import Trouble
from saves.records import Record


class Link(Enum):
    """How the connection to the host stands."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    WAITING = "waiting"
    """The match has not begun; the reason says for whom it waits."""
    LOST = "lost"
    """It is tried again by itself."""
    STOPPED = "stopped"
    """Trying again does not help; the reason says why."""
    CLOSED = "closed"
    """The player left."""


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How the connection stands."""

    link: Link = Link.CONNECTING
    reason: str = ""
    """One sentence when the connection is lost or stopped."""
    latency_ms: int | None = None
    """Round trip to the host, None before the first."""
    present: tuple[Role, ...] = ()
    absent: tuple[Role, ...] = ()
    """Seats that nobody plays at the moment; the game waits for them."""
    spectators: int = 0
    waiting_for: tuple[Role, ...] = ()
    """Seats whose part of the chance or of the cards lets everybody wait."""
    may_stop: bool = False
    """Whether others have not answered for so long that the match may be stopped."""
    disk: Trouble = ""
    """Why the host's disk takes no records; empty while it does."""
    mode: str = ""
    """What the mode of a match is that has not begun, in words."""
    earlier: str = ""
    """Which earlier matches with this host stopped after the deal, in words; empty for none."""


class RecordsCame(msgspec.Struct, frozen=True, kw_only=True):
    """Records were added to the copy; the state is the one after the last."""

    records: tuple[Record, ...]
    silent: bool
    """Whether they belong to a catch-up and need no animation."""


class StatusChanged(msgspec.Struct, frozen=True, kw_only=True):
    """The status is another one than before."""

    status: Status


class Chatted(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody said something; the text is clean."""

    role: str
    text: str


class OfferChanged(msgspec.Struct, frozen=True, kw_only=True):
    """An offer was made, is waiting for fewer answers, or is settled (None)."""

    offer: OpenOffer | None


class ViewsDiffered(msgspec.Struct, frozen=True, kw_only=True):
    """Host and peer saw different games after a record; the peer went back and fetches again."""

    seq: int
    agreed_seq: int
    bundle: Path | None
    """What is kept of the difference; None when the disk refused."""


class FullRecordCame(msgspec.Struct, frozen=True, kw_only=True):
    """The game is over, and the host has sent its whole record."""

    path: Path
    difference: str
    """Where it is not what this seat was told; empty where it is."""
    fault: str = ""
    """Where the evidence is that the opened secrets prove a fault; empty if they prove none."""


PeerEvent: TypeAlias = (
    RecordsCame | StatusChanged | Chatted | OfferChanged | ViewsDiffered | FullRecordCame
)
