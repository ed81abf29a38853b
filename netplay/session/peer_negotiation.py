"""Implements chat and offers for one person in a match on a network host."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Generic, TypeVar

from typing_extensions import override

from engine.kernel.ids import Role
from netplay.peer.peer import Peer
from netplay.wire.messages import OpenOffer
from play.drafts import Drafts
from play.negotiation import Negotiation, SessionError
from play.offers import OfferKind, agreement_question, roles_to_agree

MAX_LINES: Final = 200
_AGREEMENT_SECONDS: Final = 5.0
P = TypeVar("P", bound=Peer)


class PeerNegotiation(Negotiation, Generic[P]):
    """Handles chat and offers for all of a person's roles. Each role's offers and answers are sent by its own peer."""

    has_chat = True

    def __init__(
        self,
        peers: tuple[P, ...],
        drafts: Drafts,
        shown_peer: Callable[[], P],
        players: Callable[[], Mapping[Role, str]],
        seq: Callable[[], int],
    ) -> None:
        """Create a negotiation with an empty conversation.

        Args:
            peers: The person's peers, one per role, or a spectator's only peer.
            drafts: The person's drafted commands, which a takeback discards.
            shown_peer: Returns the peer for the role on display.
            players: Returns the player's name for every role; empty until the names are known.
            seq: Returns the number of the last record on display.
        """
        self._peers = peers
        self._own_roles = tuple(peer.role for peer in peers if peer.role is not None)
        self._drafts = drafts
        self._shown_peer = shown_peer
        self._players = players
        self._seq = seq
        self._conversation: deque[str] = deque(maxlen=MAX_LINES)
        self._answers_own_offer = False
        """True if this person must answer their own last offer, because the host asked their other roles too late."""

    # -- chat

    def receive(self, role: str, text: str) -> str:
        """Add a chat message to the conversation, and return the line with the sender's name."""
        line = f"{self.speaker(role)}: {text}"
        self._conversation.append(line)
        self.unread_count += role not in self._own_roles
        return line

    def speaker(self, role: str) -> str:
        """Return the name of a chat line's sender. If the role differs from the name, add the role."""
        name = self._players().get(Role(role), "")
        return f"{name} ({role})" if name and name != role else role or "table"

    @override
    def read_conversation(self) -> tuple[str, ...]:
        self.unread_count = 0
        return tuple(self._conversation)

    @override
    async def say(self, text: str) -> None:
        await self._shown_peer().say(text)

    # -- offers

    @property
    @override
    def can_propose(self) -> bool:
        return self._shown_peer().role is not None

    @property
    @override
    def can_stop(self) -> bool:
        return self._shown_peer().reporter.status.may_stop

    @override
    async def take_back(self) -> str:
        latest = max(self._peers, key=lambda peer: peer.seq)  # another role's copy may be behind
        for seq in range(latest.seq, 0, -1):
            record = latest.copy.record(seq)
            if record.kind == "command" and record.role in self._own_roles:
                self._drafts.clear()
                giver_peer = next(peer for peer in self._peers if peer.role == record.role)
                await self._propose_and_agree(giver_peer, OfferKind.TAKEBACK, seq - 1)
                return "The others have been asked."
        raise SessionError("there is no command to take back")

    @override
    async def propose(self, matter: OfferKind) -> str:
        """Make an offer to the other players. This person's other roles agree automatically."""
        if matter is OfferKind.TAKEBACK:
            return await self.take_back()
        peer = self._shown_peer()
        terms = peer.copy.terms
        if peer.role is None or terms is None:
            raise SessionError("only a player can propose that")
        await self._propose_and_agree(peer, matter)
        partner_roles = set(roles_to_agree(terms, matter, peer.role)) - set(self._own_roles)
        return "The others have been asked." if partner_roles else "Done."

    async def _propose_and_agree(self, proposer: Peer, matter: OfferKind, to_seq: int = 0) -> None:
        """Make an offer in one role, and agree to it in this person's other roles.

        If the host is slow to ask these roles for their agreement, the player is asked once for each of them.
        """
        await proposer.propose(matter, to_seq)
        asked_roles = (
            roles_to_agree(proposer.copy.terms, matter, proposer.role)
            if proposer.copy.terms and proposer.role
            else ()
        )
        self._answers_own_offer = False
        try:
            async with asyncio.timeout(_AGREEMENT_SECONDS):
                for peer in self._peers:
                    if peer.role in asked_roles:
                        await peer.reporter.wait_for(
                            partial(_is_asked_for_offer, peer, proposer.role, matter)
                        )
                        await peer.answer_offer(agree=True)
        except TimeoutError:
            self._answers_own_offer = True

    @override
    def offer_question(self) -> str:
        offer = self._asked_offer
        if offer is None:
            return ""
        speaker = self.speaker(offer.role)
        if offer.matter is not OfferKind.TAKEBACK:
            return agreement_question(offer.matter, speaker)
        number = self._seq() - offer.to_seq
        steps = "step" if number == 1 else f"{number} steps"
        return f"{speaker} asks to take back the last {steps}, to record {offer.to_seq}. Agree?"

    @property
    @override
    def offer_number(self) -> int | None:
        offer = self._asked_offer
        return None if offer is None else offer.offer

    @property
    def _asked_offer(self) -> OpenOffer | None:
        """Return the offer that this person must answer; None if there is none."""
        offer = next((peer.reporter.offer for peer in self._peers if peer.must_answer), None)
        if offer is None or (offer.role in self._own_roles and not self._answers_own_offer):
            return None
        return offer

    @override
    async def answer_offer(self, *, agree: bool) -> None:
        """Answer another seat's offer for all of this person's roles. One answer is enough to decline."""
        asked_peers = [peer for peer in self._peers if peer.must_answer] or [self._shown_peer()]
        offer = asked_peers[0].reporter.offer
        for peer in asked_peers if agree else asked_peers[:1]:
            if peer is asked_peers[0] or (
                offer and peer.reporter.offer and peer.reporter.offer.offer == offer.offer
            ):
                await peer.answer_offer(agree=agree)


def _is_asked_for_offer(peer: Peer, role: Role | None, matter: OfferKind) -> bool:
    """Return whether the peer must answer an offer of this kind that this role made."""
    offer = peer.reporter.offer
    return peer.must_answer and offer is not None and (offer.role, offer.matter) == (role, matter)
