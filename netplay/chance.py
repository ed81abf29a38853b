"""The chance of one match with parties, at the host: a command waits until every seat has opened its link for it.

What waits stands in a file beside the record (``MATCH.chance``, mode 0600) before any seat hears of it, so that a host
that starts again goes on with the same command and asks for no second throw.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.awaited import LATE_SECONDS
from netplay.messages import COMMAND_BYTES, Call, Line, PartySignature, Submit
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file
from saves.match import Match
from saves.protocol6.parties import Links, Throw

SUFFIX: Final = ".chance"
HOLD_SECONDS: Final = 4.0
"""How long the giver of a command is held before he hears that it still waits."""
_MOST_BYTES: Final = 65_536


class _Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file holds."""

    flagplot_chance: Literal[1] = 1
    throw: Throw
    command: Annotated[bytes, msgspec.Meta(max_length=COMMAND_BYTES)]
    signature: PartySignature
    remark: Line


class Toss:
    """A command that waits for its chance."""

    def __init__(self, kept: _Kept, now: Callable[[], float] = time.monotonic) -> None:
        """Wait for the links of all parties.

        Args:
            kept: The command.
            now: Seconds in which the host has run.
        """
        self.throw = kept.throw
        self.command = kept.command
        self.signature = kept.signature
        self.remark = kept.remark
        self.links: dict[Role, bytes] = {}
        self.accused: set[Role] = set()
        """Who sent a wrong link; it is told once."""
        self.done: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        """The number of the record, once it is written; None when an ending has taken its place."""
        self._now = now
        self._since = now()

    @property
    def is_late(self) -> bool:
        """Return whether it has waited so long that everybody is told for whom."""
        return self._now() - self._since > LATE_SECONDS

    def is_of(self, role: Role, ask: Submit) -> bool:
        """Return whether this is the command that a seat gives."""
        return (
            self.throw.role == role
            and self.throw.seq == ask.expected_seq + 1
            and self.command == ask.command
        )


class Chance:
    """Calls for the links of the parties of one match, one throw after the other."""

    def __init__(
        self, match: Match[Any], path: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Go on where a host before this one stopped.

        Args:
            match: The judge's game.
            path: The file of what waits.
            now: Seconds in which the host has run.

        Raises:
            StorageError: It cannot be read.
            DataError: It is damaged.
        """
        self._match = match
        self._path = path
        self._now = now
        kept = self._read() if match.pledges.is_joint else None
        self.toss = None if kept is None or not self._is_next(kept.throw) else Toss(kept, now)
        """What waits; None while nothing does."""

    def _is_next(self, throw: Throw) -> bool:
        match = self._match
        return (throw.seq, throw.prev) == (match.seq + 1, match.chain)

    def _read(self) -> _Kept | None:
        try:
            return msgspec.json.decode(read_file(self._path, _MOST_BYTES), type=_Kept)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot read {self._path}: {reason}") from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            problem = "the command that waits for its chance is damaged"
            raise DataError(str(self._path), "", problem) from error

    @property
    def missing(self) -> tuple[Role, ...]:
        """Return whose links are missing."""
        toss, parties = self.toss, self._match.pledges.parties
        if toss is None:
            return ()
        return tuple(party.role for party in parties if party.role not in toss.links)

    @property
    def late(self) -> tuple[Role, ...]:
        """Return who lets everybody wait, once that takes long."""
        return self.missing if self.toss is not None and self.toss.is_late else ()

    @property
    def call(self) -> Call | None:
        """Return what every seat is asked for."""
        toss = self.toss
        return None if toss is None else Call(throw=toss.throw, waiting_for=self.late)

    def keep(self, throw: Throw, ask: Submit) -> _Kept:
        """Write a command that needs chance; may be called in a thread of its own.

        Raises:
            StorageError: The disk refused; nothing happened.
        """
        kept = _Kept(throw=throw, command=ask.command, signature=ask.signature, remark=ask.remark)
        try:
            replace_file(FILES, self._path, msgspec.json.encode(kept))
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot keep {self._path}: {reason}") from error
        return kept

    def begin(self, kept: _Kept) -> Toss:
        """Call for the links of a command that is kept."""
        self.toss = Toss(kept, self._now)
        return self.toss

    def take(self, role: Role, link: bytes) -> bool:
        """Take the link of a party; returns whether it was the last one that was missing.

        Raises:
            FairPlayError: It is not the one that was promised.
        """
        toss = self.toss
        if toss is None or role in toss.links:
            return False
        self._match.pledges.check_link(role, link)
        toss.links[role] = link
        return not self.missing

    @property
    def links(self) -> Links:
        """Return all links of what waits, in the order of the parties."""
        assert self.toss is not None, "a command waits"
        return tuple(self.toss.links[party.role] for party in self._match.pledges.parties)

    def end(self, seq: int | None) -> None:
        """Note that the record is written, or an ending instead of it (None); whoever waits hears of it."""
        toss, self.toss = self.toss, None
        if toss is not None and not toss.done.done():
            toss.done.set_result(seq)

    def forget(self) -> None:
        """Remove the file of a game that is over."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let nobody wait any more; the host that follows goes on with what is kept."""
        if self.toss is not None:
            self.toss.done.cancel()
