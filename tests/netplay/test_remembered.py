"""The host's caches for a match, apart from the game, are small, and empty while nothing happens."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.memo import cache_of
from netplay.host.host import Host
from netplay.match.host_config import HostConfig
from netplay.wire import limits
from netplay.workers.host_bots import save_bot_invite
from saves.match_replica import MatchReplica
from tests.netplay.tables import until
from tests.patience import PATIENCE


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    """Start a host with a match of 1943 between two bots, the first of which is about to begin."""
    host = Host(tmp_path, config=HostConfig(window_seconds=0.0))
    await host.start("127.0.0.1", 0)
    players = {"allied": "bot:random", "japan": "bot:random"}
    opened = host.open_match("eots", "1943", {}, players)  # type: ignore[arg-type]  # roles are words
    for invite in opened.invites.values():
        if invite.role is not None:
            save_bot_invite(host.folder, invite)
    host.start_bots(opened.match)
    yield host
    await host.stop()


def copies(host: Host) -> list[MatchReplica[Any]]:
    """Return the judge's copy of the only match of a host, and those of its bots."""
    assert host.server is not None
    (table,) = host.tables.values()
    bots = host.server._bots
    assert bots is not None
    followers = [peer.copy._follower for peer in bots._peers.values()]
    return [table.match, *(copy for copy in followers if copy is not None)]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[tuple[MatchReplica[Any], int]]:
    """Record each trimming of a copy's cache with its limit, and check that the cache is trimmed."""
    kept: list[tuple[MatchReplica[Any], int]] = []
    keep_latest = MatchReplica.drop_old_results

    def note(copy: MatchReplica[Any], most: int) -> None:
        keep_latest(copy, most)
        sizes = [len(entries) for entries in cache_of(copy.state).entries.values()]
        assert max(sizes, default=0) <= most
        kept.append((copy, most))

    monkeypatch.setattr(MatchReplica, "drop_old_results", note)
    return kept


@pytest.mark.full
async def test_each_record_trims_caches_to_the_latest_results(
    host: Host, kept: list[tuple[MatchReplica[Any], int]]
) -> None:
    """This holds for the judge's copy and for those of the bots."""
    (table,) = host.tables.values()
    await until(lambda: table.match.seq >= 20, PATIENCE)
    assert {most for _, most in kept} == {limits.MAX_RESULTS}
    assert all(sum(copy is each for copy, _ in kept) >= 15 for each in copies(host))


@pytest.mark.full
async def test_an_idle_match_clears_its_caches(
    host: Host, kept: list[tuple[MatchReplica[Any], int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    (table,) = host.tables.values()
    await until(lambda: table.match.seq >= 4, PATIENCE)
    async with table._request_lock:  # nothing is answered
        monkeypatch.setattr(limits, "IDLE_SECONDS", 0.0)
        await until(lambda: sum(not most for _, most in kept) >= 3, PATIENCE)
    monkeypatch.setattr(limits, "IDLE_SECONDS", 60.0)
    assert {id(copy) for copy, most in kept if not most} == set(map(id, copies(host)))
    before = table.match.seq
    await until(lambda: table.match.seq > before + 4, PATIENCE)


@pytest.mark.full
async def test_bot_copies_share_fully_public_records(host: Host) -> None:
    (table,) = host.tables.values()
    await until(lambda: table.match.seq >= 40, PATIENCE)
    judge, *bots = copies(host)
    for bot in bots:
        pairs = list(zip(judge.records, bot.records, strict=False))
        shared = sum(ours is theirs for ours, theirs in pairs)
        assert shared > len(pairs) * 3 // 4
        assert shared == sum(ours == theirs for ours, theirs in pairs)


async def test_bot_copies_contain_only_redacted_records(host: Host) -> None:
    (table,) = host.tables.values()
    await until(lambda: table.match.seq >= 40, PATIENCE)
    assert host.server is not None
    bots = host.server._bots
    assert bots is not None
    for (_, role), peer in bots._peers.items():
        follower = peer.copy._follower
        assert follower is not None
        own = [*table.match.redacted_records(role)]
        assert follower.records == own[: len(follower.records)]
        assert own != table.match.records[: len(own)]
