"""A player never answers an offer by mail. Bots and standing orders must not wait for that player for good."""

import asyncio
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from netplay.mail.mailboxes import OFFER_SECONDS, SUFFIX, HostMailbox, load_mailbox, save_mailbox
from netplay.workers.host_bots import save_bot_invite
from play.offers import OfferKind
from tests.netplay.mail.post import Post
from tests.toy_six import ASH, ELM, ROLES, Rest

PEOPLE: dict[Role, str] = {ASH: "Ann", ELM: "Bob"}
MAILBOXES = Path(__file__).with_name("mailboxes")
LONG = 40.0
"""Less than the time for which a host waits for a bot that does not answer, in seconds."""


def post_with_bots(folder: Path) -> Post:
    players = {role: PEOPLE.get(role, "bot:random") for role in ROLES}
    post = Post(folder, "six", "short", players, None)
    for role in ROLES:
        if role not in PEOPLE:
            save_bot_invite(post.hosted, post.invites[role])
    return post


async def offer(post: Post) -> None:
    """Let one person move and offer a break in one file. A bot must decide next."""
    with pytest.MonkeyPatch.context() as patch:  # no bot may move before the offer
        patch.setattr("netplay.workers.match_server.MatchServer.start_bots", lambda *_: None)
        patch.setattr("netplay.mail.standing_orders._SETTLE_SECONDS", 0.0)
        await post.to_seat(ASH, await post.from_judge(ASH))
        async with post.seat(ASH) as peer:
            await peer.submit(Rest())
            await peer.propose(OfferKind.ADJOURNMENT)
            text = peer.write()
        await post.to_judge(text)
    async with post.desk() as desk, asyncio.timeout(LONG):
        await desk.order_runner.wait_until_idle()
        open_offer = desk.table.chat_and_offers.offer
        assert open_offer is not None
        assert open_offer.waiting_for == (ELM,)


def make_older(post: Post) -> None:
    """Change the mailbox as if the first offer had been made long ago."""
    path = post.hosted / f"{post.match}{SUFFIX}"
    mailbox = load_mailbox(path, HostMailbox)
    delay = mailbox.offer_delay
    assert delay is not None
    mailbox.offer_delay = type(delay)(seq=delay.seq, since=delay.since - OFFER_SECONDS)
    save_mailbox(path, mailbox)


async def test_an_offer_by_mail_ends_if_a_player_never_answers(tmp_path: Path) -> None:
    post = post_with_bots(tmp_path)
    await offer(post)
    async with post.desk() as desk:
        assert desk.has_unsent((ELM,))  # a file must ask the player
        desk.write((ELM,))
        assert not desk.has_unsent((ELM,))
        head = desk.table.match.seq
    make_older(post)
    async with post.desk() as desk:
        assert desk.table.chat_and_offers.offer is None
        assert "nobody answered in time" in desk.table.chat_and_offers.chat[-1].text
    async with post.seat(ASH) as peer:
        await peer.say("Go on.")
        text = peer.write()
    await post.to_judge(text)
    async with post.desk() as desk:
        assert desk.table.match.seq > head  # the bots have moved


async def test_offers_one_after_another_cannot_delay_the_next_record(tmp_path: Path) -> None:
    post = post_with_bots(tmp_path)
    await offer(post)
    make_older(post)
    async with post.seat(ASH) as peer:
        await peer.propose(OfferKind.ADJOURNMENT)
        text = peer.write()
    await post.to_judge(text)
    async with post.desk() as desk:
        assert desk.table.match.seq > 1


async def test_an_offer_from_the_future_is_dated_back(tmp_path: Path) -> None:
    """The clock of the host's machine was ahead when the offer was made."""
    post = post_with_bots(tmp_path)
    await offer(post)
    path = post.hosted / f"{post.match}{SUFFIX}"
    mailbox = load_mailbox(path, HostMailbox)
    assert mailbox.offer_delay is not None
    delay = mailbox.offer_delay
    mailbox.offer_delay = type(delay)(seq=delay.seq, since=delay.since + 10 * OFFER_SECONDS)
    save_mailbox(path, mailbox)
    async with post.desk():
        pass
    make_older(post)
    async with post.desk() as desk:
        assert desk.table.chat_and_offers.offer is None


def test_mailbox_of_version_1_is_read(tmp_path: Path) -> None:
    old = load_mailbox(MAILBOXES / "host-1.mail", HostMailbox)
    assert old.mail == 2
    assert old.offer is not None
    assert not old.is_offer_overdue(5, 1_000)
    assert old.is_offer_overdue(5, 1_000 + OFFER_SECONDS)
    assert not old.is_offer_overdue(
        6, 1_000 + OFFER_SECONDS
    )  # the delay begins again with a record
    save_mailbox(tmp_path / "new.mail", old)
    assert load_mailbox(tmp_path / "new.mail", HostMailbox) == old
