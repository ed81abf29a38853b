"""A seat with a modified program sends move files that no honest program writes. The match goes on for all."""

from pathlib import Path

import pytest

from engine.kernel.ids import Role
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
from netplay.wire.messages import OfferAnswer, PollUpdates, WireMessage, encode
from play.standing_orders import StandingOrders
from tests.netplay.mail.post import Post, file_in
from tests.netplay.mail.test_post import begin, toy_post
from tests.toy_game import BLUE

MANY = 100


async def hostile_file(
    post: Post,
    role: Role,
    *messages: WireMessage,
    orders: StandingOrders | None = None,
    number: int = 900,
) -> MoveFile:
    """Return a file with any content, sealed with the seat's own key."""
    async with post.desk() as desk:
        match = desk.table.match
        poll = PollUpdates(seq=match.seq, chain=match.chain, digest=match.view_digest(role))
    invite = post.invites[role]
    ends = ExchangeCertificates(
        own_key=invite.key,
        own=invite.certificate,
        other=load_authority(post.hosted).authority.certificate,
    )
    envelope = Envelope(format=FORMAT, match=post.match, role=role, to_judge=True, number=number)
    payload = new_payload(tuple(map(encode, (poll, *messages))), 0, orders)
    return file_in(format_move_file(payload, envelope, ends, ()))


@pytest.mark.parametrize(
    "orders",
    [
        StandingOrders(courses=("\x01" * 7_900_000,)),
        StandingOrders(uses=("hold",) * 1_000_000),
    ],
    ids=["one long order", "many orders"],
)
async def test_oversized_standing_orders_are_refused_and_the_match_reopens(
    tmp_path: Path, orders: StandingOrders
) -> None:
    """The host would keep them in its mailbox, which it could not read any more."""
    post = toy_post(tmp_path)
    await begin(post)
    file = await hostile_file(post, BLUE, orders=orders)
    async with post.desk() as desk:
        with pytest.raises(MoveFileError, match="cannot read"):
            await desk.receive(file)
    async with post.desk() as desk:
        assert desk.mailbox.seat_state(BLUE).orders is None


async def test_the_mailbox_of_the_host_stores_a_bounded_number_of_refusals(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    answers = [OfferAnswer(request_id=f"{n:064}", offer=99, agree=True) for n in range(MANY)]
    file = await hostile_file(post, BLUE, *answers)
    async with post.desk() as desk:
        await desk.receive(file)
    async with post.desk() as desk:
        assert 0 < len(desk.mailbox.seat_state(BLUE).verdicts) < MANY
        assert desk.write((BLUE,))
