"""Empire of the Sun over the network: all copies agree, and no hand appears in another seat's file."""

import asyncio
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.ids import Role
from netplay.host.host import Host
from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from play.bots import create_seat_bot
from tests.netplay.tables import is_over, until
from tests.sizes import sampled

ALLIED, JAPAN = Role("allied"), Role("japan")
COMMANDS = 120


@pytest.mark.full
@pytest.mark.parametrize("scenario", sampled(["1943", "1944"], 1))
async def test_all_copies_of_a_bot_match_agree(tmp_path: Path, scenario: str) -> None:
    host = Host(tmp_path / "host")
    await host.start("127.0.0.1", 0)
    opened = host.open_match("eots", scenario, {}, {ALLIED: "bot:random", JAPAN: "bot:random"})
    peers = [
        Peer(opened.invites[role], tmp_path / str(role), window_seconds=0.0)
        for role in (ALLIED, JAPAN, None)
    ]
    bots: list[asyncio.Task[None]] = []
    try:
        for peer in peers:
            peer.start()
        await until(lambda: all(peer.is_live and peer.is_ready for peer in peers))
        _check_hands(peers)
        bots = [
            asyncio.create_task(play_seat(peer, create_seat_bot("random", "eots")))
            for peer in peers[:2]
        ]
        judge = host.tables[opened.match].match
        await until(lambda: judge.seq >= COMMANDS or all(map(is_over, peers)))
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        await until(lambda: all(peer.seq == judge.seq for peer in peers))
        for peer in peers:
            assert peer.copy.chain == judge.chain
            assert peer.copy.digest() == judge.view_digest(peer.role)
            assert peer.view() == registry.ruleset("eots").project(judge.state, peer.role)
    finally:
        for peer in peers:
            await peer.close()
        await host.stop()


def _check_hands(peers: list[Peer]) -> None:
    """Check directly after the deal that no card of a hand is in another seat's file."""
    for peer in peers[:2]:
        hand = getattr(peer.view(), "hand")  # noqa: B009  # views of all games share no such field
        assert hand
        for other in peers:
            content = other.copy.path.read_bytes()
            seen = [card for card in hand if _packed(card) in content]
            assert seen == (list(hand) if other is peer else [])


def _packed(text: str) -> bytes:
    return bytes([0xA0 | len(text)]) + text.encode()
