"""Announces and discovers hosts on the local network through multicast DNS.

An announcement is public. It contains the host's chosen name, the game, the scenario, the free seats, and the host's
key id, by which anyone with an invite can recognise the host. It does not contain match ids or the names of machines or
accounts. Received announcements are untrusted. Their addresses are used only as explained in
``netplay.discovery.announced_addresses``.
"""

import asyncio
import secrets
import socket
from collections.abc import Sequence
from typing import Final

import msgspec
import structlog
from zeroconf import Error, InterfaceChoice, IPVersion, ServiceInfo, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from netplay.discovery.host_address import EVERYWHERE
from netplay.wire.sanitising import clean

log = structlog.get_logger()

SERVICE: Final = "_flagplot._tcp.local."
MOST_SAID: Final = 8
"""Maximum number of matches announced per host."""
MOST_HEARD: Final = 32
"""Maximum number of discovered matches."""
_WORD: Final = 32
"""Maximum number of characters per field."""
_WORDS: Final = 60
"""Maximum length of the free-seat list, in characters."""
_ANSWER_MS: Final = 2_000


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """One match's announcement."""

    host: str
    game: str
    scenario: str
    free: str
    """Free seats; empty if there are none."""
    key: str = ""
    """Id of the host's key, which anyone can copy; empty in announcements from older programs."""


class DiscoveredMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match announced on this network."""

    said: Announced
    places: tuple[str, ...]
    """Announced locations, as ``ADDRESS:PORT``."""


def _interfaces(host: str) -> InterfaceChoice | list[str]:
    """Return the interfaces on which to announce a host: those on which it listens."""
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
    """Parse an announcement. Missing or unreadable fields are left empty."""

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
    """Announces a host's matches until it is stopped."""

    def __init__(self, host: str, address: str, port: int) -> None:
        """Create an announcer that announces nothing yet.

        Args:
            host: Address on which the host listens. Announcements on the loopback address stay on this machine.
            address: IPv4 address that guests connect to.
            port: Port that guests connect to.
        """
        self._host = host
        self._address = address
        self._port = port
        self._line: AsyncZeroconf | None = None
        self._said: dict[str, tuple[Announced, ServiceInfo]] = {}

    async def say(self, matches: dict[str, Announced]) -> bool:
        """Replace the announced matches, and return whether the network accepted the announcements.

        Unchanged matches are not announced again.
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
        """Build an announcement under a random name, so that it does not reveal the machine's name."""
        return ServiceInfo(
            SERVICE,
            f"{name}.{SERVICE}",
            addresses=[socket.inet_aton(self._address)],
            port=self._port,
            properties=_properties(said),
            server=f"{name}.local.",
        )

    async def stop(self) -> None:
        """Withdraw all announcements."""
        line, self._line = self._line, None
        self._said.clear()
        if line is not None:
            await line.async_close()


class LanBrowser:
    """Discovers matches announced on the network until it is closed."""

    def __init__(self, interfaces: Sequence[str] = ()) -> None:
        """Create a browser that is not listening yet.

        Args:
            interfaces: Local addresses to listen on; empty for the default.
        """
        self._interfaces = list(interfaces)
        self._line: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._heard: dict[str, DiscoveredMatch] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> str:
        """Query the network and start listening. Return an error message; empty on success."""
        try:
            self._line = AsyncZeroconf(
                interfaces=self._interfaces or InterfaceChoice.Default, ip_version=IPVersion.V4Only
            )
            self._browser = AsyncServiceBrowser(
                self._line.zeroconf, SERVICE, handlers=[self._changed]
            )
        except (OSError, Error) as error:
            return f"cannot listen for hosts on the network: {error}"
        return ""

    @property
    def heard(self) -> tuple[DiscoveredMatch, ...]:
        """Return the matches currently announced, in the order in which they were discovered."""
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
        self._heard[name] = DiscoveredMatch(said=_said_in(info.properties), places=places)

    async def close(self) -> None:
        """Stop listening."""
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
