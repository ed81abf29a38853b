"""Attacks on what chance picks, by the owner of the pile: AT-19, AT-36 and AT-38 in matches."""

from collections.abc import Callable, Sequence
from unittest import mock

import pytest

from netplay.fair.participant import Participant
from saves.fair.derivation import UniformSource
from saves.fair.evidence import Equivocation, Evidence
from saves.fair.labels import Pile
from saves.fair.messages import Kind, PileName, Proposal, SignedMessage, slot_of
from saves.fair.mixing import MixInput, throw_key
from saves.fair.private_cards import PrivateCards
from saves.fair.resolution import Throw
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import (
    cards,
    discard,
    indexed,
    mix_of,
    next_of,
    picks_of,
    script,
)
from tests.sizes import sized
from tests.toy_depot import (
    DECK,
    DEPOT,
    DISCARD,
    HAND,
    LAID,
    Bury,
    Dig,
    Discard,
    Draw,
    Recover,
    Refill,
    Scout,
    Trade,
)

pytestmark = pytest.mark.usefixtures("quick_proofs")
Choose = Callable[[Pile, Sequence[Throw]], int]


@pytest.fixture(scope="module")
def opened() -> World:
    return World.opened(DEPOT, "two", attackers=1, seed=71)


@pytest.fixture
def world(opened: World) -> World:
    """Two seats; the host and the last seat are the attacker's."""
    return opened.copy()


@pytest.fixture(scope="module")
def six() -> World:
    """Six seats; the attacker holds the host and all seats but the first."""
    return World.opened(DEPOT, "six", attackers=5, seed=62)


def is_guilty(world: World, refusal: MessageRefusal | None) -> bool:
    return refusal is not None and refusal.author == world.attacker and not refusal.is_due_fault


# -- AT-36: picks after mixes, names and stages


def test_at_36_picks_use_the_first_throw_after_the_last_pile_change(
    world: World,
) -> None:
    for role, other in ((world.victim, world.attacker), (world.attacker, world.victim)):
        for command in script(world, role, other):
            world.play(role, command)
            assert world.is_idle()
    used = picks_of(world).throws_used
    assert {0, 1, 3} <= {*used}, "of one record, picks by its first throw and by later ones"
    for role in world.seats:
        trade = [one.body for one in indexed(world, Kind.PROPOSAL) if one.author == role]
        assert any(isinstance(one, Proposal) and one.status == "stage" for one in trade)


def by_first(_: Pile, throws: Sequence[Throw]) -> int:
    """Pick by a throw that the owner knew when it arranged the pile."""
    return throws[0].number


def by_last(_: Pile, throws: Sequence[Throw]) -> int:
    """Pick by a throw that came after the right one, as if it were thrown again."""
    return throws[-1].number


def preferred(world: World, choose: Choose) -> SignedMessage:
    """Return the proposal of a modified program that picks by a throw of its own choice."""
    attacker = world.attacker
    with mock.patch("saves.fair.resolution.usable_throw", choose):
        body = world.seat(attacker)._proposal_body(world.seat(attacker).state)
    return world.sign(attacker, Kind.PROPOSAL, body)


@pytest.mark.full
@pytest.mark.parametrize("choose", [by_first, by_last])
def test_at_36_a_pick_with_a_different_throw_is_refused(world: World, choose: Choose) -> None:
    attacker = world.attacker
    discard(world, attacker, 3)
    world.play(attacker, Draw(count=3))
    discard(world, attacker, 2)
    world.play(attacker, Bury(card=cards(world, attacker, DISCARD)[0]))
    tried = 0
    for kind, pile in ((Scout, DECK), (Trade, HAND), (Dig, HAND)):
        command = kind(card=cards(world, attacker, pile)[0])
        assert world.index(world.request(attacker, command)) is None
        while not world.is_idle():
            faithful = next_of(world, attacker, Kind.PROPOSAL)
            other = preferred(world, choose)
            if world.body(other, Proposal) != world.body(faithful, Proposal):
                assert is_guilty(world, world.refused(other))
                tried += 1
            assert world.index(faithful) is None
            if world.body(faithful, Proposal).status == "done":
                world.settle()
    assert tried > 2
    picks_of(world)


def test_at_36_mixes_of_two_piles_at_one_anchor_are_not_evidence(world: World) -> None:
    """A search after a throw makes the victim mix its deck and its hand for the same reason."""
    victim = world.victim
    world.play(victim, Scout(card=cards(world, victim, DECK)[0]))
    mixes = [
        (message, signed)
        for signed in world.host.messages
        if (message := world.message(signed)).kind is Kind.MIX and message.author == victim
    ]
    pairs = [
        (one, other)
        for at, one in enumerate(mixes)
        for other in mixes[at + 1 :]
        if one[0].anchor == other[0].anchor
    ]
    assert pairs, "two piles are mixed at one anchor"
    for (first, one), (second, other) in pairs:
        assert slot_of(first) != slot_of(second)
        verdict = Evidence(b"", Equivocation(one, other)).recompute(world.setup)
        assert not verdict.is_proven


# -- AT-38: discards that go on unseen


def moved_labels(world: World, since: int, target: str) -> list[int]:
    """Return the labels that proposals have moved to a pile since a message."""
    bodies = [world.message(one).body for one in world.host.messages[since:]]
    return [
        move.label
        for body in bodies
        if isinstance(body, Proposal)
        for move in body.moves
        if move.target == target
    ]


@pytest.mark.parametrize("is_buried", [False, True], ids=["returned-at-random", "laid-face-down"])
def test_at_38_a_recovered_card_cannot_be_linked_to_its_discard(
    world: World, *, is_buried: bool
) -> None:
    """The victim takes cards out of its discards; everybody has seen the faces of all of them."""
    victim = world.victim
    discard(world, victim, 3)
    linked: set[int] = set()
    for _ in range(2):
        pile = world.state.table.pile(victim, DISCARD)
        linked |= {label.number for label in pile.labels if label.face}
        since = len(world.host.messages)
        card = cards(world, victim, DISCARD)[0]
        world.play(victim, Bury(card=card) if is_buried else Recover())
        labels = moved_labels(world, since, LAID if is_buried else HAND)
        assert len(labels) == 1
        assert not linked & {*labels}
        left = world.state.table.pile(victim, DISCARD).labels
        assert not linked & {label.number for label in left}
        assert not any(label.face for label in left)
        world.play(victim, Draw(count=1))
        discard(world, victim, 1)
    picks_of(world)


@pytest.mark.parametrize("is_buried", [False, True], ids=["returned-at-random", "laid-face-down"])
def test_at_38_a_discard_with_a_known_face_cannot_be_picked(
    world: World, *, is_buried: bool
) -> None:
    """The attacker wants to choose which of its discards returns, or to show which one it buries."""
    attacker = world.attacker
    discard(world, attacker, 3)
    command = Bury(card=cards(world, attacker, DISCARD)[0]) if is_buried else Recover()
    assert world.index(world.request(attacker, command)) is None
    faithful = next_of(world, attacker, Kind.PROPOSAL)
    assert world.body(faithful, Proposal).status == "stage"
    with (
        mock.patch("saves.fair.resolution.usable_throw", by_first),
        mock.patch("saves.fair.resolution.may_name", return_value=True),
    ):
        body = world.seat(attacker)._proposal_body(world.seat(attacker).state)
    assert body.status == "done"
    assert is_guilty(world, world.refused(world.sign(attacker, Kind.PROPOSAL, body)))
    assert world.index(faithful) is None
    world.settle()
    assert world.is_idle()


# -- AT-19: five of six seats, among them the owner of the deck


class Arranger:
    """Mixes the deck of an attacker's seat so that one card lies at a place of its choice."""

    def __init__(self, seat: Participant) -> None:
        assert isinstance(seat.cards, PrivateCards)
        self.wish, self.place = "", 0
        self._orders: dict[tuple[int, ...], tuple[int, ...]] = {}
        seat.cards._chosen_order = self  # type: ignore[assignment,method-assign]

    def __call__(
        self, _: FairState, pile: Pile, inputs: Sequence[MixInput]
    ) -> tuple[int, ...] | None:
        names = [one.card for one in inputs]
        if pile.name != DECK or self.wish not in names:
            return self._orders.get(tuple(one.label for one in inputs))
        order = [at for at, name in enumerate(names) if name != self.wish]
        order.insert(self.place, names.index(self.wish))
        return self._orders.setdefault(tuple(one.label for one in inputs), tuple(order))


def foresee(world: World, arranger: Arranger, wish: str) -> None:
    """Arrange the deck before the throw, with a guess of the only reveal that the attacker does not know."""
    owner, number = world.attacker, world.state.throws
    reveals = [
        bytes(32) if role in world.honest else world.match.secrets[role].reveal(number)
        for role in world.seats
    ]
    size = len(cards(world, owner, DECK))
    key = throw_key(world.setup.header_hash, number, reveals)
    arranger.wish, arranger.place = wish, UniformSource(key).draw(0, size)
    world.play(owner, Draw(count=1))


def arrange_after_the_throw(world: World, arranger: Arranger, wish: str) -> None:
    """Make the deck dirty after the throw, and arrange it for what that throw would pick."""
    owner = world.attacker
    found = next(card for card in cards(world, owner, DECK) if card != wish)
    size = len(cards(world, owner, DECK)) - 1
    arranger.wish = ""
    assert world.index(world.request(owner, Scout(card=found))) is None
    stage = next_of(world, owner, Kind.PROPOSAL)
    assert world.state.pending is not None
    source = UniformSource(world.state.pending.throws[0].key)
    arranger.wish, arranger.place = wish, source.draw(1, size)
    assert is_guilty(world, world.refused(preferred(world, by_first))), "no pick without a mix"
    assert world.index(stage) is None
    last = next_of(world, owner, Kind.PROPOSAL)
    assert world.body(last, Proposal).status == "done"
    other = preferred(world, by_first)
    if other.data != last.data:
        assert is_guilty(world, world.refused(other))
    more = Proposal((), (), (), "stage", PileName(owner, DECK))
    again = world.sign(owner, Kind.PROPOSAL, more)
    assert is_guilty(world, world.refused(again)), "no throw is made again"
    assert world.index(last) is None
    world.settle()


@pytest.mark.parametrize(
    "attack", [foresee, pytest.param(arrange_after_the_throw, marks=pytest.mark.full)]
)
def test_at_19_the_owner_of_a_deck_cannot_choose_the_drawn_card(
    six: World, attack: Callable[[World, Arranger, str], None]
) -> None:
    """Five of six seats collude; the owner arranges its labels. It draws the card that it wants by luck alone."""
    world = six.copy()
    owner = world.attacker
    arranger = Arranger(world.seat(owner))
    tries, luck = sized(4, 60), 0
    for _ in range(tries):
        wish = cards(world, owner, DECK)[-1]
        attack(world, arranger, wish)
        assert world.is_idle()
        luck += wish in cards(world, owner, HAND)
        while len(cards(world, owner, HAND)) > 3:
            world.play(owner, Discard(card=cards(world, owner, HAND)[0]))
        world.play(owner, Refill())
    # Four of five draws pick another card.
    assert luck <= sized(2, 28)
    picks_of(world)


def test_at_19_a_withheld_reveal_does_not_change_the_pick(six: World) -> None:
    """The colluding seats know the result before they reveal; nothing else than that result is accepted."""
    world = six.copy()
    owner, victim = world.attacker, world.victim
    assert world.index(world.request(owner, Draw(count=1))) is None
    world.settle(until=TranscriptPhase.REVEAL)
    assert world.index(world.made_of(victim, Kind.REVEAL)) is None
    number = world.state.throws - 1
    reveals = [world.match.secrets[role].reveal(number) for role in world.seats]
    key = throw_key(world.setup.header_hash, number, reveals)
    labels = sorted(label.number for label in world.state.table.pile(owner, DECK).labels)
    known = labels[UniformSource(key).draw(0, len(labels))]
    for anchor in range(world.state.first_hash, world.state.index + 1):
        mix = mix_of(world, owner, DECK, anchor)
        assert world.refused(mix).is_due_fault
    world.settle()
    assert moved_labels(world, 0, HAND)[-1:] == [known]
