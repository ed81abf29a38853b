"""Handles offers on the host: collects the seats' consent and records the result."""

from typing import Any, Final

from engine.kernel.ids import Role
from netplay.feed.host_session import Verdict, build_refusal
from netplay.match_state.match_recorder import MatchRecorder
from netplay.wire.messages import Accepted, MakeOffer, OfferAnswer, OpenOffer
from play.offers import OfferKind, roles_to_agree, statement_for
from saves.errors import MatchError, StorageError
from saves.match_replica import PendingRecord
from saves.statements import statement_kind

ENDINGS: Final = frozenset({OfferKind.RESIGNATION, OfferKind.DRAW})
"""The endings that may be offered while a command is waiting for messages.

If such an offer is accepted, the ending replaces the command's record.
"""


class OfferHandler:
    """Handles the open offer in one match until it is recorded or cancelled."""

    def __init__(self, recorder: MatchRecorder) -> None:
        """Create a handler with no open offer.

        Args:
            recorder: The match's recorder.
        """
        self._recorder = recorder

    async def open_offer(self, role: Role, request: MakeOffer) -> Verdict:
        """Open an offer from a seat.

        It replaces another side's offer to resign, which this seat could not decline. A resignation that needs no
        consent replaces any offer, because it ends the match.
        """
        recorder, chat_and_offers = self._recorder, self._recorder.chat_and_offers
        open_offer = chat_and_offers.offer
        if (
            open_offer is not None
            and not self._is_others_resignation(open_offer, role)
            and not self._resigns_at_once(role, request)
        ):
            return build_refusal(request.request_id, "unavailable", "another offer is still open")
        problem = self._objection(role, request)
        if problem:
            return build_refusal(request.request_id, "unavailable", problem)
        chat_and_offers.cancel_offer("another side has made an offer")
        partner_roles = roles_to_agree(recorder.match.terms, request.matter, role)
        chat_and_offers.open_offer(role, request.matter, request.to_seq, partner_roles)
        recorder.match_log.info(
            "offer_made", role=role, matter=request.matter, to_seq=request.to_seq
        )
        return await self._advance(request.request_id)

    async def answer_offer(self, role: Role, request: OfferAnswer) -> Verdict:
        """Handle a seat's answer to the open offer."""
        chat_and_offers = self._recorder.chat_and_offers
        if not chat_and_offers.is_waiting_for(request.offer, role):
            return build_refusal(request.request_id, "unavailable", "this offer is no longer open")
        if not request.agree:
            chat_and_offers.cancel_offer(f"{role} does not agree")
            return Accepted(request_id=request.request_id, seq=self._recorder.match.seq)
        chat_and_offers.add_consent(role)
        return await self._advance(request.request_id)

    def _resigns_at_once(self, role: Role, request: MakeOffer) -> bool:
        """Return whether a request is a resignation that needs no consent, because the side has no other roles."""
        terms = self._recorder.match.terms
        return request.matter is OfferKind.RESIGNATION and terms.side_roles(role) == (role,)

    def _is_others_resignation(self, offer: OpenOffer, role: Role) -> bool:
        """Return whether an offer is another side's resignation, which waits only for roles of that side."""
        terms = self._recorder.match.terms
        return offer.matter is OfferKind.RESIGNATION and offer.role not in terms.side_roles(role)

    def _objection(self, role: Role, request: MakeOffer) -> str:
        """Return why an offer is not possible now, or an empty string if it is possible."""
        match = self._recorder.match
        if request.matter is OfferKind.TAKEBACK:
            if request.to_seq >= match.seq:
                return f"the game cannot go back to record {request.to_seq}"
            return match.objection("takeback", role)
        try:
            statement = statement_for(match.terms, request.matter, role)
        except MatchError as error:
            return str(error)
        return match.objection(statement_kind(statement), role, statement)

    def _draft_agreement(self, offer: OpenOffer) -> PendingRecord[Any]:
        """Draft the record for an offer that all seats have accepted.

        Raises:
            MatchError: The record is not valid at this point.
        """
        match, role = self._recorder.match, Role(offer.role)
        if offer.matter is OfferKind.TAKEBACK:
            return match.draft_takeback(offer.to_seq, role)
        statement = statement_for(match.terms, offer.matter, role)
        return match.draft_statement(role, statement)

    async def _advance(self, request_id: str) -> Verdict:
        """Carry out the offer if all seats have agreed. In either case, notify all peers."""
        recorder = self._recorder
        match, chat_and_offers = recorder.match, recorder.chat_and_offers
        offer = chat_and_offers.offer
        assert offer is not None, "an offer must be open"
        if not offer.waiting_for:
            try:
                # The clock is read before the write to disk, so that no player is charged for the write.
                spent = recorder.clocks.unrecorded_time()
                draft = self._draft_agreement(offer)
                await recorder.commit(draft)
            except (MatchError, StorageError) as error:
                problem = (
                    str(error) if isinstance(error, MatchError) else recorder.disk_state.refusal
                )
                recorder.match_log.error("offer_failed", seq=match.seq, error=str(error))
                chat_and_offers.cancel_offer(problem)
                return build_refusal(request_id, "unavailable", problem)
            chat_and_offers.close_offer()
            # After an ending, only the secret may still be recorded.
            if match.terms.ending is None:
                await recorder.record_time_spent(Role(offer.role), spent)
            recorder.match_log.info(
                "offer_accepted", role=offer.role, matter=offer.matter, to_seq=offer.to_seq
            )
            await recorder.on_record_added()
        recorder.change_signal.bump()
        return Accepted(request_id=request_id, seq=match.seq)
