"""A seat over the network: drafts, chat, takebacks, a lost host, and a screen around it."""

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Static

from netplay.invites.invite import write_invite
from netplay.peer.peer import Peer
from netplay.session.peer_session import PeerSession
from netplay.wire.errors import UnavailableError
from play.negotiation import SessionError
from tests.netplay.faulty_disk import FaultyDisk
from tests.netplay.tables import live, room, toy_rules, until
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, TOY, Hold, Roll, ToyView
from tests.tui.apps import app, reached
from tui.console.game import PlainGame
from tui.presenter.presenter import Presenter
from tui.screens.dialogs.prompt import ConfirmDialog, TextDialog
from tui.screens.lobby.connect import ConnectScreen
from tui.screens.match.play import PlayScreen
from tui.widgets.lists.decision import DecisionPanel


async def test_draft_is_private_until_commit(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session, other = PeerSession(red), PeerSession(blue)
        calls: list[int] = []
        other.on_change(lambda: calls.append(1))
        before = table.head
        await session.give(Hold())
        assert table.head == before
        assert session.decision() is None
        await session.commit()
        await until(lambda: other.seq == session.seq)
        assert table.head == before + 1
        assert calls
        view = other.view()
        assert isinstance(view, ToyView)
        assert RED in view.ready
        assert "Ada" in session.title
        assert session.status().startswith("* host")
        session.notes.write_place_note("here", "for nobody else")
        assert dict(other.notes.places) == {}
        assert red.copy.path.with_suffix(".notes") in red.copy.path.parent.iterdir()
        assert dict(PeerSession(red).notes.places) == {"here": "for nobody else"}


async def test_draft_is_restored_when_the_seat_reconnects(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session = PeerSession(red)
        await session.give(Hold())
        before = table.head
        await session.close()
        again = table.peer(RED)
        await live(again)
        back = PeerSession(again)
        assert back.draft.commands == (Hold(),)
        assert table.head == before, "nobody else has seen it"
        await back.commit()
        assert table.head > before


async def test_refusals_come_from_the_own_replica(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        assert PeerSession(red).refusals(Roll())[0].rule == "1.1"


async def test_chat_is_shown_in_the_log(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session, other = PeerSession(red), PeerSession(blue)
        await session.negotiation.say("good luck\x1b[2J [b]you[/b]")
        await until(lambda: any("good luck" in line.text for line in other.log()))
        assert not any("\x1b" in line.text for line in other.log())


async def test_event_history_is_folded_from_the_own_replica(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session, other = PeerSession(red), PeerSession(blue)
        for one in (session, other):
            await one.give(Hold())
            await one.commit()
        await until(lambda: session.seq == other.seq == table.head)
        facts = session.records.seen_events(0)
        assert [fact.event for fact in facts] == list(session.records.events(0))
        assert {fact.is_own for fact in facts if fact.role == BLUE} == {False}
        event_cursor = session.records.event_cursor(0)
        assert session.project(event_cursor.advance_to(session.seq)) == session.known_view()


async def test_a_takeback_needs_consent(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        session, other = PeerSession(red), PeerSession(blue)
        with pytest.raises(SessionError, match="no command to take back"):
            await session.negotiation.take_back()
        await session.give(Hold())
        await session.commit()
        assert await session.negotiation.take_back() == "The others have been asked."
        await until(lambda: other.negotiation.offer_question() != "")
        assert "(red) asks" in other.negotiation.offer_question()
        await other.negotiation.answer_offer(agree=True)
        await until(lambda: session.seq == 2 and session.decision() is not None)
        assert any("Taken back" in line.text for line in session.log())


async def test_spectator_cannot_give_commands(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        watcher = table.peer(None)
        await live(watcher)
        session = PeerSession(watcher)
        assert session.role is None
        assert session.decision() is None
        with pytest.raises(SessionError):
            await session.give(Hold())


async def test_spectator_in_line_mode_stays_and_sees_events(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, watcher = table.peer(RED), table.peer(None)
        await live(red, watcher)
        printed: list[str] = []
        typed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def read(_prompt: str) -> str:
            return await typed

        game = PlainGame(PeerSession(watcher), Presenter(TOY), read, printed.append)
        running = asyncio.create_task(game.run())
        await until(lambda: any(line.startswith("Waiting for") for line in printed))
        told = len(printed)
        await red.submit(Hold())
        await until(lambda: len(printed) > told)
        assert not running.done()
        typed.set_result("quit")
        await asyncio.wait_for(running, PATIENCE)


async def test_lost_host_is_reported(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red = table.peer(RED)
        await live(red)
        session = PeerSession(red)
        await table.host.stop()
        await until(lambda: "HOST LOST" in session.status() or "stops" in session.status())


async def test_two_screens_play_and_chat(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        other = PeerSession(blue)
        session = PeerSession(red)
        screen = PlayScreen(session, Presenter(TOY))
        program = app(tmp_path, screen)
        async with program.run_test(size=(80, 24)) as pilot:
            await pilot.press("d", "c")
            await until(lambda: table.head == 1)
            await other.give(Hold())
            await other.commit()
            await reached(pilot, lambda: session.seq == 2)
            await pilot.press("y", *"hi", "enter")
            await until(lambda: any("hi" in line.text for line in other.log()))
            await other.negotiation.take_back()
            await until(lambda: session.negotiation.offer_question() != "")
            await reached(pilot, lambda: isinstance(program.screen, ConfirmDialog))
            await pilot.press("y")
            await reached(pilot, lambda: table.head == 3 and program.screen is screen)
            await pilot.press("q")
            await reached(pilot, lambda: session.peer.reporter.is_over)


@pytest.mark.full
async def test_full_host_disk_is_shown_instead_of_the_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FaultyDisk(tmp_path / "host", monkeypatch)
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.submit(Hold())
        screen = PlayScreen(PeerSession(red), Presenter(TOY))
        async with app(tmp_path, screen).run_test(size=(120, 30)) as pilot:

            def shown(words: str) -> bool:
                return words in "\n".join(line.text for line in screen._compositor.render_strips())

            await reached(pilot, lambda: shown("Waiting for Blue (Bob)."))
            disk.trouble = "full"
            with pytest.raises(UnavailableError):
                await blue.submit(Hold())
            await reached(pilot, lambda: shown("The host's disk is full"))
            await reached(pilot, lambda: not shown("Waiting for") and not shown("to move"))
            disk.trouble = ""
            await reached(pilot, lambda: shown("Waiting for Blue (Bob)."))
            await blue.submit(Hold())


@pytest.mark.full
async def test_line_mode_reports_a_full_host_disk_while_no_input_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FaultyDisk(tmp_path / "host", monkeypatch)
    async with room(tmp_path, "long") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await red.submit(Hold())
        printed: list[str] = []
        typed: asyncio.Queue[str] = asyncio.Queue()

        async def read(prompt: str) -> str:
            return await typed.get()

        game = PlainGame(PeerSession(red), Presenter(TOY), read, printed.append)
        playing = asyncio.create_task(game.run())
        await until(lambda: "Waiting for Blue (Bob)." in printed)
        disk.trouble = "full"
        with pytest.raises(UnavailableError):
            await blue.submit(Hold())
        full = "  (the host's disk is full: no commands are accepted)"
        await until(lambda: full in printed)
        disk.trouble = ""
        await until(lambda: "  (the host's disk works again: commands are accepted)" in printed)
        typed.put_nowait("quit")
        await asyncio.wait_for(playing, PATIENCE)
        assert printed.count(full) == 1


@pytest.mark.full
async def test_join_by_invite_file_opens_the_connecting_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    async with room(tmp_path) as table:
        path = write_invite(tmp_path / "invites", table.invites[RED])
        program = app(tmp_path)
        async with program.run_test(size=(80, 24)) as pilot:
            program.open_invite(path)  # of a game that is not in the registry
            await reached(pilot, lambda: isinstance(program.screen, TextDialog))
            await pilot.press("escape")
            for name in (tmp_path / "nothing.invite", Path("~nobody-here/x")):
                program.open_invite(name)
                await reached(pilot, lambda: isinstance(program.screen, TextDialog))
                await pilot.press("escape")
            peer = table.peer(RED)
            peer_screen = ConnectScreen((table.peer(BLUE, "late"),), path)
            assert peer_screen.HEADING == "Connecting"
            await live(peer)


@pytest.mark.full
async def test_the_connecting_screen_opens_the_table(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        peer = Peer(table.invites[RED], tmp_path / "seat", toy_rules)
        program = app(tmp_path, ConnectScreen((peer,), tmp_path))
        async with program.run_test(size=(80, 24)) as pilot:

            def is_shown() -> bool:
                panels = program.screen.query(DecisionPanel)
                return bool(panels) and bool(panels.first().shown_choices)

            await reached(pilot, is_shown)
            assert isinstance(program.screen, PlayScreen)
            assert "Lay a card" in str(program.screen.query_one(".prompt", Static).render())
            await pilot.press("q")
            await reached(pilot, lambda: peer.reporter.is_over)


@pytest.mark.full
async def test_game_is_played_over_the_network_in_line_mode(tmp_path: Path) -> None:
    async with room(tmp_path, "short") as table:
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        printed: dict[str, list[str]] = {"red": [], "blue": []}

        def player(name: str, session: PeerSession) -> PlainGame:
            async def read(prompt: str) -> str:
                printed[name].append(prompt)
                await until(
                    lambda: bool(session.decision() or session.draft.commands or session.outcome()),
                    10,
                )
                return "commit" if session.draft.commands else "1"

            return PlainGame(session, Presenter(TOY), read, printed[name].append)

        await asyncio.gather(
            player("red", PeerSession(red)).run(), player("blue", PeerSession(blue)).run()
        )
        assert any("The game is over" in line for line in printed["red"])
        assert any("The game is over" in line for line in printed["blue"])
