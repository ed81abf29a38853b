"""Handles offers on the host: collects the seats' consent and records the result."""

from typing import Any, Final

from engine.kernel.ids import Role
from netplay.feed.host_session import Verdict, refuse
from netplay.match_state.match_recorder import MatchRecorder
from netplay.wire.messages import Accepted, Offer, OfferAnswer, OpenOffer
from play.offers import OfferKind, roles_to_agree, statement_for
from saves.errors import MatchError, StorageError
from saves.match_replica import PendingRecord
from saves.statements import kind_of

ENDINGS: Final = frozenset({OfferKind.RESIGNATION, OfferKind.DRAW})
"""Endings that may be offered while a command is waiting for messages.

The ending then replaces the command's record.
"""


class OfferHandler:
    """Handles one match's open offer until it is recorded or cancelled."""

    def __init__(self, ledger: MatchRecorder) -> None:
        """Start with no open offer.

        Args:
            ledger: The match's recorder.
        """
        self._ledger = ledger

    async def make(self, role: Role, ask: Offer) -> Verdict:
        """Open an offer from a seat."""
        ledger, parley = self._ledger, self._ledger.parley
        if parley.offer is not None:
            return refuse(ask.request_id, "unavailable", "another offer is still open")
        problem = self._objection(role, ask)
        if problem:
            return refuse(ask.request_id, "unavailable", problem)
        others = roles_to_agree(ledger.match.terms, ask.matter, role)
        parley.open(role, ask.matter, ask.to_seq, others)
        ledger.journal.info("offered", role=role, matter=ask.matter, to_seq=ask.to_seq)
        return await self._progress(ask.request_id)

    async def answer(self, role: Role, ask: OfferAnswer) -> Verdict:
        """Handle a seat's answer to the open offer."""
        parley = self._ledger.parley
        if not parley.waits_for(ask.offer, role):
            return refuse(ask.request_id, "unavailable", "this offer is no longer open")
        if not ask.agree:
            parley.deny(f"{role} does not agree")
            return Accepted(request_id=ask.request_id, seq=self._ledger.match.seq)
        parley.agree(role)
        return await self._progress(ask.request_id)

    def _objection(self, role: Role, ask: Offer) -> str:
        """Explain why an offer is currently not possible; empty if it is."""
        match = self._ledger.match
        if ask.matter is OfferKind.TAKEBACK:
            if ask.to_seq >= match.seq:
                return f"the game cannot go back to record {ask.to_seq}"
            return match.objection("takeback", role)
        try:
            said = statement_for(match.terms, ask.matter, role)
        except MatchError as error:
            return str(error)
        return match.objection(kind_of(said), role, said)

    def _agreed_draft(self, offer: OpenOffer) -> PendingRecord[Any]:
        """Draft the record for an offer that all seats have agreed to.

        Raises:
            MatchError: The record is not valid at this point.
        """
        match, role = self._ledger.match, Role(offer.role)
        if offer.matter is OfferKind.TAKEBACK:
            return match.draft_takeback(offer.to_seq, role)
        said = statement_for(match.terms, offer.matter, role)
        return match.draft_statement(role, said)

    async def _progress(self, request_id: str) -> Verdict:
        """Carry out the offer if all seats have agreed; otherwise notify the seats that have yet to answer."""
        ledger = self._ledger
        match, parley = ledger.match, ledger.parley
        offer = parley.offer
        assert offer is not None, "an offer is open"
        if not offer.waiting_for:
            try:
                spent = ledger.clocks.spent()
                draft = self._agreed_draft(offer)
                await ledger.keep(draft)
            except (MatchError, StorageError) as error:
                why = str(error) if isinstance(error, MatchError) else ledger.disk_state.refusal
                ledger.journal.error("offer_failed", seq=match.seq, error=str(error))
                parley.deny(why)
                return refuse(request_id, "unavailable", why)
            parley.close()
            if match.terms.ending is None:
                await ledger.charge(Role(offer.role), spent)
            ledger.journal.info("agreed", role=offer.role, matter=offer.matter, to_seq=offer.to_seq)
            await ledger.grown()
        ledger.bell.touch()
        return Accepted(request_id=request_id, seq=match.seq)
