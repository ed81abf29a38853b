"""Chat at a table: unread marks, the conversation above the line, line mode, and a host that restarts."""

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Static

from netplay.peer.status import Chatted, PeerEvent
from netplay.session.peer_session import PeerSession
from play.log_lines import LogLine
from tests.netplay.tables import Room, live, room, until
from tests.patience import PATIENCE
from tests.sizes import sampled
from tests.toy_game import BLUE, RED
from tests.tui.apps import app, reached
from tui.console.game import PlainGame
from tui.presenter.presenter import Presenter
from tui.screens.match.chat import ChatDialog
from tui.screens.match.play import PlayScreen


@pytest.mark.parametrize("size", sampled([(80, 24), (120, 40), (160, 46)], 1), ids=str)
async def test_chat_is_marked_unread_until_the_conversation_is_read(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(blue)
        program = app(tmp_path, PlayScreen(session, Presenter(session.ruleset)))
        async with program.run_test(size=size) as pilot:
            for text in ("hello", "are you there?"):
                await red.say(text)
            await reached(pilot, lambda: session.negotiation.unread_count == 2)
            assert "y: 2 unread" in session.status()
            await pilot.press("y")
            await reached(pilot, lambda: isinstance(program.screen, ChatDialog))
            shown = str(program.screen.query_one(".messages", Static).render())
            assert shown.splitlines() == ["Ada (red): hello", "Ada (red): are you there?"]
            await pilot.press(*"yes", "enter")
            await reached(pilot, lambda: len(session.negotiation.read_conversation()) == 3)
            assert "said" not in session.status()
            assert session.negotiation.read_conversation()[-1] == "Bob (blue): yes"


async def test_line_mode_prints_chat_while_no_input_is_typed(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(blue)
        printed: list[str] = []
        typed: asyncio.Queue[str] = asyncio.Queue()

        async def read(prompt: str) -> str:
            return await typed.get()

        game = PlainGame(session, Presenter(session.ruleset), read, printed.append)
        playing = asyncio.create_task(game.run())
        await until(lambda: "> " in printed or any("Lay" in line for line in printed))
        await red.say("hello")
        await until(lambda: "  Ada (red): hello" in printed)
        typed.put_nowait("say good day")
        await until(lambda: [line.text for line in _log(session)][-1:] == ["Bob (blue): good day"])
        typed.put_nowait("quit")
        await asyncio.wait_for(playing, PATIENCE)
        assert sum("hello" in line for line in printed) == 1
        await session.close()


def _log(session: PeerSession) -> list[LogLine]:
    return [line for line in session.log() if ": " in line.text]


async def test_returning_player_receives_missed_chat(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.say("one")
        await blue.close()
        await red.say("two")
        heard = await _heard_by(table)
        await until(lambda: heard == ["one", "two"])


@pytest.mark.full
async def test_chat_continues_with_the_first_line_after_host_restart(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red = table.peer(RED)
        heard = await _heard_by(table)
        await live(red)
        for text in ("one", "two"):
            await red.say(text)
        await until(lambda: heard == ["one", "two"])
        await table.restart()
        await red.say("three")
        await until(lambda: heard == ["one", "two", "three"])


async def _heard_by(table: Room) -> list[str]:
    blue = table.peer(BLUE)
    heard: list[str] = []

    def hear(event: PeerEvent) -> None:
        if isinstance(event, Chatted):
            heard.append(event.text)

    blue.reporter.listen(hear)
    await live(blue)
    return heard
