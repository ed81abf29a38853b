"""The first TLS handshakes of a new process, all at the same time: ``python -m tests.netplay.handshakes 40``.

It fails with one line per error.
"""

import asyncio
import datetime as dt
import sys
import threading

import pynng

from netplay.invites.identity import new_authority
from netplay.invites.invite import new_invite
from netplay.transport.listener import ConnectionRequest, Listener
from netplay.transport.sockets import _client_tls, set_limits


async def shake_hands(count: int) -> list[str]:
    now = dt.datetime.now(dt.UTC)
    authority = new_authority(now)
    valid = (now - dt.timedelta(days=1), now + dt.timedelta(days=1))
    seat = new_invite(authority, ("tcp://127.0.0.1:1",), "match", "toy", "red", valid)
    host = Listener(_nothing, lambda _: None)
    address = f"tls+tcp://127.0.0.1:{host.bind('127.0.0.1', 0)}"
    host.start(authority, plain=False)
    problems: list[str] = []
    together = threading.Barrier(count)

    def dial() -> None:
        socket = pynng.Req0()
        set_limits(socket)
        socket.tls_config = _client_tls(seat)
        together.wait()
        try:
            socket.dial(address, block=True)
        except pynng.NNGException as error:
            problems.append(repr(error))
        socket.close()

    threads = [threading.Thread(target=dial) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    await host.stop()
    return problems


async def _nothing(request: ConnectionRequest) -> bytes | None:
    del request
    return None


if __name__ == "__main__":
    sys.exit("\n".join(asyncio.run(shake_hands(int(sys.argv[1])))) or 0)
