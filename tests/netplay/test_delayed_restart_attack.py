"""A restarted host counts the spectator delay from zero, but a spectator keeps the records that it already has.

All programs are honest.
"""

from pathlib import Path

import pytest

from netplay.feed.spectator_delay import SpectatorDelay
from netplay.host.host import Host
from netplay.match.host_config import HostConfig
from netplay.peer.status import ConnectionState
from netplay.wire.modes import JOINT
from tests.netplay.tables import live, room, until
from tests.netplay.test_fair import EOTS_PLAYERS, Hall, give
from tests.netplay.test_spectator_delay import later
from tests.saves.fair.quick_proofs import quick_proofs
from tests.toy_game import RED, Hold

__all__ = ("quick_proofs",)
HOUR = HostConfig(window_seconds=0.0, lateness=SpectatorDelay(seconds=3_600.0))


def reports(folder: Path) -> list[Path]:
    """Return the reports about copies that differ, and the copies that were moved aside."""
    return sorted([*folder.rglob("differs/*"), *folder.rglob("*.differs")])


@pytest.mark.full
async def test_delayed_spectator_keeps_its_records_after_a_host_restart(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, manner=HOUR) as table:
        red, watcher = table.peer(RED), table.peer(None)
        await live(red, watcher)
        await red.submit(Hold())
        later(table, 3_600)
        await until(lambda: watcher.seq == 1)
        await table.restart()
        await until(lambda: table.host.tables[table.match].presence.spectator_count == 1)
        await until(lambda: watcher.is_live or bool(reports(tmp_path)))
        assert not reports(tmp_path)


@pytest.mark.usefixtures("quick_proofs")
async def test_p7_delayed_spectator_does_not_accuse_a_restarted_host(
    tmp_path: Path,
) -> None:
    table = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT)
    table.host = Host(tmp_path / "host", config=HOUR)
    await table.open()
    try:
        for role in EOTS_PLAYERS:
            table.seat(role)
        watcher = table.seat(None)
        await table.live()
        del table.peers[None]
        await give(table, 2)
        await table.level()
        await until(lambda: table.match.seq >= 2)
        feed = table.host.tables[table.opened.match]._feed
        now = feed._now() + 3_600
        feed._now = lambda: now
        table.host.tables[table.opened.match].notify()
        await until(lambda: watcher.seq == table.match.seq)
        table.peers[None] = watcher
        await table.host.stop()
        table.host = Host(tmp_path / "host", config=HOUR)
        await table.host.start("127.0.0.1", table.port)
        await until(
            lambda: watcher.is_live or watcher.reporter.status.link is ConnectionState.STOPPED
        )
        assert watcher.reporter.status.link is not ConnectionState.STOPPED, (
            watcher.reporter.status.reason
        )
        assert not reports(tmp_path)
    finally:
        await table.close()
