"""Evidence E1 to E5: it names the author of a fault; forged, cut or mixed evidence names no honest seat (AT-29)."""

import random
from typing import Final

import msgspec
import pytest

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.errors import UnreadableError
from saves.fair.evidence import (
    ConflictingOrders,
    Equivocation,
    Evidence,
    FalseSeed,
    OrderClaim,
    RefusedMessage,
    decode_evidence,
    encode_evidence,
    recompute,
)
from saves.fair.fold import initial_fair_state
from saves.fair.messages import (
    HOST,
    Completion,
    Consent,
    End,
    Kind,
    Offer,
    Request,
    Reveal,
    Seed,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.state import MatchSetup, TranscriptPhase
from tests.netplay.fair.match import FairMatch
from tests.saves.fair.transcripts import (
    SETUP_HEADER,
    OtherBox,
    OtherFace,
    OtherMix,
    Transcript,
    UnreadableBox,
    faults,
    finished,
)
from tests.sizes import sampled, sized

pytestmark = pytest.mark.usefixtures("quick_proofs")


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


@pytest.mark.full
@pytest.mark.series("F3")
def test_conflicting_messages_for_one_slot_blame_their_author(
    whole: Transcript, seats: tuple[Role, Role]
) -> None:
    role, other = seats
    index = whole.last(Kind.REVEAL)
    first = whole.messages[index]
    message = whole.decoded(index)
    changed = msgspec.structs.replace(message, body=Reveal(0, bytes(32)))
    second = whole.signed(message.author, changed)
    verdict = whole.verdict(Equivocation(first, second))
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
        assert not whole.verdict(Equivocation(*pair)).is_proven


@pytest.mark.series("F3")
def test_conflicting_orders_blame_the_host(whole: Transcript) -> None:
    data = tuple(signed.data for signed in whole.messages)
    real = OrderClaim(9, whole.heads[10], data[10:20], whole.order(whole.messages[:20]))
    swapped = [*whole.messages[:14], whole.messages[15], whole.messages[14], *whole.messages[16:18]]
    other = OrderClaim(-1, whole.heads[0], tuple(one.data for one in swapped), whole.order(swapped))
    verdict = whole.verdict(ConflictingOrders(real, other))
    assert (verdict.charge, verdict.author, verdict.position) == ("E1", HOST, 14)
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
        assert not whole.verdict(ConflictingOrders(*pair)).is_proven


# -- E2, E4, E5


@pytest.mark.series("F3")
def test_refused_message_blames_its_author(whole: Transcript, seats: tuple[Role, Role]) -> None:
    role = seats[1]
    found = list(faults(whole, role))
    assert len(found) == 4
    for charge, anchor, signed in found:
        verdict = whole.verdict(RefusedMessage(tuple(whole.messages), b"", signed))
        assert (verdict.charge, verdict.author, verdict.position) == (charge, role, anchor), verdict
        assert str(role) in str(verdict)
        short = tuple(whole.messages[:anchor])
        assert not whole.verdict(RefusedMessage(short, b"", signed)).is_proven
        unsigned = SignedMessage(signed.data, bytes(64))
        assert not whole.verdict(RefusedMessage(tuple(whole.messages), b"", unsigned)).is_proven
        indexed = (*whole.messages[: anchor + 1], signed)
        for order in (b"", whole.order(indexed)):
            verdict = whole.verdict(RefusedMessage(indexed, order, None))
            assert (verdict.charge, verdict.author) == (charge, role)


def test_false_close_blames_the_host(whole: Transcript) -> None:
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


def test_ordered_message_that_is_not_due_blames_the_host(whole: Transcript) -> None:
    number = 0
    for index in range(1, len(whole.messages), sized(12, 4)):
        again = (*whole.messages[: index + 1], whole.messages[index])
        verdict = whole.verdict(RefusedMessage(again, whole.order(again), None))
        assert (verdict.charge, verdict.author) == ("E3", HOST)
        assert not whole.verdict(RefusedMessage(again, b"", None)).is_proven
        number += 1
    assert number > sized(3, 10)


def test_altered_message_blames_the_host_instead_of_its_author(whole: Transcript) -> None:
    """AT-10: die, event, move, box or signature of a message changed by the host."""
    match = whole.match
    for index in range(1, len(whole.messages) - 1, sized(24, 4, 1)):
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
            assert (verdict.charge, verdict.author, verdict.position) == ("E3", HOST, index)
            assert not whole.verdict(RefusedMessage(messages, bytes(64), None)).is_proven


def test_ordered_message_from_a_different_history_blames_the_host(whole: Transcript) -> None:
    index = whole.last(Kind.REQUEST)
    moved = (*whole.messages[: index - 1], whole.messages[index])
    verdict = whole.verdict(RefusedMessage(moved, whole.order(moved), None))
    assert (verdict.charge, verdict.author) == ("E3", HOST)
    assert not whole.verdict(RefusedMessage(moved[:-1], b"", moved[-1])).is_proven


@pytest.mark.full
def test_message_not_due_at_its_anchor_blames_at_most_the_host(
    whole: Transcript, seats: tuple[Role, Role]
) -> None:
    """Whether something is due may follow from messages that the evidence leaves out."""
    idle = whole.decoded(whole.last(Kind.REQUEST)).anchor
    for body in (Consent(agrees=True), Reveal(0, bytes(32)), Seed(bytes(32))):
        kind = Kind(type(body).__name__.lower())
        signed = whole.at(idle, kind, seats[0], body)
        before = tuple(whole.messages[: idle + 1])
        assert not whole.verdict(RefusedMessage(before, b"", signed)).is_proven
        indexed = (*before, signed)
        verdict = whole.verdict(RefusedMessage(indexed, whole.order(indexed), None))
        assert (verdict.charge, verdict.author) == ("E3", HOST)


def test_message_unsigned_by_the_host_does_not_blame_it(whole: Transcript) -> None:
    index = whole.last(Kind.CLOSE)
    unsigned = SignedMessage(whole.messages[index].data, bytes(64))
    for messages in ((*whole.messages[:index], unsigned), (*whole.messages[:3], unsigned)):
        assert not whole.verdict(RefusedMessage(tuple(messages), b"", None)).is_proven


# -- E5 with seeds

UNREADABLE: Final = {
    "unreadable": ("cards-drawn", 1, b"\xc1"),
    "unknown": ("no-such-event", 1, b"\x80"),
}
"""Entries that no program can read, although the box and the commitment agree."""


@pytest.mark.parametrize("fault", ["mix", "box", "unreadable", "unknown", "face"])
def test_card_seed_exposes_messages_that_do_not_follow_from_it(fault: str) -> None:
    match = FairMatch("eots", "south-pacific", seed=3)
    role, other = match.seats
    if fault == "mix":
        match.seats[role] = OtherMix(initial_fair_state(match.setup), match, role)
    elif fault == "face":
        match.seats[role] = OtherFace(initial_fair_state(match.setup), match.secrets[role])
    elif fault == "box":
        match.seats[role] = OtherBox(initial_fair_state(match.setup), match.secrets[role])
    else:
        entry = UNREADABLE[fault]
        match.seats[role] = UnreadableBox(
            initial_fair_state(match.setup), match.secrets[role], entry
        )
    match.start()
    transcript = finished(match)
    messages = tuple(transcript.messages)
    verdict = transcript.verdict(FalseSeed(messages, role))
    assert (verdict.charge, verdict.author) == ("E5", role)
    kind = Kind.MIX if fault == "mix" else Kind.COMPLETION
    kinds = {
        decode_message(match.match_id, one.data).kind for one in messages[: verdict.position + 1]
    }
    assert kind in kinds
    assert not transcript.verdict(FalseSeed(messages, other)).is_proven
    assert not transcript.verdict(FalseSeed(messages[:-3], role)).is_proven, "the seed is not there"


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "scenario"), sampled([("eots", "1942-44"), ("qmg", "total-war"), ("qmg", "base")], 1)
)
def test_seeds_of_a_long_honest_match_prove_no_fault(game: str, scenario: str) -> None:
    match = FairMatch(game, scenario, seed=5)
    match.start()
    for _ in range(sized(12, 250)):
        match.step()
    assert match.state.phase is TranscriptPhase.IDLE, "the game goes on"
    transcript = finished(match)
    for role in match.seats:
        assert not transcript.verdict(FalseSeed(tuple(transcript.messages), role)).is_proven


def test_seed_of_an_honest_seat_proves_no_fault(whole: Transcript) -> None:
    for role in (*whole.match.seats, "nobody", ""):
        assert not whole.verdict(FalseSeed(tuple(whole.messages), role)).is_proven
    cut = tuple(whole.messages[: whole.last(Kind.END) + 1])
    assert not whole.verdict(FalseSeed(cut, next(iter(whole.match.seats)))).is_proven


# -- AT-29


@pytest.mark.full
def test_honest_message_is_not_evidence_after_any_prefix(whole: Transcript) -> None:
    """Cut and mixed evidence: each honest message after each prefix of the transcript."""
    rng = random.Random(4)
    count = len(whole.messages)
    for _ in range(sized(60, 500, 1_500)):
        index, end = rng.randrange(count), rng.randrange(count + 1)
        case = RefusedMessage(tuple(whole.messages[:end]), b"", whole.messages[index])
        assert not whole.verdict(case).is_proven


@pytest.mark.full
def test_spliced_transcript_does_not_blame_a_seat(whole: Transcript) -> None:
    """A host that signs every order names itself at most."""
    rng = random.Random(5)
    names = set[Role]()
    for _ in range(sized(40, 300, 1_000)):
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
        if verdict.is_proven:
            names.add(verdict.author)
            assert verdict.charge in {"E2", "E3"}
    assert names == {HOST}


def test_evidence_about_a_different_match_does_not_hold(whole: Transcript) -> None:
    role = next(iter(whole.match.seats))
    _, _, signed = next(faults(whole, role))
    evidence = Evidence(SETUP_HEADER, RefusedMessage(tuple(whole.messages), b"", signed))

    def refuse(_: bytes) -> MatchSetup:
        raise FlagplotError("unreadable")

    assert recompute(evidence, lambda _: whole.match.setup).is_proven
    assert not recompute(evidence, lambda _: whole.match.setup, bytes(32)).is_proven
    assert not recompute(evidence, refuse).is_proven
    other = msgspec.structs.replace(whole.match.setup, match_id="another")
    verdict = recompute(evidence, lambda _: other)
    assert not verdict.is_proven
    assert str(verdict).startswith("accusation does not hold")


def test_damaged_evidence_does_not_blame_an_honest_party(whole: Transcript) -> None:
    role = next(iter(whole.match.seats))
    _, anchor, signed = next(faults(whole, role))
    case = RefusedMessage(tuple(whole.messages[: anchor + 1]), b"", signed)
    data = encode_evidence(Evidence(SETUP_HEADER, case))
    rng = random.Random(6)
    for _ in range(sized(40, 600, 2_000)):
        place = rng.randrange(30, len(data))
        damaged = data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
        try:
            evidence = decode_evidence(damaged)
        except UnreadableError:
            continue
        assert not recompute(evidence, lambda _: whole.match.setup).is_proven
    for junk in (b"", b"\x00", data[:-1], data + b"\x00", bytes(100)):
        with pytest.raises(UnreadableError):
            decode_evidence(junk)
