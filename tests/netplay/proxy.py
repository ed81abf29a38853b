"""A hostile line: frames are dropped, duplicated, delayed and reordered, and connections are cut, by a seed."""

import asyncio
import contextlib
import random
import socket
import struct

_LENGTH = struct.Struct(">Q")
_GREETING_BYTES = 8
_STOP_SECONDS = 20


class HostileProxy:
    """Sits between peers and a host that use plain TCP, and parses their frames."""

    def __init__(self, seed: int, port: int) -> None:
        self.port = 0
        self.is_hostile = True
        self.faults = 0
        self._is_stopping = False
        self._chance = random.Random(seed)
        self._target = port
        self._socket: socket.socket | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """Return the number of open connection ends."""
        return len(self._writers)

    async def start(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._socket, self._take, self._socket)

    def _take(self, listening: socket.socket) -> None:
        """Accept a connection. The asyncio server loses connections that arrive while it is closing."""
        with contextlib.suppress(BlockingIOError):
            made, _ = listening.accept()
            made.setblocking(False)
            task = asyncio.create_task(self._accept(made))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        assert self._socket is not None
        self._is_stopping = True
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        async with asyncio.timeout(_STOP_SECONDS):
            while self._tasks:
                self.cut()
                await asyncio.wait(tuple(self._tasks), timeout=0.2)

    def cut(self) -> None:
        """End every connection at once."""
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _accept(self, made: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=made)
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        both = {writer, other_writer}
        self._writers |= both
        try:
            await asyncio.gather(self._pump(reader, other_writer), self._pump(other_reader, writer))
        except (OSError, EOFError):
            self.is_hostile = self.is_hostile and not self._is_stopping
        finally:
            self._writers -= both
            for each in both:
                each.close()
            for each in both:
                with contextlib.suppress(OSError):
                    await each.wait_closed()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(_GREETING_BYTES))
        held = b""
        while True:
            head = await reader.readexactly(_LENGTH.size)
            frame = head + await reader.readexactly(_LENGTH.unpack(head)[0])
            deed = self._chance.random() if self.is_hostile else 1.0
            if deed < 0.25:
                self.faults += 1
            if deed < 0.03:
                raise ConnectionResetError("cut")
            if deed < 0.05:
                writer.write(frame[: len(frame) // 2])
                await writer.drain()
                raise ConnectionResetError("cut in the middle of a frame")
            if deed < 0.10:
                continue
            if deed < 0.15:
                await asyncio.sleep(self._chance.uniform(0.0, 0.05))
            elif deed < 0.20 and not held:
                held = frame
                continue
            elif deed < 0.25:
                frame += frame
            writer.write(frame + held)
            held = b""
            await writer.drain()
