"""Stores the state that each side needs between move files, in a small file next to the record or the copy.

The game itself depends only on the records. If the file is lost, unsent chat is lost, and more data than necessary is
sent again.
"""

from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from engine.kernel.errors import DataError
from netplay.wire.messages import COMMAND_BYTES, ChatLine, Count, Line, OpenOffer, RequestId
from play.standing_orders import StandingOrders
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".mail"
_MAX_BYTES: Final = 8 << 20
MAX_CHAT_LINES: Final = 100
_MAX_IDS: Final = 256
OFFER_SECONDS: Final = 7 * 24 * 60 * 60
"""Maximum time in seconds for which offers may delay the next record. Answers by mail may take days."""

Bytes = Annotated[bytes, msgspec.Meta(max_length=COMMAND_BYTES)]


class SeatMailState(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The host's state for one seat: which files, records and chat lines have been exchanged."""

    certificate: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    """The certificate for the seat's key. It is used to encrypt files for the seat."""
    sent: Count = 0
    """Number of the last file written for the seat."""
    heard: Count = 0
    """Number of the last file accepted from the seat."""
    seq: Annotated[int, msgspec.Meta(ge=-1)] = -1
    """Number of the last record in the seat's copy, according to the seat's last file."""
    shown: Annotated[int, msgspec.Meta(ge=-1)] = -1
    """Number of the last record that was written in a file for the seat."""
    spoken: Count = 0
    """Number of the last chat line that was written in a file for the seat."""
    asked: Count = 0
    """Number of the last offer that a file asked the seat to answer."""
    is_due: bool = False
    """True if a refusal or a desync message must be sent to the seat."""
    told: Count = 0
    """Number of the last chat line that the seat has confirmed."""
    verdicts: tuple[bytes, ...] = ()
    """Encoded refusals of requests in the seat's last file."""
    difference: bytes = b""
    """The encoded desync message, kept until the seat's copy agrees with the host's; empty if there is none."""
    orders: StandingOrders | None = None
    """Standing orders that the host uses to answer on the seat's behalf; None if there are none."""
    requests: tuple[RequestId, ...] = ()
    """Ids of chat lines and offer messages already accepted from the seat, so that repeats have no effect."""

    def add_request(self, request: str) -> None:
        """Store the id of an accepted request, so that a repeat has no effect."""
        self.requests = (*self.requests, request)[-_MAX_IDS:]


class OfferDelay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The time for which offers have delayed the next record.

    It begins with the first offer after a record. Otherwise, a player could delay the record for good by making one
    offer after another.
    """

    seq: Annotated[int, msgspec.Meta(ge=-1)]
    """Number of the last record before the offer."""
    since: Count
    """Time of the first offer after that record, in seconds since 1970 by the host's clock."""


class HostMailbox(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The host's state for a match that is played through move files.

    Version 1 has no offer delay. An offer in such a file is treated as made when the file is loaded.
    """

    mail: Literal[1, 2] = 2
    seats: dict[str, SeatMailState] = {}
    chat: tuple[ChatLine, ...] = ()
    offer: OpenOffer | None = None
    """The open offer; None if there is none."""
    offer_delay: OfferDelay | None = None
    """None if no offer has been made since the last record."""

    def is_offer_overdue(self, seq: int, now: int) -> bool:
        """Return whether offers have delayed the next record for too long. Start measuring if an offer is new.

        Args:
            seq: Number of the last record.
            now: The time in seconds since 1970.
        """
        delay = self.offer_delay
        if delay is not None and delay.seq != seq:
            delay = None
        if self.offer is not None:
            # The earlier time is used, because the clock may have been ahead when the offer was made.
            since = now if delay is None else min(delay.since, now)
            delay = OfferDelay(seq=seq, since=since)
        self.offer_delay = delay
        return delay is not None and now - delay.since >= OFFER_SECONDS

    def seat_state(self, role: str) -> SeatMailState:
        """Return the state stored for a seat."""
        return self.seats.setdefault(role, SeatMailState())


class QueuedCommand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command from this seat that the host has not recorded yet."""

    id: RequestId
    command: Bytes
    seq: Annotated[int, msgspec.Meta(ge=-1)]
    """Number of the last record that the seat had received when the command was given."""
    sent: Count = 0
    """Number of the first file that contains the command; 0 if no file contains it yet."""


class QueuedRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chat line or offer message that the host has not confirmed yet."""

    id: RequestId
    message: Bytes
    """The message, encoded in the same way as for the network."""
    sent: Count = 0
    """Number of the first file that contains the message; 0 if no file contains it yet."""


class SeatMailbox(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A seat's state for a match that is played through move files."""

    mail: Literal[1] = 1
    judge: Line = ""
    """The host's name as received, not sanitised."""
    sent: Count = 0
    """Number of the last file written."""
    heard: Count = 0
    """Number of the last file accepted from the host."""
    entries: tuple[QueuedCommand, ...] = ()
    requests: tuple[QueuedRequest, ...] = ()
    chat: tuple[ChatLine, ...] = ()
    """The latest chat lines received."""
    told: Count = 0
    """Number of the last chat line received."""
    offer: OpenOffer | None = None


B = TypeVar("B", HostMailbox, SeatMailbox)


def load_mailbox(path: Path, kind: type[B]) -> B:
    """Load a mailbox from its file. If the file does not exist, return an empty mailbox.

    Raises:
        DataError: The file is damaged.
        StorageError: The file cannot be read.
    """
    try:
        mailbox = msgspec.json.decode(read_file(path, _MAX_BYTES), type=kind)
    except FileNotFoundError:
        return kind()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        problem = (
            "this file is damaged; delete it, and everything will be sent again from the beginning"
        )
        raise DataError(str(path), "", problem) from error
    if isinstance(mailbox, HostMailbox):
        mailbox.mail = 2
    return mailbox


def save_mailbox(path: Path, mailbox: HostMailbox | SeatMailbox) -> None:
    """Write a mailbox to its file.

    Raises:
        StorageError: The file cannot be written.
    """
    try:
        replace_file(FILES, path, msgspec.json.encode(mailbox) + b"\n")
    except OSError as error:
        raise StorageError(f"cannot save {path}: {error.strerror or error}") from error
