"""The last rounds of Total War between bots: equal copies, no hidden card in the files of others (N5)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.bots.random_player import Habit, RandomPlayer
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from engine.qmg.events import CardsMoved, GameStarted
from engine.qmg.ids import COUNTRIES, PLAYERS
from engine.qmg.ruleset import QMG
from engine.qmg.state import State
from netplay.host.host import Host
from netplay.host.match_creation import CreatedMatch
from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from saves.entries import visible_events
from saves.logfile import read_log
from saves.match import Match
from saves.verify import verify_file
from tests.netplay.tables import copies_in, until
from tests.patience import PATIENCE

ROLES = QMG.roles(QMG.initial_state())
SEATS: tuple[Role | None, ...] = (*ROLES, None)
SECRET = bytes(range(32))
FIRST_ROUND = 18
TWO = {Role(one): "Ada" if one in PLAYERS["axis"] else "Bob" for one in COUNTRIES}
SIX = {role: f"Player of {role}" for role in ROLES}


class Steady:
    """A random player that never withdraws, so that enough pieces remain to fight over."""

    def __init__(self, place: int) -> None:
        self._player: Any = RandomPlayer(DerivedDice(SECRET, place), Habit.BY_VERB)

    def choose(self, view: Any, decision: Any) -> Any:  # noqa: ANN401  # of any game
        """Return any option but a withdrawal."""
        options = [one for one in decision.options if QMG.notation.line(one)[:8] != "withdraw"]
        return self._player.choose(view, replace(decision, options=tuple(options)))


@contextlib.asynccontextmanager
async def seated(folder: Path, opened: CreatedMatch) -> AsyncIterator[list[Peer]]:
    peers = [Peer(opened.invites[role], folder / str(role), window_seconds=0.0) for role in SEATS]
    try:
        for each in peers:
            each.start()
        yield peers
    finally:
        for each in peers:
            await each.close()


def never_shown(match: Match[Any]) -> dict[str, set[str]]:
    """Return the cards that each country held or could draw and that were never seen."""
    hidden: dict[str, set[str]] = {country: set() for country in COUNTRIES}
    shown: set[str] = set()
    state: State = QMG.initial_state()
    for record in match.records:
        for event in visible_events(match.ruleset, record):
            if isinstance(event, CardsMoved) and event.shown:
                shown |= set(event.cards)
            assert isinstance(event, GameStarted) == (state == QMG.initial_state())
            state = match.ruleset.evolve(state, event)
            for country, cards in zip(COUNTRIES, state.cards, strict=True):
                hidden[country] |= {*cards.hand, *cards.undrawn}
    return {country: cards - shown for country, cards in hidden.items()}


def _has(content: bytes, card: str) -> bool:
    """Return whether a card's id is in these bytes, as MessagePack or as text."""
    head = bytes([0xA0 | len(card)]) if len(card) < 32 else bytes([0xD9, len(card)])
    return head + card.encode() in content or f'"{card}"'.encode() in content


@pytest.mark.full
@pytest.mark.parametrize(
    "players",
    [
        pytest.param(TWO, id="two-people"),
        pytest.param(SIX, id="six-people", marks=pytest.mark.full),
    ],
)
async def test_n5_the_end_of_total_war_between_bots(
    tmp_path: Path, players: Mapping[Role, str]
) -> None:
    host = Host(tmp_path / "host")
    await host.start("127.0.0.1", 0, plain=True)
    try:
        position = replace(QMG.position("total-war", {}), round=FIRST_ROUND)
        opened = host.open_match("qmg", "total-war", {}, players, position=position)
        async with seated(tmp_path, opened) as peers:
            await until(lambda: all(each.is_live and each.is_ready for each in peers))
            bots = [play_seat(each, Steady(place)) for place, each in enumerate(peers[:-1])]
            await asyncio.wait_for(asyncio.gather(*bots), PATIENCE)
            judge = host.tables[opened.match].match
            await until(lambda: all(each.seq == judge.seq for each in peers))
            assert judge.is_revealed
            for each in peers:
                assert each.copy.chain == judge.chain
                assert each.copy.digest() == judge.view_digest(each.role)
    finally:
        await host.stop()
    assert QMG.outcome(judge.state) is not None
    check_files(tmp_path, host.folder / f"{opened.match}.fplog", never_shown(judge))


def check_files(folder: Path, full: Path, hidden: dict[str, set[str]]) -> None:
    content = full.read_bytes()
    for owner, cards in hidden.items():
        assert cards
        assert all(_has(content, card) for card in cards)
        for role in SEATS:
            if role != owner:
                files = copies_in(folder / str(role), "")
                seen = b"".join(path.read_bytes() for path in files)
                assert len(seen) > 10_000
                assert [card for card in sorted(cards) if _has(seen, card)] == []
    chains = {read_log(path).records[-1].chain for path in folder.rglob("*.fplog")}
    assert len(copies_in(folder)) == 1 + len(SEATS)
    assert len(chains) == 1
    assert {verify_file(path).status for path in folder.rglob("*.fplog")} == {"ok"}
