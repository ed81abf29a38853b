"""Finds the host of a match and opens a connection to it."""

from typing import Final

import structlog

from netplay.discovery.announced_addresses import FindAddresses
from netplay.invites.invite import Invite
from netplay.transport.sockets import Connect, RequestChannel, connect
from netplay.wire.errors import ConnectionLostError

log = structlog.get_logger()

RETRY_MIN_SECONDS: Final = 0.1
"""Delay in seconds after the first failure, before a peer connects or sends again."""


class HostConnector:
    """Opens connections to the host named in an invite."""

    def __init__(self, invite: Invite, connect_in_process: Connect | None = None) -> None:
        """Create a connector. No connection is opened yet.

        Args:
            invite: The invite, with the host's addresses.
            connect_in_process: Connects a bot to the host that runs the bot; None to use the network.
        """
        self._invite = invite
        self._connect_in_process = connect_in_process
        self.find_addresses: FindAddresses | None = None
        """Searches the local network for the host if no address in the invite works; None to skip this search."""
        self.announced_address: tuple[str, ...] = ()
        """At most one address: the announced address that last worked."""

    @property
    def is_in_process(self) -> bool:
        """Return whether the peer belongs to a bot that runs in the host's process."""
        return self._connect_in_process is not None

    async def connect(self) -> RequestChannel:
        """Try every known address, and return the first connection that succeeds.

        Raises:
            ConnectionLostError: The host cannot be reached.
            FlagplotError: The program at an address is not the host that issued the invite.
        """
        if self._connect_in_process is not None:  # a host's bot needs no address
            return await self._connect_in_process("", self._invite)
        problems: list[str] = []
        addresses = tuple(dict.fromkeys((*self.announced_address, *self._invite.addresses)))
        for address in addresses:
            try:
                return await connect(address, self._invite)
            except ConnectionLostError as error:
                problems.append(str(error))
        new_addresses = (
            () if self.find_addresses is None else await self.find_addresses(self._invite)
        )
        for address in (url for url in new_addresses if url not in addresses):
            try:
                channel = await connect(address, self._invite)
            except ConnectionLostError as error:
                problems.append(f"{error} (announced on the local network)")
                continue
            log.info(
                "host_address_discovered",
                match=self._invite.match,
                role=self._invite.role,
                address=address,
            )
            self.announced_address = (address,)
            return channel
        raise ConnectionLostError("; ".join(problems))
