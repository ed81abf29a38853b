"""Attacks on throws and on the one history: H2, H4, AT-5 to AT-7, AT-11, AT-19 and AT-36."""

import random
from collections import Counter

import pytest

from engine.kernel.ids import Role
from saves.fair.derivation import UniformSource
from saves.fair.due_messages import due_messages
from saves.fair.messages import HOST, Consent, Kind, Offer, Request, Reveal, SignedMessage
from saves.fair.mixing import throw_key
from saves.fair.secrets import SeatSecrets
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import FairMatch
from tests.netplay.fair.test_command_attacks import command_of, is_with_chance
from tests.sizes import sized


@pytest.fixture(scope="module")
def thrown(two_seats_opened: World) -> World:
    """A command with chance of the attacker waits for its reveals; none is there yet."""
    world = two_seats_opened.copy()
    for _ in range(20):
        if world.options(world.attacker):
            break
        world.play(world.victim, world.options(world.victim)[-1])
    request = world.request(world.attacker, command_of(world, world.attacker, chance=True))
    assert world.index(request) is None
    world.settle(until=TranscriptPhase.REVEAL)
    assert world.state.phase is TranscriptPhase.REVEAL
    return world


@pytest.fixture
def world(thrown: World) -> World:
    return thrown.copy()


def reveal(world: World, role: Role) -> SignedMessage:
    return world.made_of(role, Kind.REVEAL)


@pytest.mark.series("F2")
def test_h4_only_reveals_are_released_until_all_reveals_have_arrived(world: World) -> None:
    victim = world.victim
    before = dict(world.releases[victim].by_slot)
    assert world.index(reveal(world, victim)) is None
    world.settle(without=[world.attacker])
    new = [one for slot, one in world.releases[victim].by_slot.items() if slot not in before]
    assert {world.message(one).kind for one in new} <= {Kind.REVEAL}
    assert {(one.kind, one.author) for one in due_messages(world.state)} == {
        (Kind.REVEAL, world.attacker)
    }


@pytest.mark.series("F2")
def test_h4_at_6_another_command_is_refused_while_a_throw_is_pending(world: World) -> None:
    """The attacker has seen the reveals of all others, and wants another command."""
    attacker = world.attacker
    assert world.index(reveal(world, world.victim)) is None
    given = next(
        one.body
        for one in map(world.message, world.host.messages[::-1])
        if isinstance(one.body, Request)
    )
    for kind, body in ((Kind.REQUEST, given), (Kind.OFFER, Offer("takeback", 0))):
        assert world.refused(world.sign(attacker, kind, body)).is_due_fault
    own = reveal(world, attacker)
    assert world.index(own) is None
    number = world.state.throws
    world.settle()
    assert world.is_idle()
    assert world.state.throws == number, "one throw for one command"


@pytest.mark.series("F2")
def test_at_6_a_withheld_reveal_leaves_the_throw_pending_and_unchanged(world: World) -> None:
    victim, attacker = world.victim, world.attacker
    assert world.index(reveal(world, victim)) is None
    assert [(one.kind, one.author) for one in due_messages(world.state)] == [
        (Kind.REVEAL, attacker)
    ]
    first = world.releases[victim].bodies(Reveal)
    for _ in range(3):
        world.settle(without=[attacker])
        world.made(victim, again=True)
    assert world.releases[victim].bodies(Reveal) == first
    resigned = world.seat(victim).sign_resignation()
    assert world.index(resigned) is None, "the victim can end the match"


@pytest.mark.series("F2")
def test_at_6_a_throw_is_not_reused_after_a_takeback(world: World) -> None:
    """After the throw is used and taken back, the next one has a new number and other values."""
    victim, attacker = world.victim, world.attacker
    world.settle()
    used = world.state.throws
    assert world.index(world.sign(attacker, Kind.OFFER, Offer("takeback", 0))) is None
    assert world.index(world.seat(victim).sign_consent(agrees=True)) is None
    world.settle()
    assert world.is_idle()
    assert world.state.throws == used
    for _ in range(20):
        if world.options(attacker):
            break
        world.play(victim, world.options(victim)[-1])
    world.play(attacker, command_of(world, attacker, chance=True))
    numbers = [one.number for one in world.releases[victim].bodies(Reveal)]
    assert len(set(numbers)) == len(numbers), "O4: no reveal twice"
    assert world.state.throws > used


@pytest.mark.parametrize("kind", ["old", "next", "foreign", "other number", "zero"])
@pytest.mark.series("F2")
def test_at_7_h2_a_false_reveal_is_refused(world: World, kind: str) -> None:
    attacker, victim = world.attacker, world.victim
    secrets = world.match.secrets[attacker]
    number = world.state.throws
    body = {
        "old": Reveal(number, secrets.reveal(number - 1)),
        "next": Reveal(number, secrets.reveal(number + 1)),
        "foreign": Reveal(number, world.body(reveal(world, victim), Reveal).value),
        "other number": Reveal(number + 1, secrets.reveal(number + 1)),
        "zero": Reveal(number, bytes(32)),
    }[kind]
    anchor = world.message(reveal(world, attacker)).anchor
    refusal = world.refused(world.sign(attacker, Kind.REVEAL, body, anchor))
    assert (refusal.author, refusal.is_due_fault) == (attacker, False)
    assert world.index(reveal(world, attacker)) is None


def test_at_7_h2_a_reveal_altered_by_the_host_names_the_host(world: World) -> None:
    """The host wants to choose the die: it changes the reveal of the victim, or gives it to itself."""
    victim = world.victim
    signed = reveal(world, victim)
    other = Reveal(world.state.throws, bytes(32))
    assert world.refused(world.forge(signed, body=other)).author == HOST
    assert world.refused(world.forge(signed, author=world.attacker)).author == HOST
    assert world.refused(world.sign(HOST, Kind.REVEAL, other)).is_due_fault


def test_at_7_a_duplicate_reveal_is_refused(world: World) -> None:
    signed = reveal(world, world.victim)
    assert world.index(signed) is None
    assert world.refused(signed).is_due_fault


# -- AT-5 and AT-11: two histories


@pytest.fixture(scope="module")
def two_honest() -> World:
    """Six seats, four of them the attacker's, one of which may give a command with chance."""
    world = World.opened("qmg", "base", attackers=4, seed=31)
    chance = random.Random(31)
    for _ in range(150):
        role = chance.choice(world.game.active_roles(world.state.state))
        if role in world.attackers and any(
            is_with_chance(world, role, c) for c in world.options(role)
        ):
            return world
        world.play(role, chance.choice(world.options(role)))
    raise AssertionError("no command with chance was found")


def test_at_5_different_requests_shown_to_two_seats_do_not_complete_a_throw(
    two_honest: World,
) -> None:
    """The same seat gives its command in two histories; each honest seat reveals in its own one only."""
    first = two_honest.copy()
    one, other = first.honest
    actor = next(
        role
        for role in first.game.active_roles(first.state.state)
        if any(is_with_chance(first, role, c) for c in first.options(role))
    )
    second = first.fork(other)
    assert (first.honest, second.honest) == ((one,), (other,))
    throws = first.state.throws
    assert second.index(second.sign(actor, Kind.OFFER, Offer("draw"))) is None
    consent = Consent(agrees=False)
    refuser = next(role for role in second.attackers if role != actor)
    assert second.index(second.sign(refuser, Kind.CONSENT, consent)) is None
    for world in (first, second):
        command = next(c for c in world.options(actor) if is_with_chance(world, actor, c))
        assert world.index(world.request(actor, command)) is None
        world.settle()
    for world, missing in ((first, other), (second, one)):
        assert world.state.phase is TranscriptPhase.REVEAL, "neither result is usable"
        assert {(d.kind, d.author) for d in due_messages(world.state)} == {(Kind.REVEAL, missing)}
    reveals = {one: first.releases[one], other: second.releases[other]}
    for world, theirs in ((first, reveals[other]), (second, reveals[one])):
        for signed in theirs.by_slot.values():
            body = world.message(signed).body
            if isinstance(body, Reveal) and body.number == throws:
                refusal = world.refused(signed)
                assert refusal.is_due_fault, "a message of another history names no author"


def test_at_11_differently_ordered_histories_stop_at_the_next_throw() -> None:
    """Two agreements in two orders: both seats go on to the first throw, and no further."""
    match = FairMatch("eots", "south-pacific", seed=32)
    first = World(match, ())
    first.start()
    one, other = first.honest
    agreements = [*first.made(one), *first.made(other)]
    second = first.fork(other)
    for world, order in ((first, agreements), (second, agreements[::-1])):
        for signed in order:
            assert world.index(signed) is None
    assert first.state.head != second.state.head
    for world, absent in ((first, other), (second, one)):
        world.settle()
        assert {d.author for d in due_messages(world.state)} == {absent}
        assert world.state.throws == 0, "no throw is complete"
    for world, other_world in ((first, second), (second, first)):
        for role in other_world.honest:
            for signed in other_world.made(role):
                assert world.refused(signed).is_due_fault


# -- AT-19: five of six seats collude


def test_at_19_the_last_seat_to_reveal_cannot_bias_the_result() -> None:
    """The attacker tries many histories of its own; the honest reveal alone makes each result uniform.

    What the attacker can vary is its own messages before T(ready). None of them enters the key of the throw.
    """
    count = sized(400, 4_000)
    header = bytes(32)
    theirs = [SeatSecrets("m", Role(f"r{at}"), bytes([at]) * 32) for at in range(5)]
    honest = SeatSecrets("m", Role("victim"), b"\x77" * 32)
    faces = Counter(
        UniformSource(
            throw_key(header, n, [*(one.reveal(n) for one in theirs), honest.reveal(n)])
        ).draw(0, 10)
        for n in range(count)
    )
    expected = count / 10
    chi_square = sum((faces[face] - expected) ** 2 / expected for face in range(10))
    assert chi_square < 33.7, "one in 10,000 uniform samples is beyond this"


def test_at_19_a_throw_depends_on_the_reveals_only(thrown: World) -> None:
    """Another history before the throw gives the same chance: there is nothing to search for."""
    first = thrown.copy()
    first.settle()
    second = first.copy()
    assert second.index(second.sign(second.attacker, Kind.OFFER, Offer("draw"))) is None
    assert second.index(second.seat(second.victim).sign_consent(agrees=False)) is None
    challenges = []
    for world in (first, second):
        number = world.state.throws
        for _ in range(60):
            if world.state.throws > number:
                break
            role = world.game.active_roles(world.state.state)[0]
            world.play(role, world.options(role)[0])
        challenges.append((world.state.throws, world.state.challenge))
    assert first.state.head != second.state.head
    assert challenges[0] == challenges[1]
