"""How a seat takes part in the beginning of a match with joint chance: it enrols, and opens its first link."""

from collections import deque
from collections.abc import Callable

import msgspec

from engine.kernel.ids import Role
from netplay import greeting, identity
from netplay.dealing import Dealing, parts_of
from netplay.errors import ProtocolError, SeatRefusedError
from netplay.invites import Invite
from netplay.messages import ActPart, Answer, Enrol, Message, OpenLink, Wait, Waiting, Welcome
from netplay.parties import SeatParty
from netplay.seatcopy import SeatCopy
from netplay.transport import Asking
from netplay.waitingfile import ENROL_CONTEXT, enrolment_parts
from saves.chain import first_chain, throw_digest
from saves.errors import FairPlayError
from saves.headers import Header, decode_header
from saves.protocol6.parties import Throw
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
        dealing: Dealing,
    ) -> None:
        """Wait on a connection that has proved its seat.

        Args:
            line: The connection.
            invite: Whose seat.
            party: Its secrets, None for a spectator.
            heard: Called with what the host says of the match.
            wait_ms: How long the host may hold a question.
            copy: The seat's copy, which begins with the cards of a fair match.
            dealing: What the seat does about them.
        """
        self._line = line
        self._invite = invite
        self._party = party
        self._heard = heard
        self._wait_ms = wait_ms
        self._copy = copy
        self._dealing = dealing
        self._has_opened = False
        self._parts: deque[ActPart] = deque()
        """What is to be said before anything else."""

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
            self._deal(header, answer)
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
            return Wait(wait_ms=self._wait_ms, pending=self._dealing.held)
        if role in told.missing:
            return self._enrolment(party, deals=told.is_fair)
        if self._parts:
            return self._parts.popleft()
        if told.call is not None and not self._has_opened:
            link = self._opened(party, header, told.call.throw)
            self._has_opened = True
            return OpenLink(index=told.call.throw.index, link=link)
        wait = 0 if self._dealing.is_partial else self._wait_ms
        return Wait(wait_ms=wait, pending=self._dealing.held)

    def _deal(self, header: Header, told: Waiting) -> None:
        """Hear what is under way about the cards of the opening, and prepare what is due."""
        party = self._party
        if not told.is_fair or told.missing or party is None:
            return
        if not self._copy.is_dealt:
            self._agree(party, header)
            self._copy.adopt(told.header, told.rules)
        self._dealing.take(told.pending)
        acts = self._dealing.due()
        if acts is not None:
            self._parts.extend(parts_of(acts))

    def _enrolment(self, party: SeatParty, *, deals: bool) -> Enrol:
        promise = party.promised(deals=deals)
        parts = enrolment_parts(self._invite.match, promise)
        signature = identity.sign_proof(self._invite.key, ENROL_CONTEXT, *parts)
        return Enrol(party=promise, signature=signature)

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
