"""A host that makes a spectator's program forget a signed history that it has already shown (P8)."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from netplay.feed.desync_detector import DesyncDetector
from netplay.feed.host_session import HostSession
from netplay.match.match_table import MatchTable
from netplay.peer import replicator
from netplay.peer.seat_replica import SeatReplica
from netplay.wire.messages import Desync, PollUpdates, Update
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.logfile import SUFFIX, read_log
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import live, room, until
from tests.netplay.test_fair_attacks import LIMIT
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY

change = msgspec.structs.replace


def chains(folder: Path) -> set[bytes]:
    """Return the last chain value in each record file in a folder, whatever the file is called."""
    paths = [path for path in folder.glob(f"*{SUFFIX}*") if path.suffix != ".lock"]
    logs = [read_log(path) for path in paths]
    return {log.records[-1].chain for log in logs if log.records}


@pytest.mark.parametrize("chance", sampled([JOINT, FAIR], 1, of="modes with a spectator"))
async def test_p8_spectator_keeps_every_history_signed_by_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    claims: list[int] = []
    honest, news = DesyncDetector.find_desync, MatchTable.next_update
    is_forgetting = False

    def claim(detector: DesyncDetector, session: HostSession, poll: PollUpdates) -> Desync | None:
        if session.role is not None or not is_forgetting:
            return honest(detector, session, poll)
        if len(claims) >= 2 or poll.seq < 0:  # each claim once moved one file away
            return None
        claims.append(poll.seq)
        return Desync(
            seq=poll.seq, agreed_seq=-1, agreed_chain=bytes(32), digest=bytes(32), records=()
        )

    def first_only(table: MatchTable, session: HostSession, ask: PollUpdates) -> Update | None:
        update = news(table, session, ask)
        if session.role is not None or not is_forgetting or update is None:
            return update
        return change(update, head=0, records=update.records[:1] if ask.seq < 0 else ())

    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, chance=chance) as hall,
    ):
        monkeypatch.setattr(DesyncDetector, "find_desync", claim)
        monkeypatch.setattr(MatchTable, "next_update", first_only)
        spectator = hall.seat(None)
        await hall.live()
        await hall.give(2)
        shown, folder = spectator.copy.chain, tmp_path / "None"
        assert shown == hall.judged.chain
        assert shown in chains(folder)
        is_forgetting = True
        hall.wake()
        await until(lambda: spectator.reporter.is_over)
        assert len(claims) == 1, "the spectator stops at once, as a seat does"
        assert shown in chains(folder), "no file contains what the host has signed"


async def test_copies_moved_aside_do_not_overwrite_each_other(tmp_path: Path) -> None:
    async with room(tmp_path, "short", plain=True) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.close()
        copy = SeatReplica(TOY, red.copy.path.parent, table.match, RED)
        first = copy.record(0)
        for _ in range(3):
            assert copy.rewind(-1, b"") == -1
            copy.receive(first)
        copy.close()
    moved = sorted(path.name for path in copy.path.parent.glob("*.differs*"))
    assert moved == [f"{copy.path.name}.differs{number}" for number in ("", ".2", ".3")]
