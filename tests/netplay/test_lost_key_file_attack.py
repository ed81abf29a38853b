"""A hosting folder whose ``MATCH.keys`` is lost or restored from a backup while the match is being played."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.host.host_command import HostRunner
from netplay.invites.invite import load_invite
from netplay.invites.seat_keys import SUFFIX, SeatKeys
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from tests.netplay.tables import toy_plan, toy_rules, until
from tests.toy_game import BLUE, RED, Hold


async def test_losing_the_key_file_does_not_disconnect_the_latest_invite(
    tmp_path: Path,
) -> None:
    """The running host has read the newer key, so the replaced invite stays invalid."""
    hosting = HostRunner(toy_plan(tmp_path / "host"), toy_rules)
    running = await hosting.start()
    old = next(load_invite(Path(one.path)) for one in running.invites if one.role == RED)
    again = await hosting.reissue_invites(running.match, (RED,))
    new = load_invite(again)
    player = Peer(new, tmp_path / "red", toy_rules, window_seconds=0.0)
    thief = Peer(old, tmp_path / "thief", toy_rules, window_seconds=0.0)
    player.start()
    try:
        await until(lambda: player.is_live)
        (tmp_path / "host" / f"{running.match}{SUFFIX}").unlink()
        thief.start()
        await until(lambda: thief.is_live or thief.reporter.status.link is ConnectionState.STOPPED)
        assert not thief.is_live, "the replaced invite gives the seat again"
        record = await player.submit(Hold())
        assert record.role == RED
    finally:
        await player.close()
        await thief.close()
        await hosting.stop()


@pytest.mark.parametrize("backup", [1, 2])
def test_running_host_ignores_replaced_keys_in_an_older_file(tmp_path: Path, backup: int) -> None:
    path = tmp_path / f"match{SUFFIX}"
    keys = SeatKeys(path)
    contents = [b""]

    def reissue(role: Role, key: str) -> None:
        """Replace a key in another process."""
        SeatKeys(path).replace({role: key * 64})
        contents.append(path.read_bytes())

    def current() -> list[str]:
        return [keys.fingerprint(role, "first")[:1] for role in (RED, BLUE)]

    assert current() == ["f", "f"]
    reissue(RED, "a")
    assert current() == ["a", "f"]
    reissue(BLUE, "b")
    assert current() == ["a", "b"]
    reissue(RED, "c")
    assert current() == ["c", "b"]
    path.write_bytes(contents[backup])
    assert current() == ["c", "b"]
    reissue(BLUE, "d")
    assert current() == ["c", "d"], "a new key counts even after the file was restored"
