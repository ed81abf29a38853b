"""Whole games of both titles with joint chance: every seat's folder verifies by itself, and holds no card too much."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.kernel.ids import Role
from engine.qmg.ruleset import QMG
from netplay.botpeer import run_bot
from netplay.host import Host
from netplay.modes import JOINT
from netplay.opening import Opened
from netplay.peer import Peer
from play.bots import new_bot
from saves.verify import verify_file, verify_files
from tests.netplay import test_qmg_whole as qmg_whole
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN, never_shown
from tests.netplay.test_eots_whole import _check_files as check_eots
from tests.patience import PATIENCE


@asynccontextmanager
async def seated(folder: Path, opened: Opened, *roles: Role | None) -> AsyncIterator[list[Peer]]:
    peers = [Peer(opened.invites[role], folder / str(role), window_seconds=0.0) for role in roles]
    try:
        for each in peers:
            each.start()
        await until(lambda: all(each.is_live and each.is_ready for each in peers))
        yield peers
    finally:
        for each in peers:
            await each.close()


def check_alone(folder: Path, opened: Opened, roles: Mapping[Role, str]) -> None:
    """Verify each seat's folder, as its player can without anybody else."""
    for role in roles:
        paths = sorted((folder / role).glob("*.fplog"))
        assert [path.name for path in paths] == [
            f"{opened.match}.{role}.fplog",
            f"{opened.match}.{role}.full.fplog",
        ]
        assert [each.status for each in verify_files(paths, None, 1)] == ["ok", "ok"]
        own, whole = paths
        assert verify_file(own, None, whole).status == "ok"


@pytest.mark.full
@pytest.mark.campaign("F9")
async def test_f9_a_whole_game_of_1943(tmp_path: Path) -> None:
    players = {ALLIED: "Ada", JAPAN: "Bob"}
    host = Host(tmp_path / "host")
    await host.start("127.0.0.1", 0)
    try:
        opened = host.open_match("eots", "1943", {}, players, chance=JOINT)
        async with seated(tmp_path, opened, ALLIED, JAPAN, None) as peers:
            bots = [run_bot(each, new_bot("random", "eots")) for each in peers[:2]]
            await asyncio.wait_for(asyncio.gather(*bots), PATIENCE)
            judge = host.tables[opened.match].match
            await until(lambda: all(each.seq == judge.seq for each in peers))
    finally:
        await host.stop()
    check_eots(tmp_path, host.folder / f"{opened.match}.fplog", never_shown(judge))
    check_alone(tmp_path, opened, players)


@pytest.mark.full
@pytest.mark.campaign("F9")
@pytest.mark.parametrize("players", [qmg_whole.TWO, qmg_whole.SIX], ids=["two", "six"])
async def test_f9_the_end_of_total_war(tmp_path: Path, players: Mapping[Role, str]) -> None:
    host = Host(tmp_path / "host")
    await host.start("127.0.0.1", 0)
    try:
        position = replace(QMG.position("total-war", {}), round=qmg_whole.FIRST_ROUND)
        opened = host.open_match("qmg", "total-war", {}, players, position=position, chance=JOINT)
        async with seated(tmp_path, opened, *players, None) as peers:
            bots = [run_bot(each, qmg_whole.Steady(place)) for place, each in enumerate(peers[:-1])]
            await asyncio.wait_for(asyncio.gather(*bots), PATIENCE)
            judge = host.tables[opened.match].match
            await until(lambda: all(each.seq == judge.seq for each in peers))
    finally:
        await host.stop()
    full = host.folder / f"{opened.match}.fplog"
    qmg_whole.check_files(tmp_path, full, qmg_whole.never_shown(judge))
    check_alone(tmp_path, opened, players)
