"""Records of matches of protocol 7: every copy follows from its messages, and the card seeds prove all of it."""

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.errors import BrokenChainError, FairPlayError
from saves.fair.audit import SeedAudit
from saves.fair.segments import Segment
from saves.fair.transcript_log import TranscriptLog
from saves.records import Record, decode_record, encode_record
from tests.netplay.fair.match import FairMatch
from tests.sizes import sized

JAPAN, ALLIED = Role("japan"), Role("allied")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("eots", "1943"), id="eots"),
        pytest.param(("qmg", "base"), id="qmg", marks=pytest.mark.full),
    ],
)
def match(request: pytest.FixtureRequest) -> FairMatch:
    game, scenario = request.param
    match = FairMatch(game, scenario, seed=11)
    match.start()
    for _ in range(sized(25, 1_000)):
        if not match.step():
            break
    match.finish()
    return match


def received(match: FairMatch, records: list[Record], *, audited: bool = False) -> TranscriptLog:
    log = TranscriptLog(match.setup)
    if audited:
        SeedAudit(log, {role: one.card_seed for role, one in match.secrets.items()})
    for record in records:
        log.receive(decode_record(encode_record(record)))
    return log


def test_every_copy_matches_its_messages(match: FairMatch) -> None:
    heads = {received(match, copy.records).state.head for copy in match.record_files.values()}
    assert heads == {match.state.head}


@pytest.mark.full
def test_the_card_seeds_prove_every_copy(match: FairMatch) -> None:
    for copy in match.record_files.values():
        assert received(match, copy.records, audited=True).state.records > 20


def test_all_copies_share_one_chain(match: FairMatch) -> None:
    chains = {
        tuple(record.chain for record in copy.records) for copy in match.record_files.values()
    }
    assert len(chains) == 1


def test_changed_event_is_refused(match: FairMatch) -> None:
    records = match.record_files[None].records
    place = next(
        at for at, record in enumerate(records) if record.kind == "command" and record.events
    )
    whole = next(entry for entry in records[place].events if entry.salt is not None)
    events = tuple(
        msgspec.structs.replace(entry, body=b"\x80") if entry is whole else entry
        for entry in records[place].events
    )
    changed = msgspec.structs.replace(records[place], events=events)
    with pytest.raises((BrokenChainError, FairPlayError)):
        received(match, [*records[:place], changed])


def test_message_not_signed_by_its_author_is_refused(match: FairMatch) -> None:
    records = match.record_files[None].records
    segment = records[1].transcript
    assert isinstance(segment, Segment)
    first = msgspec.structs.replace(segment.messages[0], signature=bytes(64))
    forged = msgspec.structs.replace(segment, messages=(first, *segment.messages[1:]))
    changed = msgspec.structs.replace(records[1], transcript=forged)
    with pytest.raises(FairPlayError) as caught:
        received(match, [records[0], changed])
    assert not caught.value.role  # a wrong signature names no seat


def test_honest_message_that_is_not_due_does_not_blame_a_seat(match: FairMatch) -> None:
    first = match.record_files[None].records[0]
    segment = first.transcript
    assert isinstance(segment, Segment)
    agree = next(one for one in segment.messages if one.kind == "agree")
    place = segment.messages.index(agree) + 1
    twice = (*segment.messages[:place], agree, *segment.messages[place:])
    changed = msgspec.structs.replace(
        first, transcript=msgspec.structs.replace(segment, messages=twice)
    )
    with pytest.raises(FairPlayError, match="not due") as caught:
        received(match, [changed])
    assert not caught.value.role  # only the host can have put it there


def test_order_not_signed_by_the_host_is_refused(match: FairMatch) -> None:
    records = match.record_files[None].records
    segment = records[0].transcript
    assert isinstance(segment, Segment)
    changed = msgspec.structs.replace(
        records[0], transcript=msgspec.structs.replace(segment, order=bytes(64))
    )
    with pytest.raises(FairPlayError, match="signed the order"):
        received(match, [changed])


def test_seed_that_does_not_match_its_commitment_is_refused(match: FairMatch) -> None:
    log = TranscriptLog(match.setup)
    role = next(iter(match.secrets))
    with pytest.raises(FairPlayError) as caught:
        SeedAudit(log, {role: bytes(32)})
    assert caught.value.role == role
