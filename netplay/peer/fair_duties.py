"""Performs a seat's automatic duties in a match with a transcript."""

import asyncio
import time

import structlog

from netplay.fair.seat import FairSeat, split_post
from netplay.fair.waiting_texts import stopped_openings_text
from netplay.invites.invite import Invite
from netplay.peer.host_connector import RETRY_MIN_SECONDS
from netplay.peer.seat_replica import SeatReplica
from netplay.transport import handshake
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import Accepted, OpenOffer, Refused, Update, Waiting
from saves.fair.setup import fair_terms
from saves.fair.terms import SHORTEST_ACK_WAIT

log = structlog.get_logger()


class FairDuties:
    """Receives and sends a seat's signed messages, and checks the secrets revealed after the match.

    If the peer has no seat that signs, or the match has no transcript, the methods do nothing.
    """

    def __init__(self, invite: Invite, copy: SeatReplica, seat: FairSeat | None) -> None:
        """Prepare the seats' duties. Nothing is sent yet.

        Args:
            invite: The seat's invite.
            copy: The seat's copy of the match.
            seat: The seat that signs the messages; None for a spectator or if there is no folder.
        """
        self._copy = copy
        self._seat = seat
        self._ended_at: float | None = None
        """The ``time.monotonic`` time when this program noticed the end of the match."""
        self._log = log.bind(match=invite.match, role=invite.role)

    @property
    def signing_seat(self) -> FairSeat | None:
        """Return the seat in a match with a transcript; otherwise None."""
        return self._seat if self._copy.has_transcript else None

    def restart_connection(self) -> None:
        """Prepare a new connection, on which everything due is sent and requested again."""
        if self._seat is not None:
            self._seat.restart_connection()

    def stopped_openings_text(self, waiting: Waiting, *, is_first: bool) -> str:
        """Return a warning about earlier matches with this host that stopped after the deal; empty if there are none.

        Until this seat has agreed, the folder is searched on each new connection and again once every seat has
        enrolled.

        Args:
            waiting: The status of the match that has not begun.
            is_first: True for the first status on a connection.
        """
        seat = self._seat
        if seat is None:
            return ""
        if not seat.is_open and (is_first or not waiting.missing):
            seat.find_stopped_openings()
        text = stopped_openings_text(seat.stopped_openings)
        return f"{text[:1].upper()}{text[1:]}"

    def receive(self, update: Update) -> OpenOffer | None:
        """Process the messages in an update, and return the open offer; None if there is none.

        For a seat that signs, the open offer is the offer in the transcript. The host's separate report is ignored.
        """
        seat = self.signing_seat
        if seat is None:
            return update.offer
        present = tuple(presence.role for presence in update.presence if presence.present)
        seat.receive(update.transcript, self._copy.seq, present)
        return seat.open_offer

    async def send_due(self, channel: RequestChannel) -> None:
        """Send the messages due from this seat.

        Raises:
            FoulPlayError: The host has signed something that no honest host would sign.
            StorageError: A write failed.
            ConnectionLostError: The host does not respond.
        """
        seat, copy = self.signing_seat, self._copy
        if seat is None:
            return
        if copy.outcome is not None:
            self._ended_at = self._ended_at or time.monotonic()
            waited_seconds = time.monotonic() - self._ended_at
            header = copy.header
            assert header is not None, "the copy must have a header"
            ack_wait = max(fair_terms(header).ack_wait, SHORTEST_ACK_WAIT)
            seat.update_seed_permission(is_wait_over=waited_seconds > ack_wait)
        post = seat.due_post()
        for part in () if post is None else split_post(post):
            answer = await handshake.ask(channel, part, handshake.ASK_SECONDS)
            if isinstance(answer, Refused):
                self._log.info("messages_rejected", code=answer.code, text=answer.text)
                if answer.code == "unavailable":
                    seat.restart_connection()
                    await asyncio.sleep(RETRY_MIN_SECONDS)
                return
            if not isinstance(answer, Accepted):
                raise ProtocolError(handshake.UNEXPECTED_ANSWER)

    async def check_secrets(self) -> str:
        """Check the revealed secrets. Save any evidence of foul play, and return a phrase that names the files.

        The phrase is empty if there is no evidence. If the host deals, its secret must always be checked, because the
        record of a host that cheated with the dice may still be consistent.
        """
        seat = self.signing_seat
        if seat is None or not seat.is_open:
            return ""
        evidence = await asyncio.to_thread(seat.audit())
        return seat.save_evidence(evidence) if evidence else ""
