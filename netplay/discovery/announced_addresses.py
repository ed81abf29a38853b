"""Finds a host whose address has changed, through its announcements on the local network.

Anyone can copy an announcement, so announcements are used only as suggestions of addresses to try. Before this program
reveals its seat, the TLS handshake must prove that the address belongs to the host that issued the invite. Invites
without TLS are therefore ignored.
"""

import asyncio
import ipaddress
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import structlog

from netplay.invites.identity import fingerprint, load_certificate
from netplay.invites.invite import TLS_SCHEME, Invite

log = structlog.get_logger()

FindAddresses: TypeAlias = Callable[[Invite], Awaitable[tuple[str, ...]]]
"""A function that returns further addresses to try for the host that issued an invite."""
LISTEN_SECONDS: Final = 2.0
"""How long to listen for responses, in seconds. This is long enough for any running host to respond."""
_CACHE_SECONDS: Final = 5.0
"""How long a search result is reused, in seconds, so that all roles of one person share one search."""
_MAX_ADDRESSES: Final = 4
_KEY_ID_LENGTH: Final = 32


def key_id(authority: str) -> str:
    """Return the key id that a host with this authority certificate (PEM) announces."""
    return fingerprint(load_certificate(authority))[:_KEY_ID_LENGTH]


def is_local_address(announced: str) -> bool:
    """Return whether an announced ``ADDRESS:PORT`` is a valid local network address."""
    host, _, port = announced.rpartition(":")
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    is_port = port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16
    return is_port and (address.is_private or address.is_link_local)


def _is_on_this_machine(address: str) -> bool:
    host = address.partition("://")[2].rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class AnnouncedAddresses:
    """Listens on the local network for the host that issued an invite."""

    def __init__(self, interfaces: Sequence[str] = ()) -> None:
        """Create a searcher that is not listening yet.

        Args:
            interfaces: Local addresses to listen on; empty for the default.
        """
        self._interfaces = tuple(interfaces)
        self._lock = asyncio.Lock()
        self._cache: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def find(self, invite: Invite) -> tuple[str, ...]:
        """Return at most 4 URLs that hosts with the invite's key id have announced, in random order.

        Because the order is random, no machine can ensure that its announced address is tried first. The result is
        empty for an invite without TLS, because connecting would reveal the seat to eavesdroppers. The result is also
        empty for a host on this machine.
        """
        is_tls = all(address.startswith(f"{TLS_SCHEME}://") for address in invite.addresses)
        if not is_tls or all(map(_is_on_this_machine, invite.addresses)):
            return ()
        key = key_id(invite.authority)
        async with self._lock:
            cached_at, urls = self._cache.get(key, (-_CACHE_SECONDS, ()))
            if time.monotonic() - cached_at > _CACHE_SECONDS:
                urls = await self._listen(key)
                self._cache[key] = time.monotonic(), urls
        return tuple(random.sample(urls, min(len(urls), _MAX_ADDRESSES)))

    async def _listen(self, key: str) -> tuple[str, ...]:
        from netplay.discovery.lan_browser import LanBrowser  # noqa: PLC0415  # not needed if the host responds at once

        browser = LanBrowser(self._interfaces)
        problem = await browser.start()
        try:
            await asyncio.sleep(0 if problem else LISTEN_SECONDS)
            addresses = [
                address
                for match in browser.matches
                if match.announcement.key == key
                for address in match.addresses
                if is_local_address(address)
            ]
        finally:
            await browser.close()
        if problem:
            log.info("discovery_failed", reason=problem)
        return tuple(dict.fromkeys(f"{TLS_SCHEME}://{address}" for address in addresses))
