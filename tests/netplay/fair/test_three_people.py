"""Three people in six seats, two seats in each program: the attacker holds the host and two of the people."""

from pathlib import Path

import pytest

from netplay.fair.sequencer import Sequencer
from netplay.journal.errors import SeatHaltedError
from saves.codec import codec
from saves.fair.due_messages import due_messages
from saves.fair.messages import (
    HOST,
    Consent,
    Kind,
    Message,
    Offer,
    Open,
    PublicEntry,
    Request,
    SignedMessage,
    encode_message,
)
from saves.fair.signed_texts import Resumed, resumed_message
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import cards, check_records, discard, next_of
from tests.netplay.fair.journaled_match import JournaledMatch
from tests.netplay.fair.match import log_at
from tests.toy_depot import DEPOT, HAND, PEOPLE, Discard, Draw, Raid, Roll

pytestmark = pytest.mark.usefixtures("quick_proofs")


@pytest.fixture(scope="module")
def opened() -> World:
    world = World.opened(DEPOT, "six", attackers=4, seed=67)
    assert world.honest == PEOPLE[0]
    return world


@pytest.fixture
def world(opened: World) -> World:
    return opened.copy()


@pytest.mark.full
def test_a_takeback_requires_consent_of_both_seats_of_a_player(world: World) -> None:
    """Four attackers and one seat of the victim agree; the host shows that seat's consent as the other's."""
    first, second = world.honest
    attacker, *others = sorted(world.attackers)
    discard(world, attacker, 2)
    offer = Offer("takeback", world.state.records - 2)
    assert world.index(world.sign(attacker, Kind.OFFER, offer)) is None
    place = world.state.index
    agreed = world.decide(first, world.seat(first).sign_consent(agrees=True))
    assert world.index(agreed) is None
    for role in others:
        assert world.index(world.sign(role, Kind.CONSENT, Consent(agrees=True), place)) is None
    assert [(one.kind, one.author) for one in due_messages(world.state)] == [(Kind.CONSENT, second)]
    assert world.refused(agreed).is_due_fault
    assert world.refused(world.forge(agreed, author=second)).author == HOST
    world.settle()
    assert world.state.phase is TranscriptPhase.CONSENT
    refused = world.decide(second, world.seat(second).sign_consent(agrees=False))
    assert world.index(refused) is None
    assert world.is_idle()


def test_a_card_can_be_opened_only_by_its_own_seat(world: World) -> None:
    """A raid picks a card of the victim's first seat; its other seat and the attackers release no open."""
    first, second = world.honest
    attacker = world.attacker
    assert world.index(world.request(attacker, Raid(target=first))) is None
    opened = next_of(world, first, Kind.OPEN)
    assert world.state.phase is TranscriptPhase.ASK
    assert not world.releases[second].messages(Kind.OPEN)
    body = world.body(opened, Open)
    anchor = world.message(opened).anchor
    for role in world.attackers:
        assert world.refused(world.sign(role, Kind.OPEN, body, anchor)).author == role
    assert world.refused(world.forge(opened, author=second)).author == HOST
    assert world.index(opened) is None
    world.settle()
    assert world.is_idle()
    assert {one.author for one in world.releases[first].messages(Kind.OPEN)} == {first}
    assert not world.releases[second].messages(Kind.OPEN)


def test_seats_of_one_player_in_two_histories_cannot_complete_a_throw(world: World) -> None:
    """The host shows the seats of one program two commands of an accomplice at the same place."""
    first, second = world.honest
    attacker = world.attacker
    other = world.fork(second)
    card = cards(world, attacker, HAND)[0]
    world.play(attacker, Discard(card=card))
    other.play(attacker, Discard(card=cards(other, attacker, HAND)[1]))
    for one, missing in ((world, second), (other, first)):
        assert one.index(one.request(attacker, Roll())) is None
        one.settle()
        assert one.state.phase is TranscriptPhase.REVEAL
        assert {wanted.author for wanted in due_messages(one.state)} == {missing}
    for one, foreign in ((world, other.releases[second]), (other, world.releases[first])):
        for signed in foreign.by_slot.values():
            if one.message(signed).kind is Kind.REVEAL:
                assert one.refused(signed).is_due_fault


def test_restored_seats_of_one_player_do_not_release_a_reveal_twice(tmp_path: Path) -> None:
    """Journals of both seats are restored on one machine; the host and the other people deny the last throw."""
    match = JournaledMatch(tmp_path, DEPOT, "six", seed=69)
    match.start()
    mine, liars = PEOPLE[0], (*PEOPLE[1], *PEOPLE[2])
    count, before = len(match.host.messages), match.state
    for role in mine:
        match.save(role, f"backup-{role}")
    match.play(liars[0], Roll())
    order = match.orders[before.index]
    match.host = Sequencer(log_at(before, match.host.messages[:count]), match.host_key)
    match.heads = match.heads[: count + 1]
    for role in mine:
        match.kill(role)
        match.restore(role, f"backup-{role}")
        match.copies[role].end = count
    seats = {role: match.begin(role) for role in mine}
    for role, seat in seats.items():
        question = seat.resume_request()
        seat.update_presence(before.index, match.secrets)
        for liar in liars:
            text = (match.match_id, liar, question.nonce, before.index, before.head)
            signature = match.secrets[liar].sign(resumed_message(*text))
            answer = Resumed(
                role=liar,
                index=before.index,
                head=before.head,
                nonce=question.nonce,
                order=order,
                signature=signature,
            )
            assert not seat.receive_answer(answer)
        sibling = next(other for other in mine if other != role)
        told = seats[sibling].answer_resume(question)
        assert told is not None
        assert not seat.receive_answer(told)
        assert seat.missing_seats() == (), "nobody who knows the last throw has answered"
    command = PublicEntry(*codec(DEPOT).pack(Roll()))
    message = Message(
        kind=Kind.REQUEST,
        anchor=before.index,
        anchor_hash=before.head,
        author=liars[1],
        body=Request(before.records, command, uses_chance=True, box=b""),
    )
    data = encode_message(match.match_id, message)
    assert match.host.submit(SignedMessage(data, match.secrets[liars[1]].sign(data))) is None
    for seat in seats.values():
        assert seat.deliver(match.batch(before.index)) is None
        assert seat.state.phase is TranscriptPhase.REVEAL
        with pytest.raises(SeatHaltedError, match="nothing was sent"):
            seat.due_messages()
    match.close()


@pytest.mark.full
def test_a_match_of_three_players_verifies_after_attacks(world: World, tmp_path: Path) -> None:
    first, second = world.honest
    for role, command in (
        (world.attacker, Raid(target=second)),
        (first, Draw(count=2)),
        (second, Raid(target=world.attacker)),
    ):
        world.play(role, command)
        assert world.is_idle()
    check_records(world, tmp_path)
