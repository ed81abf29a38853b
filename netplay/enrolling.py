"""How a seat takes part in the beginning of a match with joint chance: it enrols, and opens its first link."""

from collections.abc import Callable

import msgspec

from engine.kernel.ids import Role
from netplay import greeting, identity
from netplay.errors import ProtocolError, SeatRefusedError
from netplay.invites import Invite
from netplay.messages import Answer, Enrol, Message, OpenLink, Wait, Waiting, Welcome
from netplay.parties import SeatParty
from netplay.transport import Asking
from netplay.waitingfile import ENROL_CONTEXT, enrolment_parts
from saves.errors import FairPlayError
from saves.fair.parties import Throw
from saves.fair.pledges import Pledges
from saves.records import NOBODY, Header, decode_header, first_chain, throw_digest

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
    ) -> None:
        """Wait on a connection that has proved its seat.

        Args:
            line: The connection.
            invite: Whose seat.
            party: Its secrets, None for a spectator.
            heard: Called with what the host says of the match.
            wait_ms: How long the host may hold a question.
        """
        self._line = line
        self._invite = invite
        self._party = party
        self._heard = heard
        self._wait_ms = wait_ms
        self._has_opened = False

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
            return self._enrolment(party)
        if told.call is not None and not self._has_opened:
            link = self._opened(party, header, told.call.throw)
            self._has_opened = True
            return OpenLink(index=told.call.throw.index, link=link)
        return Wait(wait_ms=self._wait_ms)

    def _enrolment(self, party: SeatParty) -> Enrol:
        promise = party.party
        parts = enrolment_parts(self._invite.match, promise)
        signature = identity.sign_proof(self._invite.key, ENROL_CONTEXT, *parts)
        return Enrol(party=promise, signature=signature)

    def _opened(self, party: SeatParty, header: Header, throw: Throw) -> bytes:
        """Return the link of the opening, once its header is checked and kept."""
        Pledges(header).check_promises()
        if header.parties is msgspec.UNSET or throw != opening_throw(header):
            raise FairPlayError(Role(""), "the host asks for a throw that is not the opening's")
        party.agree(header)
        return party.promise(throw)


def opening_throw(header: Header) -> Throw:
    """Return the throw of the opening of a match with this header."""
    digest = throw_digest(NOBODY, None, msgspec.UNSET)
    return Throw(index=0, seq=0, prev=first_chain(header), role=NOBODY, digest=digest)
