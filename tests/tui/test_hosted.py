"""Hosting from the screens: invites, presence, the host's own seat, closing, and opening again."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from engine import registry
from netplay.host.host_thread import HostThread
from netplay.host.lobby import LobbyMatch, LobbySeat
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from tests.netplay.tables import toy_plan, toy_rules
from tests.toy_game import BLUE, RED, REGISTERED
from tests.tui.apps import app, reached
from tui.app.app import FlagplotApp
from tui.app.hosting import _resume_plan
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.lobby.hosted_matches import (
    CloseDialog,
    HostedMatchesScreen,
    seat_instructions,
    seat_state,
)
from tui.screens.lobby.menu import MenuScreen
from tui.screens.match.play import PlayScreen

SIZE = (80, 24)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostThread]:
    thread = HostThread(toy_plan(tmp_path / "host", own=RED))
    thread.start()
    yield thread
    if hosts():
        thread.stop()


def hosts() -> int:
    return [thread.name for thread in threading.enumerate()].count("host")


@asynccontextmanager
async def shown(
    folder: Path, host: HostThread
) -> AsyncIterator[tuple[FlagplotApp, HostedMatchesScreen, Pilot[int]]]:
    program = app(folder)
    program.host = host
    async with program.run_test(size=SIZE) as pilot:
        program.show_host()
        await pilot.pause()
        screen = program.screen
        assert isinstance(screen, HostedMatchesScreen)
        await reached(pilot, lambda: bool(screen.matches))
        yield program, screen, pilot


def rows(screen: HostedMatchesScreen) -> list[str]:
    return [str(option.prompt) for option in screen.query_one(OptionList).options]


def row_of(screen: HostedMatchesScreen, player: str) -> str:
    return next(row for row in rows(screen) if f" {player} " in row)


def told(screen: HostedMatchesScreen, part: str) -> str:
    return str(screen.query_one(part, Static).render())


@pytest.mark.full
async def test_presence_is_shown_live_and_the_host_can_take_a_seat(
    tmp_path: Path, host: HostThread
) -> None:
    async with shown(tmp_path, host) as (program, screen, pilot):
        assert "you" in rows(screen)[1]
        assert "not here" in row_of(screen, "Bob")
        assert "bob.invite" in row_of(screen, "Bob")
        assert "Enter takes your seat" in told(screen, ".how")
        guest = Peer(load_invite(tmp_path / "host/invites/bob.invite"), tmp_path / "bob", toy_rules)
        guest.start()
        await reached(pilot, lambda: " here" in row_of(screen, "Bob").replace("not here", ""))
        await pilot.press("enter")
        await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
        assert program.screen.session.role == RED  # type: ignore[attr-defined]  # a table
        await guest.close()
        await pilot.press("q")
        await reached(pilot, lambda: program.screen is screen)
        await reached(pilot, lambda: "not here" in row_of(screen, "Bob"))


@pytest.mark.full
async def test_guest_details_are_complete_and_a_new_invite_asks_first(
    tmp_path: Path, host: HostThread
) -> None:
    path = tmp_path / "host/invites/bob.invite"
    before = path.read_bytes()
    async with shown(tmp_path, host) as (program, screen, pilot):
        await pilot.press("down")
        await pilot.pause()
        words = told(screen, ".how")
        assert words.startswith("Send bob.invite to Bob as an attachment")
        assert "flagplot join bob.invite" in words
        assert words.endswith(str(path.parent))
        region = screen.query_one(OptionList).content_region
        assert all(len(line) <= region.width for row in rows(screen) for line in row.split("\n"))
        await pilot.press("i")
        await reached(pilot, lambda: isinstance(program.screen, SureDialog))
        await pilot.press("n", "i")
        await reached(pilot, lambda: isinstance(program.screen, SureDialog))
        assert path.read_bytes() == before
        await pilot.press("y")
        await reached(pilot, lambda: path.read_bytes() != before)
        await reached(pilot, lambda: "Written: bob.invite" in told(screen, ".status"))


@pytest.mark.full
async def test_closing_asks_and_can_keep_the_match_open(tmp_path: Path, host: HostThread) -> None:
    async with shown(tmp_path, host) as (program, screen, pilot):
        await pilot.press("escape")
        await reached(pilot, lambda: isinstance(program.screen, CloseDialog))
        await pilot.press("escape")
        await reached(pilot, lambda: program.screen is screen)
        await pilot.press("ctrl+q")
        await reached(pilot, lambda: isinstance(program.screen, SureDialog))
        await pilot.press("n")
        await reached(pilot, lambda: program.screen is screen)
        await pilot.press("escape", "k")
        await reached(pilot, lambda: isinstance(program.screen, MenuScreen))
        assert (program.host, hosts()) == (host, 1)
        await pilot.press("h")
        await reached(pilot, lambda: isinstance(program.screen, HostedMatchesScreen))
        await pilot.press("escape", "c")
        await reached(pilot, lambda: isinstance(program.screen, MenuScreen) and not hosts())
        assert program.host is None


@pytest.mark.full
async def test_reopened_match_lets_the_host_take_a_seat(tmp_path: Path, host: HostThread) -> None:
    port = host.running.port
    host.stop()
    plan = replace(_resume_plan(tmp_path / "host"), host="127.0.0.1")
    assert (plan.port, plan.game) == (port, "")
    again = HostThread(plan)
    again.start()
    try:
        async with shown(tmp_path, again) as (program, _, pilot):
            await pilot.press("s")
            await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
            await pilot.press("q")
    finally:
        again.stop()


SEAT = LobbySeat(party=(BLUE,), player="Bob", is_connected=False, is_asked=True)
MATCH = LobbyMatch(
    match="m-1",
    game="toy",
    scenario="",
    heading="",
    records=1,
    spectators=0,
    is_over=False,
    seats=(SEAT,),
)


@pytest.mark.parametrize(
    ("match", "seat", "state", "words"),
    [
        (MATCH, SEAT, "not here, to move", "no invite file"),
        (replace(MATCH, is_over=True), SEAT, "not here", "no invite file"),
        (MATCH, replace(SEAT, bot="random", is_asked=False), "bot", "random plays this seat"),
        (
            MATCH,
            replace(SEAT, party=(None,), player="", invite="x/s.invite"),
            "no spectators",
            "to spectators",
        ),
        (
            replace(MATCH, spectators=2),
            replace(SEAT, party=(None,)),
            "2 watching",
            "no invite file",
        ),
    ],
)
def test_seat_state_and_instructions(
    match: LobbyMatch, seat: LobbySeat, state: str, words: str
) -> None:
    assert seat_state(match, seat) == state
    assert words in seat_instructions(seat)
