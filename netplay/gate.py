"""The host's address: takes connections in front of the transport, and lets them in at the pace that it can bear.

Each TLS handshake costs the transport a millisecond in the few threads that answer players, too, and it would begin
thousands at once. So a connection is handed on only when it has said all that the transport can answer at once, so
many in a second and no more than a few at a time; who is silent never comes that far. Origins take turns, the newest
connection of each first: a crowd that waits holds up nobody who comes after it. What is too much gives way, the
oldest of the largest crowd first.

The transport itself listens on an address of this machine that nobody else is told.
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

from netplay.binding import bound
from netplay.crowd import Crowd
from netplay.limits import Bucket, origin
from netplay.passage import LAST_BYTES_SECONDS, End, Heard, heard_of_sp, heard_of_tls
from netplay.transport import MOST_BYTES

log = structlog.get_logger()

GREETINGS_PER_SECOND: Final = 200
"""Greetings that the transport is given to answer; a TLS handshake is one of them."""
GREETINGS_AT_ONCE: Final = 16
"""Greetings that it may be at work on."""
ANSWER_SECONDS: Final = 2.0
"""How long it may be at work on one before others come in all the same."""
MOST_GREETING: Final = 512
"""Connections that were answered, or will be, and have not ended their greeting; each costs the host 40 kB."""
MOST_STRANGERS: Final = 2_048
"""Connections that have not ended their greeting, silent ones among them ..."""
_STRANGERS_SHARE: Final = 4
"""... and never more than this part of the files that the process may open."""
_WAITING_TO_BE_TAKEN: Final = 1_024
"""Connections that the system may hold until the process looks at them."""
_TAKEN_AT_ONCE: Final = 8
"""Of these, how many are taken before anything else is done."""
_LAST_ENDS_SECONDS: Final = 2.0


class Stage(enum.Enum):
    """How far a connection is."""

    SPEAKING = enum.auto()
    """It has not said all that begins a greeting."""
    WAITING = enum.auto()
    """It has, and waits for its turn."""
    GREETING = enum.auto()
    """The transport is at it."""
    KNOWN = enum.auto()
    """The transport has told of it."""
    GONE = enum.auto()
    """It has left, or is turned away."""


class Passage:
    """A connection on its way in, or inside."""

    def __init__(self, gate: "Gate") -> None:
        """Prepare for somebody who is about to come."""
        self.outer = End(self._came, self._spoke, self._left)
        self.inner: End | None = None
        self.stage = Stage.SPEAKING
        self.made = time.monotonic()
        self.remote = ""
        self.origin = ""
        self.port = 0
        """By which the transport knows it; 0 until it does."""
        self.is_outside = True
        """Whether the socket to the stranger is open."""
        self.is_inside = False
        """Whether there is one to the transport, or it is being made."""
        self.is_answered = True
        """Whether nothing of what it said first is still to be answered."""
        self.words = bytearray()
        """What it said and the transport has not heard."""
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

    def join(self, inner: End) -> None:
        """Tell the transport what was said so far; from now on both ends hear each other."""
        self.inner = inner
        inner.other, self.outer.other = self.outer, inner
        self.outer.hear = inner.write
        inner.write(self.words)
        self.words = bytearray()
        if not self.is_outside:
            inner.abort()

    def close(self) -> None:
        """End it at once, on both sides."""
        self.outer.abort()
        if self.inner is not None:
            self.inner.abort()


class Gate:
    """Takes connections on one address and hands them on to the transport at another."""

    def __init__(self) -> None:
        """Take nobody yet."""
        self.port = 0
        self._heard = heard_of_tls
        self._inside = ("", 0)
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._passages: dict[Passage, None] = {}
        self._by_port: dict[int, Passage] = {}
        self._strangers: Crowd[Passage] = Crowd()
        self._waiting: Crowd[Passage] = Crowd()
        self._greeting: Crowd[Passage] = Crowd()
        self._crowds: Final[Mapping[Stage, tuple[Crowd[Passage], ...]]] = {
            Stage.SPEAKING: (self._strangers,),
            Stage.WAITING: (self._strangers, self._waiting),
            Stage.GREETING: (self._strangers, self._greeting),
            Stage.KNOWN: (),
            Stage.GONE: (),
        }
        self._answering = 0
        """How many greetings the transport is at work on."""
        self._turns = Bucket(GREETINGS_PER_SECOND, GREETINGS_AT_ONCE)
        self._is_due = False
        """Whether it is looked later who may come in."""
        self._most = MOST_STRANGERS
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_empty = asyncio.Event()

    def bind(self, host: str, port: int) -> int:
        """Reserve the address and return the port, which the system chooses when 0 is asked for.

        Who connects from now on waits until :meth:`open`.

        Raises:
            AddressError: The address is in use, not ours, or not allowed.
        """
        self._socket = bound(host, port, _WAITING_TO_BE_TAKEN)
        self.port = int(self._socket.getsockname()[1])
        return self.port

    def open(self, inside: tuple[str, int], *, plain: bool) -> None:
        """Take connections, and hand them on to where the transport listens."""
        self._inside = inside
        self._most = _most_strangers()
        self._heard = heard_of_sp if plain else heard_of_tls
        self._serving = asyncio.ensure_future(self._serve())

    def shut(self) -> None:
        """Let go of the address: nobody else comes in, and who has not ended the greeting is turned away."""
        if self._serving is not None:
            self._serving.cancel()
        if self._server is not None:
            self._server.close()
        elif self._socket is not None:
            self._socket.close()
        for stranger in tuple(self._strangers):
            self._turn_away(stranger)

    async def stop(self) -> None:
        """End everything that is left, soon after its last bytes have left."""
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
        """Return how many connections there are."""
        return len(self._passages)

    @property
    def strangers(self) -> int:
        """Return how many of them have not ended their greeting."""
        return len(self._strangers)

    @property
    def waiting(self) -> int:
        """Return how many of these wait for their turn."""
        return len(self._waiting)

    def known(self, port: int) -> str | None:
        """Note that a connection has ended its greeting, and return the address of whoever it is.

        Args:
            port: By which the transport knows it. None is returned for one that did not come through here.
        """
        passage = self._by_port.get(port)
        if passage is None:
            return None
        if passage.stage is not Stage.GONE:
            self._move(passage, Stage.KNOWN)
        return passage.remote

    def ended(self, port: int) -> None:
        """Note that the transport has ended a connection: what is still on its way has a moment to leave.

        Args:
            port: By which the transport knew it.
        """
        passage = self._by_port.get(port)
        if (
            passage is not None
        ):  # and it may hear of it never, as long as the other end reads nothing
            asyncio.get_running_loop().call_later(LAST_BYTES_SECONDS, passage.close)

    @property
    def ports(self) -> frozenset[int]:
        """Return by which ports the transport knows all that came through here."""
        return frozenset(self._by_port)

    @property
    def descriptors(self) -> frozenset[int]:
        """Return the open files of all connections on this side of the transport."""
        ends = ((one.outer, one.inner) for one in self._passages)
        return frozenset(end.descriptor for pair in ends for end in pair if end is not None)

    def close_late(self, now: float, seconds: float) -> int:
        """End the connections whose greeting has lasted longer than it may; returns how many."""
        late = [one for one in self._strangers if now - one.made > seconds]
        for one in late:
            self._turn_away(one)
        return len(late)

    # -- how a connection comes in

    async def _serve(self) -> None:
        assert self._socket is not None, "the address is bound"
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Passage(self).outer,
            sock=self._socket,
            backlog=_TAKEN_AT_ONCE,
            start_serving=False,
        )
        await self._server.start_serving()
        self._socket.listen(_WAITING_TO_BE_TAKEN)

    def came(self, passage: Passage) -> None:
        """Note a connection that has just been made."""
        self._passages[passage] = None
        self._move(passage, Stage.SPEAKING)
        if len(self._strangers) > self._most:
            self._turn_away(self._strangers.oldest_of_most())

    def spoke(self, passage: Passage) -> None:
        """Hear what somebody says whom the transport does not hear yet."""
        heard = self._heard(passage.words)
        if heard is Heard.NONSENSE or len(passage.words) > MOST_BYTES:
            self._turn_away(passage)
        elif heard is Heard.WHOLE and passage.stage is Stage.SPEAKING:
            self._move(passage, Stage.WAITING)
            self._let_in()

    def _let_in(self) -> None:
        """Hand on as many as the transport may have now."""
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

    async def _hand_on(self, passage: Passage) -> None:
        def hear(data: bytes) -> None:
            passage.outer.write(data)
            self._answered(passage)

        inner = End(lambda: None, hear, lambda: self._came_out(passage))
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

    def _answered(self, passage: Passage) -> None:
        if not passage.is_answered:
            passage.is_answered = True
            self._answering -= 1
            self._let_in()

    def _move(self, passage: Passage, stage: Stage) -> None:
        before, now = self._crowds[passage.stage], self._crowds[stage]
        passage.stage = stage
        for crowd in before:
            if crowd not in now:
                crowd.discard(passage.origin, passage)
        for crowd in now:
            crowd.add(passage.origin, passage)

    # -- how it ends

    def _turn_away(self, passage: Passage) -> None:
        self._move(passage, Stage.GONE)
        passage.close()

    def left(self, passage: Passage) -> None:
        """Note that somebody has left."""
        self._move(passage, Stage.GONE)
        self._forget(passage)

    def _came_out(self, passage: Passage) -> None:
        """Note that the transport has closed a connection, or cannot be reached."""
        passage.is_inside = False
        self._by_port.pop(passage.port, None)
        passage.outer.close()
        self._answered(passage)
        self._forget(passage)

    def _forget(self, passage: Passage) -> None:
        if not (passage.is_outside or passage.is_inside):
            self._passages.pop(passage, None)
            if not self._passages:
                self._is_empty.set()


def _most_strangers() -> int:
    """Return how many may be there that have not ended their greeting."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_STRANGERS
    return min(MOST_STRANGERS, files // _STRANGERS_SHARE)
