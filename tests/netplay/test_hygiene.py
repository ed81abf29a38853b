"""Until secrets are revealed they are only where they belong: files, log lines, arguments (F11)."""

import asyncio
import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from structlog.testing import capture_logs

from netplay.wire.modes import JOINT
from play.offers import OfferKind
from tests.netplay.tables import Room, is_over, live, play, room, step, until
from tests.netplay.test_eots_whole import ALLIED
from tests.netplay.test_fair import EOTS_PLAYERS, give, hall
from tests.patience import PATIENCE, patience
from tests.sizes import sized
from tests.toy_game import BLUE, RED

GAMES: Final = sized(1, 6, 200, of="games of the toy whose files are searched")


def forms(secret: bytes) -> Iterator[bytes]:
    """Yield the encodings of a secret: raw, hex, base 64."""
    yield secret
    yield secret.hex().encode()
    yield base64.b64encode(secret).rstrip(b"=")[:-1]


def holders(folder: Path, secret: bytes) -> set[str]:
    """Return the first folder of each file that contains a secret in any encoding."""
    return {
        path.relative_to(folder).parts[0]
        for path in folder.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms(secret))
    }


def key_of(table: Room, role: object) -> bytes:
    """Return the middle of a seat's private key in its encoding in the file."""
    invite = next(invite for each, invite in table.invites.items() if each == role)
    lines = invite.key.strip().splitlines()
    return base64.b64decode(lines[len(lines) // 2])


@pytest.mark.series("F11")
@pytest.mark.parametrize("seed", range(GAMES))
async def test_f11_secrets_are_stored_only_by_their_owners(tmp_path: Path, seed: int) -> None:
    async with room(tmp_path, "short", plain=True) as table:
        with capture_logs() as logs:
            red, blue, watcher = table.peer(RED), table.peer(BLUE), table.peer(None)
            await live(red, blue, watcher)
            secret = table.host.tables[table.match].match.header.secret
            assert secret is not None
            await step(1 + seed % 7, seed, red, blue)
            assert holders(tmp_path, secret) == {"host"}
            for role in (RED, BLUE):
                others = {f"peer-{each}" for each in (RED, BLUE, None) if each != role}
                assert not holders(tmp_path, key_of(table, role)) & others
            games = asyncio.gather(play(red, 999, seed), play(blue, 999, seed + 1))
            await asyncio.wait_for(games, PATIENCE)
            await until(lambda: all(map(is_over, (red, blue, watcher))))
            places = {"host", "peer-red", "peer-blue", "peer-None"}
            assert holders(tmp_path, secret) == places, "the reveal has told everybody"
        told = repr(logs).encode()
        for hidden in (secret, key_of(table, RED), key_of(table, BLUE)):
            assert not [form for form in forms(hidden) if form in told]


@pytest.mark.full
@pytest.mark.series("F11")
async def test_f11_master_key_is_stored_only_by_its_seat(tmp_path: Path) -> None:
    with capture_logs() as logs:
        async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS, chance=JOINT) as table:
            await give(table, 4)
            await table.peers[ALLIED].propose(OfferKind.RESIGNATION)
            await until(lambda: all(peer.replicator.is_done for peer in table.peers.values()))
            keys = {}
            for role in EOTS_PLAYERS:
                seat = table.peers[role].seat
                assert seat is not None
                keys[role] = seat._open_private().secrets._master
    for role, key in keys.items():
        assert holders(tmp_path, key) == {role}
        assert not [form for form in forms(key) if form in repr(logs).encode()]


@pytest.mark.series("F11")
def test_f11_host_arguments_and_environment_contain_no_secrets(tmp_path: Path) -> None:
    words = (
        "host",
        "open",
        "toy",
        "--scenario",
        "short",
        "--headless",
        "--json",
        "--listen",
        "127.0.0.1:0",
    )
    with subprocess.Popen(
        [sys.executable, "-m", "tests.netplay.toy_cli", *words, "--folder", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ,
    ) as process:
        assert process.stdout is not None
        with patience(process, PATIENCE):
            assert process.stdout.readline()
            shown = b"".join(
                Path(f"/proc/{process.pid}/{name}").read_bytes() for name in ("cmdline", "environ")
            )
            process.terminate()
            assert process.wait() == 0
    assert b"PRIVATE KEY" not in shown
    keys = list(tmp_path.rglob("*.invite"))
    assert keys
    assert not [path for path in keys if path.stat().st_mode & 0o077]
