"""The last rounds of Total War between bots: equal copies, no hidden card in the files of others (N5)."""

import asyncio
from collections.abc import Mapping
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
from netplay.session.bot_peer import play_seat
from saves.entries import visible_events
from saves.match import Match
from tests.netplay.tables import until
from tests.netplay.test_eots_whole import check_files, seated
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


def never_shown(match: Match[Any]) -> dict[Role, set[str]]:
    """Return the cards that each country held or could draw and that were never seen."""
    hidden: dict[Role, set[str]] = {Role(country): set() for country in COUNTRIES}
    shown: set[str] = set()
    state: State = QMG.initial_state()
    for record in match.records:
        for event in visible_events(match.ruleset, record):
            if isinstance(event, CardsMoved) and event.shown:
                shown |= set(event.cards)
            assert isinstance(event, GameStarted) == (state == QMG.initial_state())
            state = match.ruleset.evolve(state, event)
            for country, cards in zip(COUNTRIES, state.cards, strict=True):
                hidden[Role(country)] |= {*cards.hand, *cards.undrawn_cards}
    return {country: cards - shown for country, cards in hidden.items()}


@pytest.mark.full
@pytest.mark.parametrize(
    "players",
    [
        pytest.param(TWO, id="two-people"),
        pytest.param(SIX, id="six-people", marks=pytest.mark.full),
    ],
)
async def test_n5_bots_finish_total_war_with_equal_copies_and_leak_no_cards(
    tmp_path: Path, players: Mapping[Role, str]
) -> None:
    host = Host(tmp_path / "host")
    await host.start("127.0.0.1", 0, plain=True)
    try:
        position = replace(QMG.position("total-war", {}), round=FIRST_ROUND)
        opened = host.open_match("qmg", "total-war", {}, players, position=position)
        async with seated(tmp_path, opened, seats=SEATS) as peers:
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
    full = host.folder / f"{opened.match}.fplog"
    check_files(tmp_path, full, never_shown(judge), SEATS)
