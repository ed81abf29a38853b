"""A command of a fair match under way: all that was said about it, at the host and as it is told.

What is said is a list that only grows, in bytes, so that a seat is told what is new and nothing twice. At the host it
stands in a file beside the record (``MATCH.chance``, mode 0600) before any seat hears of it: a host that starts again
goes on with the same command.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from engine.kernel.errors import DataError
from engine.kernel.ids import Role
from netplay.awaited import LATE_SECONDS
from netplay.messages import CHUNK_BYTES, Begin, Call, PendingPart
from saves.blind import BlindMatch
from saves.decoding import decode
from saves.errors import FairPlayError, MatchError, StorageError, UnreadableError
from saves.files import FILES, read_file, replace_file
from saves.protocol6.parties import Links
from saves.protocol6.pending import Act, Complete, Pending, Propose, Show, Step, seen_by
from saves.records import NOBODY

_MOST_BYTES: Final = 1 << 26
_SIZE: Final = 4
"""Bytes in front of each entry that say how long it is."""


class Started(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="started"):
    """A command was begun."""

    pending: Pending


class Linked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="linked"):
    """All parties have opened their links."""

    links: Links


class Acted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="acted"):
    """A seat did what was due; nobody is the host, who works the opening out."""

    role: Role
    act: Act


Said: TypeAlias = Started | Linked | Acted
_DECODER: Final[msgspec.msgpack.Decoder[Said]] = msgspec.msgpack.Decoder(Said)


class _Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file holds."""

    flagplot_pending: Literal[1] = 1
    remark: str
    said: tuple[Said, ...]


_KEPT: Final = msgspec.msgpack.Decoder(_Kept)


def followed(pending: Pending | None, said: Said) -> Pending:
    """Return what is pending after one more thing was said about it.

    Raises:
        UnreadableError: It cannot follow.
    """
    if isinstance(said, Started):
        return said.pending
    if pending is None:
        raise UnreadableError("something is said about a command that nobody gave")
    change = msgspec.structs.replace
    if isinstance(said, Linked):
        return change(pending, links=said.links)
    match said.act:
        case Step(signed=signed):
            return change(pending, steps=(*pending.steps, signed))
        case Propose(proposal=proposal):
            return change(pending, proposal=proposal)
        case Show(slot=slot):
            return change(pending, proposal=None, shown=(*pending.shown, slot))
        case Complete(fill=fill):
            return change(pending, fills={**pending.fills, said.role: fill})


def entry_bytes(said: Said) -> bytes:
    """Return an entry as it stands in what is told."""
    data = msgspec.msgpack.encode(said)
    return len(data).to_bytes(_SIZE, "big") + data


def entries_in(data: bytes | bytearray, start: int = 0) -> Iterator[tuple[Said, int]]:
    """Yield the whole entries in these bytes, each with the place behind it.

    Raises:
        UnreadableError: They are none.
    """
    while len(data) >= start + _SIZE:
        end = start + _SIZE + int.from_bytes(data[start : start + _SIZE], "big")
        if len(data) < end:
            return
        yield decode(_DECODER, bytes(data[start + _SIZE : end]), _MOST_BYTES), end
        start = end


class Underway:
    """What is under way in one fair match, at its host."""

    def __init__(
        self, match: BlindMatch[Any], path: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Go on where a host before this one stopped.

        Args:
            match: The host's copy; before its opening, that is pending.
            path: The file.
            now: Seconds in which the host has run.

        Raises:
            StorageError: It cannot be read.
            DataError: It is damaged.
        """
        self.match = match
        self._path = path
        self.remark = ""
        """What its giver says about the command."""
        self._said: list[Said] = []
        self._told = 0
        """How many entries the disk has, and seats may hear of."""
        self._streams: dict[Role | None, bytearray] = {}
        self._in_stream: dict[Role | None, int] = {}
        self._now = now
        self._since = self._now()
        self.accused: set[Role] = set()
        """Who did what no honest program does; it is told once."""
        kept = self._read()
        if match.pending is not None:
            self._said = [Started(pending=match.pending)]
        if kept is not None:
            self._replay(kept)
        self._told = len(self._said)

    # -- how far it is

    @property
    def pending(self) -> Pending | None:
        """Return what is pending."""
        return self.match.pending

    @property
    def due(self) -> tuple[Role, ...]:
        """Return whom it waits for."""
        match, pending = self.match, self.match.pending
        if pending is None:
            return ()
        if not pending.is_settled:
            parties = match.pledges.parties
            return tuple(party.role for party in parties if party.role not in match.links)
        owed = tuple(dict.fromkeys(one.role for one in match.dealt.table.owed()))
        proposal = pending.proposal
        if owed:
            return owed
        if proposal is None:
            return (pending.role,)
        return (proposal.picks[-1].owner,) if proposal.is_asking else pending.keepers

    @property
    def is_late(self) -> bool:
        """Return whether nothing has happened for so long that everybody is told whom it waits for."""
        return self.pending is not None and self._now() - self._since > LATE_SECONDS

    @property
    def call(self) -> Call | None:
        """Return the chance that it waits for."""
        pending = self.pending
        if pending is None or pending.is_settled or pending.throw is None or not self._told:
            return None
        return Call(throw=pending.throw, waiting_for=self.due if self.is_late else ())

    def part(self, role: Role | None, held: int) -> PendingPart | None:
        """Return the next piece of what was said, None when a seat holds all of it, or for who only watches.

        Args:
            role: Who hears it; a set-up may show each seat what is its own.
            held: How many bytes it holds.
        """
        pending = self.pending
        if pending is None or role is None:
            return None
        stream = self._stream(role if pending.seq == 0 else None)
        start = held if held <= len(stream) else 0
        data = bytes(stream[start : start + CHUNK_BYTES])
        if not data:
            return None
        return PendingPart(seq=pending.seq, offset=start, total=len(stream), data=data)

    def _stream(self, role: Role | None) -> bytearray:
        stream = self._streams.setdefault(role, bytearray())
        first = self._in_stream.get(role, 0)
        for said in self._said[first : self._told]:
            stream += entry_bytes(self._seen(said, role))
        self._in_stream[role] = self._told
        return stream

    def _seen(self, said: Said, role: Role | None) -> Said:
        if not isinstance(said, Acted) or said.role != NOBODY or not isinstance(said.act, Propose):
            return said
        assert self.match.pending is not None, "the opening is pending"
        whole = msgspec.structs.replace(self.match.pending, proposal=said.act.proposal)
        seen = seen_by(self.match.ruleset, whole, role).proposal
        assert seen is not None, "it was just put in"
        return Acted(role=said.role, act=Propose(proposal=seen))

    # -- what happens

    def begin(self, role: Role, begin: Begin) -> None:
        """Let a command be the next record.

        Raises:
            StaleCommandError: Another record came in between, or another command is under way.
            MatchError: Nothing can follow.
            FairPlayError: The signature is wrong.
        """
        pending = self.match.begin(
            role,
            begin.command,
            begin.signature,
            begin.expected_seq,
            needs_chance=begin.needs_chance,
        )
        self.remark = begin.remark
        self._forget()
        self._add(Started(pending=pending))

    def open(self, role: Role, link: bytes) -> bool:
        """Take a party's link; returns whether all are there now.

        Raises:
            FairPlayError: It is not the one that was promised.
        """
        if not self.match.open_link(role, link):
            return False
        pending = self.match.pending
        assert pending is not None, "it has all links now"
        assert pending.links is not None, "it has all links now"
        self._add(Linked(links=pending.links))
        if pending.proposal is not None:
            self._add(Acted(role=NOBODY, act=Propose(proposal=pending.proposal)))
        return True

    def take(self, role: Role, acts: Sequence[Act]) -> bool:
        """Take what a seat does, as far as it does not come too late; returns whether that changed anything.

        Raises:
            FairPlayError: No honest program does this.
        """
        for count, act in enumerate(acts):
            if not self.match.take(role, act):
                return count > 0
            self._add(Acted(role=role, act=act))
        return bool(acts)

    def _add(self, said: Said) -> None:
        self._said.append(said)
        self._since = self._now()

    def end(self) -> None:
        """Let go of what is over: it stands in a record, or an ending has taken its place."""
        self.match.pending, self.match.links = None, {}
        self._forget()

    def _forget(self) -> None:
        self._said.clear()
        self._streams.clear()
        self._in_stream.clear()
        self._told = 0

    # -- the file

    @property
    def is_kept(self) -> bool:
        """Return whether the disk has all that was said."""
        return self._told == len(self._said)

    def draft(self) -> tuple[int, bytes]:
        """Return what the file shall hold, and how many entries that are."""
        said = tuple(self._said)
        return len(said), msgspec.msgpack.encode(_Kept(remark=self.remark, said=said))

    def write(self, data: bytes) -> None:
        """Write the file; may be called in a thread of its own.

        Raises:
            StorageError: The disk refused.
        """
        try:
            replace_file(FILES, self._path, data)
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot keep {self._path}: {reason}") from error

    def kept(self, count: int) -> None:
        """Note that the disk has so many entries, of which seats may hear now."""
        self._told = min(count, len(self._said))

    def remove(self) -> None:
        """Remove the file of a match that is over, or whose record has it all."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> _Kept | None:
        try:
            return decode(_KEPT, read_file(self._path, _MOST_BYTES), _MOST_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = error.strerror or error
            raise StorageError(f"cannot read {self._path}: {reason}") from error
        except UnreadableError as error:
            raise DataError(str(self._path), "", "the command under way is damaged") from error

    def _replay(self, kept: _Kept) -> None:
        match, first = self.match, kept.said[0] if kept.said else None
        if not isinstance(first, Started):
            return
        place = first.pending.seq, first.pending.prev
        if place != (match.seq + 1, match.chain):
            return  # its record was written
        try:
            for said in kept.said:
                self._repeat(said)
        except (FairPlayError, MatchError) as error:
            raise DataError(str(self._path), "", "the command under way is damaged") from error
        self._said, self.remark = list(kept.said), kept.remark

    def _repeat(self, said: Said) -> None:
        """Do once more what a host before this one did."""
        blind = self.match
        match said:
            case Started(pending=pending) if pending.command is not None:
                assert pending.signature is not None, "a command is signed"
                blind.begin(
                    pending.role,
                    pending.command,
                    pending.signature,
                    pending.seq - 1,
                    needs_chance=pending.throw is not None,
                )
            case Linked(links=links):
                for party, link in zip(blind.pledges.parties, links, strict=True):
                    blind.open_link(party.role, link)
            case Acted(role=role, act=act) if role != NOBODY:
                blind.take(role, act)
            case _:
                pass  # the host works the opening out anew
