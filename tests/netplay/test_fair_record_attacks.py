"""H3 over TLS: records and completions with events of no game and cards of no pile. No program ends by an exception."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from netplay.peer import replicator
from netplay.peer.status import ConnectionState
from saves.fair.messages import Completion, Kind, LabelMove, SignedMessage, decode_message
from saves.records import Record
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_command_attacks import (
    ANOTHER_GAME,
    LIMIT,
    Attack,
    FalseMessage,
    altered,
    go_on,
    keep,
    kept,
    restart,
    stops_victim,
)
from tests.saves.fair.quick_proofs import quick_proofs
from tests.sizes import sampled

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace


# -- records

FOREIGN: dict[str, tuple[str, int, bytes]] = {
    "an-event-of-another-game": ANOTHER_GAME,
    "an-event-of-no-game": ("event-999", 1, msgspec.msgpack.encode({"kind": "event-999"})),
    "an-event-of-a-later-version": ("die-rolled", 999, msgspec.msgpack.encode({})),
}
"""Tag, version and body of events that the rules of a match do not know."""


def with_event(name: str, record: Record) -> Record:
    """Return a record with a foreign event in place of its first event."""
    tag, v, body = FOREIGN[name]
    first, *others = record.events
    return change(record, events=(change(first, tag=tag, v=v, body=body), *others))


@pytest.mark.parametrize("name", sampled(list(FOREIGN), 1, of="records with foreign events"))
async def test_h3_record_with_foreign_event_is_refused_and_correct_one_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A seat notices that its host has not signed these messages; a spectator sees another commitment."""
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        watcher = hall.seat(None)
        await hall.live()
        seats, record = [hall.peers[role] for role in hall.players], hall.match.seq
        for role in hall.peers:
            hall.edits[role] = partial(with_event, name)
        giving = asyncio.create_task(hall.give_one())
        for peer in seats:
            await until(lambda peer=peer: "has not signed the order" in peer.reporter.status.reason)  # type: ignore[misc]  # mypy cannot infer it
            assert peer.reporter.status.link is ConnectionState.LOST
        await until(lambda: watcher.reporter.status.link is ConnectionState.STOPPED)
        assert "does not match its commitment" in watcher.reporter.status.reason
        assert {peer.seq for peer in hall.peers.values()} == {record}
        hall.edits.clear()
        await watcher.close()
        hall.seat(None)
        await asyncio.gather(giving, return_exceptions=True)
        await hall.live()
        await hall.level()
        assert hall.match.seq > record
        assert not any(map(hall.has_evidence, hall.players))
        hall.check(*hall.players)


# -- completions


def with_move(**changes: object) -> Callable[[HostileHall, SignedMessage], FalseMessage]:
    """Return an attack that changes the last move of a completion."""

    def make(hall: HostileHall, honest: SignedMessage) -> FalseMessage:
        body = decode_message(hall.id, honest.data).body
        assert isinstance(body, Completion)
        *moves, last = body.moves
        return altered(moves=(*moves, change(last, **changes)))(hall, honest)

    return make


COMPLETIONS = (
    Attack("a-card-of-no-pile", Kind.COMPLETION, with_move(source="nowhere"), "E2"),
    Attack("a-card-to-no-pile", Kind.COMPLETION, with_move(target="nowhere"), "E2"),
    Attack("a-card-of-no-label", Kind.COMPLETION, with_move(label=99_999), "E2"),
    Attack("a-card-of-event-999", Kind.COMPLETION, with_move(event=999), "E2"),
    Attack(
        "a-commitment-for-event-999",
        Kind.COMPLETION,
        altered(commitments=((999, bytes(32)),)),
        "E2",
    ),
    Attack("moves-of-nothing", Kind.COMPLETION, altered(moves=(LabelMove(0, "", "", 0),)), "E2"),
)


@pytest.mark.full
async def test_h3_completion_with_foreign_card_is_refused_and_match_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, waits=False) as hall,
    ):
        keep(hall, Kind.COMPLETION, hall.accomplice)
        await until(lambda: bool(hall.kept))
        for attack in sampled(COMPLETIONS, 1, of="false completions"):
            false = attack.make(hall, await kept(hall, attack.kind))
            keep(hall, attack.kind, hall.accomplice, but=false.signed)
            head = hall.state.head
            desk = hall.house.pending_matches[hall.id]._message_server
            assert desk is not None, "the match has not begun"
            refusal = desk.submit(false.signed)
            assert refusal is not None, attack.name
            assert (refusal.author, refusal.is_due_fault) == (hall.accomplice, False), attack.name
            assert hall.state.head == head, attack.name
            await stops_victim(hall, attack.name, false, attack.charge, attack.author(hall))
            await restart(hall)
        hall.keeps = None
        go_on(hall, hall.accomplice)
        await hall.live()
        await hall.give(1)
        hall.check(*hall.players)
