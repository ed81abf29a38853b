"""Whole games of 1943 between bots: equal copies, and no hidden cards in the other side's files, on any line (N5)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.host.host import Host
from netplay.host.match_creation import CreatedMatch
from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from play.bots import create_seat_bot
from saves.entries import visible_events
from saves.logfile import read_log
from saves.match import Match
from saves.verify import verify_file
from tests.netplay.impatience import AS_EVER, BRIEFLY, Patience
from tests.netplay.proxy import HostileProxy
from tests.netplay.tables import copies_in, until
from tests.patience import PATIENCE
from tests.sizes import sized

ALLIED, JAPAN = Role("allied"), Role("japan")
SEATS: tuple[Role | None, ...] = (ALLIED, JAPAN, None)
SEEDS = sized(5, 50, 5_000, of="games of 1943")
AT_ONCE = 5
MOVES = 4
"""Number of commands that must arrive over the hostile line before it is repaired."""


def roles_of(game: str, scenario: str) -> tuple[Role, ...]:
    return tuple(ruleset(game).scenario_info(scenario, {}).roles)


@contextlib.asynccontextmanager
async def hosted(
    folder: Path, *, plain: bool, game: str = "eots", scenario: str = "1943"
) -> AsyncIterator[tuple[Host, CreatedMatch]]:
    host = Host(folder / "host")
    await host.start("127.0.0.1", 0, plain=plain)
    players = {role: f"Player of {role}" for role in roles_of(game, scenario)}
    try:
        yield host, host.open_match(game, scenario, {}, players)
    finally:
        await host.stop()


@contextlib.asynccontextmanager
async def seated(
    folder: Path,
    opened: CreatedMatch,
    port: int | None = None,
    seats: Sequence[Role | None] = SEATS,
) -> AsyncIterator[list[Peer]]:
    peers = []
    for role in seats:
        invite = opened.invites[role]
        if port is not None:
            scheme = invite.addresses[0].partition("://")[0]
            invite = msgspec.structs.replace(invite, addresses=(f"{scheme}://127.0.0.1:{port}",))
        peers.append(Peer(invite, folder / str(role), window_seconds=0.0))
    try:
        for each in peers:
            each.start()
        yield peers
    finally:
        for each in peers:
            await each.close()


def never_shown(match: Match[Any]) -> dict[Role, set[str]]:
    """Return the cards that each side held or could draw and that were never open after any event of the game."""
    hidden: dict[Role, set[str]] = {ALLIED: set(), JAPAN: set()}
    open_cards: set[str] = set()
    state: State = EOTS.initial_state()
    for record in match.records:
        for event in visible_events(match.ruleset, record):
            state = match.ruleset.evolve(state, event)
            for side, deck in state.decks.items():
                future = () if deck.future is None else (deck.future,)
                hidden[Role(side)] |= {*deck.hand, *deck.draw, *future}
                open_cards |= {*deck.discard, *deck.removed}
            if state.offensive is not None:
                open_cards |= _texts(msgspec.to_builtins(state.offensive))
    return {role: cards - open_cards for role, cards in hidden.items()}


def _texts(plain: object) -> set[str]:
    match plain:
        case str():
            return {plain}
        case dict():
            return set().union(*map(_texts, plain.values()), set())
        case list() | tuple():
            return set().union(*map(_texts, plain), set())
        case _:
            pass
    return set()


def _written(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in copies_in(folder, ""))


def _has(content: bytes, card: str) -> bool:
    """Return whether a card's id is in these bytes, as MessagePack or as text."""
    head = bytes([0xA0 | len(card)]) if len(card) < 32 else bytes([0xD9, len(card)])
    return head + card.encode() in content or f'"{card}"'.encode() in content


@pytest.mark.full
@pytest.mark.parametrize("plain", [True, False], ids=["tcp", "tls"])
async def test_whole_bot_game_ends_with_equal_copies_and_leaks_no_secrets(
    tmp_path: Path, *, plain: bool
) -> None:
    async with hosted(tmp_path, plain=plain) as (host, opened):
        async with seated(tmp_path, opened) as peers:
            await until(lambda: all(each.is_live and each.is_ready for each in peers))
            bots = [play_seat(each, create_seat_bot("random", "eots")) for each in peers[:2]]
            await asyncio.wait_for(asyncio.gather(*bots), PATIENCE)
            judge = host.tables[opened.match].match
            await until(lambda: all(each.seq == judge.seq for each in peers))
            assert judge.is_revealed
            for each in peers:
                assert each.copy.chain == judge.chain
                assert each.copy.digest() == judge.view_digest(each.role)
        hidden = never_shown(judge)
        path = host.folder / f"{opened.match}.fplog"
        check_files(tmp_path, path, hidden, SEATS)


def check_files(
    folder: Path, full: Path, hidden: dict[Role, set[str]], seats: Sequence[Role | None]
) -> None:
    """Check that no seat's files contain a card that was hidden from it, and that all files agree."""
    content = full.read_bytes()
    for owner, cards in hidden.items():
        assert cards
        assert all(_has(content, card) for card in cards)
        for role in seats:
            if role != owner:
                seen = _written(folder / str(role))
                assert len(seen) > 10_000
                assert [card for card in sorted(cards) if _has(seen, card)] == []
    chains = {read_log(path).records[-1].chain for path in folder.rglob("*.fplog")}
    assert len(copies_in(folder)) == 1 + len(seats)
    assert len(chains) == 1
    assert {verify_file(path).status for path in folder.rglob("*.fplog")} == {"ok"}


def check_one_history(judge: Match[Any], peers: Sequence[Peer]) -> None:
    for each in peers:
        for seq in range(each.seq + 1):
            assert each.copy.record(seq).chain == judge.records[seq].chain


async def one_bad_game(
    folder: Path, seed: int, patience: Patience, game: str = "eots", scenario: str = "1943"
) -> int:
    """Play over a hostile line for a while, repair it, and compare. Return the differences."""
    roles = roles_of(game, scenario)
    async with hosted(folder, plain=True, game=game, scenario=scenario) as (host, opened):
        judge = host.tables[opened.match].match
        proxy = HostileProxy(seed, host.port)
        await proxy.start()
        try:
            async with seated(folder, opened, proxy.port, (*roles, None)) as peers:
                bots = [
                    asyncio.create_task(play_seat(each, create_seat_bot("random", game)))
                    for each in peers[:-1]
                ]
                loop = asyncio.get_running_loop()
                began = loop.time()

                def is_played() -> bool:
                    check_one_history(judge, peers)
                    patience.wait(BRIEFLY + (loop.time() - began) / 10)
                    return judge.seq >= MOVES

                await until(is_played, 120)
                proxy.is_hostile = False
                patience.wait(AS_EVER)
                proxy.cut()
                for bot in bots:
                    bot.cancel()
                await asyncio.gather(*bots, return_exceptions=True)
                await until(lambda: all(each.seq == judge.seq for each in peers))
                check_one_history(judge, peers)
                for each in peers:
                    assert each.copy.chain == judge.chain
                    assert each.copy.digest() == judge.view_digest(each.role)
        finally:
            await proxy.stop()
        return proxy.faults


@pytest.mark.full
@pytest.mark.series("N5")
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE), ids=lambda first: f"N5-eots-{first}")
async def test_a_hostile_connection_loses_and_duplicates_nothing(
    tmp_path: Path, first: int, impatient: Patience
) -> None:
    games = [
        one_bad_game(tmp_path / str(seed), seed, impatient)
        for seed in range(first, first + AT_ONCE)
    ]
    faults = await asyncio.wait_for(asyncio.gather(*games), 240)
    assert sum(faults) > 3 * AT_ONCE


@pytest.mark.full
@pytest.mark.series("N5")
@pytest.mark.parametrize(("game", "scenario"), [("qmg", "base"), ("cbps", "1")])
@pytest.mark.parametrize("seed", range(sized(1, 2, 1_000, of="games of each of the other titles")))
async def test_a_hostile_connection_loses_and_duplicates_nothing_in_other_games(
    tmp_path: Path, seed: int, game: str, scenario: str, impatient: Patience
) -> None:
    await one_bad_game(tmp_path, seed, impatient, game, scenario)
