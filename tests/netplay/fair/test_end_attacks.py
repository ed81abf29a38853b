"""Attacks on takebacks and ends: AT-23, AT-25, AT-26 and AT-37."""

import msgspec
import pytest

from saves.fair.due_messages import due_messages
from saves.fair.labels import MIXED
from saves.fair.messages import (
    HOST,
    Agree,
    Close,
    Consent,
    End,
    Kind,
    Mix,
    Offer,
    Seed,
    SignedMessage,
)
from saves.fair.mixing import SHADOWS
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.test_opening_attacks import own_inputs, replaced
from tests.saves.fair.mixes import CheatingOwner


@pytest.fixture(scope="module")
def later(two_seats_opened: World) -> World:
    """Some records after the opening."""
    world = two_seats_opened.copy()
    for _ in range(8):
        role = world.game.active_roles(world.state.state)[0]
        world.play(role, world.options(role)[0])
    assert world.is_idle()
    return world


@pytest.fixture
def world(later: World) -> World:
    return later.copy()


def offered(world: World, offer: Offer) -> int:
    assert world.index(world.sign(world.attacker, Kind.OFFER, offer)) is None
    return world.state.index


# -- AT-23: takebacks


def test_at_23_a_consent_to_another_offer_is_refused(world: World) -> None:
    """The victim agrees to a draw; the host shows that as its consent to a takeback."""
    victim = world.victim
    offered(world, Offer("adjournment"))
    agreed = world.seat(victim).sign_consent(agrees=True)
    other = world.copy()
    assert world.index(world.seat(victim).sign_consent(agrees=True)) is None
    world.settle()
    assert world.is_idle()
    place = offered(world, Offer("takeback", 1))
    assert world.refused(agreed).is_due_fault
    moved = world.forge(agreed, anchor=place, anchor_hash=world.state.head)
    assert world.refused(moved).author == HOST
    own = world.sign(world.attacker, Kind.CONSENT, Consent(agrees=True), place)
    assert world.refused(own).is_due_fault, "who offers does not consent"
    assert other.index(agreed) is None


@pytest.mark.parametrize("record", [7, 8, 9, 1 << 31])
def test_at_23_a_takeback_to_an_invalid_record_is_refused(world: World, record: int) -> None:
    last = world.state.records - 1
    number = record if record > 9 else last + record - 7
    refusal = world.refused(world.sign(world.attacker, Kind.OFFER, Offer("takeback", number)))
    assert (refusal.author, refusal.is_due_fault) == (world.attacker, False)


def test_at_23_a_takeback_mixes_every_hand_with_new_label_numbers(world: World) -> None:
    victim = world.victim
    before = world.state
    place = offered(world, Offer("takeback", 2))
    assert world.index(world.seat(victim).sign_consent(agrees=True)) is None
    assert world.state.phase is TranscriptPhase.COMPLETE
    dues = {one.item for one in due_messages(world.state)}
    for role, deck in world.state.table.decks.items():
        for pile in deck.values():
            if pile.kind in MIXED and pile.labels:
                assert pile.is_dirty
        assert f"{role}/hand" in dues
    world.settle()
    assert world.is_idle()
    after = world.state
    assert after.throws == before.throws
    assert after.table.next_number > before.table.next_number
    kept = {
        one.number
        for deck in before.table.decks.values()
        for pile in deck.values()
        for one in pile.labels
        if pile.kind in MIXED
    }
    hands = {one.number for deck in after.table.decks.values() for one in deck["hand"].labels}
    assert not kept & hands, "labels of a hand are new after a takeback"
    assert place < after.index
    records = after.records
    world.play(victim, world.options(victim)[0])
    assert world.state.records == records + 1


def test_at_23_public_faces_stay_public_after_a_takeback(world: World) -> None:
    faces = {
        (role, one.number): one.face
        for role, deck in world.state.table.decks.items()
        for pile in deck.values()
        for one in pile.labels
        if one.face
    }
    assert faces
    offered(world, Offer("takeback", 1))
    assert world.index(world.seat(world.victim).sign_consent(agrees=True)) is None
    restored = {
        (role, one.number): one.face
        for role, deck in world.state.table.decks.items()
        for pile in deck.values()
        for one in pile.labels
    }
    for label, face in restored.items():
        assert face == faces.get(label, face)


# -- AT-25: seeds


def ended(world: World) -> None:
    assert world.index(world.seat(world.attacker).sign_resignation()) is None
    assert world.state.phase is TranscriptPhase.ENDED


def test_at_25_no_seed_is_released_without_the_acknowledgements(world: World) -> None:
    ended(world)
    assert not world.releases[world.victim].messages(Kind.SEED)
    assert {(one.kind, one.author) for one in due_messages(world.state)} == {
        (Kind.SEED, role) for role in world.seats
    } | {(Kind.CLOSE, HOST)}


def test_at_25_a_wrong_seed_names_its_author(world: World) -> None:
    ended(world)
    attacker, place = world.attacker, world.state.end_at
    theirs = world.match.secrets[world.victim].card_seed
    for seed in (bytes(32), theirs):
        refusal = world.refused(world.sign(attacker, Kind.SEED, Seed(seed), place))
        assert (refusal.author, refusal.is_due_fault) == (attacker, False)
    right = world.sign(attacker, Kind.SEED, Seed(world.match.secrets[attacker].card_seed), place)
    assert world.index(right) is None
    assert world.refused(right).is_due_fault, "twice"


def test_at_25_a_seed_before_the_end_is_refused(world: World) -> None:
    seed = Seed(world.match.secrets[world.attacker].card_seed)
    assert world.refused(world.sign(world.attacker, Kind.SEED, seed)).is_due_fault


def test_at_25_the_host_cannot_hide_a_seed(world: World) -> None:
    ended(world)
    world.seat(world.attacker).may_open_seed = True
    world.settle()
    for missing in ((), tuple(world.seats), (world.attacker,), ("nobody",)):
        refusal = world.refused(world.sign(HOST, Kind.CLOSE, Close(missing)))
        assert refusal.author == HOST
    by_seat = world.sign(world.attacker, Kind.CLOSE, Close((world.victim,)))
    refusal = world.refused(by_seat)
    assert (refusal.author, refusal.is_due_fault) == (world.attacker, False)
    assert world.index(world.sign(HOST, Kind.CLOSE, Close((world.victim,)))) is None
    assert world.state.phase is TranscriptPhase.CLOSED
    assert world.refused(world.seat(world.attacker).sign_resignation()).is_due_fault


# -- AT-26: false ends


@pytest.mark.parametrize(
    ("by_host", "end"),
    [
        pytest.param(True, End("resigned", "allied"), id="host-resigns-for-a-seat"),
        pytest.param(True, End("draw"), id="host-agrees-a-draw"),
        pytest.param(True, End("stopped"), id="host-stops"),
        pytest.param(True, End("time", "nobody"), id="time-of-nobody"),
        pytest.param(False, End("time", "allied"), id="seat-calls-time"),
        pytest.param(False, End("resigned", "allied"), id="seat-resigns-for-another"),
        pytest.param(False, End("draw"), id="seat-agrees-a-draw"),
        pytest.param(False, End("resigned", ""), id="nobody-resigns"),
        pytest.param(False, End("stopped", "japan"), id="seat-stops-without-a-limit"),
    ],
)
def test_at_26_a_false_end_is_refused(world: World, by_host: bool, end: End) -> None:
    author = HOST if by_host else world.attacker
    refusal = world.refused(world.sign(author, Kind.END, end))
    assert (refusal.author, refusal.is_due_fault) == (author, False)


def test_at_26_an_end_in_the_name_of_the_victim_names_the_host(world: World) -> None:
    signed = world.seat(world.attacker).sign_resignation()
    body = End("resigned", world.victim)
    assert world.refused(world.forge(signed, author=world.victim, body=body)).author == HOST


def test_at_26_a_time_end_shown_to_one_seat_does_not_release_a_seed(world: World) -> None:
    """The host ends the match for the victim alone, by the clock."""
    victim = world.victim
    other = world.fork()
    assert other.honest == ()
    end = world.sign(HOST, Kind.END, End("time", victim))
    assert world.index(end) is None
    assert world.state.phase is TranscriptPhase.ENDED
    assert not world.releases[victim].messages(Kind.SEED)
    assert not world.made(victim, again=True)


def test_at_26_only_seeds_are_valid_after_an_end(world: World) -> None:
    batch = world.seat(world.victim).sign_command(world.options(world.victim)[0])
    ended(world)
    for signed in batch:
        assert world.refused(signed).is_due_fault
    for kind, body in ((Kind.OFFER, Offer("draw")), (Kind.AGREE, Agree(bytes(32)))):
        assert world.refused(world.sign(world.attacker, kind, body)).is_due_fault


# -- AT-37: a false mix after the last throw


def test_at_37_a_false_mix_without_a_challenge_stays_unproved(world: World) -> None:
    """A takeback makes every hand mixed once more; the match ends before the next throw."""
    attacker, victim = world.attacker, world.victim
    offered(world, Offer("takeback", 2))
    assert world.index(world.seat(victim).sign_consent(agrees=True)) is None
    signed = world.made_of(attacker, Kind.MIX)
    body = world.body(signed, Mix)
    cheat = CheatingOwner("doubled", own_inputs(world, attacker, body.pile), 7, SHADOWS)
    assert world.index(replaced(world, signed, cheat)) is None
    world.settle()
    assert world.is_idle()
    assert world.index(world.seat(attacker).sign_resignation()) is None
    secrets = world.match.secrets[attacker]
    seed = world.sign(attacker, Kind.SEED, Seed(secrets.card_seed), world.state.end_at)
    assert world.index(seed) is None
    assert any(mix.outputs == tuple(cheat.outputs) for mix in world.state.unproven)


def test_messages_from_earlier_records_are_refused(world: World) -> None:
    for signed in world.host.messages[-6:]:
        assert isinstance(signed, SignedMessage)
        assert world.refused(signed).is_due_fault
    assert msgspec.structs.replace(world.state, index=0).head == world.state.head
