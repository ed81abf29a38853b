"""A spectator who claims wrong views of old records, to learn how far the match has gone since."""

from pathlib import Path

from netplay.feed.desync_detector import _MAX_LAG
from netplay.feed.spectator_delay import SpectatorDelay
from netplay.match.host_config import HostConfig
from netplay.wire import messages as wire
from tests.netplay.raw import Raw, seated
from tests.netplay.tables import Room, live, room
from tests.netplay.test_spectator_delay import later
from tests.toy_game import RED

DELAY = HostConfig(window_seconds=0.0, lateness=SpectatorDelay(seconds=3_600.0))


async def answers(table: Room, watcher: Raw) -> list[str]:
    """Return the kind of answer to a wrong view of each record that spectators may see."""
    match = table.host.tables[table.match].match
    kinds = []
    for seq in range(watcher.welcome.seq + 1):
        claim = wire.PollUpdates(seq=seq, chain=match.records[seq].chain, digest=bytes(32))
        kinds.append(type(await watcher.ask(claim)).__name__)
    return kinds


async def test_a_delayed_spectator_cannot_learn_the_number_of_records(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, "long", manner=DELAY, plain=True) as table:
        red = table.peer(RED)
        await live(red)
        match = table.host.tables[table.match].match
        public = 4
        for seq in range(_MAX_LAG + 2):
            if seq == public:
                later(table, 3_600)
                async with seated(table, None) as watcher:
                    assert watcher.welcome.seq == public
                    before = await answers(table, watcher)
            match.remark("a comment", RED)
            table.host.tables[table.match]._feed.cache_state()
        assert match.seq == _MAX_LAG + 2
        async with seated(table, None) as watcher:
            assert watcher.welcome.seq == public, "spectators may see no more than before"
            assert await answers(table, watcher) == before, (
                "the answers tell how many records there are that spectators may not see yet"
            )
