"""A peer without any checks, which sends exactly what the test tells it to."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.invites.invite import Invite
from netplay.transport.handshake import authenticate
from netplay.transport.sockets import PeerConnection, connect
from netplay.wire import messages as wire
from saves.decoding import canonical
from tests.netplay.tables import Room
from tests.patience import PATIENCE


class Raw:
    """An authenticated connection."""

    def __init__(self, line: PeerConnection, welcome: wire.Welcome) -> None:
        self.line = line
        self.welcome = welcome
        self._number = 0

    async def ask(self, message: wire.WireMessage, seconds: float = PATIENCE) -> wire.Answer:
        return wire.decode_answer(await self.line.ask(wire.encode(message), seconds))

    async def submit(self, command: Command, seq: int, request: str = "") -> wire.Answer:
        self._number += 1
        return await self.ask(
            wire.Submit(
                request_id=request or f"{id(self)}-{self._number}",
                expected_seq=seq,
                command=canonical(command),
            )
        )


@contextlib.asynccontextmanager
async def seated(table: Room, role: Role | None) -> AsyncIterator[Raw]:
    line = await dialled(table.invites[role])
    try:
        welcome = await authenticate(line, table.invites[role])
        assert isinstance(welcome, wire.Welcome), welcome
        yield Raw(line, welcome)
    finally:
        await line.close()


async def dialled(invite: Invite) -> PeerConnection:
    return await connect(invite.addresses[0], invite)


def hello(table: Room, role: Role) -> wire.Hello:
    return wire.Hello(
        protocol=wire.PROTOCOL,
        capabilities=wire.CAPABILITIES,
        match=table.match,
        role=role,
        nonce=bytes(32),
    )


async def goodbye(line: PeerConnection, question: wire.WireMessage) -> wire.Bye:
    """Send something that must end the connection. Return the host's last message."""
    answer = wire.decode_answer(await line.ask(wire.encode(question), PATIENCE))
    assert isinstance(answer, wire.Bye), answer
    await asyncio.wait_for(line.is_lost.wait(), PATIENCE)
    return answer


def changed(invite: Invite, **fields: object) -> Invite:
    return msgspec.structs.replace(invite, **fields)
