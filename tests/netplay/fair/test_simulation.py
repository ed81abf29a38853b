"""O3 and L1: other hidden cards change the view of an attacker only inside commitments, boxes and points."""

import random
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest import mock

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.qmg.deck import INSTANCES
from saves.codec import codec
from saves.fair.group import ZERO
from saves.fair.labels import Pile
from saves.fair.messages import (
    Completion,
    Message,
    Mix,
    Open,
    Proof,
    Proposal,
    ProposedEvent,
    PublicEntry,
    Request,
    SignedMessage,
)
from saves.fair.mixing import MixContext, MixInput, plan_mix
from saves.fair.private_cards import PrivateCards
from saves.fair.secrets import CardSecrets
from saves.fair.state import FairState, MessageRefusal
from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import TIMED, FairMatch
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("quick_proofs")
COPIES = {copy: copies for copies in INSTANCES.values() for copy in copies}
"""All copies of each card of Quartermaster General. In other games, each card is the only one of its kind."""
MOVES = ("attacker_commands", "victim_commands", "lie", "replay", "crafted", "ask_again")
"""Moves that do not depend on the bytes of commitments."""


class Hidden:
    """Exchanges cards in the first mix of each deck, at random."""

    def __init__(self, cards: Collection[str], sample: int) -> None:
        self.cards = frozenset(cards)
        self._sample = sample

    def order(
        self, secrets: CardSecrets, context: MixContext, inputs: Sequence[MixInput]
    ) -> tuple[int, ...] | None:
        """Return the order of a mix; None for that of the program."""
        cards = [one.card for one in inputs]
        if not self.cards.intersection(cards) or any(one.blinding != ZERO for one in inputs):
            return None
        usual = plan_mix(secrets, context, inputs).order
        places = [at for at in usual if cards[at] in self.cards]
        random.Random(self._sample).shuffle(places)
        others = iter(places)
        return tuple(next(others) if cards[at] in self.cards else at for at in usual)


class Player(Adversary):
    """An attacker that acts by a list, and remembers its view; honest players give the commands of a script."""

    def __init__(self, world: World, script: Sequence[tuple[Role, Command | None]] | None) -> None:
        super().__init__(world)
        self.view: list[object] = []
        self.commands: list[tuple[Role, Command | None]] = []
        self._script = None if script is None else iter(script)

    @override
    def _commands(self, role: Role) -> SignedMessage | None:
        if role in self.world.attackers:
            return super()._commands(role)
        if self._script is None:
            usual, self.random = self.random, random.Random(len(self.commands))
            command = self._chosen(role)
            self.random = usual  # a script draws nothing
        else:
            author, command = next(self._script)
            assert author == role, "the course of both matches is the same"
        self.commands.append((role, command))
        return None if command is None else self._request(role, command)

    @override
    def _index(self, signed: SignedMessage) -> bool:
        self.view.append(view_of(self.world.message(signed)))
        return super()._index(signed)

    @override
    def _judge(self, refusal: MessageRefusal) -> None:
        self.view.append(refusal)
        super()._judge(refusal)


@contextmanager
def mixed(hidden: Hidden) -> Iterator[None]:
    """Let the order of mixes follow from the secrets and labels only, so that all samples draw alike."""
    usual = PrivateCards.mix_inputs

    def question(
        cards: PrivateCards, state: FairState, pile: Pile, anchor: int
    ) -> tuple[MixContext, list[MixInput], tuple[int, ...] | None]:
        context, inputs, order = usual(cards, state, pile, anchor)
        context = msgspec.structs.replace(context, anchor_hash=bytes(32))
        return context, inputs, hidden.order(cards.secrets, context, inputs) or order

    with mock.patch.object(PrivateCards, "mix_inputs", question):
        yield


def played(
    place: tuple[str, str, int],
    seed: int,
    hidden: Hidden,
    script: Sequence[tuple[Role, Command | None]] | None = None,
) -> Player:
    """Play a match with an attacker.

    Args:
        place: Game, scenario and count of the attacker's seats.
        seed: Of the attacker's moves.
        hidden: The cards that are exchanged.
        script: The commands of honest players; None to choose them.
    """
    game, scenario, attackers = place
    moves = random.Random(seed)
    match = FairMatch(game, scenario, seed=51, clock=TIMED)
    world = World(match, tuple(match.seats)[-attackers:])
    with mixed(hidden):
        world.start()
        world.settle()
        player = Player(world, script)
        for _ in range(sized(14, 40, 60, of="moves of an attacker")):
            player.act(moves.choice(MOVES), moves.randrange(8), moves.randrange(1 << 32))
    return player


def unknown(player: Player) -> frozenset[str]:
    """Return the cards of honest seats that can be exchanged without changing what the honest seats do.

    No message has shown them, and no command names them or a copy of them: if a hand has several copies of a card, only
    the first of them can be chosen.
    """
    world, decks = player.world, player.world.game.decks()
    shown = [signed.data for signed in world.host.messages]
    shown += [codec(world.game).pack(command).body for command in given(player)]
    cards = [card for role in world.honest for card in decks.get(role, ())]
    seen = {card for card in cards if any(card.encode() in text for text in shown)}
    return frozenset(card for card in cards if seen.isdisjoint(COPIES.get(card, (card,))))


def given(player: Player) -> list[Command]:
    return [command for _, command in player.commands if command is not None]


def hands(player: Player) -> tuple[tuple[str, ...], ...]:
    world = player.world
    return tuple(
        tuple(sorted(world.game.card_piles(world.seat(role).cards.state, role)["hand"].cards))
        for role in world.honest
    )


def view_of(message: Message) -> tuple[Any, ...]:
    """Return what an attacker learns from a message besides commitments, boxes and points."""
    body: Any = message.body
    match body:
        case Mix():
            content: object = (body.deck, body.pile, body.inputs, len(body.outputs))
        case Proof():
            content = (body.deck, body.first, tuple(len(one) for one in body.responses))
        case Request():
            content = (body.record, entry_view(body.command), body.uses_chance, len(body.box))
        case Proposal():
            events = tuple(event_view(one) for one in body.events)
            content = (
                events,
                body.uses,
                body.moves,
                body.status,
                body.wanted,
                len(body.box),
            )
        case Completion():
            sizes = tuple((number, len(commitment)) for number, commitment in body.commitments)
            content = (sizes, body.moves, len(body.box))
        case Open():
            content = (body.label, body.card)
        case _:
            content = body
    return (message.kind, message.anchor, message.author, content)


def entry_view(entry: PublicEntry) -> tuple[Any, ...]:
    return (entry.tag, entry.v, entry.body, len(entry.commitment))


def event_view(event: ProposedEvent) -> tuple[Any, ...]:
    return (*entry_view(event.entry), event.owner)


@pytest.mark.parametrize(
    ("place", "samples"),
    [
        pytest.param(
            ("eots", "south-pacific", 1), sized(2, 30, 300, of="resampled hands"), id="two-seats"
        ),
        pytest.param(
            ("qmg", "base", 3),
            sized(2, 10, 100, of="resampled hands of six seats"),
            id="six-seats",
            marks=pytest.mark.full,
        ),
    ],
)
@pytest.mark.series("F4")
def test_o3_the_view_does_not_depend_on_hidden_cards(
    place: tuple[str, str, int], samples: int
) -> None:
    first, seed = next(
        (player, seed)
        for seed in count()
        if len(given(player := played(place, seed, Hidden((), 0)))) > 1
    )
    cards = unknown(first)
    assert len(cards) > 5
    assert len(first.view) > 20
    found = {hands(first)}
    for sample in range(1, samples):
        other = played(place, seed, Hidden(cards, sample), first.commands)
        found.add(hands(other))
        assert other.view == first.view
        assert released(other) == released(first)
    assert len(found) > samples // 4, "the hands differ"


def released(player: Player) -> list[tuple[Any, ...]]:
    """Return the view of everything that honest seats have released."""
    releases = player.world.releases.values()
    return [view_of(message) for each in releases for message in each.messages()]
