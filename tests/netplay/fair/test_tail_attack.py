"""A host that claims to see a difference, so that an unchanged seat sends it the last records of its own copy."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from netplay.feed.desync_detector import DesyncDetector
from netplay.feed.divergence_report import SUFFIX, DivergenceReport
from netplay.feed.host_session import HostSession
from netplay.host.host import Host
from netplay.peer import replicator
from netplay.wire.messages import Desync, PollUpdates, Tail
from saves.errors import StorageError
from saves.fair.transcript_log import PUBLIC_SALT
from saves.records import Record, decode_record
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair import EOTS_PLAYERS, give, hall
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0


class CuriousHost:
    """Answers the next poll of one seat with a difference, and keeps what the seat sends in return."""

    def __init__(self, hall: HostileHall, monkeypatch: pytest.MonkeyPatch) -> None:
        self._hall = hall
        self.is_asking = False
        self.hangs_up = False
        self.tails: list[Tail] = []
        honest = DesyncDetector.find_desync

        def claim(
            detector: DesyncDetector, session: HostSession, poll: PollUpdates
        ) -> Desync | None:
            if not self.is_asking or session.role != hall.victim:
                return honest(detector, session, poll)
            self.is_asking = False
            return Desync(
                seq=poll.seq,
                agreed_seq=-1,
                agreed_chain=bytes(32),
                digest=bytes(32),
                records=(),
            )

        def keep(_: DesyncDetector, session: HostSession, tail: Tail) -> None:
            assert session.role == hall.victim
            self.tails.append(tail)
            if self.hangs_up:  # The seat then takes this for a lost connection, and does not stop.
                raise StorageError("the connection is lost")

        monkeypatch.setattr(DesyncDetector, "find_desync", claim)
        monkeypatch.setattr(DesyncDetector, "save_report", keep)

    def ask(self) -> None:
        self.is_asking = True
        self._hall.wake()


def hidden_entries(records: list[Record]) -> list[tuple[str, bytes]]:
    """Return the entries that only the owner of the copy can have filled in."""
    return [
        (entry.tag, entry.body)
        for record in records
        for entry in (record.command, *record.events)
        if entry is not None and entry.body is not None and entry.salt not in {None, PUBLIC_SALT}
    ]


def hidden_in(tails: Sequence[Tail]) -> list[tuple[str, bytes]]:
    return hidden_entries([decode_record(data) for tail in tails for data in tail.records])


@pytest.mark.parametrize("commands", [pytest.param(0, marks=pytest.mark.full), 4])
async def test_p1_a_host_that_claims_a_desync_receives_no_hidden_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: int
) -> None:
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as table:
        host = CuriousHost(table, monkeypatch)
        await table.give(commands)
        host.ask()
        victim = table.peers[table.victim]
        await until(lambda: bool(host.tails) or victim.reporter.is_over)
        assert not hidden_in(host.tails), "the host reads hidden cards of the victim"


@pytest.mark.full
async def test_p1_dropped_connections_after_a_desync_claim_reveal_no_hidden_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host reads the hand again and again, and its victim notices nothing but lost connections."""
    monkeypatch.setattr(replicator, "RETRY_MIN_SECONDS", 0.02)
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as table:
        host = CuriousHost(table, monkeypatch)
        host.hangs_up = True
        victim = table.peers[table.victim]
        for number in (1, 2):
            host.ask()
            await until(lambda number=number: len(host.tails) == number or victim.reporter.is_over)  # type: ignore[misc]  # mypy cannot infer it
            await until(lambda: victim.is_live or victim.reporter.is_over)
            await table.give(1)
        assert not hidden_in(host.tails), "the host reads hidden cards of the victim"


@pytest.mark.full
async def test_p1_an_honest_host_restored_from_a_backup_stores_no_hidden_cards(
    tmp_path: Path,
) -> None:
    """Here no program is modified: the host's older record is enough for the difference."""
    async with (
        asyncio.timeout(LIMIT),
        hall(tmp_path, "eots", "south-pacific", EOTS_PLAYERS) as table,
    ):
        await give(table, 1)
        await table.level()
        shutil.copytree(tmp_path / "host", tmp_path / "backup")
        await give(table, 2)
        await table.level()
        await table.host.stop()
        shutil.rmtree(tmp_path / "host")
        shutil.copytree(tmp_path / "backup", tmp_path / "host")
        table.host = Host(tmp_path / "host")
        await table.host.start("127.0.0.1", table.port)
        seats = [table.peers[role] for role in table.players]
        await until(lambda: all(seat.reporter.is_over for seat in seats))
        reports = [
            msgspec.json.decode(path.read_bytes(), type=DivergenceReport)
            for path in (tmp_path / "host").rglob(f"*{SUFFIX}")
        ]
        for report in reports:
            records = [decode_record(data) for data in report.peer.records]
            assert not hidden_entries(records), f"the host's file has hidden cards of {report.role}"
