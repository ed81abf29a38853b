"""A host with false dice keeps the players' programs from checking its secret after the end (joint, P2)."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.kernel.ids import Role
from netplay.feed.host_session import HostSession
from netplay.match.match_table import MatchTable
from netplay.match_state import full_record
from netplay.peer import replicator
from netplay.peer.host_connector import HostConnector
from netplay.peer.status import FullRecordReceived
from netplay.transport.sockets import RequestChannel
from netplay.wire.errors import ConnectionLostError
from netplay.wire.messages import CHUNK_BYTES, Answer, AskFull, Bye, FullPart, Update
from play.offers import OfferKind
from saves.logfile import SUFFIX, log_bytes, read_log
from saves.match import Match
from tests.netplay.fair.other_dice import OtherDice
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT
from tests.netplay.test_joint_attacks import collector, dealer, find, joint
from tests.sizes import sampled

NOT_READY = "the full record is not ready yet"


async def hangs_up(*_: object) -> Answer:
    return Bye(reason=NOT_READY, again=True)


async def refuses(*_: object) -> Answer:
    return Bye(reason="goodbye", again=False)


async def is_silent(*_: object) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


async def garbles(match: Match[Any], folder: Path, request: AskFull) -> Answer:
    """Send a record in which no event can be decoded. Its chain values are right, as they cover the commitments."""
    log = read_log(folder / f"{match.header.match_id}{SUFFIX}")
    records = [
        msgspec.structs.replace(
            record,
            events=tuple(msgspec.structs.replace(entry, body=b"\xc1") for entry in record.events),
        )
        for record in log.records
    ]
    data = log_bytes(log.header, records)
    return FullPart(total=len(data), data=data[request.offset :][:CHUNK_BYTES])


async def cannot_connect(_: HostConnector) -> RequestChannel:
    raise ConnectionLostError("the host is not running")


Attack = Callable[[Match[Any], Path, AskFull], Awaitable[Answer]]
ATTACKS: dict[str, Attack] = {
    "garbles-it": garbles,
    "refuses-the-seat": refuses,
    "hangs-up": hangs_up,
    "is-silent": is_silent,
}


CLAIM = "claims-that-more-records-follow"


def claim_more_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say after the end that there is one more record, so that no seat takes its copy for complete."""
    news = MatchTable.status_update

    def more(table: MatchTable, session: HostSession, *rest: Any) -> Update:  # noqa: ANN401  # as it is called
        update = news(table, session, *rest)
        extra = int(table.match.is_revealed)
        return msgspec.structs.replace(update, head=update.head + extra)

    monkeypatch.setattr(MatchTable, "status_update", more)


@pytest.mark.parametrize(
    "name", sampled([CLAIM, *ATTACKS], 2, of="answers to a request for the full record")
)
async def test_p2_withholding_the_full_record_does_not_hide_false_dice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == CLAIM:
        claim_more_records(monkeypatch)
    else:
        monkeypatch.setattr("netplay.workers.match_server.chunk_for_seat", ATTACKS[name])
    monkeypatch.setattr(full_record, "_ASK_SECONDS", 0.1)
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        dice = OtherDice(dealer(hall))
        while not dice.count:
            command = await find(hall, uses_chance=True)
            await hall.peers[hall.accomplice].submit(command)
            await hall.level()
        told: dict[Role, list[FullRecordReceived]] = {role: [] for role in hall.players}
        for role in hall.players:
            hall.peers[role].reporter.listen(collector(told[role]))
        await hall.peers[hall.accomplice].propose(OfferKind.RESIGNATION)
        await until(lambda: all(told.values()))
        assert all(events[0].fault.startswith("evidence saved: ") for events in told.values())
        if name in {
            CLAIM,
            "garbles-it",
        }:  # the program saves what it received and has nothing left to check
            await until(lambda: all(hall.peers[role].replicator.is_done for role in hall.players))
            differences = {bool(events[-1].difference) for events in told.values()}
            assert differences == {name == "garbles-it"}
            return
        await hall.peers[hall.victim].close()
        monkeypatch.setattr(HostConnector, "connect", cannot_connect)
        told_again: list[FullRecordReceived] = []
        hall.seat(hall.victim).reporter.listen(collector(told_again))
        await until(lambda: bool(told_again))
        assert told_again[0].fault == told[hall.victim][0].fault


@pytest.mark.full
async def test_missing_full_record_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.workers.match_server.chunk_for_seat", hangs_up)
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with asyncio.timeout(LIMIT), joint(tmp_path, monkeypatch) as hall:
        await hall.live()
        told: list[FullRecordReceived] = []
        hall.peers[hall.victim].reporter.listen(collector(told))
        await hall.peers[hall.accomplice].propose(OfferKind.RESIGNATION)
        await until(lambda: bool(told))
        assert [(event.fault, event.failure) for event in told] == [("", NOT_READY)]
