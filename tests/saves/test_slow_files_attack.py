"""Small record files that take very long: the time grows with the square of their length."""

import time
from pathlib import Path

import msgspec

from saves.chain import record_chain
from saves.framing import _prefix, scan
from saves.logfile import log_bytes
from saves.records import Record
from saves.remarks import make_remark
from saves.verify import verify_content
from tests.saves.play import new_match, play
from tests.toy_game import RED, TOY

SECONDS = 2.0
"""Several times as much as a linear check of these files needs."""
change = msgspec.structs.replace


def test_repeated_frame_prefixes_after_zeros_are_scanned_in_bounded_time() -> None:
    """Each may be the first byte of a long frame, whose checksum takes as long as reading the whole file."""
    match = new_match()
    good = log_bytes(match.header, list(match.records))
    length = 4 << 20
    beginning = _prefix(length) + bytes(4) + b"\x01" * 4
    junk = bytes(1_024) + beginning * 600 + b"\x01" * (length + 100)
    began = time.process_time()
    found = scan("test", good + junk)
    spent = time.process_time() - began
    assert found.intact_bytes == len(good)
    assert spent < SECONDS, f"{spent:.1f} s for a file of {len(good + junk)} bytes"


def linked(records: list[Record], record: Record) -> None:
    made = change(record, seq=len(records), prev=records[-1].chain)
    records.append(change(made, chain=record_chain(made)))


def test_many_takebacks_are_verified_in_a_bounded_time() -> None:
    """No takeback leads to a record whose state is kept, so each one goes through all records before it."""
    match = new_match()
    play(match, 4, 1)
    match.add_statement(RED, make_remark("Hello"))
    records = list(match.redacted_records(None))
    remark = records[-1]
    takeback = change(remark, kind="takeback", command=None)
    while len(records) < 8_000:
        seq = len(records)
        back = 2 if seq % 64 == 1 else 1
        linked(records, remark if seq % 64 == 0 else change(takeback, takeback_to=seq - back))
    content = log_bytes(match.redacted_header(None), records)
    began = time.process_time()
    verdict = verify_content(Path("test.fplog"), content, TOY)
    spent = time.process_time() - began
    assert verdict.status == "ok"
    assert spent < SECONDS, f"{spent:.1f} s for a file of {len(content)} bytes"
