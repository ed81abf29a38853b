"""A host's announcements in its network: received by others, bounded, and without secrets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace
from zeroconf import ServiceStateChange

from netplay.discovery import lan_browser
from netplay.discovery.lan_browser import Announcement, Announcer, LanBrowser
from netplay.host.host_command import HostRunner
from tests.netplay.tables import toy_plan, toy_rules, until
from tests.toy_game import BLUE, RED, TOY

HOME: Final = "127.0.0.1"
OPEN = Announcement(host="Ann", game="toy", scenario="middle", free="blue")


@asynccontextmanager
async def ear() -> AsyncIterator[LanBrowser]:
    made = LanBrowser([HOME])
    assert not await made.start()
    try:
        yield made
    finally:
        await made.close()


async def test_a_match_is_discovered_while_it_is_open() -> None:
    announcer = Announcer(HOME, HOME, 7480)
    async with ear() as heard:
        await announcer.announce({"m-1": OPEN})
        await until(lambda: [one.announcement for one in heard.matches] == [OPEN])
        assert heard.matches[0].addresses == (f"{HOME}:7480",)
        await announcer.stop()
        await until(lambda: heard.matches == ())


def test_announcements_contain_only_public_data() -> None:
    announcer = Announcer(HOME, HOME, 7480)
    info = announcer._service_info("0123456789ab", OPEN)
    assert info.server == "0123456789ab.local."
    assert info.name == f"0123456789ab.{lan_browser.SERVICE}"
    assert set(info.properties) == {b"host", b"game", b"scenario", b"free", b"key"}
    assert lan_browser._parse_properties(info.properties) == OPEN


@pytest.mark.series("S1")
def test_received_announcements_are_sanitised_and_truncated() -> None:
    said = lan_browser._parse_properties(
        {b"host": b"\x1b[2J" + b"A" * 200, b"game": None, b"scenario": b"\xff"}
    )
    assert "\x1b" not in said.host
    assert len(said.host) <= 32
    assert (said.game, said.free) == ("", "")


@pytest.mark.parametrize(
    ("host", "only_there"), [("127.0.0.1", True), ("192.0.2.7", True), ("0.0.0.0", False)]
)
def test_a_host_is_announced_on_the_interfaces_where_it_listens(
    host: str, only_there: bool
) -> None:
    assert (lan_browser._interfaces(host) == [host]) is only_there


async def test_the_number_of_discovered_hosts_is_bounded() -> None:
    async with ear() as heard:
        assert heard._zeroconf is not None
        for number in range(lan_browser.MAX_DISCOVERED * 2):
            heard._on_service_changed(
                heard._zeroconf.zeroconf,
                lan_browser.SERVICE,
                f"x{number}.{lan_browser.SERVICE}",
                ServiceStateChange.Added,
            )
        assert len(heard._queries) == lan_browser.MAX_DISCOVERED


async def test_a_host_announces_free_seats_only_when_enabled(tmp_path: Path) -> None:
    plan = replace(toy_plan(tmp_path, {RED: "Ann", BLUE: "Bob"}, own=RED), announce_as="Ann")
    async with ear() as heard:
        hosting = HostRunner(plan, toy_rules)
        running = await hosting.start()
        try:
            await until(lambda: len(heard.matches) == 1)
            (one,) = heard.matches
            name = TOY.scenario_info("middle", {}).name
            assert one.announcement == replace(OPEN, scenario=name, key=hosting.host.key_id)
            assert one.addresses == (f"{HOME}:{running.port}",)
        finally:
            await hosting.stop()
    silent = HostRunner(replace(plan, game="", announce_as=""), toy_rules)
    await silent.start()
    assert silent.announcing is None
    await silent.stop()


async def test_an_unavailable_network_is_reported_without_failing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(**_: object) -> None:
        raise OSError("no such device")

    monkeypatch.setattr(lan_browser, "AsyncZeroconf", refuse)
    announcer = Announcer(HOME, HOME, 7480)
    assert not await announcer.announce({"m-1": OPEN})
    await announcer.stop()
    deaf = LanBrowser([HOME])
    assert await deaf.start() == "cannot listen for hosts on the network: no such device"
    assert deaf.matches == ()
    await deaf.close()
