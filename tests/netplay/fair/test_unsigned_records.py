"""Whoever has a copy of a match adds a record that nobody has signed."""

from pathlib import Path

import msgspec
import pytest

from saves.chain import record_chain
from saves.commitments import compute_commitment
from saves.decoding import canonical
from saves.fair.transcript_log import PUBLIC_SALT
from saves.records import Entry, Record
from saves.remarks import Remark
from tests.netplay.fair.match import FairMatch, verdict_of
from tests.saves.fair.quick_proofs import quick_proofs

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace


def chained(records: list[Record]) -> list[Record]:
    """Return records with numbers and chain values in order; no key is needed for them."""
    done = records[:1]
    for record in records[1:]:
        linked = change(record, seq=done[-1].seq + 1, prev=done[-1].chain)
        done.append(change(linked, chain=record_chain(linked)))
    return done


def test_p4_an_unsigned_remark_in_a_closed_match_is_reported(
    tmp_path: Path,
) -> None:
    match = FairMatch("eots", "south-pacific", seed=11)
    match.start()
    match.finish()
    attacker, victim = match.seats
    copy = match.record_files[attacker]
    body = canonical(Remark(text="I have looked at the deck."))
    commitment = compute_commitment(PUBLIC_SALT, "remark", 1, body)
    said = change(
        copy.records[0],
        kind="remark",
        role=victim,
        command=Entry(tag="remark", v=1, body=body, commitment=commitment, salt=PUBLIC_SALT),
        events=(),
        transcript=msgspec.UNSET,
    )
    copy.records = chained([copy.records[0], said, *copy.records[1:]])
    verdict = verdict_of(copy, tmp_path)
    (authorship,) = [proof for proof in verdict.proofs if proof.topic == "authorship"]
    is_told = any("remark" in text.lower() for text in (*verdict.notes, authorship.text))
    assert verdict.status != "ok" or is_told, (verdict.notes, authorship)
