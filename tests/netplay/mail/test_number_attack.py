"""A modified program sends a move file that no honest program writes. The reader's own files stay usable."""

from pathlib import Path

import pytest

from netplay.invites.host_keys import load_authority
from netplay.mail.move_files.move_payload import (
    FORMAT,
    Envelope,
    ExchangeCertificates,
    MoveFile,
    MoveFileError,
    format_move_file,
    new_payload,
)
from netplay.wire.messages import (
    CAPABILITIES,
    ChatLine,
    Desync,
    PollUpdates,
    Update,
    Welcome,
    WireMessage,
    encode,
)
from netplay.workers.match_server import rules_of
from saves.headers import encode_header
from saves.records import encode_record
from saves.redaction import redact_record
from tests.netplay.mail.post import Post, file_in
from tests.netplay.mail.test_post import begin, toy_post
from tests.toy_game import BLUE

LARGE = 2**53
LARGEST_NUMBER = 2**32 - 1


def file_with(
    post: Post, *messages: WireMessage, heard: int, to_judge: bool, number: int = 1
) -> MoveFile:
    """A file between the host and a seat, with any content."""
    host, invite = load_authority(post.hosted).authority, post.invites[BLUE]
    own, other = (invite, host) if to_judge else (host, invite)
    ends = ExchangeCertificates(own_key=own.key, own=own.certificate, other=other.certificate)
    envelope = Envelope(
        format=FORMAT, match=post.match, role=BLUE, to_judge=to_judge, number=number
    )
    return file_in(
        format_move_file(new_payload(tuple(map(encode, messages)), heard), envelope, ends, ())
    )


@pytest.mark.parametrize(("heard", "lines"), [(LARGE, 0), (LARGEST_NUMBER, 0), (0, LARGE)])
async def test_large_numbers_in_a_file_do_not_damage_the_mailbox_of_the_host(
    tmp_path: Path, heard: int, lines: int
) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    async with post.desk() as desk:
        match = desk.table.match
        poll = PollUpdates(
            seq=match.seq, chain=match.chain, digest=match.view_digest(BLUE), heard=lines
        )
    file = file_with(post, poll, heard=heard, to_judge=True)
    async with post.desk() as desk:
        if heard == LARGE:
            with pytest.raises(MoveFileError, match="cannot read"):
                await desk.receive(file)
        else:
            await desk.receive(file)
        assert desk.write((BLUE,))
    async with post.desk() as desk:
        assert desk.write((BLUE,))


async def opening_messages(post: Post, *chat: ChatLine) -> tuple[Welcome, Update]:
    """The messages with which a host begins."""
    async with post.desk() as desk:
        match = desk.table.match
        welcome = Welcome(
            header=encode_header(match.redacted_header(BLUE)),
            seq=match.seq,
            chain=match.chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=0,
        )
        record = encode_record(redact_record(match.ruleset, match.records[0], BLUE))
    return welcome, Update(head=0, records=(record,), chat=chat)


@pytest.mark.parametrize(("heard", "line"), [(LARGEST_NUMBER, 1), (0, LARGE)])
async def test_large_numbers_in_a_file_do_not_damage_the_mailbox_of_a_seat(
    tmp_path: Path, heard: int, line: int
) -> None:
    post = toy_post(tmp_path)
    messages = await opening_messages(post, ChatLine(number=line, role="red", text="hello"))
    file = file_with(post, *messages, heard=heard, to_judge=False)
    async with post.seat(BLUE) as seat:
        seat.receive(file)
        assert seat.write()
    async with post.seat(BLUE) as seat:
        assert seat.is_ready
        assert seat.write()


@pytest.mark.parametrize("kind", ["update", "desync", "nothing"])
async def test_first_file_without_the_header_is_refused(tmp_path: Path, kind: str) -> None:
    post = toy_post(tmp_path)
    _, update = await opening_messages(post)
    desync = Desync(seq=0, agreed_seq=-1, agreed_chain=bytes(32), digest=None, records=())
    messages = {"update": (update,), "desync": (desync,), "nothing": ()}[kind]
    async with post.seat(BLUE) as seat:
        with pytest.raises(MoveFileError, match="does not begin with the set-up of the match"):
            seat.receive(file_with(post, *messages, heard=0, to_judge=False))
        assert not seat.is_ready
