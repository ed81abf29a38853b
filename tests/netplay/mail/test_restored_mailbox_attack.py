"""A player's mailbox is an older copy, so its next files have numbers that the host has already accepted."""

from pathlib import Path

from netplay.mail.mailboxes import SUFFIX
from tests.netplay.mail.test_post import begin, toy_post
from tests.toy_game import BLUE, Hold


async def test_commands_and_messages_from_an_old_mailbox_are_not_lost(tmp_path: Path) -> None:
    post = toy_post(tmp_path)
    await begin(post)
    path = post.copies / BLUE / f"{post.match}.{BLUE}{SUFFIX}"
    backup = path.read_bytes()
    for _ in range(3):
        await post.to_judge(await post.from_seat(BLUE))
    path.write_bytes(backup)
    async with post.seat(BLUE) as peer:
        await peer.submit(Hold())
        await peer.say("Back again.")
        text = peer.write()
    assert (await post.to_judge(text)).is_old
    await begin(post)
    report = await post.to_judge(await post.from_seat(BLUE))
    assert report.carried_out == 1
    assert report.chat_texts == ["Back again."]
    await begin(post)
    async with post.seat(BLUE) as peer:
        assert peer.waiting_commands == ()
        assert peer.mailbox.requests == ()
