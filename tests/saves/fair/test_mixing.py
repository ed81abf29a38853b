"""Mixes: honest proofs verify, wrong mixes do not, and labels cannot be linked."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Final

import msgspec
import pytest

from engine.kernel.ids import Role
from saves.fair import derivation, mixing
from saves.fair.blinding_guard import BlindingGuard
from saves.fair.derivation import pack
from saves.fair.errors import BlindingReuseError, MixProofError
from saves.fair.group import ORDER, Point, Scalar, add, base_times, card_point, subtract
from saves.fair.mixing import (
    SHADOWS,
    MixInput,
    OwnMix,
    Response,
    ShadowLink,
    check_outputs,
    make_mix,
    mix_challenge,
    plan_mix,
    respond,
    throw_key,
    verify_proof,
)
from saves.fair.secrets import CardSecrets
from tests.saves.fair.mixes import (
    DECK,
    HEADER_HASH,
    KINDS,
    MATCH,
    ROLE,
    CheatingOwner,
    challenge_of,
    context_of,
    honest_proof,
    mixed_inputs,
    points_of,
    public_inputs,
    secrets_of,
)
from tests.saves.fair.test_group import CASES
from tests.sizes import sampled, sized

# Honest mixes


@pytest.mark.parametrize("count", sampled(range(1, 85), 8))
def test_honest_proofs_verify(count: int) -> None:
    inputs = public_inputs(count)
    mix, challenge, responses = honest_proof(inputs, shadows=sized(4, SHADOWS))
    check_outputs(mix.outputs, count)
    verify_proof(points_of(inputs), mix.outputs, mix.shadow_hashes, challenge, responses)
    assert sorted(mix.cards) == sorted(source.card for source in inputs)


def test_outputs_are_commitments_to_their_cards() -> None:
    first, _, _ = honest_proof(public_inputs(9))
    second = make_mix(secrets_of(0), context_of(2), mixed_inputs(first)[2:6], (3, 1, 0, 2))
    assert second.cards == tuple(first.cards[2 + place] for place in (3, 1, 0, 2))
    for mix in (first, second):
        for point, card, blinding in zip(mix.outputs, mix.cards, mix.blindings, strict=True):
            assert point == add(card_point(MATCH, DECK, card), base_times(blinding))


def test_proofs_of_later_mixes_verify() -> None:
    inputs = mixed_inputs(honest_proof(public_inputs(6))[0])
    mix, challenge, responses = honest_proof(inputs, anchor=2)
    verify_proof(points_of(inputs), mix.outputs, mix.shadow_hashes, challenge, responses)


def test_same_mix_question_has_the_same_answer() -> None:
    inputs = public_inputs(5)
    mixes = [make_mix(secrets_of(0), context_of(1), inputs) for _ in range(2)]
    assert mixes[0] == mixes[1]
    plan = plan_mix(secrets_of(0), context_of(1), inputs)
    challenge = challenge_of(1)
    assert respond(plan, challenge) == respond(mixes[0], challenge)
    assert plan.blindings == mixes[0].blindings
    assert plan.cards == mixes[0].cards


def test_different_mix_questions_have_independent_secrets() -> None:
    """All inputs of the question are varied one by one; no blinding and no shadow returns."""
    inputs = public_inputs(5)
    base = context_of(1)
    contexts = [
        base,
        msgspec.structs.replace(base, header_hash=b"i" * 32),
        msgspec.structs.replace(base, anchor_index=2),
        msgspec.structs.replace(base, anchor_hash=b"u" * 32),
        msgspec.structs.replace(base, purpose="discards"),
    ]
    mixes = [make_mix(secrets_of(0), context, inputs) for context in contexts]
    mixes.append(make_mix(secrets_of(1), base, inputs))
    mixes.append(make_mix(secrets_of(0), base, inputs, (0, 1, 2, 3, 4)))
    mixes.append(make_mix(secrets_of(0), base, inputs, (1, 0, 2, 3, 4)))
    renamed = [msgspec.structs.replace(source, label=source.label + 1) for source in inputs]
    mixes.append(make_mix(secrets_of(0), base, renamed))
    for secrets in ("blindings", "outputs", "shadow_hashes"):
        values = [value for mix in mixes for value in getattr(mix, secrets)]
        assert len(set(values)) == len(values)


def test_repr_does_not_show_secrets() -> None:
    inputs = public_inputs(3)
    mix, _, _ = honest_proof(inputs)
    plan = plan_mix(secrets_of(0), context_of(1), inputs)
    for shown in (repr(inputs), repr(mix), repr(plan), f"{[mix]}"):
        assert "card" not in shown
        assert "\\x" not in shown


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        pytest.param((1, 0, 2), None, id="labels not ascending"),
        pytest.param((0, 0, 2), None, id="a label twice"),
        pytest.param((0, 1, 2), (0, 0, 1), id="an input twice"),
        pytest.param((0, 1, 2), (0, 1), id="an input left out"),
    ],
)
def test_invalid_mix_question_fails_an_assertion(
    labels: Sequence[int], order: Sequence[int] | None
) -> None:
    inputs = [
        msgspec.structs.replace(source, label=label)
        for source, label in zip(public_inputs(3), labels, strict=True)
    ]
    with pytest.raises(AssertionError):
        make_mix(secrets_of(0), context_of(1), inputs, order)


# Challenges and throws


def test_challenge_depends_on_every_part_of_its_question() -> None:
    question = (HEADER_HASH, 3, ROLE, DECK, "hand", [b"a" * 32, b"b" * 32])
    others = (b"i" * 32, 4, Role("japan"), "dock", "deck", [b"b" * 32, b"a" * 32])
    challenges = {mix_challenge(*question, 200)}
    for place, other in enumerate(others):
        changed: list[Any] = [*question[:place], other, *question[place + 1 :], 200]
        challenges.add(mix_challenge(*changed))
    assert len(challenges) == 7
    assert mix_challenge(*question) == mix_challenge(*question, 200)[:SHADOWS]


def test_challenge_bits_are_fair() -> None:
    count = sized(200, 10_000)
    sums = [sum(bits) for bits in zip(*(challenge_of(n) for n in range(count)), strict=True)]
    assert len(sums) == SHADOWS
    assert all(abs(one - count / 2) < 5 * sqrt(count / 4) for one in sums)


def test_throw_key_depends_on_match_number_and_every_reveal() -> None:
    reveals = [b"a" * 32, b"b" * 32]
    keys = {
        throw_key(HEADER_HASH, 0, reveals),
        throw_key(b"i" * 32, 0, reveals),
        throw_key(HEADER_HASH, 1, reveals),
        throw_key(HEADER_HASH, 0, reveals[::-1]),
        throw_key(HEADER_HASH, 0, [b"a" * 32, b"c" * 32]),
    }
    assert len(keys) == 5


# Wrong mixes (AT-2, AT-3)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_mix_is_refused(kind: str) -> None:
    inputs = public_inputs(4)
    for seed in range(sized(12, 1_000 // len(KINDS) + 1)):
        owner = CheatingOwner(kind, inputs, seed, SHADOWS)
        check_outputs(owner.outputs, len(inputs))
        assert owner.proof_problem(challenge_of(seed)) is not None


def test_wrong_mix_passes_if_its_owner_knows_the_challenge() -> None:
    """The attack itself is complete: only the challenge, later than the shadows, stops it."""
    for kind in KINDS:
        owner = CheatingOwner(kind, public_inputs(4), 0, SHADOWS)
        assert owner.proof_problem(owner.guesses) is None


@pytest.mark.full
def test_guess_passes_four_shadows_once_in_sixteen() -> None:
    count = sized(300, 1_000)
    inputs = public_inputs(3)
    passed = 0
    for seed in range(count):
        owner = CheatingOwner(KINDS[seed % len(KINDS)], inputs, seed, 4)
        passed += owner.proof_problem(challenge_of(seed, 4)) is None
    mean = count / 16
    assert abs(passed - mean) < 4 * sqrt(mean * 15 / 16)


@pytest.mark.parametrize("name", CASES)
def test_unusable_outputs_are_refused_at_once(name: str) -> None:
    mix, _, _ = honest_proof(public_inputs(3), shadows=1)
    for data in CASES[name]:
        with pytest.raises(MixProofError):
            check_outputs([mix.outputs[0], data, mix.outputs[2]], 3)


def test_duplicate_and_miscounted_outputs_are_refused() -> None:
    mix, _, _ = honest_proof(public_inputs(3), shadows=1)
    one, two, _ = mix.outputs
    fourth = base_times(mix.blindings[0])
    for outputs in ([one, two, one], [one, two], [], [*mix.outputs, fourth], [*mix.outputs, one]):
        with pytest.raises(MixProofError):
            check_outputs(outputs, 3)
    assert check_outputs(mix.outputs, 3) == mix.outputs


def first_link(responses: Sequence[Response]) -> int:
    return next(n for n, one in enumerate(responses) if isinstance(one, ShadowLink))


def first_seed(responses: Sequence[Response]) -> int:
    return next(n for n, one in enumerate(responses) if isinstance(one, bytes))


def raised(scalar: bytes) -> bytes:
    """Another encoding of the same scalar."""
    return (int.from_bytes(scalar, "little") + ORDER).to_bytes(32, "little")


FALSE_LINKS: Final[dict[str, Callable[[ShadowLink], Response]]] = {
    "a place twice": lambda one: ShadowLink(
        (one.permutation[1], *one.permutation[1:]), one.differences
    ),
    "a place too many": lambda one: ShadowLink((*one.permutation, 3), one.differences),
    "no places": lambda one: ShadowLink((), one.differences),
    "a place below": lambda one: ShadowLink((-1, *one.permutation[1:]), one.differences),
    "other places": lambda one: ShadowLink(one.permutation[::-1], one.differences),
    "other order": lambda one: ShadowLink(one.permutation, one.differences[::-1]),
    "a difference too few": lambda one: ShadowLink(one.permutation, one.differences[1:]),
    "a difference too many": lambda one: ShadowLink(one.permutation, one.differences * 2),
    "zero": lambda one: ShadowLink(one.permutation, (bytes(32), *one.differences[1:])),
    "not reduced": lambda one: ShadowLink(
        one.permutation, (raised(one.differences[0]), *one.differences[1:])
    ),
    "short": lambda one: ShadowLink(one.permutation, (b"\1", *one.differences[1:])),
    "a seed": lambda _: bytes(32),
}


@pytest.mark.parametrize("name", FALSE_LINKS)
def test_false_shadow_link_is_refused(name: str) -> None:
    inputs = public_inputs(3)
    mix, challenge, honest = honest_proof(inputs)
    place = first_link(honest)
    link = honest[place]
    assert isinstance(link, ShadowLink)
    responses = [*honest]
    responses[place] = FALSE_LINKS[name](link)
    refuse(inputs, mix, challenge, responses)


@pytest.mark.parametrize("length", [0, 31, 32, 33, 65])
def test_false_shadow_seed_is_refused(length: int) -> None:
    inputs = public_inputs(3)
    mix, challenge, honest = honest_proof(inputs)
    place = first_seed(honest)
    for response in (bytes(length), honest[first_link(honest)]):
        refuse(inputs, mix, challenge, [*honest[:place], response, *honest[place + 1 :]])


def test_response_to_the_wrong_challenge_bit_is_refused() -> None:
    """Seeds for all bits say nothing about the outputs, links for all bits nothing about the inputs."""
    inputs = public_inputs(3)
    mix, challenge, _ = honest_proof(inputs)
    assert set(challenge) == {0, 1}
    refuse(inputs, mix, challenge, respond(mix, (0,) * SHADOWS))
    refuse(inputs, mix, challenge, respond(mix, (1,) * SHADOWS))


def test_seed_of_wrong_length_is_refused_even_if_its_hash_matches() -> None:
    points = points_of(public_inputs(2))
    for length in (16, 31, 32, 33, 64):
        shadow = mixing._list_hash(mixing._shadow_points(bytes(length), points))
        problem = mixing.shadow_problem(points, points, shadow, 0, bytes(length))
        assert bool(problem) == (length != 32)


def test_duplicate_output_places_are_refused_even_if_the_hash_matches() -> None:
    """One of both outputs would be linked to nothing."""
    outputs = honest_proof(public_inputs(2))[0].outputs
    number = Scalar((5).to_bytes(32, "little"))
    moved = subtract(outputs[1], base_times(number))
    for places, shadow in (((0, 0), (moved, outputs[1])), ((1, -1), (outputs[0], moved))):
        link = ShadowLink(places, (number, number))
        problem = mixing.shadow_problem([], outputs, mixing._list_hash(shadow), 1, link)
        assert problem == "the positions are not a permutation"


def test_proof_for_a_different_challenge_mix_or_count_is_refused() -> None:
    inputs = public_inputs(3)
    mix, challenge, responses = honest_proof(inputs)
    other, _, _ = honest_proof(inputs, anchor=2)
    refuse(inputs, mix, challenge, responses[1:])
    refuse(inputs, mix, challenge, (*responses, bytes(32)))
    refuse(inputs, mix, tuple(1 - bit for bit in challenge), responses)
    refuse(inputs, mix, challenge, respond(other, challenge))
    refuse(inputs, other, challenge, responses)
    refuse(inputs[::-1], mix, challenge, responses)
    refuse(public_inputs(4)[1:], mix, challenge, responses)
    swapped = msgspec.structs.replace(mix, outputs=mix.outputs[::-1])
    refuse(inputs, swapped, challenge, responses)


def refuse(
    inputs: Sequence[MixInput],
    mix: OwnMix,
    challenge: Sequence[int],
    responses: Sequence[Response],
) -> None:
    with pytest.raises(MixProofError):
        verify_proof(points_of(inputs), mix.outputs, mix.shadow_hashes, challenge, responses)


def test_link_to_the_neutral_element_is_refused() -> None:
    """An owner that knows the logarithm of an output could link it to the neutral element."""
    number = Scalar((5).to_bytes(32, "little"))
    link = ShadowLink((0,), (number,))
    problem = mixing.shadow_problem([], [base_times(number)], b"", 1, link)
    assert problem == "the result is the neutral element"


def test_responses_have_a_single_message_encoding() -> None:
    _, _, responses = honest_proof(public_inputs(3))
    decoder = msgspec.msgpack.Decoder(tuple[Response, ...])
    assert decoder.decode(pack(responses)) == responses
    with pytest.raises(msgspec.ValidationError):
        decoder.decode(pack([[[0], [bytes(32)], 7]]))


# Recomputation from the card seed


def test_mix_depends_only_on_seed_inputs_and_order() -> None:
    inputs = public_inputs(4)
    context, secrets = context_of(1), secrets_of(0)
    mix = make_mix(secrets, context, inputs)
    assert make_mix(secrets, context, inputs) == mix
    others = (
        make_mix(secrets_of(1), context, inputs),
        make_mix(secrets, context_of(2), inputs),
        make_mix(secrets, context, inputs, mix.order),
    )
    for other in others:
        assert not {*other.outputs} & {*mix.outputs}
        assert not {*other.shadow_hashes} & {*mix.shadow_hashes}


# The guard


def test_blinding_guard_refuses_reuse_for_a_different_card() -> None:
    guard = BlindingGuard()
    for _ in range(2):
        guard.record(b"blinding", DECK, "a card")
    for deck, card in ((DECK, "another card"), ("reserve", "a card")):
        with pytest.raises(BlindingReuseError):
            guard.record(b"blinding", deck, card)
    guard.record(b"another blinding", DECK, "another card")
    assert len(guard) == 2


def test_mix_with_one_blinding_for_two_cards_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fixed = Scalar((7).to_bytes(32, "little"))
    monkeypatch.setattr(derivation.ScalarSource, "scalar", lambda *_: fixed)
    with pytest.raises(BlindingReuseError):
        make_mix(secrets_of(0), context_of(1), public_inputs(2))


def test_mix_key_reused_with_different_inputs_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = secrets_of(0)
    inputs = public_inputs(4)
    monkeypatch.setattr(CardSecrets, "mix_key", lambda *_: b"k" * 32)
    mix = make_mix(secrets, context_of(1), inputs[:3])
    assert make_mix(secrets, context_of(1), inputs[:3]) == mix
    with pytest.raises(BlindingReuseError):
        make_mix(secrets, context_of(2), inputs[1:])


def test_blinding_guard_grows_only_with_new_mixes_of_its_match() -> None:
    secrets = secrets_of(0)
    for _ in range(3):
        make_mix(secrets, context_of(1), public_inputs(7))
    assert len(secrets.guard) == 7 + SHADOWS
    make_mix(secrets, context_of(2), public_inputs(7))
    assert len(secrets.guard) == 2 * (7 + SHADOWS)
    assert len(secrets_of(0).guard) == 0


# Linking labels (AT-33)

Score = Callable[[Sequence[Point], OwnMix, Sequence[Response], int], float]
"""How likely an output is the first input, by what is public of a mix."""


def by_place(_: Sequence[Point], mix: OwnMix, responses: Sequence[Response], output: int) -> float:
    return output


def by_order_of_points(
    inputs: Sequence[Point], mix: OwnMix, _: Sequence[Response], output: int
) -> float:
    rank = sorted(inputs).index(inputs[0])
    return abs(sorted(mix.outputs).index(mix.outputs[output]) - rank)


def by_common_bits(
    inputs: Sequence[Point], mix: OwnMix, _: Sequence[Response], output: int
) -> float:
    one, two = (int.from_bytes(data, "big") for data in (inputs[0], mix.outputs[output]))
    return (one ^ two).bit_count()


def by_places_in_shadows(
    _: Sequence[Point], mix: OwnMix, responses: Sequence[Response], output: int
) -> float:
    links = [one for one in responses if isinstance(one, ShadowLink)]
    return sum(link.permutation[output] for link in links)


def by_differences(
    inputs: Sequence[Point], mix: OwnMix, responses: Sequence[Response], output: int
) -> float:
    links = [one for one in responses if isinstance(one, ShadowLink)]
    return sum(int.from_bytes(link.differences[output], "little") for link in links)


def by_known_shadows(
    inputs: Sequence[Point], mix: OwnMix, responses: Sequence[Response], output: int
) -> float:
    """Where the opened shadows have the first input, against where the linked ones have the output."""
    seeds = [one for one in responses if isinstance(one, bytes)]
    orders = [mixing._shadow_plan(seed, len(inputs))[0].index(0) for seed in seeds]
    links = [one.permutation[output] for one in responses if isinstance(one, ShadowLink)]
    return abs(sum(orders) / max(len(orders), 1) - sum(links) / max(len(links), 1))


SCORES: Final[dict[str, Score]] = {
    "place": by_place,
    "order of points": by_order_of_points,
    "common bits": by_common_bits,
    "places in shadows": by_places_in_shadows,
    "differences": by_differences,
    "opened shadows": by_known_shadows,
}
HAND: Final = 7
Evidence = tuple[list[Point], OwnMix, tuple[Response, ...]]


@pytest.fixture(scope="module")
def hand_mixes() -> list[Evidence]:
    """Hands that are mixed again and again, with the responses to their challenges."""
    inputs = public_inputs(HAND)
    secrets = secrets_of(5)
    mixes: list[Evidence] = []
    for anchor in range(sized(200, 10_000, of="mixes of one hand")):
        mix = make_mix(secrets, context_of(anchor), inputs, None, 4)
        mixes.append((points_of(inputs), mix, respond(mix, challenge_of(anchor, 4))))
        inputs = mixed_inputs(mix, inputs[-1].label + 1)
    return mixes


def ranks_of(mixes: Sequence[Evidence], score: Score) -> Counter[int]:
    """Rank of the true output among all, for each mix."""
    ranks: Counter[int] = Counter()
    for inputs, mix, responses in mixes:
        scores = [score(inputs, mix, responses, output) for output in range(HAND)]
        ranking = sorted(range(HAND), key=lambda output: (scores[output], mix.outputs[output]))
        ranks[ranking.index(mix.order.index(0))] += 1
    return ranks


def deviation(ranks: Counter[int]) -> float:
    """Standard deviations between the chi-square statistic and its mean."""
    mean = ranks.total() / HAND
    statistic = sum((ranks[rank] - mean) ** 2 / mean for rank in range(HAND))
    return abs(statistic - (HAND - 1)) / sqrt(2 * (HAND - 1))


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.series("F4")
def test_the_rank_of_the_true_label_is_uniform(name: str, hand_mixes: list[Evidence]) -> None:
    assert deviation(ranks_of(hand_mixes, SCORES[name])) < 5


def test_defective_permutation_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the swaps of the last place, the first label stays in place too often."""

    def defective(key: bytes, count: int) -> tuple[int, ...]:
        places = list(derivation.permutation(key, count))
        return tuple(places if places[1] != 0 else [places[1], places[0], *places[2:]])

    monkeypatch.setattr(mixing, "permutation", defective)
    inputs = public_inputs(HAND)
    mixes: list[Evidence] = [
        (points_of(inputs), make_mix(secrets_of(6), context_of(anchor), inputs, None, 0), ())
        for anchor in range(300)
    ]
    assert deviation(ranks_of(mixes, by_place)) > 5
