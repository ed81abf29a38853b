"""A small copy whose messages become large: each request leaves out the same long command."""

import tracemalloc
from pathlib import Path
from typing import Final

import msgspec

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.decoding import canonical
from saves.fair.messages import Kind, Request
from saves.fair.secrets import entry_commitment
from saves.fair.segments import Segment, StoredMessage
from saves.fair.transcript_log import _ELIDED, PUBLIC_SALT
from saves.records import Entry
from saves.verify import verify_file
from tests.netplay.fair.dealt import opened
from tests.netplay.fair.match import CopyOfMatch

change = msgspec.structs.replace
_COMMAND_BYTES: Final = 200_000
_REQUESTS: Final = 1_000
_MOST_BYTES: Final = 100 << 20


def test_small_copy_needs_little_memory(tmp_path: Path) -> None:
    """No key is needed. With 10,000 requests, a copy of 1.3 MB takes 2 GB."""
    match = opened("eots", "south-pacific", seed=3)
    (opening,) = match.record_files[None].records
    assert opening.transcript is not msgspec.UNSET
    body = canonical({"type": "pass", "x": "x" * _COMMAND_BYTES})
    commitment = entry_commitment(PUBLIC_SALT, "pass", 1, body)
    request = canonical(Request(1, _ELIDED, uses_chance=False))
    role = next(iter(match.seats))
    message = StoredMessage(Kind.REQUEST.value, role, match.state.index, request, bytes(64))
    segment = Segment((message,) * _REQUESTS, bytes(32), bytes(64))
    false = change(
        opening,
        seq=1,
        prev=opening.chain,
        kind="command",
        role=Role(role),
        command=Entry(tag="pass", v=1, body=body, commitment=commitment, salt=PUBLIC_SALT),
        events=(),
        transcript=segment,
    )
    copy = CopyOfMatch(match.setup, match.header, None, match)
    copy.records = [opening, change(false, chain=record_chain(false))]
    path = tmp_path / "copy.fplog"
    copy.write(path)
    tracemalloc.start()
    try:
        verdict = verify_file(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert verdict.status == "false", verdict
    assert most < _MOST_BYTES, (path.stat().st_size, most)
