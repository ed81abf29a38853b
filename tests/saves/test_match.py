"""The judge's match and its followers, without files."""

import random

import msgspec
import pytest

from engine.kernel.dice import DerivedDice
from engine.kernel.errors import IllegalCommandError
from engine.kernel.ids import Role
from saves.chain import first_chain, record_chain
from saves.commitments import check_openings
from saves.errors import BrokenChainError, MatchError, StaleCommandError
from saves.follower import Follower
from saves.headers import decode_header, encode_header
from saves.match import match_id_of, new_secret
from saves.records import Record, decode_record, encode_record
from saves.redaction import redact_record
from tests.saves.play import AUDIENCES, SECRET, finished, new_match, play, step
from tests.toy_game import BLUE, RED, TOY, ToyState


def follower(match_header: Role | None) -> Follower[ToyState]:
    match = new_match()
    return Follower.create(TOY, match.redacted_header(match_header))


@pytest.mark.parametrize("seed", range(8))
def test_every_copy_agrees_after_every_record(seed: int) -> None:
    match = new_match()
    copies = [follower(audience) for audience in AUDIENCES]
    rng = random.Random(seed)
    for _ in range(60):
        for copy in copies:
            for record in match.redacted_records(copy.role, copy.seq):
                assert copy.receive(decode_record(encode_record(record)))
            assert copy.chain == match.chain
            assert copy.own_view_digest() == match.view_digest(copy.role)
        if not TOY.active_roles(match.state):
            break
        step(match, rng, takebacks=0.15)


def test_headers_of_all_copies_start_the_same_chain_and_hide_the_match_secret() -> None:
    match = new_match()
    for audience in AUDIENCES:
        header = match.redacted_header(audience)
        assert first_chain(header) == first_chain(match.header)
        assert SECRET not in encode_header(header)
        assert header.position is None
        assert decode_header(encode_header(header)) == header


def test_hidden_choices_are_absent_from_copies_of_other_seats() -> None:
    match = new_match()
    card = next(card for card in match.state.hands[RED] if card)
    record = match.submit(RED, TOY.decision(match.state, RED).options[0], match.seq)
    assert card.encode() in encode_record(record)
    assert card.encode() in encode_record(redact_record(TOY, record, RED))
    for other in (BLUE, None):
        seen = redact_record(TOY, record, other)
        assert card.encode() not in encode_record(seen)
        assert seen.command is not None
        assert (seen.command.tag, seen.command.body, seen.command.salt) == ("", None, None)


def test_partly_hidden_command_keeps_its_kind() -> None:
    match = new_match()
    for role in (RED, BLUE):
        match.submit(role, TOY.decision(match.state, role).options[0], match.seq)
    roller = match.state.roller
    record = match.submit(roller, TOY.decision(match.state, roller).options[0], match.seq)
    seen = redact_record(TOY, record, None).command
    assert seen is not None
    assert (seen.tag, seen.salt) == ("swap", None)
    assert record.command is not None
    assert seen.commitment == record.command.commitment


def test_stale_and_illegal_commands_change_nothing() -> None:
    match = new_match()
    option = TOY.decision(match.state, RED).options[0]
    before = (match.seq, match.chain, match.state)
    with pytest.raises(StaleCommandError):
        match.submit(RED, option, match.seq - 1)
    with pytest.raises(IllegalCommandError):
        match.submit(BLUE, option, match.seq)
    assert (match.seq, match.chain, match.state) == before


def test_takeback_restores_the_state_and_changes_later_dice() -> None:
    match = new_match()
    play(match, 12, seed=3)
    earlier = match.state
    at = match.seq
    play(match, 9, seed=4)
    match.take_back(at, RED)
    assert match.state == earlier
    assert match.seq == at + 10
    assert DerivedDice(SECRET, at + 1).randbelow(1 << 40) != DerivedDice(
        SECRET, match.seq + 1
    ).randbelow(1 << 40)


def test_nested_takebacks_fold_like_a_fresh_load() -> None:
    match = new_match(scenario="long")
    play(match, 400, seed=5, takebacks=0.2)
    states = [match.state_at(seq) for seq in range(match.seq + 1)]
    copy = Follower.create(TOY, match.redacted_header(None))
    for record, state in zip(match.redacted_records(None), states, strict=True):
        copy.receive(record)
        assert TOY.project(copy.state, None) == TOY.project(state, None)


@pytest.mark.parametrize("to_seq", [-1, 3, 4])
def test_takeback_requires_an_earlier_record(to_seq: int) -> None:
    match = new_match()
    play(match, 3)
    with pytest.raises(MatchError, match="cannot go back"):
        match.take_back(to_seq)


def test_secret_is_revealed_only_after_the_end_and_ends_the_record() -> None:
    match = new_match()
    with pytest.raises(MatchError, match="before the game is over"):
        match.reveal()
    match = finished()
    assert match.is_revealed
    for request in (match.reveal, lambda: match.take_back(0)):
        with pytest.raises(MatchError, match="nothing can follow"):
            request()


def test_follower_ignores_a_duplicate_and_refuses_an_unexpected_record() -> None:
    match = new_match()
    play(match, 6)
    records = list(match.redacted_records(RED))
    copy = Follower.create(TOY, match.redacted_header(RED))
    with pytest.raises(BrokenChainError, match="expected record 0"):
        copy.receive(records[1])
    assert copy.receive(records[0])
    assert not copy.receive(records[0])
    other = msgspec.structs.replace(records[0], role=BLUE)
    with pytest.raises(BrokenChainError, match="a different record"):
        copy.receive(other)
    play(match, 3)
    assert copy.seq == 0


def _resealed(record: Record) -> Record:
    return msgspec.structs.replace(record, chain=record_chain(record))


@pytest.mark.parametrize("fault", ["body", "salt", "prev", "chain", "role", "secret", "event"])
def test_follower_refuses_every_forged_field(fault: str) -> None:
    match = new_match()
    copy = Follower.create(TOY, match.redacted_header(RED))
    record = next(match.redacted_records(RED))
    event = record.events[1]
    if fault == "body":
        assert event.body is not None
        forged = msgspec.structs.replace(event, body=event.body.replace(b"c", b"d", 1))
        record = msgspec.structs.replace(record, events=(record.events[0], forged))
    elif fault == "salt":
        forged = msgspec.structs.replace(event, salt=bytes(16))
        record = msgspec.structs.replace(record, events=(record.events[0], forged))
    elif fault == "event":
        record = _resealed(msgspec.structs.replace(record, events=record.events[1:]))
    elif fault == "prev":
        record = _resealed(msgspec.structs.replace(record, prev=bytes(32)))
    elif fault == "chain":
        record = msgspec.structs.replace(record, chain=bytes(32))
    elif fault == "role":
        record = msgspec.structs.replace(record, role=BLUE)
    else:
        record = _resealed(msgspec.structs.replace(record, secret=SECRET))
    with pytest.raises(BrokenChainError):
        copy.receive(record)
    assert copy.seq == -1
    assert copy.state == TOY.initial_state()


def test_a_follower_checks_the_revealed_secret() -> None:
    match = finished()
    copy = Follower.create(TOY, match.redacted_header(BLUE))
    records = list(match.redacted_records(BLUE))
    for record in records[:-1]:
        copy.receive(record)
    lie = _resealed(msgspec.structs.replace(records[-1], secret=bytes(32)))
    with pytest.raises(BrokenChainError, match="does not match its commitment"):
        copy.receive(lie)
    assert copy.receive(records[-1])
    assert copy.is_revealed


def test_full_records_open_all_commitments() -> None:
    for record in finished().records:
        check_openings(record)
        assert all(entry.salt for entry in record.events)


def test_follower_refuses_a_full_header() -> None:
    with pytest.raises(MatchError, match="the full copy"):
        Follower.create(TOY, new_match().header)


def test_match_ids_differ_and_do_not_contain_the_secret() -> None:
    one, other = new_secret(), new_secret()
    assert match_id_of(one) != match_id_of(other)
    assert match_id_of(one) not in one.hex()
