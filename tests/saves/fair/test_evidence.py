"""Evidence E1 to E5: it names the author of a fault; forged, cut or mixed evidence names no honest seat (AT-29)."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import pytest

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.fair.participant import Participant
from saves.errors import UnreadableError
from saves.fair.evidence import (
    Case,
    Evidence,
    FalseSeed,
    OrderClaim,
    RefusedMessage,
    TwoMessages,
    TwoOrders,
    Verdict,
    decode_evidence,
    encode_evidence,
    recompute,
)
from saves.fair.fold import begin, fold, next_hash
from saves.fair.messages import (
    HOST,
    AnyBody,
    Completion,
    Consent,
    End,
    Kind,
    Message,
    Offer,
    Proof,
    Request,
    Reveal,
    Seed,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.private import BoxedEntry, PrivateCards
from saves.fair.secrets import CardSecrets
from saves.fair.signed_texts import order_message
from saves.fair.state import FairState, MatchSetup, Phase, Refusal
from tests.netplay.fair.match import FairMatch
from tests.sizes import sized

SETUP_HEADER = b"header"
pytestmark = pytest.mark.usefixtures("quick_proofs")


class Transcript(NamedTuple):
    """A complete transcript with the hashes after each message, the first one before it."""

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
        """Return a message that follows one, signed by its author."""
        head = self.heads[index + 1]
        message = Message(kind=kind, anchor=index, anchor_hash=head, author=author, body=body)
        return self.signed(author, message)

    def verdict(self, case: Case) -> Verdict:
        evidence = decode_evidence(encode_evidence(Evidence(SETUP_HEADER, case)))
        return recompute(evidence, lambda _: self.match.setup, self.match.setup.header_hash)


def transcript_of(match: FairMatch) -> Transcript:
    state, heads = begin(match.setup), [match.setup.header_hash]
    states = [state]
    for signed in match.host.messages:
        after = fold(state, signed)
        assert not isinstance(after, Refusal), after
        states.append(after)
        heads.append(after.head)
        state = after
    return Transcript(match, list(match.host.messages), heads, states)


def finished(match: FairMatch) -> Transcript:
    """End a match, open all seeds and close it."""
    role, *_ = match.seats
    match.submit(match.seats[role].resign())
    for seat in match.seats.values():
        seat.may_open_seed = True
    match.settle()
    assert match.host.close() is None
    match.deliver()
    assert match.state.phase is Phase.CLOSED
    return transcript_of(match)


@pytest.fixture(scope="module")
def whole() -> Transcript:
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    for _ in range(12):
        match.step()
    return finished(match)


@pytest.fixture
def seats(whole: Transcript) -> tuple[Role, Role]:
    first, second = whole.match.seats
    return first, second


# -- E1


def test_two_messages_for_one_slot_name_their_author(
    whole: Transcript, seats: tuple[Role, Role]
) -> None:
    role, other = seats
    index = whole.last(Kind.REVEAL)
    first = whole.messages[index]
    message = whole.decoded(index)
    changed = msgspec.structs.replace(message, body=Reveal(0, bytes(32)))
    second = whole.signed(message.author, changed)
    verdict = whole.verdict(TwoMessages(first, second))
    assert (verdict.charge, verdict.author) == ("E1", message.author)
    offers = [
        whole.at(5, Kind.OFFER, role, Offer("draw")),
        whole.at(5, Kind.END, role, End("draw")),
    ]
    for pair in (
        (first, first),
        (first, SignedMessage(second.data, bytes(64))),
        (first, whole.signed(message.author, msgspec.structs.replace(changed, anchor=1))),
        (whole.messages[1], whole.messages[2]),
        (offers[0], offers[1]),
        (offers[0], whole.at(5, Kind.OFFER, other, Offer("takeback"))),
        (first, SignedMessage(b"x", bytes(64))),
    ):
        assert not whole.verdict(TwoMessages(*pair)).holds


def test_two_orders_name_the_host(whole: Transcript) -> None:
    data = tuple(signed.data for signed in whole.messages)
    real = OrderClaim(9, whole.heads[10], data[10:20], whole.order(whole.messages[:20]))
    swapped = [*whole.messages[:14], whole.messages[15], whole.messages[14], *whole.messages[16:18]]
    other = OrderClaim(-1, whole.heads[0], tuple(one.data for one in swapped), whole.order(swapped))
    verdict = whole.verdict(TwoOrders(real, other))
    assert (verdict.charge, verdict.author, verdict.at) == ("E1", HOST, 14)
    bare = OrderClaim(12, whole.heads[13], (), whole.order(whole.messages[:13]))
    for pair in (
        (real, real),
        (real, bare),
        (real, msgspec.structs.replace(other, order=bytes(64))),
        (real, msgspec.structs.replace(other, head=bytes(32))),
        (real, OrderClaim(12, bytes(32), (), bare.order)),
        (real, OrderClaim(-1, bytes(32), (), b"")),
        (bare, OrderClaim(15, whole.heads[16], (), whole.order(whole.messages[:16]))),
    ):
        assert not whole.verdict(TwoOrders(*pair)).holds


# -- E2, E4, E5


def faults(whole: Transcript, role: Role) -> Iterator[tuple[str, int, SignedMessage]]:
    """Yield charge, anchor and message of faults of a seat."""
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


def test_a_refused_message_names_its_author(whole: Transcript, seats: tuple[Role, Role]) -> None:
    role = seats[1]
    found = list(faults(whole, role))
    assert len(found) == 4
    for charge, anchor, signed in found:
        verdict = whole.verdict(RefusedMessage(tuple(whole.messages), b"", signed))
        assert (verdict.charge, verdict.author, verdict.at) == (charge, role, anchor), verdict
        assert str(role) in str(verdict)
        short = tuple(whole.messages[:anchor])
        assert not whole.verdict(RefusedMessage(short, b"", signed)).holds
        unsigned = SignedMessage(signed.data, bytes(64))
        assert not whole.verdict(RefusedMessage(tuple(whole.messages), b"", unsigned)).holds
        indexed = (*whole.messages[: anchor + 1], signed)
        for order in (b"", whole.order(indexed)):
            verdict = whole.verdict(RefusedMessage(indexed, order, None))
            assert (verdict.charge, verdict.author) == (charge, role)


def test_a_false_close_names_the_host(whole: Transcript) -> None:
    index = whole.last(Kind.CLOSE)
    message = whole.decoded(index)
    first = next(iter(whole.match.seats))
    false = msgspec.structs.replace(
        message, body=msgspec.structs.replace(message.body, missing=(first,))
    )
    case = RefusedMessage(tuple(whole.messages[:index]), b"", whole.signed(HOST, false))
    verdict = whole.verdict(case)
    assert (verdict.charge, verdict.author) == ("E2", HOST)


# -- E3


def test_an_indexed_message_that_is_not_due_names_the_host(whole: Transcript) -> None:
    number = 0
    for index in range(1, len(whole.messages), 4):
        again = (*whole.messages[: index + 1], whole.messages[index])
        verdict = whole.verdict(RefusedMessage(again, whole.order(again), None))
        assert (verdict.charge, verdict.author) == ("E3", HOST)
        assert not whole.verdict(RefusedMessage(again, b"", None)).holds
        number += 1
    assert number > 10


def test_an_altered_message_names_the_host_and_not_its_author(whole: Transcript) -> None:
    """AT-10: die, event, move, box or signature of a message changed by the host."""
    match = whole.match
    for index in range(1, len(whole.messages) - 1, sized(4, 1)):
        message = whole.decoded(index)
        if not message.author:
            continue
        body = message.body
        changed = (
            msgspec.structs.replace(body, box=b"another")
            if isinstance(body, (Request, Completion))
            else End("stopped", message.author)
        )
        kind = message.kind if changed is not body and type(changed) is type(body) else Kind.END
        altered = encode_message(
            match.match_id, msgspec.structs.replace(message, kind=kind, body=changed)
        )
        for signed in (
            SignedMessage(altered, whole.messages[index].signature),
            SignedMessage(whole.messages[index].data, bytes(64)),
            SignedMessage(altered, match.host._key.sign(altered)),
            SignedMessage(b"unreadable", bytes(64)),
        ):
            messages = (*whole.messages[:index], signed, *whole.messages[index + 1 : index + 3])
            verdict = whole.verdict(RefusedMessage(messages, whole.order(messages), None))
            assert (verdict.charge, verdict.author, verdict.at) == ("E3", HOST, index)
            assert not whole.verdict(RefusedMessage(messages, bytes(64), None)).holds


def test_a_message_of_another_course_names_the_host(whole: Transcript) -> None:
    index = whole.last(Kind.REQUEST)
    moved = (*whole.messages[: index - 1], whole.messages[index])
    verdict = whole.verdict(RefusedMessage(moved, whole.order(moved), None))
    assert (verdict.charge, verdict.author) == ("E3", HOST)
    assert not whole.verdict(RefusedMessage(moved[:-1], b"", moved[-1])).holds


def test_what_is_not_due_at_its_anchor_names_the_host_only(
    whole: Transcript, seats: tuple[Role, Role]
) -> None:
    """Whether something is due may follow from messages that the evidence leaves out."""
    idle = whole.decoded(whole.last(Kind.REQUEST)).anchor
    for body in (Consent(agrees=True), Reveal(0, bytes(32)), Seed(bytes(32))):
        kind = Kind(type(body).__name__.lower())
        signed = whole.at(idle, kind, seats[0], body)
        before = tuple(whole.messages[: idle + 1])
        assert not whole.verdict(RefusedMessage(before, b"", signed)).holds
        indexed = (*before, signed)
        verdict = whole.verdict(RefusedMessage(indexed, whole.order(indexed), None))
        assert (verdict.charge, verdict.author) == ("E3", HOST)


def test_a_message_that_the_host_has_not_signed_does_not_name_it(whole: Transcript) -> None:
    index = whole.last(Kind.CLOSE)
    unsigned = SignedMessage(whole.messages[index].data, bytes(64))
    for messages in ((*whole.messages[:index], unsigned), (*whole.messages[:3], unsigned)):
        assert not whole.verdict(RefusedMessage(tuple(messages), b"", None)).holds


# -- E5 with seeds


class OtherMix(Participant):
    """A seat that mixes with another card seed than it promised."""

    def __init__(self, state: FairState, match: FairMatch, role: Role) -> None:
        super().__init__(state, match.secrets[role])
        self.cards = PrivateCards(state, CardSecrets(match.match_id, role, bytes(32)))


class OtherBox(Participant):
    """A seat whose boxes hold another entry than its commitments."""

    def _completed(
        self, number: int, event: object, anchor_hash: bytes
    ) -> tuple[bytes, list[BoxedEntry]]:
        commitment, boxed = super()._completed(number, event, anchor_hash)  # type: ignore[arg-type]
        return commitment and bytes(32), boxed


@pytest.mark.parametrize("fault", ["mix", "box"])
def test_a_seed_shows_what_does_not_follow_from_it(fault: str) -> None:
    match = FairMatch("eots", "south-pacific", seed=3)
    role, other = match.seats
    if fault == "mix":
        match.seats[role] = OtherMix(begin(match.setup), match, role)
    else:
        match.seats[role] = OtherBox(begin(match.setup), match.secrets[role])
    match.start()
    transcript = finished(match)
    messages = tuple(transcript.messages)
    verdict = transcript.verdict(FalseSeed(messages, role))
    assert (verdict.charge, verdict.author) == ("E5", role)
    kind = {"mix": Kind.MIX, "box": Kind.COMPLETION}[fault]
    kinds = {decode_message(match.match_id, one.data).kind for one in messages[: verdict.at + 1]}
    assert kind in kinds
    assert not transcript.verdict(FalseSeed(messages, other)).holds
    assert not transcript.verdict(FalseSeed(messages[:-3], role)).holds, "the seed is not there"


def test_the_seed_of_an_honest_seat_proves_nothing(whole: Transcript) -> None:
    for role in (*whole.match.seats, "nobody", ""):
        assert not whole.verdict(FalseSeed(tuple(whole.messages), role)).holds
    cut = tuple(whole.messages[: whole.last(Kind.END) + 1])
    assert not whole.verdict(FalseSeed(cut, next(iter(whole.match.seats)))).holds


# -- AT-29


def test_no_true_message_is_evidence_at_any_place(whole: Transcript) -> None:
    """Cut and mixed evidence: each honest message after each prefix of the transcript."""
    rng = random.Random(4)
    count = len(whole.messages)
    for _ in range(sized(60, 1_500)):
        index, end = rng.randrange(count), rng.randrange(count + 1)
        case = RefusedMessage(tuple(whole.messages[:end]), b"", whole.messages[index])
        assert not whole.verdict(case).holds


def test_a_spliced_transcript_names_no_seat(whole: Transcript) -> None:
    """A host that signs every order names itself at most."""
    rng = random.Random(5)
    names = set[Role]()
    for _ in range(sized(40, 1_000)):
        messages = list(whole.messages[: rng.randrange(2, len(whole.messages))])
        for _ in range(rng.randrange(1, 3)):
            place, source = rng.randrange(len(messages)), rng.randrange(len(messages))
            match rng.randrange(3):
                case 0:
                    messages.insert(place, messages[source])
                case 1 if len(messages) > 1:
                    del messages[place]
                case _:
                    messages[place], messages[source] = messages[source], messages[place]
        case = RefusedMessage(tuple(messages), whole.order(messages), None)
        verdict = whole.verdict(case)
        if verdict.holds:
            names.add(verdict.author)
            assert verdict.charge in {"E2", "E3"}
    assert names == {HOST}


def test_evidence_about_another_match_does_not_hold(whole: Transcript) -> None:
    role = next(iter(whole.match.seats))
    _, _, signed = next(faults(whole, role))
    evidence = Evidence(SETUP_HEADER, RefusedMessage(tuple(whole.messages), b"", signed))

    def refuse(_: bytes) -> MatchSetup:
        raise FlagplotError("unreadable")

    assert recompute(evidence, lambda _: whole.match.setup).holds
    assert not recompute(evidence, lambda _: whole.match.setup, bytes(32)).holds
    assert not recompute(evidence, refuse).holds
    other = msgspec.structs.replace(whole.match.setup, match_id="another")
    verdict = recompute(evidence, lambda _: other)
    assert not verdict.holds
    assert str(verdict).startswith("accusation does not hold")


def test_damaged_evidence_names_nobody(whole: Transcript) -> None:
    role = next(iter(whole.match.seats))
    _, anchor, signed = next(faults(whole, role))
    case = RefusedMessage(tuple(whole.messages[: anchor + 1]), b"", signed)
    data = encode_evidence(Evidence(SETUP_HEADER, case))
    rng = random.Random(6)
    for _ in range(sized(40, 2_000)):
        place = rng.randrange(30, len(data))
        damaged = data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
        try:
            evidence = decode_evidence(damaged)
        except UnreadableError:
            continue
        assert not recompute(evidence, lambda _: whole.match.setup).holds
    for junk in (b"", b"\x00", data[:-1], data + b"\x00", bytes(100)):
        with pytest.raises(UnreadableError):
            decode_evidence(junk)
