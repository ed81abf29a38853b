"""Enrols a seat, and sends the seat's messages for the opening of the match (protocol 7)."""

from collections import deque
from collections.abc import Callable

import msgspec

from engine.registry import AnyRuleset
from netplay.fair.seat import FairSeat, split_post
from netplay.fair.waiting_texts import missing_players_text, waiting_for_text
from netplay.invites import identity
from netplay.invites.invite import Invite
from netplay.invites.pending_match_file import ENROL_CONTEXT, signed_enrolment
from netplay.peer.seat_replica import SeatReplica
from netplay.system.disk_state import DISK_PROBLEMS
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError, ProtocolError, SeatRefusedError
from netplay.wire.messages import (
    Answer,
    Enrol,
    PostPart,
    Refused,
    WaitForStart,
    Waiting,
    Welcome,
    WireMessage,
)
from netplay.wire.sanitising import REASON_LIMIT, sanitise
from saves.headers import Header, decode_header
from saves.modes import TITLES, Mode, match_mode

ANSWER_SECONDS = 8.0


class EnrolmentClient:
    """One seat or spectator in a match that has not begun."""

    def __init__(
        self,
        channel: RequestChannel,
        invite: Invite,
        on_waiting: Callable[[Header, Waiting], None],
        wait_ms: int,
        copy: SeatReplica,
        seat: FairSeat | None,
    ) -> None:
        """Create a client for an authenticated connection.

        Args:
            channel: The connection.
            invite: The seat's invite.
            on_waiting: Called with the header and each status message from the host.
            wait_ms: Maximum time in milliseconds that the host may delay its reply.
            copy: The seat's copy, which adopts the header once every seat has enrolled.
            seat: The seat that signs the messages; None for a spectator.
        """
        self._channel = channel
        self._invite = invite
        self._on_waiting = on_waiting
        self._wait_ms = wait_ms
        self._copy = copy
        self._seat = seat
        self._mode: Mode | None = None
        """The mode that the host reported first. It must not change."""
        self._queued_parts: deque[PostPart] = deque()
        """Parts of signed posts, which must be sent before any other request."""

    async def run(self, waiting: Waiting) -> Welcome:
        """Take part in the opening until the match begins, and return the host's ``Welcome`` message.

        Raises:
            ConnectionLostError: The host does not respond or refuses a message. The message is resent on the next
                connection.
            SeatRefusedError: The host refuses the seat, or the seat has already enrolled with different keys.
            ProtocolError: The host's reply is invalid.
            FairPlayError: The host has behaved dishonestly.
            FoulPlayError: The host has provably behaved dishonestly.
            StorageError: A read or write failed.
        """
        answer: Answer = waiting
        while isinstance(answer, Waiting):
            header = self._check_header(answer)
            self._on_waiting(header, answer)
            self._process_opening(answer)
            message = self._next_message(answer)
            timeout_seconds = ANSWER_SECONDS + (
                message.wait_ms / 1000 if isinstance(message, WaitForStart) else 0
            )
            answer = await handshake.ask(self._channel, message, timeout_seconds)
            if isinstance(answer, Refused):
                reason = sanitise(answer.text, REASON_LIMIT)
                raise ConnectionLostError(f"the host did not accept the enrolment: {reason}")
        if not isinstance(answer, Welcome):
            raise ProtocolError(handshake.UNEXPECTED_ANSWER)
        assert self._mode is not None, "the first status must contain the mode"
        self._check_mode(decode_header(answer.header), self._mode)
        return answer

    def _check_header(self, waiting: Waiting) -> Header:
        header = decode_header(waiting.header)
        if header.match_id != self._invite.match or header.game != self._invite.game:
            raise SeatRefusedError("the host sent the set-up of a different match or seat")
        if self._mode is not None and self._mode != waiting.mode:
            raise SeatRefusedError(
                f"the host first announced this match as {TITLES[self._mode]}, and now as {TITLES[waiting.mode]}"
            )
        self._mode = waiting.mode
        # The player decides on the terms on the screen whether to stay.
        if self._seat is not None:
            self._seat.check_terms(header, waiting.limits, deals=waiting.mode == "fair")
        if not waiting.missing:
            self._check_mode(header, waiting.mode)
        return header

    @staticmethod
    def _check_mode(header: Header, mode: Mode) -> None:
        """Check that a complete header has the mode that was shown to the player.

        Raises:
            SeatRefusedError: The header has a different mode.
        """
        actual_mode = "host" if header.fair is msgspec.UNSET else match_mode(header)
        if actual_mode != mode:
            raise SeatRefusedError(
                f"the host announced this match as {TITLES[mode]}, but set it up as {TITLES[actual_mode]}"
            )

    def _next_message(self, waiting: Waiting) -> WireMessage:
        """Return the next message to send to the host.

        Raises:
            SeatRefusedError: The seat has no folder for its files, or the folder does not contain the seat's secrets.
        """
        seat, role = self._seat, self._invite.role
        if role is None:
            return WaitForStart(wait_ms=self._wait_ms)
        if seat is None:
            raise SeatRefusedError("a seat in this match needs a folder for its files")
        # The seat agrees to a single header. Another host with the same terms could otherwise make it agree to its own.
        self._copy.remember_host()
        if role in waiting.missing:
            return self._build_enrolment(seat, waiting)
        seat.check_enrolled()
        if self._queued_parts:
            return self._queued_parts.popleft()
        is_first = waiting.transcript is None  # the status replied to an enrolment or a post
        return WaitForStart(
            wait_ms=0 if is_first or seat.is_partial else self._wait_ms,
            pending=seat.received_bytes(self._copy.seq),
            texts=seat.last_text,
        )

    def _process_opening(self, waiting: Waiting) -> None:
        """Process new messages for the opening, and queue the seat's due messages."""
        seat = self._seat
        if waiting.missing or seat is None:
            return
        self._copy.adopt_header(waiting.header, waiting.rules)
        seat.receive(waiting.transcript, self._copy.seq, waiting.present)
        post = seat.due_post()
        if post is not None:
            self._queued_parts.extend(split_post(post))

    def _build_enrolment(self, seat: FairSeat, waiting: Waiting) -> Enrol:
        promise = seat.commitments(
            decode_header(waiting.header), waiting.limits, deals=waiting.mode == "fair"
        )
        parts = signed_enrolment(self._invite.match, promise)
        signature = identity.sign_proof(self._invite.key, ENROL_CONTEXT, *parts)
        return Enrol(promise=promise, signature=signature)


def waiting_reason(rules: AnyRuleset, header: Header, waiting: Waiting, role: str | None) -> str:
    """Return a phrase that says who or what is still missing before the match can begin.

    Args:
        rules: The game's rules.
        header: The match's header.
        waiting: The host's status message.
        role: The role of the seat that receives the phrase; None for a spectator.
    """
    missing_others = [missing for missing in waiting.missing if missing != role]
    reason = "the seats are shuffling and dealing" if waiting.mode == "fair" else "the match begins"
    if missing_others:
        reason = missing_players_text(rules, header, missing_others)
    if waiting.undecided:
        reason = waiting.undecided
    elif waiting.waiting_for:
        waiting_for = waiting_for_text(rules, header, waiting.waiting_for, waiting.mode)
        reason = f"the match {waiting_for}"
    if waiting.disk:
        consequence = reason if missing_others else "the match will begin once this is fixed"
        reason = f"{DISK_PROBLEMS[waiting.disk]}; {consequence}"
    return sanitise(reason, REASON_LIMIT)
