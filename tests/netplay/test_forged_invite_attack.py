"""Somebody sends a player a file that looks like the player's invite, but that the player's host has not issued."""

import datetime as dt
from pathlib import Path

from netplay.invites.identity import new_authority
from netplay.invites.invite import Invite, load_invites, new_invite, write_invites
from netplay.mail.mail_store import MailStore

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
