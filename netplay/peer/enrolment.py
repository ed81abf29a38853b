"""A seat's part in a match's opening (protocol 7): enrolment, and the seat's opening messages."""

from collections import deque
from collections.abc import Callable

import msgspec

from netplay.fair.seat import FairSeat, parts_of
from netplay.invites import identity
from netplay.invites.invite import Invite
from netplay.invites.pending_match_file import ENROL_CONTEXT, enrolment_parts
from netplay.peer.seat_replica import SeatCopy
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError, ProtocolError, SeatRefusedError
from netplay.wire.messages import Answer, Enrol, Message, PostPart, Refused, Wait, Waiting, Welcome
from netplay.wire.sanitising import REASON_LIMIT, clean
from saves.headers import Header, decode_header
from saves.modes import mode_of

ASK_SECONDS = 8.0


class Enrolling:
    """One seat or spectator in a match that has not begun."""

    def __init__(
        self,
        line: RequestChannel,
        invite: Invite,
        heard: Callable[[Header, Waiting], None],
        wait_ms: int,
        copy: SeatCopy,
        seat: FairSeat | None,
    ) -> None:
        """Use an authenticated connection.

        Args:
            line: The connection.
            invite: The seat's invite.
            heard: Called with the header and each status message from the host.
            wait_ms: Maximum time that the host may hold a request.
            copy: The seat's copy, which will begin with the header.
            seat: Signs the seat's messages; None for a spectator.
        """
        self._line = line
        self._invite = invite
        self._heard = heard
        self._wait_ms = wait_ms
        self._copy = copy
        self._seat = seat
        self._mode = ""
        """Mode reported by the host. It must not change."""
        self._parts: deque[PostPart] = deque()
        """Messages to send before anything else."""

    async def run(self, told: Waiting) -> Welcome:
        """Take part in the opening until the match begins, and return the host's welcome.

        Raises:
            ConnectionLostError: The host does not respond, or refuses a message. The message is resent on the next
                connection.
            SeatRefusedError: The host refuses the seat, or the seat has enrolled with other keys.
            ProtocolError: The host's reply is invalid.
            FairPlayError: The host does something that no honest host would do.
            FoulPlayError: The host provably does something that no honest host would do.
            StorageError: A read or write failed.
        """
        answer: Answer = told
        while isinstance(answer, Waiting):
            header = self._header(answer)
            self._heard(header, answer)
            self._deal(answer)
            note = self._note(answer)
            seconds = ASK_SECONDS + (note.wait_ms / 1000 if isinstance(note, Wait) else 0)
            answer = await handshake.ask(self._line, note, seconds)
            if isinstance(answer, Refused):
                reason = clean(answer.text, REASON_LIMIT)
                raise ConnectionLostError(f"the host did not accept the enrolment: {reason}")
        if not isinstance(answer, Welcome):
            raise ProtocolError("the host sent an unexpected reply")
        self._check_mode(decode_header(answer.header), self._mode)
        return answer

    def _header(self, told: Waiting) -> Header:
        header = decode_header(told.header)
        if header.match_id != self._invite.match or header.game != self._invite.game:
            raise SeatRefusedError("the host sent the header of a different match or seat")
        if self._mode not in {"", told.mode}:
            raise SeatRefusedError(
                f"the host now says that this match has mode {told.mode}; earlier, it said {self._mode}"
            )
        self._mode = told.mode
        if not told.missing:
            self._check_mode(header, told.mode)
        return header

    @staticmethod
    def _check_mode(header: Header, mode: str) -> None:
        """Check that a complete header has the mode shown to the player.

        Raises:
            SeatRefusedError: The mode is different.
        """
        sent = "host" if header.fair is msgspec.UNSET else mode_of(header)
        if sent != mode:
            raise SeatRefusedError(
                f"the host says that this match has mode {mode}, but sent a header with mode {sent}"
            )

    def _note(self, told: Waiting) -> Message:
        """Return the next message to send.

        Raises:
            SeatRefusedError: The seat has no folder for its files, or its secrets are not in that folder.
        """
        seat, role = self._seat, self._invite.role
        if role is None:
            return Wait(wait_ms=self._wait_ms)
        if seat is None:
            raise SeatRefusedError("a seat in this match needs a folder for its files")
        if role in told.missing:
            return self._enrolment(seat, deals=told.mode == "fair")
        seat.check_enrolled()
        if self._parts:
            return self._parts.popleft()
        is_first = told.transcript is None  # the status answers an enrolment or a post, not a Wait
        return Wait(
            wait_ms=0 if is_first or seat.is_partial else self._wait_ms,
            pending=seat.held(self._copy.seq),
            texts=seat.heard,
        )

    def _deal(self, told: Waiting) -> None:
        """Process the opening's new messages and queue the replies that are due."""
        seat = self._seat
        if told.missing or seat is None:
            return
        self._copy.adopt(told.header, told.rules)
        seat.take(told.transcript, self._copy.seq, told.present)
        post = seat.due()
        if post is not None:
            self._parts.extend(parts_of(post))

    def _enrolment(self, seat: FairSeat, *, deals: bool) -> Enrol:
        promise = seat.promise(deals=deals)
        parts = enrolment_parts(self._invite.match, promise)
        signature = identity.sign_proof(self._invite.key, ENROL_CONTEXT, *parts)
        return Enrol(promise=promise, signature=signature)
