"""The host's public address: a proxy that accepts connections and passes them to the transport at a limited rate.

Each TLS handshake costs about a millisecond in the few transport threads that also serve players, and the transport
would start thousands at once. A connection is therefore passed on only when it has sent everything that the transport
needs for an immediate response, so a silent connection is never passed on. The rate and the number being processed at a
time are limited. Origins take turns, each with its newest connection first, so a crowd from one origin does not delay
later arrivals from others. When there are too many connections, the origin with the most loses its oldest one.

The transport itself listens on a loopback address that is not published.
"""

import asyncio
import contextlib
import enum
import resource
import socket
import time
from collections.abc import Mapping
from typing import Final

import structlog

from netplay.transport.binding import bound
from netplay.transport.fair_queue import FairQueue
from netplay.transport.proxied_connection import (
    LAST_BYTES_SECONDS,
    ProxyEndpoint,
    SniffResult,
    heard_of_sp,
    sniff_tls,
)
from netplay.wire.limits import Bucket, origin
from netplay.wire.message_size import MAX_MESSAGE_BYTES

log = structlog.get_logger()

GREETINGS_PER_SECOND: Final = 200
"""Rate at which greetings are passed to the transport. A TLS handshake counts as a greeting."""
GREETINGS_AT_ONCE: Final = 16
"""Maximum number of greetings that the transport processes at a time."""
ANSWER_SECONDS: Final = 2.0
"""Time after which an unanswered greeting stops counting against the limit."""
MOST_GREETING: Final = 512
"""Maximum number of connections passed on but still greeting. Each costs the host 40 kB."""
MOST_STRANGERS: Final = 2_048
"""Maximum number of connections that have not finished greeting, including silent ones ..."""
_STRANGERS_SHARE: Final = 4
"""... and never more than one in this many of the process's allowed open files."""
_WAITING_TO_BE_TAKEN: Final = 1_024
"""Maximum number of connections that the system queues for acceptance."""
_TAKEN_AT_ONCE: Final = 8
"""Number of queued connections accepted per event loop turn."""
_LAST_ENDS_SECONDS: Final = 2.0


class Stage(enum.Enum):
    """A connection's state."""

    SPEAKING = enum.auto()
    """It has not sent a complete greeting."""
    WAITING = enum.auto()
    """It has sent a complete greeting and is waiting to be passed on."""
    GREETING = enum.auto()
    """The transport is processing its greeting."""
    KNOWN = enum.auto()
    """The transport has reported it as connected."""
    GONE = enum.auto()
    """It has left or been closed."""


class ProxiedConnection:
    """One connection through the proxy, both while waiting and after being passed on."""

    def __init__(self, gate: "AdmissionProxy") -> None:
        """Prepare for the next incoming connection."""
        self.outer = ProxyEndpoint(self._came, self._spoke, self._left)
        self.inner: ProxyEndpoint | None = None
        self.stage = Stage.SPEAKING
        self.made = time.monotonic()
        self.remote = ""
        self.origin = ""
        self.port = 0
        """Local port that identifies the connection to the transport; 0 until it is passed on."""
        self.is_outside = True
        """True if the socket to the remote peer is open."""
        self.is_inside = False
        """True if the socket to the transport is open or being opened."""
        self.is_answered = True
        """True if no greeting is waiting for the transport's response."""
        self.words = bytearray()
        """Data that has been received but not yet passed to the transport."""
        self._gate = gate

    def _came(self) -> None:
        host, port = self.outer.address("peername")
        self.remote = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.origin = origin(self.remote)
        self._gate.came(self)

    def _spoke(self, data: bytes) -> None:
        self.words += data
        self._gate.spoke(self)

    def _left(self) -> None:
        self.is_outside = False
        if self.inner is not None:
            self.inner.close()
        self._gate.left(self)

    def join(self, inner: ProxyEndpoint) -> None:
        """Pass on the buffered data, and from now on forward directly between the two ends."""
        self.inner = inner
        inner.other, self.outer.other = self.outer, inner
        self.outer.hear = inner.write
        inner.write(self.words)
        self.words = bytearray()
        if not self.is_outside:
            inner.abort()

    def close(self) -> None:
        """Close both sides immediately."""
        self.outer.abort()
        if self.inner is not None:
            self.inner.abort()


class AdmissionProxy:
    """Accepts connections at one address and passes them on to the transport at another."""

    def __init__(self) -> None:
        """Create a proxy that is not listening yet."""
        self.port = 0
        self._heard = sniff_tls
        self._inside = ("", 0)
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._passages: dict[ProxiedConnection, None] = {}
        self._by_port: dict[int, ProxiedConnection] = {}
        self._strangers: FairQueue[ProxiedConnection] = FairQueue()
        self._waiting: FairQueue[ProxiedConnection] = FairQueue()
        self._greeting: FairQueue[ProxiedConnection] = FairQueue()
        self._crowds: Final[Mapping[Stage, tuple[FairQueue[ProxiedConnection], ...]]] = {
            Stage.SPEAKING: (self._strangers,),
            Stage.WAITING: (self._strangers, self._waiting),
            Stage.GREETING: (self._strangers, self._greeting),
            Stage.KNOWN: (),
            Stage.GONE: (),
        }
        self._answering = 0
        """Number of greetings that the transport is processing."""
        self._turns = Bucket(GREETINGS_PER_SECOND, GREETINGS_AT_ONCE)
        self._is_due = False
        """True if another attempt to admit connections is scheduled."""
        self._most = MOST_STRANGERS
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_empty = asyncio.Event()

    def bind(self, host: str, port: int) -> int:
        """Bind the address and return the port; 0 lets the system choose one.

        Clients that connect before :meth:`open` have to wait.

        Raises:
            AddressError: The address is in use, does not belong to this machine, or is not permitted.
        """
        self._socket = bound(host, port, _WAITING_TO_BE_TAKEN)
        self.port = int(self._socket.getsockname()[1])
        return self.port

    def open(self, inside: tuple[str, int], *, plain: bool) -> None:
        """Start accepting connections and passing them on to the transport.

        Args:
            inside: Address and port on which the transport listens.
            plain: True for connections without TLS.
        """
        self._inside = inside
        self._most = _most_strangers()
        self._heard = heard_of_sp if plain else sniff_tls
        self._serving = asyncio.ensure_future(self._serve())

    def shut(self) -> None:
        """Release the address, and close every connection that is still greeting."""
        if self._serving is not None:
            self._serving.cancel()
        if self._server is not None:
            self._server.close()
        elif self._socket is not None:
            self._socket.close()
        for stranger in tuple(self._strangers):
            self._turn_away(stranger)

    async def stop(self) -> None:
        """Close all connections after a moment for the last bytes to be sent."""
        self.shut()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_ENDS_SECONDS):
                await self._emptied()
        for task in tuple(self._tasks):
            task.cancel()
        for passage in tuple(self._passages):
            passage.close()
        await self._emptied()

    async def _emptied(self) -> None:
        while self._passages:
            self._is_empty.clear()
            await self._is_empty.wait()

    @property
    def count(self) -> int:
        """Return the number of connections."""
        return len(self._passages)

    @property
    def strangers(self) -> int:
        """Return the number of connections that have not finished greeting."""
        return len(self._strangers)

    @property
    def waiting(self) -> int:
        """Return the number of connections waiting for their turn."""
        return len(self._waiting)

    def known(self, port: int) -> str | None:
        """Record that a connection has finished greeting, and return its remote address, or None if it is not proxied.

        Args:
            port: Port that identifies the connection to the transport.
        """
        passage = self._by_port.get(port)
        if passage is None:
            return None
        if passage.stage is not Stage.GONE:
            self._move(passage, Stage.KNOWN)
        return passage.remote

    def ended(self, port: int) -> None:
        """Record that the transport has closed a connection, and allow a moment for its last bytes to be sent.

        Args:
            port: Port that identified the connection to the transport.
        """
        passage = self._by_port.get(port)
        if passage is not None:  # a peer that reads nothing might never be seen to disconnect
            asyncio.get_running_loop().call_later(LAST_BYTES_SECONDS, passage.close)

    @property
    def ports(self) -> frozenset[int]:
        """Return the ports by which the transport identifies this proxy's connections."""
        return frozenset(self._by_port)

    @property
    def descriptors(self) -> frozenset[int]:
        """Return the file descriptors of all sockets on the proxy's side of the transport."""
        ends = ((one.outer, one.inner) for one in self._passages)
        return frozenset(end.descriptor for pair in ends for end in pair if end is not None)

    def close_late(self, now: float, seconds: float) -> int:
        """Close connections that have taken too long to greet, and return how many."""
        late = [one for one in self._strangers if now - one.made > seconds]
        for one in late:
            self._turn_away(one)
        return len(late)

    # -- accepting connections

    async def _serve(self) -> None:
        assert self._socket is not None, "the address is bound"
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: ProxiedConnection(self).outer,
            sock=self._socket,
            backlog=_TAKEN_AT_ONCE,
            start_serving=False,
        )
        await self._server.start_serving()
        self._socket.listen(_WAITING_TO_BE_TAKEN)

    def came(self, passage: ProxiedConnection) -> None:
        """Register a new connection, closing another if there are too many."""
        self._passages[passage] = None
        self._move(passage, Stage.SPEAKING)
        if len(self._strangers) > self._most:
            self._turn_away(self._strangers.oldest_of_most())

    def spoke(self, passage: ProxiedConnection) -> None:
        """Check the data that a waiting connection has sent so far."""
        heard = self._heard(passage.words)
        if heard is SniffResult.NONSENSE or len(passage.words) > MAX_MESSAGE_BYTES:
            self._turn_away(passage)
        elif heard is SniffResult.WHOLE and passage.stage is Stage.SPEAKING:
            self._move(passage, Stage.WAITING)
            self._let_in()

    def _let_in(self) -> None:
        """Pass on as many connections as the limits allow."""
        while self._waiting and self._answering < GREETINGS_AT_ONCE:
            if not self._turns.take():
                self._let_in_later()
                return
            passage = self._waiting.next_in_turn()
            self._move(passage, Stage.GREETING)
            self._answering += 1
            passage.is_answered = False
            passage.is_inside = True
            task = asyncio.ensure_future(self._hand_on(passage))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if len(self._greeting) > MOST_GREETING:
                self._turn_away(self._greeting.oldest_of_most())

    def _let_in_later(self) -> None:
        if not self._is_due:
            self._is_due = True
            loop = asyncio.get_running_loop()
            loop.call_later(1 / GREETINGS_PER_SECOND, self._let_in_again)

    def _let_in_again(self) -> None:
        self._is_due = False
        self._let_in()

    async def _hand_on(self, passage: ProxiedConnection) -> None:
        def hear(data: bytes) -> None:
            passage.outer.write(data)
            self._answered(passage)

        inner = ProxyEndpoint(lambda: None, hear, lambda: self._came_out(passage))
        try:
            await asyncio.get_running_loop().create_connection(lambda: inner, *self._inside)
        except OSError as error:
            log.warning("transport_not_reached", error=str(error))
            self._came_out(passage)
            return
        except asyncio.CancelledError:
            self._came_out(passage)
            raise
        passage.port = inner.address("sockname")[1]
        self._by_port[passage.port] = passage
        passage.join(inner)
        asyncio.get_running_loop().call_later(ANSWER_SECONDS, self._answered, passage)

    def _answered(self, passage: ProxiedConnection) -> None:
        if not passage.is_answered:
            passage.is_answered = True
            self._answering -= 1
            self._let_in()

    def _move(self, passage: ProxiedConnection, stage: Stage) -> None:
        before, now = self._crowds[passage.stage], self._crowds[stage]
        passage.stage = stage
        for crowd in before:
            if crowd not in now:
                crowd.discard(passage.origin, passage)
        for crowd in now:
            crowd.add(passage.origin, passage)

    # -- closing connections

    def _turn_away(self, passage: ProxiedConnection) -> None:
        self._move(passage, Stage.GONE)
        passage.close()

    def left(self, passage: ProxiedConnection) -> None:
        """Handle the end of a connection's remote side."""
        self._move(passage, Stage.GONE)
        self._forget(passage)

    def _came_out(self, passage: ProxiedConnection) -> None:
        """Handle the end of a connection's transport side, or a failure to reach the transport."""
        passage.is_inside = False
        self._by_port.pop(passage.port, None)
        passage.outer.close()
        self._answered(passage)
        self._forget(passage)

    def _forget(self, passage: ProxiedConnection) -> None:
        if not (passage.is_outside or passage.is_inside):
            self._passages.pop(passage, None)
            if not self._passages:
                self._is_empty.set()


def _most_strangers() -> int:
    """Return the limit for connections that have not finished greeting."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_STRANGERS
    return min(MOST_STRANGERS, files // _STRANGERS_SHARE)
