"""AT-20: the owner of a deck mixes when it likes, at every moment of a match."""

from collections.abc import Iterator

import pytest

from engine.kernel.cards import PileKind
from saves.fair.due_messages import due_messages
from saves.fair.messages import Consent, End, Kind, Mix, Offer
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import mix_of, script, steps
from tests.sizes import sampled, sized
from tests.toy_depot import DEPOT

pytestmark = pytest.mark.usefixtures("quick_proofs")
_MIXED_LAST = frozenset({PileKind.HAND, PileKind.ORDERED})
"""Kinds of piles that are mixed when a record is complete."""


@pytest.fixture
def world() -> World:
    return World.opened(DEPOT, "two", attackers=1, seed=63)


class Owner:
    """The attacker's seat, which asks for a mix of each of its piles."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.phases: set[TranscriptPhase] = set()
        """Phases in which a mix was refused."""
        self._read = 0
        self._mixed: dict[str, tuple[int, ...]] = {}
        """Labels of each pile after its last mix, while no label of it has been moved or shown."""

    def attack(self) -> None:
        """Mix each pile that is not due, and those that are due at other anchors."""
        world, owner, state = self.world, self.world.attacker, self.world.state
        self._follow()
        wanted = {
            one.item.partition("/")[2]: one.anchor
            for one in due_messages(state)
            if (one.kind, one.author) == (Kind.MIX, owner)
        }
        assert not wanted or state.phase in {TranscriptPhase.PREPARE, TranscriptPhase.COMPLETE}
        for name, pile in state.table.decks[owner].items():
            if not pile.labels:
                continue
            if name in wanted:
                numbers = tuple(label.number for label in pile.labels)
                assert self._mixed.get(name) != numbers, f"{name} is mixed again unchanged"
                assert state.phase is TranscriptPhase.PREPARE or pile.kind in _MIXED_LAST
            first = max(state.first_hash, state.index - sized(1, 6))
            for anchor in {*range(first, state.index + 1)} - {wanted.get(name)}:
                refusal = world.refused(mix_of(world, owner, name, anchor))
                assert (refusal.author, refusal.is_due_fault) == (owner, True)
                self.phases.add(state.phase)

    def _follow(self) -> None:
        """Read new messages of the transcript."""
        world, owner = self.world, self.world.attacker
        new = map(world.message, world.host.messages[self._read :])
        self._read = len(world.host.messages)
        for message in new:
            if message.kind is Kind.CONSENT:
                self._mixed.clear()
            elif message.author == owner and isinstance(message.body, Mix):
                labels = world.state.table.pile(owner, message.body.pile).labels
                self._mixed[message.body.pile] = tuple(label.number for label in labels)
        for name, pile in world.state.table.decks[owner].items():
            if any(label.face for label in pile.labels):
                self._mixed.pop(name, None)


def moments(world: World) -> Iterator[None]:
    """Pause after each message of commands of every kind, of a takeback and of the end."""
    pairs = ((world.attacker, world.victim), (world.victim, world.attacker))
    for role, other in sampled(pairs, 1):
        for command in script(world, role, other):
            yield from steps(world, role, command)
            assert world.is_idle()
    offer = Offer("takeback", world.state.records - 4)
    assert world.index(world.sign(world.attacker, Kind.OFFER, offer)) is None
    yield
    agreed = world.decide(world.victim, world.seat(world.victim).sign_consent(agrees=True))
    assert isinstance(world.message(agreed).body, Consent)
    assert world.index(agreed) is None
    yield
    while any(world.index(one) is None for one in world.due()):
        yield
    end = world.sign(world.attacker, Kind.END, End("resigned", world.attacker))
    assert world.index(end) is None
    yield


def test_at_20_a_mix_is_refused_unless_due(world: World) -> None:
    owner = Owner(world)
    for _ in moments(world):
        owner.attack()
    assert owner.phases == {*TranscriptPhase} - {
        TranscriptPhase.START,
        TranscriptPhase.AGREE,
        TranscriptPhase.CLOSED,
    }
