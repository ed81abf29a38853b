"""Hosts on the local network: what a host says of itself by multicast DNS, and who is heard.

What is said is public: the name that the host chose, game, scenario, the seats that wait for somebody, and the id of
the host's key, by which the holder of an invite recognises it. No match, no name of a machine or an account. What is
heard is foreign text. An address of it is dialled only as ``netplay.announced_addresses`` says.
"""

import asyncio
import secrets
import socket
from collections.abc import Sequence
from typing import Final

import msgspec
import structlog
from zeroconf import (
    Error,
    InterfaceChoice,
    IPVersion,
    ServiceInfo,
    ServiceStateChange,
    Zeroconf,
)
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from netplay.cleaning import clean
from netplay.host_address import EVERYWHERE

log = structlog.get_logger()

SERVICE: Final = "_flagplot._tcp.local."
MOST_SAID: Final = 8
"""Matches of one host that are announced."""
MOST_HEARD: Final = 32
"""Matches of the network that are listed."""
_WORD: Final = 32
"""Letters of a name at most."""
_WORDS: Final = 60
"""Letters of all free seats at most."""
_ANSWER_MS: Final = 2_000


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of one match."""

    host: str
    game: str
    scenario: str
    free: str
    """Seats that wait for somebody, empty for none."""
    key: str = ""
    """Id of the host's key; anybody can copy it. Older programs say none."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """A match that somebody in this network says to host."""

    said: Announced
    places: tuple[str, ...]
    """``ADDRESS:PORT`` as the network says."""


def _interfaces(host: str) -> InterfaceChoice | list[str]:
    """Return where a host that listens at an address is announced: there and nowhere else."""
    return InterfaceChoice.Default if host in EVERYWHERE else [host]


def _properties(said: Announced) -> dict[str, str]:
    return {
        "host": clean(said.host, _WORD),
        "game": clean(said.game, _WORD),
        "scenario": clean(said.scenario, _WORD),
        "free": clean(said.free, _WORDS),
        "key": clean(said.key, _WORD),
    }


def _said_in(properties: dict[bytes, bytes | None]) -> Announced:
    """Return what somebody says; what is missing or unreadable is empty."""

    def word(name: bytes, limit: int) -> str:
        return clean((properties.get(name) or b"").decode("utf-8", "replace"), limit)

    return Announced(
        host=word(b"host", _WORD),
        game=word(b"game", _WORD),
        scenario=word(b"scenario", _WORD),
        free=word(b"free", _WORDS),
        key=word(b"key", _WORD),
    )


class Announcer:
    """Says what a host has open, until it is stopped."""

    def __init__(self, host: str, address: str, port: int) -> None:
        """Prepare; nothing is said yet.

        Args:
            host: Where the host listens; on the loopback address nobody else hears of it.
            address: Where guests dial, as an IPv4 address.
            port: The port there.
        """
        self._host = host
        self._address = address
        self._port = port
        self._line: AsyncZeroconf | None = None
        self._said: dict[str, tuple[Announced, ServiceInfo]] = {}

    async def say(self, matches: dict[str, Announced]) -> bool:
        """Say what is open now, by match, and return whether the network takes it.

        What has not changed is not said again.
        """
        try:
            await self._say(dict(list(matches.items())[-MOST_SAID:]))
        except (OSError, Error) as error:
            log.warning("not_announced", error=str(error))
            return False
        return True

    async def _say(self, matches: dict[str, Announced]) -> None:
        if self._line is None:
            if not matches:
                return
            choice = _interfaces(self._host)
            self._line = AsyncZeroconf(interfaces=choice, ip_version=IPVersion.V4Only)
        for match in [match for match in self._said if match not in matches]:
            await (await self._line.async_unregister_service(self._said.pop(match)[1]))
        for match, said in matches.items():
            known = self._said.get(match)
            if known is None:
                info = self._info(secrets.token_hex(6), said)
                await self._line.async_register_service(info, cooperating_responders=True)
                self._said[match] = said, info
            elif known[0] != said:
                info = self._info(known[1].name.removesuffix(f".{SERVICE}"), said)
                await self._line.async_update_service(info)
                self._said[match] = said, info

    def _info(self, name: str, said: Announced) -> ServiceInfo:
        """Return an announcement under a name by chance, in which no machine is named."""
        return ServiceInfo(
            SERVICE,
            f"{name}.{SERVICE}",
            addresses=[socket.inet_aton(self._address)],
            port=self._port,
            properties=_properties(said),
            server=f"{name}.local.",
        )

    async def stop(self) -> None:
        """Say goodbye."""
        line, self._line = self._line, None
        self._said.clear()
        if line is not None:
            await line.async_close()


class Ear:
    """Hears which matches others in the network host, until it is closed."""

    def __init__(self, interfaces: Sequence[str] = ()) -> None:
        """Prepare; nothing is asked yet.

        Args:
            interfaces: Own addresses on which to listen; none for the usual one.
        """
        self._interfaces = list(interfaces)
        self._line: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._heard: dict[str, Heard] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> str:
        """Ask who is there and listen from now on; returns why that cannot be done, empty when it can."""
        try:
            self._line = AsyncZeroconf(
                interfaces=self._interfaces or InterfaceChoice.Default, ip_version=IPVersion.V4Only
            )
            self._browser = AsyncServiceBrowser(
                self._line.zeroconf, SERVICE, handlers=[self._changed]
            )
        except (OSError, Error) as error:
            return f"the network cannot be listened to: {error}"
        return ""

    @property
    def heard(self) -> tuple[Heard, ...]:
        """Return the matches that are announced now, in the order in which they were heard of."""
        return tuple(self._heard.values())

    def _changed(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        del service_type
        if state_change is ServiceStateChange.Removed:
            self._heard.pop(name, None)
        elif name in self._asking or (name not in self._heard and self._is_full()):
            return
        else:
            task = asyncio.get_running_loop().create_task(self._ask(zeroconf, name))
            self._asking[name] = task
            task.add_done_callback(lambda _: self._asking.pop(name, None))

    def _is_full(self) -> bool:
        return len(self._heard) + len(self._asking) >= MOST_HEARD

    async def _ask(self, zeroconf: Zeroconf, name: str) -> None:
        info = AsyncServiceInfo(SERVICE, name)
        try:
            if not await info.async_request(zeroconf, _ANSWER_MS):
                return
        except (OSError, Error):
            return
        places = tuple(f"{place}:{info.port}" for place in info.parsed_addresses()[:4])
        self._heard[name] = Heard(said=_said_in(info.properties), places=places)

    async def close(self) -> None:
        """Listen no more."""
        browser, self._browser = self._browser, None
        line, self._line = self._line, None
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        if browser is not None:
            await browser.async_cancel()
        if line is not None:
            await line.async_close()
