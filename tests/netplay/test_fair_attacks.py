"""A hostile host, or a hostile seat, plays against unchanged programs over TLS (protocol 7, sections 1 and 3)."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.errors import FlagplotError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.peer.status import ConnectionState
from netplay.transport import handshake
from netplay.wire.errors import ConnectionLostError
from netplay.wire.limits import REFUSALS_PER_MINUTE
from netplay.wire.messages import PollUpdates, Post, PostPart, Refused, Update
from play.offers import OfferKind
from saves.decoding import canonical
from saves.fair.due_messages import due_messages
from saves.fair.fold import fold
from saves.fair.messages import (
    HOST,
    AnyBody,
    ChanceUse,
    Close,
    Consent,
    End,
    Kind,
    LabelMove,
    Mix,
    Offer,
    Open,
    Proposal,
    Reveal,
    Seed,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.signed_texts import Ack, OrderedBatch, Resume, ack_message
from saves.fair.state import DueMessage, FairState, MessageRefusal
from tests.netplay.fair.match import TIMED
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled
from tests.tools.commands import Cli

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def framed(*batches: OrderedBatch) -> bytes:
    """Return batches as a host sends them."""
    frames = [canonical(one) for one in batches]
    return b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)


def accepted(state: FairState, signed: SignedMessage) -> FairState:
    """Return the state after a valid message."""
    after = fold(state, signed)
    assert not isinstance(after, MessageRefusal)
    return after


def body_changed(signed: SignedMessage) -> SignedMessage:
    """Return a message with another last byte under the old signature."""
    data = signed.data[:-1] + bytes([signed.data[-1] ^ 1])
    return SignedMessage(data, signed.signature)


# -- what a host sends to a seat between two records


def takeback_of_nothing(hall: HostileHall) -> SignedMessage:
    return hall.message(hall.accomplice, Kind.OFFER, Offer("takeback", 999))


def draw(hall: HostileHall) -> SignedMessage:
    return hall.message(hall.accomplice, Kind.OFFER, Offer("draw"))


def pause(hall: HostileHall) -> SignedMessage:
    return hall.message(hall.accomplice, Kind.OFFER, Offer("adjournment"))


def next_reveal(hall: HostileHall) -> Reveal:
    """Return the accomplice's reveal for the next throw, which nobody may know yet."""
    number = hall.state.throws
    return Reveal(number, hall.participant(hall.accomplice)._secrets.reveal(number))


def own_old(hall: HostileHall) -> SignedMessage:
    """Return a message that the victim has signed for an earlier place."""
    signed = [
        one for one, _ in hall.history if decode_message(hall.id, one.data).author == hall.victim
    ]
    return signed[-1]


def with_an_author(hall: HostileHall, name: str) -> SignedMessage:
    """Return an offer in the name of anybody, signed by the host."""
    made = decode_message(hall.id, draw(hall).data)
    return hall.seal(HOST, encode_message(hall.id, msgspec.structs.replace(made, author=name)))


Attack = Callable[[HostileHall], bytes]


def one(make: Callable[[HostileHall], SignedMessage]) -> Attack:
    """Return the attack that puts one message in order."""
    return lambda hall: framed(hall.batch(hall.state, make(hall)))


def cases(attacks: Mapping[str, tuple[Any, ...]], *later: str) -> list[Any]:
    """Return the parameters of all attacks; those named last are left to a full run."""
    assert {*later} <= {*attacks}
    return [
        pytest.param(*attack, id=name, marks=pytest.mark.full if name in later else ())
        for name, attack in attacks.items()
    ]


PROVED: dict[str, tuple[Attack, str, str]] = {
    "E3-a-byte-of-a-message-is-changed": (one(lambda hall: body_changed(draw(hall))), "E3", ""),
    "AT-17-a-message-of-another-match": (
        one(
            lambda hall: hall.message(
                hall.accomplice, Kind.OFFER, Offer("draw"), match="another-match"
            )
        ),
        "E3",
        "",
    ),
    "AT-7-a-message-is-replayed": (one(lambda hall: hall.history[1][0]), "E3", ""),
    "AT-7-own-old-message-is-replayed": (one(own_old), "E3", ""),
    "AT-10-own-message-is-changed-under-the-old-signature": (
        one(lambda hall: body_changed(own_old(hall))),
        "E3",
        "",
    ),
    "H2-a-message-that-is-not-valid": (one(takeback_of_nothing), "E2", ALLIED),
    "AT-26-a-resignation-in-the-name-of-the-victim": (
        one(lambda hall: hall.message(hall.accomplice, Kind.END, End("resigned", hall.victim))),
        "E2",
        ALLIED,
    ),
    "AT-26-a-resignation-by-the-host": (
        one(lambda hall: hall.message(HOST, Kind.END, End("resigned", hall.victim))),
        "E2",
        "",
    ),
    "AT-25-the-host-closes-a-running-match": (
        one(lambda hall: hall.message(HOST, Kind.CLOSE, Close(()))),
        "E3",
        "",
    ),
    "E3-an-author-whose-name-is-a-terminal-command": (
        one(lambda hall: with_an_author(hall, "\x1b]52;c;QQ==\x07\u202e")),
        "E3",
        "",
    ),
    "AT-26-the-time-of-the-victim-is-up-in-a-match-without-clocks": (
        one(lambda hall: hall.message(HOST, Kind.END, End("time", hall.victim))),
        "E2",
        "",
    ),
    "a-stop-in-a-match-without-a-time-for-answers": (
        one(lambda hall: hall.message(hall.accomplice, Kind.END, End("stopped", hall.accomplice))),
        "E2",
        ALLIED,
    ),
    "AT-25-a-card-seed-before-the-end": (
        one(lambda hall: hall.message(hall.accomplice, Kind.SEED, Seed(bytes(32)))),
        "E3",
        "",
    ),
    "AT-23-a-consent-without-an-offer": (
        one(lambda hall: hall.message(hall.accomplice, Kind.CONSENT, Consent(agrees=True))),
        "E3",
        "",
    ),
    "AT-23-an-offer-while-another-one-is-open": (
        lambda hall: framed(
            hall.batch(
                hall.state,
                draw(hall),
                hall.message(
                    hall.accomplice, Kind.OFFER, Offer("takeback"), accepted(hall.state, draw(hall))
                ),
            )
        ),
        "E3",
        "",
    ),
    "AT-6-a-reveal-that-no-command-asks-for": (
        one(lambda hall: hall.message(hall.accomplice, Kind.REVEAL, next_reveal(hall))),
        "E3",
        "",
    ),
    "AT-11-two-messages-at-one-index": (
        lambda hall: framed(
            hall.batch(hall.state, draw(hall)), hall.batch(hall.state, pause(hall))
        ),
        "E1",
        "",
    ),
    "AT-7-messages-in-another-order": (
        lambda hall: framed(hall.batch(hall.state_at(0), hall.history[2][0], hall.history[1][0])),
        "E1",
        "",
    ),
    "AT-7-a-message-is-left-out": (
        lambda hall: framed(hall.batch(hall.state_at(hall.state.index - 2), hall.history[-1][0])),
        "E1",
        "",
    ),
}


@pytest.mark.parametrize(
    ("attack", "charge", "author"),
    cases(
        PROVED,
        "AT-7-a-message-is-replayed",
        "E3-an-author-whose-name-is-a-terminal-command",
        "H2-a-message-that-is-not-valid",
        "AT-26-the-time-of-the-victim-is-up-in-a-match-without-clocks",
        "a-stop-in-a-match-without-a-time-for-answers",
        "AT-25-a-card-seed-before-the-end",
        "AT-23-a-consent-without-an-offer",
        "AT-23-an-offer-while-another-one-is-open",
        "AT-6-a-reveal-that-no-command-asks-for",
        "AT-17-a-message-of-another-match",
        "AT-7-own-old-message-is-replayed",
        "AT-26-a-resignation-in-the-name-of-the-victim",
        "AT-26-a-resignation-by-the-host",
        "AT-25-the-host-closes-a-running-match",
        "AT-7-messages-in-another-order",
        "AT-7-a-message-is-left-out",
    ),
)
@pytest.mark.series("F3")
async def test_a_victim_halts_with_valid_evidence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Cli,
    attack: Attack,
    charge: str,
    author: str,
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        before = hall.released[hall.victim].messages()
        hall.lie(hall.victim, attack(hall), hall.state.index + 1)
        victim = await hall.stopped(hall.victim)
        hall.check(hall.victim)
        assert "evidence saved" in victim.reporter.status.reason
        assert victim.reporter.status.reason.isprintable()
        verdict = hall.evidence(hall.victim)
        assert (verdict.status, verdict.charge, verdict.author) == ("holds", charge, author)
        assert hall.released[hall.victim].messages() == before, "nothing is released"
        ran = cli("verify", "--evidence", verdict.file)
        assert ran.code == 0
        assert (author or "the host") in ran.out


def without_order(hall: HostileHall) -> bytes:
    return framed(msgspec.structs.replace(hall.batch(hall.state, draw(hall)), order=b""))


def with_a_wrong_order(hall: HostileHall) -> bytes:
    return framed(msgspec.structs.replace(hall.batch(hall.state, draw(hall)), order=bytes(64)))


def with_an_old_order(hall: HostileHall) -> bytes:
    old = hall.batch(hall.state_at(0), hall.history[1][0]).order
    return framed(msgspec.structs.replace(hall.batch(hall.state, draw(hall)), order=old))


def after_a_gap(hall: HostileHall) -> bytes:
    later = accepted(hall.state, draw(hall))
    answer = hall.message(hall.accomplice, Kind.CONSENT, Consent(agrees=False), later)
    return framed(hall.batch(later, answer))


UNPROVED: dict[str, tuple[Attack, dict[str, object]]] = {
    "a-batch-without-an-order": (without_order, {}),
    "a-batch-with-a-wrong-order": (with_a_wrong_order, {}),
    "a-batch-with-the-order-of-another-place": (with_an_old_order, {}),
    "AT-7-messages-are-missing": (after_a_gap, {}),
    "AT-32-garbage": (lambda _: bytes([0, 0, 0, 3, 0xC1, 0xC1, 0xC1]), {}),
    "AT-32-an-empty-batch-of-no-place": (
        lambda hall: framed(OrderedBatch(-1, bytes(32), (), b"")),
        {},
    ),
    "AT-27-a-gigantic-batch": (lambda _: b"\xff\xff\xff\xff" + bytes(40), {}),
    "AT-27-a-gigantic-total": (without_order, {"total": 1 << 31}),
    "a-piece-out-of-order": (without_order, {"offset": 12_345}),
    "a-total-below-the-piece": (without_order, {"total": 1}),
}


@pytest.mark.parametrize(
    ("attack", "changes"),
    cases(
        UNPROVED,
        "a-batch-without-an-order",
        "a-batch-with-a-wrong-order",
        "a-batch-with-the-order-of-another-place",
        "AT-32-garbage",
        "AT-32-an-empty-batch-of-no-place",
        "AT-27-a-gigantic-total",
        "a-piece-out-of-order",
        "a-total-below-the-piece",
    ),
)
@pytest.mark.series("F3")
async def test_a_victim_keeps_its_state_and_continues_with_an_honest_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: Attack, changes: dict[str, object]
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        victim = hall.peers[hall.victim]
        seat = victim.seat
        assert seat is not None
        before, head = hall.released[hall.victim].messages(), seat.participant.state.head
        hall.lie(hall.victim, attack(hall), hall.state.index + 1, **changes)
        asked = hall.asked[hall.victim]
        await until(
            lambda: (
                victim.reporter.status.link is ConnectionState.LOST
                or hall.asked[hall.victim] > asked + 1
            )
        )
        assert seat.participant.state.head == head
        assert hall.released[hall.victim].messages() == before
        hall.lies.clear()
        hall.wake()
        await until(lambda: victim.is_live)
        await hall.peers[hall.accomplice].propose(OfferKind.DRAW)
        await until(lambda: victim.must_answer and hall.is_settled())
        await victim.answer_offer(agree=False)
        await until(lambda: victim.reporter.offer is None and hall.is_settled())
        await hall.give(2)
        hall.check(*hall.players)
        assert not hall.has_evidence(hall.victim)


# -- the opening


def is_reveal(hall: HostileHall) -> Callable[[Role, SignedMessage], bool]:
    """Return the rule of a host that keeps the reveals of the accomplice back."""
    return lambda role, signed: (
        role == hall.accomplice and decode_message(hall.id, signed.data).kind is Kind.REVEAL
    )


def other_mix(hall: HostileHall) -> bytes:
    """Return the opening with another mix of the accomplice."""
    for number, (signed, _) in enumerate(hall.history):
        message = decode_message(hall.id, signed.data)
        if isinstance(message.body, Mix) and message.author == hall.accomplice:
            outputs = message.body.outputs[::-1]
            body = msgspec.structs.replace(message.body, outputs=outputs)
            changed = msgspec.structs.replace(message, body=body)
            mix = hall.seal(hall.accomplice, encode_message(hall.id, changed))
            return framed(hall.batch(hall.state_at(number - 1), mix))
    raise AssertionError("the accomplice has mixed")


def other_agreement(hall: HostileHall) -> bytes:
    """Return the opening with the agreements in another order."""
    return framed(hall.batch(hall.state_at(0), hall.history[2][0], hall.history[1][0]))


@pytest.mark.full
@pytest.mark.parametrize(
    "restarts",
    [
        pytest.param(False, id="running"),
        pytest.param(True, id="restarted", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize(
    "again", [other_mix, pytest.param(other_agreement, marks=pytest.mark.full)]
)
async def test_c1_at_1_a_repeated_opening_is_not_answered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: Attack, *, restarts: bool
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False) as hall,
    ):
        hall.keeps = is_reveal(hall)
        await until(lambda: bool(hall.kept) and bool(hall.of(hall.victim, Kind.REVEAL)))
        await until(lambda: hall.is_following(hall.victim))
        before = hall.released[hall.victim].messages()
        if restarts:
            await hall.peers[hall.victim].close()
        hall.lie(hall.victim, again(hall), hall.state.index)
        if restarts:
            hall.seat(hall.victim)
        await hall.stopped(hall.victim)
        hall.check(hall.victim)
        assert hall.released[hall.victim].messages() == before
        verdict = hall.evidence(hall.victim)
        assert (verdict.status, verdict.charge, verdict.author) == ("holds", "E1", "")


@pytest.mark.full
async def test_at_11_differently_ordered_agreements_are_proved_and_reveal_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False) as hall,
    ):
        hall.keeps = lambda _, __: True
        roles = tuple(hall.players)
        await until(lambda: len({role for role, _ in hall.kept}) == len(roles))
        first, second = (next(signed for role, signed in hall.kept if role == one) for one in roles)
        start = hall.state
        hall.lie(roles[0], framed(hall.batch(start, first, second)), 2)
        hall.lie(roles[1], framed(hall.batch(start, second, first)), 2)
        await until(lambda: all(hall.of(role, Kind.MIX) for role in roles))

        def foreign_mixes() -> list[SignedMessage]:
            """Return the mixes of the first seat that have reached the host, which is later than their signing."""
            return [
                signed
                for role, signed in hall.kept
                if role == roles[0] and decode_message(hall.id, signed.data).kind is Kind.MIX
            ]

        await until(lambda: bool(foreign_mixes()))
        state = accepted(accepted(start, second), first)
        hall.lies[roles[1]].extend(framed(hall.batch(state, foreign_mixes()[0])), 3)
        hall.wake()
        await hall.stopped(roles[1])
        assert not hall.of(roles[0], Kind.REVEAL, Kind.PROOF)
        assert not hall.of(roles[1], Kind.REVEAL, Kind.PROOF)
        hall.check(*roles)
        verdict = hall.evidence(roles[1])
        assert (verdict.status, verdict.author) == ("holds", "")


@pytest.mark.full
async def test_at_11_at_26_different_ends_release_no_seed_and_are_proved_on_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, clock=TIMED) as hall,
    ):
        for role in hall.players:  # to each seat, the time of that seat is up
            end = hall.message(HOST, Kind.END, End("time", role))
            hall.lie(role, framed(hall.batch(hall.state, end)), hall.state.index + 1)
        await until(lambda: all(hall.is_following(role, 1) for role in hall.players))
        await until(lambda: all(hall.released[role].acks for role in hall.players))
        assert not any(hall.of(role, Kind.SEED) for role in hall.players)
        await hall.peers[hall.victim].close()
        hall.lies.clear()
        hall.keeps = lambda _, __: True
        hall.seat(hall.victim)
        await hall.stopped(hall.accomplice)
        hall.check(*hall.players)
        verdict = hall.evidence(hall.accomplice)
        assert (verdict.status, verdict.charge, verdict.author) == ("holds", "E1", "")


# -- a start again


@pytest.mark.full
async def test_a_restarted_seat_reveals_nothing_while_the_host_withholds_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False) as hall,
    ):
        hall.keeps = lambda role, signed: (
            role == hall.accomplice and decode_message(hall.id, signed.data).kind is Kind.MIX
        )
        await until(lambda: bool(hall.kept) and bool(hall.of(hall.victim, Kind.MIX)))
        await until(lambda: {one.author for one in due_messages(hall.state)} == {hall.accomplice})
        await hall.peers[hall.victim].close()
        mixes = [signed for _, signed in hall.kept]
        messages = [signed for signed, _ in hall.history]
        whole = hall.batch(hall.state_at(-1), *messages, *mixes)
        hall.lie(hall.victim, framed(whole), whole.last)
        posts = hall.released[hall.victim].posts
        hall.seat(hall.victim)
        await until(lambda: hall.is_following(hall.victim, len(mixes)))
        hall.asked.clear()
        await until(lambda: hall.wake() or hall.asked.get(hall.victim, 0) > 3)
        seat = hall.peers[hall.victim].seat
        assert seat is not None
        state = seat.participant.state
        assert DueMessage(Kind.REVEAL, hall.victim, state.index) in due_messages(state)
        assert hall.released[hall.victim].posts > posts, "the question of the start is sent"
        assert not hall.of(hall.victim, Kind.REVEAL)
        hall.check(hall.victim)


async def test_at_35_a_seat_without_its_private_file_cannot_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        before = hall.released[hall.victim].messages()
        await hall.peers[hall.victim].close()
        (tmp_path / str(hall.victim) / f"{hall.id}.{hall.victim}.seat7").unlink()
        with pytest.raises(FlagplotError, match="private file"):
            hall.seat(hall.victim)
        assert hall.released[hall.victim].messages() == before


# -- a hostile seat and an honest host


def post_of(*messages: SignedMessage) -> PostPart:
    data = canonical(Post(messages=messages))
    return PostPart(request_id="a", total=len(data), data=data)


def part_of(data: bytes) -> PostPart:
    return PostPart(request_id="a", total=len(data), data=data)


NESTED = b"\x91" * 50_000


def question(hall: HostileHall) -> Resume:
    """Return a question as the accomplice's program asks it after a start."""
    seat = hall.peers[hall.accomplice].seat
    assert seat is not None
    return seat.participant.resume_request()


def signed_ack(hall: HostileHall, role: Role) -> Ack:
    """Return an acknowledgement in the name of a seat, signed by the accomplice."""
    state = hall.state
    text = ack_message(hall.id, role, state.index, state.head)
    sign = hall.participant(hall.accomplice)._secrets.sign
    return Ack(role=role, index=state.index, head=state.head, signature=sign(text))


def foreign(hall: HostileHall) -> PostPart:
    made = decode_message(hall.id, draw(hall).data)
    changed = msgspec.structs.replace(made, author=hall.victim)
    return post_of(hall.seal(hall.accomplice, encode_message(hall.id, changed)))


POSTS: dict[str, Callable[[HostileHall], PostPart]] = {
    "P4-a-message-of-another-author": foreign,
    "AT-17-a-message-of-another-match": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.OFFER, Offer("draw"), match="another-match")
    ),
    "AT-32-a-malformed-message": lambda _: post_of(SignedMessage(b"\xc1", bytes(64))),
    "AT-32-a-malformed-post": lambda _: PostPart(request_id="a", total=1, data=b"\xc1"),
    "AT-32-an-empty-post": lambda _: PostPart(request_id="a", total=0, data=b""),
    "AT-27-65-messages": lambda hall: post_of(*[draw(hall)] * 65),
    "AT-27-a-gigantic-total": lambda _: PostPart(request_id="a", total=1 << 40, data=b"a"),
    "AT-27-a-piece-out-of-order": lambda _: PostPart(
        request_id="a", offset=1_000, total=2_000, data=b"a"
    ),
    "H1-a-message-that-is-not-valid": lambda hall: post_of(takeback_of_nothing(hall)),
    "H2-a-wrong-signature": lambda hall: post_of(SignedMessage(draw(hall).data, bytes(64))),
    "AT-26-an-end-in-the-name-of-the-victim": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.END, End("resigned", hall.victim))
    ),
    "AT-4-a-message-of-the-host": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.CLOSE, Close(()))
    ),
    "AT-32-a-post-of-nested-lists": lambda _: part_of(NESTED),
    "AT-32-a-message-of-nested-lists": lambda _: post_of(SignedMessage(NESTED, bytes(64))),
    "AT-23-a-consent-without-an-offer": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.CONSENT, Consent(agrees=True))
    ),
    "AT-25-a-card-seed-before-the-end": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.SEED, Seed(bytes(32)))
    ),
    "AT-6-a-reveal-that-no-command-asks-for": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.REVEAL, next_reveal(hall))
    ),
    "a-stop-in-a-match-without-a-time-for-answers": lambda hall: post_of(
        hall.message(hall.accomplice, Kind.END, End("stopped", hall.accomplice))
    ),
    "AT-26-an-end-that-no-seat-has-acknowledged": lambda hall: part_of(
        canonical(Post(ack=signed_ack(hall, hall.victim)))
    ),
    "AT-13-an-answer-in-the-name-of-the-victim": lambda hall: part_of(
        canonical(Post(resume=msgspec.structs.replace(question(hall), role=hall.victim)))
    ),
}


async def test_a_refused_post_does_not_affect_other_seats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        head, accomplice = hall.state.head, hall.peers[hall.accomplice]
        for name, make in sampled(list(POSTS.items()), 4):
            part, line = make(hall), accomplice.replicator._channel
            try:
                answer = await hall.send_part(part)
            except ConnectionLostError:
                hall.wake()  # the host closes a connection at once when no request waits on it
                await until(
                    lambda line=line: (
                        accomplice.is_live and accomplice.replicator._channel is not line
                    )  # type: ignore[misc]  # mypy cannot infer it
                )
            else:
                assert isinstance(answer, Refused), name
            assert hall.state.head == head, name
            assert hall.peers[hall.victim].is_live, name
        await hall.give(1)
        assert hall.state.head != head
        hall.check(hall.victim)


async def test_at_27_too_many_refused_messages_disconnect_only_that_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        for _ in range(REFUSALS_PER_MINUTE):
            assert isinstance(await hall.send_part(post_of(takeback_of_nothing(hall))), Refused)
        with pytest.raises(ConnectionLostError, match="too many"):
            await hall.send_part(post_of(takeback_of_nothing(hall)))
        logged = capsys.readouterr().out
        assert f"author={hall.accomplice}" in logged
        assert f"author={hall.victim}" not in logged
        assert hall.peers[hall.victim].is_live
        await hall.peers[hall.victim].say("still here")


@pytest.mark.full
async def test_a_post_with_a_malformed_message_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        head = hall.state.head
        with pytest.raises(ConnectionLostError):
            await hall.send_part(post_of(draw(hall), SignedMessage(b"\xc1", bytes(64))))
        hall.wake()  # as above
        assert hall.state.head == head
        await hall.live()
        await hall.give(1)
        hall.check(*hall.players)


def without_events(proposal: Proposal) -> Proposal:
    return msgspec.structs.replace(proposal, events=proposal.events[:-1])


def with_a_use(proposal: Proposal) -> Proposal:
    use = ChanceUse(len(proposal.uses), 10, max(len(proposal.events) - 1, 0))
    return msgspec.structs.replace(proposal, uses=(*proposal.uses, use))


def with_an_ask(proposal: Proposal) -> Proposal:
    use = ChanceUse(len(proposal.uses), 5, len(proposal.events), JAPAN, "hand")
    return msgspec.structs.replace(proposal, uses=(*proposal.uses, use), status="ask")


def with_a_card(proposal: Proposal) -> Proposal:
    move = LabelMove(10_000, "hand", "discard", 0)
    return msgspec.structs.replace(proposal, moves=(*proposal.moves, move))


@pytest.mark.parametrize("lie", sampled([without_events, with_a_use, with_an_ask, with_a_card], 1))
async def test_h1_h2_a_false_proposal_is_refused_and_its_author_logged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lie: Callable[[Proposal], Proposal],
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        hall.accomplice = hall.asked_seat()
        hall.victim = next(role for role in hall.players if role != hall.accomplice)
        liar = hall.be_careless()
        honest = liar._due_body

        def body(wanted: DueMessage, state: FairState) -> AnyBody | None:
            made = honest(wanted, state)
            return lie(made) if isinstance(made, Proposal) else made

        monkeypatch.setattr(liar, "_due_body", body)
        capsys.readouterr()
        giving = asyncio.create_task(hall.give_one())
        logged = ""

        def is_refused() -> bool:
            nonlocal logged
            logged += capsys.readouterr().out
            return "message_rejected" in logged or giving.done()

        await until(is_refused)
        assert f"author={hall.accomplice}" in logged
        assert f"author={hall.victim}" not in logged
        assert hall.peers[hall.victim].is_live
        monkeypatch.setattr(liar, "_due_body", honest)
        liar._signed_due.clear()
        seat = hall.peers[hall.accomplice].seat
        assert seat is not None
        seat.restart_connection()
        hall.wake()
        await giving
        await hall.level()
        hall.check(hall.victim)


async def test_at_24_a_spectator_cannot_post_and_receives_no_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        watcher = hall.seat(None)
        await hall.live()
        head = hall.state.head
        line = watcher.replicator._channel
        assert line is not None
        with pytest.raises(ConnectionLostError):
            await handshake.ask(line, post_of(draw(hall)), LIMIT)
        hall.wake()  # as above
        await until(lambda: watcher.is_live and watcher.replicator._channel is not line)
        line = watcher.replicator._channel
        assert line is not None
        ask = PollUpdates(
            seq=watcher.seq, chain=watcher.copy.chain, digest=None, heard=0, wait_ms=0
        )
        news = await handshake.ask(line, ask, LIMIT)
        assert isinstance(news, Update)
        assert news.transcript is None
        assert hall.state.head == head


# -- what host and attacker have on their disks


async def test_p1_files_of_host_and_attacker_contain_no_secrets_of_the_victim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        rules = ruleset(hall.game)
        hidden: set[str] = set()
        for _ in range(4):  # random commands may end this short game after that
            secrets = hall.participant(hall.victim)._secrets
            seen = set(rules.hidden_pile(hall.match.state, hall.victim, "hand"))
            hand = set(rules.hidden_pile(hall.peers[hall.victim].state, hall.victim, "hand"))
            assert hand
            assert seen <= {HIDDEN}
            hidden = hand
            found = list(foreign_files(tmp_path, hall.victim))
            assert any(path.suffix == ".pending7" for path, _ in found)
            private = [secrets.card_seed, *(secrets.reveal(hall.state.throws + n) for n in (1, 2))]
            for path, data in found:
                for secret in private:
                    assert secret not in data, path
                    assert secret.hex().encode() not in data, path
            bodies = b"".join(signed.data for signed, _ in hall.history)
            opened = {
                message.body.card
                for message in (decode_message(hall.id, one.data) for one, _ in hall.history)
                if isinstance(message.body, Open)
            }
            for card in hidden - opened:
                assert canonical(card) not in bodies, card
            await hall.give(1)


def foreign_files(folder: Path, victim: Role) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of host and attacker."""
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).parts[0] not in {str(victim), "state"}:
            yield path, path.read_bytes()
