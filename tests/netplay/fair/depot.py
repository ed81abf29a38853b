"""Matches of the toy game Depot between honest programs and an attacker, for tests."""

from collections.abc import Iterator
from pathlib import Path

from engine.kernel.ids import Role
from saves.fair.fold import label_commitment
from saves.fair.messages import Kind, Message, Mix, SignedMessage
from saves.fair.mixing import SHADOWS
from saves.fair.state import TranscriptPhase
from saves.verify import verify_file
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import CopyOfMatch
from tests.netplay.fair.picks import PickOracle
from tests.sizes import sampled
from tests.toy_depot import (
    DEALT,
    DECK,
    DEPOT,
    DISCARD,
    HAND,
    Ambush,
    Bury,
    DepotCommand,
    Dig,
    Discard,
    Draw,
    Lose,
    Play,
    Raid,
    Recover,
    Refill,
    Roll,
    Scout,
    Search,
    Trade,
)


def cards(world: World, role: Role, pile: str) -> tuple[str, ...]:
    """Return a pile's cards as known to their owner."""
    found: tuple[str, ...] = world.seat(role).cards.state.piles[role][pile]
    return found


def discard(world: World, role: Role, count: int) -> None:
    """Discard some cards from a hand, face up."""
    for card in cards(world, role, HAND)[:count]:
        world.play(role, Discard(card=card))


def script(world: World, role: Role, other: Role) -> Iterator[DepotCommand]:
    """Yield commands of every kind, each one for the position after the previous one."""
    if len(cards(world, role, HAND)) < DEALT:
        yield Draw(count=2)
    for _ in range(DEALT):
        yield Discard(card=cards(world, role, HAND)[0])
    yield Draw(count=2)
    yield Trade(card=cards(world, role, HAND)[0])
    yield Search(card=cards(world, role, DECK)[0])
    yield Lose()
    yield Bury(card=cards(world, role, DISCARD)[0])
    yield Dig(card=cards(world, role, HAND)[0])
    yield Recover()
    yield Play(card=cards(world, role, HAND)[0])
    yield Discard(card=cards(world, role, HAND)[0])
    yield Refill()
    yield Scout(card=cards(world, role, DECK)[0])
    yield Raid(target=other)
    yield Ambush(target=other)
    yield Roll()


def steps(world: World, role: Role, command: DepotCommand) -> Iterator[None]:
    """Play a command faithfully, pausing after each message."""
    assert world.index(world.request(role, command)) is None
    yield
    while any(world.index(one) is None for one in world.due()):
        yield


def mix_of(world: World, owner: Role, pile: str, anchor: int) -> SignedMessage:
    """Return a formally valid mix of all labels in a pile that leaves each label where it is."""
    labels = sorted(world.state.table.pile(owner, pile).labels, key=lambda label: label.number)
    points = tuple(label_commitment(world.setup, owner, label) for label in labels)
    numbers = tuple(label.number for label in labels)
    body = Mix(owner, pile, numbers, points, (bytes(32),) * SHADOWS)
    return world.sign(owner, Kind.MIX, body, anchor)


def indexed(world: World, *kinds: Kind) -> list[Message]:
    """Return the messages of the given kinds, in order."""
    found = map(world.message, world.host.messages)
    return [one for one in found if one.kind in kinds]


def picks_of(world: World) -> PickOracle:
    """Check every pick in a match. Return the oracle."""
    setup = world.setup
    parties = [party.role for party in setup.parties]
    count = sum(len(DEPOT.decks()[role]) for role in parties)
    oracle = PickOracle(parties, count, setup.header_hash, {})
    return oracle.follow([one.data for one in world.host.messages])


def check_records(world: World, folder: Path) -> None:
    """End a match, open all seeds, and verify the victim's record or, in a full run, all records."""
    picks_of(world)
    if world.state.phase is not TranscriptPhase.ENDED:
        assert (
            world.index(world.decide(world.victim, world.seat(world.victim).sign_resignation()))
            is None
        )
    world.allow_seeds()
    world.settle()
    assert world.host.close() is None
    for role in sampled([world.victim, *world.attackers, None], 1):
        copy = CopyOfMatch(world.setup, world.match.header, role, world.match)
        for signed in world.host.messages:
            copy.take(signed)
        path = folder / f"{role}.fplog"
        copy.write(path)
        verdict = verify_file(path, DEPOT)
        assert (verdict.status, verdict.finding) == ("ok", None)


def next_of(world: World, role: Role, kind: Kind) -> SignedMessage:
    """Let everything happen that is due, up to a message from the given seat. Return that message."""
    while True:
        due = world.due()
        for one in due:
            message = world.message(one)
            if (message.author, message.kind) == (role, kind):
                return one
        assert any(world.index(one) is None for one in due), f"no {kind} of {role} is due"
