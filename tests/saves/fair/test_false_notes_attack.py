"""A false record at the end of a copy: the verdict's notes do not repeat what that record claims about a seat."""

from pathlib import Path

import msgspec

from saves.chain import record_chain
from saves.commitments import compute_commitment
from saves.decoding import canonical
from saves.fair.transcript_log import PUBLIC_SALT
from saves.records import Entry
from saves.statements import Ending
from tests.netplay.fair.dealt import opened
from tests.netplay.fair.match import verdict_of

change = msgspec.structs.replace


def test_resignation_in_a_false_record_is_not_reported_in_the_notes(tmp_path: Path) -> None:
    match = opened("eots", "south-pacific", seed=51)
    victim = list(match.seats)[-1]
    copy = match.record_files[None]
    body = canonical(Ending(how="resigned", by=(victim,)))
    commitment = compute_commitment(PUBLIC_SALT, "ending", 1, body)
    entry = Entry(tag="ending", v=1, body=body, commitment=commitment, salt=PUBLIC_SALT)
    last = copy.records[-1]
    unsigned = change(
        last,
        seq=last.seq + 1,
        prev=last.chain,
        kind="ending",
        role=victim,
        command=entry,
        events=(),
        transcript=msgspec.UNSET,
    )
    copy.records.append(change(unsigned, chain=record_chain(unsigned)))
    verdict = verdict_of(copy, tmp_path)
    assert verdict.status == "false"
    assert not any("resigned" in note for note in verdict.notes), verdict.notes
