"""The host of a match with signatures sends move files, whose contents no transcript checks."""

from pathlib import Path

import pytest

from netplay.invites.host_keys import load_authority
from netplay.invites.invite import Invite
from netplay.mail.mailboxes import SUFFIX
from netplay.mail.move_files.move_payload import (
    FORMAT,
    Envelope,
    ExchangeCertificates,
    MoveFile,
    format_move_file,
    new_payload,
)
from netplay.mail.seat import MailPeer
from netplay.wire.errors import NetworkError
from netplay.wire.messages import CAPABILITIES, Desync, Welcome, WireMessage, encode
from netplay.workers.match_server import rules_of
from saves.headers import encode_header
from tests.netplay.mail.post import file_in
from tests.netplay.test_eots_whole import ALLIED
from tests.netplay.test_fair import EOTS_PLAYERS, Hall


@pytest.mark.parametrize(
    ("has_copy", "problem"),
    [(True, "signed"), (False, "private file is missing")],
    ids=["copy", "no copy"],
)
async def test_a_seat_that_signs_accepts_and_writes_no_move_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_copy: bool, problem: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    hall = Hall(tmp_path, "eots", "1943", EOTS_PLAYERS)
    await hall.open()
    try:
        for role in EOTS_PLAYERS:
            hall.seat(role)
        await hall.live()
        match = hall.judged
        invite, folder = hall.opened.invites[ALLIED], tmp_path / ALLIED
        welcome = Welcome(
            header=encode_header(match.redacted_header(ALLIED)),
            seq=match.seq,
            chain=match.chain,
            capabilities=CAPABILITIES,
            rules=rules_of(match.ruleset),
            window_ms=0,
        )
        desync = Desync(seq=0, digest=bytes(32), agreed_seq=-1, agreed_chain=bytes(32), records=())
    finally:
        await hall.close()
    file = _file(tmp_path / "host", invite, welcome, desync)
    folder = folder if has_copy else tmp_path / "empty"
    before = {path: path.read_bytes() for path in folder.glob("*.fplog")}
    with pytest.raises(NetworkError, match=problem):
        await _exchange(invite, folder, file)
    assert {path: path.read_bytes() for path in folder.glob("*.fplog")} == before
    assert not list(folder.glob(f"*{SUFFIX}"))


async def _exchange(invite: Invite, folder: Path, file: MoveFile) -> str:
    peer = MailPeer(invite, folder)
    try:
        peer.receive(file)
        return peer.write()
    finally:
        await peer.close()


def _file(host: Path, invite: Invite, *messages: WireMessage) -> MoveFile:
    pair = load_authority(host).authority
    ends = ExchangeCertificates(own_key=pair.key, own=pair.certificate, other=invite.certificate)
    envelope = Envelope(format=FORMAT, match=invite.match, role=ALLIED, to_judge=False, number=1)
    payload = new_payload(tuple(map(encode, messages)), 0)
    return file_in(format_move_file(payload, envelope, ends, ()))
