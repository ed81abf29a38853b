"""Creates sockets and sets their limits, and connects a peer to its host.

All communication consists of requests and replies. To get updates, a peer sends a request that the host answers once
there are updates. The host sends nothing else, so it buffers at most one reply per request for a slow peer. Size
limits, timeouts and peer authentication are set before a socket listens or connects.
"""

import asyncio
import contextlib
import datetime as dt
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, Protocol, TypeAlias
from weakref import WeakKeyDictionary

import pynng

from netplay.invites.identity import HOST_NAME, Authority
from netplay.invites.invite import PLAIN_SCHEME, Invite, validity_problem
from netplay.wire.errors import ConnectionLostError
from netplay.wire.message_size import MAX_MESSAGE_BYTES

SEND_TIMEOUT_MS: Final = 5_000
RECEIVE_TIMEOUT_MS: Final = 60_000
RECONNECT_MIN_MS: Final = 1_000
RECONNECT_MAX_MS: Final = 8_000
DIAL_SECONDS: Final = 6.0
"""Total time limit in seconds for connecting, the TLS handshake and the greeting."""
_MAX_DIALS: Final = 8
"""Maximum number of connections that an event loop opens at a time. Further connections wait without a time limit.

If hundreds of handshakes ran at once, each would take longer than any caller waits.
"""
_HANDSHAKE_SECONDS: Final = 1.0
"""Maximum time in seconds that an abandoned connection attempt may continue before its socket is closed.

The transport aborts the process if a socket is closed in the middle of a TLS handshake.
"""
_NOT_ACCEPTED: Final = "the host at {} and this invite do not accept each other's certificates"
_DIAL_SEMAPHORES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = (
    WeakKeyDictionary()
)


def call_in_loop(
    loop: asyncio.AbstractEventLoop, callback: Callable[..., object], *args: object
) -> None:
    """Schedule a call in the event loop from a transport thread. The call is dropped if the loop is closed."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(callback, *args)


def run_in_thread(function: Callable[[], object]) -> "asyncio.Future[None]":
    """Run a blocking transport call in a separate thread, even if nothing awaits the result.

    Asyncio's shared thread pool is too small for these calls. Connection attempts to unresponsive hosts could occupy
    all of its threads, and the calls to ``close`` that end those attempts would then stay queued forever.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def finish(error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)

    def work() -> None:
        failure: BaseException | None = None
        try:
            function()
        except pynng.NNGException as error:
            failure = error
        call_in_loop(loop, finish, failure)

    threading.Thread(target=work, name="flagplot-transport").start()
    return future


def server_tls(authority: Authority) -> pynng.TLSConfig:
    """Return the host's TLS configuration, which requires a certificate issued by its authority."""
    return _restrict_to_tls12(
        pynng.TLSConfig(
            pynng.TLSConfig.MODE_SERVER,
            ca_string=authority.authority.certificate,
            own_cert_string=authority.host.certificate,
            own_key_string=authority.host.key,
            auth_mode=pynng.TLSConfig.AUTH_MODE_REQUIRED,
        )
    )


def _client_tls(invite: Invite) -> pynng.TLSConfig:
    return _restrict_to_tls12(
        pynng.TLSConfig(
            pynng.TLSConfig.MODE_CLIENT,
            server_name=HOST_NAME,
            ca_string=invite.authority,
            own_cert_string=invite.certificate,
            own_key_string=invite.key,
            auth_mode=pynng.TLSConfig.AUTH_MODE_REQUIRED,
        )
    )


def _restrict_to_tls12(config: pynng.TLSConfig) -> pynng.TLSConfig:
    """Restrict a configuration to TLS 1.2.

    In this library (Mbed TLS 3.6 without MBEDTLS_THREADING_C), TLS 1.3 keeps the keys of all handshakes in one table
    without a lock. Simultaneous handshakes therefore corrupt memory.
    """
    version = pynng.lib.NNG_TLS_1_2
    pynng.check_err(pynng.lib.nng_tls_config_version(config._tls_config, version, version))  # noqa: SLF001  # pynng has no other way
    return config


def set_limits(socket: pynng.Socket) -> None:
    """Set every limit and check that it was accepted, because this version of pynng does not report rejected sizes."""
    socket.recv_max_size = MAX_MESSAGE_BYTES
    socket.send_timeout = SEND_TIMEOUT_MS
    socket.recv_timeout = RECEIVE_TIMEOUT_MS
    socket.reconnect_time_min = RECONNECT_MIN_MS
    socket.reconnect_time_max = RECONNECT_MAX_MS
    assert socket.recv_max_size == MAX_MESSAGE_BYTES
    assert socket.send_timeout == SEND_TIMEOUT_MS
    assert socket.recv_timeout == RECEIVE_TIMEOUT_MS


def _cancellation_count() -> int:
    """Return how many times this task has been cancelled so far."""
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


def _raise_if_cancelled(previous_count: int) -> None:
    """Raise the CancelledError that pynng suppresses if a task is cancelled just as the transport finishes."""
    if _cancellation_count() > previous_count:
        raise asyncio.CancelledError


class RequestChannel(Protocol):
    """The interface of a connection through which a peer sends requests."""

    async def ask(self, data: bytes, seconds: float) -> bytes:
        """Send a request and return the reply.

        Raises:
            ConnectionLostError: The connection has ended, or no reply arrived in time.
        """
        ...

    async def close(self) -> None:
        """End the connection."""
        ...


Connect: TypeAlias = Callable[[str, Invite], Awaitable[RequestChannel]]
"""A function that connects to an address with an invite's certificates, or raises ConnectionLostError."""


class PeerConnection:
    """One connection from a peer to its host over the network."""

    def __init__(self, socket: pynng.Req0, address: str, tls: pynng.TLSConfig | None) -> None:
        """Wrap a connected socket. Callers use :func:`connect` instead."""
        self._socket = socket
        # pynng frees the configuration when its Python object is deleted, so the object must live
        # as long as the socket.
        self._tls = tls
        self._idle: list[pynng.Context] = []
        self._contexts: list[pynng.Context] = []
        self.address = address
        self.is_lost = asyncio.Event()
        """An event that is set once the connection has ended."""

    async def ask(self, data: bytes, seconds: float) -> bytes:
        """Send a request and return the reply.

        Raises:
            ConnectionLostError: The connection has ended, or no reply arrived in time.
        """
        if self.is_lost.is_set():
            raise ConnectionLostError(f"the connection to {self.address} has ended")
        context = self._idle.pop() if self._idle else self._open()
        previous_count = _cancellation_count()
        try:
            async with asyncio.timeout(seconds):
                await context.asend(data)
                if self.is_lost.is_set():  # the context is closed and cannot be used
                    _raise_if_cancelled(previous_count)
                    raise ConnectionLostError(f"the host at {self.address} closed the connection")
                answer: bytes = await context.arecv()
        except (pynng.NNGException, TimeoutError) as error:
            _raise_if_cancelled(previous_count)
            late_error = isinstance(error, TimeoutError | pynng.Timeout)
            problem = "is not responding" if late_error else "closed the connection"
            raise ConnectionLostError(f"the host at {self.address} {problem}") from error
        # A context from a lost connection has been closed, so it must not be used again.
        if not self.is_lost.is_set():
            self._idle.append(context)
        _raise_if_cancelled(previous_count)
        return answer

    def _open(self) -> pynng.Context:
        context = self._socket.new_context()
        self._contexts.append(context)
        return context

    def drop(self) -> None:
        """Mark the connection as ended, and make all pending requests fail."""
        self.is_lost.set()
        for context in self._contexts:
            with contextlib.suppress(pynng.NNGException):
                context.close()
        self._contexts.clear()
        self._idle.clear()

    async def close(self, dial_ended: threading.Event | None = None) -> None:
        """End the connection and close the socket.

        Args:
            dial_ended: Event that is set once an abandoned connection attempt has ended. The socket is closed only
                after a brief wait for this event, even if the caller is cancelled.
        """
        self.drop()
        # A cancelled task must not leave the socket open. The garbage collector could then close
        # the socket in a transport thread, which would cause a deadlock.
        await asyncio.shield(run_in_thread(partial(_close, self._socket, dial_ended)))


def _close(socket: pynng.Req0, dial_ended: threading.Event | None) -> None:
    if dial_ended is not None:
        dial_ended.wait(_HANDSHAKE_SECONDS)
    socket.close()


async def connect(address: str, invite: Invite, seconds: float = DIAL_SECONDS) -> PeerConnection:
    """Connect to a host.

    Args:
        address: The host's address. It need not be listed in the invite.
        invite: Provides the certificates, which are not used for an address without TLS.
        seconds: Total time limit for the connection, the TLS handshake and the greeting.

    Raises:
        ConnectionLostError: No host is listening at the address, or TLS refused one of the two sides.
    """
    async with _DIAL_SEMAPHORES.setdefault(
        asyncio.get_running_loop(), asyncio.Semaphore(_MAX_DIALS)
    ):
        return await _connect(address, invite, seconds)


async def _connect(address: str, invite: Invite, seconds: float) -> PeerConnection:
    loop = asyncio.get_running_loop()
    is_plain = address.startswith(f"{PLAIN_SCHEME}://")
    socket = pynng.Req0()
    set_limits(socket)
    socket.resend_time = -1  # A lost connection is an error, and the peer repeats its requests.
    tls = None if is_plain else _client_tls(invite)
    if tls is not None:
        socket.tls_config = tls
    connection = PeerConnection(socket, address, tls)
    socket.add_post_pipe_remove_cb(lambda _pipe: call_in_loop(loop, connection.drop))
    dial_ended = threading.Event()
    dial_future = run_in_thread(partial(_dial, socket, address, dial_ended))
    try:
        async with asyncio.timeout(seconds):
            # The dial's thread cannot be cancelled, so close() below waits for the dial to end.
            await asyncio.shield(dial_future)
    except pynng.NNGException as error:
        await connection.close()
        raise ConnectionLostError(_dial_problem(address, error, invite)) from error
    except (TimeoutError, asyncio.CancelledError) as error:
        await connection.close(dial_ended=dial_ended)
        if isinstance(error, TimeoutError):
            raise ConnectionLostError(f"the host at {address} is not responding") from error
        raise
    finally:
        dial_future.add_done_callback(_consume_exception)
    return connection


def _dial(socket: pynng.Req0, address: str, dial_ended: threading.Event) -> None:
    try:
        # A non-blocking dial would not report why it failed, and would retry in the background.
        socket.dial(address, block=True)
    finally:
        dial_ended.set()


def _consume_exception(dialing: "asyncio.Future[Any]") -> None:
    """Retrieve the exception from an abandoned connection attempt, so that asyncio does not warn about it."""
    if not dialing.cancelled():
        dialing.exception()


def _dial_problem(address: str, error: pynng.NNGException, invite: Invite) -> str:
    if isinstance(error, pynng.ConnectionRefused):
        return f"no host is listening at {address}"
    if isinstance(error, pynng.CryptoError | pynng.AuthenticationError):
        return f"{_NOT_ACCEPTED.format(address)}{_clock_hint(invite)}"
    if isinstance(error, pynng.Timeout):
        return f"the host at {address} is not responding"
    end_errors = pynng.ConnectionReset | pynng.Closed | pynng.ConnectionAborted
    if (
        isinstance(error, end_errors) or error.errno == pynng.lib.NNG_ECONNSHUT
    ):  # pynng has no class for this error.
        return f"the host at {address} closed the connection during the handshake"
    return f"the host at {address} cannot be reached: {str(error).lower()}"


def _clock_hint(invite: Invite) -> str:
    """Return a hint that this machine's clock may be the reason why a certificate was refused."""
    now = dt.datetime.now(dt.UTC)
    problem = validity_problem(invite, now)
    if problem:
        return f": {problem}"
    return f"; check the clocks of both machines: this one says {now:%Y-%m-%d %H:%M} UTC"
