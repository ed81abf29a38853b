"""A host sends terminal codes in the names of a match that has not begun."""

from pathlib import Path

import msgspec
import pytest

from netplay.peer.peer import Peer
from netplay.wire.messages import Waiting
from netplay.workers.match_server import rules_of
from saves.headers import decode_header, encode_header
from tests.netplay.tables import room, toy_rules
from tests.toy_game import RED, TOY
from tui.app.launch import _wait_until_ready
from tui.console.keyboard import Keyboard, TypedAhead

_CODES = "\x1b]0;owned\x07\x1b[2J"


async def test_line_mode_prints_no_terminal_codes_while_a_match_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with room(tmp_path) as table:
        invite = table.invites[RED]
        header = table.host.tables[table.match].match.redacted_header(RED)
    bot = msgspec.structs.replace(header.seats[0], role=_CODES, player="bot:random")
    data = encode_header(msgspec.structs.replace(header, seats=(*header.seats, bot)))
    waiting = Waiting(header=data, rules=rules_of(TOY), missing=(RED,), mode="fair")
    peer = Peer(invite, tmp_path / "peer", toy_rules)
    peer.replicator._show_waiting(decode_header(data), waiting)
    typed_ahead = TypedAhead(Keyboard())
    typed_ahead.has_left = True
    monkeypatch.setattr(typed_ahead, "listen", lambda: None)
    capsys.readouterr()
    assert await _wait_until_ready((peer,), typed_ahead)
    printed = capsys.readouterr().out
    await peer.close()
    assert "The mode is fair" in printed
    assert printed.replace("\n", "").isprintable()
