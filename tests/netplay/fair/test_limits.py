"""Limits of section 2.11: what one seat decides on is bounded, and no honest seat is refused for it (M1, AT-8)."""

import msgspec
import pytest

from saves.fair.fold import fold
from saves.fair.limits import limit_problem
from saves.fair.messages import (
    MAX_EVENTS,
    MAX_MESSAGES,
    MAX_RECORD_BYTES,
    MAX_STAGES,
    MAX_THROWS,
    MAX_TRANSCRIPT_BYTES,
    MAX_USES,
    Consent,
    Kind,
    Offer,
    PileName,
    Proposal,
    ProposedEvent,
)
from saves.fair.proposals import _check_counts, _check_status
from saves.fair.requests import InvalidMessageError
from saves.fair.state import FairState, MessageRefusal, Pending, TranscriptPhase
from tests.netplay.fair.attacker import World

change = msgspec.structs.replace


def test_65_offers_are_refused_and_the_other_seat_can_continue(duel: World) -> None:
    world, attacker, victim = duel, duel.attacker, duel.victim
    for _ in range(MAX_MESSAGES):
        assert world.index(world.sign(attacker, Kind.OFFER, Offer("draw"))) is None
        refused = world.seat(victim).sign_consent(agrees=False)
        assert world.index(refused) is None
    refusal = world.refused(world.sign(attacker, Kind.OFFER, Offer("draw")))
    assert (refusal.author, refusal.is_due_fault) == (attacker, False)
    assert refusal.problem == f"{attacker} has already made 64 offers since the last record"
    world.play(victim, world.options(victim)[-1])
    assert world.is_idle()
    assert world.state.offers == {}


def test_a_command_closes_an_unanswered_offer(duel: World) -> None:
    world, victim = duel, duel.victim
    assert world.index(world.sign(world.attacker, Kind.OFFER, Offer("draw"))) is None
    anchor = world.state.index
    assert world.state.phase is TranscriptPhase.CONSENT
    world.play(victim, world.options(victim)[-1])
    assert world.is_idle()
    late = world.sign(world.attacker, Kind.CONSENT, Consent(agrees=True), anchor)
    assert world.refused(late).is_due_fault


@pytest.fixture
def requested(duel: World) -> World:
    """A command of the victim waits for its proposal; the test pretends that the attacker gave it."""
    assert duel.index(duel.request(duel.victim, duel.options(duel.victim)[-1])) is None
    assert duel.state.phase is TranscriptPhase.RESOLVE
    return duel


def with_pending(state: FairState, **changes: object) -> FairState:
    assert state.pending is not None
    return change(state, pending=change(state.pending, **changes))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"size": MAX_RECORD_BYTES // 2},
            "the proposals for a record are limited to 1048576 bytes",
        ),
        ({"counts": "author"}, "has already sent 64 messages for this record"),
    ],
)
def test_a_proposal_beyond_a_limit_is_refused(
    requested: World, changes: dict[str, object], problem: str
) -> None:
    world, victim = requested, requested.victim
    signed = world.made_of(victim, Kind.PROPOSAL)
    if "counts" in changes:
        changes = {"counts": {victim: MAX_MESSAGES}}
    outcome = fold(with_pending(world.state, **changes), signed)
    assert isinstance(outcome, MessageRefusal)
    assert (outcome.author, outcome.is_due_fault) == (victim, False)
    assert problem in outcome.problem


def test_messages_due_from_other_seats_are_not_limited(requested: World) -> None:
    world = requested
    full = with_pending(
        world.state, size=2 * MAX_RECORD_BYTES, counts=dict.fromkeys(world.seats, 1_000)
    )
    for kind in {*Kind} - {Kind.PROPOSAL, Kind.REQUEST, Kind.OFFER}:
        message = change(world.message(world.host.messages[0]), kind=kind, author=world.victim)
        assert not limit_problem(full, message, 1_000)


def test_a_command_with_chance_needs_throws_for_all_its_stages(duel: World) -> None:
    world = duel
    signed = world.seat(world.victim).sign_command(world.options(world.victim)[-1])[0]
    message = world.message(signed)
    message = change(message, body=change(message.body, uses_chance=True))
    for throws, is_refused in ((MAX_THROWS - MAX_STAGES - 1, False), (MAX_THROWS - 8, True)):
        problem = limit_problem(change(world.state, throws=throws), message, 100)
        assert (problem == "this match has used up its throws") == is_refused


def test_a_full_transcript_refuses_commands_but_accepts_resignation(duel: World) -> None:
    world = duel
    signed = world.seat(world.victim).sign_command(world.options(world.victim)[-1])[0]
    full = change(world.state, size=MAX_TRANSCRIPT_BYTES - MAX_RECORD_BYTES)
    outcome = fold(full, signed)
    assert isinstance(outcome, MessageRefusal)
    assert outcome.problem == "a transcript is limited to 536870912 bytes"
    assert not isinstance(fold(full, world.seat(world.victim).sign_resignation()), MessageRefusal)


def test_event_and_use_limits_apply_across_all_proposals_of_a_record(requested: World) -> None:
    body = requested.body(requested.made_of(requested.victim, Kind.PROPOSAL), Proposal)
    event = ProposedEvent(body.events[0].entry)
    pending = requested.state.pending
    assert pending is not None
    _check_counts(change(pending, events=(event,) * (MAX_EVENTS - len(body.events))), body)
    with pytest.raises(InvalidMessageError, match="limited to 4096 events and 1024 uses"):
        _check_counts(change(pending, events=(event,) * MAX_EVENTS), body)
    full = change(pending, uses=(None,) * (MAX_USES + 1))
    with pytest.raises(InvalidMessageError, match="limited to 4096 events and 1024 uses"):
        _check_counts(full, body)


def test_a_ninth_stage_is_refused(requested: World) -> None:
    state, victim = requested.state, requested.victim
    body = Proposal((), (), (), "stage", PileName(victim, "draw"))
    pending = state.pending
    assert isinstance(pending, Pending)
    for stages in (MAX_STAGES, MAX_STAGES + 1):
        waiting = change(state, pending=change(pending, stages=stages, owes_completion=(victim,)))
        if stages == MAX_STAGES:
            _check_status(waiting, body, None)
        else:
            with pytest.raises(InvalidMessageError, match="limited to 8 stages"):
                _check_status(waiting, body, None)


def test_messages_and_bytes_are_counted_per_record_and_transcript(duel: World) -> None:
    world = duel
    before = world.state.size
    assert before == sum(len(one.data) for one in world.host.messages)
    signed = world.request(world.victim, world.options(world.victim)[-1])
    assert world.index(signed) is None
    assert world.state.pending is not None
    assert world.state.pending.size == len(signed.data) == world.state.size - before
    assert world.state.pending.counts == {world.victim: 1}
