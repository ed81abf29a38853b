"""AT-27 at the host: the size of a seat's post and the number of its messages are limited before any is checked."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.fair.message_server import MessageServer, PostAssembler
from netplay.fair.ordered_match import OrderedMatch
from netplay.fair.seat import split_post
from netplay.wire.errors import ProtocolError
from netplay.wire.messages import CHUNK_BYTES, Post, PostPart
from saves.decoding import canonical
from saves.fair.messages import MAX_MESSAGE_BYTES, MAX_MESSAGES, SignedMessage
from saves.records import MAX_RECORD_BYTES
from tests.netplay.fair.match import FairMatch

ALLIED, JAPAN = Role("allied"), Role("japan")


def post_of(size: int) -> Post:
    """Return a post whose encoding has this many bytes, a multiple of the longest message."""
    signature = bytes(64)
    long = SignedMessage(bytes(MAX_MESSAGE_BYTES - 80), signature)
    messages = (long,) * (size // MAX_MESSAGE_BYTES)
    rest = size - len(canonical(Post(messages=(*messages, SignedMessage(b"", signature)))))
    post = Post(messages=(*messages, SignedMessage(bytes(rest), signature)))
    assert len(canonical(post)) == size
    return post


def in_pieces(data: bytes, total: int) -> Iterator[PostPart]:
    """Yield data as a post that claims to have a length in total."""
    for offset in range(0, len(data), CHUNK_BYTES):
        piece = data[offset : offset + CHUNK_BYTES]
        yield PostPart(request_id="a", offset=offset, total=total, data=piece)


def test_a_post_longer_than_a_record_is_refused() -> None:
    posts, longest = PostAssembler(), post_of(MAX_RECORD_BYTES)
    *parts, last = split_post(longest)
    assert not any(posts.add_part(ALLIED, part) for part in parts)
    assert posts.add_part(ALLIED, last) == longest
    too_long = in_pieces(bytes(MAX_RECORD_BYTES + 1), MAX_RECORD_BYTES + 1)
    for part in too_long:
        with pytest.raises(ProtocolError, match="out of order"):
            posts.add_part(ALLIED, part)


def test_unfinished_posts_use_bounded_memory() -> None:
    posts, kept = PostAssembler(), 0
    for _ in range(3):
        for part in in_pieces(bytes(MAX_RECORD_BYTES - 1), MAX_RECORD_BYTES):
            assert posts.add_part(ALLIED, part) is None
        kept = max(kept, sum(map(len, posts._buffers.values())))
    assert kept < MAX_RECORD_BYTES
    other = Post(messages=(SignedMessage(b"a", bytes(64)),))
    (part,) = split_post(other)
    assert posts.add_part(JAPAN, part) == other, "the other seat is not affected"


@pytest.fixture
def agreeing(tmp_path: Path) -> Iterator[tuple[MessageServer, FairMatch]]:
    """A host that waits for the agreements of all seats."""
    match = FairMatch("eots", "south-pacific", seed=3)
    ordered = OrderedMatch.prepare(match.game, match.header, match.host_key)
    desk = MessageServer(ordered, tmp_path / "match.pending7", time.monotonic)
    for seat in match.seats.values():
        assert seat.receive(ordered.transcript.segment[0]) is None
    yield desk, match
    desk.pending.close()


def test_a_post_with_more_than_64_messages_is_refused(
    agreeing: tuple[MessageServer, FairMatch],
) -> None:
    desk, match = agreeing
    (agreement,) = match.seats[ALLIED].due_messages()
    before = desk.match.fair_state
    many, too_many = (Post(messages=(agreement,) * n) for n in (MAX_MESSAGES, MAX_MESSAGES + 1))
    (part,) = split_post(too_many)
    with pytest.raises(ProtocolError, match="too many messages"):
        desk.add_part(ALLIED, part)
    assert desk.match.fair_state is before
    (part,) = split_post(many)
    assert desk.add_part(ALLIED, part) == many


def test_a_message_longer_than_256_kib_is_refused(
    agreeing: tuple[MessageServer, FairMatch],
) -> None:
    desk, _ = agreeing
    post = Post(messages=(SignedMessage(bytes(MAX_MESSAGE_BYTES + 1), bytes(64)),))
    *parts, last = split_post(post)
    assert not any(desk.add_part(ALLIED, part) for part in parts)
    with pytest.raises(ProtocolError):
        desk.add_part(ALLIED, last)
