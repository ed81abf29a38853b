"""A copy of a match of other rules. Whoever has it adds what nobody has signed, without any key."""

from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.decoding import canonical
from saves.fair.secrets import entry_commitment
from saves.fair.segments import Segment
from saves.fair.setup import new_fair_header
from saves.fair.transcript_log import PUBLIC_SALT
from saves.headers import Header
from saves.protocol6.parties import OpenedSeed
from saves.records import Entry, Record
from saves.statements import Ending, Statement
from saves.verify_requirements import Requirements, apply_requirements
from tests.netplay.fair.match import CopyOfMatch, FairMatch, verdict_of
from tests.saves.fair.quick_proofs import quick_proofs
from tools.verdicts import exit_code

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> FairMatch:
    """A match that all parties have agreed to play with version 1 of the rules."""

    def older(*args: object, **options: object) -> Header:
        return change(new_fair_header(*args, **options), rules_version=1)  # type: ignore[arg-type]  # passed on unchanged

    monkeypatch.setattr("tests.netplay.fair.match.new_fair_header", older)
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    match.step()
    return match


def forged(match: FairMatch, *added: Record) -> CopyOfMatch:
    """Return a copy with further records, linked to the others."""
    copy = CopyOfMatch(match.setup, match.header, None, match)
    copy.records = list(match.record_files[None].records)
    for record in added:
        prev = copy.records[-1].chain
        linked = change(record, seq=len(copy.records), prev=prev)
        copy.records.append(change(linked, chain=record_chain(linked)))
    return copy


def bare(match: FairMatch) -> Record:
    """Return a record without messages, with the order that the host has signed for the record before it."""
    last = match.record_files[None].records[-1]
    assert last.transcript is not msgspec.UNSET
    empty = Segment((), last.transcript.head, last.transcript.order)
    return change(last, events=(), transcript=empty)


def stated(match: FairMatch, role: Role, statement: Statement) -> Record:
    tag, body = str(statement.__struct_config__.tag), canonical(statement)
    commitment = entry_commitment(PUBLIC_SALT, tag, 1, body)
    entry = Entry(tag=tag, v=1, body=body, commitment=commitment, salt=PUBLIC_SALT)
    return change(bare(match), kind=tag, role=role, command=entry)


def test_resignation_without_a_message_is_false(running: FairMatch, tmp_path: Path) -> None:
    victim = list(running.seats)[-1]
    by = next(side for side in running.setup.sides.values() if victim in side)
    copy = forged(running, stated(running, victim, Ending(how="resigned", by=by)))
    verdict = verdict_of(copy, tmp_path)
    assert verdict.status == "false", (verdict.outcome, verdict.notes)


def test_closed_match_without_a_signed_ending_is_false(running: FairMatch, tmp_path: Path) -> None:
    victim = list(running.seats)[-1]
    by = next(side for side in running.setup.sides.values() if victim in side)
    ending = stated(running, victim, Ending(how="resigned", by=by))
    seeds = tuple(OpenedSeed(role=role, seed=bytes(32)) for role in running.seats)
    closing = change(
        bare(running), kind="reveal", role=Role(""), command=None, secret=bytes(32), seeds=seeds
    )
    verdict = verdict_of(forged(running, ending, closing), tmp_path)
    demands = Requirements(finished=True, strict=True, allow_older=True)
    history = [proof.text for proof in verdict.proofs if proof.topic == "one history"]
    assert exit_code([apply_requirements(verdict, demands)], demands), history
    assert history != ["Every seat has signed this history to its end."]


@pytest.mark.parametrize("kind", ["takeback", "draw"])
def test_consent_without_a_message_is_false(running: FairMatch, tmp_path: Path, kind: str) -> None:
    victim = list(running.seats)[-1]
    agreed = (
        stated(running, victim, Ending(how="draw", by=tuple(running.seats)))
        if kind == "draw"
        else change(bare(running), kind="takeback", role=victim, command=None, takeback_to=0)
    )
    verdict = verdict_of(forged(running, agreed), tmp_path)
    (consent,) = [proof for proof in verdict.proofs if proof.topic == "consent"]
    assert verdict.status == "false", consent
