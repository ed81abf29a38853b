"""Invites in practice: short names, new issues, search in folders, and removal with a match."""

import datetime as dt
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.kernel.errors import DataError
from netplay.host.host_command import HostRunner
from netplay.host.host_thread import HostThread
from netplay.host.lobby import LobbyMatch, LobbySeat
from netplay.invites.invite import load_invite, load_invites
from netplay.invites.invite_files import find_invites, short_name, write_short_named
from netplay.invites.invite_rotation import find_seat, saved_addresses, seat_keys
from netplay.peer.peer import Peer
from netplay.wire.errors import InviteError
from tests.netplay.tables import SIX_PLAYERS, room, toy_plan, toy_rules, until
from tests.toy_game import BLUE, RED
from tests.toy_six import ASH, ELM, FIR


def files_below(folder: Path, *suffixes: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix in suffixes]


@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("Bob", "bob"),
        ("Bob Smith", "bob-smith"),
        ("../../etc/passwd", "etc-passwd"),
        ("\x1b[2J", "2j"),
        ("J\u00f6rg", "j\u00f6rg"),
        ("...", "red"),
        ("", "red"),
        ("x" * 90, "x" * 32),
    ],
)
def test_short_names_are_file_name_safe(player: str, name: str) -> None:
    assert short_name([RED], player) == name


def test_short_names_without_a_player_use_the_roles() -> None:
    assert short_name([None], "") == "spectator"
    assert short_name([ASH, ELM], "/") == "ash+elm"


async def test_an_invite_file_is_replaced_only_by_its_own_seat(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        bob = (table.invites[BLUE],)
        path = write_short_named(tmp_path / "out", bob, "Bob")
        assert path.name == "bob.invite"
        assert path.stat().st_mode & 0o777 == 0o600
        assert write_short_named(tmp_path / "out", bob, "Bob") == path
        other = table.host.open_match("toy", "middle", {}, {RED: "Ada", BLUE: "Bob"})
        second = write_short_named(tmp_path / "out", (other.invites[BLUE],), "Bob")
        assert second.name == "bob-2.invite"
        assert load_invites(path) == bob
        (tmp_path / "out" / "ada.invite").write_text("a letter")
        named = write_short_named(tmp_path / "out", (table.invites[RED],), "Ada")
        assert named.name == "ada-2.invite"


async def test_invites_are_found_in_folders(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        now = dt.datetime.now(dt.UTC)  # certificates are not valid before they are created
        out = tmp_path / "out"
        path = write_short_named(out, (table.invites[BLUE],), "Bob")
        (out / "x.invite").write_bytes(b"\xff{")
        (out / "folder.invite").mkdir()
        os.mkfifo(out / "pipe.invite")
        (out / "again.invite").symlink_to(path)
        found = {one.path.name: one for one in find_invites((out, out, tmp_path / "none"), now)}
        assert len(found) == 2
        assert found.pop("x.invite").problem == "this is not a flagplot invite file"
        (good,) = found.values()
        assert good.roles == (BLUE,)
        late = find_invites((out,), now + dt.timedelta(days=9999))
        assert any("it expired on" in one.problem for one in late)


async def test_a_match_with_unwritable_invites_is_not_opened(tmp_path: Path) -> None:
    plan = toy_plan(tmp_path / "host", own="red")
    hosting = HostRunner(plan, toy_rules)
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "invites").write_text("a file where a folder belongs")
    try:
        with pytest.raises(InviteError, match="cannot be written"):
            await hosting.start()
        assert not hosting.host.tables
    finally:
        await hosting.stop()
    assert files_below(tmp_path, ".fplog", ".invite") == []


async def test_a_reissued_invite_invalidates_the_old_one(tmp_path: Path) -> None:
    plan = toy_plan(tmp_path / "host")
    hosting = HostRunner(plan, toy_rules)
    running = await hosting.start()
    old = {one.role: load_invite(Path(one.path)) for one in running.invites}
    try:
        path = await hosting.reissue_invites(running.match, (BLUE,))
        assert path == Path(next(one.path for one in running.invites if one.role == BLUE))
        assert path.stat().st_mode & 0o777 == 0o600
        late = Peer(old[BLUE], tmp_path / "old", toy_rules)
        new = Peer(load_invite(path), tmp_path / "new", toy_rules)
        late.start()
        new.start()
        await until(lambda: late.reporter.is_over and new.is_live)
        assert late.reporter.status.reason == "this seat belongs to a different key"
        against = toy_plan(tmp_path / "host", {RED: "Ada", BLUE: "bot:random"})
        match, _ = await hosting.open(against)
        with pytest.raises(DataError, match="is played by the bot random"):
            await hosting.reissue_invites(match, (BLUE,))
        await late.close()
        await new.close()
    finally:
        await hosting.stop()
    keys = seat_keys(tmp_path / "host", running.match)
    assert keys.fingerprint(RED, "first") == "first"
    assert keys.fingerprint(BLUE, "first") != "first"
    keys.path.write_text("{")
    with pytest.raises(DataError, match="this match's key file is damaged"):
        keys.fingerprint(RED, "first")


async def test_a_seat_is_found_by_player_or_role_name(tmp_path: Path) -> None:
    folder = tmp_path / "host"
    with pytest.raises(DataError, match="no host has opened a match"):
        saved_addresses(folder)
    async with room(tmp_path, players=SIX_PLAYERS) as table:
        first = table.match
        assert find_seat(folder, "player of elm", "", toy_rules).party == (ELM,)
        assert find_seat(folder, "spectator", "", toy_rules).party == (None,)
        together = dict.fromkeys((ASH, ELM, FIR), "Ann")
        other = table.host.open_match("six", "short", {}, {**SIX_PLAYERS, **together}).match
        seat = find_seat(folder, "fir", other, toy_rules)
        assert (seat.party, seat.player) == ((ASH, ELM, FIR), "Ann")
        with pytest.raises(DataError, match=f"several .*{min(first, other)}"):
            find_seat(folder, "fir", "", toy_rules)
        with pytest.raises(DataError, match="no unfinished match here has a seat of 'x'"):
            find_seat(folder, "x", "", toy_rules)
        port = table.port
    assert saved_addresses(folder) == (f"tls+tcp://127.0.0.1:{port}",)
    assert saved_addresses(folder, ["ann.example"]) == (f"tls+tcp://ann.example:{port}",)


def seats_of(match: LobbyMatch) -> dict[str, LobbySeat]:
    return {seat.player: seat for seat in match.seats}


async def test_the_lobby_lists_invites_and_the_hosts_own_seat(tmp_path: Path) -> None:
    plan = toy_plan(tmp_path / "host", own="red")
    thread = HostThread(plan, toy_rules)
    running = thread.start()
    try:
        assert [Path(one.path).name for one in running.invites if not one.is_own] == [
            "bob.invite",
            "spectator.invite",
        ]
        (match,) = await thread.lobby()
        seats = seats_of(match)
        assert (seats["Ada"].is_own, seats["Bob"].is_own) == (True, False)
        assert Path(seats["Bob"].invite).name == "bob.invite"
        assert not seats["Ada"].is_connected
        assert seats["Ada"].is_asked
        mine = Peer(load_invite(Path(match.own_invite)), tmp_path / "mine", toy_rules)
        mine.start()
        await until(lambda: mine.is_live)
        assert seats_of((await thread.lobby())[0])["Ada"].is_connected
        await mine.close()
    finally:
        thread.stop()
    again = HostThread(replace(plan, game="", players={}, own_role=""), toy_rules)
    again.start()
    try:
        (match,) = await again.lobby()
        assert seats_of(match)["Ada"].is_own
        assert match.own_invite
        assert match.seats[-1].invite.endswith("spectator.invite")
    finally:
        again.stop()


async def test_a_player_named_like_another_role_gets_no_invite_for_that_role(
    tmp_path: Path,
) -> None:
    """The host would send the invite to the player who asked for one under this name."""
    async with room(tmp_path, players={RED: "Blue", BLUE: "Bob"}) as table:
        folder, match = table.host.folder, table.match
        with pytest.raises(DataError, match=r"several seats \(red or blue\)"):
            find_seat(folder, "blue", match, toy_rules)
        assert find_seat(folder, "red", match, toy_rules).party == (RED,)
        assert find_seat(folder, "bob", match, toy_rules).party == (BLUE,)


async def test_an_ambiguous_name_in_another_match_does_not_hide_the_choice_of_matches(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, players={RED: "Blue", BLUE: "Bob"}) as table:
        folder, first = table.host.folder, table.match
        second = table.host.open_match("toy", "short", {}, {RED: "Ada", BLUE: "Bob"}).match
        with pytest.raises(DataError, match="is a seat in several matches") as raised:
            find_seat(folder, "blue", "", toy_rules)
        assert first in str(raised.value)
        assert second in str(raised.value)
        assert find_seat(folder, "blue", second, toy_rules).party == (BLUE,)
