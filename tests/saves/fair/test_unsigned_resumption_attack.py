"""Whoever has a copy of an adjourned match adds a resumption in the name of a seat, which nobody has signed."""

from pathlib import Path

import msgspec

from saves.chain import record_chain
from saves.commitments import compute_commitment
from saves.decoding import canonical
from saves.fair.messages import Offer
from saves.fair.transcript_log import PUBLIC_SALT
from saves.records import Entry
from saves.statements import Resumption
from tests.netplay.fair.dealt import opened
from tests.netplay.fair.match import verdict_of

change = msgspec.structs.replace


def test_p4_unsigned_resumption_is_not_ignored(tmp_path: Path) -> None:
    match = opened("eots", "south-pacific", seed=3)
    asker, victim = match.seats
    match.submit(match.seats[asker].sign_offer(Offer("adjournment")))
    match.submit(match.seats[victim].sign_consent(agrees=True))
    copy = match.record_files[asker]
    last = copy.records[-1]
    assert last.kind == "adjournment"
    body = canonical(Resumption())
    commitment = compute_commitment(PUBLIC_SALT, "resumption", 1, body)
    resumed = change(
        last,
        seq=last.seq + 1,
        prev=last.chain,
        kind="resumption",
        role=victim,
        command=Entry(tag="resumption", v=1, body=body, commitment=commitment, salt=PUBLIC_SALT),
        transcript=msgspec.UNSET,
    )
    copy.records.append(change(resumed, chain=record_chain(resumed)))
    verdict = verdict_of(copy, tmp_path)
    (authorship,) = [proof for proof in verdict.proofs if proof.topic == "authorship"]
    is_told = any("resum" in text.lower() for text in (*verdict.notes, authorship.text))
    assert verdict.status != "ok" or is_told, (verdict.notes, authorship)
