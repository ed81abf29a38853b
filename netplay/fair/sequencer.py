"""The host of a match of protocol 7: it puts messages in order and signs the order."""

from saves.fair.dealer import Dealer
from saves.fair.fold import fold
from saves.fair.messages import (
    HOST,
    AnyBody,
    Close,
    End,
    Kind,
    Message,
    Seed,
    Setup,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.signed_texts import OrderSignature, order_message
from saves.fair.signing import HostKey
from saves.fair.state import FairState, Phase, Refusal


class Sequencer:
    """Accepts messages, gives them their index and signs the order."""

    def __init__(self, state: FairState, key: HostKey, dealer: Dealer | None = None) -> None:
        """Begin with a transcript that has no message yet, or go on with one.

        Args:
            state: After the last message.
            key: The key whose public half the header contains.
            dealer: The full state of a match whose host deals, after the same message; None when the seats deal.
        """
        assert (dealer is None) == state.setup.deals
        self.state = state
        self._key = key
        self._dealer = dealer
        self.messages: list[SignedMessage] = []
        """The transcript so far, by index."""

    def start(self) -> Refusal | None:
        """Add the set-up."""
        return self._own(Kind.SETUP, Setup(self.state.setup.header_hash))

    def submit(self, signed: SignedMessage) -> Refusal | None:
        """Add a message of a seat to the transcript; returns why it is not valid, None when it is added.

        A host that deals adds its own proposal as soon as one is due. It refuses a command that is illegal on the full
        state; that is no evidence against the author, because other copies cannot compute it.
        """
        return self._add(signed) or self.propose()

    def propose(self) -> Refusal | None:
        """Add the proposal of a host that deals, if it is due; call it after a restart as well."""
        if self._dealer is None or self.state.phase is not Phase.RESOLVE:
            return None
        return self._own(Kind.PROPOSAL, self._dealer.proposal(self.state))

    def _add(self, signed: SignedMessage) -> Refusal | None:
        before, dealer = self.state, self._dealer
        after = fold(before, signed)
        if isinstance(after, Refusal):
            return after
        if dealer is not None:
            message = decode_message(before.setup.match_id, signed.data)
            if message.kind is Kind.REQUEST:
                problem = dealer.objection(message)
                if problem:
                    return Refusal(message.author, problem, is_due_fault=True)
            dealer.follow(before, message, after)
        self.state = after
        self.messages.append(signed)
        return None

    def open_secret(self) -> Refusal | None:
        """Open the secret of a host that deals, after the end of the match."""
        assert self._dealer is not None, "the host deals"
        return self._own(Kind.SEED, Seed(self._dealer.secret), self.state.end_at)

    def end_by_time(self, role: str) -> Refusal | None:
        """End the match because the time of a role is up."""
        return self._own(Kind.END, End("time", role))

    def close(self) -> Refusal | None:
        """End the transcript, naming the parties whose card seed has not arrived."""
        state = self.state
        roles = [party.role for party in state.setup.parties] if state.setup.deals else []
        return self._own(
            Kind.CLOSE, Close(tuple(role for role in roles if role not in state.seeds))
        )

    def _own(self, kind: Kind, body: AnyBody, anchor: int | None = None) -> Refusal | None:
        """Add a message of the host, by default one that follows the last message."""
        state = self.state
        anchor_hash = state.hash_at(state.index if anchor is None else anchor)
        assert anchor_hash is not None, "a due message has an anchor"
        message = Message(
            kind=kind,
            anchor=max(state.index, 0) if anchor is None else anchor,
            anchor_hash=anchor_hash,
            author=HOST,
            body=body,
        )
        data = encode_message(state.setup.match_id, message)
        return self.submit(SignedMessage(data, self._key.sign(data)))

    def order_signature(self) -> OrderSignature:
        """Return the signature over the order up to the last message."""
        state = self.state
        text = order_message(state.setup.match_id, state.index, state.head)
        return OrderSignature(state.index, self._key.sign(text))
