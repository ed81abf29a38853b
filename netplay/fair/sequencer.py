"""The host of a match of protocol 7: it puts messages in order and signs the order."""

from collections.abc import Iterator

from saves.fair.dealer import CANNOT_DECIDE, Dealer
from saves.fair.fold import Outcome, fold, fold_in_steps
from saves.fair.log import TranscriptLog
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

    def __init__(self, log: TranscriptLog, key: HostKey, dealer: Dealer | None = None) -> None:
        """Begin with a transcript that has no message yet, or go on with one.

        Args:
            log: The transcript, which takes the messages that are accepted.
            key: The key whose public half the header contains.
            dealer: The full state of a match whose host deals, which follows the transcript; None when the seats deal.
        """
        assert (dealer is None) == log.setup.deals
        self._log = log
        self._key = key
        self._dealer = dealer
        self._ahead: tuple[FairState, SignedMessage, Outcome] | None = None
        """What :meth:`look_ahead` has found about a message at a state."""

    @property
    def state(self) -> FairState:
        """Return the state after the last message."""
        return self._log.state

    @property
    def messages(self) -> list[SignedMessage]:
        """Return the messages since the last record, not to be changed."""
        return self._log.segment

    def start(self) -> Refusal | None:
        """Add the set-up."""
        return self._own(Kind.SETUP, Setup(self.state.setup.header_hash))

    def submit(self, signed: SignedMessage) -> Refusal | None:
        """Add a message of a seat to the transcript; returns why it is not valid, None when it is added.

        A host that deals adds its own proposal as soon as one is due. It refuses a command that is illegal on the full
        state; that is no evidence against the author, because other copies cannot compute it.
        """
        return self.add(signed) or self.propose()

    def propose(self) -> Refusal | None:
        """Add the proposal of a host that deals, if it is due; call it after a restart as well.

        Returns why there is none although one is due: other rules accepted the command, or its box.
        """
        if self._dealer is None or self.state.phase is not Phase.RESOLVE:
            return None
        try:
            proposal = self._dealer.proposal(self.state)
        except CANNOT_DECIDE as error:
            return Refusal(HOST, f"the command cannot be decided: {error}")
        return self._own(Kind.PROPOSAL, proposal)

    def look_ahead(self, signed: SignedMessage) -> Iterator[None]:
        """Fold a message in steps, and keep the outcome for :meth:`add`, which then takes no time.

        It yields where the host may serve other matches. The transcript stays as it is.
        """
        before = self.state
        after = yield from fold_in_steps(before, signed)
        self._ahead = before, signed, after

    def _outcome(self, before: FairState, signed: SignedMessage) -> Outcome:
        """Return what the fold says about a message, as :meth:`look_ahead` has found it if it has."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] is before and ahead[1] == signed:
            return ahead[2]
        return fold(before, signed)

    def add(self, signed: SignedMessage) -> Refusal | None:
        """Add one message to the transcript, and nothing that follows from it."""
        before = self.state
        after = self._outcome(before, signed)
        if isinstance(after, Refusal):
            return after
        if self._dealer is not None:
            message = decode_message(before.setup.match_id, signed.data)
            if message.kind is Kind.REQUEST:
                problem = self._dealer.objection(message)
                if problem:
                    return Refusal(message.author, problem, is_due_fault=True, is_objection=True)
        self._log.follow(signed, after)
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
        return self.add(SignedMessage(data, self._key.sign(data)))

    def order_signature(self) -> OrderSignature:
        """Return the signature over the order up to the last message."""
        state = self.state
        text = order_message(state.setup.match_id, state.index, state.head)
        return OrderSignature(state.index, self._key.sign(text))
