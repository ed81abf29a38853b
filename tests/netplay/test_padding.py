"""F7: the length of a message reveals nothing about its content."""

import asyncio
from collections import defaultdict
from pathlib import Path

import pytest

from netplay.transport.listener import ConnectionRequest
from netplay.wire import messages as wire
from netplay.wire.errors import ProtocolError
from netplay.wire.message_size import MAX_PAYLOAD_BYTES
from netplay.wire.padding import SIZES, pad, unpad
from saves.decoding import canonical
from tests.netplay.raw import dialled, hello
from tests.netplay.tables import is_over, live, play, room
from tests.toy_game import BLUE, RED, CardId, Hold, Lay, Roll, Swap

pytestmark = pytest.mark.series("F7")


@pytest.mark.parametrize("length", [0, 1, 506, 507, 508, 60_000, MAX_PAYLOAD_BYTES - 5])
def test_padded_data_round_trips(length: int) -> None:
    data = b"\x80" * length
    filled = pad(data)
    assert len(filled) in SIZES
    assert unpad(filled) == data


def test_data_without_room_for_padding_is_unchanged() -> None:
    data = b"\x80" * (MAX_PAYLOAD_BYTES - 4)
    assert pad(data) == data == unpad(data)


@pytest.mark.parametrize(
    "data", [b"\xc1", b"\xc1\0\0", b"\xc1\0\0\0\x02x", b"\xc1" + b"\xff" * 600]
)
def test_a_message_shorter_than_its_declared_length_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        wire.decode_request(data)


def test_an_unpadded_message_is_accepted() -> None:
    ping = wire.Ping(token=7)
    assert wire.decode_request(unpad(wire.encode(ping))) == ping


def test_all_commands_are_padded_to_one_length() -> None:
    commands = (Hold(), Roll(), Swap(card=None), Swap(card=CardId("c01")), Lay(card=CardId("c02")))
    sizes = {
        len(
            wire.encode(
                wire.Submit(request_id="r" * 24, expected_seq=seq, command=canonical(command))
            )
        )
        for command in commands
        for seq in (0, 1_000)
    }
    assert sizes == {SIZES[0]}


async def test_all_messages_of_a_game_are_padded_to_a_standard_size(tmp_path: Path) -> None:
    lengths: dict[str, set[int]] = defaultdict(set)
    async with room(tmp_path, "short", plain=True) as table:
        handle = table.host._listener._handler

        async def noting(request: ConnectionRequest) -> bytes | None:
            answer = await handle(request)
            assert answer is not None
            lengths[type(wire.decode_request(request.data)).__name__].add(len(request.data))
            lengths[type(wire.decode_answer(answer)).__name__].add(len(answer))
            return answer

        table.host._listener._handler = noting
        red, blue = table.peer(RED), table.peer(BLUE)
        await live(red, blue)
        await asyncio.gather(play(red, 99, 1), play(blue, 99, 2))
        assert is_over(red)
    assert {"Submit", "Accepted", "Update", "PollUpdates", "Welcome", "Pong"} <= set(lengths)
    first_and_last = lengths.pop("Hello", set()) | lengths.pop("Bye", set())
    assert max(first_and_last) < SIZES[0]
    assert set().union(*lengths.values()) <= set(SIZES)
    assert lengths["Submit"] == {SIZES[0]}


async def test_an_older_program_without_padding_receives_an_unpadded_refusal(
    tmp_path: Path,
) -> None:
    async with room(tmp_path, plain=True) as table:
        line = await dialled(table.invites[RED])
        older = wire.Hello(
            protocol=2,
            capabilities=wire.CAPABILITIES,
            match=table.match,
            role="red",
            nonce=hello(table, RED).nonce,
        )
        answer = await line.ask(wire.encode(older), 10)
        assert not answer.startswith(b"\xc1")
        bye = wire.decode_answer(answer)
        assert isinstance(bye, wire.Bye)
        assert bye.reason == (
            f"the other program uses protocol 2, but this program uses {wire.PROTOCOL}; the other program is older"
        )
        assert not bye.again
        await line.close()
