"""A hostile host, or a hostile seat, plays against unchanged programs over TLS (protocol 7, sections 1 and 3)."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from netplay.fair.pending_messages import batches_in
from netplay.status import Link
from play.offers import Matter
from saves.decoding import canonical
from saves.fair.fold import fold
from saves.fair.messages import HOST, Close, Consent, End, Kind, Mix, Offer, SignedMessage, decode_message
from saves.fair.signed_texts import OrderedBatch
from saves.fair.state import FairState, Phase, Refusal
from tests.netplay.hostile import HostileHall, Lie, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.saves.fair.quick_proofs import quick_proofs
from tests.tools.commands import Cli

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 10.0


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
    assert not isinstance(after, Refusal)
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


def own_old(hall: HostileHall) -> SignedMessage:
    """Return a message that the victim has signed for an earlier place."""
    signed = [
        one
        for one, _ in hall.history
        if decode_message(hall.id, one.data).author == hall.victim
    ]
    return signed[-1]


Attack = Callable[[HostileHall], bytes]


def one(make: Callable[[HostileHall], SignedMessage]) -> Attack:
    """Return the attack that puts one message in order."""
    return lambda hall: framed(hall.batch(hall.state, make(hall)))


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
    "AT-11-two-messages-at-one-index": (
        lambda hall: framed(
            hall.batch(hall.state, draw(hall)), hall.batch(hall.state, pause(hall))
        ),
        "E1",
        "",
    ),
    "AT-7-messages-in-another-order": (
        lambda hall: framed(
            hall.batch(hall.state_at(0), hall.history[2][0], hall.history[1][0])
        ),
        "E1",
        "",
    ),
    "AT-7-a-message-is-left-out": (
        lambda hall: framed(
            hall.batch(hall.state_at(hall.state.index - 2), hall.history[-1][0])
        ),
        "E1",
        "",
    ),
}


@pytest.mark.parametrize(("attack", "charge", "author"), PROVED.values(), ids=PROVED)
async def test_a_victim_stops_with_evidence_that_holds(
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
        assert "evidence saved" in victim.status.reason
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


@pytest.mark.parametrize(("attack", "changes"), UNPROVED.values(), ids=UNPROVED)
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
        await until(lambda: victim.status.link is Link.LOST or hall.asked[hall.victim] > asked + 1)
        assert seat.participant.state.head == head
        assert hall.released[hall.victim].messages() == before
        hall.lies.clear()
        hall.wake()
        await until(lambda: victim.is_live)
        await hall.peers[hall.accomplice].propose(Matter.DRAW)
        await until(lambda: victim.must_answer and hall.is_settled())
        await victim.answer_offer(agree=False)
        await until(lambda: victim.offer is None and hall.is_settled())
        await hall.give(2)
        hall.check(*hall.players)
        assert not hall.has_evidence(hall.victim)
