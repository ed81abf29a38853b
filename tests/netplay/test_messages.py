"""Messages: accepted and refused ones, and that only one type of error is raised."""

import random
import tracemalloc
from collections.abc import Callable

import msgspec
import pytest

from engine.kernel.ids import Refusal, Role, Rule
from netplay.wire import messages as wire
from netplay.wire.errors import ProtocolError
from netplay.wire.padding import pad, unpad
from play.offers import OfferKind
from saves.fair.terms import FairParty
from tests.sizes import sized

NONCE = bytes(range(32))
RULES = wire.Rules(edition="first", version=1, data_digest="00" * 32)
PROMISE = FairParty(
    role=Role("red"), key=NONCE, head=NONCE, cards=b"", proof=b"p" * 64, place="own machine"
)
QUESTIONS: tuple[wire.Question, ...] = (
    wire.Hello(protocol=1, capabilities=("chat", "digest"), match="m-1", role="red", nonce=NONCE),
    wire.Hello(protocol=1, capabilities=(), match="m-1", role=None, nonce=NONCE),
    wire.SeatProof(certificate="-----BEGIN", signature=b"s" * 70),
    wire.Enrol(promise=PROMISE, signature=b"s" * 70),
    wire.WaitForStart(wait_ms=4000),
    wire.PostPart(request_id="r-0", total=9, data=b"abc"),
    wire.AskFull(offset=49_152),
    wire.PollUpdates(seq=-1, chain=NONCE, digest=None),
    wire.PollUpdates(seq=7, chain=NONCE, digest=NONCE, offset=9, heard=3, wait_ms=5000),
    wire.Submit(request_id="r-1", expected_seq=4, command=b"\x81\xa4type\xa4roll"),
    wire.MakeOffer(request_id="r-2", matter=OfferKind.TAKEBACK, to_seq=3),
    wire.OfferAnswer(request_id="r-3", offer=1, agree=True),
    wire.Say(request_id="r-4", text="well played"),
    wire.Ping(token=12),
    wire.Tail(seq=5, digest=NONCE, records=(b"abc", b"def")),
    wire.Leave(reason="dinner"),
)
ANSWERS: tuple[wire.Answer, ...] = (
    wire.Challenge(nonce=NONCE, certificate="-----BEGIN", signature=b"s"),
    wire.Welcome(
        header=b"h" * 300, seq=3, chain=NONCE, capabilities=("digest",), rules=RULES, window_ms=150
    ),
    wire.Waiting(
        header=b"h" * 300, rules=RULES, missing=("red",), waiting_for=("red",), present=("blue",)
    ),
    wire.FullPart(total=90_000, data=b"p" * 100),
    wire.Update(head=4),
    wire.Update(head=4, waiting_for=("blue",)),
    wire.Update(
        head=4,
        records=(b"r" * 200,),
        part=wire.RecordChunk(seq=5, offset=0, total=90_000, data=b"p" * 100),
        chat=(wire.ChatLine(number=1, role="red", text="hello"),),
        presence=(wire.Presence(role="red", present=True),),
        spectators=2,
        offer=wire.OpenOffer(
            offer=1, role="red", matter=OfferKind.TAKEBACK, to_seq=2, waiting_for=("blue",)
        ),
    ),
    wire.Desync(seq=5, agreed_seq=4, agreed_chain=NONCE, digest=None, records=(b"x",)),
    wire.Accepted(request_id="r", seq=4),
    wire.Refused(
        request_id="r",
        code="illegal",
        text="not now",
        refusals=(Refusal(Rule("1.1"), "the card is not in the hand"),),
    ),
    wire.Pong(token=12),
    wire.Bye(reason="the host stops", again=True),
)


@pytest.mark.parametrize("message", QUESTIONS, ids=lambda message: type(message).__name__)
def test_requests_round_trip(message: wire.Question) -> None:
    assert wire.decode_request(wire.encode(message)) == message


@pytest.mark.parametrize("message", ANSWERS, ids=lambda message: type(message).__name__)
def test_answers_round_trip(message: wire.Answer) -> None:
    assert wire.decode_answer(wire.encode(message)) == message


PACK = msgspec.msgpack.encode


@pytest.mark.series("N1")
@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"GET / HTTP/1.1\r\n\r\n", id="http"),
        pytest.param(b"\x91" * 60_000, id="deep-nesting"),
        pytest.param(b"\xdf\xff\xff\xff\xff", id="map-of-4-billion"),
        pytest.param(b"\xdd\xff\xff\xff\xff", id="array-of-4-billion"),
        pytest.param(b"\xc6\xff\xff\xff\xff", id="bytes-of-4-billion"),
        pytest.param(PACK({"kind": "ping", "token": 2**64 - 1}), id="int-too-large"),
        pytest.param(PACK({"kind": "ping", "token": -1}), id="negative"),
        pytest.param(PACK({"kind": "ping", "token": float("nan")}), id="nan"),
        pytest.param(PACK({"kind": "ping", "token": 1, "more": 1}), id="extra-field"),
        pytest.param(PACK({"kind": "pang", "token": 1}), id="unknown-tag"),
        pytest.param(PACK({"token": 1}), id="no-tag"),
        pytest.param(PACK({"kind": "ping"}), id="field-missing"),
        pytest.param(PACK({"kind": 7, "token": 1}), id="tag-of-another-type"),
        pytest.param(b"\x82\xa4kind\xa3say\xa4text\xa2\xed\xa0", id="lone-surrogate"),
        pytest.param(
            PACK({"kind": "say", "request_id": "r", "text": "x" * 401}), id="text-too-long"
        ),
        pytest.param(
            PACK({"kind": "say", "request_id": "a b", "text": "x"}), id="request-id-with-blank"
        ),
        pytest.param(
            PACK({"kind": "submit", "request_id": "r", "expected_seq": 0, "command": b"x" * 9000}),
            id="command-too-long",
        ),
        pytest.param(
            PACK({"kind": "catch-up", "seq": 0, "chain": b"x", "digest": None}), id="short-hash"
        ),
        pytest.param(PACK({"kind": "welcome"}), id="an-answer-where-a-question-belongs"),
        pytest.param(b"\xc0" * 70_000, id="longer-than-a-frame"),
    ],
)
def test_a_malformed_request_is_refused_with_a_one_line_error(frame: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        wire.decode_request(frame)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


FRAMES = sized(3_000, 100_000, 5_000_000, of="frames, questions and answers each")


def _mutated(source: random.Random, frame: bytes) -> bytes:
    data = bytearray(frame)
    for _ in range(source.randint(1, 4)):
        where = source.randrange(len(data) + 1)
        match source.randrange(5):
            case 0 if data:
                data[where % len(data)] = source.randrange(256)
            case 1:
                data[where:where] = source.randbytes(source.randint(1, 8))
            case 2:
                del data[where : where + source.randint(1, 8)]
            case 3:
                data = data[:where]
            case _:
                data[where:where] = b"\xdd\xff\xff\xff\xff"
    return bytes(data)


def _mangled(source: random.Random, frame: bytes) -> bytes:
    """Return the frame mutated raw, inside its padding, or together with it."""
    match source.randrange(8):
        case 0:
            return _mutated(source, pad(frame))
        case 1 | 2 | 3:
            return pad(_mutated(source, frame))
        case _:
            return _mutated(source, frame)


@pytest.mark.series("N1")
@pytest.mark.parametrize(
    ("decode", "frames"),
    [
        pytest.param(wire.decode_request, QUESTIONS, id="N1-questions"),
        pytest.param(wire.decode_answer, ANSWERS, id="N1-answers"),
    ],
)
def test_mutated_frames_raise_only_protocol_error_and_leak_no_memory(
    decode: Callable[[bytes], wire.WireMessage], frames: tuple[wire.WireMessage, ...]
) -> None:
    source = random.Random(1942)
    seeds = [unpad(wire.encode(message)) for message in frames]
    refused = 0
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(FRAMES):
        try:
            decode(_mangled(source, source.choice(seeds)))
        except ProtocolError:
            refused += 1
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused > FRAMES // 2
    assert after - before < 1 << 20
    assert peak - before < 20 << 20


@pytest.mark.series("N10")
@pytest.mark.parametrize(
    ("protocol", "capabilities", "words"),
    [
        pytest.param(wire.PROTOCOL, ("chat", "digest"), "", id="N10-same"),
        pytest.param(wire.PROTOCOL, ("digest", "hats"), "", id="N10-unknown-capability-is-ignored"),
        pytest.param(wire.PROTOCOL + 1, ("digest",), "newer", id="N10-newer"),
        pytest.param(wire.PROTOCOL - 1, ("digest",), "older", id="N10-older"),
        pytest.param(
            wire.PROTOCOL, ("chat",), "lacks the capability digest", id="N10-capability-missing"
        ),
    ],
)
def test_version_mismatches_are_reported(
    protocol: int, capabilities: tuple[str, ...], words: str
) -> None:
    problem = wire.version_problem(protocol, capabilities, "host")
    assert words in problem
    assert bool(words) == bool(problem)
