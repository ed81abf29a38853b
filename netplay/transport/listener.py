"""Manages the host's listening socket: its connections, their deadlines and their requests.

The admission proxy (``netplay/transport/admission_proxy.py``) listens at the public address. This listener is behind
the proxy, on the loopback address.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import pynng
import structlog

from netplay.invites.identity import Authority
from netplay.invites.invite import url
from netplay.system import heap_trimmer
from netplay.system.heap_trimmer import HeapTrimmer
from netplay.transport.admission_proxy import AdmissionProxy
from netplay.transport.orphaned_sockets import OrphanedSockets
from netplay.transport.sockets import call_in_loop, run_in_thread, server_tls, set_limits
from netplay.wire.errors import AddressError
from netplay.wire.limits import most_common_origin, origin
from netplay.wire.message_size import MAX_PAYLOAD_BYTES

log = structlog.get_logger()

GREETING_SECONDS: Final = 10.0
"""Time limit in seconds for authenticating a connection."""
IDLE_SECONDS: Final = 30.0
"""An authenticated connection is closed after this many idle seconds."""
MAX_UNANSWERED: Final = 8
"""Maximum number of unanswered requests per connection. A connection that exceeds this limit is closed."""
MAX_UNAUTHENTICATED: Final = 512
"""Maximum number of unauthenticated connections.
Above this limit, the oldest connection from the address with the most connections is closed.
"""
_SWEEP_SECONDS: Final = 2.0
_MAX_RECEIVERS: Final = 4
_RETRY_SECONDS: Final = 0.1
_QUIET_SECONDS: Final = 0.2
"""Minimum time in seconds between the last reply on a connection and its closing.

If a connection is closed while replies are being sent on it, the transport loses track of the connection and does not
notify either end.
"""
_LAST_ANSWERS_SECONDS: Final = 2.0
"""Maximum time in seconds that closing a connection may wait for replies that are still being computed."""
_PEER_NAME: Final = b"tls-peer-cn"
_INTERNAL_HOST: Final = "127.0.0.1"
"""The address on which the transport listens behind the proxy."""


class ConnectionRequest(NamedTuple):
    """One message from a connection, as received."""

    data: bytes
    connection_id: int
    """Connection number, which is never reused within a process."""
    certificate_name: str | None
    """The common name in the certificate that TLS verified, for the log; None without TLS."""
    remote: str
    """Address of the other end."""


Handler = Callable[[ConnectionRequest], Awaitable[bytes | None]]
"""A function that returns the reply to a request, or None to send no reply."""


class Connection:
    """The data that the listener stores about one connection."""

    def __init__(
        self, pipe: pynng.Pipe, connection_id: int, port: int, remote: str, *, tls: bool
    ) -> None:
        """Register a connection that has just been opened.

        Args:
            pipe: The transport's handle for the connection.
            connection_id: The connection's number in this process.
            port: The port that identifies the connection to the proxy.
            remote: The address of the other end.
            tls: True if TLS has verified a certificate.
        """
        self.pipe = pipe
        self.pipe_id = pipe.id
        self.connection_id = connection_id
        self.port = port
        self.last_received = time.monotonic()
        self.opened_at = self.last_received
        self.is_authenticated = False
        self.unanswered = 0
        self.last_sent = self.last_received
        """Time when the last reply was sent; before the first reply, the time when the connection was opened."""
        self.is_closing = False
        """True if the connection is about to be closed. Further requests are ignored."""
        self.certificate_name = _certificate_name(pipe) if tls else None
        self.remote = remote
        self.origin = origin(remote)

    def is_overdue(self, now: float) -> bool:
        """Return whether the peer has missed the deadline for authenticating or for its next request."""
        if self.unanswered or self.is_closing:
            return False
        if self.is_authenticated:
            return now - self.last_received > IDLE_SECONDS
        return now - self.opened_at > GREETING_SECONDS

    def close(self) -> None:
        """Close the connection. Calling this twice is harmless."""
        with contextlib.suppress(pynng.NNGException):
            self.pipe.close()


def _refused_certificates(listener: pynng.Listener) -> int:
    """Return the number of certificates that the transport has refused at this address so far."""
    lib, stats = pynng.lib, pynng.ffi.new("nng_stat **")
    if lib.nng_stats_get(stats) != 0:
        return 0
    try:
        listener_stat = lib.nng_stat_find_listener(stats[0], listener.listener)
        auth_stat = pynng.ffi.NULL
        if listener_stat != pynng.ffi.NULL:
            auth_stat = lib.nng_stat_find(listener_stat, b"auth")
        return 0 if auth_stat == pynng.ffi.NULL else int(lib.nng_stat_value(auth_stat))
    finally:
        lib.nng_stats_free(stats[0])


def _certificate_name(pipe: pynng.Pipe) -> str | None:
    """Return the name in the certificate that TLS verified; None if there is none."""
    text = pynng.ffi.new("char *[]", 1)
    if pynng.lib.nng_pipe_get_string(pipe.pipe, _PEER_NAME, text) != 0:
        return None
    name = pynng.ffi.string(text[0]).decode(errors="replace")
    pynng.lib.nng_strfree(text[0])
    return str(name)


def _internal_port(pipe: pynng.Pipe) -> int:
    """Return the local port from which the proxy connected to the transport; 0 if the connection has ended."""
    try:
        return int(str(pipe.remote_address).rpartition(":")[2])
    except (pynng.NNGException, ValueError):
        return 0


class Listener:
    """Answers the requests of any number of connections at one address."""

    def __init__(self, handler: Handler, on_disconnected: Callable[[int], None]) -> None:
        """Create a listener that is not listening yet.

        Args:
            handler: Called in the event loop to answer each request.
            on_disconnected: Called in the event loop once a connection has ended.
        """
        self._handler = handler
        self._on_disconnected = on_disconnected
        self._socket: pynng.Rep0 | None = None
        self._tls: pynng.TLSConfig | None = None
        self._connections: dict[int, Connection] = {}
        self._ids_by_pipe: dict[int, int] = {}
        self._next_id = 1
        self._idle_contexts: list[pynng.Context] = []
        self._contexts: list[pynng.Context] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._listener: pynng.Listener | None = None
        self._proxy = AdmissionProxy()
        self._orphaned_sockets: OrphanedSockets | None = None
        self._heap_trimmer = HeapTrimmer()
        self.port = 0
        self.refused_certificates = 0
        """Number of connections that TLS refused because of their certificates."""

    def bind(self, host: str, port: int) -> int:
        """Bind the address and return the port. If ``port`` is 0, the system chooses one.

        Clients that connect before :meth:`start` must wait.

        Raises:
            AddressError: The address is in use, does not belong to this machine, or is not permitted.
        """
        self.port = self._proxy.bind(host, port)
        return self.port

    def start(self, authority: Authority, *, plain: bool) -> None:
        """Start listening on the bound address.

        Raises:
            AddressError: The transport cannot listen on a local port behind this address.
        """
        loop = asyncio.get_running_loop()
        self._tls = None if plain else server_tls(authority)
        socket = pynng.Rep0()
        set_limits(socket)
        if self._tls is not None:
            socket.tls_config = self._tls
        # The transport calls these callbacks in its own threads, but the listener's data may be
        # used only in the event loop.
        socket.add_post_pipe_connect_cb(
            lambda pipe: loop.call_soon_threadsafe(self._register_connection, pipe)
        )
        socket.add_post_pipe_remove_cb(
            lambda pipe: call_in_loop(loop, self._unregister_connection, pipe.id)
        )
        try:
            listener = socket.listen(url(_INTERNAL_HOST, 0, plain=plain))
        except pynng.NNGException as error:
            socket.close()
            self._proxy.stop_accepting()
            problem = f"cannot listen on {_INTERNAL_HOST}: {str(error).lower()}"
            raise AddressError(problem) from error
        self._socket = socket
        self._listener = listener
        internal_port = int(str(listener.local_address).rpartition(":")[2])
        self._orphaned_sockets = OrphanedSockets(internal_port)
        self._proxy.open((_INTERNAL_HOST, internal_port), plain=plain)
        for _ in range(_MAX_RECEIVERS):
            self._spawn(self._receive(socket))
        self._spawn(self._sweep())

    async def stop(self) -> None:
        """Stop listening and close every connection."""
        self._closing = True
        if self._socket is None:
            self._proxy.stop_accepting()
            return
        for context in self._contexts:
            with contextlib.suppress(pynng.NNGException):
                context.close()
        socket, self._socket = self._socket, None
        try:
            await self._proxy.finish_accepting()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            await asyncio.shield(run_in_thread(socket.close))
            await asyncio.shield(self._proxy.stop())
            self._contexts.clear()
            self._connections.clear()

    def mark_authenticated(self, connection_id: int) -> None:
        """Mark a connection as authenticated."""
        if connection_id in self._connections:
            self._connections[connection_id].is_authenticated = True

    def drop(self, connection_id: int) -> None:
        """Ignore further requests on a connection, and close it once its last replies have been sent."""
        connection = self._connections.get(connection_id)
        if connection is not None and not connection.is_closing:
            connection.is_closing = True
            self._close_when_quiet(connection, time.monotonic() + _LAST_ANSWERS_SECONDS)

    def _close_when_quiet(self, connection: Connection, deadline: float) -> None:
        now = time.monotonic()
        quiet_seconds = 0.0 if connection.unanswered else now - connection.last_sent
        if self._closing or self._connections.get(connection.connection_id) is not connection:
            return
        if quiet_seconds >= _QUIET_SECONDS or now >= deadline:
            self._close_connection(connection)
            return
        loop = asyncio.get_running_loop()
        loop.call_later(
            _QUIET_SECONDS - quiet_seconds, self._close_when_quiet, connection, deadline
        )

    # -- opening and closing connections

    def _register_connection(self, pipe: pynng.Pipe) -> Connection | None:
        pipe_id = pipe.id
        if self._closing or pipe_id < 0 or pipe.closed:
            return None
        # Either the transport's callback or the first request may come first, so both register the
        # connection.
        known_id = self._ids_by_pipe.get(pipe_id)
        if known_id is not None:
            return self._connections[known_id]
        port = _internal_port(pipe)
        remote = self._proxy.mark_greeted(port)
        if remote is None:  # the peer has disconnected, or a local program has bypassed the proxy
            with contextlib.suppress(pynng.NNGException):
                pipe.close()
            return None
        connection_id = self._next_id
        self._next_id += 1
        connection = Connection(pipe, connection_id, port, remote, tls=self._tls is not None)
        self._connections[connection_id] = connection
        self._ids_by_pipe[pipe_id] = connection_id
        unauthenticated = [
            candidate
            for candidate in self._connections.values()
            if not candidate.is_authenticated and not candidate.is_closing
        ]
        if len(unauthenticated) > MAX_UNAUTHENTICATED:
            origin, _ = most_common_origin(candidate.origin for candidate in unauthenticated)
            self.drop(
                next(
                    candidate.connection_id
                    for candidate in unauthenticated
                    if candidate.origin == origin
                )
            )
        return connection

    def _unregister_connection(self, pipe_id: int) -> None:
        connection_id = self._ids_by_pipe.pop(pipe_id, None)
        if connection_id is not None:
            connection = self._connections.pop(connection_id, None)
            if connection is not None:
                self._proxy.on_transport_closed(connection.port)
            self._on_disconnected(connection_id)

    def _close_connection(self, connection: Connection) -> None:
        """Close and forget a connection.

        If a connection breaks early, the transport does not report its end.
        """
        connection.close()
        self._unregister_connection(connection.pipe_id)

    async def _sweep(self) -> None:
        while not self._closing:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = time.monotonic()
            for connection in tuple(self._connections.values()):
                if connection.is_overdue(now):
                    self.drop(connection.connection_id)
            self._close_silent(now)
            self._log_refused_certificates()
            if self._heap_trimmer.check_connections(self._proxy.count):
                self._spawn(asyncio.to_thread(heap_trimmer.trim_heap))

    def _close_silent(self, now: float) -> None:
        assert self._orphaned_sockets is not None, "the listener must have started"
        proxy = self._proxy
        closed_count = proxy.close_overdue(now, GREETING_SECONDS)
        closed_count += self._orphaned_sockets.close(
            proxy.ports, proxy.descriptors, now, GREETING_SECONDS
        )
        if closed_count:
            log.warning("silent_connections_closed", count=closed_count)

    def _log_refused_certificates(self) -> None:
        """Log the number of certificates that TLS has refused since the last call. Nothing else reports them."""
        assert self._listener is not None, "the listener must have started"
        refused_count = _refused_certificates(self._listener)
        if refused_count > self.refused_certificates:
            log.warning("certificates_rejected", count=refused_count - self.refused_certificates)
            self.refused_certificates = refused_count

    # -- requests and answers

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _acquire_context(self, socket: pynng.Rep0) -> pynng.Context:
        if self._idle_contexts:
            return self._idle_contexts.pop()
        context = socket.new_context()
        self._contexts.append(context)
        return context

    async def _receive(self, socket: pynng.Rep0) -> None:
        """Receive requests until the listener stops. Each request is handled in its own task with its own context."""
        while not self._closing:
            context = self._acquire_context(socket)
            try:
                message = await context.arecv_msg()
            except pynng.Timeout:
                self._idle_contexts.append(context)
                continue
            except pynng.NNGException as error:
                if isinstance(error, pynng.Closed):
                    return
                log.warning("receive_failed", error=str(error))
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            pipe = message.pipe
            connection = None if pipe is None else self._register_connection(pipe)
            if (
                connection is None
                or connection.is_closing
                or connection.unanswered >= MAX_UNANSWERED
            ):
                self._idle_contexts.append(context)
                if connection is not None:
                    self.drop(connection.connection_id)
                continue
            connection.unanswered += 1
            connection.last_received = time.monotonic()
            request = ConnectionRequest(
                message.bytes,
                connection.connection_id,
                connection.certificate_name,
                connection.remote,
            )
            self._spawn(self._answer(context, connection, request))

    async def _answer(
        self, context: pynng.Context, connection: Connection, request: ConnectionRequest
    ) -> None:
        try:
            # The end of a connection is reported only once, so nothing may be stored for it afterwards.
            if connection.connection_id not in self._connections:
                return
            answer = await self._handler(request)
            if answer is not None and not self._closing:
                assert len(answer) <= MAX_PAYLOAD_BYTES
                await context.asend(answer)
        except pynng.NNGException:
            self.drop(connection.connection_id)
        finally:
            connection.unanswered -= 1
            # The idle time starts with the reply, because the host may have waited a long time before replying.
            connection.last_received = connection.last_sent = time.monotonic()
            if not self._closing:
                self._idle_contexts.append(context)
