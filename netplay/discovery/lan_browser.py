"""Announces and discovers hosts on the local network through multicast DNS.

An announcement is public. It contains the name chosen for the host, the game, the scenario, the free seats, and the
host's key id. With the key id, anyone who has an invite can recognise the host. Announcements do not contain match ids
or the names of machines or accounts. Received announcements are untrusted. See
``netplay.discovery.announced_addresses`` for how their addresses are used.
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

from netplay.discovery.host_address import ALL_INTERFACES
from netplay.wire.sanitising import sanitise

log = structlog.get_logger()

SERVICE: Final = "_flagplot._tcp.local."
MAX_ANNOUNCED: Final = 8
"""Maximum number of matches that one host announces."""
MAX_DISCOVERED: Final = 32
"""Maximum number of announced matches that a browser stores."""
_MAX_FIELD: Final = 32
"""Maximum number of characters in a text field of an announcement."""
_MAX_SEATS_FIELD: Final = 60
"""Maximum number of characters in an announcement's list of free seats."""
_ANSWER_MS: Final = 2_000


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """The announcement of one match."""

    host: str
    game: str
    scenario: str
    free: str
    """Free seats; empty if there are none."""
    key: str = ""
    """The id of the host's key; empty in announcements from older programs.

    It proves nothing, because anyone can copy it.
    """


class DiscoveredMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match announced on this network."""

    announcement: Announcement
    addresses: tuple[str, ...]
    """The addresses in the announcement, as ``ADDRESS:PORT``."""


def _interfaces(host: str) -> InterfaceChoice | list[str]:
    """Return the interfaces on which to announce a host, which are the interfaces on which it listens."""
    return InterfaceChoice.Default if host in ALL_INTERFACES else [host]


def _properties(announcement: Announcement) -> dict[str, str]:
    return {
        "host": sanitise(announcement.host, _MAX_FIELD),
        "game": sanitise(announcement.game, _MAX_FIELD),
        "scenario": sanitise(announcement.scenario, _MAX_FIELD),
        "free": sanitise(announcement.free, _MAX_SEATS_FIELD),
        "key": sanitise(announcement.key, _MAX_FIELD),
    }


def _parse_properties(properties: dict[bytes, bytes | None]) -> Announcement:
    """Parse an announcement. Missing or unreadable fields are left empty."""

    def read_field(name: bytes, limit: int) -> str:
        return sanitise((properties.get(name) or b"").decode("utf-8", "replace"), limit)

    return Announcement(
        host=read_field(b"host", _MAX_FIELD),
        game=read_field(b"game", _MAX_FIELD),
        scenario=read_field(b"scenario", _MAX_FIELD),
        free=read_field(b"free", _MAX_SEATS_FIELD),
        key=read_field(b"key", _MAX_FIELD),
    )


class Announcer:
    """Announces a host's matches until :meth:`stop` is called."""

    def __init__(self, host: str, address: str, port: int) -> None:
        """Create an announcer that announces no matches yet.

        Args:
            host: The host's listening address. If it is the loopback address, only this machine receives the
                announcements.
            address: The IPv4 address to which guests connect.
            port: The port to which guests connect.
        """
        self._host = host
        self._address = address
        self._port = port
        self._zeroconf: AsyncZeroconf | None = None
        self._announced: dict[str, tuple[Announcement, ServiceInfo]] = {}

    async def announce(self, matches: dict[str, Announcement]) -> bool:
        """Replace the announced matches. Return False if the announcements could not be sent.

        Unchanged matches are not announced again.
        """
        try:
            await self._announce(dict(list(matches.items())[-MAX_ANNOUNCED:]))
        except (OSError, Error) as error:
            log.warning("announcement_failed", error=str(error))
            return False
        return True

    async def _announce(self, matches: dict[str, Announcement]) -> None:
        if self._zeroconf is None:
            if not matches:
                return
            choice = _interfaces(self._host)
            self._zeroconf = AsyncZeroconf(interfaces=choice, ip_version=IPVersion.V4Only)
        for match in [match for match in self._announced if match not in matches]:
            await (await self._zeroconf.async_unregister_service(self._announced.pop(match)[1]))
        for match, announcement in matches.items():
            announced = self._announced.get(match)
            if announced is None:
                info = self._service_info(secrets.token_hex(6), announcement)
                # The name is random, so there is no need to ask the network whether it is already
                # in use.
                await self._zeroconf.async_register_service(info, cooperating_responders=True)
                self._announced[match] = announcement, info
            elif announced[0] != announcement:
                info = self._service_info(
                    announced[1].name.removesuffix(f".{SERVICE}"), announcement
                )
                await self._zeroconf.async_update_service(info)
                self._announced[match] = announcement, info

    def _service_info(self, name: str, announcement: Announcement) -> ServiceInfo:
        """Build an announcement. Its name is random, so that it does not reveal this machine's name."""
        return ServiceInfo(
            SERVICE,
            f"{name}.{SERVICE}",
            addresses=[socket.inet_aton(self._address)],
            port=self._port,
            properties=_properties(announcement),
            server=f"{name}.local.",
        )

    async def stop(self) -> None:
        """Withdraw all announcements."""
        zeroconf, self._zeroconf = self._zeroconf, None
        self._announced.clear()
        if zeroconf is not None:
            await zeroconf.async_close()


class LanBrowser:
    """Finds matches announced on the network until :meth:`close` is called."""

    def __init__(self, interfaces: Sequence[str] = ()) -> None:
        """Create a browser that is not listening yet.

        Args:
            interfaces: Local addresses to listen on; empty for the default.
        """
        self._interfaces = list(interfaces)
        self._zeroconf: AsyncZeroconf | None = None
        self._browser: AsyncServiceBrowser | None = None
        self._discovered: dict[str, DiscoveredMatch] = {}
        self._queries: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> str:
        """Query the network and start listening. Return an error message, or an empty string on success."""
        try:
            self._zeroconf = AsyncZeroconf(
                interfaces=self._interfaces or InterfaceChoice.Default, ip_version=IPVersion.V4Only
            )
            self._browser = AsyncServiceBrowser(
                self._zeroconf.zeroconf, SERVICE, handlers=[self._on_service_changed]
            )
        except (OSError, Error) as error:
            return f"cannot listen for hosts on the network: {error}"
        return ""

    @property
    def matches(self) -> tuple[DiscoveredMatch, ...]:
        """Return the matches that are announced now, in the order in which they were found."""
        return tuple(self._discovered.values())

    def _on_service_changed(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        del service_type
        if state_change is ServiceStateChange.Removed:
            self._discovered.pop(name, None)
        elif name in self._queries or (name not in self._discovered and self._is_full()):
            return
        else:
            task = asyncio.get_running_loop().create_task(self._query(zeroconf, name))
            self._queries[name] = task
            task.add_done_callback(lambda _: self._queries.pop(name, None))

    def _is_full(self) -> bool:
        # Matches that are still being queried count too, so that a flood of announcements cannot
        # exceed the limit.
        return len(self._discovered) + len(self._queries) >= MAX_DISCOVERED

    async def _query(self, zeroconf: Zeroconf, name: str) -> None:
        info = AsyncServiceInfo(SERVICE, name)
        try:
            if not await info.async_request(zeroconf, _ANSWER_MS):
                return
        except (OSError, Error):
            return
        addresses = tuple(f"{address}:{info.port}" for address in info.parsed_addresses()[:4])
        self._discovered[name] = DiscoveredMatch(
            announcement=_parse_properties(info.properties), addresses=addresses
        )

    async def close(self) -> None:
        """Stop listening."""
        browser, self._browser = self._browser, None
        zeroconf, self._zeroconf = self._zeroconf, None
        queries = list(self._queries.values())
        for task in queries:
            task.cancel()
        await asyncio.gather(*queries, return_exceptions=True)
        if browser is not None:
            await browser.async_cancel()
        if zeroconf is not None:
            await zeroconf.async_close()
