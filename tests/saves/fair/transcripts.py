"""Complete transcripts of protocol 7 matches, and faults by seats and hosts in them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from typing_extensions import override

from engine.kernel.cards import PileKind
from engine.kernel.ids import Role
from netplay.fair.participant import Participant
from saves.fair.evidence import (
    Case,
    Evidence,
    EvidenceResult,
    decode_evidence,
    encode_evidence,
    recompute,
)
from saves.fair.fold import fold, initial_fair_state, next_hash
from saves.fair.messages import (
    AnyBody,
    End,
    Kind,
    Message,
    Proof,
    Request,
    Seed,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.private_cards import BoxedEntry, PrivateCards, hidden_commitment
from saves.fair.secrets import CardSecrets, SeatSecrets
from saves.fair.signed_texts import order_message
from saves.fair.state import FairState, MessageRefusal, Pending, TranscriptPhase
from tests.netplay.fair.match import FairMatch

SETUP_HEADER = b"header"


class Transcript(NamedTuple):
    """A complete transcript, with the hashes before the first message and after each message."""

    match: FairMatch
    messages: list[SignedMessage]
    heads: list[bytes]
    states: list[FairState]

    def decoded(self, index: int) -> Message:
        return decode_message(self.match.match_id, self.messages[index].data)

    def last(self, kind: Kind) -> int:
        return max(index for index in range(len(self.messages)) if self.decoded(index).kind is kind)

    def order(self, messages: Sequence[SignedMessage]) -> bytes:
        """Return the signature of a host that signs any order."""
        head = self.heads[0]
        for index, signed in enumerate(messages):
            head = next_hash(head, index, signed.data)
        text = order_message(self.match.match_id, len(messages) - 1, head)
        return self.match.host._key.sign(text)

    def signed(self, author: Role, message: Message) -> SignedMessage:
        data = encode_message(self.match.match_id, message)
        key = self.match.secrets[author] if author else self.match.host._key
        return SignedMessage(data, key.sign(data))

    def at(self, index: int, kind: Kind, author: Role, body: AnyBody) -> SignedMessage:
        """Return a message that follows the given one, signed by its author."""
        head = self.heads[index + 1]
        message = Message(kind=kind, anchor=index, anchor_hash=head, author=author, body=body)
        return self.signed(author, message)

    def verdict(self, case: Case) -> EvidenceResult:
        evidence = decode_evidence(encode_evidence(Evidence(SETUP_HEADER, case)))
        return recompute(evidence, lambda _: self.match.setup, self.match.setup.header_hash)


def transcript_of(match: FairMatch) -> Transcript:
    state, heads = initial_fair_state(match.setup), [match.setup.header_hash]
    states = [state]
    for signed in match.host.messages:
        after = fold(state, signed)
        assert not isinstance(after, MessageRefusal), after
        states.append(after)
        heads.append(after.head)
        state = after
    return Transcript(match, list(match.host.messages), heads, states)


def finished(match: FairMatch) -> Transcript:
    """End a match, open all seeds and close it."""
    role, *_ = match.seats
    match.submit(match.seats[role].sign_resignation())
    for seat in match.seats.values():
        seat.may_open_seed = True
    match.settle()
    assert match.host.close() is None
    match.deliver()
    assert match.state.phase is TranscriptPhase.CLOSED
    return transcript_of(match)


def faults(whole: Transcript, role: Role) -> Iterator[tuple[str, int, SignedMessage]]:
    """Yield the charge, anchor and message of each fault by a seat."""
    request = next(
        index
        for index in range(len(whole.messages))
        if whole.decoded(index).kind is Kind.REQUEST and whole.decoded(index).author == role
    )
    right = whole.decoded(request)
    assert isinstance(right.body, Request)
    idle = right.anchor
    wrong = msgspec.structs.replace(right.body, record=right.body.record + 1)
    yield "E2", idle, whole.at(idle, Kind.REQUEST, role, wrong)
    yield "E2", idle, whole.at(idle, Kind.END, role, End("time", role))
    proof = next(
        index
        for index in range(len(whole.messages))
        if whole.decoded(index).kind is Kind.PROOF and whole.decoded(index).author == role
    )
    proved = whole.decoded(proof)
    assert isinstance(proved.body, Proof)
    responses = (*proved.body.responses[:-1], bytes(32))
    false = msgspec.structs.replace(proved, body=Proof(role, proved.body.first, responses))
    yield "E4", proved.anchor, whole.signed(role, false)
    end = whole.last(Kind.END)
    yield "E5", end, whole.at(end, Kind.SEED, role, Seed(bytes(32)))


class OtherMix(Participant):
    """A seat that mixes with a card seed other than the one it committed to."""

    def __init__(self, state: FairState, match: FairMatch, role: Role) -> None:
        super().__init__(state, match.secrets[role])
        self.cards = PrivateCards(state, CardSecrets(match.match_id, role, bytes(32)))


class OtherBox(Participant):
    """A seat whose boxes contain entries that do not match its commitments."""

    @override
    def _completed_event(
        self, number: int, event: object, anchor_hash: bytes
    ) -> tuple[bytes, list[BoxedEntry]]:
        commitment, boxed = super()._completed_event(number, event, anchor_hash)  # type: ignore[arg-type]
        return commitment and bytes(32), boxed


class UnreadableBox(Participant):
    """A seat that commits to hidden entries that no program can read, and puts them in boxes."""

    def __init__(
        self, state: FairState, secrets: SeatSecrets, entry: tuple[str, int, bytes]
    ) -> None:
        super().__init__(state, secrets)
        self.cards = self._true = TrueCards(state, secrets.cards)
        self._false = entry

    @override
    def _completed_event(
        self, number: int, event: object, anchor_hash: bytes
    ) -> tuple[bytes, list[BoxedEntry]]:
        commitment, boxed = super()._completed_event(number, event, anchor_hash)  # type: ignore[arg-type]
        if not commitment:
            return commitment, boxed
        (whole,) = boxed
        self._true.entries[anchor_hash, whole.place] = whole
        false = BoxedEntry(whole.place, *self._false)
        return hidden_commitment(self.cards.secrets, anchor_hash, false), [false]


class TrueCards(PrivateCards):
    """A seat's cards, including a record of the cards that it has replaced."""

    def __init__(self, state: FairState, secrets: CardSecrets) -> None:
        super().__init__(state, secrets)
        self.entries: dict[tuple[bytes, int], BoxedEntry] = {}

    @override
    def _open_boxes(self, state: FairState, pending: Pending) -> Iterator[tuple[BoxedEntry, bytes]]:
        for entry, anchor_hash in super()._open_boxes(state, pending):
            yield self.entries.get((anchor_hash, entry.place), entry), anchor_hash


class OtherFace(Participant):
    """A seat that once claims to have drawn a different card from its deck than chance picked."""

    has_cheated = False

    @override
    def _completed_event(
        self, number: int, event: object, anchor_hash: bytes
    ) -> tuple[bytes, list[BoxedEntry]]:
        drawn = getattr(event, "cards", ())
        rest = [card for card in self._rest() if card not in drawn]
        if not self.has_cheated and drawn and rest:
            self.has_cheated = True
            event = msgspec.structs.replace(event, cards=(rest[0], *drawn[1:]))  # type: ignore[type-var]
        return super()._completed_event(number, event, anchor_hash)  # type: ignore[arg-type]

    def _rest(self) -> tuple[str, ...]:
        role = self.cards.role
        piles = self.state.table.decks[role].values()
        labels = next(pile.labels for pile in piles if pile.kind is PileKind.RANDOM)
        return tuple(self.cards.face_of(role, label) for label in labels)
