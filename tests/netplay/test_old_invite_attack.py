"""A thief who is connected with a stolen invite while the host issues the invite again."""

import contextlib
from pathlib import Path

import pytest

from netplay.host.host_command import HostRunner
from netplay.invites.invite import load_invite
from netplay.invites.seat_keys import SUFFIX
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.wire.errors import NetworkError
from tests.netplay.tables import toy_plan, toy_rules, until
from tests.toy_game import RED, Hold


async def test_reissuing_an_invite_disconnects_the_session_of_the_old_one(
    tmp_path: Path,
) -> None:
    hosting = HostRunner(toy_plan(tmp_path / "host"), toy_rules)
    running = await hosting.start()
    stolen = {one.role: load_invite(Path(one.path)) for one in running.invites}
    thief = Peer(stolen[RED], tmp_path / "thief", toy_rules, window_seconds=0.0)
    thief.start()
    try:
        await until(lambda: thief.is_live)
        await hosting.reissue_invites(running.match, (RED,))
        with contextlib.suppress(NetworkError):
            await thief.submit(Hold())
        table = hosting.host.tables[running.match]
        assert not [record for record in table.match.records if record.kind == "command"], (
            "the old invite still gives commands"
        )
        await until(lambda: thief.reporter.status.link is ConnectionState.STOPPED)
    finally:
        await thief.close()
        await hosting.stop()


@pytest.mark.full
async def test_a_damaged_key_file_does_not_close_sessions(tmp_path: Path) -> None:
    hosting = HostRunner(toy_plan(tmp_path / "host"), toy_rules)
    running = await hosting.start()
    invite = next(load_invite(Path(one.path)) for one in running.invites if one.role == RED)
    player = Peer(invite, tmp_path / "red", toy_rules, window_seconds=0.0)
    player.start()
    try:
        await until(lambda: player.is_live)
        (tmp_path / "host" / f"{running.match}{SUFFIX}").write_bytes(b"damaged")
        record = await player.submit(Hold())
        assert record.role == RED
        assert player.is_live
    finally:
        await player.close()
        await hosting.stop()
