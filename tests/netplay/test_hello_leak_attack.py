"""A connection ends before the host handles its first message, so the host never forgets the message."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from netplay.transport.listener import Connection, ConnectionRequest, Listener
from netplay.wire import messages as wire
from netplay.workers import channel
from netplay.workers.in_flight_marker import InFlightMarker, new_marker_file
from netplay.workers.worker import Worker
from tests.netplay.raw import hello
from tests.netplay.tables import room, toy_rules, until
from tests.toy_game import RED

if TYPE_CHECKING:
    import pynng

_CONNECTION = 5_000
_REMOTE = "192.0.2.1:5"


class _Pipe:
    """Stands for the transport's handle of a connection."""

    id = 1


class _Context:
    """Stands for a request of the transport."""

    async def asend(self, data: bytes) -> None:
        del data


class _Channel:
    """Receives the worker's reports."""

    def __init__(self) -> None:
        self.sent: list[channel.WorkerMessage] = []

    def send(self, message: channel.WorkerMessage) -> None:
        self.sent.append(message)


async def test_a_worker_forgets_a_connection_after_its_earlier_messages(tmp_path: Path) -> None:
    async with room(tmp_path) as table:
        with new_marker_file() as file:
            worker = Worker(InFlightMarker(file.fileno()), toy_rules)
        reports = _Channel()
        worker._channel = reports  # type: ignore[assignment]  # only sends
        worker._server = table.house
        data = wire.encode(hello(table, RED))
        worker._on_order(
            channel.WorkerRequest(
                number=1, line=_CONNECTION, data=data, certified=None, remote=_REMOTE
            )
        )
        worker._on_order(channel.Disconnected(line=_CONNECTION))
        await until(lambda: len(reports.sent) == 1 and not worker._tasks)
        assert table.house._admission is not None
        assert not table.house._admission._pending_hellos


async def test_a_greeting_is_not_handled_after_its_connection_has_ended() -> None:
    handled: list[ConnectionRequest] = []

    async def handle(request: ConnectionRequest) -> bytes:
        handled.append(request)
        return b""

    listener = Listener(handle, lambda _: None)
    pipe, context = cast("pynng.Pipe", _Pipe()), cast("pynng.Context", _Context())
    connection = Connection(pipe, _CONNECTION, 0, _REMOTE, tls=False)
    connection.unanswered = 1
    request = ConnectionRequest(b"", _CONNECTION, None, _REMOTE)
    await listener._answer(context, connection, request)
    assert not handled
    listener._connections[_CONNECTION] = connection
    await listener._answer(context, connection, request)
    assert handled == [request]


async def test_a_late_greeting_of_an_authenticated_connection_is_not_stored(
    tmp_path: Path,
) -> None:
    """An invite for spectators is enough to authenticate."""
    async with room(tmp_path) as table:
        listener = Listener(table.host._handle, lambda _: None)
        pipe, context = cast("pynng.Pipe", _Pipe()), cast("pynng.Context", _Context())
        connection = Connection(pipe, _CONNECTION, 0, _REMOTE, tls=False)
        connection.is_authenticated = True
        connection.unanswered = 1
        data = wire.encode(hello(table, RED))
        request = ConnectionRequest(data, _CONNECTION, None, _REMOTE)
        await listener._answer(context, connection, request)
        assert _CONNECTION not in table.host._backends
        assert table.house._admission is not None
        assert not table.house._admission._pending_hellos
