"""Joining from the screens: the invites found here, and the hosts on the network."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import OptionList, Static

from engine import registry
from netplay.discovery.lan_browser import Announcement, DiscoveredMatch, LanBrowser
from netplay.host.host_command import HostPlan
from netplay.host.host_thread import HostThread
from netplay.invites.invite_files import FoundInvite, write_short_named
from tests.netplay.tables import room
from tests.toy_game import BLUE, RED, REGISTERED
from tests.tui.apps import app, reached
from tui.presenter.invite_list import InviteEntry, host_lines, invite_lines, list_invites
from tui.screens.dialogs.prompt import TextDialog
from tui.screens.lobby.join import JoinScreen
from tui.screens.lobby.menu import MenuScreen
from tui.screens.match.play import PlayScreen

HOME = "127.0.0.1"


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def rows(screen: JoinScreen) -> list[str]:
    return [str(option.prompt) for option in screen.query_one(OptionList).options]


def told(screen: JoinScreen, part: str) -> str:
    return str(screen.query_one(part, Static).render())


async def test_local_invite_opens_the_table_and_the_lan_host_is_listed(
    tmp_path: Path,
) -> None:
    folder, copies = tmp_path / "invites", tmp_path / "data/flagplot/joined"
    plan = HostPlan(
        host=HOME,
        port=0,
        plain=False,
        folder=tmp_path / "host",
        invites=tmp_path / "sent",
        game="toy",
        scenario="middle",
        players={RED: "Ann", BLUE: "Bob"},
        own_role=RED,
        announce_as="Ann",
    )
    host = HostThread(plan)
    host.start()
    try:
        screen = JoinScreen((folder, tmp_path / "sent"), copies, LanBrowser([HOME]))
        program = app(tmp_path, screen)
        async with program.run_test(size=(80, 24)) as pilot:
            await reached(pilot, lambda: len(screen.seats) == 2 and len(screen.discovered) == 1)
            place = [row.startswith("Ann: ") for row in rows(screen)].index(True)
            assert rows(screen)[place].endswith("waits for Blue; bob.invite")
            width = screen.query_one(OptionList).content_region.width
            assert all(len(line) <= width for row in rows(screen) for line in row.split("\n"))
            screen.query_one(OptionList).highlighted = [
                row.startswith("bob.invite: Toy") for row in rows(screen)
            ].index(True)
            await pilot.pause()
            assert "Press Enter to take this seat." in told(screen, ".how")
            await pilot.press("enter")
            await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
            assert (folder / "bob.invite").stat().st_mode & 0o777 == 0o600
            await pilot.press("q")
            await reached(pilot, lambda: program.screen is screen)
            await reached(pilot, lambda: "played just now" in rows(screen)[0])
            assert rows(screen)[0].startswith("bob.invite: ")
            await pilot.press("escape")
            await reached(pilot, lambda: isinstance(program.screen, MenuScreen))
    finally:
        host.stop()


@pytest.mark.full
async def test_join_screen_rejects_a_file_that_is_not_an_invite(tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "x.invite").write_text("a letter")
    screen = JoinScreen((tmp_path / "none", tmp_path / "some"), tmp_path, None)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await reached(pilot, lambda: len(screen.seats) == 1)
        assert rows(screen) == ["x.invite\n    this is not a flagplot invite file"]
        await pilot.press("enter")
        await pilot.pause()
        assert told(screen, ".status").strip() == "this is not a flagplot invite file"
        await pilot.press("f", *"~nobody-here/x", "enter")
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))


async def test_newer_of_two_invites_for_a_seat_is_used(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        old = write_short_named(tmp_path / "old", (table.invites[BLUE],), "Bob")
        new = write_short_named(tmp_path / "new", (table.invites[BLUE],), "Bob")
    os.utime(old, (1, 1))
    for folders in ((old.parent, new.parent), (new.parent, old.parent)):
        assert [seat.path for seat in list_invites(folders, tmp_path)] == [new]


async def test_host_is_recognised_by_its_key_after_an_address_change(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        write_short_named(tmp_path / "here", (table.invites[BLUE],), "Bob")
        key = table.host.key_id
    seats = list_invites((tmp_path / "here",), tmp_path)
    said = Announcement(host="Ann", game="toy", scenario="middle", free="blue", key=key)
    heard = DiscoveredMatch(announcement=said, addresses=("192.168.1.77:7480",))
    assert host_lines(heard, seats)[1].endswith("bob.invite")
    for other in (replace(said, key="0" * 32), replace(said, key=""), replace(said, game="six")):
        assert "you have no invite" in host_lines(replace(heard, announcement=other), seats)[1]


def test_untrusted_text_is_sanitised() -> None:
    said = Announcement(host="\x1b[2J", game="no-game", scenario="\x07", free="\x1b, blue")
    lines = host_lines(DiscoveredMatch(announcement=said, addresses=("192.0.2.1:1",)), ())
    assert not any(ord(letter) < 32 for line in lines for letter in line)
    assert "you have no invite" in lines[1]
    odd = InviteEntry(found=FoundInvite(path=Path("\x1b.invite"), problem="\x07"))
    assert not any(ord(letter) < 32 for line in invite_lines(odd) for letter in line)
    assert (
        "all seats taken"
        in host_lines(DiscoveredMatch(announcement=replace(said, free=""), addresses=()), ())[1]
    )
