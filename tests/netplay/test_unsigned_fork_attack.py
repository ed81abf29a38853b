"""A host shows two honest seats different records that no seat signs, such as remarks (P7, P8)."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from netplay.feed.desync_detector import DesyncDetector
from netplay.feed.host_session import HostSession
from netplay.wire.messages import Desync, PollUpdates
from netplay.wire.modes import FAIR, JOINT, Chance
from saves.chain import record_chain
from saves.commitments import compute_commitment
from saves.decoding import canonical
from saves.fair.evidence_file import save_accusations
from saves.records import Record
from saves.remarks import Remark
from saves.verify import verify_file
from tests.netplay.hostile import HostileHall, hostile_hall
from tests.netplay.tables import until
from tests.netplay.test_fair_attacks import LIMIT
from tests.sizes import sampled

change = msgspec.structs.replace


class OtherRemarks:
    """Changes the remarks in the records that one seat receives, and chains all later records to them."""

    def __init__(self, hall: HostileHall) -> None:
        self._chains = {0: hall.judged.records[0].chain}

    def __call__(self, record: Record) -> Record:
        if not record.seq:
            return record
        record = change(record, prev=self._chains[record.seq - 1])
        entry = record.command
        if record.kind == "remark" and entry is not None:
            assert entry.salt is not None
            body = canonical(Remark(text="something else"))
            commitment = compute_commitment(entry.salt, entry.tag, entry.v, body)
            record = change(record, command=change(entry, body=body, commitment=commitment))
        record = change(record, chain=record_chain(record))
        self._chains[record.seq] = record.chain
        return record


@pytest.mark.parametrize("chance", sampled([FAIR, JOINT], 1, of="modes with two chains of records"))
async def test_p8_copies_that_differ_in_unsigned_records_are_not_false(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chance: Chance
) -> None:
    def ignore(_: DesyncDetector, session: HostSession, poll: PollUpdates) -> Desync | None:
        del session, poll
        return None

    monkeypatch.setattr(DesyncDetector, "find_desync", ignore)
    async with (
        asyncio.timeout(LIMIT),
        hostile_hall(tmp_path, monkeypatch, chance=chance) as hall,
    ):
        hall.edits[hall.victim] = OtherRemarks(hall)
        one, two = hall.peers[hall.victim], hall.peers[hall.accomplice]  # both are honest here
        hall.judged.remark("something")
        hall.host.tables[hall.id].recorder.change_signal.bump()
        for _ in range(2):  # the match goes on, whether or not there is a throw
            await until(lambda: one.seq == two.seq == hall.judged.seq)
            await until(lambda: one.is_asked or two.is_asked)
            await hall.give_one()
        await until(lambda: one.seq == two.seq == hall.judged.seq)
        assert one.copy.transcript.state.head == two.copy.transcript.state.head
        verdict = verify_file(one.copy.path, against=two.copy.path)
        assert verdict.status == "ok", verdict.finding
        assert any("the host can change them" in note for note in verdict.notes)
        assert not save_accusations(one.copy.path, two.copy.path, tmp_path / "evidence")
