"""A player's draft continues past windows in which the player could only pass."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from engine.qmg.commands import Pass
from engine.qmg.ruleset import QMG
from netplay.host.host import Host
from netplay.peer.peer import Peer
from netplay.session.bot_peer import play_seat
from netplay.session.peer_session import PeerSession
from play import games
from play.bots import create_seat_bot
from play.local_session import LocalSession
from play.session import Session
from saves.entries import decode_command
from tests.netplay.tables import until

JAPAN = Role("japan")


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalSession:
    monkeypatch.setattr(games, "new_secret", lambda: bytes([7]) * 32)
    others = ("germany", "uk", "ussr", "italy", "usa")
    bots = dict.fromkeys(map(Role, others), "greedy")
    new = games.NewGame(game="qmg", scenario="base", bots=bots, seat=JAPAN)
    return games.create_game(new, tmp_path / "game.fplog")


async def _until_a_forced_pass_is_tried(session: Session) -> None:
    for _ in range(80):
        while await session.advance():
            pass
        await until(lambda: session.draft.commands != () or session.decision() is not None)
        decision = session.decision()
        if decision is None:
            assert session.draft.commands
            await session.commit()
            continue
        assert not decision.is_window or len(decision.options) > 1
        await session.give(decision.options[-1 if decision.is_window else 0])
        if session.draft.commands and session.draft.size < len(session.draft.commands):
            return
    raise AssertionError("no window opened in which Japan could only pass")


async def test_10_4_forced_pass_is_drafted_and_undone_with_the_command_before_it(
    session: LocalSession,
) -> None:
    await _until_a_forced_pass_is_tried(session)
    before = session.draft.commands
    assert isinstance(before[-1], Pass)
    assert session.draft.undo() == before[session.draft.size]
    assert session.draft.commands == before[: session.draft.size]
    await session.give(before[session.draft.size])
    assert session.draft.commands == before
    assert await session.commit() == len(before)
    assert session.draft.commands == ()
    await session.close()


async def test_10_4_player_who_turned_passing_off_is_also_asked_in_a_draft(
    session: LocalSession,
) -> None:
    await _until_a_forced_pass_is_tried(session)
    tried = session.draft.size
    session.draft.undo()
    session.orders.change("off")
    decision = session.decision()
    assert decision is not None
    await session.give(decision.options[0])
    decision = session.decision()
    assert session.draft.size == len(session.draft.commands) == tried
    assert decision is not None
    assert decision.is_window
    assert decision.options == (Pass(),)
    await session.close()


@pytest.mark.full
async def test_10_4_drafted_pass_is_sent_once_over_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netplay.host.match_creation.new_secret", lambda: bytes([7]) * 32)
    roles = QMG.roles(QMG.initial_state())
    host = Host(tmp_path / "host")
    await host.start("127.0.0.1", 0, plain=True)
    opened = host.open_match("qmg", "base", {}, {role: str(role) for role in roles})
    peers = {
        role: Peer(opened.invites[role], tmp_path / str(role), window_seconds=0.0) for role in roles
    }
    try:
        for peer in peers.values():
            peer.start()
        await until(lambda: all(peer.is_live and peer.is_ready for peer in peers.values()))
        bots = [
            asyncio.create_task(play_seat(peer, create_seat_bot("greedy", "qmg")))
            for role, peer in peers.items()
            if role != JAPAN
        ]
        session = PeerSession(peers[JAPAN])
        await _until_a_forced_pass_is_tried(session)
        tried, seq = session.draft.commands, session.seq
        await session.commit()
        match = host.tables[opened.match].match
        own = [one.command for one in match.records[seq + 1 :] if one.role == JAPAN]
        given = [decode_command(QMG, entry) for entry in own if entry is not None]
        assert given[: len(tried)] == [*tried]
        for bot in bots:
            bot.cancel()
        await session.close()
    finally:
        for peer in peers.values():
            await peer.close()
        await host.stop()
