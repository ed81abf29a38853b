"""The SSH lobby: one player's matches, no file system paths, and a return to the list after a table."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import OptionList

from engine import registry
from engine.kernel.errors import DataError
from netplay.host.host_thread import HostThread
from netplay.host.ssh_lobby import player_folder, seats_of
from netplay.invites.invite import load_invite
from netplay.peer.peer import Peer
from netplay.wire.modes import FAIR
from saves.fair.setup import fair_terms
from saves.logfile import read_header
from saves.verify import verify_file
from tests.netplay.tables import toy_plan
from tests.netplay.test_eots_whole import ALLIED, JAPAN
from tests.toy_game import BLUE, RED, REGISTERED
from tests.tui.apps import GOOD, reached
from tui.app.ssh_app import create_ssh_app
from tui.screens.lobby.ssh_lobby import SshLobbyScreen
from tui.screens.match.play import PlayScreen
from tui.widgets.base_screens import active_actions

ELSEWHERE = {
    f"app.{action}"
    for action in ("join", "watch", "host", "host_another", "resume", "replay", "new_game")
}
"""Actions that name files or show other players' data."""


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)


@pytest.mark.full
async def test_player_sees_only_own_matches_and_returns_to_the_list(tmp_path: Path) -> None:
    folder, keep = tmp_path / "host", tmp_path / "door"
    plan = toy_plan(folder, {RED: "Ann", BLUE: "Bob"}, own=RED)
    host = HostThread(plan)
    host.start()
    try:
        await host.open(replace(plan, players={RED: "Ann", BLUE: "Cy"}))
        found = {name: seats_of(folder, folder / "invites", name) for name in ("ann", "bob", "x")}
        assert {name: len(seats) for name, seats in found.items()} == {"ann": 2, "bob": 1, "x": 0}
        program = create_ssh_app(GOOD, "bob", folder, folder / "invites", keep)
        async with program.run_test(size=(80, 24)) as pilot:
            screen = program.screen
            assert isinstance(screen, SshLobbyScreen)
            await reached(pilot, lambda: len(screen.seats) == 1)
            (row,) = screen.query_one(OptionList).options
            assert str(row.prompt).endswith("you play Blue, with Ann")
            assert not ELSEWHERE & {row.action for row in active_actions(program.screen)}
            await pilot.press("enter")
            await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
            assert not ELSEWHERE & {row.action for row in active_actions(program.screen)}
            assert [*(keep / "bob/joined").glob("*.blue.fplog")]
            await pilot.press("q")
            await reached(pilot, lambda: program.screen is screen)
    finally:
        host.stop()


@pytest.mark.full
async def test_at_31_header_says_that_the_host_holds_the_secrets_of_a_lobby_player(
    tmp_path: Path,
) -> None:
    folder, keep = tmp_path / "host", tmp_path / "door"
    names = {ALLIED: "Ann", JAPAN: "Bob"}
    plan = replace(
        toy_plan(folder, names, own=ALLIED), game="eots", scenario="south-pacific", chance=FAIR
    )
    host = HostThread(plan)
    host.start()
    guest = None
    try:
        program = create_ssh_app(GOOD, "bob", folder, folder / "invites", keep)
        async with program.run_test(size=(80, 24)) as pilot:
            screen = program.screen
            assert isinstance(screen, SshLobbyScreen)
            await reached(pilot, lambda: len(screen.seats) == 1)
            await pilot.press("enter")
            (own,) = (folder / "own").glob("*.invite")
            guest = Peer(load_invite(own), tmp_path / "ann")
            guest.start()
            await reached(pilot, lambda: isinstance(program.screen, PlayScreen))
            await reached(pilot, lambda: program.screen.is_mounted)
            (copy,) = (keep / "bob/joined").glob("*.japan.fplog")
            parties = fair_terms(read_header(copy)).parties
            places = {party.role: party.place for party in parties}
            assert places == {ALLIED: "own machine", JAPAN: "host's machine"}
            assert guest.reporter.status.mode.endswith(
                "because their secrets are on its machine: Japan"
            )
            hands = next(one for one in verify_file(copy).proofs if one.topic == "hands")
            assert "the host can read this hand" in hands.text
    finally:
        if guest is not None:
            await guest.close()
        host.stop()


@pytest.mark.parametrize("name", ["", "..", "a/b", "~bob", "a b", "x" * 33, "j\u00f6rg", "\x00"])
def test_player_name_that_cannot_be_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a player's name may contain only letters"):
        player_folder(tmp_path, name)
    assert player_folder(tmp_path, "Ann-2") == tmp_path / "ann-2"
