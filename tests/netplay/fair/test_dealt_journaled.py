"""Crashes and restored files of seats whose host deals, and what a seat keeps when the host cheats."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.kernel.ids import Role
from netplay.journal.errors import SeatHaltedError
from saves.fair.evidence import recompute
from saves.fair.messages import HOST, ChanceUse, Kind, Offer, Proposal, decode_message, slot_of
from saves.fair.signed_texts import OrderedBatch
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.dealt import signed_by
from tests.netplay.fair.journaled_match import JournaledMatch


@pytest.fixture
def match(tmp_path: Path) -> Iterator[JournaledMatch]:
    match = JournaledMatch(tmp_path, "qmg", "base", seed=3, deals=False)
    match.start()
    yield match
    match.close()


def own_view(match: JournaledMatch, role: Role) -> object:
    return match.game.project(match.programs[role].cards.state, role)


def full_view(match: JournaledMatch, role: Role) -> object:
    assert match.full_copy is not None
    return match.game.project(match.full_copy.dealer.state, role)


def test_seats_killed_before_sending_resume(match: JournaledMatch) -> None:
    def restarted(role: Role) -> None:
        match.restart(role)

    for number in range(14):
        role, decision = match.random.choice(list(match.choices()))
        (signed,) = match.programs[role].sign_command(match.random.choice(decision.options))
        match.oracle.release(signed)
        if number % 3 == 0:
            match.restart(role)
            assert match.release(role) == (signed,), "the command is sent again, unchanged"
        match.submit(signed)
        match.settle(restarted if number % 5 == 4 else None)
        assert own_view(match, role) == full_view(match, role)
    first, *others = match.programs
    match.submit(match.programs[first].sign_offer(Offer("takeback", match.state.records - 5)))
    for other in others:
        match.submit(match.programs[other].sign_consent(agrees=True))
    for role in list(match.programs):
        match.restart(role)
        assert own_view(match, role) == full_view(match, role)


@pytest.mark.full
@pytest.mark.parametrize("with_counter", [False, True], ids=["partial", "complete"])
def test_a_seat_restored_from_a_backup_adopts_its_hidden_commands(
    match: JournaledMatch, *, with_counter: bool
) -> None:
    number, role, count = 0, Role(""), 0
    while not role:
        name, decision = next(iter(match.choices()))
        command = decision.options[0]
        if match.game.redact_command(command, name, None) != command:
            role, count = name, len(match.host.messages)
            match.save(name, "backup", with_counter=with_counter)
        match.play(name, command)
        number += 1
        assert number < 50
    assert match.step()
    match.kill(role)
    match.restore(role, "backup")
    match.copies[role].end = count
    seat = match.begin(role)
    match.resume(role)
    assert seat.missing_seats() == ()
    for signed in match.host.messages[count:]:
        message = decode_message(match.match_id, signed.data)
        if message.author == role:
            assert seat.journal.signed_at(slot_of(message)) == signed.data
    assert own_view(match, role) == full_view(match, role)
    for _ in range(4):
        assert match.step()


def test_a_false_proposal_stops_the_seats_with_evidence_against_the_host(
    match: JournaledMatch,
) -> None:
    match.host.propose = lambda: None  # type: ignore[method-assign]
    role, decision = next(iter(match.choices()))
    (signed,) = match.programs[role].sign_command(decision.options[0])
    match.submit(signed)
    match.settle()
    assert match.state.phase is TranscriptPhase.RESOLVE
    dealer = match.host._dealer
    assert dealer is not None
    right = dealer.proposal(match.state)
    assert isinstance(right, Proposal)
    body = msgspec.structs.replace(right, uses=(ChanceUse(0, 6, 0),))
    false = signed_by(match, HOST, match.state, Kind.PROPOSAL, body)
    match._follow()
    index, head = match.state.index, match.heads[-1]
    batch = OrderedBatch(index, head, (false,), b"")
    order = match.sign_order(batch.last, batch.hashes()[-1])
    for seat in match.programs.values():
        with pytest.raises(SeatHaltedError, match="refused"):
            seat.deliver(OrderedBatch(index, head, (false,), order))
        assert seat.evidence is not None
        verdict = recompute(seat.evidence, lambda _: match.setup, match.setup.header_hash)
        assert (verdict.charge, verdict.author) == ("E2", HOST)
