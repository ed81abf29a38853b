"""A player receives a file that looks like their invite, but that their host has not issued."""

import datetime as dt
import os
from pathlib import Path

import pytest

from netplay.invites.identity import new_authority
from netplay.invites.invite import Invite, load_invites, new_invite, write_invites
from netplay.mail.mail_store import MailStore
from netplay.wire.errors import InviteError
from tests.netplay.mail.post import Post
from tests.netplay.tables import PLAYERS, toy_rules
from tests.toy_game import BLUE, RED

NOW = dt.datetime.now(dt.UTC)
MATCH = "0123456789abcdef"


def invite() -> Invite:
    """Return an invite for the same seat from a new host."""
    valid = (NOW, NOW + dt.timedelta(days=30))
    return new_invite(new_authority(NOW), (), MATCH, "eots", "japan", valid)


def test_invite_from_another_host_does_not_replace_the_stored_one(tmp_path: Path) -> None:
    """Without the key in the first invite, the player cannot return to the seat."""
    kept, received = tmp_path / "invites", tmp_path / "received"
    store = MailStore(hosted=tmp_path / "hosted", invites=(kept,), copies=tmp_path / "copies")
    own = invite()
    store.find(str(write_invites(received, (own,), "bob.invite")))
    (received / "bob.invite").unlink()
    assert [load_invites(path) for path in kept.iterdir()] == [(own,)]
    store.find(str(write_invites(received, (invite(),), "bob.invite")))
    assert (own,) in [load_invites(path) for path in kept.iterdir()]


async def test_newer_invite_from_another_host_does_not_block_the_move_files_of_a_match(
    tmp_path: Path,
) -> None:
    post = Post(tmp_path, "toy", "short", PLAYERS, RED)
    kept, copies = tmp_path / "kept", tmp_path / "joined"
    store = MailStore(hosted=tmp_path / "none", invites=(kept,), copies=copies, rulesets=toy_rules)
    own_path = write_invites(kept, (post.invites[BLUE],), "bob.invite")
    await store.receive((await post.from_judge(BLUE)).encode())
    valid = (NOW, NOW + dt.timedelta(days=30))
    forged = new_invite(new_authority(NOW), (), post.match, "toy", BLUE, valid)
    forged_path = write_invites(kept, (forged,), "new.invite")
    os.utime(own_path, (0, 0))
    await store.receive((await post.from_judge(BLUE, whole=True)).encode())
    assert [seat.invites for seat in store.seated_matches()] == [(post.invites[BLUE],)]
    received = forged_path.rename(tmp_path / "received.invite")
    with pytest.raises(InviteError, match="not from the host of your match"):
        store.find(str(received))
    assert list(kept.iterdir()) == [own_path]
