"""Where the host of an invite announces itself in the local network, after its address has changed.

An announcement is foreign text: anybody can copy one. It only says which address to try. There the host must prove
the key of the invite in the TLS handshake, before this program says whose seat it has; so only invites with TLS are
used.
"""

import asyncio
import ipaddress
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import structlog

from netplay.identity import fingerprint, load_certificate
from netplay.invites import TLS_SCHEME, Invite

log = structlog.get_logger()

FindAddresses: TypeAlias = Callable[[Invite], Awaitable[tuple[str, ...]]]
"""Returns further addresses at which the host of an invite may be."""
LISTEN_SECONDS: Final = 2.0
"""Announcements of hosts that are there arrive within this time."""
_KEPT_SECONDS: Final = 5.0
"""The roles of one person ask at about the same time, and the network is listened to once for all of them."""
_MOST_TRIED: Final = 4
_KEY_LETTERS: Final = 32


def key_id(authority: str) -> str:
    """Return what an announcement says of the key of a host, whose authority is given as PEM text."""
    return fingerprint(load_certificate(authority))[:_KEY_LETTERS]


def is_near(place: str) -> bool:
    """Return whether an announced place, ``ADDRESS:PORT``, is an address of a local network with a port."""
    host, _, port = place.rpartition(":")
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
    """Listens to the local network for the host of an invite."""

    def __init__(self, interfaces: Sequence[str] = ()) -> None:
        """Prepare; nothing is listened to yet.

        Args:
            interfaces: Own addresses on which to listen; none for the usual one.
        """
        self._interfaces = tuple(interfaces)
        self._turn = asyncio.Lock()
        self._found: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def find(self, invite: Invite) -> tuple[str, ...]:
        """Return where a host with the key of an invite is announced, in random order, so that nobody can be first.

        Without TLS there is nothing, because the seat would be named to whoever listens there. For a host on this
        machine the network is not listened to.
        """
        is_tls = all(address.startswith(f"{TLS_SCHEME}://") for address in invite.addresses)
        if not is_tls or all(map(_is_on_this_machine, invite.addresses)):
            return ()
        key = key_id(invite.authority)
        async with self._turn:
            at, found = self._found.get(key, (-_KEPT_SECONDS, ()))
            if time.monotonic() - at > _KEPT_SECONDS:
                found = await self._listen(key)
                self._found[key] = time.monotonic(), found
        return tuple(random.sample(found, min(len(found), _MOST_TRIED)))

    async def _listen(self, key: str) -> tuple[str, ...]:
        from netplay.lan import Ear  # noqa: PLC0415  # a host that is found at once needs no multicast DNS

        ear = Ear(self._interfaces)
        problem = await ear.start()
        try:
            await asyncio.sleep(0 if problem else LISTEN_SECONDS)
            places = [
                place
                for one in ear.heard
                if one.said.key == key
                for place in one.places
                if is_near(place)
            ]
        finally:
            await ear.close()
        if problem:
            log.info("network_not_heard", reason=problem)
        return tuple(dict.fromkeys(f"{TLS_SCHEME}://{place}" for place in places))
