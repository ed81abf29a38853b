"""Attacks around a command that takes a card of another hand: AT-8 and AT-34 before, in and after the ask."""

from collections.abc import Mapping

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.fair.evidence import Evidence, EvidenceResult, RefusedMessage
from saves.fair.fold import fold, next_hash
from saves.fair.group import ZERO
from saves.fair.messages import HOST, Kind, Open, PileName, Proposal, SignedMessage
from saves.fair.signed_texts import order_message
from saves.fair.state import MessageRefusal, TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.few_cards import ALLIED, ASKING, FEW_CARDS, JAPAN, SCENARIO
from tests.netplay.fair.match import FairMatch
from tests.netplay.fair.test_command_attacks import guilty, proposal, settle_to_proposal

HAND = "hand"
change = msgspec.structs.replace


def resolving(attacker: Role) -> World:
    """The Allies play A-60, and their proposal is next. Its throw is over."""
    world = World(FairMatch(FEW_CARDS, SCENARIO, seed=23), [attacker])
    world.start()
    world.settle()
    assert world.is_idle()
    assert world.index(world.request(ALLIED, FEW_CARDS.notation.parse(ASKING))) is None
    settle_to_proposal(world)
    return world


@pytest.fixture(scope="module")
def resolving_actor() -> World:
    return resolving(ALLIED)


@pytest.fixture(scope="module")
def resolving_owner() -> World:
    return resolving(JAPAN)


@pytest.fixture
def world(resolving_actor: World) -> World:
    """The attacker plays the card; the victim has the hand."""
    return resolving_actor.copy()


@pytest.fixture
def owned(resolving_owner: World) -> World:
    """The victim plays the card; the attacker has the hand."""
    return resolving_owner.copy()


def asked(world: World) -> int:
    """Put the proposal of the Allies in order; return the label that chance has picked."""
    faithful = world.made_of(ALLIED, Kind.PROPOSAL)
    assert world.body(faithful, Proposal).status == "ask"
    assert world.index(faithful) is None
    assert world.state.phase is TranscriptPhase.ASK
    pending = world.state.pending
    assert pending is not None
    assert pending.asked is not None
    assert pending.asked.label is not None
    return pending.asked.label


def charges(world: World, signed: SignedMessage) -> list[EvidenceResult]:
    """Return what a refused message proves: alone, and put in order by a host that relays everything."""
    messages = (*world.host.messages, signed)
    index = len(messages) - 1
    head = next_hash(world.state.head, index, signed.data)
    order = world.match.host_key.sign(order_message(world.setup.match_id, index, head))
    cases = (RefusedMessage(messages[:-1], b"", signed), RefusedMessage(messages, order, None))
    return [Evidence(b"header", case).recompute(world.setup) for case in cases]


def is_proved(world: World, signed: SignedMessage) -> bool:
    """Return whether a message is evidence E2 against the attacker, whoever relays it."""
    return all((one.charge, one.author) == ("E2", world.attacker) for one in charges(world, signed))


def faces(world: World) -> list[Mapping[int, str]]:
    """Return the public faces of all labels in every copy."""
    states = [world.host.state, *(seat.state for seat in world.seats.values())]
    return [
        {
            label.number: label.face
            for deck in state.table.decks.values()
            for pile in deck.values()
            for label in pile.labels
            if label.face
        }
        for state in states
    ]


# -- AT-8: the actor asks for something else


def test_at_8_an_ask_for_any_card_except_the_picked_one_is_refused(world: World) -> None:
    victim, attacker = world.victim, world.attacker
    faithful = proposal(world)
    body = world.body(faithful, Proposal)
    *before, pick = body.uses
    decks = world.state.table.decks
    assert (body.status, pick.deck, pick.pile) == ("ask", victim, HAND)
    others = [
        change(pick, deck=role, pile=name, size=max(len(pile.labels), 1))
        for role in (victim, attacker)
        for name, pile in decks[role].items()
        if (role, name) != (victim, HAND)
    ]
    others += [
        change(pick, deck="nobody"),
        change(pick, pile="nowhere"),
        change(pick, deck="", pile=""),
        change(pick, size=999),
        change(pick, size=pick.size - 1),
        change(pick, event=999),
        change(pick, number=pick.number + 1),
    ]
    for use in others:
        signed = world.altered(faithful, uses=(*before, use))
        assert guilty(world, world.refused(signed)), use
    many = tuple(change(pick, number=number) for number in range(33))
    for fields in (
        {"uses": many},
        {"uses": ()},
        {"status": "done"},
        {"status": "stage", "wanted": PileName(victim, HAND)},
        {"wanted": PileName(victim, HAND)},
        {"events": body.events[:-1]},
    ):
        assert guilty(world, world.refused(world.altered(faithful, **fields))), fields
    assert not world.releases[victim].messages(Kind.OPEN)
    picked = asked(world)
    assert world.state.table.pile(victim, HAND).labels[0].number != picked
    world.settle()
    assert world.is_idle()
    assert [one.label for one in world.releases[victim].bodies(Open)] == [picked]


def test_at_8_a_second_ask_in_one_command_is_refused(world: World) -> None:
    """A-60 takes one card: there is no second ask, not even one that the rules would come to."""
    faithful = proposal(world)
    pending = world.state.pending
    assert pending is not None
    again = fold(change(world.state, pending=change(pending, asks=1)), faithful)
    assert isinstance(again, MessageRefusal)
    assert guilty(world, again)
    assert "does not allow its actor to request" in again.problem
    picked = asked(world)
    world.settle(until=TranscriptPhase.RESOLVE)
    later = world.made_of(world.attacker, Kind.PROPOSAL)
    pick = world.body(faithful, Proposal).uses[-1]
    for event in (pick.event, pick.event + 1):
        second = change(pick, number=pick.number + 1, size=pick.size - 1, event=event)
        signed = world.altered(later, uses=(second,), status="ask")
        assert guilty(world, world.refused(signed))
        cut = world.altered(signed, events=(), moves=())
        assert guilty(world, world.refused(cut))
    assert [one.label for one in world.releases[world.victim].bodies(Open)] == [picked]
    world.settle()
    assert world.is_idle()


def test_at_8_messages_of_the_actor_are_refused_while_an_ask_is_pending(world: World) -> None:
    victim, attacker = world.victim, world.attacker
    faithful = proposal(world)
    picked = asked(world)
    again = world.sign(attacker, Kind.PROPOSAL, world.body(faithful, Proposal))
    assert world.refused(again).is_due_fault
    cards = world.seat(attacker).cards
    own = world.state.table.pile(attacker, HAND).labels[0]
    for body in (
        Open(own.number, cards.face_of(attacker, own), cards.blinding_of(own)),
        Open(picked, "J-3", ZERO),
        Open(picked, "A-5", cards.blinding_of(own)),
    ):
        signed = world.sign(attacker, Kind.OPEN, body)
        assert guilty(world, world.refused(signed))
        assert is_proved(world, signed)
    world.settle()
    assert world.is_idle()
    assert [one.label for one in world.releases[victim].bodies(Open)] == [picked]


# -- AT-34: the owner opens something else


def other_opens(world: World, picked: int) -> list[Open]:
    """Return every open of the attacker but the right one: true ones of other labels, and false ones."""
    attacker = world.attacker
    cards = world.seat(attacker).cards
    labels = [
        label
        for pile in world.state.table.decks[attacker].values()
        for label in pile.labels
        if not label.face
    ]
    right = {one.number: one for one in labels}[picked]
    card, blinding = cards.face_of(attacker, right), cards.blinding_of(right)
    others = [one for one in labels if one is not right]
    true = [
        Open(one.number, cards.face_of(attacker, one), cards.blinding_of(one)) for one in others
    ]
    theirs = world.state.table.pile(world.victim, HAND).labels[0].number
    wrong = [Open(picked, one.card, one.blinding) for one in true]
    wrong += [Open(picked, one.card, blinding) for one in true]
    wrong += [Open(one.label, card, blinding) for one in true]
    wrong += [Open(picked, card, one) for one in (ZERO, (5).to_bytes(32, "little"))]
    return [*true, *wrong, Open(theirs, card, blinding), Open(99_999, card, blinding)]


def test_at_34_opening_a_label_other_than_the_picked_one_is_refused(owned: World) -> None:
    world = owned
    picked = asked(world)
    before = faces(world)
    opens = other_opens(world, picked)
    assert len(opens) > 10
    for number, body in enumerate(opens):
        signed = world.sign(world.attacker, Kind.OPEN, body)
        assert guilty(world, world.refused(signed)), body
        if number % 5 == 0:
            assert is_proved(world, signed)
    assert faces(world) == before
    world.settle()
    assert world.is_idle()
    assert all(picked in copy for copy in faces(world))


def test_at_34_a_false_open_after_other_messages_still_names_its_author() -> None:
    """Proofs come between the ask and the open. The evidence is judged at the anchor of the open."""
    world = World(FairMatch(FEW_CARDS, SCENARIO, seed=23), [JAPAN])
    world.start()
    world.settle()
    assert world.index(world.request(ALLIED, FEW_CARDS.notation.parse(ASKING))) is None
    world.settle(until=TranscriptPhase.RESOLVE)
    proofs = [one for one in world.due() if world.message(one).kind is Kind.PROOF]
    assert proofs, "the proposal comes before the proofs"
    picked = asked(world)
    anchor = world.state.index
    assert world.index(proofs[0]) is None
    for body in other_opens(world, picked)[:2]:
        signed = world.sign(JAPAN, Kind.OPEN, body, anchor)
        refusal = world.refused(signed)
        assert refusal.author == JAPAN
        assert is_proved(world, signed)
    world.settle()
    assert world.is_idle()


def test_at_34_an_open_before_its_proposal_names_its_author(owned: World) -> None:
    """The owner knows the throw, and so the label, before the proposal is in order."""
    world, later = owned, owned.copy()
    picked = asked(later)
    body = later.body(later.made_of(JAPAN, Kind.OPEN), Open)
    assert body.label == picked
    before = faces(world)
    signed = world.sign(JAPAN, Kind.OPEN, body)
    assert guilty(world, world.refused(signed))
    assert is_proved(world, signed)
    # Anchored at the proposal that the host has not put in order, it proves a fault of nobody but the host.
    early = later.made_of(JAPAN, Kind.OPEN)
    assert world.refused(early).is_due_fault
    alone, ordered = charges(world, early)
    assert not alone.is_proven
    assert (ordered.charge, ordered.author) == ("E3", HOST)
    assert faces(world) == before
    asked(world)
    world.settle()
    assert world.is_idle()


def test_at_34_a_valid_open_repeated_by_the_host_names_the_host(owned: World) -> None:
    world = owned
    asked(world)
    right = world.made_of(JAPAN, Kind.OPEN)
    assert world.index(right) is None
    assert world.refused(right).is_due_fault
    alone, ordered = charges(world, right)
    assert not alone.is_proven
    assert (ordered.charge, ordered.author) == ("E3", HOST)
    world.settle()
    assert world.is_idle()
