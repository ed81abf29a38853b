"""``flagplot join`` without an invite, in line mode."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import registry
from netplay.discovery.lan_browser import Announcement, DiscoveredMatch
from netplay.mail.mail_store import account_mail_store
from netplay.mail.match_creation import open_by_mail
from saves.folders import hosted_folder
from tests.tools.commands import Cli
from tests.tools.plans import mail_plan
from tests.toy_game import BLUE, RED, REGISTERED
from tools import joinable_matches


class Network:
    """A stand-in for the network, in which one host is found immediately."""

    def __init__(self, interfaces: Sequence[str] = ()) -> None:
        said = Announcement(host="Di\x1b[2J", game="toy", scenario="Middle", free="blue")
        self.matches = (DiscoveredMatch(announcement=said, addresses=("192.168.1.9:7480",)),)

    async def start(self) -> str:
        return ""

    async def close(self) -> None:
        return


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(joinable_matches, "LanBrowser", Network)
    monkeypatch.setattr(joinable_matches, "_LISTEN_SECONDS", 0.0)


def test_invites_are_listed_from_a_deleted_current_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = {RED: "Ann", BLUE: "Bob"}
    running = open_by_mail(mail_plan(hosted_folder(), "toy", "short", players, RED))
    (bob,) = [Path(one.path) for one in running.invites if not one.is_own]
    (invites := tmp_path / "data" / "flagplot" / "invites").mkdir(parents=True)
    bob.rename(invites / "bob.invite")
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = Cli(capsys)("join", "--plain")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1].startswith("To take a seat: flagplot join /")


def test_invites_and_lan_hosts_are_listed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ran = Cli(capsys)("join", "--plain")
    assert ran.code == 0
    told = ran.out.splitlines()
    assert told[0].startswith("No invite was found in ")
    assert told[1:] == [
        "Searching for hosts on the local network ...",
        "  Di?: Toy, Middle",
        "      waits for Blue; you have no invite",
        "    Ask Di? for an invite file for your seat.",
    ]
    running = open_by_mail(
        mail_plan(hosted_folder(), "toy", "short", {RED: "Ann", BLUE: "Bob"}, RED)
    )
    (bob,) = [Path(one.path) for one in running.invites if not one.is_own]
    bob.rename(tmp_path / "bob.invite")
    told = Cli(capsys)("join", "--plain").out.splitlines()
    assert "  Toy, Red" in told
    assert "      new, by move files; you host" in told
    assert "  bob.invite: Toy, Blue" in told
    assert told[-1].startswith("To take a seat: flagplot join ")


async def test_lan_hosts_are_not_searched_if_disabled_in_the_settings() -> None:
    told: list[str] = []
    assert (
        await joinable_matches.list_joinable(account_mail_store(), told.append, does_listen=False)
        == 0
    )
    assert len(told) == 1


def test_join_with_a_bot_requires_an_invite(capsys: pytest.CaptureFixture[str]) -> None:
    assert Cli(capsys)("join", "--bot", "greedy").code == 2
