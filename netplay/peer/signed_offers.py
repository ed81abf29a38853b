"""Makes and answers offers in a match with a transcript, where both are signed messages."""

import asyncio
import contextlib
from typing import Final

from engine.kernel.ids import Role
from netplay.fair.seat import FairSeat, single_part
from netplay.fair.waiting_texts import waiting_for_text
from netplay.journal.errors import SeatResumingError, SlotUsedError
from netplay.peer.replicator import Replicator
from netplay.peer.seat_replica import SeatReplica
from netplay.peer.status import StatusReporter
from netplay.transport import handshake
from netplay.wire.errors import NetworkError
from netplay.wire.messages import Accepted, OpenOffer, Refused
from netplay.wire.sanitising import REASON_LIMIT, sanitise
from play.offers import OfferKind
from saves.fair import messages as fair
from saves.fair.messages import SignedMessage
from saves.fair.state import TranscriptPhase

_MAX_TRIES: Final = 20
_WITHOUT_CONSENT: Final = frozenset({OfferKind.RESIGNATION, OfferKind.STOP})
"""Offers that need no consent from other seats. A seat may make them while a command is pending."""
_ABOUT_POSITION: Final = frozenset({OfferKind.DRAW, OfferKind.TAKEBACK})
"""Offers that depend on the position. If the game continues first, the player must decide again."""
_GAME_CONTINUED: Final = (
    "the game has continued; if you still want to propose this in the new position, repeat it"
)
_ALREADY_SIGNED: Final = {
    OfferKind.RESIGNATION: "the host has not accepted your request to stop the match; after the next command or offer"
    " of any player, you can resign",
    OfferKind.STOP: "your program has already signed your resignation at this point",
}
"""Why a seat cannot sign a second message that ends the match, by kind of offer.

The slot is free again after the next message in the match.
"""


class SignedOffers:
    """Signs and sends a seat's offers and consents.

    Each is resent until the host accepts it or reports a newer message.
    """

    def __init__(
        self,
        copy: SeatReplica,
        role: Role | None,
        seat: FairSeat | None,
        replicator: Replicator,
        reporter: StatusReporter,
    ) -> None:
        """Create a signer with no open offer.

        Args:
            copy: The seat's local copy of the match.
            role: The seat's role; None for a spectator.
            seat: The seat that signs the messages; None for a spectator, who cannot make offers.
            replicator: Sends the messages.
            reporter: Reports changes to the copy and the connection.
        """
        self._copy = copy
        self._role = role
        self._seat = seat
        self._replicator = replicator
        self._reporter = reporter

    async def propose(self, matter: OfferKind, to_seq: int) -> None:
        """Make an offer.

        Args:
            matter: The kind of offer.
            to_seq: For a takeback, the number of the record whose state is to be restored.

        Raises:
            NetworkError: The offer is not possible, or the host does not accept it.
            MatchError: Every copy would refuse the message, or the others still have time to answer.
        """
        seat = self._seat
        if seat is None:
            raise NetworkError("spectators cannot play or chat")
        records = len(self._copy.transcript.records)
        for _ in range(_MAX_TRIES):
            if self._copy.has_ended:
                raise NetworkError("the match has already ended")
            seq, index = self._copy.seq, self._copy.message_index
            if seat.is_pending and matter not in _ALREADY_SIGNED:
                await self._replicator.wait_for_pending(seq)
                self._check_not_pending(seat)
            # Otherwise, a host could let the opponent roll the dice before it refuses the offer.
            if matter in _ABOUT_POSITION and len(self._copy.transcript.records) != records:
                raise NetworkError(_GAME_CONTINUED)
            try:
                signed = self._signed_offer(seat, matter, to_seq)
                verdict = await self._replicator.send(single_part(signed))
            except (SlotUsedError, SeatResumingError) as error:
                if isinstance(error, SlotUsedError) and matter in _ALREADY_SIGNED:
                    raise NetworkError(_ALREADY_SIGNED[matter]) from error
                await self._replicator.wait_for_pending(seq)
                continue
            if isinstance(verdict, Accepted):
                return
            if verdict.code != "stale" or not await self._wait_for_message(index):
                raise NetworkError(sanitise(verdict.text, REASON_LIMIT))
            if self._is_offer_made:
                return  # the offer was also sent automatically, and that message was accepted
        raise NetworkError("another message was accepted first")

    async def answer(self, seat: FairSeat, shown: OpenOffer, *, agree: bool) -> None:
        """Consent to the open offer, or decline it.

        Args:
            seat: The seat that signs the answer.
            shown: The offer that the player has seen. A host may have sent another one in an incomplete update.
            agree: True to consent.

        Raises:
            NetworkError: The offer that the player has seen is no longer open, or the host does not accept the answer.
        """
        offer = seat.open_offer
        if offer is None or offer.offer != shown.offer:
            raise NetworkError("that proposal is no longer open")
        verdict = await self._replicator.send(single_part(seat.sign_consent(agrees=agree)))
        # "stale" may also mean that the same consent has already been sent automatically.
        if isinstance(verdict, Refused) and verdict.code != "stale":
            raise NetworkError(sanitise(verdict.text, REASON_LIMIT))

    def _check_not_pending(self, seat: FairSeat) -> None:
        """Check that no command is waiting for other seats, so that an offer can be made.

        Raises:
            NetworkError: A command is waiting for other seats.
        """
        header = self._copy.header
        if seat.is_pending and seat.missing and header is not None:
            words = waiting_for_text(self._copy.ruleset, header, seat.missing)
            raise NetworkError(f"the game {words}")

    def _signed_offer(self, seat: FairSeat, matter: OfferKind, to_seq: int) -> SignedMessage:
        match matter:
            case OfferKind.RESIGNATION:
                return seat.sign_resignation()
            case OfferKind.STOP:
                return seat.sign_stop(is_time_over=self._reporter.status.may_stop)
            case OfferKind.TAKEBACK:
                seqs = self._copy.transcript.records
                candidates = [number for number, seq in enumerate(seqs) if seq <= to_seq]
                if not candidates:
                    raise NetworkError(f"the game cannot go back to record {to_seq}")
                return seat.sign_offer(fair.Offer("takeback", candidates[-1]))
            case OfferKind.DRAW:
                return seat.sign_offer(fair.Offer("draw"))
            case OfferKind.ADJOURNMENT:
                return seat.sign_offer(fair.Offer("adjournment"))
            case OfferKind.RESUMPTION:
                raise NetworkError("give a command: the match resumes with the next one")

    @property
    def _is_offer_made(self) -> bool:
        """Return whether this seat's offer is open, or is no longer needed because the match has ended."""
        state = self._copy.transcript.state
        is_own = state.phase is TranscriptPhase.CONSENT and state.offer_by == self._role
        return is_own or state.end is not None

    async def _wait_for_message(self, index: int) -> bool:
        """Wait briefly for the next message in the transcript, and return whether it has arrived."""
        reporter, copy = self._reporter, self._copy
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(handshake.ASK_SECONDS):
                await reporter.wait_for(lambda: reporter.is_over or copy.message_index > index)
        return copy.message_index > index
