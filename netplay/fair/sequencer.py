"""The host of a match of protocol 7: it puts messages in order and signs the order."""

from saves.fair.fold import fold
from saves.fair.messages import (
    HOST,
    AnyBody,
    Close,
    End,
    Kind,
    Message,
    Setup,
    SignedMessage,
    encode_message,
)
from saves.fair.signed_texts import OrderSignature, order_message
from saves.fair.signing import HostKey
from saves.fair.state import FairState, Refusal


class Sequencer:
    """Accepts messages, gives them their index and signs the order."""

    def __init__(self, state: FairState, key: HostKey) -> None:
        """Begin with a transcript that has no message yet.

        Args:
            state: Before the first message.
            key: The key whose public half the header contains.
        """
        self.state = state
        self._key = key
        self.messages: list[SignedMessage] = []
        """The transcript so far, by index."""

    def start(self) -> Refusal | None:
        """Add the set-up."""
        return self._own(Kind.SETUP, Setup(self.state.setup.header_hash))

    def submit(self, signed: SignedMessage) -> Refusal | None:
        """Add a message of a seat to the transcript; returns why it is not valid, None when it is added."""
        after = fold(self.state, signed)
        if isinstance(after, Refusal):
            return after
        self.state = after
        self.messages.append(signed)
        return None

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

    def _own(self, kind: Kind, body: AnyBody) -> Refusal | None:
        state = self.state
        message = Message(
            kind=kind,
            anchor=max(state.index, 0),
            anchor_hash=state.head,
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
