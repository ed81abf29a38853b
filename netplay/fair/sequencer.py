"""Orders the messages of a protocol 7 match on the host, and signs the order."""

from collections.abc import Iterator

from saves.fair.dealer import CANNOT_DECIDE, Dealer
from saves.fair.fold import Outcome, fold, fold_in_steps
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
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from saves.fair.transcript_log import TranscriptLog


class Sequencer:
    """Accepts messages, assigns an index to each, and signs the order."""

    def __init__(self, log: TranscriptLog, key: HostKey, dealer: Dealer | None = None) -> None:
        """Start with an empty transcript, or continue an existing one.

        Args:
            log: The transcript, to which accepted messages are added.
            key: The host's key. The header contains the public half.
            dealer: The host's dealer, which must be a listener of the transcript; None if the seats deal.
        """
        assert (dealer is None) == log.setup.deals
        self._log = log
        self._key = key
        self._dealer = dealer
        self._prechecked: tuple[FairState, SignedMessage, Outcome] | None = None
        """The starting state, the message and the resulting state or refusal of the last :meth:`precheck`."""

    @property
    def state(self) -> FairState:
        """Return the protocol state after the last message in the transcript."""
        return self._log.state

    @property
    def messages(self) -> list[SignedMessage]:
        """Return the messages since the last record. The caller must not change the list."""
        return self._log.segment

    def start(self) -> MessageRefusal | None:
        """Add the set-up message."""
        return self._add_own(Kind.SETUP, Setup(self.state.setup.header_hash))

    def submit(self, signed: SignedMessage) -> MessageRefusal | None:
        """Add a seat's message to the transcript. A host that deals also adds its own proposal if one is due.

        Returns:
            A refusal if the message is invalid, or if it was added but the host's proposal cannot be made. Otherwise,
            None. A host that deals also refuses a command that is illegal in the full state. Such a refusal is not
            evidence against the author, because other copies cannot check it.
        """
        return self.add(signed) or self.propose()

    def propose(self) -> MessageRefusal | None:
        """If the host deals and its proposal is due, add the proposal. This must also be called after a restart.

        Returns:
            A refusal if a due proposal cannot be made, because the command or its box was accepted under different
            rules. Otherwise, None.
        """
        if self._dealer is None or self.state.phase is not TranscriptPhase.RESOLVE:
            return None
        try:
            proposal = self._dealer.proposal(self.state)
        except CANNOT_DECIDE as error:
            return MessageRefusal(HOST, f"the command cannot be resolved: {error}")
        return self._add_own(Kind.PROPOSAL, proposal)

    def precheck(self, signed: SignedMessage) -> Iterator[None]:
        """Fold a message in steps, and store the outcome so that :meth:`add` returns immediately.

        The iterator yields whenever the host may serve other matches. The transcript does not change.
        """
        before = self.state
        after = yield from fold_in_steps(before, signed)
        self._prechecked = before, signed, after

    def _outcome(self, before: FairState, signed: SignedMessage) -> Outcome:
        """Fold a message, or reuse the outcome of :meth:`precheck` for the same state and message."""
        prechecked, self._prechecked = self._prechecked, None
        # The stored outcome is valid only for this state. Another message may have been added
        # since.
        if prechecked is not None and prechecked[0] is before and prechecked[1] == signed:
            return prechecked[2]
        return fold(before, signed)

    def add(self, signed: SignedMessage) -> MessageRefusal | None:
        """Add one message to the transcript, without the host's messages that become due as a result.

        Returns:
            A refusal if the message is invalid or a dealing host finds its command illegal. Otherwise, None.
        """
        before = self.state
        after = self._outcome(before, signed)
        if isinstance(after, MessageRefusal):
            return after
        if self._dealer is not None:
            message = decode_message(before.setup.match_id, signed.data)
            if message.kind is Kind.REQUEST:
                # If the host accepted an illegal command, every copy would detect this once the
                # dealer's secret is revealed.
                problem = self._dealer.objection(message)
                if problem:
                    return MessageRefusal(
                        message.author, problem, is_due_fault=True, is_dealer_rejection=True
                    )
        self._log.add_folded(signed, after)
        return None

    def reveal_secret(self) -> MessageRefusal | None:
        """Add a message that reveals the host's secret, if the host deals and the match is over."""
        assert self._dealer is not None, "the host must deal"
        return self._add_own(Kind.SEED, Seed(self._dealer.secret), self.state.end_at)

    def end_by_time(self, role: str) -> MessageRefusal | None:
        """End the match because a role has run out of time. Return a refusal if the end is not possible now."""
        return self._add_own(Kind.END, End("time", role))

    def close(self) -> MessageRefusal | None:
        """Close the transcript with a message that lists the parties whose card seeds are missing."""
        state = self.state
        roles = [party.role for party in state.setup.parties] if state.setup.deals else []
        return self._add_own(
            Kind.CLOSE, Close(tuple(role for role in roles if role not in state.seeds))
        )

    def _add_own(
        self, kind: Kind, body: AnyBody, anchor: int | None = None
    ) -> MessageRefusal | None:
        """Sign and add a message from the host. By default, it is anchored to the last message."""
        state = self.state
        anchor_hash = state.hash_at(state.index if anchor is None else anchor)
        assert anchor_hash is not None, "the message's anchor must be known"
        message = Message(
            kind=kind,
            # No message precedes the set-up. Anchors cannot be negative, so the set-up's anchor is
            # encoded as 0.
            anchor=max(state.index, 0) if anchor is None else anchor,
            anchor_hash=anchor_hash,
            author=HOST,
            body=body,
        )
        data = encode_message(state.setup.match_id, message)
        return self.add(SignedMessage(data, self._key.sign(data)))

    def order_signature(self) -> OrderSignature:
        """Return the signature over the message order so far."""
        state = self.state
        text = order_message(state.setup.match_id, state.index, state.head)
        return OrderSignature(state.index, self._key.sign(text))
