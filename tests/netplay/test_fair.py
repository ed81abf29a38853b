"""Matches whose seats deal the cards and decide what they give: over TLS, with bots' programs in the seats."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.botpeer import run_bot
from netplay.host import Host
from netplay.opening import FAIR, Opened
from netplay.peer import Peer
from play.bots import new_bot
from saves.blind import BlindMatch
from saves.records import BLIND
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.patience import PATIENCE
from tests.sizes import sized


class Hall:
    """A host with one fair match, and peers in its seats."""

    def __init__(self, folder: Path, game: str, scenario: str, players: Mapping[Role, str]) -> None:
        self.folder = folder
        self.game = game
        self.scenario = scenario
        self.players = players
        self.port = 0
        self.host = Host(folder / "host")
        self.opened: Opened
        self.peers: dict[Role | None, Peer] = {}

    async def open(self) -> None:
        self.port = await self.host.start("127.0.0.1", 0)
        self.opened = self.host.open_match(self.game, self.scenario, {}, self.players, chance=FAIR)

    async def restart(self) -> None:
        """Stop the host without a word, and start another one on the same folder and port."""
        await self.host.stop()
        self.host = Host(self.folder / "host")
        await self.host.start("127.0.0.1", self.port)

    def seat(self, role: Role | None) -> Peer:
        peer = Peer(self.opened.invites[role], self.folder / str(role), window_seconds=0.0)
        peer.start()
        self.peers[role] = peer
        return peer

    async def live(self) -> None:
        await until(lambda: all(each.is_live and each.is_ready for each in self.peers.values()))

    @property
    def match(self) -> BlindMatch[Any]:
        match = self.host.tables[self.opened.match].match
        assert isinstance(match, BlindMatch)
        return match

    async def level(self) -> None:
        """Wait until every copy has all records."""
        await until(
            lambda: all(each.copy.chain == self.match.chain for each in self.peers.values())
        )

    async def close(self) -> None:
        for each in self.peers.values():
            await each.close()
        await self.host.stop()


@contextlib.asynccontextmanager
async def hall(
    folder: Path, game: str, scenario: str, players: Mapping[Role, str], *, watched: bool = True
) -> AsyncIterator[Hall]:
    made = Hall(folder, game, scenario, players)
    await made.open()
    try:
        for role in (*players, None) if watched else players:
            made.seat(role)
        await made.live()
        yield made
    finally:
        await made.close()


EOTS_PLAYERS = {ALLIED: "Ada", JAPAN: "Bob"}


async def give(table: Hall, count: int, seed: int = 0) -> None:
    """Let whoever is asked give random commands."""
    bots = {role: new_bot("random", table.game) for role in table.players}
    for _ in range(count):
        await table.level()
        asked = [role for role in table.players if table.peers[role].is_asked]
        if not asked:
            return
        peer = table.peers[asked[0]]
        decision = peer.decision()
        assert decision is not None
        await peer.submit(bots[asked[0]].choose(peer.view(), decision))


async def test_a_fair_match_is_played_and_nobody_holds_a_card_too_much(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        await give(table, sized(12, 60, of="commands of a fair match on a network"))
        await table.level()
        assert table.match.header.audience == BLIND
        rules = ruleset("eots")
        for role in (ALLIED, JAPAN):
            known = rules.pile(table.peers[role].state, role, "hand")
            seen = rules.pile(table.match.state, role, "hand")
            assert len(known) == len(seen)
            assert not set(known) & set(seen)


async def play_out(table: Hall, bots: Mapping[Role, Any]) -> None:
    """Let bots play to the end, and until every seat has everything."""
    running = [run_bot(table.peers[role], bots[role]) for role in table.players]
    await asyncio.wait_for(asyncio.gather(*running), PATIENCE)
    await table.level()


@pytest.mark.full
async def test_a_whole_fair_game_of_1943(tmp_path: Path) -> None:
    async with hall(tmp_path, "eots", "1943", EOTS_PLAYERS) as table:
        await play_out(table, {role: new_bot("random", "eots") for role in table.players})
        assert table.match.is_revealed
        assert len(table.match.records[-1].seeds) == 2  # type: ignore[arg-type]  # it is there
