"""AT-23: takebacks to before everything that a card can do, and draws that exhaust the deck."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from saves.fair.labels import MIXED
from saves.fair.messages import (
    HOST,
    ChanceUse,
    Consent,
    Kind,
    LabelMove,
    Offer,
    Proposal,
    Reveal,
    SignedMessage,
)
from saves.fair.secrets import box_bytes
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import cards, check_records, discard, next_of, picks_of
from tests.sizes import sampled
from tests.toy_depot import (
    DECK,
    DEPOT,
    HAND,
    DepotCommand,
    Draw,
    Lose,
    Play,
    Recover,
    Refill,
    Roll,
    Scout,
    Search,
)

pytestmark = pytest.mark.usefixtures("quick_proofs")
COMMANDS: dict[str, Callable[[World, Role], DepotCommand]] = {
    "throw": lambda _world, _role: Roll(),
    "draw": lambda _world, _role: Draw(count=1),
    "search": lambda world, role: Search(card=cards(world, role, DECK)[0]),
    "search-and-draw": lambda world, role: Scout(card=cards(world, role, DECK)[0]),
    "reshuffle": lambda _world, _role: Refill(),
    "random-discard": lambda _world, _role: Lose(),
    "random-return": lambda _world, _role: Recover(),
    "exhausted-deck": lambda _world, _role: Draw(count=4),
    "card-played-by-name": lambda world, role: Play(card=cards(world, role, HAND)[0]),
}


@pytest.fixture(scope="module")
def later() -> World:
    """Both seats have two discards with known faces and three cards in the deck; an adjournment was agreed."""
    world = World.opened(DEPOT, "two", attackers=1, seed=64)
    for role in world.seats:
        discard(world, role, 2)
        world.play(role, Draw(count=3))
    assert world.index(world.sign(world.attacker, Kind.OFFER, Offer("adjournment"))) is None
    agree(world)
    return world


@pytest.fixture
def world(later: World) -> World:
    return later.copy()


def agree(world: World) -> SignedMessage:
    """Let the victim accept an offer; returns its consent."""
    victim = world.victim
    signed = world.decide(victim, world.seat(victim).sign_consent(agrees=True))
    assert world.index(signed) is None
    world.settle()
    assert world.is_idle()
    return signed


def take_back(world: World, record: int) -> None:
    """Take records back; the host first shows other consents of the victim as one to this offer."""
    victim, attacker = world.victim, world.attacker
    assert world.index(world.sign(attacker, Kind.OFFER, Offer("takeback", record))) is None
    place = world.state.index
    for signed in world.releases[victim].by_slot.values():
        if world.message(signed).kind is Kind.CONSENT:
            assert world.refused(signed).is_due_fault
            moved = world.forge(signed, anchor=place, anchor_hash=world.state.head)
            assert world.refused(moved).author == HOST
    own = world.sign(attacker, Kind.CONSENT, Consent(agrees=True), place)
    assert world.refused(own).is_due_fault, "who offers does not consent"
    agree(world)


def labels_of(world: World) -> set[int]:
    """Return the labels of all hands and decks."""
    return {
        label.number
        for deck in world.state.table.decks.values()
        for pile in deck.values()
        if pile.kind in MIXED
        for label in pile.labels
    }


ACTORS = [
    pytest.param(0, id="of-the-victim"),
    pytest.param(1, id="of-the-attacker", marks=pytest.mark.full),
]


@pytest.mark.parametrize("kind", sampled([*COMMANDS], 2))
@pytest.mark.parametrize("actor", ACTORS)
def test_at_23_a_takeback_does_not_reuse_throws_or_labels(
    world: World, kind: str, actor: int, tmp_path: Path
) -> None:
    victim, role = world.victim, [*world.seats][actor]
    last = world.state.records - 1
    held = cards(world, role, HAND)
    seen = labels_of(world)
    for _ in range(2):
        command = COMMANDS[kind](world, role)
        world.play(role, command)
        seen |= labels_of(world)
        throws, since = world.state.throws, len(world.host.messages)
        take_back(world, last)
        assert world.state.throws == throws, "the number of throws never goes back"
        assert cards(world, role, HAND) == held
        for signed in world.host.messages[:since]:
            message = world.message(signed)
            if message.author == victim and message.kind in {Kind.OPEN, Kind.REVEAL, Kind.PROPOSAL}:
                assert world.refused(signed).is_due_fault, "what was signed before is of no use"
        world.play(victim, Roll())
        assert world.state.throws == throws + 1
        assert not seen & labels_of(world), "every label of a hand or deck is new"
        faces = [
            label.face
            for deck in world.state.table.decks.values()
            for pile in deck.values()
            if pile.kind in MIXED
            for label in pile.labels
        ]
        assert not any(faces), "no label shows a card that was played by name"
        take_back(world, last)
    numbers = [body.number for body in world.releases[victim].bodies(Reveal)]
    assert len(numbers) == len({*numbers}) == world.state.throws
    check_records(world, tmp_path)


# -- a deck exhausted inside a draw


@pytest.fixture(scope="module")
def short(later: World) -> World:
    """The attacker has begun to draw four cards; its deck has three, and its discards are open."""
    world = later.copy()
    attacker = world.attacker
    assert len(cards(world, attacker, DECK)) == 3
    assert world.index(world.request(attacker, Draw(count=4))) is None
    return world


def test_deck_exhausted_during_a_draw_is_mixed_before_next_card(
    short: World, tmp_path: Path
) -> None:
    world = short.copy()
    attacker = world.attacker
    faithful = next_of(world, attacker, Kind.PROPOSAL)
    body = world.body(faithful, Proposal)
    assert body.status == "stage"
    back = [move for move in body.moves if move.target == DECK]
    at = len(body.events)
    draws = [event for event in body.events if event.entry.commitment]
    for wish in back:
        changes = {
            "events": (*body.events, body.events[0]),
            "uses": (*body.uses, ChanceUse(len(body.uses), len(back), at, attacker, DECK)),
            "moves": (*body.moves, LabelMove(wish.label, DECK, HAND, at)),
            "box": bytes(box_bytes(len(draws) + 1, DEPOT.hidden_entry_bytes)),
        }
        refusal = world.refused(world.altered(faithful, status="done", wanted=None, **changes))
        assert (refusal.author, refusal.is_due_fault) == (attacker, False)
    assert world.index(faithful) is None
    world.settle()
    assert world.is_idle()
    assert {*picks_of(world).throws_used} == {0, 1}
    check_records(world, tmp_path)


@pytest.mark.parametrize("kept", [0, 1])
def test_a_refill_that_omits_a_discard_is_refused(short: World, kept: int) -> None:
    """The attacker wants a card not to return into its deck: its label stays, or goes to the hand."""
    world = short.copy()
    attacker = world.attacker
    faithful = next_of(world, attacker, Kind.PROPOSAL)
    body = world.body(faithful, Proposal)
    back = [move for move in body.moves if move.target == DECK]
    assert len(back) == 2
    out = back[kept]
    for moves in (
        tuple(move for move in body.moves if move is not out),
        tuple(
            LabelMove(move.label, move.source, HAND, move.event) if move is out else move
            for move in body.moves
        ),
    ):
        refusal = world.refused(world.altered(faithful, moves=moves))
        assert (refusal.author, refusal.is_due_fault) == (attacker, False)


def test_a_takeback_during_a_draw_is_refused(short: World) -> None:
    """Between two throws of one record, only the end of the match may stop the draw."""
    world = short.copy()
    attacker = world.attacker
    stage = next_of(world, attacker, Kind.PROPOSAL)
    assert world.index(stage) is None
    while world.state.phase is not TranscriptPhase.RESOLVE:
        offer = world.sign(attacker, Kind.OFFER, Offer("takeback", 1))
        assert world.refused(offer).is_due_fault
        assert any(world.index(one) is None for one in world.due())
    world.settle()
    assert world.is_idle()
