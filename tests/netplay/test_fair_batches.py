"""How many posts a command takes over TLS, and what happens to one that comes too late."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Role
from netplay.feed.host_session import Verdict
from netplay.wire.messages import PostPart
from play.offers import OfferKind
from saves.fair.messages import Kind, decode_message
from saves.fair.state import FairState, TranscriptPhase
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sized

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0
OTHERS = {Kind.COMPLETION, Kind.MIX, Kind.REVEAL}


def posts(hall: HostileHall) -> int:
    return sum(one.posts for one in hall.released.values())


@pytest.mark.full
async def test_a_command_without_chance_takes_one_to_three_posts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, scenario="1943") as hall,
    ):
        counts = set[int]()
        number = 0
        while number < sized(10, 60) or 1 not in counts:
            number += 1
            await hall.level()
            if not any(hall.peers[role].is_asked for role in hall.players):
                break  # the random commands have ended the game
            role = hall.asked_seat()
            command, before, first = batch_command(hall, role), posts(hall), len(hall.history)
            await (hall.give_one() if command is None else hall.peers[role].submit(command))
            await hall.level()
            sent = [decode_message(hall.id, signed.data) for signed, _ in hall.history[first:]]
            if not OTHERS & {one.kind for one in sent}:
                counts.add(posts(hall) - before)
                assert len({one.author for one in sent}) == 1
        assert counts >= {1}
        assert counts <= {1, 2, 3}, (
            "a proposal that becomes due while it is on its way is sent again"
        )
        hall.check(*hall.players)


def batch_command(hall: HostileHall, role: Role) -> Any:  # noqa: ANN401  # of any game
    """Return a command of a seat that is sent together with its proposal, or None if it has none."""
    made, decision = hall.participant(role), hall.peers[role].decision()
    assert decision is not None
    for command in decision.options:
        _, after = made._check_decision(made._request_draft(command))
        assert isinstance(after, FairState)
        if made._predictable_proposal(after) is not None:
            return command
    return None


@pytest.mark.full
async def test_command_overtaken_by_an_offer_is_resent_after_it_is_declined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, scenario="1943") as hall,
    ):
        await hall.level()
        while (command := batch_command(hall, role := hall.asked_seat())) is None:
            await hall.give(1)
        peer = hall.peers[role]
        (other,) = (one for one in hall.players if one != role)
        deliver, is_late = peer.replicator.send, [True]

        async def delayed(order: Any, *given: Any) -> Verdict:  # noqa: ANN401  # as it is called
            if is_late and isinstance(order, PostPart):
                is_late.clear()
                await hall.peers[other].propose(OfferKind.DRAW)
                assert hall.state.phase is TranscriptPhase.CONSENT
            return await deliver(order, *given)

        monkeypatch.setattr(peer.replicator, "send", delayed)
        giving = asyncio.create_task(peer.submit(command))
        await until(lambda: peer.must_answer)
        await peer.answer_offer(agree=False)
        record = await giving
        assert (record.role, record.kind) == (role, "command")
        await hall.give(1)
        hall.check(*hall.players)
