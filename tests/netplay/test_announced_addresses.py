"""A host with a changed address is found by its announcement, and no other host is mistaken for it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from engine import registry
from netplay.discovery import announced_addresses
from netplay.discovery.announced_addresses import AnnouncedAddresses, is_local_address, key_id
from netplay.discovery.lan_browser import Announcement, Announcer
from netplay.host.host_command import HostRunner
from netplay.invites.identity import Authority, KeyPair, new_authority
from netplay.invites.invite import Invite, load_invite
from netplay.peer import replicator
from netplay.peer.peer import Peer
from netplay.peer.status import ConnectionState
from netplay.transport.listener import ConnectionRequest, Listener
from tests.netplay.tables import toy_plan, toy_rules, until
from tests.netplay.test_transport import NOW
from tests.patience import PATIENCE
from tests.toy_game import BLUE, RED, REGISTERED
from tools.headless_peer import watch

HOME: Final = "127.0.0.1"
GONE: Final = "tls+tcp://240.0.0.1:7480"
"""An address that no machine can have."""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announced_addresses, "LISTEN_SECONDS", 0.7)
    monkeypatch.setattr(announced_addresses, "_CACHE_SECONDS", 0.0)
    monkeypatch.setattr(replicator, "RETRY_MAX_SECONDS", 0.2)


@contextlib.asynccontextmanager
async def hosting(
    folder: Path, *, is_announced: bool
) -> AsyncIterator[tuple[HostRunner, dict[str, Invite]]]:
    """Host a match whose invites name an address that the host no longer has."""
    plan = toy_plan(folder, {RED: "Ann", BLUE: "Bob"})
    made = HostRunner(replace(plan, announce_as="Ann" if is_announced else ""), toy_rules)
    running = await made.start()
    try:
        invites = {one.role or "spectator": load_invite(Path(one.path)) for one in running.invites}
        yield made, {role: replace(one, addresses=(GONE,)) for role, one in invites.items()}
    finally:
        await made.stop()


@contextlib.asynccontextmanager
async def guest(folder: Path, invite: Invite) -> AsyncIterator[Peer]:
    peer = Peer(invite, folder, toy_rules)
    peer.replicator.connector.find_addresses = AnnouncedAddresses([HOME]).find
    peer.start()
    try:
        yield peer
    finally:
        await peer.close()


@dataclass
class Impostor:
    """Announces the name and key of another host, and listens with its own certificate."""

    authority: Authority
    said: Announcement
    requests: list[ConnectionRequest] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)

    async def answer(self, request: ConnectionRequest) -> bytes | None:
        self.requests.append(request)
        return b"come in"

    @contextlib.asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        listener = Listener(self.answer, self.gone.append)
        listener.bind(HOME, 0)
        listener.start(self.authority, plain=False)
        announcer = Announcer(HOME, HOME, listener.port)
        try:
            assert await announcer.announce({"m-1": self.said})
            yield
        finally:
            await announcer.stop()
            await listener.stop()


@pytest.mark.full
async def test_a_host_with_a_changed_address_is_found_by_its_key(tmp_path: Path) -> None:
    async with (
        hosting(tmp_path / "host", is_announced=True) as (_, invites),
        guest(tmp_path / "red", invites["red"]) as peer,
    ):
        await until(lambda: peer.is_live and peer.is_ready)
        assert peer.replicator.connector.announced_address[0].startswith(f"tls+tcp://{HOME}:")


@pytest.mark.full
async def test_a_spectator_finds_a_host_with_a_changed_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    told: list[str] = []
    async with hosting(tmp_path / "host", is_announced=True) as (made, invites):
        find = AnnouncedAddresses([HOME]).find
        folder = tmp_path / "watch"
        watching = asyncio.create_task(
            watch(invites["spectator"], folder, PATIENCE, lambda _: None, told.append, None, find)
        )
        await until(
            lambda: any(table.presence.spectator_count for table in made.host.tables.values())
        )
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["key-of-its-own", "certificate-of-another-seat"])
async def test_an_impostor_announcing_the_same_host_and_key_is_not_trusted(
    tmp_path: Path, kind: str
) -> None:
    async with hosting(tmp_path / "host", is_announced=False) as (made, invites):
        invite, other = invites["red"], invites["blue"]
        authority = new_authority(NOW)
        if kind == "certificate-of-another-seat":
            seat = KeyPair(certificate=other.certificate, key=other.key)
            real = KeyPair(certificate=other.authority, key=authority.authority.key)
            authority = Authority(authority=real, host=seat)
        said = Announcement(
            host="Ann", game="toy", scenario="Middle", free="red", key=made.host.key_id
        )
        impostor = Impostor(authority, said)
        async with impostor.announced(), guest(tmp_path / "red", invite) as peer:
            await until(lambda: "(announced on the local network)" in peer.reporter.status.reason)
            assert peer.reporter.status.link is ConnectionState.LOST
            assert peer.replicator.connector.announced_address == ()
            assert impostor.requests == []
            real_one = Announcer(HOME, HOME, made.host.port)
            assert await real_one.announce({"m-2": said})
            try:
                await until(lambda: peer.is_live and peer.is_ready)
            finally:
                await real_one.stop()
            assert impostor.requests == []


async def test_no_search_is_made_without_tls_or_on_loopback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> tuple[str, ...]:
        raise AssertionError("the network was listened to")

    monkeypatch.setattr(AnnouncedAddresses, "_listen", fail)
    async with hosting(tmp_path / "host", is_announced=False) as (_, invites):
        invite = invites["red"]
    for addresses in (
        ("tcp://192.168.1.5:7480",),
        (GONE, "tcp://192.168.1.5:7480"),
        (f"tls+tcp://{HOME}:7480", "tls+tcp://[::1]:7480", "tls+tcp://localhost:7480"),
    ):
        found = await AnnouncedAddresses([HOME]).find(replace(invite, addresses=addresses))
        assert found == ()


@pytest.mark.parametrize(
    ("place", "near"),
    [
        ("192.168.1.9:7480", True),
        ("10.0.0.3:1", True),
        ("169.254.3.3:65535", True),
        ("93.184.216.34:7480", False),
        ("192.168.1.9:0", False),
        ("192.168.1.9:65536", False),
        ("192.168.1.9:None", False),
        ("host.example:7480", False),
        ("", False),
    ],
)
def test_only_local_network_addresses_are_tried(place: str, near: bool) -> None:
    assert is_local_address(place) is near


def test_key_ids_are_unique_and_32_characters_long() -> None:
    made, other = (key_id(new_authority(NOW).authority.certificate) for _ in range(2))
    assert made != other
    assert len(made) == len(other) == 32
