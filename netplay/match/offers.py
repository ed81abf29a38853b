"""Handles offers on the host: collects the seats' consent and records the result."""

from typing import Any, Final

from engine.kernel.ids import Role
from netplay.feed.host_session import Verdict, build_refusal
from netplay.match_state.chat_and_offers import HOST
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

_INTERRUPTED: Final = "another offer came before the whole side had agreed to resign; its other roles can still resign"


class OfferHandler:
    """Handles the open offer in one match until it is recorded or cancelled."""

    def __init__(self, recorder: MatchRecorder) -> None:
        """Create a handler with no open offer.

        Args:
            recorder: The match's recorder.
        """
        self._recorder = recorder
        self._interrupted: dict[tuple[Role, ...], tuple[int, OpenOffer]] = {}
        """Each side's resignation that another offer has replaced, with the number of the last record at that time."""

    async def open_offer(self, role: Role, request: MakeOffer) -> Verdict:
        """Open an offer from a seat.

        A resignation replaces any offer, because its author could also decline that offer. If it replaced none, the
        other side could prevent it by making one offer after another. Other offers replace only another side's
        resignation, which the seat could not decline.
        """
        chat_and_offers, matter = self._recorder.chat_and_offers, request.matter
        open_offer = chat_and_offers.offer
        is_resignation = matter is OfferKind.RESIGNATION
        if (
            open_offer is not None
            and not is_resignation
            and not self._is_others_resignation(open_offer, role)
        ):
            return build_refusal(request.request_id, "unavailable", "another offer is still open")
        problem = self._objection(role, request)
        if problem:
            return build_refusal(request.request_id, "unavailable", problem)
        if is_resignation:
            return await self._resign(role, request.request_id)
        self._replace_offer()
        partner_roles = roles_to_agree(self._recorder.match.terms, matter, role)
        self._open(role, matter, request.to_seq, partner_roles)
        return await self._advance(request.request_id)

    async def answer_offer(self, role: Role, request: OfferAnswer) -> Verdict:
        """Handle a seat's answer to the open offer, or to its side's resignation that another offer has replaced."""
        chat_and_offers = self._recorder.chat_and_offers
        if not chat_and_offers.is_waiting_for(request.offer, role):
            interrupted = self._interrupted_resignation(role)
            if (
                interrupted is None
                or interrupted.offer != request.offer
                or role not in interrupted.waiting_for
            ):
                return build_refusal(
                    request.request_id, "unavailable", "this offer is no longer open"
                )
            if request.agree:
                return await self._resign(role, request.request_id)
            del self._interrupted[self._side(role)]
            chat_and_offers.add_line(HOST, f"no resignation: {role} does not agree")
            return Accepted(request_id=request.request_id, seq=self._recorder.match.seq)
        if not request.agree:
            chat_and_offers.cancel_offer(f"{role} does not agree")
            return Accepted(request_id=request.request_id, seq=self._recorder.match.seq)
        chat_and_offers.add_consent(role)
        return await self._advance(request.request_id)

    async def _resign(self, role: Role, request_id: str) -> Verdict:
        """Add a role's consent to its side's resignation, or open one."""
        chat_and_offers = self._recorder.chat_and_offers
        offer = chat_and_offers.offer
        if (
            offer is None
            or offer.matter is not OfferKind.RESIGNATION
            or self._is_others_resignation(offer, role)
        ):
            interrupted = self._interrupted_resignation(role)
            self._interrupted.pop(self._side(role), None)
            self._replace_offer()
            if interrupted is None:
                author = role
                waiting = roles_to_agree(self._recorder.match.terms, OfferKind.RESIGNATION, role)
            else:
                author, waiting = Role(interrupted.role), tuple(map(Role, interrupted.waiting_for))
            self._open(author, OfferKind.RESIGNATION, 0, waiting)
        chat_and_offers.add_consent(role)
        return await self._advance(request_id)

    def _open(
        self, role: Role, matter: OfferKind, to_seq: int, asked_roles: tuple[Role, ...]
    ) -> None:
        self._recorder.chat_and_offers.open_offer(role, matter, to_seq, asked_roles)
        self._recorder.match_log.info("offer_made", role=role, matter=matter, to_seq=to_seq)

    def _replace_offer(self) -> None:
        """If an offer is open, close it because of another one. A resignation can still be agreed to."""
        chat_and_offers = self._recorder.chat_and_offers
        offer = chat_and_offers.offer
        if offer is None:
            return
        if offer.matter is not OfferKind.RESIGNATION:
            chat_and_offers.cancel_offer("another offer has replaced it")
            return
        self._interrupted[self._side(Role(offer.role))] = self._recorder.match.seq, offer
        chat_and_offers.close_offer()
        chat_and_offers.add_line(HOST, _INTERRUPTED)

    def _interrupted_resignation(self, role: Role) -> OpenOffer | None:
        """Return the resignation of a role's side that another offer has replaced since the last record, if any."""
        seq, offer = self._interrupted.get(self._side(role), (-1, None))
        return offer if seq == self._recorder.match.seq else None

    def _side(self, role: Role) -> tuple[Role, ...]:
        return self._recorder.match.terms.side_roles(role)

    def _is_others_resignation(self, offer: OpenOffer, role: Role) -> bool:
        """Return whether an offer is another side's resignation, which waits only for roles of that side."""
        return offer.matter is OfferKind.RESIGNATION and offer.role not in self._side(role)

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
