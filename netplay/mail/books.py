"""What both sides remember from one move file to the next, in a small file beside the record or the copy.

Nothing of it is needed to be right about the game, which is told by the records alone: without it more is sent than
necessary, and chat that was not sent yet is lost.
"""

from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from engine.kernel.errors import DataError
from netplay.messages import COMMAND_BYTES, ChatLine, Line, OpenOffer, RequestId
from play.standing_orders import StandingOrders
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file

SUFFIX: Final = ".mail"
_MOST_BYTES: Final = 8 << 20
CHAT_KEPT: Final = 100
_IDS_KEPT: Final = 256

Number = Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
Bytes = Annotated[bytes, msgspec.Meta(max_length=COMMAND_BYTES)]


class Corner(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What the judge remembers of one seat."""

    certificate: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    """Of the seat's key, to which files for it are sealed."""
    sent: Number = 0
    """Number of the last file that was written for it."""
    heard: Number = 0
    """Number of the last file that was taken from it."""
    seq: Annotated[int, msgspec.Meta(ge=-1)] = -1
    """Last record in its copy, as its last file said."""
    shown: Annotated[int, msgspec.Meta(ge=-1)] = -1
    """Last record in a file that was written for it."""
    spoken: Number = 0
    """Last chat line in a file that was written for it."""
    is_due: bool = False
    """Whether an answer waits to be sent that is no record."""
    told: Number = 0
    """Last chat line that it has heard."""
    verdicts: tuple[bytes, ...] = ()
    """Answers to the commands in its last file."""
    difference: bytes = b""
    """Where its copy or view differed, until a file agrees; empty for nowhere."""
    orders: StandingOrders | None = None
    """What is answered for it without being asked."""
    requests: tuple[RequestId, ...] = ()
    """Chat and words about offers that were taken from it; a repeat changes nothing."""

    def remember(self, request: str) -> None:
        """Note that a request was taken."""
        self.requests = (*self.requests, request)[-_IDS_KEPT:]


class JudgeBook(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What the judge's side of a match remembers."""

    mail: Literal[1] = 1
    seats: dict[str, Corner] = {}
    chat: tuple[ChatLine, ...] = ()
    offer: OpenOffer | None = None
    """The offer that waits for answers."""

    def corner(self, role: str) -> Corner:
        """Return what is remembered of a seat."""
        return self.seats.setdefault(role, Corner())


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that was given and of which no record has come."""

    id: RequestId
    command: Bytes
    seq: Annotated[int, msgspec.Meta(ge=-1)]
    """Last record that its giver saw."""
    sent: Number = 0
    """Number of the first file that holds it; 0 for none."""


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of chat, or a word about an offer, that the judge has not confirmed."""

    id: RequestId
    message: Bytes
    """As on the line."""
    sent: Number = 0
    """Number of the first file that holds it; 0 for none."""


class SeatBook(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a seat remembers."""

    mail: Literal[1] = 1
    judge: Line = ""
    """What the judge is called; foreign."""
    sent: Number = 0
    """Number of the last file that was written."""
    heard: Number = 0
    """Number of the last file that was taken from the judge."""
    entries: tuple[Entry, ...] = ()
    requests: tuple[Request, ...] = ()
    chat: tuple[ChatLine, ...] = ()
    """The last lines that came."""
    told: Number = 0
    """Last chat line that came."""
    offer: OpenOffer | None = None


B = TypeVar("B", JudgeBook, SeatBook)


def load(path: Path, kind: type[B]) -> B:
    """Return a book from its file; an empty one where there is none.

    Raises:
        DataError: The file is damaged.
        StorageError: It cannot be read.
    """
    try:
        return msgspec.json.decode(read_file(path, _MOST_BYTES), type=kind)
    except FileNotFoundError:
        return kind()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        problem = "this is damaged; without the file everything is sent again from the beginning"
        raise DataError(str(path), "", problem) from error


def keep(path: Path, book: JudgeBook | SeatBook) -> None:
    """Write a book.

    Raises:
        StorageError: The disk refused.
    """
    try:
        replace_file(FILES, path, msgspec.json.encode(book) + b"\n")
    except OSError as error:
        raise StorageError(f"cannot keep {path}: {error.strerror or error}") from error
