"""A copy of a running match whose host deals hides public events. No key is needed for such a file."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.decoding import canonical
from saves.fair.messages import decode_message
from saves.fair.segments import Segment, StoredMessage
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog
from saves.records import Record
from saves.redaction import hide_entry
from tests.netplay.fair.dealt import certain, opened
from tests.netplay.fair.match import CopyOfMatch, FairMatch, verdict_of

change = msgspec.structs.replace


@pytest.fixture(scope="module")
def running() -> FairMatch:
    match = opened("eots", "south-pacific", seed=51)
    match.play(*certain(match))
    return match


def whole_messages(match: FairMatch, records: list[Record]) -> Segment:
    """Return the last record's messages, none of which leaves out an event."""
    log, record = TranscriptLog(match.setup), records[-1]
    for earlier in records[:-1]:
        log.receive(earlier)
    messages = []
    for signed in log.restore_messages(record):
        one = decode_message(match.match_id, signed.data)
        body = canonical(one.body)
        messages.append(
            StoredMessage(one.kind.value, one.author, one.anchor, body, signed.signature)
        )
    assert record.transcript is not msgspec.UNSET
    return change(record.transcript, messages=tuple(messages))


@pytest.mark.parametrize("role", [Role("japan"), None])
def test_copy_that_hides_public_events_is_false(
    running: FairMatch, role: Role | None, tmp_path: Path
) -> None:
    copy = running.record_files[role]
    *earlier, last = copy.records
    events = tuple(hide_entry(one) if one.salt == PUBLIC_SALT else one for one in last.events)
    segment = whole_messages(running, copy.records)
    false = CopyOfMatch(running.setup, running.header, role, running)
    false.records = [*earlier, change(last, events=events, transcript=segment)]
    assert record_chain(false.records[-1]) == last.chain, "the chain does not show it"
    right, verdict = verdict_of(copy, tmp_path), verdict_of(false, tmp_path)
    assert right.status == "ok"
    assert verdict.status == "false", ("another position counts as right so far", verdict.view)
