"""A copy of a match under other rules: public entries are changed, or a consent is used for another offer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import pytest

from engine.kernel.decision import Outcome
from saves.chain import record_chain
from saves.decoding import canonical
from saves.fair.fold import next_hash
from saves.fair.messages import (
    AnyBody,
    Kind,
    Message,
    Offer,
    Proposal,
    PublicEntry,
    Request,
    Reveal,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.secrets import entry_commitment
from saves.fair.segments import Segment, StoredMessage
from saves.fair.setup import new_fair_header
from saves.fair.signed_texts import order_message
from saves.fair.transcript_log import PUBLIC_SALT, TranscriptLog
from saves.headers import Header
from saves.records import Entry, Record
from saves.statements import Ending
from saves.verdicts import Verdict
from saves.verify_requirements import Requirements, apply_requirements
from tests.netplay.fair.match import CopyOfMatch, FairMatch, verdict_of
from tests.saves.fair.quick_proofs import quick_proofs
from tools.verdicts import exit_code

__all__ = ("quick_proofs",)
pytestmark = pytest.mark.usefixtures("quick_proofs")
change = msgspec.structs.replace
OLDER_ALLOWED: Final = Requirements(strict=True, allow_older=True)


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> FairMatch:
    """A match that all parties have agreed to play with version 1 of the rules."""

    def older(*args: object, **options: object) -> Header:
        return change(new_fair_header(*args, **options), rules_version=1)  # type: ignore[arg-type]  # passed on unchanged

    monkeypatch.setattr("tests.netplay.fair.match.new_fair_header", older)
    match = FairMatch("eots", "south-pacific", seed=3)
    match.start()
    for _ in range(6):
        match.step()
    return match


def restored(match: FairMatch, records: Sequence[Record]) -> list[SignedMessage]:
    """Return the last record's messages."""
    log, record = TranscriptLog(match.setup), records[-1]
    for earlier in records[:-1]:
        log.receive(earlier)
    return log.restore_messages(record)


def stored(match: FairMatch, messages: Sequence[SignedMessage]) -> tuple[StoredMessage, ...]:
    """Return messages in the form stored in a file, with all entries."""
    decoded = [(decode_message(match.match_id, one.data), one.signature) for one in messages]
    return tuple(
        StoredMessage(one.kind.value, one.author, one.anchor, canonical(one.body), signature)
        for one, signature in decoded
    )


def copy_with(match: FairMatch, records: Sequence[Record]) -> CopyOfMatch:
    copy = CopyOfMatch(match.setup, match.header, None, match)
    copy.records = list(records)
    return copy


def code_of(verdict: Verdict) -> int:
    return exit_code([apply_requirements(verdict, OLDER_ALLOWED)], OLDER_ALLOWED)


@pytest.mark.full
def test_altered_public_event_is_refused(running: FairMatch, tmp_path: Path) -> None:
    """Without any key, the last event of a running match becomes the end of the game."""
    copy = running.record_files[None]
    *earlier, last = copy.records
    assert last.events[-1].salt == PUBLIC_SALT
    won = Outcome(winner=None, level="", score=99, reason="Japan has won.")
    body = canonical({"kind": "game-ended", "outcome": won})
    ended = change(last.events[-1], tag="game-ended", body=body, salt=None)
    assert last.transcript is not msgspec.UNSET
    segment = change(last.transcript, messages=stored(running, restored(running, copy.records)))
    false = change(last, events=(*last.events[:-1], ended), transcript=segment)
    assert record_chain(false) == last.chain, "the chain does not show it"
    verdict = verdict_of(copy_with(running, [*earlier, false]), tmp_path, against=copy)
    assert verdict_of(copy, tmp_path).outcome is None
    assert code_of(verdict), (verdict.status, verdict.outcome, verdict.gaps)


def test_altered_public_command_is_refused(running: FairMatch, tmp_path: Path) -> None:
    """Without any key, a seat's signed command names another unit."""
    copy = running.record_files[None]
    *earlier, last = copy.records
    assert last.command is not None
    assert last.command.tag == "activate"
    body = canonical({"type": "activate", "unit": "jp-air-flotilla-26"})
    assert body != last.command.body
    assert last.transcript is not msgspec.UNSET
    segment = change(last.transcript, messages=stored(running, restored(running, copy.records)))
    other = change(last.command, body=body, salt=None)
    false = change(last, command=other, transcript=segment)
    assert record_chain(false) == last.chain, "the chain does not show it"
    verdict = verdict_of(copy_with(running, [*earlier, false]), tmp_path, against=copy)
    (authorship,) = [proof for proof in verdict.proofs if proof.topic == "authorship"]
    assert code_of(verdict), (verdict.status, verdict.gaps, authorship)


def test_consent_counts_only_for_its_own_offer(running: FairMatch, tmp_path: Path) -> None:
    """A host and a seat turn the other seat's consent to an adjournment into its consent to a draw."""
    victim, cheater = running.seats
    offer = running.seats[cheater].sign_offer(Offer("adjournment"))
    running.submit(offer)
    consent = running.seats[victim].sign_consent(agrees=True)
    running.submit(consent)
    *earlier, adjourned = running.record_files[None].records
    assert adjourned.kind == "adjournment"

    before = decode_message(running.match_id, offer.data)
    index, head = before.anchor + 1, next_hash(before.anchor_hash, before.anchor + 1, offer.data)
    draw = Message(
        kind=Kind.OFFER,
        anchor=index,
        anchor_hash=head,
        author=cheater,
        body=Offer("draw"),
    )
    data = encode_message(running.match_id, draw)
    draw_offer = SignedMessage(data, running.secrets[cheater].sign(data))
    for signed in (draw_offer, consent):
        index += 1
        head = next_hash(head, index, signed.data)
    order = running.host_key.sign(order_message(running.match_id, index, head))
    ending = canonical(Ending(how="draw", by=tuple(running.seats)))
    commitment = entry_commitment(PUBLIC_SALT, "ending", 1, ending)
    false = change(
        adjourned,
        kind="ending",
        command=Entry(tag="ending", v=1, body=ending, commitment=commitment, salt=PUBLIC_SALT),
        transcript=Segment(stored(running, (offer, draw_offer, consent)), head, order),
    )
    false = change(false, chain=record_chain(false))
    verdict = verdict_of(copy_with(running, [*earlier, false]), tmp_path)
    (agreed,) = [proof for proof in verdict.proofs if proof.topic == "consent"]
    assert code_of(verdict), (verdict.status, verdict.outcome, agreed)


@pytest.mark.full
def test_throw_of_a_single_seat_does_not_prove_one_history(
    running: FairMatch, tmp_path: Path
) -> None:
    """A host and a seat add a record to which the other seat has contributed nothing."""
    _, cheater = running.seats
    records = list(running.record_files[None].records)
    index, head = running.state.index, running.state.head
    command = PublicEntry("pass", 1, canonical({"type": "pass"}))
    bodies: list[tuple[Kind, AnyBody]] = [
        (Kind.REQUEST, Request(len(records), command, uses_chance=True)),
        (Kind.REVEAL, Reveal(9, bytes(32))),
        (Kind.PROPOSAL, Proposal((), (), (), "done")),
    ]
    messages = []
    for kind, body in bodies:
        message = Message(kind=kind, anchor=index, anchor_hash=head, author=cheater, body=body)
        data = encode_message(running.match_id, message)
        messages.append(SignedMessage(data, running.secrets[cheater].sign(data)))
        index += 1
        head = next_hash(head, index, data)
    order = running.host_key.sign(order_message(running.match_id, index, head))
    commitment = entry_commitment(PUBLIC_SALT, command.tag, command.v, command.body)
    entry = Entry(tag=command.tag, v=1, body=command.body, commitment=commitment, salt=PUBLIC_SALT)
    added = change(
        records[-1],
        seq=len(records),
        prev=records[-1].chain,
        role=cheater,
        command=entry,
        events=(),
        transcript=Segment(stored(running, messages), head, order),
    )
    added = change(added, chain=record_chain(added))
    verdict = verdict_of(copy_with(running, [*records, added]), tmp_path)
    (history,) = [proof for proof in verdict.proofs if proof.topic == "one history"]
    assert f"up to the throw of record {added.seq}" not in history.text, verdict.status


@pytest.mark.full
@pytest.mark.parametrize("is_compared", [False, True])
def test_altered_set_up_is_not_accepted(
    running: FairMatch, tmp_path: Path, is_compared: bool
) -> None:
    """Without any key, the scenario begins with other units."""
    honest = running.record_files[None]
    opening, *later = honest.records
    setup = opening.events[0]
    assert setup.body is not None
    plain = msgspec.msgpack.decode(setup.body)
    first, *others = plain["position"]["units"]
    plain["position"]["units"] = [{**first, "at": "2205", "steps": 1}, *others]
    events = (change(setup, body=canonical(plain), salt=None), *opening.events[1:])
    copy = copy_with(running, [change(opening, events=events), *later])
    verdict = verdict_of(copy, tmp_path, against=honest if is_compared else None)
    assert code_of(verdict), (verdict.status, verdict.records, verdict.gaps)
    assert verdict.status == ("false" if is_compared else "older")
    assert not code_of(verdict_of(honest, tmp_path))
