"""Attacks on the opening and on mixes: C1 and H5 of the attack on protocol 6, AT-1 to AT-4 and AT-37."""

import pytest

from engine.kernel.ids import Role
from saves.decoding import canonical
from saves.fair.derivation import ORDER
from saves.fair.group import NEUTRAL, ZERO, Point, card_point
from saves.fair.labels import CardLabel
from saves.fair.messages import (
    HOST,
    Agree,
    Kind,
    Mix,
    Proof,
    Setup,
    SignedMessage,
)
from saves.fair.mixing import (
    SHADOWS,
    MixInput,
    OwnMix,
    mix_challenge,
    respond,
)
from saves.fair.private_cards import PrivateCards
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import FairMatch
from tests.saves.fair.mixes import CheatingOwner
from tests.sizes import sampled


@pytest.fixture(scope="module")
def agreed() -> World:
    """A match of two seats in which all parties have agreed, and no deck is mixed."""
    world = start()
    world.settle(until=TranscriptPhase.PREPARE)
    return world


@pytest.fixture
def world(agreed: World) -> World:
    return agreed.copy()


def start(seed: int = 21) -> World:
    match = FairMatch("eots", "1943", seed=seed)
    world = World(match, tuple(match.seats)[-1:])
    world.start()
    return world


# -- C1 and AT-1: one header, one mix for an anchor


@pytest.mark.series("F3")
def test_c1_at_1_a_second_setup_is_refused(world: World) -> None:
    other = bytes(32)
    header = world.setup.header_hash
    for body, anchor_hash in (
        (Setup(header), header),
        (Setup(other), header),
        (Setup(other), other),
    ):
        refusal = world.refused(world.sign(HOST, Kind.SETUP, body, -1 % (1 << 32), anchor_hash))
        assert refusal.author == HOST


def test_c1_at_1_a_setup_with_another_header_is_refused() -> None:
    match = FairMatch("eots", "south-pacific", seed=22)
    world = World(match, tuple(match.seats)[-1:])
    refusal = world.refused(
        world.sign(HOST, Kind.SETUP, Setup(bytes(32)), 0, match.setup.header_hash)
    )
    assert refusal.problem == "the set-up does not match the header"
    assert not any(world.made(role) for role in world.honest), "nothing is released"


def test_at_1_an_agreement_to_another_header_names_its_author() -> None:
    world = start()
    refusal = world.refused(world.sign(world.attacker, Kind.AGREE, Agree(bytes(32))))
    assert (refusal.author, refusal.is_due_fault) == (world.attacker, False)


@pytest.mark.series("F3")
def test_c1_a_pile_is_mixed_only_once_per_anchor(world: World) -> None:
    """The host asks the victim again after each message that it can add in between."""
    released = world.releases[world.victim]
    mine = {one.pile: one for one in released.bodies(Mix)}
    assert mine
    for signed in world.made(world.attacker):
        world.index(signed)
        world.made(world.victim, again=True)
    again = released.bodies(Mix)
    assert len(again) == len(mine)
    assert all(body == mine[body.pile] for body in again)


@pytest.mark.full
def test_c1_different_histories_use_independent_secrets() -> None:
    """Two openings that differ in the order of two agreements share no blinding, no output and no shadow."""
    first = start()
    second = first.copy()
    orders = [first.made(role) + first.made(other) for role, other in _pairs(first)]
    for world, order in zip((first, second), orders, strict=True):
        for signed in order:
            assert world.index(signed) is None
    mixes = [_mixes_of(world, world.victim) for world in (first, second)]
    assert mixes[0].keys() == mixes[1].keys()
    for name, one in mixes[0].items():
        other = mixes[1][name]
        assert one.inputs == other.inputs
        assert not set(one.outputs) & set(other.outputs)
        assert not set(one.shadows) & set(other.shadows)
    blindings = [_blindings(world, world.victim) for world in (first, second)]
    assert len(blindings[0] | blindings[1]) == len(blindings[0]) + len(blindings[1])


def _pairs(world: World) -> tuple[tuple[Role, Role], tuple[Role, Role]]:
    one, other = world.seats
    return (one, other), (other, one)


def _mixes_of(world: World, role: Role) -> dict[str, Mix]:
    made = [world.message(signed).body for signed in world.made(role)]
    return {body.pile: body for body in made if isinstance(body, Mix)}


def _blindings(world: World, role: Role) -> set[bytes]:
    """Return the blindings of an owner after its mixes are accepted; the test looks into its program."""
    for signed in world.made(role):
        assert world.index(signed) is None
    labels = world.seat(role).cards._labels.values()
    return {own.blinding for own in labels if own.blinding != ZERO}


def throw_once(world: World) -> None:
    """Let the first throw happen, and nothing after it."""
    world.settle(until=TranscriptPhase.REVEAL)
    for role in world.seats:
        assert world.index(world.made_of(role, Kind.REVEAL)) is None


# -- AT-2 and H5: a mix that is no permutation of its pile


def own_inputs(world: World, role: Role, pile: str) -> list[MixInput]:
    cards = world.seat(role).cards
    labels = sorted(world.state.table.pile(role, pile).labels, key=lambda label: label.number)
    return [_input(world, cards, role, label) for label in labels]


def _input(world: World, cards: PrivateCards, role: Role, label: CardLabel) -> MixInput:
    point = label.point or card_point(world.setup.match_id, role, label.face)
    return MixInput(
        label.number, Point(point), cards.face_of(role, label), cards.blinding_of(label)
    )


def challenge_of(world: World, role: Role, pile: str, throw: int) -> tuple[int, ...]:
    setup, state = world.setup, world.state
    return mix_challenge(setup.header_hash, throw, role, role, pile, state.challenge)


def replaced(world: World, signed: SignedMessage, mixed: OwnMix | CheatingOwner) -> SignedMessage:
    return world.altered(signed, outputs=tuple(mixed.outputs), shadows=tuple(mixed.shadow_hashes))


@pytest.mark.parametrize(
    "kind",
    sampled(
        ["doubled", "missing", "foreign", "other deck", "combined"], 2, of="kinds of false mixes"
    ),
)
@pytest.mark.series("F3")
def test_at_2_h5_a_false_mix_is_exposed_at_the_next_throw(world: World, kind: str) -> None:
    attacker = world.attacker
    signed = world.made_of(attacker, Kind.MIX)
    pile = world.body(signed, Mix).pile
    inputs = own_inputs(world, attacker, pile)
    cheat = CheatingOwner(kind, inputs, seed=1, shadows=SHADOWS)
    assert world.index(replaced(world, signed, cheat)) is None, "nobody can see it before a throw"
    throw_once(world)
    first = next(mix.first for mix in world.state.unproven if mix.pile == pile)
    responses = cheat.responses(challenge_of(world, attacker, pile, 0))
    packed = tuple(one if isinstance(one, bytes) else canonical(one) for one in responses)
    proof = world.sign(
        attacker, Kind.PROOF, Proof(attacker, first, packed), world.state.challenge_at
    )
    refusal = world.refused(proof)
    assert refusal.author == attacker
    assert refusal.problem.startswith(f"the proof of the mix of {pile} is invalid")
    world.settle()
    assert world.state.records == 0, "the record never completes"


@pytest.mark.parametrize("kind", ["too few", "other labels", "other order", "too few shadows"])
def test_at_2_a_mix_of_other_labels_is_refused(world: World, kind: str) -> None:
    attacker = world.attacker
    signed = world.made_of(attacker, Kind.MIX)
    body = world.body(signed, Mix)
    cases: dict[str, dict[str, object]] = {
        "too few": {"inputs": body.inputs[1:], "outputs": body.outputs[1:]},
        "other labels": {"inputs": (*body.inputs[:-1], body.inputs[-1] + 900)},
        "other order": {"inputs": body.inputs[::-1]},
        "too few shadows": {"shadows": body.shadows[1:]},
    }
    refusal = world.refused(world.altered(signed, **cases[kind]))
    assert (refusal.author, refusal.is_due_fault) == (attacker, False)


# -- AT-3: outputs outside the group


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("neutral", NEUTRAL),
        ("small order", (ORDER * 0 + 2**255 - 20).to_bytes(32, "little")),
        ("not canonical", (2**255 - 18).to_bytes(32, "little")),
        ("not on the curve", (2).to_bytes(32, "little")),
        ("zero", bytes(32)),
        ("equal", None),
    ],
)
@pytest.mark.series("F3")
def test_at_3_unusable_outputs_are_refused_at_once(
    world: World, name: str, point: bytes | None
) -> None:
    attacker = world.attacker
    signed = world.made_of(attacker, Kind.MIX)
    outputs = world.body(signed, Mix).outputs
    first = outputs[1] if point is None else point
    refusal = world.refused(world.altered(signed, outputs=(first, *outputs[1:])))
    assert (refusal.author, refusal.is_due_fault) == (attacker, False)


# -- AT-4: a proof for another challenge


def test_at_4_no_proof_is_released_before_all_reveals(world: World) -> None:
    victim = world.victim
    world.settle(until=TranscriptPhase.REVEAL)
    reveals = {role: world.made_of(role, Kind.REVEAL) for role in world.seats}
    assert world.index(reveals[victim]) is None
    assert not world.releases[victim].messages(Kind.PROOF)
    assert world.index(reveals[world.attacker]) is None
    proofs = world.releases[victim].bodies(Proof)
    assert len({one.first for one in proofs}) == len(proofs) == len(_own(world, victim))


def _own(world: World, role: Role) -> list[int]:
    return [mix.first for mix in world.state.unproven if mix.owner == role]


def test_at_4_a_repeated_proof_is_identical(world: World) -> None:
    victim = world.victim
    throw_once(world)
    before = {one.first: one for one in world.releases[victim].bodies(Proof)}
    assert before
    for signed in world.made(world.attacker):
        world.index(signed)
        world.made(victim, again=True)
    after = {one.first: one for one in world.releases[victim].bodies(Proof)}
    assert {first: after[first] for first in before} == before


def test_at_4_a_proof_for_another_throw_or_mix_is_refused(world: World) -> None:
    attacker = world.attacker
    throw_once(world)
    signed = world.made_of(attacker, Kind.PROOF)
    body = world.body(signed, Proof)
    mix = next(one for one in world.state.unproven if one.first == body.first)
    plan = world.seat(attacker).cards.mixes[body.first]
    for throw in (1, 2, 100):
        responses = respond(plan, challenge_of(world, attacker, mix.pile, throw))
        packed = tuple(one if isinstance(one, bytes) else canonical(one) for one in responses)
        refusal = world.refused(world.altered(signed, responses=packed))
        assert (refusal.author, refusal.is_due_fault) == (attacker, False)
    theirs = _own(world, world.victim)[0]
    assert world.refused(world.altered(signed, first=theirs)).is_due_fault
    assert world.index(signed) is None
    assert world.refused(signed).is_due_fault, "twice"
