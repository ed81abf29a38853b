"""How a seat takes part in the beginning of a match with joint chance: it enrols, and opens its first link."""

from collections import deque
from collections.abc import Callable

import msgspec

from engine.kernel.ids import Role
from netplay import greeting, identity
from netplay.errors import ProtocolError, SeatRefusedError
from netplay.fair.seat import FairSeat, parts_of
from netplay.invites import Invite
from netplay.messages import Answer, Enrol, Message, OpenLink, PostPart, Wait, Waiting, Welcome
from netplay.parties import SeatParty
from netplay.seatcopy import SeatCopy
from netplay.transport import Asking
from netplay.waitingfile import ENROL_CONTEXT, enrolment_parts
from saves.chain import first_chain, throw_digest
from saves.errors import FairPlayError
from saves.fair.terms import FairParty
from saves.headers import Header, decode_header
from saves.protocol6.parties import Party, Throw
from saves.protocol6.pledges import Pledges
from saves.records import NOBODY

ASK_SECONDS = 8.0


class Enrolling:
    """One seat, or a spectator, of a match that has not begun."""

    def __init__(
        self,
        line: Asking,
        invite: Invite,
        party: SeatParty | None,
        heard: Callable[[Header, Waiting], None],
        wait_ms: int,
        copy: SeatCopy,
        seat: FairSeat | None,
    ) -> None:
        """Wait on a connection that has proved its seat.

        Args:
            line: The connection.
            invite: Whose seat.
            party: Its secrets, None for a spectator.
            heard: Called with what the host says of the match.
            wait_ms: How long the host may hold a question.
            copy: The seat's copy, which begins with the cards of a fair match.
            seat: What the seat does in a fair match; None for a spectator.
        """
        self._line = line
        self._invite = invite
        self._party = party
        self._heard = heard
        self._wait_ms = wait_ms
        self._copy = copy
        self._seat = seat
        self._has_opened = False
        self._parts: deque[PostPart] = deque()
        """What is to be sent before anything else."""

    async def run(self, told: Waiting) -> Welcome:
        """Return the welcome of the match when it begins.

        Raises:
            ConnectionLostError: The host does not answer.
            SeatRefusedError: It refuses the seat, or the seat has other keys.
            ProtocolError: What it says makes no sense.
            FairPlayError: It does what no honest host does.
            FoulPlayError: Likewise.
            StorageError: The disk refused.
        """
        answer: Answer = told
        while isinstance(answer, Waiting):
            header = self._header(answer)
            self._heard(header, answer)
            self._deal(answer)
            note = self._note(header, answer)
            seconds = ASK_SECONDS + (note.wait_ms / 1000 if isinstance(note, Wait) else 0)
            answer = await greeting.ask(self._line, note, seconds)
        if not isinstance(answer, Welcome):
            raise ProtocolError("the host answers something that was not asked")
        return answer

    def _header(self, told: Waiting) -> Header:
        header = decode_header(told.header)
        if header.match_id != self._invite.match or header.game != self._invite.game:
            raise SeatRefusedError("the host sends the header of another match or seat")
        return header

    def _note(self, header: Header, told: Waiting) -> Message:
        """Return what is to be said next."""
        party, role = self._party, self._invite.role
        if party is None or role is None:
            return Wait(wait_ms=self._wait_ms)
        if role in told.missing:
            return self._fair_enrolment() if told.is_fair else self._enrolment(party)
        if self._parts:
            return self._parts.popleft()
        if told.call is not None and not self._has_opened:
            link = self._opened(party, header, told.call.throw)
            self._has_opened = True
            return OpenLink(index=told.call.throw.index, link=link)
        seat = self._seat
        if seat is None or not told.is_fair:
            return Wait(wait_ms=self._wait_ms)
        is_first = told.transcript is None  # the answer to something else than a question
        return Wait(
            wait_ms=0 if is_first or seat.is_partial else self._wait_ms,
            pending=seat.held(self._copy.seq),
            texts=seat.heard,
        )

    def _deal(self, told: Waiting) -> None:
        """Receive messages of the opening of a fair match, and prepare what is due."""
        seat = self._seat
        if not told.is_fair or told.missing or seat is None:
            return
        self._copy.adopt(told.header, told.rules)
        seat.take(told.transcript, self._copy.seq, told.present)
        post = seat.due()
        if post is not None:
            self._parts.extend(parts_of(post))

    def _enrolment(self, party: SeatParty) -> Enrol:
        promise = party.promised()
        return Enrol(party=promise, signature=self._signature(promise))

    def _fair_enrolment(self) -> Enrol:
        if self._seat is None:
            raise SeatRefusedError("a seat of a fair match needs a folder for its files")
        promise = self._seat.promise()
        return Enrol(fair=promise, signature=self._signature(promise))

    def _signature(self, promise: Party | FairParty) -> bytes:
        parts = enrolment_parts(self._invite.match, promise)
        return identity.sign_proof(self._invite.key, ENROL_CONTEXT, *parts)

    def _opened(self, party: SeatParty, header: Header, throw: Throw) -> bytes:
        """Return the link of the opening, once its header is checked and kept."""
        if header.parties is msgspec.UNSET or throw != opening_throw(header):
            raise FairPlayError(Role(""), "the host asks for a throw that is not the opening's")
        self._agree(party, header)
        return party.promise(throw)

    @staticmethod
    def _agree(party: SeatParty, header: Header) -> None:
        Pledges(header).check_promises()
        party.agree(header)


def opening_throw(header: Header) -> Throw:
    """Return the throw of the opening of a match with this header."""
    digest = throw_digest(NOBODY, None, msgspec.UNSET)
    return Throw(index=0, seq=0, prev=first_chain(header), role=NOBODY, digest=digest)
