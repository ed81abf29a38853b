"""A finished match keeps nothing open, and is opened again for anyone who comes later (N11)."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from netplay.invites.invite import Invite
from netplay.peer.peer import Peer
from netplay.peer.status import Chatted, ConnectionState
from netplay.workers import match_server
from saves.logfile import SUFFIX
from saves.verify import verify_file
from tests.netplay.tables import PLAYERS, Room, is_over, live, play, room, until
from tests.patience import PATIENCE
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY

pytestmark = pytest.mark.series("N11")
MATCHES = 3


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a host close everything when the last peer has left."""
    monkeypatch.setattr(match_server, "UNLOAD_SECONDS", 0.0)


@pytest.fixture(params=[1, pytest.param(2, marks=pytest.mark.full)])
async def table(
    request: pytest.FixtureRequest, tmp_path: Path, at_once: None
) -> AsyncIterator[Room]:
    """Start a host that serves its matches itself or in two workers."""
    del at_once
    async with room(tmp_path, "short", workers=request.param) as table:
        yield table


def processes(table: Room) -> list[int]:
    """Return the ids of all processes that serve matches."""
    return [worker.process or os.getpid() for worker in table.host.pool.workers]


def held_open(table: Room) -> set[str]:
    """Return the names of all records and locks of a host that one of its processes has open."""
    found = set()
    for process in processes(table):
        for handle in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):  # closed in the meantime
                place = handle.readlink()
                if place.parent == table.host.folder and SUFFIX in place.name:
                    found.add(place.name)
    return found


def files_open(table: Room) -> int:
    """Return the number of open descriptors of the processes that serve matches."""
    return sum(len([*Path(f"/proc/{each}/fd").iterdir()]) for each in processes(table))


def files_of(match: str) -> set[str]:
    return {f"{match}{SUFFIX}", f"{match}{SUFFIX}.lock"}


async def played_out(table: Room, place: str = "") -> list[Peer]:
    """Play the open match of a room to its end, with its players and a spectator still connected."""
    peers = [table.peer(role, f"{place}-{role}") for role in (RED, BLUE, None)]
    games = (play(peer, 999, seed) for seed, peer in enumerate(peers[:2]))
    await asyncio.wait_for(asyncio.gather(*games), PATIENCE)
    await until(lambda: all(map(is_over, peers)))
    return peers


async def leave(table: Room, *peers: Peer) -> None:
    for peer in peers:
        await peer.close()
        table.peers.remove(peer)


async def test_n11_the_record_of_a_finished_match_is_closed_immediately(table: Room) -> None:
    """Peers that still show the end of the game keep no file open."""
    assert held_open(table) == files_of(table.match)
    peers = await played_out(table)
    await until(lambda: not held_open(table))
    await peers[0].say("well played")
    assert all(peer.is_live for peer in peers)
    assert (await table.host.overviews())[table.match].spectators == 1


@pytest.mark.full
async def test_n11_finished_matches_leak_no_file_descriptors(table: Room) -> None:
    await leave(table, *await played_out(table))
    await until(lambda: not held_open(table))
    before = files_open(table)
    for number in range(MATCHES):
        opened = table.host.open_match("toy", "short", {}, PLAYERS)
        await table.host.wait_until_open(opened.match)
        table.match, table.invites = opened.match, opened.invites
        assert held_open(table) >= files_of(opened.match)
        await leave(table, *await played_out(table, f"m{number}"))
    await until(lambda: not held_open(table))
    await until(lambda: files_open(table) <= before)


async def at_rest(table: Room) -> None:
    """Wait until only the results of the matches are left. A killed worker has the same effect immediately."""
    if table.host.server is not None:
        await until(lambda: not table.host.tables)
        return
    for worker in table.host.pool.workers:
        gone = worker.process
        os.kill(gone, signal.SIGKILL)
        await until(lambda worker=worker, gone=gone: worker.process not in {0, gone})  # type: ignore[misc]  # mypy cannot infer it
        await until(lambda worker=worker: all(one.is_open for one in worker.assignments.values()))  # type: ignore[misc]  # as above


@pytest.mark.full
@pytest.mark.parametrize("table", sampled([1, 2], 1, of="workers"), indirect=True)
async def test_n11_late_joiners_receive_the_complete_finished_match(table: Room) -> None:
    """Players and spectators return to a match at rest, with or without their copies."""
    peers = await played_out(table)
    await leave(table, *peers)
    await at_rest(table)
    assert not held_open(table)
    standing = (await table.host.overviews())[table.match]
    assert standing.is_over
    assert standing.heading == TOY.heading(peers[0].state)
    assert standing.records == table.head + 1
    assert await table.host.is_done()

    later = [table.peer(role, place) for role, place in ((RED, "-red"), (BLUE, "anew"), (None, ""))]
    await live(*later)
    assert all(map(is_over, later))
    assert {peer.copy.chain for peer in later} == {peers[0].copy.chain}
    assert not await table.host.is_done()
    await leave(table, *later)
    await at_rest(table)
    await until(lambda: not held_open(table))
    assert verify_file(table.host.folder / f"{table.match}{SUFFIX}", TOY).status == "ok"


@pytest.mark.full
async def test_n11_chat_is_kept_after_the_match_is_closed(tmp_path: Path, at_once: None) -> None:
    del at_once
    async with room(tmp_path, "short") as table:
        peers = await played_out(table)
        await peers[0].say("well played")
        await leave(table, *peers)
        await at_rest(table)
        heard: list[str] = []
        blue = table.peer(BLUE, "anew")
        blue.reporter.listen(
            lambda event: heard.append(event.text) if isinstance(event, Chatted) else None
        )
        await until(lambda: heard == ["well played"])
        await blue.say("thank you")
        await until(lambda: heard == ["well played", "thank you"])


@pytest.mark.full
async def test_n11_a_finished_match_is_not_reopened_for_an_old_invite(
    tmp_path: Path, at_once: None
) -> None:
    """An older invite of a seat is refused at a match at rest, and the newer one opens it."""
    del at_once
    async with room(tmp_path, "short") as table:
        await leave(table, *await played_out(table))
        await at_rest(table)
        newer: list[Invite] = []

        def keep(invites: tuple[Invite, ...]) -> Path:
            newer.extend(invites)
            return tmp_path / "invite"

        table.host.reissue_invites(table.match, (RED,), keep)
        stranger = table.peer(RED, "stranger")
        await until(lambda: stranger.reporter.is_over)
        assert "a different key" in stranger.reporter.status.reason
        assert not table.host.tables
        table.invites[RED] = newer[0]
        await live(table.peer(RED, "anew"))
        assert [*table.host.tables] == [table.match]


async def test_n11_a_restarted_host_does_not_open_finished_records(
    table: Room,
) -> None:
    await leave(table, *await played_out(table))
    await table.restart()
    assert not held_open(table)
    assert (await table.host.overviews())[table.match].is_over
    late = table.peer(None)
    await live(late)
    assert is_over(late)


@pytest.mark.full
async def test_n11_a_missing_record_is_retried_until_available(
    tmp_path: Path, at_once: None
) -> None:
    del at_once
    async with room(tmp_path, "short") as table:
        await leave(table, *await played_out(table))
        await at_rest(table)
        path = table.host.folder / f"{table.match}{SUFFIX}"
        aside = path.rename(tmp_path / "aside")
        late = table.peer(None)
        await until(lambda: late.reporter.status.link is ConnectionState.LOST)
        assert not is_over(late)
        aside.rename(path)
        await until(lambda: is_over(late))
