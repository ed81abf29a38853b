"""The host's listening socket, which manages connections, their deadlines and their requests.

The admission proxy (``netplay/transport/admission_proxy.py``) occupies the public address. The listener is behind the
proxy, on the loopback address.
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
from netplay.transport.sockets import apart, server_tls, set_limits, tell
from netplay.wire.errors import AddressError
from netplay.wire.limits import most_crowded, origin
from netplay.wire.message_size import MAX_PAYLOAD_BYTES

log = structlog.get_logger()

GREETING_SECONDS: Final = 10.0
"""Time limit for authenticating a connection."""
IDLE_SECONDS: Final = 30.0
"""Idle time after which an authenticated connection is closed."""
MOST_HELD: Final = 8
"""Maximum number of unanswered requests per connection. One more closes the connection."""
MOST_UNPROVEN: Final = 512
"""Maximum number of unauthenticated connections. Above this limit, the address with the most loses its oldest one."""
_SWEEP_SECONDS: Final = 2.0
_RECEIVERS: Final = 4
_AGAIN_SECONDS: Final = 0.1
_QUIET_SECONDS: Final = 0.2
"""Minimum quiet time on a connection before it is closed.

The transport loses track of a connection that is closed while replies are being sent on it, and notifies neither end.
"""
_LAST_ANSWERS_SECONDS: Final = 2.0
"""How long a connection due to be closed waits for replies that are still being computed."""
_PEER_NAME: Final = b"tls-peer-cn"
_INSIDE: Final = "127.0.0.1"
"""Address on which the transport listens, behind the proxy."""


class Request(NamedTuple):
    """One message from a connection, as received."""

    data: bytes
    line: int
    """Connection number; never reused within a process."""
    certified: str | None
    """Name in the certificate that TLS verified, for the log; None without TLS."""
    remote: str
    """Address of the other end, for the log."""


Handler = Callable[[Request], Awaitable[bytes | None]]
"""Function that replies to a request; None sends no reply."""


class Connection:
    """The listener's data on one connection."""

    def __init__(self, pipe: pynng.Pipe, number: int, port: int, remote: str, *, tls: bool) -> None:
        """Register a connection that has just been opened.

        Args:
            pipe: The transport's handle for the connection.
            number: The connection's number in this process.
            port: The port that identifies the connection to the proxy.
            remote: The other end's address.
            tls: True if TLS has verified a certificate.
        """
        self.pipe = pipe
        self.pipe_id = pipe.id
        self.number = number
        self.port = port
        self.heard = time.monotonic()
        self.made = self.heard
        self.proven = False
        self.held = 0
        self.active = self.heard
        """When the last reply was sent or, before the first reply, when the connection was opened."""
        self.ending = False
        """True if the connection is about to be closed; further requests are ignored."""
        self.certified = _certified_name(pipe) if tls else None
        self.remote = remote
        self.origin = origin(remote)

    def is_overdue(self, now: float) -> bool:
        """Return whether the deadline for authenticating or for the next request has passed."""
        if self.held or self.ending:
            return False
        if self.proven:
            return now - self.heard > IDLE_SECONDS
        return now - self.made > GREETING_SECONDS

    def close(self) -> None:
        """Close the connection. Closing it twice is harmless."""
        with contextlib.suppress(pynng.NNGException):
            self.pipe.close()


def _refused_certificates(listening: pynng.Listener) -> int:
    """Return how many certificates the transport has refused on this address so far."""
    lib, stats = pynng.lib, pynng.ffi.new("nng_stat **")
    if lib.nng_stats_get(stats) != 0:
        return 0
    try:
        place = lib.nng_stat_find_listener(stats[0], listening.listener)
        found = pynng.ffi.NULL
        if place != pynng.ffi.NULL:
            found = lib.nng_stat_find(place, b"auth")
        return 0 if found == pynng.ffi.NULL else int(lib.nng_stat_value(found))
    finally:
        lib.nng_stats_free(stats[0])


def _certified_name(pipe: pynng.Pipe) -> str | None:
    """Return the name in the certificate that TLS verified."""
    text = pynng.ffi.new("char *[]", 1)
    if pynng.lib.nng_pipe_get_string(pipe.pipe, _PEER_NAME, text) != 0:
        return None
    name = pynng.ffi.string(text[0]).decode(errors="replace")
    pynng.lib.nng_strfree(text[0])
    return str(name)


def _port_inside(pipe: pynng.Pipe) -> int:
    """Return the local port from which the transport was reached, or 0 if the connection has ended."""
    try:
        return int(str(pipe.remote_address).rpartition(":")[2])
    except (pynng.NNGException, ValueError):
        return 0


class Listener:
    """Answers the requests of any number of connections at one address."""

    def __init__(self, handler: Handler, gone: Callable[[int], None]) -> None:
        """Create a listener that is not listening yet.

        Args:
            handler: Answers each request in the event loop.
            gone: Called in the event loop once a connection has ended.
        """
        self._handler = handler
        self._gone = gone
        self._socket: pynng.Rep0 | None = None
        self._tls: pynng.TLSConfig | None = None
        self._lines: dict[int, Connection] = {}
        self._numbers: dict[int, int] = {}
        self._next = 1
        self._idle: list[pynng.Context] = []
        self._contexts: list[pynng.Context] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False
        self._listening: pynng.Listener | None = None
        self._gate = AdmissionProxy()
        self._strays: OrphanedSockets | None = None
        self._slack = HeapTrimmer()
        self.port = 0
        self.refused_certificates = 0
        """Number of connections that TLS refused because of their certificates."""

    def bind(self, host: str, port: int) -> int:
        """Bind the address and return the port; 0 lets the system choose one.

        Clients that connect before :meth:`start` have to wait.

        Raises:
            AddressError: The address is in use, does not belong to this machine, or is not permitted.
        """
        self.port = self._gate.bind(host, port)
        return self.port

    def start(self, authority: Authority, *, plain: bool) -> None:
        """Start listening on the bound address.

        Raises:
            AddressError: The transport cannot listen behind this address.
        """
        loop = asyncio.get_running_loop()
        self._tls = None if plain else server_tls(authority)
        socket = pynng.Rep0()
        set_limits(socket)
        if self._tls is not None:
            socket.tls_config = self._tls
        socket.add_post_pipe_connect_cb(lambda pipe: loop.call_soon_threadsafe(self._opened, pipe))
        socket.add_post_pipe_remove_cb(lambda pipe: tell(loop, self._closed, pipe.id))
        try:
            listening = socket.listen(url(_INSIDE, 0, plain=plain))
        except pynng.NNGException as error:
            socket.close()
            self._gate.shut()
            problem = f"cannot listen on {_INSIDE}: {str(error).lower()}"
            raise AddressError(problem) from error
        self._socket = socket
        self._listening = listening
        inside = int(str(listening.local_address).rpartition(":")[2])
        self._strays = OrphanedSockets(inside)
        self._gate.open((_INSIDE, inside), plain=plain)
        for _ in range(_RECEIVERS):
            self._spawn(self._receive(socket))
        self._spawn(self._sweep())

    async def stop(self) -> None:
        """Stop listening and close every connection."""
        self._closing = True
        if self._socket is None:
            self._gate.shut()
            return
        for context in self._contexts:
            with contextlib.suppress(pynng.NNGException):
                context.close()
        socket, self._socket = self._socket, None
        self._gate.shut()
        try:
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            await asyncio.shield(apart(socket.close))
            await asyncio.shield(self._gate.stop())
            self._contexts.clear()
            self._lines.clear()

    def prove(self, line: int) -> None:
        """Mark a connection as authenticated."""
        if line in self._lines:
            self._lines[line].proven = True

    def drop(self, line: int) -> None:
        """Ignore a connection's further requests, and close it once its last replies have been sent."""
        known = self._lines.get(line)
        if known is not None and not known.ending:
            known.ending = True
            self._close_when_quiet(known, time.monotonic() + _LAST_ANSWERS_SECONDS)

    def _close_when_quiet(self, line: Connection, latest: float) -> None:
        now = time.monotonic()
        quiet = 0.0 if line.held else now - line.active
        if self._closing or self._lines.get(line.number) is not line:
            return
        if quiet >= _QUIET_SECONDS or now >= latest:
            self._end(line)
            return
        loop = asyncio.get_running_loop()
        loop.call_later(_QUIET_SECONDS - quiet, self._close_when_quiet, line, latest)

    @property
    def lines(self) -> int:
        """Return the number of open connections."""
        return len(self._lines)

    # -- opening and closing connections

    def _opened(self, pipe: pynng.Pipe) -> Connection | None:
        pipe_id = pipe.id
        if self._closing or pipe_id < 0 or pipe.closed:
            return None
        known = self._numbers.get(pipe_id)
        if known is not None:
            return self._lines[known]
        port = _port_inside(pipe)
        remote = self._gate.known(port)
        if remote is None:  # the peer has disconnected, or a local program bypassed the proxy
            with contextlib.suppress(pynng.NNGException):
                pipe.close()
            return None
        number = self._next
        self._next += 1
        line = Connection(pipe, number, port, remote, tls=self._tls is not None)
        self._lines[number] = line
        self._numbers[pipe_id] = number
        unproven = [one for one in self._lines.values() if not one.proven and not one.ending]
        if len(unproven) > MOST_UNPROVEN:
            crowd, _ = most_crowded(one.origin for one in unproven)
            self.drop(next(one.number for one in unproven if one.origin == crowd))
        return line

    def _closed(self, pipe_id: int) -> None:
        number = self._numbers.pop(pipe_id, None)
        if number is not None:
            line = self._lines.pop(number, None)
            if line is not None:
                self._gate.ended(line.port)
            self._gone(number)

    def _end(self, line: Connection) -> None:
        """Close and forget a connection.

        The transport does not report that a connection has ended if it broke early.
        """
        line.close()
        self._closed(line.pipe_id)

    async def _sweep(self) -> None:
        while not self._closing:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = time.monotonic()
            for line in tuple(self._lines.values()):
                if line.is_overdue(now):
                    self.drop(line.number)
            self._close_strangers(now)
            self._note_refused()
            if self._slack.is_due(self._gate.count):
                self._spawn(asyncio.to_thread(heap_trimmer.give_back))

    def _close_strangers(self, now: float) -> None:
        assert self._strays is not None, "the listener is started"
        gate = self._gate
        closed = gate.close_late(now, GREETING_SECONDS)
        closed += self._strays.close(gate.ports, gate.descriptors, now, GREETING_SECONDS)
        if closed:
            log.warning("silent_connections_closed", count=closed)

    def _note_refused(self) -> None:
        """Log new refusals by TLS, which are not reported in any other way."""
        assert self._listening is not None, "the listener is started"
        refused = _refused_certificates(self._listening)
        if refused > self.refused_certificates:
            log.warning("certificates_refused", count=refused - self.refused_certificates)
            self.refused_certificates = refused

    # -- requests and answers

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _context(self, socket: pynng.Rep0) -> pynng.Context:
        if self._idle:
            return self._idle.pop()
        context = socket.new_context()
        self._contexts.append(context)
        return context

    async def _receive(self, socket: pynng.Rep0) -> None:
        """Receive requests until closed. Each request is handled by its own task in its own context."""
        while not self._closing:
            context = self._context(socket)
            try:
                message = await context.arecv_msg()
            except pynng.Timeout:
                self._idle.append(context)
                continue
            except pynng.NNGException as error:
                if isinstance(error, pynng.Closed):
                    return
                log.warning("receive_failed", error=str(error))
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            pipe = message.pipe
            line = None if pipe is None else self._opened(pipe)
            if line is None or line.ending or line.held >= MOST_HELD:
                self._idle.append(context)
                if line is not None:
                    self.drop(line.number)
                continue
            line.held += 1
            line.heard = time.monotonic()
            request = Request(message.bytes, line.number, line.certified, line.remote)
            self._spawn(self._answer(context, line, request))

    async def _answer(self, context: pynng.Context, line: Connection, request: Request) -> None:
        try:
            answer = await self._handler(request)
            if answer is not None and not self._closing:
                assert len(answer) <= MAX_PAYLOAD_BYTES
                await context.asend(answer)
        except pynng.NNGException:
            self.drop(line.number)
        finally:
            line.held -= 1
            line.heard = line.active = time.monotonic()
            if not self._closing:
                self._idle.append(context)
