"""What the program of a seat does by itself in a fair match: it hears what is under way, and does what is due.

What it says follows from its copy, its keys and what was said before. It is kept before it is sent, so that a program
that was started again says nothing twice in two ways.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.errors import ProtocolError
from netplay.messages import CHUNK_BYTES, ActPart, Begin, PendingPart
from netplay.newid import new_id
from netplay.parties import SeatParty
from netplay.seatcopy import SeatCopy
from netplay.underway import entries_in, followed
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.follower import Follower
from saves.protocol6.pending import Act, Acts, Pending, Step
from saves.protocol6.seat import Seat
from saves.records import MAX_RECORD_BYTES


class Dealing:
    """One seat, or a spectator, of a match; where the host deals there is never anything to do."""

    def __init__(self, copy: SeatCopy, party: SeatParty | None, role: Role | None) -> None:
        """Have heard nothing.

        Args:
            copy: What the seat holds.
            party: Its secrets; None for a spectator.
            role: Whose it is.
        """
        self._copy = copy
        self._party = party
        self._role = role
        self._seq = 0
        self._data = bytearray()
        self._read = 0
        self._total = 0
        self._seat: Seat | None = None
        self._follower: Follower[Any] | None = None
        self.pending: Pending | None = None
        """The command under way, as far as it was heard of."""
        self._is_new = False

    # -- hearing

    @property
    def held(self) -> int:
        """Return how many bytes are held of what is said about the next record."""
        self._turn()
        return len(self._data)

    @property
    def is_partial(self) -> bool:
        """Return whether more was said than has come."""
        self._turn()
        return len(self._data) < self._total

    def _turn(self) -> None:
        """Forget what was said about a record that is there."""
        if self._copy.seq + 1 != self._seq:
            self._seq = self._copy.seq + 1
            self._clear()

    def _clear(self) -> None:
        self._data.clear()
        self._read = self._total = 0
        self.pending = None

    def take(self, part: PendingPart | None) -> None:
        """Hear a piece of what is said.

        Raises:
            ProtocolError: It is not the next piece, or nobody asked for it.
            UnreadableError: It makes no sense.
        """
        self._turn()
        if part is None or part.seq != self._seq:
            return
        if part.offset != len(self._data):
            self._clear()
        if part.offset != len(self._data) or part.total > 4 * MAX_RECORD_BYTES:
            raise ProtocolError("the host sends a piece that was not asked for")
        self._data += part.data
        self._total = part.total
        for said, end in entries_in(self._data, self._read):
            self.pending, self._read = followed(self.pending, said), end
            self._is_new = True

    def again(self) -> None:
        """Look once more what is due: on another connection, where the last thing that was said may have got lost."""
        self._is_new = True

    # -- doing

    def due(self) -> Acts | None:
        """Return what this seat must do now, once; None when others are due.

        Raises:
            FairPlayError: What is told is not what honest programs say.
            FoulPlayError: The host tells another history than before.
            StorageError: The disk refused.
        """
        self._turn()
        pending, party = self.pending, self._party
        if pending is None or party is None or self.is_partial or not self._is_new:
            return None
        seat = self.seat
        if seat is None:
            return None
        self._is_new = False
        acts = seat.acts(pending, self._given(pending))
        self._say(party, acts)
        return Acts(acts=acts) if acts else None

    def _say(self, party: SeatParty, acts: Sequence[Act]) -> None:
        """Keep after which history a seat says what it says next about cards."""
        first = acts[0] if acts else None
        if isinstance(first, Step):
            dealt = self._copy.follower.dealt
            assert dealt is not None, "the seats deal"
            transcript = dealt.transcript
            before = transcript.chain_at(first.number)
            assert before is not None, "it has heard all steps before"
            party.say(first.number, before, transcript.chain_at)

    @property
    def seat(self) -> Seat | None:
        """Return the seat over the present copy; None where the host deals, or for a spectator."""
        copy, party, role = self._copy, self._party, self._role
        if not copy.is_dealt or party is None or role is None:
            return None
        if self._seat is None or self._follower is not copy.follower:
            self._follower = copy.follower
            self._seat = Seat(copy.follower, party.keys, role)
        return self._seat

    def begin(self, command: Command, remark: str) -> Begin:
        """Return a command that is to be the next record, once the disk has it.

        Raises:
            IllegalCommandError: The rules refuse it.
            StorageError: The disk refused.
        """
        seat, party = self.seat, self._party
        assert seat is not None, "the seats deal"
        assert party is not None, "the seats deal"
        begun = seat.begin(command)
        party.give(self._copy.seq + 1, canonical(command))
        self._is_new = True
        return Begin(
            expected_seq=self._copy.seq,
            command=begun.command,
            signature=begun.signature,
            needs_chance=begun.needs_chance,
            remark=remark,
            acts=begun.acts,
        )

    def _given(self, pending: Pending) -> Command | None:
        """Return the command that is under way, where this seat has given it."""
        seat, party, entry = self.seat, self._party, pending.command
        if seat is None or party is None or entry is None or pending.role != self._role:
            return None
        decoder = msgspec.msgpack.Decoder(self._copy.ruleset.command_type)
        for body in party.given(pending.seq):
            command: Command = decode(decoder, body, len(body))
            if seat.said(command)[0].commitment == entry.commitment:
                return command
        raise UnreadableError(
            "the command under way was given with a program whose private file is not here"
        )


def parts_of(deed: Begin | Acts) -> Iterator[ActPart]:
    """Yield the messages that say what a seat does."""
    data, name = msgspec.msgpack.encode(deed), new_id()
    for offset in range(0, len(data), CHUNK_BYTES):
        piece = data[offset : offset + CHUNK_BYTES]
        yield ActPart(request_id=name, offset=offset, total=len(data), data=piece)
