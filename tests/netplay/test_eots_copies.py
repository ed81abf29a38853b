"""Corrupt or late copies of a game of 1943 all become equal to the host's copy (P6, P7)."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from engine.eots.state import State
from engine.kernel.ids import Role
from netplay.host.latency import LoopbackMatch, run_match
from netplay.peer.peer import Peer
from netplay.peer.status import PeerEvent, ViewsDiffered
from tests.patience import PATIENCE
from tests.sizes import sized

CHANGES: Final = sized(1, 6, 200, of="silent changes in games of 1943")
GAMES: Final = sized(1, 1, 30, of="games of 1943 that are joined late")
JOINS: Final = sized(2, 10, 1_000, of="places of each game where somebody joins")
BETWEEN: Final = 3
"""Number of commands between two changes."""
STEP: Final = sized(3, 3, 1, of="commands between two of them")


def _track(state: State, _: random.Random) -> State:
    will = state.tracks.political_will
    return replace(state, tracks=replace(state.tracks, political_will=will + 1))


def _unit(state: State, chance: random.Random) -> State:
    id = chance.choice(sorted(state.units))
    piece = state.units[id]
    return replace(state, units={**state.units, id: replace(piece, steps=2 - piece.steps // 2)})


def _cards(state: State, chance: random.Random) -> State:
    side = chance.choice(sorted(state.decks))
    deck = state.decks[side]
    return replace(state, decks={**state.decks, side: replace(deck, draw=deck.draw[1:])})


KINDS: Final[tuple[Callable[[State, random.Random], State], ...]] = (_track, _unit, _cards)


def spoil(peer: Peer, number: int) -> None:
    """Silently change a peer's state."""
    follower = peer.copy._follower
    assert follower is not None
    change = KINDS[number % len(KINDS)]
    follower._timeline._state = change(follower.state, random.Random(number))


async def caught_up(peer: Peer, game: LoopbackMatch) -> None:
    """Wait until a peer has everything that the host has, and compare."""
    judge = game.table.match
    async with asyncio.timeout(PATIENCE):
        await peer.reporter.wait_for(lambda: peer.is_live and peer.seq == judge.seq)
    assert peer.copy.chain == judge.chain
    assert peer.copy.digest() == judge.view_digest(peer.role)


async def change_and_mend(game: LoopbackMatch, peer: Peer, number: int) -> bool:
    """Silently change a peer's copy and continue the game. Return whether it could continue."""
    told: list[ViewsDiffered] = []

    def hear(event: PeerEvent) -> None:
        if isinstance(event, ViewsDiffered):
            told.append(event)

    await caught_up(peer, game)
    stop = peer.reporter.listen(hear)
    seq = game.table.match.seq
    spoil(peer, number)
    if not (await game.play_commands(1))[0]:
        return False
    judge = game.table.match

    def is_overwritten() -> bool:
        """Return whether the command has happened to undo the change."""
        return peer.seq == judge.seq and peer.copy.digest() == judge.view_digest(peer.role)

    async with asyncio.timeout(PATIENCE):
        await peer.reporter.wait_for(lambda: bool(told) or is_overwritten())
    stop()
    await caught_up(peer, game)
    if not told:
        return True
    assert told[0].seq > seq >= told[0].agreed_seq
    assert told[0].report_path is not None
    return True


@pytest.mark.series("P6")
async def test_p6_a_silent_change_in_1943_is_detected_reported_and_repaired() -> None:
    left = CHANGES
    while left:
        async with run_match("eots", "1943") as game:
            while left and (await game.play_commands(BETWEEN))[0]:
                peer = list(game.peers.values())[left % 2]
                if not await change_and_mend(game, peer, left):
                    break
                left -= 1


@pytest.mark.full
@pytest.mark.series("P7")
@pytest.mark.parametrize("number", range(GAMES))
async def test_p7_a_late_joiner_receives_the_complete_match(tmp_path: Path, number: int) -> None:
    async with run_match("eots", "1943") as game:
        roles: list[Role | None] = [None, *game.peers]
        for joined in range(JOINS):
            if not (await game.play_commands(STEP))[0]:
                return
            role = roles[joined % len(roles)]
            if role is not None:
                await game.peers[role].close()
            late = Peer(game.opened.invites[role], tmp_path / str(joined), window_seconds=0.0)
            late.start()
            try:
                await caught_up(late, game)
                assert late.view() == game.table.match.ruleset.project(game.table.match.state, role)
            finally:
                if role is None:
                    await late.close()
                else:
                    game.peers[role] = late
