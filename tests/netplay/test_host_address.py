"""A host that reopens matches listens on the address that their invites name."""

import datetime as dt
import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.kernel.errors import FlagplotError
from netplay.discovery.host_address import HostAddress, default_address, save_listen_address
from netplay.host.host import Host
from netplay.host.host_command import HostRunner
from netplay.invites.identity import new_authority
from netplay.invites.invite import Invite, load_invite, new_invite, write_invite
from netplay.invites.invite_rotation import save_addresses
from netplay.wire.errors import AddressError
from saves.logfile import LogWriter
from tests.netplay.tables import toy_plan, toy_rules
from tests.netplay.test_processes import Processes, free_port
from tests.patience import PATIENCE, patience
from tests.saves.play import new_match

NOW = dt.datetime.now(dt.UTC)
AUTHORITY = new_authority(NOW)


def hosted(folder: Path, *addresses: str, place: str = "invites", seed: int = 1) -> Invite:
    """Write a match to a hosting folder, with an invite that names these addresses."""
    match = new_match(LogWriter.create(folder / "new.fplog"), "short", secret=bytes([seed]) * 32)
    match.close()
    name = match.header.match_id
    (folder / "new.fplog").rename(folder / f"{name}.fplog")
    valid = NOW, NOW + dt.timedelta(days=9)
    invite = new_invite(AUTHORITY, addresses, name, "toy", "red", valid)
    write_invite(folder / place, invite)
    return invite


def of(folder: Path) -> HostAddress:
    return default_address(folder, folder / "invites")


@pytest.mark.parametrize(
    ("addresses", "host", "advertise"),
    [
        pytest.param(("tls+tcp://127.0.0.1:9",), "127.0.0.1", ("127.0.0.1",), id="loopback"),
        pytest.param(("tls+tcp://[::1]:9",), "[::1]", ("[::1]",), id="loopback-6"),
        pytest.param(("tls+tcp://192.0.2.7:9",), "0.0.0.0", ("192.0.2.7",), id="a-router"),
        pytest.param(("tls+tcp://[2001:db8::7]:9",), "[::]", ("[2001:db8::7]",), id="a-router-6"),
        pytest.param(("tls+tcp://ann.example:9",), "0.0.0.0", ("ann.example",), id="a-name"),
        pytest.param(
            ("tls+tcp://192.0.2.7:9", "tls+tcp://127.0.0.1:9"), "0.0.0.0", (), id="found-out"
        ),
    ],
)
def test_the_listen_address_is_taken_from_the_invites(
    tmp_path: Path, addresses: tuple[str, ...], host: str, advertise: tuple[str, ...]
) -> None:
    hosted(tmp_path, *addresses)
    found = of(tmp_path)
    assert (found.host, found.port, found.advertised_names) == (host, 9, advertise)
    assert found.source == "the address in this folder's invites"
    assert not found.is_plain


def test_plain_invites_are_served_without_tls(tmp_path: Path) -> None:
    hosted(tmp_path, "tcp://127.0.0.1:9")
    assert of(tmp_path).is_plain


def test_the_hosts_own_invite_is_sufficient(tmp_path: Path) -> None:
    hosted(tmp_path, "tls+tcp://127.0.0.1:9", place="own")
    assert of(tmp_path).port == 9


def test_the_last_listen_address_is_used_if_the_port_matches(
    tmp_path: Path,
) -> None:
    hosted(tmp_path, "tls+tcp://tunnel.example:9")
    save_listen_address(tmp_path, "127.0.0.1", 9)
    assert of(tmp_path).host == "127.0.0.1"
    save_listen_address(tmp_path, "127.0.0.1", 10)
    assert of(tmp_path).host == "0.0.0.0"
    (tmp_path / "host.listen").write_text('"nonsense"')
    assert of(tmp_path).host == "0.0.0.0"


def test_invites_of_other_matches_and_move_files_are_ignored(tmp_path: Path) -> None:
    gone = hosted(tmp_path, "tls+tcp://127.0.0.1:9")
    (tmp_path / f"{gone.match}.fplog").unlink()
    hosted(tmp_path, seed=2)
    assert of(tmp_path) == HostAddress(
        host="0.0.0.0", port=7480, source="the default address, because this folder has no invites"
    )


def test_the_last_host_address_is_used_without_invite_files(tmp_path: Path) -> None:
    save_addresses(tmp_path, ("tls+tcp://127.0.0.1:9",))
    found = of(tmp_path)
    assert (found.host, found.port, found.source) == (
        *("127.0.0.1", 9),
        "the address of this folder's last host",
    )


def test_the_newest_of_several_addresses_is_used_and_the_other_reported(tmp_path: Path) -> None:
    older = hosted(tmp_path, "tls+tcp://127.0.0.1:9")
    newer = hosted(tmp_path, "tls+tcp://127.0.0.1:10", seed=2)
    for invite, time in ((older, 1_000), (newer, 2_000)):
        (path,) = (tmp_path / "invites").glob(f"{invite.match}*")
        os.utime(path, (time, time))
    found = of(tmp_path)
    assert (found.port, found.other) == (10, "127.0.0.1:9")


@pytest.mark.parametrize(
    ("host", "port", "is_plain", "misfit"),
    [
        ("127.0.0.1", 9, False, ""),
        ("0.0.0.0", 9, False, ""),
        ("[::]", 9, False, ""),
        ("192.0.2.7", 9, False, "127.0.0.1:9"),
        ("127.0.0.1", 10, False, "127.0.0.1:9"),
        ("127.0.0.1", 9, True, "127.0.0.1:9"),
    ],
)
def test_unreachable_addresses_in_invites_are_reported(
    host: str, port: int, is_plain: bool, misfit: str
) -> None:
    found = HostAddress(host="127.0.0.1", port=9, names=("127.0.0.1",))
    assert found.unreachable_address(host, port, is_plain=is_plain) == misfit
    assert not HostAddress(host="0.0.0.0", port=9).unreachable_address(
        host, port, is_plain=is_plain
    )


async def test_a_host_without_a_new_match_reuses_the_previous_address(tmp_path: Path) -> None:
    first = HostRunner(toy_plan(tmp_path), toy_rules)
    running = await first.start()
    await first.stop()
    found = of(tmp_path)
    plan = replace(
        toy_plan(tmp_path),
        game="",
        host=found.host,
        port=found.port,
        detected_address=found,
        source=found.source,
    )
    second = HostRunner(plan, toy_rules)
    try:
        again = await second.start()
    finally:
        await second.stop()
    place = f"127.0.0.1:{running.port}"
    assert again.listen_phrase == f"listening on {place} (the address in this folder's invites)"
    assert not again.warnings
    assert load_invite(Path(running.invites[0].path)).addresses == second.host.addresses


async def test_a_port_in_use_is_reported_with_a_remedy(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = used.getsockname()[1]
        hosted(tmp_path, f"tls+tcp://127.0.0.1:{port}")
        found = of(tmp_path)
        plan = replace(
            toy_plan(tmp_path),
            game="",
            port=port,
            detected_address=found,
            source=found.source,
            workers=2,
        )
        hosting = HostRunner(plan, toy_rules)
        with pytest.raises(AddressError) as refused:
            await hosting.start()
        assert not hosting.host.pool.workers, "nothing is opened before the address is ours"
        await hosting.stop()
    assert str(refused.value) == (
        f"cannot listen on 127.0.0.1:{port} (the address in this folder's invites):"
        f" port {port} is in use by another program; free it, or choose another with"
        " --listen 127.0.0.1:PORT and write the invites again (flagplot host invite SEAT)"
    )


async def test_the_port_is_released_when_the_host_fails_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, host = free_port(), Host(tmp_path, toy_rules)

    async def fail() -> None:
        raise FlagplotError("the matches cannot be opened")

    monkeypatch.setattr(host, "resume", fail)
    with pytest.raises(FlagplotError, match="cannot be opened"):
        await host.start("127.0.0.1", port)
    socket.create_server(("127.0.0.1", port)).close()
    await host.stop()


# -- the command


def again(processes: Processes, *words: str) -> tuple["subprocess.Popen[str]", dict[str, str]]:
    """Start a host without a game in the folder of the previous one. Return its JSON output."""
    folder = str(processes.folder / "host")
    process = processes.start(
        "host", "serve", "--headless", "--json", "--workers", "1", "--folder", folder, *words
    )
    assert process.stdout is not None
    with patience(process, PATIENCE):
        return process, json.loads(process.stdout.readline())


@pytest.mark.full
def test_serve_reuses_the_address_and_reports_conflicts(
    processes: Processes,
) -> None:
    place = f"127.0.0.1:{processes.port}"
    first, _ = processes.host("toy", "--scenario", "long", "--workers", "1")
    folder = ("--folder", str(processes.folder / "host"))
    refused = (
        f"Error: a host is already running in this folder at {place} (process {first.pid});"
        " 'flagplot host status' shows it. Stop it first, or choose another folder with --folder"
    )
    listen = ("--listen", "127.0.0.1:0")
    for words in (("serve",), ("open", "toy", "--seats", "Ada,Bob", *listen), ("serve", *listen)):
        second = processes.run("host", *words, "--headless", *folder)
        assert second.returncode == 4
        assert second.stderr.splitlines()[-1] == refused
        assert "host_stopped" not in second.stderr
    first.terminate()
    assert first.wait(PATIENCE) == 0
    third, told = again(processes)
    assert (told["address"], told["source"]) == (place, "the address in this folder's invites")
    third.terminate()
    assert third.wait(PATIENCE) == 0
    with socket.create_server(("127.0.0.1", processes.port)):
        fourth = processes.run("host", "serve", "--headless", *folder)
    assert fourth.returncode == 4
    assert f"cannot listen on {place} (the address" in fourth.stderr.splitlines()[-1]
    assert "Traceback" not in fourth.stderr


@pytest.mark.full
def test_the_listen_option_overrides_and_outdated_invites_are_reported(
    processes: Processes,
) -> None:
    first, _ = processes.host("toy", "--scenario", "long", "--workers", "1")
    first.terminate()
    assert first.wait(PATIENCE) == 0
    second, told = again(processes, "--listen", "127.0.0.1:0")
    assert told["source"] == "as --listen says"
    assert told["misfit"] == f"127.0.0.1:{processes.port}"
    second.terminate()
    assert second.wait(PATIENCE) == 0
    warning = (processes.folder / "stderr-1").read_text()
    assert (
        f"invites for earlier matches contain 127.0.0.1:{processes.port} and no longer" in warning
    )
