"""A host that sends a seat a record in which public events are hidden, or have lost their salts.

Messages, chain value and signatures stay right. In a match whose seats deal, the seat could compute every public event
from the messages alone.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from netplay.feed.desync_detector import DesyncDetector
from netplay.peer.status import ConnectionState
from saves.decoding import canonical
from saves.fair.messages import Kind, decode_body
from saves.fair.segments import Segment
from saves.fair.transcript_log import PUBLIC_SALT, _MessageRestorer
from saves.records import Entry, Record
from saves.redaction import hide_entry
from saves.timeline import view_digest
from saves.verify import verify_file
from tests.netplay.hostile import hostile_hall
from tests.netplay.tables import until
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
LIMIT = 60.0
REFUSED = (ConnectionState.LOST, ConnectionState.STOPPED)
change = msgspec.structs.replace


def without_salt(entry: Entry) -> Entry:
    return change(entry, salt=None)


def altered(alter: Callable[[Entry], Entry], record: Record) -> Record:
    """Return a command's record with other public events, and with messages that leave out no event."""
    if record.kind != "command" or record.transcript is msgspec.UNSET:
        return record
    segment = record.transcript
    restorer = _MessageRestorer(None, -1, {}, record)  # type: ignore[arg-type]  # only bodies are restored
    messages = tuple(
        change(one, body=canonical(restorer._fill_body(decode_body(Kind(one.kind), one.body))))
        for one in segment.messages
    )
    events = tuple(alter(one) if one.salt == PUBLIC_SALT else one for one in record.events)
    return change(record, events=events, transcript=Segment(messages, segment.head, segment.order))


@pytest.mark.parametrize(
    "alter",
    [
        pytest.param(hide_entry, id="hidden", marks=pytest.mark.full),
        pytest.param(without_salt, id="without-salt"),
    ],
)
async def test_a_host_cannot_hide_public_events_from_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alter: Callable[[Entry], Entry]
) -> None:
    def find_nothing(*_: object) -> None:
        """Let the attacker's host see no difference between its copy and that of the seat."""

    monkeypatch.setattr(DesyncDetector, "find_desync", find_nothing)
    async with asyncio.timeout(LIMIT), hostile_hall(tmp_path, monkeypatch) as hall:
        victim, seq = hall.peers[hall.victim], hall.match.seq
        hall.edits[hall.victim] = lambda record: altered(alter, record)
        giving = asyncio.create_task(hall.give_one())
        await until(lambda: victim.seq > seq or victim.reporter.status.link in REFUSED)
        await asyncio.gather(giving, return_exceptions=True)
        shown = view_digest(victim.ruleset, victim.state, None)
        right = view_digest(victim.ruleset, hall.match.state_at(victim.seq), None)
        assert shown == right, "the table of an honest seat shows another position"
        verdict = verify_file(victim.copy.path)
        assert verdict.status == "ok", ("the copy of an honest seat is false", verdict.finding)
