"""Accepts connections at the host's public address, and passes them to the transport at a limited rate.

Each TLS handshake takes about a millisecond in one of the few transport threads, which also serve players. Without the
proxy, the transport would start thousands of handshakes at once. A connection is passed on only after it has sent
everything that the transport needs for an immediate response, so silent connections are never passed on. The proxy
limits the rate of handshakes and the number processed at a time. Origins (addresses or networks) take turns, and each
origin's newest connection comes first, so a flood from one origin does not delay connections from others. When there
are too many connections, the oldest connection from the origin with the most connections is closed. The transport
itself listens on a loopback address that is not published.
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

from netplay.transport.binding import bind_socket
from netplay.transport.fair_queue import FairQueue
from netplay.transport.proxied_connection import (
    LAST_BYTES_SECONDS,
    ProxyEndpoint,
    SniffResult,
    sniff_plain,
    sniff_tls,
)
from netplay.wire.limits import Bucket, origin
from netplay.wire.message_size import MAX_MESSAGE_BYTES

log = structlog.get_logger()

GREETINGS_PER_SECOND: Final = 200
"""Maximum number of greetings per second that are passed to the transport. A TLS handshake counts as a greeting."""
MAX_CONCURRENT_GREETINGS: Final = 16
"""Maximum number of greetings that the transport processes at a time."""
ANSWER_SECONDS: Final = 2.0
"""An unanswered greeting no longer counts towards the limit after this many seconds."""
MAX_GREETING: Final = 512
"""Maximum number of connections that have been passed on but are still greeting. Each uses 40 kB on the host."""
MAX_UNGREETED: Final = 2_048
"""Maximum number of connections that have not finished greeting, including those that have sent nothing."""
_UNGREETED_SHARE: Final = 4
"""The number of connections that have not finished greeting is at most the open-file limit divided by this."""
_BACKLOG: Final = 1_024
"""Maximum number of connections in the operating system's accept queue."""
_ACCEPT_BATCH: Final = 8
"""Number of queued connections accepted per iteration of the event loop."""
_ACCEPT_ITERATIONS: Final = 3
"""asyncio reports a connection that it has accepted within this many iterations of the event loop."""
_CLOSE_SECONDS: Final = 2.0


class ConnectionStage(enum.Enum):
    """The state of a proxied connection."""

    SILENT = enum.auto()
    """The connection has not sent a complete greeting."""
    WAITING = enum.auto()
    """The connection has sent a complete greeting and is waiting to be passed on."""
    GREETING = enum.auto()
    """The transport is processing the connection's greeting."""
    GREETED = enum.auto()
    """The transport has reported the connection as established."""
    CLOSED = enum.auto()
    """The peer has disconnected, or the connection has been closed."""


class ProxiedConnection:
    """One connection through the proxy, both while it is waiting and after it has been passed on."""

    def __init__(self, proxy: "AdmissionProxy") -> None:
        """Wrap an incoming connection."""
        self.outer = ProxyEndpoint(self._on_connected, self._on_data, self._on_remote_closed)
        self.inner: ProxyEndpoint | None = None
        self.stage = ConnectionStage.SILENT
        self.opened_at = time.monotonic()
        self.remote = ""
        self.origin = ""
        self.port = 0
        """Local port by which the transport identifies the connection; 0 until the connection is passed on."""
        self.is_remote_open = True
        """True if the socket to the remote peer is open."""
        self.is_transport_open = False
        """True if the socket to the transport is open or being opened."""
        self.is_answered = True
        """False while the transport has a greeting on this connection to which it has not responded."""
        self.buffer = bytearray()
        """Data that has been received but not yet passed to the transport."""
        self._proxy = proxy

    def _on_connected(self) -> None:
        host, port = self.outer.address("peername")
        self.remote = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.origin = origin(self.remote)
        self._proxy.on_connected(self)

    def _on_data(self, data: bytes) -> None:
        self.buffer += data
        self._proxy.on_data(self)

    def _on_remote_closed(self) -> None:
        self.is_remote_open = False
        if self.inner is not None:
            self.inner.close()
        self._proxy.on_remote_closed(self)

    def connect_to_transport(self, inner: ProxyEndpoint) -> None:
        """Pass on the buffered data, and from then on forward all data directly between the two ends."""
        self.inner = inner
        inner.peer_endpoint, self.outer.peer_endpoint = self.outer, inner
        self.outer.on_data = inner.write
        inner.write(self.buffer)
        self.buffer = bytearray()
        # The peer may have disconnected while the connection to the transport was being made.
        if not self.is_remote_open:
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
        self._sniff = sniff_tls
        self._transport_address = ("", 0)
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._serve_task: asyncio.Task[None] | None = None
        self._connections: dict[ProxiedConnection, None] = {}
        self._by_port: dict[int, ProxiedConnection] = {}
        self._ungreeted: FairQueue[ProxiedConnection] = FairQueue()
        self._waiting: FairQueue[ProxiedConnection] = FairQueue()
        self._greeting: FairQueue[ProxiedConnection] = FairQueue()
        self._queues_by_stage: Final[
            Mapping[ConnectionStage, tuple[FairQueue[ProxiedConnection], ...]]
        ] = {
            ConnectionStage.SILENT: (self._ungreeted,),
            ConnectionStage.WAITING: (self._ungreeted, self._waiting),
            ConnectionStage.GREETING: (self._ungreeted, self._greeting),
            ConnectionStage.GREETED: (),
            ConnectionStage.CLOSED: (),
        }
        self._pending_greetings = 0
        """Number of greetings that the transport is processing at the moment."""
        self._greeting_rate = Bucket(GREETINGS_PER_SECOND, MAX_CONCURRENT_GREETINGS)
        self._is_retry_scheduled = False
        """True if another attempt to admit connections is scheduled."""
        self._max_ungreeted = MAX_UNGREETED
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_empty = asyncio.Event()
        self._is_closing = False
        """True once the proxy accepts no more connections."""

    def bind(self, host: str, port: int) -> int:
        """Bind the address and return the port. If ``port`` is 0, the system chooses one.

        Clients that connect before :meth:`open` must wait.

        Raises:
            AddressError: The address is in use, does not belong to this machine, or is not permitted.
        """
        self._socket = bind_socket(host, port, _BACKLOG)
        self.port = int(self._socket.getsockname()[1])
        return self.port

    def open(self, transport_address: tuple[str, int], *, plain: bool) -> None:
        """Start accepting connections and passing them on to the transport.

        Args:
            transport_address: The transport's listening address and port.
            plain: True for connections without TLS.
        """
        self._transport_address = transport_address
        self._max_ungreeted = _ungreeted_limit()
        self._sniff = sniff_plain if plain else sniff_tls
        self._serve_task = asyncio.ensure_future(self._serve())

    def stop_accepting(self) -> None:
        """Stop listening on the address, and close every connection that has not finished its greeting."""
        self._is_closing = True
        if self._serve_task is not None:
            self._serve_task.cancel()
        if self._server is not None:
            self._server.close()
        elif self._socket is not None:
            self._socket.close()
        for connection in tuple(self._ungreeted):
            self._reject(connection)

    async def finish_accepting(self) -> None:
        """Like :meth:`stop_accepting`, but first let asyncio report connections that it has accepted, and close them.

        If its server was closed before the report, asyncio would lose such a connection without closing it.
        """
        self._is_closing = True
        if self._server is not None:
            for listening in self._server.sockets:
                asyncio.get_running_loop().remove_reader(listening.fileno())
            for _ in range(_ACCEPT_ITERATIONS):
                await asyncio.sleep(0)
        self.stop_accepting()

    async def stop(self) -> None:
        """Close all connections, but first allow a moment for their last bytes to be sent."""
        await self.finish_accepting()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._wait_until_empty()
        for task in tuple(self._tasks):
            task.cancel()
        for connection in tuple(self._connections):
            connection.close()
        await self._wait_until_empty()

    async def _wait_until_empty(self) -> None:
        while self._connections:
            self._is_empty.clear()
            await self._is_empty.wait()

    @property
    def count(self) -> int:
        """Return the number of connections in the proxy."""
        return len(self._connections)

    def mark_greeted(self, port: int) -> str | None:
        """Mark a connection as greeted, and return its remote address; None if it bypassed the proxy.

        Args:
            port: The port that identifies the connection to the transport.
        """
        connection = self._by_port.get(port)
        if connection is None:
            return None
        if connection.stage is not ConnectionStage.CLOSED:
            self._set_stage(connection, ConnectionStage.GREETED)
        return connection.remote

    def on_transport_closed(self, port: int) -> None:
        """Close a connection that the transport has closed, after a moment in which its last bytes can be sent.

        Args:
            port: The port that identified the connection to the transport.
        """
        connection = self._by_port.get(port)
        if connection is not None:  # A peer that reads nothing might never appear to disconnect.
            asyncio.get_running_loop().call_later(LAST_BYTES_SECONDS, connection.close)

    @property
    def ports(self) -> frozenset[int]:
        """Return the ports that identify this proxy's connections to the transport."""
        return frozenset(self._by_port)

    @property
    def descriptors(self) -> frozenset[int]:
        """Return the file descriptors of all sockets in the proxy."""
        endpoint_pairs = ((connection.outer, connection.inner) for connection in self._connections)
        return frozenset(
            endpoint.descriptor
            for pair in endpoint_pairs
            for endpoint in pair
            if endpoint is not None
        )

    def close_overdue(self, now: float, seconds: float) -> int:
        """Close all connections whose greeting has taken too long, and return their number."""
        overdue = [
            connection for connection in self._ungreeted if now - connection.opened_at > seconds
        ]
        for connection in overdue:
            self._reject(connection)
        return len(overdue)

    # -- accepting connections

    async def _serve(self) -> None:
        assert self._socket is not None, "the address must be bound"
        loop = asyncio.get_running_loop()
        # In each iteration of the event loop, asyncio accepts up to `backlog` connections, so a
        # small value keeps a flood from delaying others.
        self._server = await loop.create_server(
            lambda: ProxiedConnection(self).outer,
            sock=self._socket,
            backlog=_ACCEPT_BATCH,
            start_serving=False,
        )
        await self._server.start_serving()
        # create_server() has limited the operating system's queue to the same small value, so it is
        # raised again.
        self._socket.listen(_BACKLOG)

    def on_connected(self, connection: ProxiedConnection) -> None:
        """Register a new connection. If there are now too many connections, close one of them."""
        self._connections[connection] = None
        if self._is_closing:  # asyncio accepted it before the close
            self._reject(connection)
            return
        self._set_stage(connection, ConnectionStage.SILENT)
        # Eviction by origin ensures that a flood mostly loses its own connections.
        if len(self._ungreeted) > self._max_ungreeted:
            self._reject(self._ungreeted.eviction_candidate())

    def on_data(self, connection: ProxiedConnection) -> None:
        """Check the data that a connection has sent so far."""
        result = self._sniff(connection.buffer)
        if result is SniffResult.UNRECOGNISED or len(connection.buffer) > MAX_MESSAGE_BYTES:
            self._reject(connection)
        elif result is SniffResult.COMPLETE and connection.stage is ConnectionStage.SILENT:
            self._set_stage(connection, ConnectionStage.WAITING)
            self._pass_on_waiting()

    def _pass_on_waiting(self) -> None:
        """Pass on as many waiting connections as the limits allow."""
        while self._waiting and self._pending_greetings < MAX_CONCURRENT_GREETINGS:
            if not self._greeting_rate.take():
                self._schedule_retry()
                return
            connection = self._waiting.pop_next()
            self._set_stage(connection, ConnectionStage.GREETING)
            self._pending_greetings += 1
            connection.is_answered = False
            connection.is_transport_open = True
            task = asyncio.ensure_future(self._pass_on(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if len(self._greeting) > MAX_GREETING:
                self._reject(self._greeting.eviction_candidate())

    def _schedule_retry(self) -> None:
        if not self._is_retry_scheduled:
            self._is_retry_scheduled = True
            loop = asyncio.get_running_loop()
            loop.call_later(1 / GREETINGS_PER_SECOND, self._retry)

    def _retry(self) -> None:
        self._is_retry_scheduled = False
        self._pass_on_waiting()

    async def _pass_on(self, connection: ProxiedConnection) -> None:
        def forward(data: bytes) -> None:
            connection.outer.write(data)
            self._on_greeting_answered(connection)

        inner = ProxyEndpoint(lambda: None, forward, lambda: self._on_transport_closed(connection))
        try:
            await asyncio.get_running_loop().create_connection(
                lambda: inner, *self._transport_address
            )
        except OSError as error:
            log.warning("transport_connect_failed", error=str(error))
            self._on_transport_closed(connection)
            return
        except asyncio.CancelledError:
            self._on_transport_closed(connection)
            raise
        # The transport identifies the connection by its port, so the port is registered before any
        # data is passed on.
        connection.port = inner.address("sockname")[1]
        self._by_port[connection.port] = connection
        connection.connect_to_transport(inner)
        asyncio.get_running_loop().call_later(
            ANSWER_SECONDS, self._on_greeting_answered, connection
        )

    def _on_greeting_answered(self, connection: ProxiedConnection) -> None:
        if not connection.is_answered:
            connection.is_answered = True
            self._pending_greetings -= 1
            self._pass_on_waiting()

    def _set_stage(self, connection: ProxiedConnection, stage: ConnectionStage) -> None:
        old_queues, new_queues = (
            self._queues_by_stage[connection.stage],
            self._queues_by_stage[stage],
        )
        connection.stage = stage
        for queue in old_queues:
            if queue not in new_queues:
                queue.discard(connection.origin, connection)
        for queue in new_queues:
            queue.add(connection.origin, connection)

    # -- closing connections

    def _reject(self, connection: ProxiedConnection) -> None:
        self._set_stage(connection, ConnectionStage.CLOSED)
        connection.close()

    def on_remote_closed(self, connection: ProxiedConnection) -> None:
        """Clean up after the remote peer's socket has closed."""
        self._set_stage(connection, ConnectionStage.CLOSED)
        self._forget(connection)

    def _on_transport_closed(self, connection: ProxiedConnection) -> None:
        """Handle the transport socket closing or failing to open."""
        connection.is_transport_open = False
        self._by_port.pop(connection.port, None)
        connection.outer.close()
        self._on_greeting_answered(connection)
        self._forget(connection)

    def _forget(self, connection: ProxiedConnection) -> None:
        # The two ends close at different times, and stop() must wait for both to close.
        if not (connection.is_remote_open or connection.is_transport_open):
            self._connections.pop(connection, None)
            if not self._connections:
                self._is_empty.set()


def _ungreeted_limit() -> int:
    """Return the maximum number of connections that have not finished greeting."""
    max_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if max_files == resource.RLIM_INFINITY:
        return MAX_UNGREETED
    return min(MAX_UNGREETED, max_files // _UNGREETED_SHARE)
